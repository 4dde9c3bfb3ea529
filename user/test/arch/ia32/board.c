/* SPDX-License-Identifier: Apache-2.0 */
/* What tests need to know of the board: its devices are at ports, to which no program has a right.
 */
#include "../../test.h"

const struct test_board *test_board(void) {
    static const struct test_board board = {.interrupt = 8, .kernels_interrupt = 0};
    return &board;
}
