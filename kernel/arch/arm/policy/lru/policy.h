/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recycling policy `lru`: the domain whose space was switched to longest ago. Each switch counts up
 * and stores the count in the space: a load, an add and two stores more.
 */
#ifndef POLICY_H
#define POLICY_H

#include <stdint.h>

#define POLICY_DOMAINS 16u

struct policy_state {
    uint32_t used; /* the switch that last led here */
};

struct policy_hot {
    uint32_t switches;
};

static inline void policy_lost(struct policy_state *const of[POLICY_DOMAINS], uint32_t domain) {
    (void)of;
    (void)domain;
}

/* The set of domains to take, all of them from `candidates`, which is not empty. Ages are
 * differences, so the count may wrap. */
static inline uint32_t policy_choose(const struct policy_hot *hot,
                                     struct policy_state *const of[POLICY_DOMAINS],
                                     uint32_t candidates, uint32_t dirty, uint32_t leaving) {
    uint32_t oldest = 0, best = 0;
    (void)dirty;
    (void)leaving;
    for (uint32_t domain = 1; domain < POLICY_DOMAINS; domain++) {
        if ((candidates >> domain & 1) != 0) {
            uint32_t age = hot->switches - of[domain]->used;
            if (best == 0 || age > oldest) {
                best = 1u << domain;
                oldest = age;
            }
        }
    }
    return best;
}

#endif
