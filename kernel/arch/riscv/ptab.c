/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Page tables: the walker (ptab_walk.h, ptab_above_walk.h, ptab_write.h) on entries of this form
 * (ptab_entry.h).
 */
#include "ptab_entry.h"

#include "execute.h"
#include "switch.h"

static void *table_alloc(void) {
    return kmem_alloc_uncached(TABLE_ORDER);
}

static void table_free(void *table) {
    kmem_free_uncached(table, TABLE_ORDER);
}

static void *above_alloc(void) {
    return kmem_alloc_uncached(0);
}

static void above_free(void *table) {
    kmem_free_uncached(table, 0);
}

struct ptab_fault_slot ptab_fault_slot = {.space = NULL}; /* no fault path finds one yet */

#include "ptab_walk.h"

#include "ptab_above_walk.h"

/* The entry of a page of 4 KB. Not published. */
static inline void page_write(const struct space *space, pte_t *entry, mapping_t m) {
    *entry = page_entry(space, m);
}

/* ... which was another's. */
static inline void page_change(const struct space *space, pte_t *entry, mapping_t m) {
    ptab_fault_slot.space = NULL;
    page_write(space, entry, m);
}

/* ... which was 0. */
static inline void page_fill(const struct space *space, pte_t *entry, mapping_t m) {
    entry_fill(space, entry, page_entry(space, m));
}

#include "ptab_write.h"

bool ptab_execute(struct space *space, word_t va) {
    pte_t *middle = middle_table(space, va);
    if (middle == NULL) {
        return false;
    }
    pte_t *entry = &middle[ptab_index(va, 1)];
    if (is_table(*entry)) {
        entry = &table_of(*entry)[ptab_index(va, 0)];
    }
    if ((*entry & (ENTRY_V | ENTRY_X)) != ENTRY_V) {
        return false;
    }
    *entry |= ENTRY_X;
    cpu_fence_code();
    switch_map(space, va, PAGE_SIZE, false, true);
    return true;
}

/* All that the kernel needs boot.S has made. */
void ptab_init(void) {
}
