/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The form of page tables: two levels of 1024 entries, directory entries of 4 MB (SDM vol.
 * 3, 3.7.6).
 *
 *   table        pa 20 | .                                       | U/S R/W P
 *   large page   pa 10 | .      | buffered cached . | PS . . | PCD PWT U/S R/W P
 *   page         pa 20 | inactive  buffered cached . | .  D A | PCD PWT U/S R/W P
 *
 * Bits 9 to 11 are the kernel's: 9 and 10 say how the page is mapped when it is valid, 11 that it
 * is mapped but inactive (P is 0). The processor sets A and D; nobody looks at them. After each
 * table lies another of as many words, which the hardware knows nothing of: for a page of 4 KB its
 * node in the mapping database, if somebody has noted it. Only ptab.c, schemes and, for the answer
 * to a page fault, map_page.h include this.
 */
#ifndef PTAB_ENTRY_H
#define PTAB_ENTRY_H

#include "cpu.h"
#include "kmem.h"
#include "ptab.h"
#include "spaces.h"

#define ENTRIES_PER_TABLE 1024u
#define TABLE_SIZE        (ENTRIES_PER_TABLE * 4)
#define TABLE_ORDER       1u /* pages of a table with its nodes, as log2 */

#define ENTRY_P       0x001u
#define ENTRY_W       0x002u
#define ENTRY_U       0x004u
#define ENTRY_PWT     0x008u
#define ENTRY_PCD     0x010u
#define ENTRY_USED    0x060u /* A and D */
#define ENTRY_LARGE   0x080u /* directory only */
#define ENTRY_GLOBAL  0x100u
#define ENTRY_CB_FROM 7u /* MAPPING_CACHEABLE and _BUFFERABLE are bits 9 and 10 */
#define ENTRY_CB      ((MAPPING_CACHEABLE | MAPPING_BUFFERABLE) << ENTRY_CB_FROM)

/* A table for programs: what they may do is in its entries. */
#define ENTRY_TABLE (ENTRY_P | ENTRY_W | ENTRY_U)

/* Of a cached page of 4 KB, beside its frame: inactive, or valid and perhaps writable, too. */
#define ENTRY_INACTIVE 0x800u
#define ENTRY_READABLE (ENTRY_P | ENTRY_U | ENTRY_CB)
#define ENTRY_WRITABLE ENTRY_W

typedef uint32_t pte_t;

/* The entry of a page of this space: what the scheme wants of valid ones is added (flag G). */
static inline pte_t entry_of_space(const struct space *space, pte_t entry) {
    (void)space;
    return (entry & ENTRY_P) != 0 ? entry | SWITCH_PAGE_BITS(space) : entry;
}

/* The bits of a page's entry below its frame. */
static inline pte_t entry_bits(mapping_t m) {
    if ((m & MAPPING_VALID) == 0) {
        return ENTRY_INACTIVE;
    }
    return ENTRY_P | ENTRY_U | ((m & MAPPING_WRITABLE) != 0 ? ENTRY_W : 0) |
           ((m & MAPPING_CACHEABLE) != 0 ? 0 : ENTRY_PCD) |
           ((m & MAPPING_BUFFERABLE) != 0 ? 0 : ENTRY_PWT) |
           (m & (MAPPING_CACHEABLE | MAPPING_BUFFERABLE)) << ENTRY_CB_FROM;
}

/* What they say, without size and frame. */
static inline mapping_t mapping_bits(pte_t e) {
    if ((e & ENTRY_P) == 0) {
        return 0;
    }
    return MAPPING_VALID | ((e & ENTRY_W) != 0 ? MAPPING_WRITABLE : 0) |
           (e & ENTRY_CB) >> ENTRY_CB_FROM;
}

static inline bool is_table(pte_t e) {
    return (e & (ENTRY_P | ENTRY_LARGE)) == ENTRY_P;
}

static inline void assert_table(pte_t e) {
    kernel_assert(is_table(e));
}

