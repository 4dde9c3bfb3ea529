/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Assabet (and collie, which has the same processor): physical addresses.
 *
 * SA-1110 Developer's Manual, chapter 2.4 (memory map) and the register lists of chapters 9 and 11.
 */
#ifndef BOARD_LAYOUT_H
#define BOARD_LAYOUT_H

#define SDRAM_PA   0xc0000000
#define SDRAM_SIZE 0x02000000
#define ZEROS_PA   0xe0000000
#define UART_PA    0x80000000
#define SYSTEM_PA  0x90000000
#define PROBE_PA   0x50000000

#define BOARD_INTERRUPTS 32

/* The OS timer counts at 3.6864 MHz: 625 microseconds are 2304 counts. */
#define BOARD_TIMER_US     625
#define BOARD_TIMER_COUNTS 2304

/* What the loader has set: the core's clock, and the memory's, which is half of it (chapter 9.5).
 */
#define BOARD_INTERNAL_KHZ 200000
#define BOARD_EXTERNAL_KHZ 100000

#endif
