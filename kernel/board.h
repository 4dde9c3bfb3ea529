/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the kernel wants of a board: a console, one timer, an interrupt controller.
 *
 * Each board folder implements it in board.c. Interrupts are numbered as the controller does.
 */
#ifndef BOARD_H
#define BOARD_H

#include <stdbool.h>
#include <stdint.h>

#include "board_layout.h" /* BOARD_INTERRUPTS, BOARD_TIMER_US and _COUNTS */

void board_init(void);

void board_putc(char c);
/* The next character, or -1 when there is none. */
int board_getc(void);

/* The free-running counter after both timer functions: 32 bits, wraps. It counts
 * BOARD_TIMER_COUNTS in BOARD_TIMER_US microseconds. */
uint32_t board_timer_count(void);
/* Interrupt once when the counter reaches `count`. */
void board_timer_tick_at(uint32_t count);
/* A second match, for timeouts; the later call replaces the earlier. */
void board_timer_alarm_at(uint32_t count);
/* Whose interrupt is it? One that is both's is the tick's first. */
bool board_timer_is_tick(uint32_t interrupt);
bool board_timer_is_alarm(uint32_t interrupt);
void board_timer_acknowledge(uint32_t interrupt);

/* Lowest pending unmasked interrupt, or -1. It stays pending until it is masked: string copies only
 * ask whether there is one (xfer.c). */
int board_interrupt_pending(void);
void board_interrupt_mask(uint32_t interrupt);
void board_interrupt_unmask(uint32_t interrupt);
/* False for numbers that the board uses itself or that do not exist. */
bool board_interrupt_available(uint32_t interrupt);

/* Ends the run where the machine can: status 0 is good. Does not return. */
_Noreturn void board_exit(uint32_t status);

#endif
