/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One frame is mapped at two addresses, and written through one and read through the other, without
 * any flush. The cache of this machine has one way: choose the second address so that it works.
 */
#include "machine.h"

#define FIRST  (WINDOW + 2 * PAGE)
#define SECOND (WINDOW + 3 * PAGE) /* yours: another page than FIRST */

void exercise(void) {
    map(FIRST, FRAMES, CACHED);
    map(SECOND, FRAMES, CACHED);
    load(FIRST);
    for (uint32_t n = 1; n <= 8; n++) {
        store(FIRST, n);
        say_number("second", load(SECOND));
        store(SECOND, 16 * n);
        say_number("first", load(FIRST));
    }
}
