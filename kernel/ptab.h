/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Page tables: from (space, va) to a page-table entry, and what an entry says.
 *
 * Tables are written through the uncached, write-buffered alias of the heap: the table walker
 * reads memory, not the data cache. A store then costs a buffer slot, where a cached one would
 * cost a clean of its line on top, and no line of the 8 KB cache is lost to a table. The buffer
 * is drained once after a group of stores, by ptab_publish.
 */
#ifndef PTAB_H
#define PTAB_H

#include "kernel.h"

#define PAGE_SIZE 4096u
#define PAGE_MASK (PAGE_SIZE - 1)

#define ENTRIES_PER_TABLE 256u

typedef uint32_t pte_t;

/*
 * Second-level descriptors (ARM ARM B3.3; SA-1110 manual 7): small page: pa 20 | AP 4 x 2 | C B 1
 * 0. The hardware ignores the rest of a descriptor that ends in 00: a *dormant* entry keeps the
 * frame of a page that is mapped but has to fault, because another mva of that frame owns the cache
 * lines (mapdb.h).
 */
#define PTE_SMALL      0x002u
#define PTE_BUFFERABLE 0x004u
#define PTE_CACHEABLE  0x008u
#define PTE_AP_RW      0xff0u /* kernel and program read and write, all four sub-pages */
#define PTE_AP_RO      0xaa0u /* program reads, kernel writes */
#define PTE_AP_KERNEL  0x550u
#define PTE_DORMANT    0x010u /* with type 00 */
#define PTE_DORMANT_C  0x020u /* dormant: cacheable when it wakes */

static inline bool pte_is_valid(pte_t e) {
    return (e & 3) != 0;
}

static inline bool pte_is_mapped(pte_t e) {
    return e != 0;
}

static inline bool pte_is_cacheable(pte_t e) {
    return pte_is_valid(e) ? (e & PTE_CACHEABLE) != 0 : (e & PTE_DORMANT_C) != 0;
}

static inline bool pte_is_writable(pte_t e) {
    return pte_is_valid(e) && (e & PTE_AP_RW) == PTE_AP_RW;
}

static inline uint32_t pte_frame(pte_t e) {
    return e & ~PAGE_MASK;
}

/* Of a page directory's entry: a page table or section, and not a dormant section. */
static inline bool pde_is_valid(uint32_t e) {
    return (e & 3) != 0;
}

/* Where the entry of `va` is, or NULL where there is no table. */
pte_t *ptab_find(const struct space *space, uint32_t va);

/* Likewise, and makes the table; NULL: no memory. */
pte_t *ptab_make(struct space *space, uint32_t va);

/* Gives back the table of this 1 MB, which must hold no mapped entry. */
void ptab_free_table(struct space *space, uint32_t index);

/* The table of a directory entry, by its uncached address; NULL: none. */
pte_t *ptab_table(const struct space *space, uint32_t index);

/* Likewise, from the entry's value. */
bool ptab_is_table(uint32_t entry);
pte_t *ptab_entry_table(uint32_t entry);

/* What was written is where the table walker sees it. */
void ptab_publish(void);

/* The page at XFER_WINDOW_VA shows this frame from now on, uncached (xfer.c). */
void ptab_set_window(uint32_t pa);

/* The kernel's own mappings, at boot: completes the directory that boot.S made. */
void ptab_init(void);

/* The boot directory, by its uncached address: the kernel's entries are from KERNEL_AREA >> 20. */
extern uint32_t *const ptab_kernel_directory;

#endif
