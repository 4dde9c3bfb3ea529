/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A policy that takes one domain at a time, in turn, and knows of nothing but whose turn it is.
 */
#ifndef POLICY_IN_TURN_H
#define POLICY_IN_TURN_H

#include <stdint.h>

#define POLICY_DOMAINS 16u

/* Nothing is kept for a space, nor of a switch. */
struct policy_state {};
struct policy_hot {};

static inline void policy_lost(struct policy_state *const of[POLICY_DOMAINS], uint32_t domain) {
    (void)of;
    (void)domain;
}

/* The first of the set (which is not empty) after the one that was taken last, as a set. */
static inline uint32_t policy_next_of(uint32_t set) {
    static uint32_t next = 1;
    uint32_t domain = next;
    while ((set >> domain & 1) == 0) {
        domain = (domain + 1) % POLICY_DOMAINS;
    }
    next = (domain + 1) % POLICY_DOMAINS;
    return 1u << domain;
}

#endif
