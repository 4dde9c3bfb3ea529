/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Versatile Platform Baseboard (ARM926EJ-S): physical addresses, interrupts, clocks.
 *
 * Versatile/PB926EJ-S User Guide (DUI 0225), 4.1 (memory map), 4.9 and 4.10 (interrupt sources).
 */
#ifndef BOARD_LAYOUT_H
#define BOARD_LAYOUT_H

#define SDRAM_PA   0x00000000
#define SDRAM_SIZE 0x02000000
#define UART_PA    0x10100000 /* and the first interrupt controller, and the timers */
#define SYSTEM_PA  0x10000000 /* system registers, the second interrupt controller */
#define PROBE_PA   0x50000000

/* 0 to 31 are sources of the first controller, 32 on of the second. */
#define BOARD_INTERRUPTS 64

/* TIMCLK, one count a microsecond. */
#define BOARD_TIMER_US     1
#define BOARD_TIMER_COUNTS 1

/* Core and bus clock of the development chip after reset. */
#define BOARD_INTERNAL_KHZ 210000
#define BOARD_EXTERNAL_KHZ 70000

#endif
