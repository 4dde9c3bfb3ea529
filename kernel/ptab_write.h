/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Page tables: entering, changing, splitting pages, by the walker (ptab_walk.h says who includes
 * this, and what ptab_entry.h has). Also needed are
 *
 *   table_alloc(), table_free(table)   a table of zeros with its nodes, or NULL; and back
 *
 * The root's entries are the switching scheme's to write (switch_set_directory).
 */
#ifndef PTAB_WRITE_H
#define PTAB_WRITE_H

#include "ptab_above.h"
#include "ptab_walk.h"
#include "switch.h"

/* An entry of level 1. */
static void set_directory(struct space *space, word_t va, pte_t value) {
    if (PTAB_ROOT > 1) {
        ptab_count_above(directory_of(space, va), (value != 0) - (directory_entry(space, va) != 0));
    }
    ptab_fault_slot.space = NULL;
    if (space->table_section == va >> SECTION_LOG2) {
        space->table_section = NO_SECTION;
    }
    space->entries += (word_t)(value != 0) - (word_t)(directory_entry(space, va) != 0);
    switch_set_directory(space, va >> SECTION_LOG2, value);
}

void *ptab_alloc_table(void) {
    return table_alloc();
}

void ptab_free_spare(void *table) {
    table_free(table);
}

bool ptab_make(struct space *space, word_t va) {
    kernel_assert(va < KERNEL_AREA);
    if (directory_entry(space, va) != 0) {
        return true;
    }
    if (PTAB_ROOT > 1 && !ptab_make_above(space, va)) {
        return false;
    }
    pte_t *table = ptab_alloc_table();
    if (table == NULL) {
        return false;
    }
    *used(table) = 0;
    ptab_publish(); /* the zeros, before the walker can get there */
    set_directory(space, va, table_entry(table));
    return true;
}

void ptab_enter(struct space *space, word_t va, mapping_t m) {
    enum page_size size = mapping_size(m);
    if (size == SIZE_LARGEST) {
        ptab_free_table(space, va);
        set_directory(space, va, section_entry(m));
        return;
    }
    page_fill(space, entry_of(space, va, size), m);
}

void ptab_change(struct space *space, word_t va, mapping_t m) {
    if (mapping_size(m) == SIZE_LARGEST) {
        set_directory(space, va, section_entry(m));
    } else {
        page_change(space, entry_of(space, va, mapping_size(m)), m);
    }
}

void ptab_clear(struct space *space, word_t va, enum page_size size) {
    if (size == SIZE_LARGEST) {
        set_directory(space, va, 0);
        return;
    }
    pte_t *entry = entry_of(space, va, size);
    word_t entries = size_entries(size);
    *entry_node(entry) = NULL;
    for (word_t i = 0; i < entries; i++) {
        entry[i] = 0;
    }
    uint16_t *count = used(table_with(entry));
    *count = (uint16_t)(*count - entries);
}

void ptab_split(struct space *space, word_t va, enum page_size size, void *table) {
    word_t first = va & ~size_mask(MIDDLES == 1 ? SIZE_LARGEST : size);
    mapping_t m = ptab_get(space, first) - 1; /* of the next smaller size */
    assert_splits(size);
    if (MIDDLES == 1 || size == SIZE_LARGEST) {
        pte_t *entry = table;
        for (word_t i = 0; i < PARTS; i++) {
            page_write(space, &entry[i * size_entries(SIZE_LARGEST - 1)],
                       m + i * size_bytes(SIZE_LARGEST - 1));
        }
        *used(entry) = ENTRIES_PER_TABLE;
        ptab_publish(); /* before the walker can get there */
        set_directory(space, va, table_entry(table));
        return;
    }
    pte_t *entry = entry_of(space, va, SIZE_LARGEST - 1);
    for (word_t i = 0; i < PARTS; i++) {
        entry[i] = page_entry(space, m + i * PAGE_SIZE);
    }
}

void ptab_free_table(struct space *space, word_t va) {
    pte_t e = directory_entry(space, va);
    if (is_table(e) && *used(table_of(e)) == 0) {
        set_directory(space, va, 0); /* nothing can walk it from here on */
        ptab_free_spare(table_of(e));
    }
}

#endif
