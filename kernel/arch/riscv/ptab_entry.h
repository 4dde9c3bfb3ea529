/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The form of page tables: Sv39, three levels of 512 entries (Privileged Architecture, "Sv39").
 *
 *   table      . 10 | page number 44 | .  . | D A G U X W R V, of which V alone
 *   page       . 10 | page number 44 | C  B | D A G U X W R V
 *   inactive   . 10 | page number 44 | .  1 | V is 0
 *
 * A page of 2 MB is such an entry at level 1. Bits 8 and 9 are the kernel's: of a valid page how it
 * is mapped (ptab.h), and whether one that is not valid is mapped. A and D are set from the start:
 * some processors would raise a page fault to have them set. X is set when a program fetches from
 * the page for the first time, after FENCE.I (ptab_execute). After each table of level 0 lies
 * another of as many words, which the hardware knows nothing of: for a page of 4 KB its node in the
 * mapping database, if somebody has noted it. Only ptab.c, schemes, space.c and, for the answer to
 * a page fault, map_page.h include this.
 */
#ifndef PTAB_ENTRY_H
#define PTAB_ENTRY_H

#include "cpu.h"
#include "kmem.h"
#include "ptab.h"
#include "spaces.h"

#define ENTRIES_PER_TABLE 512u
#define TABLE_SIZE        (ENTRIES_PER_TABLE * sizeof(pte_t))
#define TABLE_ORDER       1u /* pages of a table with its nodes, as log2 */

#define ENTRY_V       ((pte_t)0x01)
#define ENTRY_R       ((pte_t)0x02)
#define ENTRY_W       ((pte_t)0x04)
#define ENTRY_X       ((pte_t)0x08)
#define ENTRY_U       ((pte_t)0x10)
#define ENTRY_A       ((pte_t)0x40)
#define ENTRY_D       ((pte_t)0x80)
#define ENTRY_LEAF    (ENTRY_R | ENTRY_X)
#define ENTRY_CB_FROM 6u /* MAPPING_CACHEABLE and _BUFFERABLE are bits 9 and 8 */
#define ENTRY_CB      ((MAPPING_CACHEABLE | MAPPING_BUFFERABLE) << ENTRY_CB_FROM)

/* Of a cached page of 4 KB, beside its frame: inactive, or valid and perhaps writable, too. */
#define ENTRY_INACTIVE ((pte_t)0x100)
#define ENTRY_READABLE (ENTRY_V | ENTRY_R | ENTRY_U | ENTRY_A | ENTRY_CB)
#define ENTRY_WRITABLE (ENTRY_W | ENTRY_D)

typedef word_t pte_t;

/* A frame's address, and its place in an entry. */
static inline pte_t entry_of_frame(word_t pa) {
    return pa >> 2;
}

static inline word_t frame_of_entry(pte_t e) {
    return (e & ~(pte_t)0x3ff) << 2;
}

/* The bits of a page's entry beside its frame. */
static inline pte_t entry_bits(mapping_t m) {
    if ((m & MAPPING_VALID) == 0) {
        return ENTRY_INACTIVE;
    }
    return ENTRY_V | ENTRY_R | ENTRY_U | ENTRY_A |
           ((m & MAPPING_WRITABLE) != 0 ? ENTRY_WRITABLE : 0) |
           (m & (MAPPING_CACHEABLE | MAPPING_BUFFERABLE)) << ENTRY_CB_FROM;
}

/* What they say, without size and frame. */
static inline mapping_t mapping_bits(pte_t e) {
    if ((e & ENTRY_V) == 0) {
        return 0;
    }
    return MAPPING_VALID | ((e & ENTRY_W) != 0 ? MAPPING_WRITABLE : 0) |
           (e & ENTRY_CB) >> ENTRY_CB_FROM;
}

static inline bool is_table(pte_t e) {
    return (e & (ENTRY_V | ENTRY_LEAF)) == ENTRY_V;
}

static inline void assert_table(pte_t e) {
    kernel_assert(is_table(e));
}

/* (A page of 4 KB has no parts.) */
static inline void assert_splits(enum page_size size) {
    kernel_assert(size == SIZE_2M);
}

static inline pte_t *table_of(pte_t e) {
    return heap_pa_to_uncached(frame_of_entry(e));
}

