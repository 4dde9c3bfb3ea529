/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `virt`: the serial port as console, the core-local interruptor's timer, the interrupt
 * controller's context of supervisor mode, the test finisher.
 *
 * NS16550A; RISC-V ACLINT 1.0 for mtime; RISC-V PLIC 1.0.0. A source's interrupt is claimed when it
 * is masked and completed when it is unmasked, so that it comes once between the two.
 */
#include "board.h"

#include "kernel.h"
#include "layout.h"
#include "machine.h"

#define REG(base, offset) (*(volatile uint32_t *)(PHYSICAL_VA + (base) + (offset)))

#define UART(offset) (*(volatile uint8_t *)(PHYSICAL_VA + UART_PA + (offset)))
#define UART_DATA    0 /* received, to be sent; with LCR_DLAB the divisor's lower half */
#define UART_IER     1 /* interrupts that are wanted; with LCR_DLAB the upper half */
#define UART_FCR     2
#define UART_LCR     3
#define UART_LSR     5
#define LCR_8N1      0x03
#define LCR_DLAB     0x80
#define FCR_ON       0x07 /* FIFOs, emptied */
#define LSR_RECEIVED 0x01
#define LSR_CAN_SEND 0x20
#define UART_DIVISOR 2 /* 3686400 Hz / (16 * 115200) */

#define PLIC(offset)     REG(PLIC_PA, offset)
#define PLIC_PRIORITY(n) PLIC(4 * (n))
#define PLIC_PENDING(w)  PLIC(0x1000 + 4 * (w))
#define PLIC_ENABLE(w)   PLIC(0x2080 + 4 * (w)) /* of context 1: supervisor mode of hart 0 */
#define PLIC_THRESHOLD   PLIC(0x201000)
#define PLIC_CLAIM       PLIC(0x201004)
#define PLIC_WORDS       (BOARD_INTERRUPTS / 32)

#define IRQ_TIMER 0u

#define FINISH_GOOD 0x5555u
#define FINISH_BAD  0x3333u /* with a status in the upper half */

/* When the kernel wants to be interrupted; the one comparator serves both. */
static uint32_t tick_at, alarm_at;
static bool alarm_set;

/* Sources that were claimed and are still to be completed. */
static uint32_t claimed[PLIC_WORDS];

void board_init(void) {
    UART(UART_IER) = 0;
    UART(UART_LCR) = LCR_DLAB;
    UART(UART_DATA) = UART_DIVISOR;
    UART(UART_IER) = 0;
    UART(UART_LCR) = LCR_8N1;
    UART(UART_FCR) = FCR_ON;

    for (uint32_t n = 1; n < BOARD_INTERRUPTS; n++) {
        PLIC_PRIORITY(n) = 1; /* all alike: the lowest number is claimed first */
    }
    for (uint32_t w = 0; w < PLIC_WORDS; w++) {
        PLIC_ENABLE(w) = 0;
    }
    PLIC_THRESHOLD = 0;
}

void board_putc(char c) {
    while ((UART(UART_LSR) & LSR_CAN_SEND) == 0) {
    }
    UART(UART_DATA) = (uint8_t)c;
}

int board_getc(void) {
    return (UART(UART_LSR) & LSR_RECEIVED) != 0 ? UART(UART_DATA) : -1;
}

static uint64_t mtime(void) {
    return *(volatile uint64_t *)(PHYSICAL_VA + MTIME_PA);
}

uint32_t board_timer_count(void) {
    return (uint32_t)mtime();
}

/* The next interrupt is the earlier of the two; what has passed already comes at once. */
static void set_match(void) {
    uint64_t now = mtime();
    int32_t ahead = (int32_t)(tick_at - (uint32_t)now);
    if (alarm_set && (int32_t)(alarm_at - (uint32_t)now) < ahead) {
        ahead = (int32_t)(alarm_at - (uint32_t)now);
    }
    machine_set_timer(now + (uint64_t)(ahead > 0 ? ahead : 0));
}

void board_timer_tick_at(uint32_t count) {
    tick_at = count;
    set_match();
}

void board_timer_alarm_at(uint32_t count) {
    alarm_at = count;
    alarm_set = true;
    set_match();
}

bool board_timer_is_tick(uint32_t interrupt) {
    return interrupt == IRQ_TIMER && (int32_t)(tick_at - board_timer_count()) <= 0;
}

/* Also when it is neither's time yet: then nothing but the match is set again. */
bool board_timer_is_alarm(uint32_t interrupt) {
    return interrupt == IRQ_TIMER;
}

void board_timer_acknowledge(uint32_t interrupt) {
    (void)interrupt;
    if (alarm_set && (int32_t)(alarm_at - board_timer_count()) <= 0) {
        alarm_set = false;
    }
    set_match();
}

int board_interrupt_pending(void) {
    word_t pending;
    __asm__ volatile("csrr %0, sip" : "=r"(pending));
    if ((pending & SIP_TIMER) != 0) {
        return IRQ_TIMER;
    }
    for (uint32_t w = 0; (pending & SIP_EXTERNAL) != 0 && w < PLIC_WORDS; w++) {
        uint32_t sources = PLIC_PENDING(w) & PLIC_ENABLE(w);
        if (sources != 0) {
            return (int)(w * 32) + __builtin_ctz(sources);
        }
    }
    return -1;
}

void board_interrupt_mask(uint32_t interrupt) {
    uint32_t bit = 1u << (interrupt % 32);
    if ((PLIC_PENDING(interrupt / 32) & PLIC_ENABLE(interrupt / 32) & bit) != 0) {
        uint32_t n = PLIC_CLAIM; /* the lowest that is pending: this one, in irq_handle */
        claimed[n / 32] |= 1u << (n % 32);
    }
    PLIC_ENABLE(interrupt / 32) &= ~bit;
}

void board_interrupt_unmask(uint32_t interrupt) {
    uint32_t bit = 1u << (interrupt % 32);
    PLIC_ENABLE(interrupt / 32) |= bit;
    if ((claimed[interrupt / 32] & bit) != 0) {
        claimed[interrupt / 32] &= ~bit;
        PLIC_CLAIM = interrupt;
    }
}

bool board_interrupt_available(uint32_t interrupt) {
    return interrupt < BOARD_INTERRUPTS && interrupt != IRQ_TIMER;
}

_Noreturn void board_exit(uint32_t status) {
    probe_write(PROBE_EXIT, status);
    REG(FINISHER_PA, 0) = status == 0 ? FINISH_GOOD : FINISH_BAD | status << 16;
    for (;;) {
    }
}
