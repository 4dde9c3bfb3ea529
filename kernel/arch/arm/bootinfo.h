/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the boot loader said.
 */
#ifndef BOOTINFO_H
#define BOOTINFO_H

#include <stdint.h>

/* `tags`: the loader's list of tags (pa), or anything. Returns the address for KIP.BootInfo, 0 when
 * there is no command line. Once, at boot. */
uint32_t bootinfo_init(uint32_t tags);

#endif
