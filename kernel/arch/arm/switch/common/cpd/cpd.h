/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The caching page directory (CPD): the one directory that the processor walks, whose entries are
 * copied from the directories of several spaces and tagged with domains. The files of this folder
 * are its parts; schemes that have it include this header, and with it theirs.
 *
 * Cache lines are tagged by mva and carry no domain; TLB entries carry the domain they were walked
 * with. A line or TLB entry can exist only for an mva whose CPD entry is (or was) loaded, so the
 * 1 MB sections of the CPD are what is accounted by:
 *
 *   - A section whose CPD entry is loaded belongs to the holder of that domain; or, where the
 *     scheme has that, to the members of a shared section, whose domain has no holder.
 *   - A section whose entry was removed without a flush is *stale* until the next full flush, and
 *     its last space is its *stale owner*: lines of that space may still be in the caches. Another
 *     space that loads the section must flush first. `epoch` counts full flushes, of caches and
 *     TLBs, so one flush ends all that. Lines and TLB entries are left since then by spaces that
 *     were in force since then (`hot.scheme.ran`), and by no others: so what a space holds that has
 *     not run can be given away without any flush. One more can leave a TLB entry, a space whose
 *     access is denied because the section is another's: the walk has brought in that other's
 *     entry. So each such fault flushes the TLBs (cpd_missing_entry, cpd_load_entry).
 *   - A section for which a space has collided is *contested* by it. A space that is switched to
 *     takes back all that it contests, with one flush at most (cpd_exchange), where by faults it
 *     would be one each. The space that is left is not touched any more before the switch, so that
 *     flush makes it clean as well. Contested sections are in the space's own short list and not in
 *     their domain's. After CONTESTED_AGE exchanges a space gives the list up: what it does not use
 *     any more it does not take again.
 *   - A space that collides whenever it is switched to *bypasses* the CPD (bypass.h): it has no
 *     domain and no CPD entry, and is switched to as scheme `flush` does.
 *
 * What is flushed when (what concerns shared sections is in fass-shared/switch_impl.c):
 *   switch to a space with a domain    nothing
 *   free domain taken                  nothing (it was freed with a TLB flush)
 *   domain recycled                    nothing; TLBs, if its space has run since the last flush
 *                                      (its entries carry the domain's number)
 *   CPD entry loaded, section unused   nothing (TLBs keep no invalid entries)
 *   CPD entry loaded, section stale    caches
 *   CPD entry loaded over another's    caches and TLBs (a collision); TLBs, if that one has not run
 *   contested entries taken back       caches and TLBs, once; nothing, if no other has run
 *   to or from a space that bypasses   caches and TLBs, once; another directory
 *   access denied by another's entry   TLBs
 *   page table or section removed      TLBs; its pages' lines were cleaned page by page
 *   space deleted                      caches and TLBs, if it can have left anything
 *
 * The published scheme keeps no record of a section once its entry is gone, and so empties the
 * caches when a dirty domain is recycled. Stale owners are such a record: with them that flush
 * waits until a section does change hands, which spaces with slots of their own hardly ever do. (A
 * shared section has no stale owner whose own return would be free; its domain is recycled as
 * published.)
 *
 * A line of a space without a domain is harmless where it is: nobody can reach it, it is written
 * back to its own frame (lines keep the pa), and switch_unmap finds it by the stale owner. So
 * isolation rests on three rules: no DACR opens a domain before the TLB lost the former holder's
 * entries; no section changes hands with lines in the caches; no frame is reused before its lines
 * are gone.
 *
 * How tests can provoke the known faults (user/test/pitfall.c, by number): 20 spaces with private
 * pages at equal va, each checked after random switches (1, 5, 6: collisions stay 0); two spaces
 * with different data at one high va (collision); unmap of 1 MB, then reuse of the memory (3, 9); a
 * space that maps into its own PID slot's range (slot_move).
 */
#ifndef CPD_H
#define CPD_H

#include "bypass.h"
#include "domains.h"
#include "pid_slots.h"
#include "reclaim.h"
#include "state.h"

/* A space that ends. */
void cpd_forget_space(struct space *space);

#endif
