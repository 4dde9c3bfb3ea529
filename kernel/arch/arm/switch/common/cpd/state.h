/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The caching page directory and the domains: who has which entry and which domain, and who had it
 * last (cpd.h says what that is for).
 */
#ifndef STATE_H
#define STATE_H

#include "ptab.h"
#include "sharing.h"
#include "spaces.h"
#include "switch.h"

#define DOMAINS     16u
#define DACR_KERNEL 1u

struct domains {
    uint32_t used; /* the set of those that are not free; the kernel's, 0, never is */
    /* NULL also of the kernel's domain, and of shared sections'. */
    struct switch_state *holder[DOMAINS];
    struct policy_state *policy[DOMAINS];
} __attribute__((aligned(32)));

extern struct domains domains;

/* That the space's DACR opens, as a set: its own and those of sections that it shares. */
static inline uint32_t domains_of(const struct switch_state *s) {
    return ((1u << s->domain) | sharing_domains(s)) & ~1u;
}

/* The next switch to the space takes the way through switch_prepare. */
static inline void domain_unprepare(struct switch_state *s) {
    s->switch_pid = s->pid | 1;
}

#define SECTIONS          4096u
#define ENTRY_DOMAIN_MASK (0xfu << 5)
#define ENTRY_DOMAIN(e)   ((e) >> 5 & 0xf)

/* One object, so that functions reach all of it from one address; what belongs together shares a
 * cache line. */
struct cpd {
    uint32_t *entries;
    uint32_t epoch;
    uint32_t mapped; /* so many runs of spaces are still near a page that was mapped (bypass.h) */
    /* The sections of each domain, a list through their numbers; 0 ends it (section 0 is in slot 0,
     * and linked like any other: the lists hold section + 1). A list may have sections that another
     * has taken since; none is in two. `list` is the domain whose list it is in, 0 = none. */
    uint16_t first[DOMAINS];
    struct {
        uint16_t next, previous, list;
        uint32_t stale_epoch;
        struct switch_state *stale_owner; /* NULL: of the members of a shared section */
    } section[SECTIONS];
} __attribute__((aligned(32)));

extern struct cpd cpd;

/* Alone or with others. A section that nobody has reads as the kernel's domain, 0. */
static inline bool owns_entry(const struct switch_state *s, uint32_t section) {
    return (domains_of(s) >> ENTRY_DOMAIN(cpd.entries[section]) & 1) != 0;
}

/* Is the entry the domain's? */
static inline bool cpd_is_of(uint32_t section, uint32_t domain) {
    return cpd.entries[section] != 0 && ENTRY_DOMAIN(cpd.entries[section]) == domain;
}

/* May the holder of the domain have lines or TLB entries? */
static inline bool cpd_has_run(uint32_t domain) {
    return (hot.scheme.ran >> domain & 1) != 0;
}

/* May others than the space? The section has no entry. */
static inline bool cpd_is_stale(const struct switch_state *s, uint32_t section) {
    return cpd.section[section].stale_epoch == cpd.epoch && cpd.section[section].stale_owner != s;
}

/* Afterwards no line of any program is cached, nor any TLB entry, so no domain is dirty but those
 * of the space in force, which goes on. */
void cpd_flush(void);

/* What cpd_flush_to_leave does but for the flush itself, which the caller is about to do. */
void cpd_account_flush(void);

/* The section is one of the domain's list, and of no other's. */
void cpd_list(uint32_t section, uint32_t domain);

/* Removes a loaded entry. The caller publishes, flushes the TLBs, and sees to it that the domain's
 * holder is still on record. */
void cpd_remove_entry(uint32_t section);

/* All of a domain; the caller flushes the TLBs. */
void cpd_remove_entries_of(uint32_t domain);

#endif
