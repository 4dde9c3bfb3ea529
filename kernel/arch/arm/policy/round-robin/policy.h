/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recycling policy `round-robin`: domains are taken in turn, clean or not. The reference for the
 * others: no knowledge, no work.
 */
#ifndef POLICY_H
#define POLICY_H

#include <stdint.h>

#define POLICY_DOMAINS 16u

/* Nothing is kept for a space, nor for all. */
struct policy_state {};
struct policy_hot {};

static inline void policy_lost(struct policy_state *const of[POLICY_DOMAINS], uint32_t domain) {
    (void)of;
    (void)domain;
}

/* The set of domains to take, all of them from `candidates`, which is not empty. */
static inline uint32_t policy_choose(const struct policy_hot *hot,
                                     struct policy_state *const of[POLICY_DOMAINS],
                                     uint32_t candidates, uint32_t dirty, uint32_t leaving) {
    static uint32_t next = 1;
    uint32_t domain = next;
    (void)hot;
    (void)of;
    (void)dirty;
    (void)leaving;
    while ((candidates >> domain & 1) == 0) {
        domain = (domain + 1) % POLICY_DOMAINS;
    }
    next = (domain + 1) % POLICY_DOMAINS;
    return 1u << domain;
}

#endif
