/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a scheme with small spaces (small.h) keeps of each space and in the hot words.
 */
#ifndef SMALL_STATE_H
#define SMALL_STATE_H

#include <stdbool.h>
#include <stdint.h>

struct space;

struct switch_state {
    uint32_t unready;              /* 1: switch_prepare has something to do, as at first */
    uint32_t directory;            /* pa of the one that must be in force; 0: any will do */
    uint32_t descriptor[2];        /* of its data; that of code has another type */
    uint32_t credit;               /* for the scheme: counted down by each load of CR3 to run it */
    uint32_t io_map;               /* switch_segments.h */
    uint32_t base, size;           /* its linear addresses */
    uint32_t page_bits;            /* SWITCH_PAGE_BITS */
    bool has_run;                  /* or it has been decided what it is */
    const struct small_area *area; /* whose region it has; NULL: it is large */
    /* The scheme's own: from where it was switched to at its last review, how often in a row, and
     * how many others there have been. */
    const struct small_area *last_from;
    uint32_t times, strangers;
};

struct switch_hot {
    uint32_t shown; /* pa of the directory in force */
};

/* Bits that the entry of each valid page of the space has (ptab_entry.h). */
#define SWITCH_PAGE_BITS(space) ((space)->scheme.page_bits)

#endif
