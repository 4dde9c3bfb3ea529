/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The form of page tables: two levels, 4096 directory entries of 1 MB, tables of 256 entries
 * (ARM ARM B3.3; SA-1110 manual 7).
 *
 *   section     pa 12 | 0 8 | AP 2 | 0 | domain 4 | 1 | C B | 10
 *   large page  pa 16 | 0 4 | AP 4 x 2 | C B | 01    the same entry 16 times
 *   small page  pa 20 | AP 4 x 2 | C B | 10
 *
 * The domain is the switching scheme's. After each table lies another of as many words, which the
 * hardware knows nothing of: for a page of 4 KB its node in the mapping database, if somebody has
 * noted it. Only ptab.c and, for the answer to a page
 * fault, map_page.h include this.
 */
#ifndef PTAB_ENTRY_H
#define PTAB_ENTRY_H

#include "cpu.h"
#include "kmem.h"
#include "ptab.h"
#include "spaces.h"

#define ENTRIES_PER_TABLE 256u
#define TABLE_SIZE        (ENTRIES_PER_TABLE * 4)

/* First level. */
#define PDE_TYPE       0x003u
#define PDE_TABLE      0x011u /* coarse page table; bit 4 is to be set on this processor */
#define PDE_IS_TABLE   0x001u
#define PDE_SECTION    0x012u
#define PDE_AP_RW      0xc00u
#define PDE_AP_RO      0x800u
#define PDE_INACTIVE   0x200u /* with type 00 */
#define PDE_SECTION_PA 0xfff00000u
#define PDE_DOMAIN     0x1e0u

/* Second level. */
#define PTE_TYPE       0x003u
#define PTE_LARGE      0x001u
#define PTE_SMALL      0x002u
#define PTE_AP_RW      0xff0u /* kernel and program read and write, all four sub-pages */
#define PTE_AP_RO      0xaa0u /* program reads, kernel writes */
#define PTE_AP_KERNEL  0x550u
#define PTE_INACTIVE   0x010u /* with type 00 */
#define PTE_INACTIVE_L 0x020u /* inactive: of a large page */

/* Of a cached page of 4 KB, beside its frame: inactive, or valid and perhaps writable, too. */
#define ENTRY_INACTIVE PTE_INACTIVE
#define ENTRY_READABLE (PTE_SMALL | CB | PTE_AP_RO)
#define ENTRY_WRITABLE PTE_AP_RW

#define CB (MAPPING_CACHEABLE | MAPPING_BUFFERABLE)

typedef uint32_t pte_t;

#define PTAB_ROOT 1u /* the level of a directory */

static inline pte_t page_entry(const struct space *space, mapping_t m) {
    (void)space;
    bool large = mapping_size(m) == SIZE_64K;
    uint32_t pa = m & ~PAGE_MASK;
    if ((m & MAPPING_VALID) == 0) {
        return pa | PTE_INACTIVE | (large ? PTE_INACTIVE_L : 0);
    }
    return pa | (large ? PTE_LARGE : PTE_SMALL) | (m & CB) |
           ((m & MAPPING_WRITABLE) != 0 ? PTE_AP_RW : PTE_AP_RO);
}

static inline mapping_t page_mapping(pte_t e, uint32_t va) {
    if (e == 0) {
        return 0;
    }
    pte_t type = e & PTE_TYPE;
    bool large = type == PTE_LARGE || (type == 0 && (e & PTE_INACTIVE_L) != 0);
    uint32_t page = large ? (e & ~size_mask(SIZE_64K)) | (va & size_mask(SIZE_64K) & ~PAGE_MASK)
                          : e & ~PAGE_MASK;
    page |= large ? SIZE_64K : SIZE_4K;
    if (type == 0) {
        return page;
    }
    return page | MAPPING_VALID | (e & CB) | ((e & PTE_AP_RW) == PTE_AP_RW ? MAPPING_WRITABLE : 0);
}

static inline pte_t section_entry(mapping_t m) {
    pte_t pa = m & PDE_SECTION_PA;
    if ((m & MAPPING_VALID) == 0) {
        return pa | PDE_INACTIVE;
    }
    return pa | PDE_SECTION | ((m & MAPPING_WRITABLE) != 0 ? PDE_AP_RW : PDE_AP_RO) | (m & CB);
}

static inline mapping_t section_mapping(pte_t e, uint32_t va) {
    uint32_t page = (e & PDE_SECTION_PA) | (va & ~PDE_SECTION_PA & ~PAGE_MASK);
    if ((e & PDE_TYPE) == 0) {
        return page | SIZE_1M;
    }
    return page | SIZE_1M | MAPPING_VALID | (e & CB) |
           ((e & PDE_AP_RW) == PDE_AP_RW ? MAPPING_WRITABLE : 0);
}

static inline uint32_t ptab_index(uint32_t va, uint32_t level) {
    return level == 1 ? va >> SECTION_LOG2 : va >> 12 & (ENTRIES_PER_TABLE - 1);
}

static inline uint32_t size_entries(enum page_size size) {
    return size == SIZE_64K ? PARTS : 1;
}

static inline bool is_table(pte_t e) {
    return (e & PDE_TYPE) == PDE_IS_TABLE;
}

static inline void assert_table(pte_t pde) {
    kernel_assert((pde & PDE_TYPE) == PDE_IS_TABLE);
}

static inline void assert_splits(enum page_size size) {
    (void)size;
}

static inline pte_t *table_of(pte_t e) {
    return heap_pa_to_uncached(e & ~(TABLE_SIZE - 1));
}

static inline pte_t table_entry(const pte_t *table) {
    return heap_uncached_to_pa(table) | PDE_TABLE;
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
 * only looked at if the last look was into another megabyte. */
static inline pte_t *entry_at(struct space *space, uint32_t va) {
    if (unlikely(space->table_section != va >> 20)) {
        uint32_t pde = va >= KERNEL_AREA ? 0 : space->directory[va >> 20];
        if ((pde & PDE_TYPE) != PDE_IS_TABLE) {
            return NULL;
        }
        space->table = table_of(pde);
        space->table_section = va >> 20;
    }
    return &space->table[va >> 12 & (ENTRIES_PER_TABLE - 1)];
}

/* Where the node of the entry's page is noted; it is NULL where nobody has. */
static inline struct node **entry_node(pte_t *entry) {
    return (struct node **)(entry + ENTRIES_PER_TABLE);
}

/*
 * A place where nothing is mapped, found when a program faulted there, as its pager is likely to
 * map something there next. Whatever puts an entry or a table anywhere forgets it.
 */
struct ptab_fault_slot {
    const struct space *space; /* NULL: none */
    uint32_t va;
    pte_t *entry;
};
extern struct ptab_fault_slot ptab_fault_slot;

/* An entry that was 0 is not any more. Not published. */
static inline void entry_fill(const struct space *space, pte_t *entry, pte_t value) {
    (void)space;
    *entry = value;
    table_used[((uint32_t)entry - HEAP_UNCACHED_VA) / TABLE_SIZE]++;
    ptab_fault_slot.space = NULL;
}

/* The table that the entry is in. */
static inline const pte_t *table_with(const pte_t *entry) {
    return (const pte_t *)((uint32_t)entry & ~(TABLE_SIZE - 1));
}

static inline void entry_publish(void) {
    cpu_drain_write_buffer();
}

/*
 * Do two directory entries translate alike, by equal sections or tables of equal entries? Their
 * domains do not matter. *writable: some page of a table is cached and writable (of a section or
 * one table it is assumed).
 */
bool ptab_same_pages(uint32_t a, uint32_t b, bool *writable);

#endif
