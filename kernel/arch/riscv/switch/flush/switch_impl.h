/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scheme `flush`: every change of space writes satp and empties the TLBs of all but the kernel's
 * pages. It is what a processor without address-space identifiers needs (those of SiFive's U74 have
 * 0 bits).
 *
 * Each space has its own root, with the kernel's entries. No page of a program is global, so
 * nothing of another space is ever in a TLB, and caches are physically tagged: there is nothing
 * else to do.
 */
#ifndef SWITCH_IMPL_H
#define SWITCH_IMPL_H

#include "word.h"

struct switch_state {
    word_t satp;
};

struct switch_hot {
    uint32_t unused;
};

#endif
