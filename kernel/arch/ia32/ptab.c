/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Page tables (ptab_entry.h has their form): finding, entering, changing, splitting pages.
 */
#include "ptab_entry.h"

#include "cpu.h"
#include "switch.h"

uint16_t table_used[HEAP_SIZE / TABLE_SIZE];

struct ptab_hole ptab_hole;

static pte_t *kernel_table; /* of the 4 MB at PAGES_VA */

uint32_t *const ptab_kernel_directory =
    (uint32_t *)(BOOT_DIRECTORY_PA - HEAP_PA + HEAP_UNCACHED_VA);

void ptab_publish(void) {
    cpu_drain_write_buffer();
}

/* ---- finding entries ---- */

static pte_t directory_entry(const struct space *space, uint32_t va) {
    return space->directory[va >> SECTION_LOG2];
}

/* The entry of `va`; there is a table. */
static pte_t *entry_of(const struct space *space, uint32_t va) {
    pte_t e = directory_entry(space, va);
    kernel_assert(is_table(e));
    return &table_of(e)[va / PAGE_SIZE % ENTRIES_PER_TABLE];
}

mapping_t ptab_get(const struct space *space, uint32_t va) {
    pte_t e = va >= KERNEL_AREA ? 0 : directory_entry(space, va);
    if (e == 0) {
        return 0;
    }
    if (likely(is_table(e))) {
        e = table_of(e)[va / PAGE_SIZE % ENTRIES_PER_TABLE];
        return e == 0 ? 0 : (e & ~PAGE_MASK) | SIZE_4K | entry_mapping(e);
    }
    return (e & ~SECTION_MASK) | (va & SECTION_MASK & ~PAGE_MASK) | SIZE_4M | entry_mapping(e);
}

bool ptab_is_empty(const struct space *space, uint32_t va, enum page_size size) {
    pte_t e = directory_entry(space, va);
    if (!is_table(e)) {
        return e == 0;
    }
    return *used(table_of(e)) == 0 || (size != SIZE_4M && *entry_of(space, va) == 0);
}

/* ---- changing them ---- */

static void set_directory(struct space *space, uint32_t va, pte_t value) {
    ptab_hole.space = NULL;
    if (space->table_section == va >> SECTION_LOG2) {
        space->table_section = ~0u;
    }
    space->entries += (uint32_t)(value != 0) - (uint32_t)(directory_entry(space, va) != 0);
    switch_set_directory(space, va >> SECTION_LOG2, value);
}

static pte_t large_entry(mapping_t m) {
    pte_t large = (m & MAPPING_VALID) != 0 ? ENTRY_LARGE : 0;
    return (m & ~SECTION_MASK) | entry_bits(m) | large;
}

static pte_t page_entry(mapping_t m) {
    return (m & ~PAGE_MASK) | entry_bits(m);
}

void *ptab_alloc_table(void) {
    return kmem_alloc_uncached(TABLE_ORDER);
}

void ptab_free_spare(void *table) {
    kmem_free_uncached(table, TABLE_ORDER);
}

bool ptab_make(struct space *space, uint32_t va) {
    kernel_assert(va < KERNEL_AREA);
    if (directory_entry(space, va) != 0) {
        return true;
    }
    pte_t *table = ptab_alloc_table();
    if (table == NULL) {
        return false;
    }
    *used(table) = 0;
    set_directory(space, va, heap_uncached_to_pa(table) | ENTRY_TABLE);
    return true;
}

void ptab_enter(struct space *space, uint32_t va, mapping_t m) {
    if (mapping_size(m) == SIZE_4M) {
        ptab_free_table(space, va);
        set_directory(space, va, large_entry(m));
    } else {
        entry_fill(space, entry_of(space, va), page_entry(m));
    }
}

void ptab_change(struct space *space, uint32_t va, mapping_t m) {
    if (mapping_size(m) == SIZE_4M) {
        set_directory(space, va, large_entry(m));
    } else {
        ptab_hole.space = NULL;
        *entry_of(space, va) = entry_of_space(space, page_entry(m));
    }
}

void ptab_clear(struct space *space, uint32_t va, enum page_size size) {
    if (size == SIZE_4M) {
        set_directory(space, va, 0);
        return;
    }
    pte_t *entry = entry_of(space, va);
    *entry_node(entry) = NULL;
    *entry = 0;
    --*used((const pte_t *)((uint32_t)entry & ~PAGE_MASK));
}

/* (A page of 4 KB has no parts.) */
void ptab_split(struct space *space, uint32_t va, enum page_size size, void *table) {
    mapping_t m = ptab_get(space, va & ~SECTION_MASK) - SIZE_4M + SIZE_4K;
    pte_t *entry = table;
    kernel_assert(size == SIZE_4M);
    for (uint32_t i = 0; i < ENTRIES_PER_TABLE; i++) {
        entry[i] = entry_of_space(space, page_entry(m + i * PAGE_SIZE));
    }
    *used(entry) = ENTRIES_PER_TABLE;
    set_directory(space, va, heap_uncached_to_pa(table) | ENTRY_TABLE);
}

void ptab_free_table(struct space *space, uint32_t va) {
    pte_t e = directory_entry(space, va);
    if (is_table(e) && *used(table_of(e)) == 0) {
        set_directory(space, va, 0); /* nothing can walk it from here on */
        ptab_free_spare(table_of(e));
    }
}

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
