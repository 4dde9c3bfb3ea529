/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel's heap.
 *
 * Who owns a page is kept apart from the pages, in `pages`: a page that programs see or the table
 * walker reads has no header of ours in it, and looking for a free page touches no page.
 */
#include "kmem.h"

#include "cpu.h"
#include "page_sizes.h"

#include <string.h>

#define HEAP_PAGES (HEAP_SIZE / PAGE_SIZE)
/* The boot directory lies at the start of the heap (layout.h). */
#define BOOT_PAGES (1u << DIRECTORY_ORDER)

/* Of a page that is cut into objects. The free list goes through the objects' first words. */
struct page {
    word_t first_free;       /* object's address, 0 = none */
    uint16_t used;           /* objects in use */
    uint16_t next, previous; /* pages with a free object: index + 1, 0 = end */
};

static struct page pages[HEAP_PAGES];
static uint32_t free_map[HEAP_PAGES / 32]; /* a set bit is a free page */
static word_t free_count;

void kmem_init(void) {
    for (word_t i = BOOT_PAGES; i < HEAP_PAGES; i++) {
        free_map[i / 32] |= 1u << (i % 32);
    }
    free_count = HEAP_PAGES - BOOT_PAGES;
}

word_t kmem_free_pages(void) {
    return free_count;
}

word_t kmem_total_pages(void) {
    return HEAP_PAGES - BOOT_PAGES;
}

/* Index of the first of `1 << order` (at most 32) free pages, taken; or HEAP_PAGES. */
static word_t take_pages(word_t order) {
    word_t count = 1u << order;
    uint32_t mask = count == 32 ? ~0u : (1u << count) - 1;
    for (word_t word = 0; word < HEAP_PAGES / 32; word++) {
        if (free_map[word] == 0) {
            continue;
        }
        for (word_t bit = 0; bit < 32; bit += count) {
            if ((free_map[word] >> bit & mask) == mask) {
                free_map[word] &= ~(mask << bit);
                free_count -= count;
                return word * 32 + bit;
            }
        }
    }
    return HEAP_PAGES;
}

static void give_pages(word_t index, word_t order) {
    word_t count = 1u << order;
    uint32_t mask = count == 32 ? ~0u : (1u << count) - 1;
    kernel_assert(index >= BOOT_PAGES && index < HEAP_PAGES);
    kernel_assert((free_map[index / 32] & mask << (index % 32)) == 0);
    free_map[index / 32] |= mask << (index % 32);
    free_count += count;
}

void *kmem_alloc_uncached(word_t order) {
    word_t index = take_pages(order);
    if (index == HEAP_PAGES) {
        return NULL;
    }
    /* The cached lines are gone: a page of objects drops them when it is given back (below). */
    void *p = (void *)(HEAP_UNCACHED_VA + index * PAGE_SIZE);
    memset(p, 0, PAGE_SIZE << order);
    cpu_drain_write_buffer();
    return p;
}

void kmem_free_uncached(void *p, word_t order) {
    give_pages(((word_t)p - HEAP_UNCACHED_VA) / PAGE_SIZE, order);
}

static void link_partial(struct kmem_cache *cache, word_t index) {
    struct page *page = &pages[index];
    page->previous = 0;
    page->next = (uint16_t)cache->partial;
    if (page->next != 0) {
        pages[page->next - 1].previous = (uint16_t)(index + 1);
    }
    cache->partial = index + 1;
}

static void unlink_partial(struct kmem_cache *cache, word_t index) {
    struct page *page = &pages[index];
    if (page->next != 0) {
        pages[page->next - 1].previous = page->previous;
    }
    if (page->previous != 0) {
        pages[page->previous - 1].next = page->next;
    } else {
        cache->partial = page->next;
    }
}

void *kmem_cache_alloc(struct kmem_cache *cache) {
    word_t base = cache->uncached ? HEAP_UNCACHED_VA : HEAP_VA;
    if (cache->partial == 0) {
        word_t index = take_pages(0);
        if (index == HEAP_PAGES) {
            return NULL;
        }
        word_t start = base + index * PAGE_SIZE;
        word_t next = 0;
        if (cache->comes_back_zero) {
            memset((void *)start, 0, PAGE_SIZE);
        }
        for (word_t at = PAGE_SIZE; at >= cache->size; at -= cache->size) {
            *(word_t *)(start + at - cache->size) = next;
            next = start + at - cache->size;
        }
        pages[index].first_free = next;
        pages[index].used = 0;
        link_partial(cache, index);
    }
    word_t index = cache->partial - 1;
    struct page *page = &pages[index];
    word_t *object = (word_t *)page->first_free;
    page->first_free = *object;
    page->used++;
    if (page->first_free == 0) {
        unlink_partial(cache, index);
    }
    if (cache->comes_back_zero) {
        *object = 0;
    } else if (!cache->dirty) {
        memset(object, 0, cache->size);
    }
    return object;
}

void kmem_cache_free(struct kmem_cache *cache, void *object) {
    word_t base = cache->uncached ? HEAP_UNCACHED_VA : HEAP_VA;
    word_t index = ((word_t)object - base) / PAGE_SIZE;
    kernel_assert(index < HEAP_PAGES);
    struct page *page = &pages[index];
    kernel_assert(page->used != 0);
    if (page->first_free == 0) {
        link_partial(cache, index);
    }
    *(word_t *)object = page->first_free;
    page->first_free = (word_t)object;
    if (--page->used == 0) {
        unlink_partial(cache, index);
        if (!cache->uncached) {
            cpu_clean_dcache_range(base + index * PAGE_SIZE, PAGE_SIZE, 1);
            cpu_drain_write_buffer();
        }
        give_pages(index, 0);
    }
}
