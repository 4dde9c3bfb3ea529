/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spaces that are *aside*: they are switched to as scheme `flush` does.
 *
 * Where a space collides each time that it is switched to, the caching page directory is of no use
 * to it: the caches are flushed when it comes and when it goes, and to find out that they must be
 * costs more than that. So it steps aside. It gives its domain and CPD entries up; the processor
 * walks its own directory, in which all is in the kernel's domain, with the PID register 0. A
 * switch to it, or from it, is one flush of caches and TLBs, also from one such space to another.
 *
 *   - While it is in force nothing of any other space is in a cache or TLB: no domain is dirty,
 * none has run, and nobody else is armed. While it is not in force nothing of it is in either.
 *   - So what concerns its pages is done only while it is in force, and then by plain addresses.
 *   - It never collides with anybody, and needs no domain.
 *
 * Who steps aside: a stay of a space is *poor* if nobody else ran between the flush before it and
 * the flush when it was left, and the space collided in it or when it was switched to, or came
 * after one that is aside. Such a space has nothing to lose. After POOR_STAYS of them in a row it
 * steps aside. A server that collides with one client of many does not: between two flushes others
 * run, and the client steps aside, which is enough.
 *
 * It comes back to see if it still collides: after STAY_FIRST switches, and if it does, after twice
 * as many, up to STAY_FIRST << STAY_LEVELS; with it all others do.
 */
#ifndef BYPASS_H
#define BYPASS_H

#include "kernel.h"

/* Assumed: three poor stays in a row say what comes. Those near which something is mapped say less,
 * for programs that start collide in their page faults, and then perhaps no more (bench/l4/fault.c
 * does ten times). Who comes back is believed sooner. After so many that were not poor nobody
 * remembers how often it was aside. */
#define POOR_STAY      5
#define POOR_STAYS     (3 * POOR_STAY)
#define POOR_AT_RETURN POOR_STAY
#define MAPPED_STAYS   4u /* who faulted, its pager, and both once more */
#define GOOD_STAYS     32
/* Assumed: coming back costs up to five flushes (a domain is recycled, some entries are faulted
 * in), which are to be less than a twentieth of the switches, and soon much less. */
#define STAY_FIRST  512u
#define STAY_LEVELS 3u
/* A switch from a space that is not aside counts as so many: it may have been in vain. */
#define STAY_COMPANY 15u

static inline bool is_aside(const struct switch_state *s) {
    return s->ttb != 0;
}

static inline bool aside_in_force(const struct switch_state *s) {
    return hot.scheme.aside == s;
}

/* All of them, linked by next_aside. */
extern struct switch_state *bypass_spaces;

/* The space, which was aside, is not, or ends. */
void aside_forget(struct switch_state *s);

/* The same, inline where a switch is prepared. */
static inline void bypass_unlist(struct switch_state *s) {
    struct switch_state **at = &bypass_spaces;
    while (*at != s) {
        at = &(*at)->next_aside;
    }
    *at = s->next_aside;
}

#endif
