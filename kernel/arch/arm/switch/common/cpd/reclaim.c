/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Entries that a space takes back from others: at a fault one by one, at a switch all that it
 * contests.
 */
#include "reclaim.h"

#include "events.h"
#include "pid_slots.h"
#include "state_inline.h"

/* False: they are too many. */
static bool contest(struct switch_state *s, uint32_t section) {
    uint32_t n = s->contested;
    for (uint32_t i = 0; i < n; i++) {
        if (s->contested_sections[i] == section) {
            return true;
        }
    }
    if (n == CONTESTED_MAX) {
        return false;
    }
    s->contested_sections[n] = (uint16_t)section;
    s->contested = (uint8_t)(n + 1);
    return true;
}

static __attribute__((noinline)) void give_up(struct switch_state *s, uint32_t i) {
    uint32_t section = s->contested_sections[i];
    s->contested_sections[i] = s->contested_sections[--s->contested];
    if (s->domain != 0 && cpd_is_of(section, s->domain)) {
        list_entry(section, s->domain);
    }
}

void cpd_uncontest(struct switch_state *s, uint32_t section) {
    for (uint32_t i = s->contested; i-- > 0;) {
        if (s->contested_sections[i] == section) {
            give_up(s, i);
        }
    }
}

/* What is flushed is flushed last, for afterwards all that is touched is a miss. */
void cpd_load_entry(struct switch_state *s, uint32_t section, uint32_t value) {
    uint32_t former = cpd.entries[section];
    bool listed = true;
    if (unlikely(former != 0)) {
        struct switch_state *holder = domains.holder[ENTRY_DOMAIN(former)];
        listed = !contest(s, section);
        if (holder != NULL) {
            (void)contest(holder, section);
        }
        cpd_remove_entry(section);
        count_event(EVENT_COLLISION);
    }
    bool cached = cpd_is_stale(s, section);
    s->collided |= former != 0 || cached;
    cpd.entries[section] = value | (uint32_t)s->domain << 5;
    ptab_publish();
    if (listed) {
        list_entry(section, s->domain);
    }
    count_event(EVENT_CPD_LOADED);
    if (unlikely(cached)) {
        cpd_flush();
    } else if (unlikely(former != 0)) {
        cpu_flush_tlbs(); /* the access that was denied has walked the former entry */
    }
}

static __attribute__((noinline)) bool is_stale(const struct switch_state *s, uint32_t section) {
    return cpd_is_stale(s, section);
}

static __attribute__((noinline)) void give_all_up(struct switch_state *s) {
    while (s->contested != 0) {
        give_up(s, 0);
    }
}

/* Its code and data are cold each time that it is needed, so the rare is out of line. */
void cpd_exchange(struct space *space) {
    struct switch_state *s = &space->scheme;
    uint32_t domain = s->domain;
    uint32_t cached = 0, changed = 0; /* sets of domains */
    if (unlikely(++s->exchanges % CONTESTED_AGE == 0)) {
        give_all_up(s);
        return;
    }
    for (uint32_t i = s->contested; i-- > 0;) {
        uint32_t section = s->contested_sections[i];
        uint32_t former = cpd.entries[section];
        if (ENTRY_DOMAIN(former) == domain) {
            continue;
        }
        uint32_t value = space->directory[index_of_section(s, section)];
        if (unlikely(!pde_is_valid(value) ||
                     (sharing_sections() >> ENTRY_DOMAIN(former) & 1) != 0)) {
            give_up(s, i);
            continue;
        }
        if (unlikely(former == 0) && is_stale(s, section)) {
            cached = ~0u;
        }
        changed |= 1u << ENTRY_DOMAIN(former);
        cpd.entries[section] = value | domain << 5;
    }
    if (changed == 0) {
        return;
    }
    s->collided = ((changed & ~1u) | cached) != 0;
    ptab_publish();
    count_event(EVENT_COLLISION);
    if (((changed & hot.scheme.ran) | cached) != 0) {
        cpd_flush_to_leave();
    }
}
