/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Page tables above level 1 (ptab_above.h). An architecture whose root is higher includes this in
 * its ptab.c, once, after ptab_walk.h. It has further
 *
 *   above_alloc(), above_free(table)   a table of zeros, or NULL; and back
 *   PTAB_ABOVE_LOG2                    of what the smallest entry above level 1 leads to
 *
 * and the scheme has switch_set_above(space, entry, value), for an entry of such a table or of the
 * root: when it returns, nothing can reach what was there.
 */
#ifndef PTAB_ABOVE_WALK_H
#define PTAB_ABOVE_WALK_H

#include "ptab_above.h"
#include "ptab_walk.h"
#include "switch_above.h"

/* (Of other tables than those of level 1 as well; and of the root, where nobody looks.) */
void ptab_count_above(const pte_t *table, int more) {
    *used(table) = (uint16_t)(*used(table) + more);
}

bool ptab_make_above(struct space *space, word_t va) {
    pte_t *table = space->directory;
    for (uint32_t level = PTAB_ROOT; level > 1; level--) {
        pte_t *entry = &table[ptab_index(va, level)];
        if (*entry == 0) {
            pte_t *lower = above_alloc();
            if (lower == NULL) {
                return false;
            }
            *used(lower) = 0;
            ptab_publish(); /* the zeros, before the walker can get there */
            ptab_count_above(table, 1);
            switch_set_above(space, entry, table_entry(lower));
        }
        table = table_of(*entry);
    }
    return true;
}

/* From the lowest on. */
void ptab_free_empty_above(struct space *space, word_t va) {
    for (uint32_t lowest = 1; lowest < PTAB_ROOT; lowest++) {
        pte_t *entry = NULL, *table = space->directory;
        for (uint32_t level = PTAB_ROOT; level > lowest; level--) {
            entry = &table[ptab_index(va, level)];
            if (*entry == 0) {
                return;
            }
            table = table_of(*entry);
        }
        if (*used(table) != 0) {
            return;
        }
        switch_set_above(space, entry, 0);
        ptab_count_above(table_with(entry), -1);
        above_free(table);
    }
}

void ptab_free_above(struct space *space) {
    for (word_t va = 0; va < KERNEL_AREA; va += (word_t)1 << PTAB_ABOVE_LOG2) {
        ptab_free_empty_above(space, va);
    }
}

#endif
