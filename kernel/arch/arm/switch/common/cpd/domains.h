/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Domains: who holds which, what the DACR of each space opens, and taking them back when all are
 * held.
 */
#ifndef DOMAINS_H
#define DOMAINS_H

#include "switch.h"

#define DOMAINS     16u
#define DACR_KERNEL 1u

struct domains {
    uint32_t used; /* the set of those that are not free; the kernel's, 0, never is */
    /* NULL also of the kernel's domain, and of shared sections'. */
    struct switch_state *holder[DOMAINS];
    struct policy_state *policy[DOMAINS];
} __attribute__((aligned(32)));

extern struct domains domains;

/* That the space's DACR opens, as a set: its own and those of sections that it shares. */
static inline uint32_t domains_of(const struct switch_state *s) {
    return ((1u << s->domain) | sharing_domains(s)) & ~1u;
}

/* The next switch to the space takes the way through switch_prepare. */
static inline void domain_disarm(struct switch_state *s) {
    s->switch_pid = s->pid | 1;
}

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
