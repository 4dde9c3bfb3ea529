/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A small PC (docs/machine-p4.md, "The board"): physical addresses. Its registers are at ports,
 * which board.c names.
 */
#ifndef BOARD_LAYOUT_H
#define BOARD_LAYOUT_H

#define SDRAM_PA   0x00000000
#define SDRAM_SIZE 0x04000000
#define PROBE_PA   0x50000000

#define BOARD_INTERRUPTS 16

/* The time-stamp counter, as microseconds (board.c). */
#define BOARD_TIMER_US     1
#define BOARD_TIMER_COUNTS 1

/* The paper's machine: clock of the core and of the bus. */
#define BOARD_INTERNAL_KHZ 1400000
#define BOARD_EXTERNAL_KHZ 100000

#ifndef __ASSEMBLER__
#include <stdbool.h>
#include <stdint.h>
/* From entry.S: the controllers have handed this interrupt to the processor, and know no more of
 * it. */
void board_interrupt_taken(uint32_t interrupt);

/* Is the port of a device that the kernel needs for itself? Programs never get it. */
bool board_keeps_port(uint32_t port);
#endif

#endif
