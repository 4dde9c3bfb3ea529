/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spaces that *bypass* the caching page directory: they are switched to as scheme `flush` does.
 *
 * Where a space collides each time that it is switched to, the directory is of no use to it: the
 * caches are flushed when it comes and when it goes, and to find out that they must be costs more
 * than that. So it gives its domain and CPD entries up, and the processor walks the space's own
 * directory, in which all is in the kernel's domain, with the PID register 0. A switch to it, or
 * from it, is one flush of caches and TLBs, also from one such space to another.
 *
 *   - While it is in force nothing of any other space is in a cache or TLB: no domain is dirty,
 *     none has run, and nobody else is prepared. While it is not in force nothing of it is there.
 *   - So what concerns its pages is done only while it is in force, and then by plain addresses.
 *   - It never collides with anybody, and needs no domain.
 *
 * Who does that: a run of a space, from a switch to it to the next switch, is *useless* if nobody
 * else ran between the flush before it and the flush when it was left, and the space collided in it
 * or when it was switched to, or came after one that bypasses. Such a space has nothing to lose.
 * Several of them in a row are enough (BYPASS_SCORE). A server that collides with one client of
 * many goes on: between two flushes others run, and the client begins to bypass, which is enough.
 *
 * It ends after BYPASS_FIRST switches, to see if the space still collides, and if it does, after
 * twice as many, up to BYPASS_FIRST << BYPASS_LEVELS; all others that bypass end with it.
 */
#ifndef BYPASS_H
#define BYPASS_H

#include "kernel.h"

/* Assumed: three useless runs in a row say what comes. Those near which something is mapped say
 * less, for programs that start collide in their page faults, and then perhaps no more
 * (bench/l4/fault.c does ten times). Who has just ended is believed sooner. After so many runs that
 * were of use nobody remembers how often it bypassed. */
#define USELESS_RUN     5
#define BYPASS_SCORE    (3 * USELESS_RUN)
#define SCORE_AT_RETURN USELESS_RUN
#define MAPPED_RUNS     4u /* who faulted, its pager, and both once more */
#define USEFUL_RUNS     32
/* Assumed: the end costs up to five flushes (a domain is recycled, some entries are faulted
 * in), which are to be less than a twentieth of the switches, and soon much less. */
#define BYPASS_FIRST  512u
#define BYPASS_LEVELS 3u
/* A switch from a space that does not bypass counts as so many: it may have been in vain. */
#define BYPASS_COMPANY 15u

static inline bool is_bypassing(const struct switch_state *s) {
    return s->ttb != 0;
}

static inline bool bypass_in_force(const struct switch_state *s) {
    return hot.scheme.bypassing == s;
}

/* All of them, linked by next_bypassing. */
extern struct switch_state *bypass_spaces;

/* The space, which bypassed, does not any more, or ends. */
void bypass_forget(struct switch_state *s);

/* Takes a space off the list of those that bypass; inline, where a switch is prepared. */
static inline void bypass_unlist(struct switch_state *s) {
    struct switch_state **at = &bypass_spaces;
    while (*at != s) {
        at = &(*at)->next_bypassing;
    }
    *at = s->next_bypassing;
}

#endif
