/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scheme `fass-shared`: fast address-space switching as in ../fass (Wiggins et al. 2003, sections
 * 2.3 and 3.1), with shared domains (section 3.2): pages that several spaces map at the same
 * address share their CPD entry, domain and TLB entries.
 *
 * Of a section (1 MB) that looks the same in several spaces the domain is the section's own, and
 * the DACR of each of them opens it as well; the switch is the same, and so is all of
 * ../common/cpd.
 */
#ifndef SWITCH_IMPL_H
#define SWITCH_IMPL_H

#include <stdbool.h>
#include <stdint.h>

struct space;
struct switch_state;

struct sharing {
    uint32_t domains;          /* of the sections that it shares */
    struct switch_state *next; /* of all spaces */
};

#include "cpd_state.h"

static inline uint32_t sharing_domains(const struct switch_state *s) {
    return s->sharing.domains;
}

struct shared_sections {
    uint32_t domains;  /* of all that there are */
    uint32_t writable; /* of those with a page that some program may write, cached */
};

extern struct shared_sections shared_sections;

static inline uint32_t sharing_sections(void) {
    return shared_sections.domains;
}

static inline uint32_t sharing_writable(void) {
    return shared_sections.writable;
}

/* Takes the domain of a section back that is of no use to anybody now. False: there is none. */
bool sharing_recycle_idle(void);

/* The entry of this domain has been removed: its members are none any more. */
void sharing_end(uint32_t domain);

/* A page-table entry of the space has changed. */
void sharing_changed(struct space *space, uint32_t va, bool writable);

#endif
