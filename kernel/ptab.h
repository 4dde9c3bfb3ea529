/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Page tables: from (space, va) to what is mapped there, in the hardware's sizes (page_sizes.h).
 *
 * Tables are written where the processor's walker reads them, which may be past the data cache:
 * stores are collected, and one ptab_publish after a group of them makes them seen.
 */
#ifndef PTAB_H
#define PTAB_H

#include "kernel.h"
#include "page_sizes.h"

static inline word_t size_bytes(enum page_size size) {
    return (word_t)1 << size_log2(size);
}

static inline word_t size_mask(enum page_size size) {
    return size_bytes(size) - 1;
}

/* Where the next page begins. */
static inline word_t page_behind(word_t va, word_t log2) {
    return ((va >> log2) + 1) << log2;
}

/*
 * What is mapped at an address: pa of the page | flags; 0: nothing. A page that is mapped but not
 * valid is *inactive*: it has to fault, because another mva of its frame owns the cache lines
 * (mapdb.h). The hardware ignores the rest of an entry that ends in 00, so that it can say so.
 */
typedef word_t mapping_t;

#define MAPPING_SIZE       ((word_t)0x003) /* enum page_size */
#define MAPPING_BUFFERABLE ((word_t)0x004) /* B and C as in the hardware's entries */
#define MAPPING_CACHEABLE  ((word_t)0x008)
#define MAPPING_VALID      ((word_t)0x010)
#define MAPPING_WRITABLE   ((word_t)0x020) /* valid, and programs may write */
#define MAPPING_CACHED     (MAPPING_CACHEABLE | MAPPING_BUFFERABLE)

static inline enum page_size mapping_size(mapping_t m) {
    return (enum page_size)(m & MAPPING_SIZE);
}

/* Of the 4 KB page that was asked for. */
static inline word_t mapping_frame(mapping_t m) {
    return m & ~PAGE_MASK;
}

/* Of a page directory's entry: a page table or section, and not an inactive section. */
static inline bool pde_is_valid(word_t e) {
    return (e & 3) != 0;
}

/* What is mapped at `va`; the frame is that of its 4 KB page, whatever the size. */
mapping_t ptab_get(const struct space *space, word_t va);

/* There is a page table for `va`, where no section is. False: no memory. */
bool ptab_make(struct space *space, word_t va);

/* Maps a page where nothing of its size is mapped: `va` and the frame are aligned to the size. For
 * less than the largest there is a table. Not published. */
void ptab_enter(struct space *space, word_t va, mapping_t m);

/* Another state of the page that is mapped at `va`: same size, same frame. Not published. */
void ptab_change(struct space *space, word_t va, mapping_t m);

/* Takes away the page of this size that is mapped at `va`. Not published. */
void ptab_clear(struct space *space, word_t va, enum page_size size);

/* Is nothing mapped in the `size` around `va`? */
bool ptab_is_empty(const struct space *space, word_t va, enum page_size size);

/*
 * The page at `va` becomes PARTS of the next smaller size, which translate alike. The largest needs
 * a table for that, made beforehand. Not published.
 */
void ptab_split(struct space *space, word_t va, enum page_size size, void *table);
void *ptab_alloc_table(void);
void ptab_free_spare(void *table);

/* Gives back the table of this largest page, if there is one and nothing is mapped by it. */
void ptab_free_table(struct space *space, word_t va);

/* What was written is where the table walker sees it. */
void ptab_publish(void);

/* The kernel's own mappings, at boot: completes the directory that boot.S made. */
void ptab_init(void);

/* The boot directory, by its uncached address: the kernel's entries are from KERNEL_AREA on. */
extern word_t *const ptab_kernel_directory;

#endif
