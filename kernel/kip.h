/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel interface page.
 */
#ifndef KIP_H
#define KIP_H

#include "word.h"

#include <l4/kip.h>

/* Fills the page; after board and probe are known. `boot_info`: KIP.BootInfo (bootinfo.h). */
void kip_init(word_t boot_info);

/* The page as the kernel has it, and its frame. Programs see it read-only, at their own va. */
extern L4_KernelInterfacePage_t *const the_kip;
word_t kip_pa(void);

#endif
