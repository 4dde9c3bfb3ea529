/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Page tables: the walker (ptab_walk.h, ptab_write.h) on entries of this form (ptab_entry.h).
 */
#include "ptab_entry.h"

static void *table_alloc(void) {
    return kmem_alloc_uncached(TABLE_ORDER);
}

static void table_free(void *table) {
    kmem_free_uncached(table, TABLE_ORDER);
}

static pte_t *kernel_table; /* of the 4 MB at PAGES_VA */

struct ptab_fault_slot ptab_fault_slot = {.space = NULL}; /* no fault path finds one yet */

#include "ptab_walk.h"

/* The entry of a page of 4 KB. Not published. */
#define page_write(space, entry, m) (*(entry) = page_entry(space, m))

/* ... which was another's. (A macro: the value is worked out before its place is looked up.) */
#define page_change(space, entry, m) (ptab_fault_slot.space = NULL, page_write(space, entry, m))

/* ... which was 0. */
static inline __attribute__((always_inline)) void page_fill(const struct space *space, pte_t *entry,
                                                            mapping_t m) {
    entry_fill(space, entry, page_bits(m));
}

#include "ptab_write.h"

/* ---- the kernel's own ---- */

static pte_t *kernel_entry(uint32_t va) {
    return &kernel_table[va / PAGE_SIZE % ENTRIES_PER_TABLE];
}

uint32_t ptab_open_window(uint32_t pa) {
    static uint32_t number;
    uint32_t va = WINDOWS_VA + (number++ % WINDOWS) * PAGE_SIZE;
    *kernel_entry(va) = pa | ENTRY_P | ENTRY_W | ENTRY_PCD | ENTRY_PWT | ENTRY_GLOBAL;
    cpu_invalidate_page(va);
    return va;
}

void ptab_init(void) {
    /* The page that every program may read, at UTCB_SEGMENT_VA, and the kernel may write. */
    static uint32_t utcb_pointer_frame[PAGE_SIZE / 4] __attribute__((aligned(4096)));
    uint32_t pa = (uint32_t)utcb_pointer_frame - KERNEL_VA + KERNEL_PA;
    kernel_table = ptab_alloc_table();
    kernel_assert(kernel_table != NULL);
    *kernel_entry(UTCB_SEGMENT_VA) = pa | ENTRY_P | ENTRY_U | ENTRY_GLOBAL;
    *kernel_entry(UTCB_POINTER_VA) = pa | ENTRY_P | ENTRY_W | ENTRY_GLOBAL;
    ptab_kernel_directory[PAGES_VA >> SECTION_LOG2] =
        heap_uncached_to_pa(kernel_table) | ENTRY_TABLE;
}
