/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The walker of page tables, for any number of levels and any form of entries: it finds an entry
 * and says what is mapped. ptab_write.h changes entries. An architecture's ptab.c includes both,
 * once, after its ptab_entry.h, which says of the hardware's form
 *
 *   PTAB_ROOT                 the level of a space's root; at level 0 are the smallest pages
 *   ptab_index(va, level)     which entry of its table is that of `va`
 *   is_table, table_of        of an entry above level 0: does it lead to a table, and to which one
 *   table_entry(table)        the entry that leads to one
 *   assert_table(e)           the entry must lead to a table
 *   assert_splits(size)       a page of this size is split
 *   size_entries(size)        equal entries that a page smaller than the largest takes
 *   page_mapping, page_entry  from the entry of a page to mapping_t, and back
 *   section_mapping, section_entry  likewise of the largest page, an entry of level 1
 *   page_write, page_change, page_fill  all entries of a page: new, other than before, from 0
 *
 * Pages are in tables of the two lowest levels, the largest at level 1, all others at level 0. So a
 * walk begins with the way down to level 1, which is none where the root is there.
 */
#ifndef PTAB_WALK_H
#define PTAB_WALK_H

#include "ptab_entry.h"

uint16_t table_used[HEAP_SIZE / TABLE_SIZE];

word_t *const ptab_kernel_directory = (word_t *)(BOOT_DIRECTORY_PA - HEAP_PA + HEAP_UNCACHED_VA);

void ptab_publish(void) {
    cpu_drain_write_buffer();
}

/*
 * The table at level 1 for `va`: the directory itself where that is the root, and the walk above it
 * is none; else NULL if there is no table that far.
 */
static inline pte_t *directory_of(const struct space *space, word_t va) {
    pte_t *table = space->directory;
    for (uint32_t level = PTAB_ROOT; level > 1; level--) {
        pte_t e = table[ptab_index(va, level)];
        if (e == 0) {
            return NULL;
        }
        table = table_of(e);
    }
    return table;
}

static inline pte_t directory_entry(const struct space *space, word_t va) {
    const pte_t *directory = directory_of(space, va);
    return PTAB_ROOT > 1 && directory == NULL ? 0 : directory[ptab_index(va, 1)];
}

/* The entry of `va`, the first of its page if that takes more; there is a table. */
static pte_t *entry_of(const struct space *space, word_t va, enum page_size size) {
    pte_t e = directory_entry(space, va);
    assert_table(e);
    word_t index = ptab_index(va, 0);
    return &table_of(e)[size_entries(size) == 1 ? index : index & ~(size_entries(size) - 1)];
}

mapping_t ptab_get(const struct space *space, word_t va) {
    if (va >= KERNEL_AREA) {
        return 0;
    }
    pte_t e = directory_entry(space, va);
    if (e == 0) {
        return 0;
    }
    if (likely(is_table(e))) {
        e = table_of(e)[ptab_index(va, 0)];
        return e == 0 ? 0 : page_mapping(e, va);
    }
    return section_mapping(e, va);
}

bool ptab_is_empty(const struct space *space, word_t va, enum page_size size) {
    pte_t e = directory_entry(space, va);
    if (!is_table(e)) {
        return e == 0;
    }
    if (*used(table_of(e)) == 0) {
        return true;
    }
    if (size == SIZE_LARGEST) {
        return false;
    }
    const pte_t *entry = entry_of(space, va, size);
    for (word_t i = 0; i < size_entries(size); i++) {
        if (entry[i] != 0) {
            return false;
        }
    }
    return true;
}

#endif
