/* SPDX-License-Identifier: Apache-2.0 */
/* What ../common/cpd asks of a scheme about sections that spaces share; switch_impl.c answers. */
#ifndef SHARING_H
#define SHARING_H

#include "switch_impl.h"

struct space;

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
