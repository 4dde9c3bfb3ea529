/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mapping database: for each frame, who has it from whom, and who may have it in the cache.
 *
 * One node is one page in one space. The nodes of a frame form its mapping tree, as a list in
 * preorder with depths; what a node passed on are the deeper nodes right behind it. Sigma0 owns
 * every frame from the start and needs no node for that (only for pages that it touches itself).
 *
 * Virtually tagged caches do not keep two mva of one frame coherent. So of all nodes of a
 * cacheable frame that the scheme calls synonyms, either any number are awake and none is
 * writable, or one is awake and writable. The others are *dormant*: their page-table entry is
 * invalid though the page is mapped, and the fault of the next access wakes them (mapdb_wake),
 * after the owner's lines have been cleaned. Programs see nothing of it but the time.
 */
#ifndef MAPDB_H
#define MAPDB_H

#include "space.h"

void mapdb_init(void);

/*
 * Maps (or grants) the page `from_va` of `from` at `to_va` of `to` with at most `rights`.
 * A page that was there before is unmapped, unless it is the same frame from the same place.
 * Nothing happens where `from` has nothing. False: no memory.
 */
bool mapdb_map(struct space *from, uint32_t from_va, struct space *to, uint32_t to_va,
               uint32_t rights, bool grant);

/* Takes `rights` away from all that came from this page, and from it as well if `own`. */
void mapdb_unmap(struct space *space, uint32_t va, uint32_t rights, bool own);

/* Sigma0 touched a frame of its own: maps it 1:1. False: not sigma0's to have. */
bool mapdb_map_sigma0(uint32_t va);

/*
 * A page-fault on a page that is mapped with the rights that the access needs, but dormant or
 * awake for reading only: wakes it. False: this is a true page fault.
 */
bool mapdb_wake(struct space *space, uint32_t va, bool write);

/*
 * MemoryControl: L4_ARM_MEMORY_* for the frame of this page, wherever else it is mapped. It is the
 * frame's until it is set again. False: no such page or attribute.
 */
bool mapdb_set_attribute(struct space *space, uint32_t va, uint32_t attribute);

#endif
