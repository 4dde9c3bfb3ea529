/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What tests need to know of the board: a timer that the kernel does not use, for interrupts. On
 * StrongARM boards match register 2 of the OS timer (SA-1110 Developer's Manual 9.4; the interrupt
 * controller's bit 26 + n is match register n), on the Versatile the second dual timer (SP804, DUI
 * 0225 4.9).
 */
#include "../../test.h"

#define REG(offset) (*(volatile L4_Word_t *)(uintptr_t)(test_board()->page + (offset)))

/* SA-1110 */
#define OSMR2     REG(0x08)
#define OSCR      REG(0x10)
#define OSSR      REG(0x14)
#define OIER      REG(0x1c)
#define MATCH_BIT 4u

/* SP804, timer 2 */
#define LOAD         REG(0x00)
#define CONTROL      REG(0x08)
#define INT_CLR      REG(0x0c)
#define CONTROL_ONCE 0xa3u /* on, with interrupt, 32 bits, stops at 0 */

/* The interrupt comes in about a millisecond. */
static void os_timer_arm(void) {
    OSMR2 = OSCR + 3686;
    OIER = OIER | MATCH_BIT;
}

static void os_timer_disarm(void) {
    OIER = OIER & ~MATCH_BIT;
    OSSR = MATCH_BIT;
}

static void sp804_arm(void) {
    CONTROL = 0;
    LOAD = 1000;
    CONTROL = CONTROL_ONCE;
}

static void sp804_disarm(void) {
    CONTROL = 0;
    INT_CLR = 0;
}

/* Eight words into entry 0 (SA-1110 DM 5.2.9). */
static void load_read_buffer(const volatile L4_Word32_t *from) {
    __asm__ volatile("mcr p15, 0, %0, c9, c8, 2" : : "r"(from) : "memory");
}

static const struct test_board boards[] = {
    {load_read_buffer, false, 0x90000000u, 28, 26, os_timer_arm, os_timer_disarm},
    {NULL, true, 0x101e3000u, 5, 4, sp804_arm, sp804_disarm},
};

const struct test_board *test_board(void) {
    const L4_KernelInterfacePage_t *kip = L4_GetKernelInterface();
    for (L4_Word_t i = 0; i < L4_NumMemoryDescriptors(kip); i++) {
        const L4_MemoryDesc_t *d = L4_MemoryDesc(kip, i);
        if (L4_MemoryDescType(d) == L4_DedicatedMemoryType &&
            boards[0].page - L4_MemoryDescLow(d) <= L4_MemoryDescHigh(d) - L4_MemoryDescLow(d)) {
            return &boards[0];
        }
    }
    return &boards[1];
}
