/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Domains: who holds which, what the DACR of each space opens, and taking them back when all are
 * held.
 */
#ifndef DOMAINS_H
#define DOMAINS_H

#include "state.h"

/* The domains and dirty bits that the space has when it runs, which it may do now. */
void domain_update_access(struct switch_state *s);

/* The holder, which is not the space in force, has none any more; the caller flushes the TLBs. */
void domain_lose(struct switch_state *s);

/* The first free one, or DOMAINS. */
static inline uint32_t domain_free(void) {
    uint32_t domain = 1;
    while ((domains.used >> domain & 1) != 0) {
        domain++;
    }
    return domain;
}

/* The space, which has none and is about to be switched to, gets a domain: a free one, or
 * another's. */
void domain_take(struct switch_state *to);

/* Takes a domain or more from spaces: `from` these. */
void domain_recycle(uint32_t from);

#endif
