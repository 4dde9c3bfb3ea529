/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Page tables: the walker (ptab_walk.h, ptab_write.h) on entries of this form (ptab_entry.h).
 */
#include "ptab_entry.h"

/* A table and its nodes. Both are all 0 when they are given back. */
static struct kmem_cache tables = {
    .size = 2 * TABLE_SIZE, .uncached = true, .comes_back_zero = true};

static void *table_alloc(void) {
    return kmem_cache_alloc(&tables);
}

static void table_free(void *table) {
    kmem_cache_free(&tables, table);
}

static pte_t *kernel_table; /* of the 1 MB at UTCB_POINTER_VA */

#include "ptab_walk.h"

struct ptab_fault_slot ptab_fault_slot;

bool ptab_same_pages(uint32_t a, uint32_t b, bool *writable) {
    *writable = true;
    if (((a ^ b) & ~PDE_DOMAIN) == 0) {
        return true;
    }
    if ((a & PDE_TYPE) != PDE_IS_TABLE || (b & PDE_TYPE) != PDE_IS_TABLE) {
        return false;
    }
    const pte_t *one = table_of(a);
    const pte_t *other = table_of(b);
    *writable = false;
    for (uint32_t i = 0; i < ENTRIES_PER_TABLE; i++) {
        pte_t entry = one[i];
        if (entry != other[i]) {
            return false;
        }
        *writable |= (entry & PTE_TYPE) != 0 && (entry & MAPPING_CACHEABLE) != 0 &&
                     (entry & PTE_AP_RW) == PTE_AP_RW;
    }
    return true;
}

/* The entries of a page, first of which is `entry`. Not published. */
static void page_write(const struct space *space, pte_t *entry, mapping_t m) {
    pte_t value = page_entry(space, m);
    ptab_fault_slot.space = NULL;
    for (uint32_t i = 0; i < size_entries(mapping_size(m)); i++) {
        entry[i] = value;
    }
}

/* ... which were not 0. */
#define page_change page_write

/* ... which were 0. */
static void page_fill(const struct space *space, pte_t *entry, mapping_t m) {
    page_write(space, entry, m);
    uint16_t *count = used(table_with(entry));
    *count = (uint16_t)(*count + size_entries(mapping_size(m)));
}

#include "ptab_write.h"

/* ---- the kernel's own ---- */

void ptab_set_window(uint32_t pa) {
    pte_t value = pa | PTE_AP_KERNEL | MAPPING_BUFFERABLE | PTE_SMALL;
    pte_t *entry = &kernel_table[XFER_WINDOW_VA >> 12 & (ENTRIES_PER_TABLE - 1)];
    if (*entry != value) {
        *entry = value;
        ptab_publish(); /* and what was written through the window before */
        cpu_invalidate_dtlb_entry(XFER_WINDOW_VA);
    }
}

void ptab_init(void) {
    /* The page that every program may read, at UTCB_POINTER_VA. */
    static uint32_t utcb_pointer_frame[PAGE_SIZE / 4] __attribute__((aligned(4096)));
    pte_t *table = ptab_alloc_table();
    kernel_assert(table != NULL);
    uint32_t pa = (uint32_t)utcb_pointer_frame - KERNEL_VA + KERNEL_PA;
    /* The frame is zero, but its lines under the kernel's address are dirty: it is used only at
     * the other from now on. */
    cpu_clean_dcache_range((uint32_t)utcb_pointer_frame, PAGE_SIZE, 1);
    table[0] = page_entry(NULL, pa | SIZE_4K | MAPPING_VALID | MAPPING_CACHED);
    kernel_table = table;
    ptab_kernel_directory[UTCB_POINTER_VA >> 20] = heap_uncached_to_pa(table) | PDE_TABLE;
    ptab_kernel_directory[KERNEL_PA >> 20] = 0; /* boot.S ran there */
    ptab_publish();
    cpu_flush_caches();
    cpu_invalidate_tlbs();
}
