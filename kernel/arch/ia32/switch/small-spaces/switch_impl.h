/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scheme `small-spaces` (Uhlig, Dannowski, Skoglund, Haeberlen and Heiser 2002, 3.1): several
 * spaces lie in one hardware address space, side by side. Segments keep them apart.
 *
 * A *large* space has the linear addresses below KERNEL_AREA, those that its programs use. A
 * *small* one has a *region* of the small-space area above, and segments with that base and limit,
 * so that its programs use the same low addresses as ever. Each space has its own directory. That
 * of a large space is loaded to run it; a small one runs under whichever is in force, as entries of
 * its own are copied into that at page faults. Its pages are global, so that its TLB entries
 * outlive a load of CR3. So:
 *
 * 1. What a segment register can reach is the running space's (relocated_segments_asm.h). That of a
 * large space ends below the small-space area.
 * 2. An entry of the small-space area, in any directory or TLB, is that of the space which has the
 * region now. When the space's directory changes there, all copies go, and the TLBs' entries,
 * global ones too.
 * 3. A page of a large space is not global, and its directory is not in force while it is small.
 *
 * A program that goes beyond its limit makes its space large (switch_limit_fault), once and for
 * all, and notices nothing but the time.
 */
#ifndef SWITCH_IMPL_H
#define SWITCH_IMPL_H

#include <stdbool.h>
#include <stdint.h>

struct space;

struct switch_state {
    uint32_t unready;       /* 1: has never run, so it is not decided what it is (switch_prepare) */
    uint32_t directory;     /* pa of its directory; 0: it is small */
    uint32_t descriptor[2]; /* of its data; that of code has another type */
    uint32_t base, size;    /* its linear addresses */
    uint32_t page_bits;     /* SWITCH_PAGE_BITS */
    bool has_copies;        /* its directory has had copies of others' entries: it is in the list */
    struct space *next_with_copies;
};

struct switch_hot {
    struct space *shown; /* whose directory is in force; NULL: the kernel's own */
};

/* Bits that the entry of each valid page of the space has (ptab_entry.h). */
#define SWITCH_PAGE_BITS(space) ((space)->scheme.page_bits)

#endif
