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

#define NO_SECTION (~(word_t)0)

/* What a page fault looks at comes first, at places that fault_path.S knows. */
struct space {
    union {
        struct switch_state scheme;
        word_t room[20];
    };
    word_t *directory;    /* by its uncached address; hardware form, domain 0 */
    word_t table_section; /* index there of the page table that was looked at last; or NO_SECTION */
    word_t *table;        /* and that table (ptab_entry.h) */
    bool is_sigma0;       /* owns every frame that is not the kernel's, at va = pa */
    bool privileged;      /* may call ThreadControl, SpaceControl: sigma0 and the root task */
    bool areas_fixed;     /* KIP and UTCBs have been mapped there */
    struct {
        word_t base, size;
    } reserved[2];       /* the two areas, once more, in words that are compared quickly */
    L4_Fpage_t kip_area; /* nil until SpaceControl sets it */
    L4_Fpage_t utcb_area;
    struct tcb *threads; /* ring, linked by space_next */
    word_t thread_count;
    word_t redirector; /* thread id, 0 = none */
    word_t entries;    /* of the directory that are not 0 (ptab.c) */
    word_t unused[4];
} __attribute__((aligned(8 * sizeof(word_t))));

/* Each switch reads a space's first line: an odd number of lines spreads those over all sets. */
_Static_assert(sizeof(struct space) / sizeof(word_t) % 16 == 8,
               "spaces take an odd number of cache lines");

extern struct space *sigma0_space;
extern struct space *root_space;

struct space *space_create(void);

/* Nobody has it any more, and all that it had is gone. */
void space_free(struct space *space);

static inline bool space_in_area(L4_Fpage_t area, word_t va) {
    return !L4_IsNilFpage(area) && va - L4_Address(area) < L4_Size(area);
}

/* Is the page one that map items may not touch: the kernel's, the KIP's or a UTCB's? */
static inline bool space_is_reserved(const struct space *space, word_t va) {
    return va >= KERNEL_AREA || va - space->reserved[0].base < space->reserved[0].size ||
           va - space->reserved[1].base < space->reserved[1].size;
}

/* Likewise of a frame that sigma0 gives. */
static inline bool space_is_reserved_frame(const struct space *space, word_t pa) {
    return pa >= FRAMES_END || pa - space->reserved[0].base < space->reserved[0].size ||
           pa - space->reserved[1].base < space->reserved[1].size;
}

/* Is one of these in [va, va + size)? */
bool space_overlaps_reserved(const struct space *space, word_t va, word_t size);

#endif
