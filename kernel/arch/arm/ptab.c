/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Page tables (ptab_entry.h has their form): finding, entering, changing, splitting pages.
 */
#include "ptab_entry.h"

#include "cpu.h"
#include "switch.h"
#include "xfer.h"

/* A table and the nodes behind it. Both are all 0 when they are given back. */
static struct kmem_cache tables = {
    .size = 2 * TABLE_SIZE, .uncached = true, .comes_back_zero = true};

uint16_t table_used[HEAP_SIZE / TABLE_SIZE];

struct ptab_hole ptab_hole;

static pte_t *kernel_table; /* of the 1 MB at UTCB_POINTER_VA */

uint32_t *const ptab_kernel_directory =
    (uint32_t *)(BOOT_DIRECTORY_PA - HEAP_PA + HEAP_UNCACHED_VA);

void ptab_publish(void) {
    cpu_drain_write_buffer();
}

/* ---- entries and what they say ---- */

static uint32_t section_entry(mapping_t m) {
    uint32_t pa = m & PDE_SECTION_PA;
    if ((m & MAPPING_VALID) == 0) {
        return pa | PDE_DORMANT;
    }
    return pa | PDE_SECTION | ((m & MAPPING_WRITABLE) != 0 ? PDE_AP_RW : PDE_AP_RO) | (m & CB);
}

static mapping_t section_mapping(uint32_t e, uint32_t va) {
    uint32_t page = (e & PDE_SECTION_PA) | (va & ~PDE_SECTION_PA & ~PAGE_MASK);
    if ((e & PDE_TYPE) == 0) {
        return page | SIZE_1M;
    }
    return page | SIZE_1M | MAPPING_VALID | (e & CB) |
           ((e & PDE_AP_RW) == PDE_AP_RW ? MAPPING_WRITABLE : 0);
}

/* ---- finding them ---- */

/* The entry of `va`, first of its large page if that is its size; there is a table. */
static pte_t *entry_of(const struct space *space, uint32_t va, enum page_size size) {
    uint32_t pde = space->directory[va >> 20];
    kernel_assert((pde & PDE_TYPE) == PDE_IS_TABLE);
    uint32_t index = va >> 12 & (ENTRIES_PER_TABLE - 1);
    return &table_of(pde)[size == SIZE_64K ? index & ~(PARTS - 1) : index];
}

mapping_t ptab_get(const struct space *space, uint32_t va) {
    if (va >= KERNEL_AREA) {
        return 0;
    }
    uint32_t pde = space->directory[va >> 20];
    if (pde == 0) {
        return 0;
    }
    if (likely((pde & PDE_TYPE) == PDE_IS_TABLE)) {
        return page_mapping(table_of(pde)[va >> 12 & (ENTRIES_PER_TABLE - 1)], va);
    }
    return section_mapping(pde, va);
}

bool ptab_is_empty(const struct space *space, uint32_t va, enum page_size size) {
    uint32_t pde = space->directory[va >> 20];
    if ((pde & PDE_TYPE) != PDE_IS_TABLE) {
        return pde == 0;
    }
    const pte_t *table = table_of(pde);
    if (*used(table) == 0) {
        return true;
    }
    if (size == SIZE_1M) {
        return false;
    }
    const pte_t *entry = entry_of(space, va, size);
    for (uint32_t i = 0; i < (size == SIZE_64K ? PARTS : 1); i++) {
        if (entry[i] != 0) {
            return false;
        }
    }
    return true;
}

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

/* ---- changing them ---- */

static void set_directory(struct space *space, uint32_t va, uint32_t value) {
    ptab_hole.space = NULL;
    if (space->table_section == va >> 20) {
        space->table_section = ~0u;
    }
    space->entries += (uint32_t)(value != 0) - (uint32_t)(space->directory[va >> 20] != 0);
    switch_set_directory(space, va >> 20, value);
}

