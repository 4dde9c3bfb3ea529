/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Page tables: two levels, 4096 directory entries of 1 MB, tables of 256 entries (ARM ARM B3.3;
 * SA-1110 manual 7).
 *
 *   section     pa 12 | 0 8 | AP 2 | 0 | domain 4 | 1 | C B | 10
 *   large page  pa 16 | 0 4 | AP 4 x 2 | C B | 01    the same entry 16 times
 *   small page  pa 20 | AP 4 x 2 | C B | 10
 *
 * The domain is the switching scheme's.
 */
#include "ptab.h"

#include "cpu.h"
#include "kmem.h"
#include "space.h"
#include "switch.h"
#include "xfer.h"

#define ENTRIES_PER_TABLE 256u
#define TABLE_SIZE        (ENTRIES_PER_TABLE * 4)

/* First level. */
#define PDE_TYPE       0x003u
#define PDE_TABLE      0x011u /* coarse page table; bit 4 is to be set on this processor */
#define PDE_IS_TABLE   0x001u
#define PDE_SECTION    0x012u
#define PDE_AP_RW      0xc00u
#define PDE_AP_RO      0x800u
#define PDE_DORMANT    0x200u /* with type 00 */
#define PDE_SECTION_PA 0xfff00000u
#define PDE_DOMAIN     0x1e0u

/* Second level. */
#define PTE_TYPE      0x003u
#define PTE_LARGE     0x001u
#define PTE_SMALL     0x002u
#define PTE_AP_RW     0xff0u /* kernel and program read and write, all four sub-pages */
#define PTE_AP_RO     0xaa0u /* program reads, kernel writes */
#define PTE_AP_KERNEL 0x550u
#define PTE_DORMANT   0x010u /* with type 00 */
#define PTE_DORMANT_L 0x020u /* dormant: of a large page */

#define CB (MAPPING_CACHEABLE | MAPPING_BUFFERABLE)

typedef uint32_t pte_t;

static struct kmem_cache tables = {.size = TABLE_SIZE, .uncached = true};

/* Entries in use, by the table's place in the heap. */
static uint16_t table_used[HEAP_SIZE / TABLE_SIZE];

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

static pte_t page_entry(mapping_t m) {
    bool large = mapping_size(m) == SIZE_64K;
    uint32_t pa = m & ~PAGE_MASK;
    if ((m & MAPPING_VALID) == 0) {
        return pa | PTE_DORMANT | (large ? PTE_DORMANT_L : 0);
    }
    return pa | (large ? PTE_LARGE : PTE_SMALL) | (m & CB) |
           ((m & MAPPING_WRITABLE) != 0 ? PTE_AP_RW : PTE_AP_RO);
}

static mapping_t page_mapping(pte_t e, uint32_t va) {
    if (e == 0) {
        return 0;
    }
    pte_t type = e & PTE_TYPE;
    bool large = type == PTE_LARGE || (type == 0 && (e & PTE_DORMANT_L) != 0);
    uint32_t page = large ? (e & ~size_mask(SIZE_64K)) | (va & size_mask(SIZE_64K) & ~PAGE_MASK)
                          : e & ~PAGE_MASK;
    page |= large ? SIZE_64K : SIZE_4K;
    if (type == 0) {
        return page;
    }
    return page | MAPPING_VALID | (e & CB) | ((e & PTE_AP_RW) == PTE_AP_RW ? MAPPING_WRITABLE : 0);
}

/* ---- finding them ---- */

static pte_t *table_of(uint32_t pde) {
    return heap_pa_to_uncached(pde & ~(TABLE_SIZE - 1));
}

static uint16_t *used(const pte_t *table) {
    return &table_used[((uint32_t)table - HEAP_UNCACHED_VA) / TABLE_SIZE];
}

/* The entry of `va`, first of its large page if that is its size; there is a table. */
static pte_t *entry_of(const struct space *space, uint32_t va, enum page_size size) {
    uint32_t pde = space->directory[va >> 20];
    kernel_assert((pde & PDE_TYPE) == PDE_IS_TABLE);
    uint32_t index = va >> 12 & (ENTRIES_PER_TABLE - 1);
    return &table_of(pde)[size == SIZE_64K ? index & ~(PARTS - 1) : index];
}

/* The used count of the table that the entry is in. */
static uint16_t *used_of(const pte_t *entry) {
    return used((const pte_t *)((uint32_t)entry & ~(TABLE_SIZE - 1)));
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
    space->entries += (uint32_t)(value != 0) - (uint32_t)(space->directory[va >> 20] != 0);
    switch_set_directory(space, va >> 20, value);
}

static void write_pages(pte_t *entry, mapping_t m) {
    pte_t value = page_entry(m);
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
    uint16_t *count = used_of(entry);
    *count = (uint16_t)(*count + (size == SIZE_64K ? PARTS : 1));
}

uint32_t *ptab_free_entry(const struct space *space, uint32_t va) {
    uint32_t pde = space->directory[va >> 20];
    if ((pde & PDE_TYPE) != PDE_IS_TABLE) {
        return NULL;
    }
    pte_t *entry = &table_of(pde)[va >> 12 & (ENTRIES_PER_TABLE - 1)];
    return *entry == 0 ? entry : NULL;
}

void ptab_fill(uint32_t *entry, mapping_t m) {
    *entry = page_entry(m);
    (*used_of(entry))++;
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
    for (uint32_t i = 0; i < entries; i++) {
        entry[i] = 0;
    }
    uint16_t *count = used_of(entry);
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
