/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scheme `single-space`: one address space for all programs, unprotected, with section mappings; a
 * switch changes nothing (the way of uClinux: Choi and Yun, 2005). The bound that protection costs
 * are measured against.
 *
 * All of RAM that is not the kernel's, and the devices, are mapped 1:1 by sections that every
 * program may read and write, from the start and for good. So there are no page faults there, a
 * frame has one mva, and caches and TLBs are right whoever runs. Programs have to be loaded at
 * addresses of their own (user/common/task.c relocates them). What the kernel itself places in a
 * space, its KIP and UTCBs, is at an address that whoever makes the space chooses; no two spaces
 * may have these areas in the same megabyte.
 *
 * Map items and unmapping change who has what on the kernel's books, and nothing else.
 */
#ifndef SWITCH_IMPL_H
#define SWITCH_IMPL_H

#include <stdint.h>

struct switch_state {
    uint32_t unused;
};

struct switch_hot {
    uint32_t unused;
};

#endif
