/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Versatile: UART0 as console, two counters of the first dual timer, both interrupt controllers.
 *
 * PL011 (DDI 0183, 3.3), SP804 (DDI 0271, 3.3), PL190 (DDI 0181, 3.3), the secondary controller and
 * the sources (DUI 0225, 4.9 and 4.10). The second dual timer is left to programs.
 */
#include "board.h"

#include "kernel.h"
#include "layout.h"

#define REG(base, offset) (*(volatile uint32_t *)((base) + (offset)))

/* UART0 at 101F1000, clocked with 24 MHz */
#define UART(offset)  REG(UART_VA + 0xf1000u, offset)
#define UARTDR        0x00
#define UARTFR        0x18
#define UARTIBRD      0x24
#define UARTFBRD      0x28
#define UARTLCR_H     0x2c
#define UARTCR        0x30
#define UARTFR_RXFE   0x10
#define UARTFR_TXFF   0x20
#define UARTLCR_H_8N1 0x70 /* with FIFOs */
#define UARTCR_ON     0x301

/* Timers 0 and 1 at 101E2000, which share an interrupt. They count down. */
#define TIMER(n, offset) REG(UART_VA + 0xe2000u + 0x20 * (n), offset)
#define FREE             0
#define MATCH            1
#define TIMER_LOAD       0x00
#define TIMER_VALUE      0x04
#define TIMER_CONTROL    0x08
#define TIMER_INT_CLR    0x0c
#define CONTROL_FREE     0x82 /* enabled, 32 bits, wraps */
#define CONTROL_ONCE     0xa3 /* likewise, with an interrupt, stops at 0 */
#define IRQ_TIMER        4u

/* Vectored interrupt controller at 10140000, of which no vectors are used */
#define VIC(offset)      REG(UART_VA + 0x40000u, offset)
#define VIC_IRQ_STATUS   0x00
#define VIC_INT_SELECT   0x0c
#define VIC_INT_ENABLE   0x10
#define VIC_INT_EN_CLEAR 0x14
#define VIC_SOFT_CLEAR   0x1c

/* Secondary controller at 10003000, whose output is source 31 of the first */
#define SIC(offset)      REG(SYSTEM_VA + 0x3000u, offset)
#define SIC_STATUS       0x00
#define SIC_ENABLE_SET   0x08
#define SIC_ENABLE_CLEAR 0x0c
#define SIC_PASS_CLEAR   0x24
#define SIC_FIRST        32u
#define IRQ_SIC          31u

/* When the kernel wants to be interrupted; the one counter serves both. */
static uint32_t tick_at, alarm_at;
static bool alarm_set;

void board_init(void) {
    UART(UARTCR) = 0;
    UART(UARTIBRD) = 13; /* 24 MHz / (16 * 115200) = 13 + 1/64 */
    UART(UARTFBRD) = 1;
    UART(UARTLCR_H) = UARTLCR_H_8N1;
    UART(UARTCR) = UARTCR_ON;

    VIC(VIC_INT_EN_CLEAR) = ~0u;
    VIC(VIC_SOFT_CLEAR) = ~0u;
    VIC(VIC_INT_SELECT) = 0; /* all as IRQ */
    SIC(SIC_ENABLE_CLEAR) = ~0u;
    SIC(SIC_PASS_CLEAR) = ~0u;
    TIMER(MATCH, TIMER_CONTROL) = 0;
    TIMER(MATCH, TIMER_INT_CLR) = 0;
    TIMER(FREE, TIMER_CONTROL) = 0;
    TIMER(FREE, TIMER_LOAD) = ~0u;
    TIMER(FREE, TIMER_CONTROL) = CONTROL_FREE;

    /* The timer's once and for all: who masks it (bench/l4/overheads.c) is not interrupted. */
    VIC(VIC_INT_ENABLE) = 1u << IRQ_SIC | 1u << IRQ_TIMER;
}

void board_putc(char c) {
    while ((UART(UARTFR) & UARTFR_TXFF) != 0) {
    }
    UART(UARTDR) = (uint8_t)c;
}

int board_getc(void) {
    return (UART(UARTFR) & UARTFR_RXFE) == 0 ? (int)(UART(UARTDR) & 0xff) : -1;
}

uint32_t board_timer_count(void) {
    return ~TIMER(FREE, TIMER_VALUE);
}

/* The next interrupt is the earlier of the two; what has passed already comes at once. */
static void start_match(void) {
    uint32_t now = board_timer_count();
    int32_t ahead = (int32_t)(tick_at - now);
    if (alarm_set && (int32_t)(alarm_at - now) < ahead) {
        ahead = (int32_t)(alarm_at - now);
    }
    TIMER(MATCH, TIMER_CONTROL) = 0;
    TIMER(MATCH, TIMER_INT_CLR) = 0;
    TIMER(MATCH, TIMER_LOAD) = ahead > 0 ? (uint32_t)ahead : 1;
    TIMER(MATCH, TIMER_CONTROL) = CONTROL_ONCE;
}

void board_timer_tick_at(uint32_t count) {
    tick_at = count;
    start_match();
}

void board_timer_alarm_at(uint32_t count) {
    alarm_at = count;
    alarm_set = true;
    start_match();
}

bool board_timer_is_tick(uint32_t interrupt) {
    return interrupt == IRQ_TIMER && (int32_t)(tick_at - board_timer_count()) <= 0;
}

/* Also when it is neither's time yet: then nothing but the match starts again. */
bool board_timer_is_alarm(uint32_t interrupt) {
    return interrupt == IRQ_TIMER;
}

void board_timer_acknowledge(uint32_t interrupt) {
    (void)interrupt;
    if (alarm_set && (int32_t)(alarm_at - board_timer_count()) <= 0) {
        alarm_set = false;
    }
    start_match();
}

static int lowest_bit(uint32_t word) {
    int n = 0;
    while ((word >> n & 1) == 0) {
        n++;
    }
    return n;
}

int board_interrupt_pending(void) {
    uint32_t pending = VIC(VIC_IRQ_STATUS);
    if ((pending & ~(1u << IRQ_SIC)) != 0) {
        return lowest_bit(pending);
    }
    pending = pending == 0 ? 0 : SIC(SIC_STATUS);
    return pending == 0 ? -1 : (int)SIC_FIRST + lowest_bit(pending);
}

void board_interrupt_mask(uint32_t interrupt) {
    if (interrupt < SIC_FIRST) {
        VIC(VIC_INT_EN_CLEAR) = 1u << interrupt;
    } else {
        SIC(SIC_ENABLE_CLEAR) = 1u << (interrupt - SIC_FIRST);
    }
}

void board_interrupt_unmask(uint32_t interrupt) {
    if (interrupt < SIC_FIRST) {
        VIC(VIC_INT_ENABLE) = 1u << interrupt;
    } else {
        SIC(SIC_ENABLE_SET) = 1u << (interrupt - SIC_FIRST);
    }
}

bool board_interrupt_available(uint32_t interrupt) {
    return interrupt < BOARD_INTERRUPTS && interrupt != IRQ_TIMER && interrupt != IRQ_SIC;
}

_Noreturn void board_exit(uint32_t status) {
    probe_write(PROBE_EXIT, status);
    for (;;) {
    }
}
