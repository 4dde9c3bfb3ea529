/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel's heap: pages, and small objects of one size cut from pages.
 *
 * Heap frames have two kernel mva: cached (objects of the kernel) and uncached (page tables and
 * frames that programs see). A page belongs to one kind at a time; the allocator drops the cached
 * lines when a page leaves the cached kind, so that no late write-back can hit a page table.
 * A page of objects goes back when its last object is freed: the number of free pages before and
 * after a piece of work tells whether anything leaked.
 */
#ifndef KMEM_H
#define KMEM_H

#include "kernel.h"

void kmem_init(void);

word_t kmem_free_pages(void);
word_t kmem_total_pages(void);

/* `1 << order` pages, aligned to their size, zeroed, by the uncached address. NULL: no memory. */
void *kmem_alloc_uncached(word_t order);
void kmem_free_uncached(void *pages, word_t order);

struct kmem_cache {
    word_t size;   /* of an object; a power of two of at least 16, so none straddles lines badly */
    bool dirty;    /* objects are not zeroed: the caller writes all of them */
    bool uncached; /* objects are given by their uncached address */
    bool comes_back_zero; /* what is given back is 0 but for its first word */
    word_t partial;       /* first page with a free object, as index + 1; 0 = none */
};

/* One object, zeroed unless the cache says otherwise. NULL: no memory. */
void *kmem_cache_alloc(struct kmem_cache *cache);
void kmem_cache_free(struct kmem_cache *cache, void *object);

static inline word_t heap_uncached_to_pa(const void *p) {
    return (word_t)p - HEAP_UNCACHED_VA + HEAP_PA;
}

static inline void *heap_pa_to_uncached(word_t pa) {
    return (void *)(pa - HEAP_PA + HEAP_UNCACHED_VA);
}

#endif
