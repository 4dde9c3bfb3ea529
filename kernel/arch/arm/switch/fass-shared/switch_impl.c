/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scheme `fass-shared`, out of line: domains, CPD entries, and which flush each step needs.
 *
 * Cache lines are tagged by mva and carry no domain; TLB entries carry the domain they were walked
 * with. A line or TLB entry can exist only for an mva whose CPD entry is (or was) loaded, so the
 * 1 MB sections of the CPD are what this file accounts by:
 *
 *   - A section whose CPD entry is loaded belongs to the holder of that domain.
 *   - A section whose entry was removed without a flush is a *ghost* of its last space until the
 *     next full flush: lines of that space may still be in the caches. Another space that loads
 *     the section must flush first. `epoch` counts full flushes, so one flush ends all ghosts.
 *   - A *shared* section has a domain of its own, which is open to its *members*: the spaces whose
 *     page tables of it are equal, entry for entry (so: same frames, same rights). The CPD entry
 *     points to the table of one of them. It becomes shared where there would be a collision,
 *     but the tables turn out to be equal; a space can join later in the same way. A member whose
 *     table changes leaves before it runs again: the others keep what they have. Only sections
 *     outside the relocated 32 MB can be shared, for only there can two spaces have the same mva.
 *
 * What is flushed when:
 *   switch to a space with a domain    nothing
 *   free domain taken                  nothing (it was freed with a TLB flush)
 *   clean domain recycled              TLBs (its entries carry the domain's number)
 *   dirty domain recycled              caches and TLBs; afterwards every domain is clean
 *   CPD entry loaded, section unused   nothing (TLBs keep no invalid entries)
 *   CPD entry loaded over a ghost      caches
 *   CPD entry loaded over another's    caches and TLBs (a collision)
 *   section becomes shared             TLBs (its entries carry the former domain's number)
 *   space joins a shared section       nothing: lines and TLB entries are what it would load itself
 *   space leaves a shared section      nothing but what its change of the table needs
 *   shared section's domain recycled   TLBs, and caches if it is dirty
 *   page table or section removed      TLBs; its pages' lines were cleaned page by page
 *   space deleted                      caches and TLBs, if it can have left anything
 *
 * The flush for a dirty domain is the published scheme's, which keeps no record of a section once
 * its entry is gone. Ghosts are such a record: with them that flush could wait until a section does
 * change hands. It is done all the same, so that this scheme is the one that was measured.
 *
 * A line of a space without a domain is harmless where it is: nobody can reach it, it is written
 * back to its own frame (lines keep the pa), and switch_unmap finds it by the ghost. So isolation
 * rests on four rules: no DACR opens a domain before the TLB lost the former holder's
 * entries; no section changes hands with lines in the caches; no frame is reused before its lines
 * are gone; no DACR opens a shared domain to a space whose own table of that section differs.
 *
 * How tests can provoke the known faults (pitfalls.md, FASS): 20 spaces with private pages at equal
 * va, each checked after random switches (1, 5, 6: collisions stay 0); two spaces with different
 * data at one high va (collision); unmap of 1 MB, then reuse of the memory (3, 9); a space that
 * maps into its own PID slot's range (move_slot).
 */
#include "switch.h"

#include "cpu.h"
#include "kmem.h"
#include "ptab.h"
#include "switch_asm.h"

_Static_assert(offsetof(struct space, scheme) == 0, "the switch finds it at the space's address");
_Static_assert(offsetof(struct switch_state, dacr) == SWITCH_DACR, "switch_state.dacr");
_Static_assert(offsetof(struct switch_state, switch_pid) == SWITCH_PID, "switch_state.switch_pid");
_Static_assert(offsetof(struct switch_state, policy) == SWITCH_POLICY, "switch_state.policy");
_Static_assert(offsetof(struct hot, scheme.policy) == SWITCH_HOT_POLICY, "hot.scheme.policy");

#define DOMAINS           16u
#define ALL_DOMAINS       0xfffeu /* but the kernel's, 0 */
#define SECTIONS          4096u
#define CPD_RELOCATED     (CPU_PID_SLOT_SIZE >> 20) /* sections that the PID register relocates */
#define DACR_KERNEL       1u
#define ENTRY_DOMAIN_MASK (0xfu << 5)
#define ENTRY_DOMAIN(e)   ((e) >> 5 & 0xf)
/* Shared sections have at most so many domains, so that there are enough for spaces. */
#define MAX_SHARED 7u

static uint32_t *cpd;

/* Who holds each domain; 0 is the kernel's and stays NULL, and so is that of a shared section. */
static struct switch_state *holder[DOMAINS];
static struct policy_state *holder_policy[DOMAINS];

/* CPD entries of one domain, a list through their section numbers; 0 ends it (section 0 is in slot
 * 0, see first_slot, and is linked like any other: the lists hold section + 1). */
static uint16_t domain_sections[DOMAINS];
static uint16_t section_next[SECTIONS];
static uint16_t section_previous[SECTIONS];

/* Shared sections, by their domains. */
static struct {
    uint32_t members; /* 0: not shared */
    bool writable;    /* some page of it, cached */
} shared[DOMAINS];
static uint32_t num_shared;
static uint32_t next_shared; /* whose turn it is to lose its domain */
static struct switch_state *all_spaces;

static uint32_t epoch = 1;
static struct {
    struct switch_state *space; /* NULL: of the members of a shared section */
    uint32_t epoch;
} ghost[SECTIONS];

static uint16_t slot_users[CPU_PID_SLOTS];
/* Directory entries of all spaces at unrelocated addresses, by the slot that they are in. */
static uint32_t slot_unrelocated[CPU_PID_SLOTS];

/* Since the last switch_unmap_finish: what is left to do, how many bytes were cleaned by line, and
 * has everything been? */
static bool unmapped_tlb, unmapped_cache, all_clean;
static uint32_t cleaned;

/* ---- flushes ---- */

/* The next switch to the space takes the way through switch_prepare. */
static void disarm(struct switch_state *s) {
    s->switch_pid = s->pid | 1;
}

/* Afterwards no line of any program is cached, so no domain is dirty but those of the one that goes
 * on. */
static void flush_caches(void) {
    struct switch_state *running = hot.space == NULL ? NULL : &hot.space->scheme;
    cpu_flush_caches();
    epoch++;
    hot.scheme.dirty = running == NULL ? 0 : running->dirty;
    for (uint32_t domain = 1; domain < DOMAINS; domain++) {
        if (holder[domain] != NULL && holder[domain] != running) {
            disarm(holder[domain]);
        }
    }
}

static void flush_tlbs(void) {
    cpu_invalidate_tlbs();
    count_event(PROBE_EVENT_TLB_FLUSH);
}

/* ---- sections of the CPD ---- */

static uint32_t section_of(const struct switch_state *s, uint32_t va) {
    uint32_t index = va >> 20;
    return index < CPD_RELOCATED ? index + s->slot * CPD_RELOCATED : index;
}

static uint32_t mva_of(const struct switch_state *s, uint32_t va) {
    return va < CPU_PID_SLOT_SIZE ? va + s->pid : va;
}

static bool is_member(const struct switch_state *s, uint32_t section) {
    return cpd[section] != 0 && (s->shared >> ENTRY_DOMAIN(cpd[section]) & 1) != 0;
}

/* Alone or with others. */
static bool owns_entry(const struct switch_state *s, uint32_t section) {
    return (s->domain != 0 && cpd[section] != 0 && ENTRY_DOMAIN(cpd[section]) == s->domain) ||
           is_member(s, section);
}

/* May lines of this space be cached in the section? */
static bool may_have_lines(const struct switch_state *s, uint32_t section) {
    return owns_entry(s, section) || (ghost[section].epoch == epoch &&
                                      (ghost[section].space == s || ghost[section].space == NULL));
}

static void link_section(uint32_t section, uint32_t domain) {
    uint16_t first = domain_sections[domain];
    section_next[section] = first;
    section_previous[section] = 0;
    if (first != 0) {
        section_previous[first - 1] = (uint16_t)(section + 1);
    }
    domain_sections[domain] = (uint16_t)(section + 1);
}

static void unlink_section(uint32_t section, uint32_t domain) {
    uint16_t next = section_next[section];
    uint16_t previous = section_previous[section];
    if (next != 0) {
        section_previous[next - 1] = previous;
    }
    if (previous != 0) {
        section_next[previous - 1] = next;
    } else {
        domain_sections[domain] = next;
    }
}

/* Domains and dirty bits that the space has when it runs, which it may do now. */
static void update_access(struct switch_state *s) {
    s->dacr = 0;
    s->dirty = 0;
    if (s->domain != 0) {
        s->dacr = DACR_KERNEL | 1u << (2 * s->domain);
        s->dirty = s->writable ? 1u << s->domain : 0;
        for (uint32_t domain = 1; domain < DOMAINS && s->shared >> domain != 0; domain++) {
            if ((s->shared >> domain & 1) != 0) {
                s->dacr |= 1u << (2 * domain);
                s->dirty |= shared[domain].writable ? 1u << domain : 0;
            }
        }
    }
    if (hot.space != NULL && &hot.space->scheme == s) {
        cpu_set_dacr(s->dacr);
        hot.scheme.dirty |= s->dirty;
    } else {
        disarm(s);
    }
}

/* Removes a loaded entry. The caller drains the write buffer, flushes the TLBs, and sees to it
 * that the domain's holder is still on record. Members of a shared section are none any more. */
static void remove_entry(uint32_t section) {
    uint32_t domain = ENTRY_DOMAIN(cpd[section]);
    unlink_section(section, domain);
    cpd[section] = 0;
    ghost[section].space = holder[domain];
    ghost[section].epoch = epoch;
    if (holder[domain] != NULL) {
        holder[domain]->ghost_epoch = epoch;
        return;
    }
    shared[domain].members = 0;
    num_shared--;
    for (struct switch_state *s = all_spaces; s != NULL; s = s->next) {
        if ((s->shared >> domain & 1) != 0) {
            s->shared &= ~(1u << domain);
            s->ghost_epoch = epoch;
            update_access(s);
        }
    }
}

static void remove_entries_of(uint32_t domain) {
    while (domain_sections[domain] != 0) {
        remove_entry(domain_sections[domain] - 1u);
    }
    ptab_publish();
}

/* Puts the entry of a space with a domain into the CPD, at the place of whatever is there. */
static void load_entry(struct switch_state *s, uint32_t section, uint32_t value) {
    if (cpd[section] != 0) { /* another's: a collision */
        remove_entry(section);
        count_event(PROBE_EVENT_COLLISION);
        flush_caches();
        cpd[section] = value | (uint32_t)s->domain << 5;
        ptab_publish();
        flush_tlbs();
    } else {
        if (ghost[section].epoch == epoch && ghost[section].space != s) {
            flush_caches();
        }
        cpd[section] = value | (uint32_t)s->domain << 5;
        ptab_publish();
    }
    link_section(section, s->domain);
    count_event(PROBE_EVENT_CPD_LOADED);
}

/* ---- domains ---- */

static void lose_domain(struct switch_state *s) {
    remove_entries_of(s->domain);
    policy_lost(holder_policy, s->domain);
    holder[s->domain] = NULL;
    holder_policy[s->domain] = NULL;
    s->domain = 0;
    update_access(s);
}

static void set_domain(struct switch_state *s, uint32_t domain) {
    holder[domain] = s;
    holder_policy[domain] = &s->policy;
    s->domain = (uint8_t)domain;
    update_access(s);
}

/* The first free domain, or DOMAINS. */
static uint32_t free_domain(void) {
    uint32_t domain = 1;
    while (domain < DOMAINS && (holder[domain] != NULL || shared[domain].members != 0)) {
        domain++;
    }
    return domain;
}

/*
 * Takes domains from those who hold them: the policy says from whom (arch/arm/policy), and all have
 * one now. Never from the space that is being left: in an IPC it is the partner, which is likely to
 * be answered. `keep`: nor from these. Shared sections have at most seven, so there are others.
 */
static void recycle(uint32_t keep) {
    uint32_t leaving = hot.space == NULL ? 0 : 1u << hot.space->scheme.domain;
    uint32_t candidates = ALL_DOMAINS & ~leaving & ~keep;
    for (uint32_t domain = 1; domain < DOMAINS; domain++) {
        candidates &= holder[domain] == NULL ? ~(1u << domain) : ~0u;
    }
    uint32_t victims =
        policy_choose(&hot.scheme.policy, holder_policy, candidates, hot.scheme.dirty, leaving);
    bool clean = (hot.scheme.dirty & victims) == 0;
    for (uint32_t domain = 1; domain < DOMAINS; domain++) {
        if ((victims >> domain & 1) != 0) {
            lose_domain(holder[domain]);
            count_event(PROBE_EVENT_DOMAIN_RECYCLED);
            if (clean) {
                count_event(PROBE_EVENT_CLEAN_RECYCLED);
            }
        }
    }
    if (!clean) {
        flush_caches();
    }
    flush_tlbs();
}

/* Takes the domain of a shared section back. */
static void recycle_shared(uint32_t domain) {
    bool clean = (hot.scheme.dirty >> domain & 1) == 0;
    remove_entries_of(domain);
    count_event(PROBE_EVENT_DOMAIN_RECYCLED);
    if (clean) {
        count_event(PROBE_EVENT_CLEAN_RECYCLED);
    } else {
        flush_caches();
    }
    flush_tlbs();
}

/* A shared section none of whose members holds a domain: it is of no use to anybody now. Or
 * DOMAINS. */
static uint32_t idle_shared(void) {
    uint32_t active = 0;
    if (num_shared == 0) {
        return DOMAINS;
    }
    for (const struct switch_state *s = all_spaces; s != NULL; s = s->next) {
        active |= s->domain != 0 ? s->shared : 0;
    }
    uint32_t domain = 1;
    while (domain < DOMAINS && (shared[domain].members == 0 || (active >> domain & 1) != 0)) {
        domain++;
    }
    return domain;
}

/* The space gets a domain: a free one, or another's. */
static void take_domain(struct switch_state *to) {
    uint32_t domain = free_domain();
    if (domain == DOMAINS) {
        uint32_t before = epoch;
        uint32_t idle = idle_shared();
        if (idle != DOMAINS) {
            recycle_shared(idle);
        } else {
            recycle(0);
        }
        if (epoch != before) {
            /* The space that is left does not go on: it is clean as well. */
            hot.scheme.dirty = 0;
            if (hot.space != NULL) {
                disarm(&hot.space->scheme);
            }
        }
        domain = free_domain();
    }
    set_domain(to, domain);
    count_event(PROBE_EVENT_DOMAIN_ALLOC);
}

/* Marks the space's domains. Else that is done only for the space in force (update_access), and for
 * a section that becomes shared. */
void switch_prepare(struct space *space) {
    struct switch_state *to = &space->scheme;
    if (to->domain == 0) {
        take_domain(to);
    }
    hot.scheme.dirty |= to->dirty;
    to->switch_pid = to->pid;
}

/* ---- shared sections ---- */

static struct space *space_of(struct switch_state *s) {
    return (struct space *)(void *)((char *)s - offsetof(struct space, scheme));
}

static void join(struct switch_state *s, uint32_t domain) {
    s->shared |= 1u << domain;
    shared[domain].members++;
    update_access(s);
}

/* A domain for a shared section, while `keep` is needed; never that of the space in force. */
static uint32_t take_shared_domain(uint32_t keep) {
    uint32_t domain = free_domain();
    if (num_shared == MAX_SHARED) {
        do {
            next_shared = next_shared % (DOMAINS - 1) + 1;
        } while (shared[next_shared].members == 0);
        recycle_shared(next_shared);
        domain = free_domain();
    } else if (domain == DOMAINS) {
        recycle(1u << keep);
        domain = free_domain();
    }
    return domain;
}

/*
 * The space in force wants a section that others have in the CPD. True: its own pages there are
 * theirs, and it has them from here on. Whoever has it may also have it as low memory of its own
 * slot: then the table is not that of this section in its directory, and nothing is shared.
 */
static bool share_entry(struct switch_state *s, uint32_t section, uint32_t value) {
    uint32_t domain = ENTRY_DOMAIN(cpd[section]);
    struct switch_state *owner = holder[domain];
    bool writable;
    if (owner != NULL &&
        ((space_of(owner)->directory[section] ^ cpd[section]) & ~ENTRY_DOMAIN_MASK) != 0) {
        return false;
    }
    if (!ptab_same_pages(cpd[section], value, &writable)) {
        return false;
    }
    if (owner != NULL) {
        uint32_t fresh = take_shared_domain(domain);
        unlink_section(section, domain);
        cpd[section] = (cpd[section] & ~ENTRY_DOMAIN_MASK) | fresh << 5;
        link_section(section, fresh);
        ptab_publish();
        flush_tlbs();
        shared[fresh].writable = writable;
        num_shared++;
        hot.scheme.dirty |= writable ? 1u << fresh : 0; /* the owner may have written */
        join(owner, fresh);
        domain = fresh;
    }
    join(s, domain);
    count_event(PROBE_EVENT_SECTION_SHARED);
    return true;
}

/*
 * The member's table has changed, or is about to go (`gone`): what the others share is no longer
 * its. Alone, it is a section of its own in all but the domain.
 */
static void leave(struct space *space, uint32_t section, bool gone) {
    struct switch_state *s = &space->scheme;
    uint32_t domain = ENTRY_DOMAIN(cpd[section]);
    if (shared[domain].members == 1) {
        if (gone) {
            remove_entry(section);
            ptab_publish();
            flush_tlbs();
        }
        return;
    }
    shared[domain].members--;
    s->shared &= ~(1u << domain);
    update_access(s);
    if (((space->directory[section] ^ cpd[section]) & ~ENTRY_DOMAIN_MASK) == 0) {
        struct switch_state *other = all_spaces;
        while ((other->shared >> domain & 1) == 0) {
            other = other->next;
        }
        cpd[section] = space_of(other)->directory[section] | domain << 5;
        ptab_publish();
    }
}

/* A page-table entry of the space has changed. */
static void changed(struct space *space, uint32_t va, bool writable) {
    uint32_t section = va >> 20;
    if (va >= CPU_PID_SLOT_SIZE && is_member(&space->scheme, section)) {
        uint32_t domain = ENTRY_DOMAIN(cpd[section]);
        leave(space, section, false);
        if (writable && is_member(&space->scheme, section)) {
            shared[domain].writable = true;
            update_access(&space->scheme);
        }
    }
}

/* ---- PID slots ---- */

static bool slot_is_usable(const struct space *space, uint32_t slot) {
    for (uint32_t i = 0; i < CPD_RELOCATED; i++) {
        if (space->directory[slot * CPD_RELOCATED + i] != 0) {
            return false;
        }
    }
    return true;
}

/*
 * The slot in which the fewest others are. Not one that the space maps by its unrelocated addresses
 * as well: those have the same mva. Slot 0, which relocates nothing, is right for every space but
 * shared by all that are not relocated, so it is the last resort. Slots where other spaces have
 * unrelocated pages (a device mapped 1:1, say), and with more than 63 spaces slots of others, make
 * collisions, which cost time but are handled.
 *
 * From the top: the processor gives a program its own low memory at its slot's unrelocated
 * addresses too, and nothing faults there until the space maps something else there (move_slot).
 * Programs that have more than 32 MB grow upwards, so the top slots are the last that they reach.
 */
static uint32_t choose_slot(const struct space *space) {
    uint32_t best = 0, best_others = ~0u;
    for (uint32_t slot = CPU_PID_SLOTS - 1; slot > 0; slot--) {
        uint32_t others = slot_users[slot] + slot_unrelocated[slot];
        if (others < best_others && slot_is_usable(space, slot)) {
            best = slot;
            best_others = others;
            if (others == 0) {
                break;
            }
        }
    }
    return best;
}

static void set_slot(struct switch_state *s, uint32_t slot) {
    s->slot = (uint8_t)slot;
    s->pid = slot << CPU_PID_SLOT_SHIFT;
    disarm(s);
    slot_users[slot]++;
}

/* The space is about to map into its slot's own range of addresses: it needs another slot. Its
 * lines and entries under the old mva must go first. */
static void move_slot(struct space *space) {
    struct switch_state *s = &space->scheme;
    if (s->domain != 0) {
        remove_entries_of(s->domain);
    }
    flush_caches();
    flush_tlbs();
    slot_users[s->slot]--;
    set_slot(s, choose_slot(space));
    if (hot.space == space) {
        cpu_set_pid(s->pid);
    }
}

/* ---- the contract ---- */

void switch_init(void) {
    cpd = ptab_kernel_directory;
    cpu_set_dacr(DACR_KERNEL);
    cpu_set_pid(0);
}

bool switch_space_init(struct space *space) {
    set_slot(&space->scheme, choose_slot(space));
    space->scheme.next = all_spaces;
    all_spaces = &space->scheme;
    return true;
}

void switch_space_free(struct space *space) {
    struct switch_state *s = &space->scheme;
    kernel_assert(hot.space != space);
    while (s->shared != 0) {
        uint32_t domain = (uint32_t)__builtin_ctz(s->shared);
        leave(space, domain_sections[domain] - 1u, true);
    }
    if (s->domain != 0) {
        lose_domain(s);
        flush_tlbs();
    }
    if (s->ghost_epoch == epoch) {
        flush_caches();
    }
    slot_users[s->slot]--;
    struct switch_state **at = &all_spaces;
    while (*at != s) {
        at = &(*at)->next;
    }
    *at = s->next;
}

/*
 * The CPD's entry is found by where the space's entry would be, and known by its domain, whatever
 * the space's own directory says (pitfalls.md, FASS 3).
 */
void switch_set_directory(struct space *space, uint32_t index, uint32_t value) {
    struct switch_state *s = &space->scheme;
    uint32_t section = section_of(s, index << 20);
    bool had = space->directory[index] != 0;
    bool has = value != 0;
    space->directory[index] = value;
    if (index >= CPD_RELOCATED && index / CPD_RELOCATED < CPU_PID_SLOTS) {
        slot_unrelocated[index / CPD_RELOCATED] += (uint32_t)has - (uint32_t)had;
    }
    if (owns_entry(s, section)) {
        remove_entry(section);
        ptab_publish();
        flush_tlbs();
    } else {
        ptab_publish();
    }
    if (!had && has && s->slot != 0 && index / CPD_RELOCATED == s->slot) {
        move_slot(space);
    }
}

/* Operations by mva on addresses that the PID register could relocate: only spaces in slot 0 have
 * such mva. Rare, so everything is flushed. */
static bool is_ambiguous(uint32_t mva) {
    return mva < CPU_PID_SLOT_SIZE;
}

/* Of a page of the space. A TLB may hold a large one as several entries. */
static void forget_translation(const struct switch_state *s, uint32_t mva, uint32_t size) {
    if ((s->domain | s->shared) == 0) {
        return;
    }
    if (is_ambiguous(mva) || size != PAGE_SIZE) {
        flush_tlbs();
    } else {
        cpu_invalidate_dtlb_entry(mva);
    }
}

void switch_map(struct space *space, uint32_t va, uint32_t size, bool writable, bool was_valid) {
    struct switch_state *s = &space->scheme;
    if (was_valid) {
        forget_translation(s, mva_of(s, va), size);
    }
    if (writable && !s->writable) {
        s->writable = true;
        if (s->domain != 0) {
            update_access(s);
        }
    }
    changed(space, va, writable);
}

void switch_unmap(struct space *space, uint32_t va, uint32_t size, enum unmap what,
                  uint32_t cached) {
    struct switch_state *s = &space->scheme;
    uint32_t mva = mva_of(s, va);
    if (cached != 0 && !all_clean && may_have_lines(s, section_of(s, va))) {
        cleaned += size;
        if (is_ambiguous(mva) || cleaned > CPU_CLEAN_MAX) {
            flush_caches();
            all_clean = true;
        } else {
            cpu_clean_dcache_range(mva, size, what == UNMAP_GONE);
        }
        unmapped_cache |= (cached & CACHED_CODE) != 0;
    }
    forget_translation(s, mva, size);
    unmapped_tlb |= (s->domain | s->shared) != 0;
    changed(space, va, false);
}

void switch_unmap_finish(void) {
    cpu_drain_write_buffer();
    cpu_flush_read_buffer();
    if (unmapped_tlb) {
        cpu_invalidate_itlb();
    }
    if (unmapped_cache) {
        cpu_invalidate_icache();
    }
    unmapped_tlb = unmapped_cache = all_clean = false;
    cleaned = 0;
}

/*
 * The machine reports the mva, QEMU the va; both lead to the same place, for a space never maps the
 * addresses of its own slot by their unrelocated va (move_slot). In slot 0 they are equal.
 */
static uint32_t va_of_fault(const struct switch_state *s, uint32_t address) {
    if (s->slot != 0 && address >> CPU_PID_SLOT_SHIFT == s->slot) {
        return address & (CPU_PID_SLOT_SIZE - 1);
    }
    return address;
}

bool switch_fault(struct space *space, uint32_t *va, uint32_t status) {
    struct switch_state *s = &space->scheme;
    (void)status; /* a missing entry faults as translation, another's as domain fault */
    *va = va_of_fault(s, *va);
    if (*va >= KERNEL_AREA) {
        return false;
    }
    uint32_t value = space->directory[*va >> 20];
    uint32_t section = section_of(s, *va);
    if (!pde_is_valid(value) || owns_entry(s, section)) {
        return false;
    }
    if (*va < CPU_PID_SLOT_SIZE || cpd[section] == 0 || !share_entry(s, section, value)) {
        load_entry(s, section, value);
    }
    return true;
}

void switch_window(struct space *space, uint32_t va, uint32_t size) {
    struct switch_state *s = &space->scheme;
    if (may_have_lines(s, section_of(s, va))) {
        uint32_t mva = mva_of(s, va);
        if (is_ambiguous(mva)) {
            flush_caches();
        } else {
            cpu_clean_dcache_range(mva, size, 1);
            cpu_drain_write_buffer();
        }
    }
}

bool switch_synonym(const struct space *a, uint32_t va_a, const struct space *b, uint32_t va_b) {
    return mva_of(&a->scheme, va_a) != mva_of(&b->scheme, va_b);
}
