/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Output: UART1, or the probe where it exists (a quarter of a megabyte takes the UART 20 simulated
 * seconds). Both lie in mapped, uncached sections (memory.c); the probe's ID reads as 0 on a
 * machine that ignores accesses to nothing, as collie in QEMU does.
 */
#include "guest.h"
#include "probe.h"

#define UART1 0x80010000u
#define UTCR1 0x04u
#define UTCR2 0x08u
#define UTCR3 0x0cu
#define UTDR  0x14u
#define UTSR1 0x20u
#define TXE   2u
#define TNF   4u
#define TBY   1u

static int has_probe;

static volatile u32 *reg(u32 base, u32 offset) {
    return (volatile u32 *)(uintptr_t)(base + offset);
}

void console_init(void) {
    *reg(UART1, UTCR3) = 0;
    *reg(UART1, UTCR1) = 0;
    *reg(UART1, UTCR2) = 1; /* 115200 baud */
    *reg(UART1, UTCR3) = TXE;
    has_probe = *reg(PROBE_BASE_PA, PROBE_ID) == PROBE_ID_VALUE;
}

static void put(char c) {
    if (has_probe) {
        *reg(PROBE_BASE_PA, PROBE_PUTC) = (u32)c;
        return;
    }
    while (!(*reg(UART1, UTSR1) & TNF)) {
    }
    *reg(UART1, UTDR) = (u32)c;
}

void text(const char *string) {
    while (*string) {
        put(*string++);
    }
}

void hex(u32 value, unsigned digits) {
    while (digits--) {
        put("0123456789abcdef"[value >> (4 * digits) & 15]);
    }
}

void finish(void) {
    text("END status=0\n");
    if (has_probe) {
        *reg(PROBE_BASE_PA, PROBE_EXIT) = 0;
    }
    for (;;) {
    }
}
