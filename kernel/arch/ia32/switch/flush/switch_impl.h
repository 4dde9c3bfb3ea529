/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scheme `flush`: every change of space loads CR3, which empties the TLBs of all but the kernel's
 * pages, and with them the trace cache.
 *
 * Each space has its own directory, with the kernel's entries copied in. No page of a program is
 * global, so nothing of another space is ever in a TLB, and caches are physically tagged: there is
 * nothing else to do.
 */
#ifndef SWITCH_IMPL_H
#define SWITCH_IMPL_H

#include <stdint.h>

struct switch_state {
    uint32_t directory; /* its pa */
    uint32_t io_map;    /* switch_segments.h */
};

struct switch_hot {
    uint32_t unused;
};

/* Bits that the entry of each valid page of the space has (ptab_entry.h). */
#define SWITCH_PAGE_BITS(space) 0u

#endif
