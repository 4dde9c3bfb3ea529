/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The caching page directory: its entries come and go.
 */
#include "cpd.h"

struct cpd cpd;

void switch_init(void) {
    cpd.entries = ptab_kernel_directory;
    cpd.epoch = 1;
    domains.used = 1u << 0;
    cpu_set_dacr(DACR_KERNEL);
    cpu_set_pid(0);
}

void cpd_flush_caches(void) {
    const struct switch_state *running = hot.space == NULL ? NULL : &hot.space->scheme;
    cpd.epoch++;
    hot.scheme.dirty = running == NULL ? 0 : running->dirty;
    for (uint32_t domain = 1; domain < DOMAINS; domain++) {
        struct switch_state *s = domains.holder[domain];
        if (s != NULL && s != running) {
            domain_disarm(s);
        }
    }
    cpu_flush_caches(); /* last, for afterwards all that is touched is a miss */
}

void cpd_remove_entry(uint32_t section) {
    uint32_t domain = ENTRY_DOMAIN(cpd.entries[section]);
    struct switch_state *holder = domains.holder[domain];
    cpd_unlink(section, domain);
    cpd.entries[section] = 0;
    cpd.section[section].ghost = holder;
    cpd.section[section].ghost_epoch = cpd.epoch;
    if (holder != NULL) {
        holder->ghost_epoch = cpd.epoch;
    } else {
        sharing_end(domain);
    }
}

void cpd_remove_entries_of(uint32_t domain) {
    while (cpd.first[domain] != 0) {
        cpd_remove_entry(cpd.first[domain] - 1u);
    }
    ptab_publish();
}

/* What is flushed is flushed last, for afterwards all that is touched is a miss. */
void cpd_load_entry(struct switch_state *s, uint32_t section, uint32_t value) {
    bool collision = cpd.entries[section] != 0; /* with another's */
    if (unlikely(collision)) {
        cpd_remove_entry(section);
        count_event(PROBE_EVENT_COLLISION);
    }
    bool ghost = cpd.section[section].ghost_epoch == cpd.epoch && cpd.section[section].ghost != s;
    cpd.entries[section] = value | (uint32_t)s->domain << 5;
    ptab_publish();
    cpd_link(section, s->domain);
    count_event(PROBE_EVENT_CPD_LOADED);
    if (unlikely(collision)) {
        cpu_flush_tlbs();
    }
    if (unlikely(ghost)) {
        cpd_flush_caches();
    }
}

void cpd_forget_space(struct space *space) {
    struct switch_state *s = &space->scheme;
    if (s->domain != 0) {
        domain_lose(s);
        cpu_flush_tlbs();
    }
    if (s->ghost_epoch == cpd.epoch) {
        cpd_flush_caches();
    }
    slot_leave(space);
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
    ptab_publish();
    if (removed) {
        cpu_flush_tlbs();
    }
    slot_directory_changed(space, index, had, value != 0);
}
