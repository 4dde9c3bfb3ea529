/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Page tables above level 1: they lead to the tables of ptab_write.h, are made on the way to a
 * place where something is to be mapped, and freed when they lead nowhere. Where a space's root is
 * at level 1 there are none, and nobody calls any of this: PTAB_ROOT (ptab_entry.h) says so when it
 * is compiled. An architecture with a higher root includes ptab_above_walk.h in its ptab.c.
 */
#ifndef PTAB_ABOVE_H
#define PTAB_ABOVE_H

#include "ptab_entry.h"

/* There are the tables that lead to the entry of level 1 for `va`. False: no memory. */
bool ptab_make_above(struct space *space, word_t va);

/* A table of level 1 has so many entries more that are not 0. */
void ptab_count_above(const pte_t *table, int more);

/* Gives back the tables on the way to `va` that lead nowhere; or all of a space that ends. */
void ptab_free_empty_above(struct space *space, word_t va);
void ptab_free_above(struct space *space);

#endif
