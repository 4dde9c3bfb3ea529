/* SPDX-License-Identifier: Apache-2.0 */
/* What the page tables ask of a scheme for entries above level 1 (ptab_above_walk.h). */
#ifndef SWITCH_ABOVE_H
#define SWITCH_ABOVE_H

#include "spaces.h"

/* Writes an entry of the space's root. When it returns, nothing can reach what was there, nor is it
 * remembered that nothing was. */
void switch_set_above(struct space *space, word_t *entry, word_t value);

#endif
