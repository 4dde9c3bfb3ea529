/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Assabet: UART1 as console, OS timer, interrupt controller.
 *
 * SA-1110 Developer's Manual: 11.11 (UART), 9.4 (OS timer), 9.2 (interrupt controller).
 */
#include "board.h"

#include "kernel.h"
#include "layout.h"

#define REG(base, offset) (*(volatile uint32_t *)((base) + (offset)))

/* UART1 at 80010000 */
#define UART(offset) REG(UART_VA + 0x10000u, offset)
#define UTCR0        0x00
#define UTCR1        0x04
#define UTCR2        0x08
#define UTCR3        0x0c
#define UTDR         0x14
#define UTSR1        0x20
#define UTCR0_8N1    0x8
#define UTCR3_RXE    0x1
#define UTCR3_TXE    0x2
#define UTSR1_RNE    0x2
#define UTSR1_TNF    0x4

/* OS timer at 90000000 */
#define OST(offset) REG(SYSTEM_VA, offset)
#define OSMR0       0x00
#define OSMR1       0x04
#define OSCR        0x10
#define OSSR        0x14
#define OWER        0x18
#define OIER        0x1c
#define IRQ_OST0    26u
#define IRQ_OST1    27u

/* Interrupt controller at 90050000 */
#define INTC(offset) REG(SYSTEM_VA + 0x50000u, offset)
#define ICIP         0x00
#define ICMR         0x04
#define ICLR         0x08
#define ICCR         0x0c

void board_init(void) {
    UART(UTCR3) = 0;
    UART(UTCR0) = UTCR0_8N1;
    UART(UTCR1) = 0;
    UART(UTCR2) = 1; /* 3.6864 MHz / (16 * 2) = 115200 */
    UART(UTCR3) = UTCR3_RXE | UTCR3_TXE;

    INTC(ICMR) = 0;
    INTC(ICLR) = 0; /* all as IRQ, none as FIQ */
    INTC(ICCR) = 1; /* only unmasked interrupts leave idle mode */

    OST(OIER) = 0;
    OST(OSSR) = 0xf;
}

void board_putc(char c) {
    while ((UART(UTSR1) & UTSR1_TNF) == 0) {
    }
    UART(UTDR) = (uint8_t)c;
}

int board_getc(void) {
    return (UART(UTSR1) & UTSR1_RNE) != 0 ? (int)(UART(UTDR) & 0xff) : -1;
}

uint32_t board_timer_count(void) {
    return OST(OSCR);
}

static void match_at(uint32_t match, uint32_t count) {
    OST(OSMR0 + 4 * match) = count;
    OST(OSSR) = 1u << match;
    OST(OIER) |= 1u << match;
    /* Too late already? A match that has passed would come only after the counter wrapped. */
    if ((int32_t)(count - OST(OSCR)) <= 0) {
        OST(OSMR0 + 4 * match) = OST(OSCR) + 16;
    }
    INTC(ICMR) |= 1u << (IRQ_OST0 + match);
}

void board_timer_tick_at(uint32_t count) {
    match_at(0, count);
}

/*
 * QEMU's timer arms all four matches anew at a write to one, and forgets one that has just passed
 * and whose interrupt it has not raised yet: until the counter wraps there would be no tick.
 * On the SA-1110 a match that has passed shows in OSSR, and nothing happens here.
 */
void board_timer_alarm_at(uint32_t count) {
    match_at(1, count);
    if ((OST(OIER) & 1) != 0 && (int32_t)(OST(OSMR0) - OST(OSCR)) <= 0 && (OST(OSSR) & 1) == 0) {
        OST(OSMR0) = OST(OSCR) + 16;
    }
}

bool board_timer_is_tick(uint32_t interrupt) {
    return interrupt == IRQ_OST0;
}

bool board_timer_is_alarm(uint32_t interrupt) {
    return interrupt == IRQ_OST1;
}

void board_timer_acknowledge(uint32_t interrupt) {
    OST(OSSR) = 1u << (interrupt - IRQ_OST0);
}

int board_interrupt_pending(void) {
    uint32_t pending = INTC(ICIP);
    for (int i = 0; i < BOARD_INTERRUPTS; i++) {
        if ((pending >> i & 1) != 0) {
            return i;
        }
    }
    return -1;
}

void board_interrupt_mask(uint32_t interrupt) {
    INTC(ICMR) &= ~(1u << interrupt);
}

void board_interrupt_unmask(uint32_t interrupt) {
    INTC(ICMR) |= 1u << interrupt;
}

bool board_interrupt_available(uint32_t interrupt) {
    return interrupt < BOARD_INTERRUPTS && interrupt != IRQ_OST0 && interrupt != IRQ_OST1;
}

_Noreturn void board_exit(uint32_t status) {
    probe_write(PROBE_EXIT, status);
    for (;;) {
    }
}
