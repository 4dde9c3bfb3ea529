/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the guest share: registers, a console, the interrupt handler. */
#ifndef GUEST_H
#define GUEST_H

#include <stdint.h>

#define SYSREG 0x10000000u
#define SBCON  0x10002000u
#define SIC    0x10003000u
#define MMCI0  0x10005000u
#define UART3  0x10009000u
#define VIC    0x10140000u
#define TIMER0 0x101e2000u
#define TIMER2 0x101e3000u
#define GPIO0  0x101e4000u
#define RTC    0x101e8000u
#define UART0  0x101f1000u
#define UART1  0x101f2000u

static inline uint32_t get(uint32_t base, uint32_t offset) {
    return *(volatile uint32_t *)(uintptr_t)(base + offset);
}

static inline void put(uint32_t base, uint32_t offset, uint32_t value) {
    *(volatile uint32_t *)(uintptr_t)(base + offset) = value;
}

/* A line of the output: what was looked at, and the value. */
void show(const char *what, uint32_t value);
/* Lines of the output for the registers `count` from `offset`. */
void show_words(const char *what, uint32_t base, uint32_t offset, unsigned int count);
/* Waits until the register has the bits; 1 if it got them before patience ended. */
uint32_t wait_for(uint32_t base, uint32_t offset, uint32_t bits);

/* Called by IRQ with what VICVECTADDR read; set by a part before it lets interrupts in. */
extern void (*volatile on_irq)(uint32_t address);

void let_interrupts_in(void);
void hold_interrupts_off(void);
void wait_for_interrupt(void);

void run(void);
void handle_irq(void);
void test_timers(void);
void test_interrupts(void);
void test_serial(void);
void test_board(void);
void test_reset(void);
void test_card(void);

#endif
