/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mapping database: for each frame, who has it from whom, and who may have it in the cache.
 *
 * One node is one page in one space, of the size that it has in the page table. What a node
 * passed on are nodes of its size or smaller ones. A part of a larger page that gets another fate
 * than the rest (is revoked, granted, written by others) splits it. Sigma0 owns every frame from
 * the start and needs no node for that (only for pages that it touches itself).
 *
 * Virtually tagged caches do not keep two mva of one frame coherent. So of all nodes of a
 * cacheable frame that the scheme calls synonyms, either any number are active and none is
 * writable, or one is active and writable. The others are *inactive*: their page-table entry is
 * invalid though the page is mapped, and the fault of the next access activates them
 * (mapdb_activate), after the owner's lines have been cleaned. Programs see nothing of it but the
 * time.
 */
#ifndef MAPDB_H
#define MAPDB_H

#include "ptab.h"
#include "spaces.h"

/*
 * Maps (or grants) what `from` has at `from_va` to `to` at `to_va`, with at most `rights`: as much
 * as fits one page of at most `limit`. What was there before is unmapped, unless it is the same
 * frame: then it stays, with more rights if it came from here. Nothing happens where `from` has
 * nothing. Returns the log2 of what is done; 0: no memory, nothing mapped.
 */
word_t mapdb_map(struct space *from, word_t from_va, struct space *to, word_t to_va,
                 enum page_size limit, word_t rights, bool grant);

/*
 * Maps as `mapdb_map` does for the answer to a page fault, from fault_path.S: the words of a map
 * item, of 4 KB, to a thread that waits with KIND_PAGEFAULT. False: it is not the common case;
 * nothing has happened.
 */
bool mapdb_answer(struct space *from, word_t fpage, const struct tcb *faulter, word_t item);

/* Gives memory that is kept for the next nodes back to the heap. */
void mapdb_give_back(void);

/*
 * Until the next call, `space` is about to access something (again): what is mapped there is active
 * for it at once. `fault`: tag and address of the page fault's message. NULL: nobody is.
 */
void mapdb_expect(const struct space *space, const word_t *fault);

/*
 * Takes `rights` away from all that came from the page at `va`, or, where that is larger, from
 * `limit` of it; from itself as well if `own`. Returns the log2 of what is done. It needs memory to
 * split larger pages; when there is none, the whole larger page goes.
 */
word_t mapdb_unmap(struct space *space, word_t va, enum page_size limit, word_t rights, bool own);

/*
 * Adds to `rights` those that `space` has to the page at `va`: what it and those below it may have
 * used. Returns the log2 of what that says, at most `limit`.
 */
word_t mapdb_status(const struct space *space, word_t va, enum page_size limit, word_t *rights);

/* Sigma0 touched a frame of its own: maps it 1:1. False: not sigma0's to have. */
bool mapdb_map_sigma0(word_t va);

/*
 * A page-fault on a page that is mapped with the rights that the access needs, but inactive or
 * active for reading only: activates it. False: this is a true page fault.
 */
bool mapdb_activate(struct space *space, word_t va, bool write);

/*
 * MemoryControl: an attribute (attribute.h) for the frames of the page at `va` (of at most
 * `limit`), wherever else they are mapped. It is a frame's until it is set again, or a device's
 * until nobody has it. Returns the log2 of what is done; 0: no memory. There is such a page and
 * attribute.
 */
word_t mapdb_set_attribute(struct space *space, word_t va, enum page_size limit, word_t attribute);

#endif