static inline pte_t table_entry(const pte_t *table) {
    return entry_of_frame(heap_uncached_to_pa(table)) | ENTRY_V;
}

#define PTAB_ROOT       2u  /* the level of a root */
#define PTAB_ABOVE_LOG2 30u /* of what an entry there leads to */

static inline word_t ptab_index(word_t va, word_t level) {
    return va >> (12 + 9 * level) & (ENTRIES_PER_TABLE - 1);
}

static inline word_t size_entries(enum page_size size) {
    (void)size;
    return 1;
}

static inline pte_t section_entry(mapping_t m) {
    return entry_of_frame(m & ~SECTION_MASK) | entry_bits(m);
}

static inline pte_t page_entry(const struct space *space, mapping_t m) {
    (void)space;
    return entry_of_frame(m & ~PAGE_MASK) | entry_bits(m);
}

static inline mapping_t section_mapping(pte_t e, word_t va) {
    return frame_of_entry(e) | (va & SECTION_MASK & ~PAGE_MASK) | SIZE_2M | mapping_bits(e);
}

static inline mapping_t page_mapping(pte_t e, word_t va) {
    (void)va;
    return frame_of_entry(e) | SIZE_4K | mapping_bits(e);
}

/* The table of level 1 for `va`; NULL: there is none. */
static inline pte_t *middle_table(const struct space *space, word_t va) {
    pte_t e = va >= KERNEL_AREA ? 0 : space->directory[ptab_index(va, PTAB_ROOT)];
    return e == 0 ? NULL : table_of(e);
}

static inline bool section_is_used(const struct space *space, word_t index) {
    const pte_t *table = middle_table(space, index << SECTION_LOG2);
    return table != NULL && table[index & (ENTRIES_PER_TABLE - 1)] != 0;
}

/* Where nothing is mapped at `va` for want of a table above level 1: log2 of how far that reaches;
 * else 0. */
static inline word_t ptab_gap(const struct space *space, word_t va) {
    return middle_table(space, va) == NULL ? PTAB_ABOVE_LOG2 : 0;
}

/* Entries in use, by the table's place in the heap. */
extern uint16_t table_used[HEAP_SIZE / TABLE_SIZE];

static inline uint16_t *used(const pte_t *table) {
    return &table_used[((word_t)table - HEAP_UNCACHED_VA) / TABLE_SIZE];
}

/* Where the entry of `va` is; NULL: there is no table. The table is kept at hand: those above it
 * are only looked at if the last look was into another. */
static inline pte_t *entry_at(struct space *space, word_t va) {
    if (unlikely(space->table_section != va >> SECTION_LOG2)) {
        const pte_t *middle = middle_table(space, va);
        pte_t e = middle == NULL ? 0 : middle[ptab_index(va, 1)];
        if (!is_table(e)) {
            return NULL;
        }
        space->table = table_of(e);
        space->table_section = va >> SECTION_LOG2;
    }
    return &space->table[ptab_index(va, 0)];
}

/* Where the node of the entry's page is noted; it is NULL where nobody has. */
static inline struct node **entry_node(pte_t *entry) {
    return (struct node **)(entry + ENTRIES_PER_TABLE);
}

/*
 * A place where nothing is mapped, found when a program faulted there, as its pager is likely to
 * map something there next. Whatever puts an entry or a table anywhere forgets it. (No fault path
 * finds one yet.)
 */
struct ptab_fault_slot {
    const struct space *space; /* NULL: none */
    word_t va;
    pte_t *entry;
};
extern struct ptab_fault_slot ptab_fault_slot;

/* An entry that was 0 is not any more. Not published. */
static inline void entry_fill(const struct space *space, pte_t *entry, pte_t value) {
    (void)space;
    *entry = value;
    table_used[((word_t)entry - HEAP_UNCACHED_VA) / TABLE_SIZE]++;
    ptab_fault_slot.space = NULL;
}

/* The table that the entry is in. */
static inline const pte_t *table_with(const pte_t *entry) {
    return (const pte_t *)((word_t)entry & ~(TABLE_SIZE - 1));
}

static inline void entry_publish(void) {
    cpu_drain_write_buffer();
}

#endif
