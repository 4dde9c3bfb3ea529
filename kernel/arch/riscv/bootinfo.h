/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the boot loader said.
 */
#ifndef BOOTINFO_H
#define BOOTINFO_H

#include "word.h"

/* `tree`: the device tree (pa), or anything. Returns the address for KIP.BootInfo, 0 when there is
 * no command line. Once, at boot. */
word_t bootinfo_init(word_t tree);

#endif
