/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the boot loader said.
 */
#ifndef BOOTINFO_H
#define BOOTINFO_H

#include <stdint.h>

/* `info`: the Multiboot information (pa). Returns the address for KIP.BootInfo, 0 when there is no
 * command line. Once, at boot: memory at its physical address goes out of the kernel's reach. */
uint32_t bootinfo_init(uint32_t info);

/* What it is made of: all but the frame buffer, of which the kernel interface page tells
 * (screen.c); and that where there are no modules (modules.c), or no information: `info` is 0 then.
 */
uint32_t bootinfo_init_modules(uint32_t info);
uint32_t bootinfo_init_line(uint32_t info);

#endif
