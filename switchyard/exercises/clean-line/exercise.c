/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Three lines of one page are in the cache, or not. Then memory is read past it, as a device would.
 * Which of the lines must be cleaned before? Set 1 where it must, 0 where it need not.
 */
#include "machine.h"

#define CLEAN_READ    1 /* the line that was only read */
#define CLEAN_WRITTEN 1 /* the line that was read and then written */
#define CLEAN_ABSENT  1 /* the line that was never touched */

#define READ    (WINDOW + 0)
#define WRITTEN (WINDOW + 32)
#define ABSENT  (WINDOW + 64)

void exercise(void) {
    map(WINDOW, FRAMES, CACHED);
    load(READ);
    load(WRITTEN);
    store(WRITTEN, 7);
    if (CLEAN_READ) {
        clean_line(READ);
    }
    if (CLEAN_WRITTEN) {
        clean_line(WRITTEN);
    }
    if (CLEAN_ABSENT) {
        clean_line(ABSENT);
    }
    drain(0);
    say_number("read", load(FRAMES)); /* at its own address memory is not cached */
    say_number("written", load(FRAMES + 32));
    say_number("absent", load(FRAMES + 64));
}
