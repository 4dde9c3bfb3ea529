/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scheme `fass-shared`, out of line: shared sections. All else is as in `fass` (common/cpd).
 *
 * A *shared* section has a domain of its own, which is open to its *members*: the spaces whose page
 * tables of it are equal, entry for entry (so: same frames, same rights). The CPD entry points to
 * the table of one of them. It becomes shared where there would be a collision, but the tables turn
 * out to be equal; a space can join later in the same way. A member whose table changes leaves
 * before it runs again: the others keep what they have. Only sections outside the relocated 32 MB
 * can be shared, for only there can two spaces have the same mva.
 *
 * What is flushed, beyond common/cpd/cpd.h:
 *   section becomes shared             TLBs (its entries carry the former domain's number)
 *   space joins a shared section       nothing: lines and TLB entries are what it would load itself
 *   space leaves a shared section      nothing but what its change of the table needs
 *   shared section's domain recycled   TLBs, and caches if it is dirty
 *
 * Isolation rests on one rule more: no DACR opens a shared domain to a space whose own table of
 * that section differs.
 */
#include "switch.h"

#include "cpd.h"
#include "events.h"
#include "ptab_entry.h"
#include "spaces.h"

/* Shared sections have at most so many domains, so that there are enough for spaces. */
#define MAX_SHARED 7u

struct shared_sections shared_sections;

static uint32_t members[DOMAINS]; /* how many, by domain */
static uint32_t num_shared;
static uint32_t next_shared; /* whose turn it is to lose its domain */
static struct switch_state *all_spaces;

static bool is_member(const struct switch_state *s, uint32_t section) {
    return (s->sharing.domains >> ENTRY_DOMAIN(cpd.entries[section]) & 1) != 0;
}

static struct space *space_of(struct switch_state *s) {
    return (struct space *)(void *)((char *)s - offsetof(struct space, scheme));
}

/* ---- the domains of shared sections ---- */

void sharing_end(uint32_t domain) {
    shared_sections.domains &= ~(1u << domain);
    domains.used &= ~(1u << domain);
    num_shared--;
    for (struct switch_state *s = all_spaces; s != NULL; s = s->sharing.next) {
        if ((s->sharing.domains >> domain & 1) != 0) {
            s->sharing.domains &= ~(1u << domain);
            s->stale_epoch = cpd.epoch;
            domain_update_access(s);
        }
    }
}

static void recycle_shared(uint32_t domain) {
    bool clean = (hot.scheme.dirty >> domain & 1) == 0;
    cpd_remove_entries_of(domain);
    count_event(EVENT_DOMAIN_RECYCLED);
    if (clean) {
        count_event(EVENT_CLEAN_RECYCLED);
    } else {
        cpd_flush();
        return;
    }
    cpu_flush_tlbs();
}

/* Of no use is a section none of whose members holds a domain. */
bool sharing_recycle_idle(void) {
    uint32_t idle = shared_sections.domains;
    if (idle == 0) {
        return false;
    }
    for (const struct switch_state *s = all_spaces; s != NULL; s = s->sharing.next) {
        idle &= s->domain != 0 ? ~s->sharing.domains : ~0u;
    }
    if (idle == 0) {
        return false;
    }
    recycle_shared((uint32_t)__builtin_ctz(idle));
    return true;
}

/* A domain for a shared section, while `keep` is needed; never that of the space in force. */
static uint32_t take_shared_domain(uint32_t keep) {
    uint32_t domain = domain_free();
    if (num_shared == MAX_SHARED) {
        do {
            next_shared = next_shared % (DOMAINS - 1) + 1;
        } while ((shared_sections.domains >> next_shared & 1) == 0);
        recycle_shared(next_shared);
        domain = domain_free();
    } else if (domain == DOMAINS) {
        domain_recycle(domains.used & ~shared_sections.domains & ~(1u << keep) & ~1u);
        domain = domain_free();
    }
    return domain;
}

/* ---- members ---- */

/* If it is writable the owner may have written. */
static void begin_shared(uint32_t domain, bool writable) {
    uint32_t bit = 1u << domain;
    domains.used |= bit;
    shared_sections.domains |= bit;
    shared_sections.writable &= ~bit;
    if (writable) {
        shared_sections.writable |= bit;
        hot.scheme.dirty |= bit;
    }
    members[domain] = 0;
    num_shared++;
}

static void join(struct switch_state *s, uint32_t domain) {
    s->sharing.domains |= 1u << domain;
    members[domain]++;
    domain_update_access(s);
}

/*
 * The space in force wants a section that others have in the CPD. True: its own pages there are
 * theirs, and it has them from here on. Whoever has it may also have it as low memory of its own
 * slot: then the table is not that of this section in its directory, and nothing is shared.
 */
static bool share_entry(struct switch_state *s, uint32_t section, uint32_t value) {
    uint32_t domain = ENTRY_DOMAIN(cpd.entries[section]);
    struct switch_state *owner = domains.holder[domain];
    bool writable;
    if (owner != NULL &&
        ((space_of(owner)->directory[section] ^ cpd.entries[section]) & ~ENTRY_DOMAIN_MASK) != 0) {
        return false;
    }
    if (!ptab_same_pages(cpd.entries[section], value, &writable)) {
        return false;
    }
    if (owner != NULL) {
        uint32_t fresh = take_shared_domain(domain);
        cpd_uncontest(owner, section);
        cpd.entries[section] = (cpd.entries[section] & ~ENTRY_DOMAIN_MASK) | fresh << 5;
        cpd_list(section, fresh);
        ptab_publish();
        cpu_flush_tlbs();
        begin_shared(fresh, writable);
        join(owner, fresh);
        domain = fresh;
    }
    join(s, domain);
    count_event(EVENT_SECTION_SHARED);
    return true;
}

/*
 * The member's table has changed, or is about to go (`gone`): what the others share is no longer
 * its. Alone, it is a section of its own in all but the domain.
 */
static void leave(struct space *space, uint32_t section, bool gone) {
    struct switch_state *s = &space->scheme;
    uint32_t domain = ENTRY_DOMAIN(cpd.entries[section]);
    if (members[domain] == 1) {
        if (gone) {
            cpd_remove_entry(section);
            ptab_publish();
            cpu_flush_tlbs();
        }
        return;
    }
    members[domain]--;
    s->sharing.domains &= ~(1u << domain);
    domain_update_access(s);
    if (((space->directory[section] ^ cpd.entries[section]) & ~ENTRY_DOMAIN_MASK) == 0) {
        struct switch_state *other = all_spaces;
        while ((other->sharing.domains >> domain & 1) == 0) {
            other = other->sharing.next;
        }
        cpd.entries[section] = space_of(other)->directory[section] | domain << 5;
        ptab_publish();
    }
}

void sharing_changed(struct space *space, uint32_t va, bool writable) {
    uint32_t section = va >> 20;
    cpd_uncontest(&space->scheme, section); /* it may be equal to another's now */
    if (va >= CPU_PID_SLOT_SIZE && is_member(&space->scheme, section)) {
        uint32_t domain = ENTRY_DOMAIN(cpd.entries[section]);
        leave(space, section, false);
        if (writable && is_member(&space->scheme, section)) {
            shared_sections.writable |= 1u << domain;
            domain_update_access(&space->scheme);
        }
    }
}

/* ---- the contract: the rest is in ../common/cpd ---- */

bool switch_space_init(struct space *space) {
    slot_take(space);
    space->scheme.sharing.next = all_spaces;
    all_spaces = &space->scheme;
    return true;
}

void switch_space_free(struct space *space) {
    struct switch_state *s = &space->scheme;
    kernel_assert(hot.space != space);
    while (s->sharing.domains != 0) {
        uint32_t domain = (uint32_t)__builtin_ctz(s->sharing.domains);
        leave(space, cpd.first[domain] - 1u, true);
    }
    cpd_forget_space(space);
    struct switch_state **at = &all_spaces;
    while (*at != s) {
        at = &(*at)->sharing.next;
    }
    *at = s->sharing.next;
}

bool switch_fault(struct space *space, uint32_t *va, uint32_t status) {
    struct switch_state *s = &space->scheme;
    uint32_t value = cpd_missing_entry(space, va, status);
    if (value == 0) {
        return false;
    }
    uint32_t section = section_of(s, *va);
    if (*va < CPU_PID_SLOT_SIZE || cpd.entries[section] == 0 || !share_entry(s, section, value)) {
        cpd_load_entry(s, section, value);
    }
    return true;
}
