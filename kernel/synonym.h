/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mapping database from inside: which nodes of a frame are active (mapdb.h has the rule).
 */
#ifndef SYNONYM_H
#define SYNONYM_H

#include "node.h"

/* A node whose page is in the page table and inactive: 4 KB are active at once if that hurts
 * nobody.
 */
void synonym_start(struct node *n);

/* Do both have lines of one frame, by two mva? */
bool synonym_of(const struct node *a, const struct node *b);

/* No longer writable; no longer valid. switch_unmap_finish is the caller's. */
void synonym_make_read_only(struct node *n);
void synonym_deactivate(struct node *n);

/* As mapdb_activate; `n` is not active enough for the access but has the right. */
void synonym_activate(struct node *n, word_t va, bool write);

#endif
