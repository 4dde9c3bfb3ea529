/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The caching page directory (CPD): the one directory that the processor walks, whose entries are
 * copied from the directories of several spaces and tagged with domains. The files of this folder
 * are its parts; schemes that have it include this header, and with it theirs.
 *
 * Cache lines are tagged by mva and carry no domain; TLB entries carry the domain they were walked
 * with. A line or TLB entry can exist only for an mva whose CPD entry is (or was) loaded, so the
 * 1 MB sections of the CPD are what is accounted by:
 *
 *   - A section whose CPD entry is loaded belongs to the holder of that domain; or, where the
 * scheme has that, to the members of a shared section, which has a domain of its own and no holder.
 *   - A section whose entry was removed without a flush is a *ghost* of its last space until the
 *     next full flush: lines of that space may still be in the caches. Another space that loads
 *     the section must flush first. `epoch` counts full flushes, so one flush ends all ghosts.
 *     A full flush is one of caches and TLBs. Lines and TLB entries are left since then by spaces
 *     that were in force since then (`hot.scheme.ran`), and by no others: so what a space holds
 *     that has not run can be given away without any flush. One more can leave a TLB entry, a space
 *     whose access is denied because the section is another's: the walk has brought in that other's
 *     entry. So each such fault flushes the TLBs (cpd_missing_entry, cpd_load_entry).
 *   - A section for which a space has collided is *contested* by it. A space that is switched to
 *     takes back all that it contests, with one flush at most (cpd_exchange), where by faults it
 *     would be one each. The space that is left is not touched any more before the switch, so that
 *     flush makes it clean as well. Contested sections are in the space's own short list and not in
 *     their domain's. After CONTESTED_AGE exchanges a space gives the list up: what it does not use
 *     any more it does not take again.
 *   - A space that collides whenever it is switched to steps *aside* (aside.h): it has no domain,
 *     no CPD entry of its own, and is switched to as scheme `flush` does.
 *
 * What is flushed when (what concerns shared sections is in fass-shared/switch_impl.c):
 *   switch to a space with a domain    nothing
 *   free domain taken                  nothing (it was freed with a TLB flush)
 *   domain recycled                    nothing; TLBs, if its space has run since the last flush
 *                                      (its entries carry the domain's number)
 *   CPD entry loaded, section unused   nothing (TLBs keep no invalid entries)
 *   CPD entry loaded over a ghost      caches
 *   CPD entry loaded over another's    caches and TLBs (a collision); TLBs, if that one has not run
 *   contested entries taken back       caches and TLBs, once; nothing, if no other has run
 *   to or from a space that is aside   caches and TLBs, once; another directory
 *   access denied by another's entry   TLBs
 *   page table or section removed      TLBs; its pages' lines were cleaned page by page
 *   space deleted                      caches and TLBs, if it can have left anything
 *
 * The published scheme keeps no record of a section once its entry is gone, and so empties the
 * caches when a dirty domain is recycled. Ghosts are such a record: with them that flush waits
 * until a section does change hands, which spaces with slots of their own hardly ever do. (A shared
 * section's ghost has no owner whose own return would be free; its domain is recycled as
 * published.)
 *
 * A line of a space without a domain is harmless where it is: nobody can reach it, it is written
 * back to its own frame (lines keep the pa), and switch_unmap finds it by the ghost. So isolation
 * rests on three rules: no DACR opens a domain before the TLB lost the former holder's
 * entries; no section changes hands with lines in the caches; no frame is reused before its lines
 * are gone.
 *
 * How tests can provoke the known faults (pitfalls.md, FASS): 20 spaces with private pages at equal
 * va, each checked after random switches (1, 5, 6: collisions stay 0); two spaces with different
 * data at one high va (collision); unmap of 1 MB, then reuse of the memory (3, 9); a space that
 * maps into its own PID slot's range (slot_move).
 */
#ifndef CPD_H
#define CPD_H

#include "aside.h"
#include "domains.h"
#include "pid_slots.h"
#include "ptab.h"

#define SECTIONS          4096u
#define CONTESTED_AGE     32u /* assumed: taking them by faults once costs little of 32 flushes */
#define ENTRY_DOMAIN_MASK (0xfu << 5)
#define ENTRY_DOMAIN(e)   ((e) >> 5 & 0xf)

/* One object, so that functions reach all of it from one address; what belongs together shares a
 * cache line. */
struct cpd {
    uint32_t *entries;
    uint32_t epoch;
    uint32_t mapped; /* so many stays of spaces are still near a page that was mapped (aside.h) */
    /* The sections of each domain, a list through their numbers; 0 ends it (section 0 is in slot 0,
     * and linked like any other: the lists hold section + 1). A list may have sections that another
     * has taken since; none is in two. `list` is the domain whose list it is in, 0 = none. */
    uint16_t first[DOMAINS];
    struct {
        uint16_t next, previous, list;
        uint32_t ghost_epoch;
        struct switch_state *ghost; /* NULL: of the members of a shared section */
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
static inline bool cpd_has_ghost(const struct switch_state *s, uint32_t section) {
    return cpd.section[section].ghost_epoch == cpd.epoch && cpd.section[section].ghost != s;
}

/* May lines of this space be cached in the section? */
static inline bool may_have_lines(const struct switch_state *s, uint32_t section) {
    if (is_aside(s)) {
        return aside_in_force(s);
    }
    return owns_entry(s, section) ||
           (cpd.section[section].ghost_epoch == cpd.epoch &&
            (cpd.section[section].ghost == s || cpd.section[section].ghost == NULL));
}

/* Afterwards no line of any program is cached, nor any TLB entry, so no domain is dirty but those
 * of the space in force, which goes on; or goes not (`to_leave`): then none. */
void cpd_flush(void);
void cpd_flush_to_leave(void);

/* What cpd_flush_to_leave does but for the flush itself, which the caller is about to do. */
void cpd_account_flush(void);

/* The section is one of the domain's list, and of no other's. */
void cpd_list(uint32_t section, uint32_t domain);

/* Removes a loaded entry. The caller publishes, flushes the TLBs, and sees to it that the domain's
 * holder is still on record. */
void cpd_remove_entry(uint32_t section);

/* All of a domain; the caller flushes the TLBs. */
void cpd_remove_entries_of(uint32_t domain);

/* The section is none of the space's contested ones any more. */
void cpd_uncontest(struct switch_state *s, uint32_t section);

/* A space with contested sections and a domain is about to be switched to: takes them back. */
void cpd_exchange(struct space *space);

/* Puts the entry of a space with a domain into the CPD, at the place of whatever is there. */
void cpd_load_entry(struct switch_state *s, uint32_t section, uint32_t value);

/* A space that ends. */
void cpd_forget_space(struct space *space);

/*
 * A fault in the space in force at *va, which is converted: the directory entry that the CPD lacks,
 * or 0 if it is not at fault. A missing entry faults as translation, another's as domain fault, or
 * as translation fault of its table. Where the status has the domain (all but the first), it tells
 * whose entry it is.
 */
static inline uint32_t cpd_missing_entry(const struct space *space, uint32_t *va, uint32_t status) {
    const struct switch_state *s = &space->scheme;
    *va = va_of_fault(s, *va);
    if (is_aside(s)) {
        return 0;
    }
    if ((domains_of(s) >> (status >> 4 & 0xf) & 1) != 0 &&
        FSR_STATUS(status) != FSR_TRANSLATION_SECTION) {
        return 0;
    }
    if (*va >= KERNEL_AREA) {
        return 0;
    }
    uint32_t section = section_of(s, *va);
    uint32_t value = space->directory[*va >> 20];
    if (owns_entry(s, section)) {
        return 0;
    }
    if (!pde_is_valid(value)) {
        if (cpd.entries[section] != 0) {
            cpu_flush_tlbs(); /* the walk has brought in what the space must not have */
        }
        return 0;
    }
    return value;
}

#endif
