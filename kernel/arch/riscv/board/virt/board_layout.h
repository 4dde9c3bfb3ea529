/* SPDX-License-Identifier: Apache-2.0 */
/*
 * QEMU's `virt`: physical addresses, interrupts, clocks (hw/riscv/virt.c; the device tree that the
 * machine makes says the same).
 */
#ifndef BOARD_LAYOUT_H
#define BOARD_LAYOUT_H

#define SDRAM_PA    0x80000000
#define SDRAM_SIZE  0x04000000
#define FINISHER_PA 0x00100000
#define RTC_PA      0x00101000
#define CLINT_PA    0x02000000
#define PLIC_PA     0x0c000000
#define UART_PA     0x10000000
#define VIRTIO_PA   0x10001000 /* eight slots */
#define PROBE_PA    0x50000000

/* Sources of the interrupt controller; 0 is none of them, and the timer's number here. */
#define BOARD_INTERRUPTS 96

/* mtime: 10 MHz. */
#define BOARD_TIMER_US     1
#define BOARD_TIMER_COUNTS 10

/* What the VisionFive 2's core has at most; QEMU has no clock. */
#define BOARD_INTERNAL_KHZ 1500000
#define BOARD_EXTERNAL_KHZ 10000

/* The comparator of the one timer, whose interrupt is machine mode's (machine.S). */
#define MTIMECMP_PA (CLINT_PA + 0x4000)
#define MTIME_PA    (CLINT_PA + 0xbff8)

#endif
