/* SPDX-License-Identifier: Apache-2.0 */
/* A page moves to another frame: its line goes to memory and is forgotten, its translation too. */
#include "machine.h"

#define OTHER (FRAMES + PAGE)

/* The page at WINDOW becomes that of another frame. */
static void move(void) {
    clean_and_invalidate_line(WINDOW); /* while the address still means the first frame */
    map(WINDOW, OTHER, CACHED);
    invalidate_tlb_entry(WINDOW);
}

void exercise(void) {
    store(OTHER, 2); /* not cached there: memory has it */
    map(WINDOW, FRAMES, CACHED);
    store(WINDOW, 0);
    load(WINDOW);
    store(WINDOW, 1); /* in the cache */
    move();
    say_number("other", load(WINDOW));
    invalidate_line(WINDOW);
    say_number("first", load(FRAMES));
}
