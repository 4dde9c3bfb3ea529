/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernel interface page says of memory that is only on this architecture. */
#ifndef KIP_MEMORY_H
#define KIP_MEMORY_H

#include "cpu.h"
#include "layout.h"

/* Virtual addresses that a program leaves alone: slots, which may be others' names (switch.h, 10).
 */
#define RESERVED_VA      CPU_PID_SLOT_SIZE
#define RESERVED_VA_SIZE (SWITCH_RELOCATES * (CPU_PID_SLOTS - 1) * CPU_PID_SLOT_SIZE)

/* The board's registers: `ADD` is called with address and size of each piece. */
#define KIP_DEVICES(ADD)                                                                           \
    ADD(UART_PA, 0x00100000)                                                                       \
    ADD(SYSTEM_PA, 0x00100000)

/* What is only known at boot. */
#define KIP_ADD_FOUND() ((void)0)

/* Absolute symbols made by embed.py. */
extern char boot_sigma0_ip[], boot_sigma0_low[], boot_sigma0_high[];
extern char boot_program_ip[], boot_program_low[], boot_program_high[];
#define BOOT_ADDRESS(name) ((L4_Word_t)boot_##name)

#endif
