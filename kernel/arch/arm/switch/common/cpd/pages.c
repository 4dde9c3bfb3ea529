/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pages of spaces that have a caching page directory in common: what becomes of their TLB entries
 * and lines when they change.
 */
#include "bypass.h"
#include "domains.h"
#include "pid_slots.h"
#include "state.h"

/* May lines of this space be cached in the section? */
static inline bool may_have_lines(const struct switch_state *s, uint32_t section) {
    if (is_bypassing(s)) {
        return bypass_in_force(s);
    }
    return owns_entry(s, section) ||
           (cpd.section[section].stale_epoch == cpd.epoch &&
            (cpd.section[section].stale_owner == s || cpd.section[section].stale_owner == NULL));
}

/* Since the last switch_unmap_finish: what is left to do, how many bytes were cleaned by line, and
 * has everything been? */
static struct {
    bool tlb, icache, all_clean;
    uint32_t cleaned;
} unmapped;

/* May the TLBs have any of the space's? */
static bool has_translations(const struct switch_state *s) {
    return is_bypassing(s) ? bypass_in_force(s) : domains_of(s) != 0;
}

/* Of a page of the space. A TLB may hold a large one as several entries. */
static void forget_translation(const struct switch_state *s, uint32_t mva, uint32_t size) {
    if (!has_translations(s)) {
        return;
    }
    if (is_ambiguous(s, mva) || size != PAGE_SIZE) {
        cpu_flush_tlbs();
    } else {
        cpu_invalidate_dtlb_entry(mva);
    }
}

void switch_map(struct space *space, uint32_t va, uint32_t size, bool writable, bool was_valid) {
    struct switch_state *s = &space->scheme;
    cpd.mapped = MAPPED_RUNS;
    if (was_valid) {
        forget_translation(s, mva_of(s, va), size);
    }
    if (writable && !s->writable) {
        s->writable = true;
        if (s->domain != 0) {
            domain_update_access(s);
        }
    }
    sharing_changed(space, va, writable);
}

void switch_unmap(struct space *space, uint32_t va, uint32_t size, enum unmap what,
                  uint32_t cached) {
    const struct switch_state *s = &space->scheme;
    uint32_t mva = mva_of(s, va);
    if (cached != 0 && !unmapped.all_clean && may_have_lines(s, section_of(s, va))) {
        unmapped.cleaned += size;
        if (is_ambiguous(s, mva) || unmapped.cleaned > CPU_CLEAN_MAX) {
            cpd_flush();
            unmapped.all_clean = true;
        } else {
            cpu_clean_dcache_range(mva, size, what == UNMAP_GONE);
        }
        unmapped.icache |= (cached & CACHED_CODE) != 0;
    }
    forget_translation(s, mva, size);
    unmapped.tlb |= has_translations(s);
    sharing_changed(space, va, false);
}

void switch_unmap_finish(void) {
    cpu_drain_write_buffer();
    cpu_flush_read_buffer();
    if (unmapped.tlb) {
        cpu_invalidate_itlb();
    }
    if (unmapped.icache) {
        cpu_invalidate_icache();
    }
    unmapped.tlb = unmapped.icache = unmapped.all_clean = false;
    unmapped.cleaned = 0;
}

void switch_window(struct space *space, uint32_t va, uint32_t size) {
    const struct switch_state *s = &space->scheme;
    if (may_have_lines(s, section_of(s, va))) {
        uint32_t mva = mva_of(s, va);
        if (is_ambiguous(s, mva)) {
            cpd_flush();
        } else {
            cpu_clean_dcache_range(mva, size, 1);
            cpu_drain_write_buffer();
        }
    }
}

/* Never low memory of two spaces, nor that of one and what another has at its slot, though their
 * mva may be equal: a space gets another slot (slot_move), and the answer must not change. Nor does
 * it when a space begins to bypass the CPD. */
bool switch_synonym(const struct space *a, uint32_t va_a, const struct space *b, uint32_t va_b) {
    return va_a != va_b || (va_a < CPU_PID_SLOT_SIZE && a != b);
}
