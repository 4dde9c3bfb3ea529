/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recycling policy `clean-first`: a clean domain costs a TLB flush only, so the first clean one in
 * turn; if all are dirty, the first in turn, and the flush that it costs makes the others clean for
 * those who come next (Wiggins et al. 2003, section 4.2: why the cost rises slowly past the knee).
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
    (void)leaving;
    return policy_next_of((candidates & ~dirty) != 0 ? candidates & ~dirty : candidates);
}

#endif
