/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What tests need to know of the board: a timer that the kernel does not use, for interrupts. That
 * is the goldfish clock's alarm (QEMU, hw/rtc/goldfish_rtc.c), in nanoseconds.
 */
#include "../../test.h"

#define REG(offset)   (*(volatile L4_Word32_t *)(uintptr_t)(test_board()->page + (offset)))
#define TIME_LOW      REG(0x00) /* and the upper half is kept */
#define TIME_HIGH     REG(0x04)
#define ALARM_LOW     REG(0x08) /* and it is set */
#define ALARM_HIGH    REG(0x0c)
#define IRQ_ENABLED   REG(0x10)
#define CLEAR_ALARM   REG(0x14)
#define CLEAR_IRQ     REG(0x1c)
#define A_MILLISECOND 1000000u

static void arm(void) {
    L4_Word64_t at = TIME_LOW;
    at |= (L4_Word64_t)TIME_HIGH << 32;
    at += A_MILLISECOND;
    IRQ_ENABLED = 1;
    ALARM_HIGH = (L4_Word32_t)(at >> 32);
    ALARM_LOW = (L4_Word32_t)at;
}

static void disarm(void) {
    CLEAR_ALARM = 1;
    CLEAR_IRQ = 1;
    IRQ_ENABLED = 0;
}

const struct test_board *test_board(void) {
    static const struct test_board board = {
        .page = 0x101000, .interrupt = 11, .kernels_interrupt = 0, .arm = arm, .disarm = disarm};
    return &board;
}
