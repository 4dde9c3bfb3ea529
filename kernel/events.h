/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events: what slow paths count, for the probe, where there is one, and for programs (jump target
 * FFFFFFB8, whose numbers are one more: L4_STAT_*). Experiments know them by number
 * (kernel_sources_test.py compares).
 */
#ifndef EVENTS_H
#define EVENTS_H

#include <stdint.h>

#include "kernel.h"

enum event {
    EVENT_CACHE_FLUSH = 1, /* clean and invalidate of everything */
    EVENT_TLB_FLUSH = 2,
    EVENT_DOMAIN_RECYCLED = 3, /* a domain taken from a space that had it */
    EVENT_CLEAN_RECYCLED = 4,  /* ... that was clean; counted as 3 as well */
    EVENT_COLLISION = 5,       /* a directory entry of another space replaced */
    EVENT_CPD_LOADED = 6,      /* a directory entry loaded on demand */
    EVENT_DOMAIN_ALLOC = 7,
    EVENT_SYNONYM_MOVED = 8,  /* cache lines of a page change to another of its addresses */
    EVENT_SECTION_SHARED = 9, /* a space takes part in another's directory entry */
    EVENT_PAGE_SPLIT = 10,    /* a large page becomes PARTS smaller ones */
    EVENT_BYPASS = 11,        /* a space is switched to as `flush` does from now on */
    EVENT_BYPASS_END = 12,    /* ... and is not any more */
    EVENT_SMALL = 13,         /* a space gets a region of the small-space area */
    EVENT_LARGE = 14,         /* ... and loses it */
    EVENT_GROUPED = 15,       /* ... goes to another group (small-spaces-groups) */
    EVENT_GLOBAL = 16,        /* ... or is shown by every directory from now on */
    EVENTS,
    EVENT_SEGMENT_FLIPPED = EVENTS /* a thread's own segment (told the probe, not counted here) */
};

extern uint32_t event_counts[EVENTS];

static inline void count_event(enum event event) {
    event_counts[event]++;
    probe_write(PROBE_EVENT, event);
}

#endif
