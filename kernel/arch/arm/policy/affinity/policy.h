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

#include <stdbool.h>
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

#define POLICY_BIT(domain) (1u << 2 * (domain))

/* Of a set in the form of the DACR. */
static inline uint32_t policy_count(uint32_t set) {
    set = (set & 0x33333333) + (set >> 2 & 0x33333333);
    set = (set + (set >> 4)) & 0x0f0f0f0f;
    return set * 0x01010101 >> 24;
}

/* All that are reached from `group` by acquaintance. */
static inline uint32_t policy_group(const uint32_t met[POLICY_DOMAINS], uint32_t group) {
    uint32_t seen = 0;
    while (group != seen) {
        uint32_t fresh = (group & ~seen) >> 2;
        seen = group;
        for (const uint32_t *m = met + 1; fresh != 0; m++, fresh >>= 2) {
            if ((fresh & 1) != 0) {
                group |= *m;
            }
        }
    }
    return group;
}

static inline uint32_t policy_first_from(uint32_t set, uint32_t domain) {
    while ((set & POLICY_BIT(domain)) == 0) {
        domain = (domain + 1) % POLICY_DOMAINS;
    }
    return domain;
}

/* The set of domains to take, all of them from `candidates`, which is not empty. Some hundred
 * instructions, where a flush costs thousands of cycles. */
static inline uint32_t policy_choose(const struct policy_hot *hot,
                                     struct policy_state *const of[POLICY_DOMAINS],
                                     uint32_t candidates, uint32_t dirty, uint32_t leaving) {
    static uint32_t next = 1, recyclings;
    uint32_t met[POLICY_DOMAINS] = {0};
    uint32_t can = 0, clean = 0, global = 0, lonely = 0, running = 0; /* in the form of the DACR */
    bool age = ++recyclings % POLICY_AGE == 0;
    (void)hot;
    for (uint32_t d = 1; d < POLICY_DOMAINS; d++) {
        if (of[d] == NULL) {
            continue;
        }
        uint32_t set = (of[d]->met | of[d]->before) & ~1u;
        if (policy_count(set & ~POLICY_BIT(d)) > POLICY_GLOBAL) {
            global |= POLICY_BIT(d);
        } else {
            met[d] = set;
        }
        can |= (candidates >> d & 1) << 2 * d;
        clean |= (~dirty >> d & 1) << 2 * d;
        running |= (leaving >> d & 1) << 2 * d;
        if (age) {
            of[d]->before = of[d]->met;
            of[d]->met = 0;
        }
    }
    for (uint32_t d = 1; d < POLICY_DOMAINS; d++) {
        met[d] &= ~global;
        lonely |= met[d] == 0 ? POLICY_BIT(d) : 0;
    }
    uint32_t rest = can & ~global & ~lonely & ~policy_group(met, running);
    uint32_t victims = 0;
    while (rest != 0 && (victims == 0 || (victims & ~clean) != 0)) {
        uint32_t group = policy_group(met, POLICY_BIT(policy_first_from(rest, next))) & can;
        if (victims == 0 || (group & ~clean) == 0) {
            victims = group;
        }
        rest &= ~group;
    }
    if (victims == 0) { /* one group, or none: one at a time, clean ones first */
        uint32_t from = (can & clean) != 0 ? can & clean : can;
        victims = POLICY_BIT(policy_first_from(from, next));
    }
    next = (policy_first_from(victims, next) + 1) % POLICY_DOMAINS;
    uint32_t taken = 0;
    for (uint32_t d = 1; d < POLICY_DOMAINS; d++) {
        taken |= (victims >> 2 * d & 1) << d;
    }
    return taken;
}

#endif
