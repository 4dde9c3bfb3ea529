/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scheme `single-space`: one address space for all programs, unprotected, in pages of 2 MB; a
 * switch changes nothing. The bound that protection costs are measured against.
 *
 * All of RAM that is not the kernel's, and the devices, are mapped 1:1 for every program to read,
 * write and execute, from the start and for good. So there are no page faults there, and TLBs are
 * right whoever runs. Programs have to be loaded at addresses of their own (user/common/task.c
 * relocates them). What the kernel itself places in a space, its KIP and UTCBs, is at an address
 * below 4 GB that whoever makes the space chooses; no two spaces may have these areas in the same
 * 2 MB.
 *
 * Map items and unmapping change who has what on the kernel's books, and nothing else.
 */
#ifndef SWITCH_IMPL_H
#define SWITCH_IMPL_H

#include "word.h"

struct switch_state {
    uint32_t unused;
};

struct switch_hot {
    uint32_t unused;
};

#endif
