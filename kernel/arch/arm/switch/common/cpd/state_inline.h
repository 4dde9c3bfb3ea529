/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What state.c does, for its neighbours that do it inline: a call costs them lines of the
 * instruction cache just when it is cold.
 */
#ifndef STATE_INLINE_H
#define STATE_INLINE_H

#include "state.h"

/* A flush of the caches is one of the TLBs too, so that an epoch is one of both. */
static inline void account_flush(const struct switch_state *running) {
    uint32_t ran = hot.scheme.ran;
    bool together = (ran & (ran - 1)) != 0;
    cpd.epoch++;
    for (struct switch_state *const *holder = domains.holder; ran != 0; holder++, ran >>= 1) {
        if ((ran & 1) != 0 && *holder != NULL && *holder != running) {
            domain_unprepare(*holder);
            if (together && (*holder)->useless > 0) {
                (*holder)->useless = 0;
            }
        }
    }
    hot.scheme.ran = running == NULL ? 0 : 1u << running->domain & ~1u;
    hot.scheme.dirty = running == NULL ? 0 : running->dirty;
}

static inline void flush(const struct switch_state *running) {
    account_flush(running);
    cpu_flush_tlbs();
    cpu_flush_caches(); /* last, for afterwards all that is touched is a miss */
}

/* As cpd_flush. */
static inline void flush_and_go_on(void) {
    flush(hot.space == NULL ? NULL : &hot.space->scheme);
}

/* As cpd_flush, where the space in force does not go on: no domain is dirty afterwards. */
inline void cpd_flush_to_leave(void) {
    flush(NULL);
}

static inline void unlist(uint32_t section) {
    uint16_t next = cpd.section[section].next;
    uint16_t previous = cpd.section[section].previous;
    if (next != 0) {
        cpd.section[next - 1].previous = previous;
    }
    if (previous != 0) {
        cpd.section[previous - 1].next = next;
    } else {
        cpd.first[cpd.section[section].list] = next;
    }
    cpd.section[section].list = 0;
}

static inline void list_entry(uint32_t section, uint32_t domain) {
    if (cpd.section[section].list != 0) {
        unlist(section);
    }
    uint16_t first = cpd.first[domain];
    cpd.section[section].next = first;
    cpd.section[section].previous = 0;
    cpd.section[section].list = (uint16_t)domain;
    if (first != 0) {
        cpd.section[first - 1].previous = (uint16_t)(section + 1);
    }
    cpd.first[domain] = (uint16_t)(section + 1);
}

static inline void remove_entry(uint32_t section) {
    uint32_t domain = ENTRY_DOMAIN(cpd.entries[section]);
    struct switch_state *holder = domains.holder[domain];
    if (cpd.section[section].list != 0) {
        unlist(section);
    }
    cpd.entries[section] = 0;
    if (holder == NULL) {
        cpd.section[section].stale_owner = NULL;
        cpd.section[section].stale_epoch = cpd.epoch;
        sharing_end(domain);
    } else if (cpd_has_run(domain)) {
        cpd.section[section].stale_owner = holder;
        cpd.section[section].stale_epoch = cpd.epoch;
        holder->stale_epoch = cpd.epoch;
    }
}

#endif
