/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Page tables: two levels, 4096 directory entries of 1 MB, tables of 256 small pages (ARM ARM
 * B3.3).
 */
#include "ptab.h"

#include "cpu.h"
#include "kmem.h"
#include "space.h"
#include "switch.h"
#include "xfer.h"

#define TABLE_SIZE     (ENTRIES_PER_TABLE * 4)
#define DIRECTORY_TYPE 0x11u /* coarse page table; bit 4 is to be set on this processor */

static struct kmem_cache tables = {.size = TABLE_SIZE, .uncached = true};

static pte_t *kernel_table; /* of the 1 MB at UTCB_POINTER_VA */

uint32_t *const ptab_kernel_directory =
    (uint32_t *)(BOOT_DIRECTORY_PA - HEAP_PA + HEAP_UNCACHED_VA);

void ptab_publish(void) {
    cpu_drain_write_buffer();
}

pte_t *ptab_table(const struct space *space, uint32_t index) {
    uint32_t entry = space->directory[index];
    return entry == 0 ? NULL : heap_pa_to_uncached(entry & ~(TABLE_SIZE - 1));
}

bool ptab_is_table(uint32_t entry) {
    return (entry & 3) == (DIRECTORY_TYPE & 3);
}

pte_t *ptab_entry_table(uint32_t entry) {
    return heap_pa_to_uncached(entry & ~(TABLE_SIZE - 1));
}

pte_t *ptab_find(const struct space *space, uint32_t va) {
    if (va >= KERNEL_AREA) {
        return NULL;
    }
    pte_t *table = ptab_table(space, va >> 20);
    return table == NULL ? NULL : &table[va >> 12 & (ENTRIES_PER_TABLE - 1)];
}

pte_t *ptab_make(struct space *space, uint32_t va) {
    kernel_assert(va < KERNEL_AREA);
    pte_t *entry = ptab_find(space, va);
    if (entry != NULL) {
        return entry;
    }
    pte_t *table = kmem_cache_alloc(&tables);
    if (table == NULL) {
        return NULL;
    }
    ptab_publish(); /* the zeros, before the walker can get there */
    switch_set_directory(space, va >> 20, heap_uncached_to_pa(table) | DIRECTORY_TYPE);
    return &table[va >> 12 & (ENTRIES_PER_TABLE - 1)];
}

void ptab_free_table(struct space *space, uint32_t index) {
    pte_t *table = ptab_table(space, index);
    if (table != NULL) {
        switch_set_directory(space, index, 0); /* nothing can walk it from here on */
        kmem_cache_free(&tables, table);
    }
}

void ptab_set_window(uint32_t pa) {
    pte_t value = pa | PTE_AP_KERNEL | PTE_BUFFERABLE | PTE_SMALL;
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
    pte_t *table = kmem_cache_alloc(&tables);
    kernel_assert(table != NULL);
    uint32_t pa = (uint32_t)utcb_pointer_frame - KERNEL_VA + KERNEL_PA;
    /* The frame is zero, but its lines under the kernel's address are dirty: it is used only at
     * the other from now on. */
    cpu_clean_dcache_range((uint32_t)utcb_pointer_frame, PAGE_SIZE, 1);
    table[0] = pa | PTE_AP_RO | PTE_CACHEABLE | PTE_BUFFERABLE | PTE_SMALL;
    kernel_table = table;
    ptab_kernel_directory[UTCB_POINTER_VA >> 20] = heap_uncached_to_pa(table) | DIRECTORY_TYPE;
    ptab_kernel_directory[KERNEL_PA >> 20] = 0; /* boot.S ran there */
    ptab_publish();
    cpu_flush_caches();
    cpu_invalidate_tlbs();
}
