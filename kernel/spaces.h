/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Address spaces: a page directory, page tables, and two areas that belong to the kernel (KIP and
 * UTCBs) and that no map item can touch.
 */
#ifndef SPACES_H
#define SPACES_H

#include "kernel.h"

#include <l4/types.h>

struct tcb;

/* What a page fault looks at comes first, at places that fault_path.S knows. */
struct space {
    union {
        struct switch_state scheme;
        uint32_t room[20];
    };
    uint32_t *directory;    /* by its uncached address; hardware form, domain 0 */
    uint32_t table_section; /* index there of the page table that was looked at last; or ~0 */
    uint32_t *table;        /* and that table (ptab_entry.h) */
    bool is_sigma0;         /* owns every frame that is not the kernel's, at va = pa */
    bool privileged;        /* may call ThreadControl, SpaceControl: sigma0 and the root task */
    bool areas_fixed;       /* KIP and UTCBs have been mapped there */
    struct {
        uint32_t base, size;
    } reserved[2];       /* the two areas, once more, in words that are compared quickly */
    L4_Fpage_t kip_area; /* nil until SpaceControl sets it */
    L4_Fpage_t utcb_area;
    struct tcb *threads; /* ring, linked by space_next */
    uint32_t thread_count;
    uint32_t redirector; /* thread id, 0 = none */
    uint32_t entries;    /* of the directory that are not 0 (ptab.c) */
    uint32_t unused[4];
} __attribute__((aligned(32)));

/* Each switch reads a space's first line: an odd number of lines spreads those over all sets. */
_Static_assert(sizeof(struct space) % 64 == 32, "spaces take an odd number of cache lines");

extern struct space *sigma0_space;
extern struct space *root_space;

struct space *space_create(void);
static inline bool space_in_area(L4_Fpage_t area, uint32_t va) {
    return !L4_IsNilFpage(area) && va - L4_Address(area) < L4_Size(area);
}

/* Is the page one that map items may not touch: the kernel's, the KIP's or a UTCB's? */
static inline bool space_is_reserved(const struct space *space, uint32_t va) {
    return va >= KERNEL_AREA || va - space->reserved[0].base < space->reserved[0].size ||
           va - space->reserved[1].base < space->reserved[1].size;
}

/* Is one of these in [va, va + size)? */
bool space_overlaps_reserved(const struct space *space, uint32_t va, uint32_t size);

#endif
