/* SPDX-License-Identifier: Apache-2.0 */
/* A page moves to another frame, and the program reads what it read before. Mend `move`. */
#include "machine.h"

#define OTHER (FRAMES + PAGE)

/* The page at WINDOW becomes that of another frame. */
static void move(void) {
    map(WINDOW, OTHER, CACHED);
    /* What must be here? Two lines, of the functions in machine.h. */
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