static void write_pages(pte_t *entry, mapping_t m) {
    pte_t value = page_entry(m);
    ptab_hole.space = NULL;
    for (uint32_t i = 0; i < (mapping_size(m) == SIZE_64K ? PARTS : 1); i++) {
        entry[i] = value;
    }
}

void *ptab_alloc_table(void) {
    return kmem_cache_alloc(&tables);
}

void ptab_free_spare(void *table) {
    kmem_cache_free(&tables, table);
}

bool ptab_make(struct space *space, uint32_t va) {
    kernel_assert(va < KERNEL_AREA);
    if (space->directory[va >> 20] != 0) {
        return true;
    }
    pte_t *table = ptab_alloc_table();
    if (table == NULL) {
        return false;
    }
    *used(table) = 0;
    ptab_publish(); /* the zeros, before the walker can get there */
    set_directory(space, va, heap_uncached_to_pa(table) | PDE_TABLE);
    return true;
}

void ptab_enter(struct space *space, uint32_t va, mapping_t m) {
    enum page_size size = mapping_size(m);
    if (size == SIZE_1M) {
        ptab_free_table(space, va);
        set_directory(space, va, section_entry(m));
        return;
    }
    pte_t *entry = entry_of(space, va, size);
    write_pages(entry, m);
    uint16_t *count = used((const pte_t *)((uint32_t)entry & ~(TABLE_SIZE - 1)));
    *count = (uint16_t)(*count + (size == SIZE_64K ? PARTS : 1));
}

void ptab_change(struct space *space, uint32_t va, mapping_t m) {
    if (mapping_size(m) == SIZE_1M) {
        set_directory(space, va, section_entry(m));
    } else {
        write_pages(entry_of(space, va, mapping_size(m)), m);
    }
}

void ptab_clear(struct space *space, uint32_t va, enum page_size size) {
    if (size == SIZE_1M) {
        set_directory(space, va, 0);
        return;
    }
    pte_t *entry = entry_of(space, va, size);
    uint32_t entries = size == SIZE_64K ? PARTS : 1;
    *entry_node(entry) = NULL;
    for (uint32_t i = 0; i < entries; i++) {
        entry[i] = 0;
    }
    uint16_t *count = used((const pte_t *)((uint32_t)entry & ~(TABLE_SIZE - 1)));
    *count = (uint16_t)(*count - entries);
}

void ptab_split(struct space *space, uint32_t va, enum page_size size, void *table) {
    mapping_t m = ptab_get(space, va & ~size_mask(size)) - 1; /* of the next smaller size */
    if (size == SIZE_1M) {
        pte_t *entry = table;
        for (uint32_t i = 0; i < PARTS; i++) {
            write_pages(&entry[i * PARTS], m + i * size_bytes(SIZE_64K));
        }
        *used(entry) = ENTRIES_PER_TABLE;
        ptab_publish(); /* before the walker can get there */
        set_directory(space, va, heap_uncached_to_pa(table) | PDE_TABLE);
        return;
    }
    pte_t *entry = entry_of(space, va, SIZE_64K);
    for (uint32_t i = 0; i < PARTS; i++) {
        entry[i] = page_entry(m + i * PAGE_SIZE);
    }
}

void ptab_free_table(struct space *space, uint32_t va) {
    uint32_t pde = space->directory[va >> 20];
    if ((pde & PDE_TYPE) == PDE_IS_TABLE && *used(table_of(pde)) == 0) {
        set_directory(space, va, 0); /* nothing can walk it from here on */
        kmem_cache_free(&tables, table_of(pde));
    }
}

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
    table[0] = page_entry(pa | SIZE_4K | MAPPING_VALID | MAPPING_CACHED);
    kernel_table = table;
    ptab_kernel_directory[UTCB_POINTER_VA >> 20] = heap_uncached_to_pa(table) | PDE_TABLE;
    ptab_kernel_directory[KERNEL_PA >> 20] = 0; /* boot.S ran there */
    ptab_publish();
    cpu_flush_caches();
    cpu_invalidate_tlbs();
}
