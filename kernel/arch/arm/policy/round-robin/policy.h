/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recycling policy `round-robin`: domains are taken in turn, clean or not. The reference for the
 * others: no knowledge, no work.
 */
#ifndef POLICY_H
#define POLICY_H

#include "policy_in_turn.h"

/* The set of domains to take, all of them from `candidates`, which is not empty. */
static inline uint32_t policy_choose(const struct policy_hot *hot,
                                     struct policy_state *const of[POLICY_DOMAINS],
                                     uint32_t candidates, uint32_t dirty, uint32_t leaving) {
    (void)hot;
    (void)of;
    (void)dirty;
    (void)leaving;
    return policy_next_of(candidates);
}

#endif
