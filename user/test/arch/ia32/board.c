/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What tests need to know of the board: a timer that the kernel does not use, for interrupts. That
 * is the clock's periodic interrupt (Motorola MC146818, ADI-856), 1024 times a second; until
 * register C is read there is no other one.
 */
#include "../../test.h"

#include "ports.h"

#define REGISTER_A   10
#define REGISTER_B   11
#define REGISTER_C   12
#define RUNS_AT_1024 0x26
#define PERIODIC     0x40
#define HOURS_OF_24  0x02

static void arm(void) {
    clock_write(REGISTER_A, RUNS_AT_1024);
    clock_write(REGISTER_B, PERIODIC | HOURS_OF_24);
    (void)clock_read(REGISTER_C);
}

/* Before pages are counted, so that all is there by which the kernel knows our ports (main.c). */
static void disarm(void) {
    clock_write(REGISTER_B, HOURS_OF_24);
    (void)clock_read(REGISTER_C);
    (void)port_in(LAST_PORT);
}

const struct test_board *test_board(void) {
    static const struct test_board board = {
        .interrupt = 8, .kernels_interrupt = 0, .arm = arm, .disarm = disarm};
    return &board;
}
