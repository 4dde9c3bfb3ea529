/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a space has: its two areas, and fpages that are mapped, unmapped, given an attribute.
 */
#ifndef SPACE_H
#define SPACE_H

#include "spaces.h"

/* The last thread is gone: takes every page out of the space and of those who have it from it. */
void space_destroy(struct space *space);

/* SpaceControl's two areas; false with the L4 error code. */
bool space_set_areas(struct space *space, L4_Fpage_t kip, L4_Fpage_t utcb, word_t *error);

/* Maps the KIP and the page of this UTCB for a thread that becomes active. False: no memory. */
bool space_map_utcb(struct space *space, word_t utcb);

/* The frame after a UTCB, by its uncached kernel address. */
word_t *space_utcb_alias(const struct space *space, word_t utcb);

/*
 * One map or grant item from `from` to `to`: words as in the message; `window` is what the
 * receiver accepts. False: out of memory, what fitted is mapped.
 */
bool space_map_item(struct space *from, word_t item0, word_t item1, struct space *to,
                    L4_Fpage_t window);

/*
 * Unmap of one fpage: its rights are taken away from others' copies and, if `own`, from itself.
 * Returns the status bits: the rights that there were, since the processors record no accesses, and
 * nobody can have accessed more.
 */
word_t space_unmap(struct space *space, L4_Fpage_t fpage, bool own);

/* MemoryControl of one fpage of the space: may it be, and doing it (false: no memory). */
bool space_can_set_attribute(const struct space *space, L4_Fpage_t fpage, word_t attribute);
bool space_set_attribute(struct space *space, L4_Fpage_t fpage, word_t attribute);

#endif