/* (A page of 4 KB has no parts.) */
static inline void assert_splits(enum page_size size) {
    kernel_assert(size == SIZE_4M);
}

static inline pte_t *table_of(pte_t e) {
    return heap_pa_to_uncached(e & ~PAGE_MASK);
}

static inline pte_t table_entry(const pte_t *table) {
    return heap_uncached_to_pa(table) | ENTRY_TABLE;
}

#define PTAB_ROOT 1u /* the level of a directory */

static inline uint32_t ptab_index(uint32_t va, uint32_t level) {
    return level == 1 ? va >> SECTION_LOG2 : va / PAGE_SIZE % ENTRIES_PER_TABLE;
}

static inline uint32_t size_entries(enum page_size size) {
    (void)size;
    return 1;
}

static inline pte_t section_entry(mapping_t m) {
    pte_t large = (m & MAPPING_VALID) != 0 ? ENTRY_LARGE : 0;
    return (m & ~SECTION_MASK) | entry_bits(m) | large;
}

/* As long as it is nobody's. */
static inline pte_t page_bits(mapping_t m) {
    return (m & ~PAGE_MASK) | entry_bits(m);
}

static inline __attribute__((always_inline)) pte_t page_entry(const struct space *space,
                                                              mapping_t m) {
    return entry_of_space(space, page_bits(m));
}

static inline __attribute__((always_inline)) mapping_t section_mapping(pte_t e, uint32_t va) {
    return (e & ~SECTION_MASK) | (va & SECTION_MASK & ~PAGE_MASK) | SIZE_4M | mapping_bits(e);
}

static inline __attribute__((always_inline)) mapping_t page_mapping(pte_t e, uint32_t va) {
    (void)va;
    return (e & ~PAGE_MASK) | SIZE_4K | mapping_bits(e);
}

/* A frame's address at its place in an entry. */
static inline pte_t entry_of_frame(uint32_t pa) {
    return pa;
}

static inline bool section_is_used(const struct space *space, uint32_t index) {
    return space->directory[index] != 0;
}

/* Where nothing is mapped at `va` for want of a table above level 1, of which there are none: log2
 * of how far that reaches; else 0. */
static inline uint32_t ptab_gap(const struct space *space, uint32_t va) {
    (void)space;
    (void)va;
    return 0;
}

/* Entries in use, by the table's place in the heap. */
extern uint16_t table_used[HEAP_SIZE / TABLE_SIZE];

static inline uint16_t *used(const pte_t *table) {
    return &table_used[((uint32_t)table - HEAP_UNCACHED_VA) / TABLE_SIZE];
}

/* Where the entry of `va` is; NULL: there is no table. The table is kept at hand: the directory is
 * only looked at if the last look was into another entry of it. */
static inline pte_t *entry_at(struct space *space, uint32_t va) {
    if (unlikely(space->table_section != va >> SECTION_LOG2)) {
        pte_t e = va >= KERNEL_AREA ? 0 : space->directory[va >> SECTION_LOG2];
        if (!is_table(e)) {
            return NULL;
        }
        space->table = table_of(e);
        space->table_section = va >> SECTION_LOG2;
    }
    return &space->table[va / PAGE_SIZE % ENTRIES_PER_TABLE];
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
    uint32_t va;
    pte_t *entry;
};
extern struct ptab_fault_slot ptab_fault_slot;

/* An entry that was 0 is not any more. Not published. */
static inline void entry_fill(const struct space *space, pte_t *entry, pte_t value) {
    *entry = entry_of_space(space, value);
    table_used[((uint32_t)entry - HEAP_UNCACHED_VA) / TABLE_SIZE]++;
    ptab_fault_slot.space = NULL;
}

/* The table that the entry is in. */
static inline const pte_t *table_with(const pte_t *entry) {
    return (const pte_t *)((uint32_t)entry & ~PAGE_MASK);
}

static inline void entry_publish(void) {
    cpu_drain_write_buffer();
}

#endif
