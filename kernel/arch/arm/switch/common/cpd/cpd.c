/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The caching page directory: its entries come and go.
 */
#include "cpd.h"

#include "events.h"

struct cpd cpd;

void switch_init(void) {
    cpd.entries = ptab_kernel_directory;
    cpd.epoch = 1;
    domains.used = 1u << 0;
    cpu_set_dacr(DACR_KERNEL);
    cpu_set_pid(0);
}

/* A flush of the caches is one of the TLBs too, so that an epoch is one of both. */
static void account_flush(const struct switch_state *running) {
    uint32_t ran = hot.scheme.ran;
    bool together = (ran & (ran - 1)) != 0;
    cpd.epoch++;
    for (struct switch_state *const *holder = domains.holder; ran != 0; holder++, ran >>= 1) {
        if ((ran & 1) != 0 && *holder != NULL && *holder != running) {
            domain_disarm(*holder);
            if (together && (*holder)->poor > 0) {
                (*holder)->poor = 0;
            }
        }
    }
    hot.scheme.ran = running == NULL ? 0 : 1u << running->domain & ~1u;
    hot.scheme.dirty = running == NULL ? 0 : running->dirty;
}

static void flush(const struct switch_state *running) {
    account_flush(running);
    cpu_flush_tlbs();
    cpu_flush_caches(); /* last, for afterwards all that is touched is a miss */
}

void cpd_flush(void) {
    flush(hot.space == NULL ? NULL : &hot.space->scheme);
}

void cpd_flush_to_leave(void) {
    flush(NULL);
}

void cpd_account_flush(void) {
    account_flush(NULL);
}

static void unlist(uint32_t section) {
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

void cpd_list(uint32_t section, uint32_t domain) {
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

void cpd_remove_entry(uint32_t section) {
    uint32_t domain = ENTRY_DOMAIN(cpd.entries[section]);
    struct switch_state *holder = domains.holder[domain];
    if (cpd.section[section].list != 0) {
        unlist(section);
    }
    cpd.entries[section] = 0;
    if (holder == NULL) {
        cpd.section[section].ghost = NULL;
        cpd.section[section].ghost_epoch = cpd.epoch;
        sharing_end(domain);
    } else if (cpd_has_run(domain)) {
        cpd.section[section].ghost = holder;
        cpd.section[section].ghost_epoch = cpd.epoch;
        holder->ghost_epoch = cpd.epoch;
    }
}

void cpd_remove_entries_of(uint32_t domain) {
    const struct switch_state *holder = domains.holder[domain];
    while (cpd.first[domain] != 0) {
        uint32_t section = cpd.first[domain] - 1u;
        if (cpd_is_of(section, domain)) {
            cpd_remove_entry(section);
        } else {
            unlist(section);
        }
    }
    for (uint32_t i = 0; holder != NULL && i < holder->contested; i++) {
        if (cpd_is_of(holder->contested_sections[i], domain)) {
            cpd_remove_entry(holder->contested_sections[i]);
        }
    }
    ptab_publish();
}

/* ---- contested sections ---- */

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
        cpd_list(section, s->domain);
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
    bool cached = cpd_has_ghost(s, section);
    s->collided |= former != 0 || cached;
    cpd.entries[section] = value | (uint32_t)s->domain << 5;
    ptab_publish();
    if (listed) {
        cpd_list(section, s->domain);
    }
    count_event(EVENT_CPD_LOADED);
    if (unlikely(cached)) {
        cpd_flush();
    } else if (unlikely(former != 0)) {
        cpu_flush_tlbs(); /* the access that was denied has walked the former entry */
    }
}

static __attribute__((noinline)) bool has_ghost(const struct switch_state *s, uint32_t section) {
    return cpd_has_ghost(s, section);
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
        if (unlikely(former == 0) && has_ghost(s, section)) {
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

void cpd_forget_space(struct space *space) {
    struct switch_state *s = &space->scheme;
    if (s->domain != 0) {
        domain_lose(s);
        cpu_flush_tlbs();
    }
    if (s->ghost_epoch == cpd.epoch) {
        cpd_flush();
    }
    slot_leave(space);
    if (is_aside(s)) {
        aside_forget(s);
    }
}

/*
 * The CPD's entry is found by where the space's entry would be, and known by its domain, whatever
 * the space's own directory says (pitfalls.md, FASS 3).
 */
void switch_set_directory(struct space *space, uint32_t index, uint32_t value) {
    const struct switch_state *s = &space->scheme;
    uint32_t section = section_of(s, index << 20);
    bool had = space->directory[index] != 0;
    space->directory[index] = value;
    bool removed = owns_entry(s, section);
    if (removed) {
        cpd_remove_entry(section);
    }
    removed |= had && aside_in_force(s);
    ptab_publish();
    if (removed) {
        cpu_flush_tlbs();
    }
    slot_directory_changed(space, index, had, value != 0);
}
