/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recycling policy `affinity`: spaces that call each other keep their domains together, and lose
 * them together (application groups: Uhlig et al., small spaces, section 5.2).
 *
 * Who calls whom is noted at each switch: the domain that is left, in the space that is entered (a
 * load, an or, two stores more). Spaces that met since their domains were given to them are a
 * group. A space that met more than half of all is in every group ("D" in the paper's Fig. 11): it
 * joins none, and stays. The group that runs stays; of the others the first clean one in turn
 * goes, as a whole, else the first in turn. One flush serves the group, and those who come next
 * find free domains. Where there is only one group, or none, the choice is clean-first's.
 *
 * Acquaintances are forgotten after one to two AGES of recyclings without a meeting, so that
 * groups follow what programs do now.
 */
#ifndef POLICY_H
#define POLICY_H

#include <stddef.h>
#include <stdint.h>

#define POLICY_DOMAINS 16u
#define POLICY_GLOBAL  7u  /* acquaintances: more than half of the other 14 */
#define POLICY_AGE     32u /* assumed: about two changes of all domains */

/* Both sets are in the form of the DACR: domain d is bit 2 d. */
struct policy_state {
    uint32_t met;    /* came here lately */
    uint32_t before; /* in the age before */
};

struct policy_hot {
    uint32_t running; /* DACR in force */
};

/* The domain is taken from its space: neither has met anybody. */
static inline void policy_lost(struct policy_state *const of[POLICY_DOMAINS], uint32_t domain) {
    for (uint32_t d = 1; d < POLICY_DOMAINS; d++) {
        if (of[d] != NULL) {
            of[d]->met &= ~(1u << 2 * domain);
            of[d]->before &= ~(1u << 2 * domain);
        }
    }
    *of[domain] = (struct policy_state){0, 0};
}

static inline uint32_t policy_count(uint32_t set) {
    uint32_t n = 0;
    for (; set != 0; set &= set - 1) {
        n++;
    }
    return n;
}

/* For each domain of `all` the set of those that it met, either way; those of global ones are
 * empty, and nobody met them. */
static inline void policy_acquaintances(struct policy_state *const of[POLICY_DOMAINS], uint32_t all,
                                        uint32_t met[POLICY_DOMAINS]) {
    for (uint32_t a = 0; a < POLICY_DOMAINS; a++) {
        met[a] = 0;
    }
    for (uint32_t a = 1; a < POLICY_DOMAINS; a++) {
        for (uint32_t b = 1; b < POLICY_DOMAINS && (all >> a & 1) != 0; b++) {
            if (a != b && (all >> b & 1) != 0 && ((of[a]->met | of[a]->before) >> 2 * b & 1) != 0) {
                met[a] |= 1u << b;
                met[b] |= 1u << a;
            }
        }
    }
    uint32_t global = 0;
    for (uint32_t a = 1; a < POLICY_DOMAINS; a++) {
        if (policy_count(met[a]) > POLICY_GLOBAL) {
            global |= 1u << a;
            met[a] = 0;
        }
    }
    for (uint32_t a = 1; a < POLICY_DOMAINS; a++) {
        met[a] &= ~global;
    }
}

/* All that are reached from `group` by acquaintance. */
static inline uint32_t policy_group(const uint32_t met[POLICY_DOMAINS], uint32_t group) {
    uint32_t seen = 0;
    while (group != seen) {
        uint32_t fresh = group & ~seen;
        seen = group;
        for (uint32_t d = 1; d < POLICY_DOMAINS; d++) {
            group |= (fresh >> d & 1) != 0 ? met[d] : 0;
        }
    }
    return group;
}

/* The set of domains to take, all of them from `candidates`, which is not empty. */
static inline uint32_t policy_choose(const struct policy_hot *hot,
                                     struct policy_state *const of[POLICY_DOMAINS],
                                     uint32_t candidates, uint32_t dirty, uint32_t leaving) {
    static uint32_t next = 1, recyclings;
    uint32_t met[POLICY_DOMAINS];
    (void)hot;
    if (++recyclings % POLICY_AGE == 0) {
        for (uint32_t d = 1; d < POLICY_DOMAINS; d++) {
            if (of[d] != NULL) {
                of[d]->before = of[d]->met;
                of[d]->met = 0;
            }
        }
    }
    policy_acquaintances(of, candidates | leaving, met);
    uint32_t running = policy_group(met, leaving);
    uint32_t first = 0;
    for (uint32_t i = 0; i < POLICY_DOMAINS; i++) {
        uint32_t domain = (next + i) % POLICY_DOMAINS;
        /* A global one, met by many, has no group. */
        if ((candidates & ~running) >> domain & 1 && met[domain] != 0) {
            uint32_t group = policy_group(met, 1u << domain) & candidates;
            if ((group & dirty) == 0 || first == 0) {
                first = group;
            }
            if ((group & dirty) == 0) {
                break;
            }
        }
    }
    if (first == 0) { /* no groups: one at a time, clean ones first */
        uint32_t from = (candidates & ~dirty) != 0 ? candidates & ~dirty : candidates;
        uint32_t domain = next;
        while ((from >> domain & 1) == 0) {
            domain = (domain + 1) % POLICY_DOMAINS;
        }
        first = 1u << domain;
    }
    for (next = 1; (first >> next & 1) == 0; next++) {
    }
    next = (next + 1) % POLICY_DOMAINS;
    return first;
}

#endif
