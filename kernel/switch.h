/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The contract between the kernel and a switching scheme.
 *
 * A scheme is a folder of three files that the build puts on the include path: switch_impl.h
 * (types), switch_impl.c, switch_asm.h (the switch; entry and exit hooks), and of its facts,
 * facts.mk. What several schemes do alike is in switch/common beside them. Whoever calls the scheme
 * includes this file, which states what each part must do and checks that the scheme has it with
 * the right type. An architecture may ask more of its schemes,
 * as about segments (segments_asm.h, switch_segments.h).
 *
 * Two facts hold for every scheme. Caches may be virtually tagged, so that one frame seen under two
 * mva (a synonym) and one mva that means two frames in turn (a homonym) both are the kernel's to
 * keep coherent; where tags are physical, a scheme says that no two pages are synonyms. And the
 * kernel touches a program's memory as user_memory.h says: where that is at the va that the program
 * itself uses, the space must be the one in force. Hence `switch_to` comes first, the access after
 * it, and another space is reached only through switch_window.
 */
#ifndef SWITCH_H
#define SWITCH_H

#include "kernel.h"
#include "switch_impl.h"

/*
 * 1. struct switch_state: in struct space; generic code never looks inside. struct switch_hot: the
 *    scheme's words in struct hot.
 */

/* 2. Once, at boot, on the directory that is in force then, before there is any space. */
void switch_init(void);

/* A new, empty space whose `directory` is allocated and zero. False: no memory. */
bool switch_space_init(struct space *space);

/*
 * A space that ends: afterwards no directory, TLB or cache knows of it, so that its frames and
 * page tables can be given back. It is not the space in force.
 */
void switch_space_free(struct space *space);

/*
 * 3. Makes `to` the space in force; `from` is the one that was (NULL at boot). The switch exists
 *    once, as assembler macros in switch_asm.h, of which the architecture's IPC path (ipc_path.S)
 *    and switch_to_space (switch.S) are made, and all of C switches by the latter:
 *
 *    - switch_begin space, a, b: loads what the switch needs; `a` may be `space` itself. Z must be
 *      set before. Afterwards Z set says that switch_finish may follow at once, Z not set that
 *      switch_prepare must be called first. Changes only a, b and flags.
 *    - switch_finish a, b: switches, also to the space in force. The store to hot.space belongs to
 *      who uses it. Changes only a, b and flags; may use the stack.
 *    - switch_done space: what the scheme notes of it. Changes only flags; may use the stack.
 *    - switch_done_thread tcb: the same, for the space of a thread.
 *
 *    switch_prepare does what is too long for the macro, and then switches: afterwards `to` is in
 *    force, and switch_begin succeeds, so that who has called it may go on with that (to no effect)
 *    or without. hot.space is the one that is left, whose memory nobody touches any more.
 */
void switch_prepare(struct space *to);
void switch_to_space(struct space *to);

static inline void switch_to(struct space *from, struct space *to) {
    (void)from;
    switch_to_space(to);
}

/*
 * 4. Also in switch_asm.h: the preprocessor macros switch_entry_hook (the program's registers are
 *    live, none may change) and switch_exit_hook.
 */

/*
 * 5. Every write of an entry of a directory: `index` is the address by SECTION_LOG2; the value is a
 *    page table, a page of the largest size (a section), valid or inactive (ptab.h), or 0. When it
 *    returns, nothing can reach the former page table or section, by TLB or by a copy of the entry;
 *    lines of a section's pages are switch_unmap's.
 */
void switch_set_directory(struct space *space, word_t index, word_t value);

/*
 * A page of `size` bytes at `va` has just become valid, or got more rights.
 * TLBs hold no invalid entries, but may hold the one with fewer rights.
 */
void switch_map(struct space *space, word_t va, word_t size, bool writable, bool was_valid);

/*
 * 6. The entry of the page of `size` bytes at `va` was just invalidated, lost rights, or became
 *    entries of smaller pages (then nothing is `cached`). Now: its data lines are cleaned, and, if
 *    it is gone, invalidated; its data TLB entries are invalidated. What has no operation by
 *    address (instruction TLB and cache) may wait until switch_unmap_finish, which must be called
 *    before the kernel is left, or touches a program's memory, or the frame is used again. So
 *    once a flush has emptied the caches, pages that follow before the finish need none.
 *    `cached`: which caches may hold the page (or 0). The instruction cache is only said to if the
 *    space has the right to execute it: it can only be emptied as a whole.
 */
#define CACHED_DATA 1u
#define CACHED_CODE 2u
enum unmap { UNMAP_GONE, UNMAP_READ_ONLY };
void switch_unmap(struct space *space, word_t va, word_t size, enum unmap what, word_t cached);
void switch_unmap_finish(void);

/*
 * 7. A fault in the space in force. True: it was the scheme's own doing and is repaired, so the
 *    access can be restarted. *va comes as the machine reported it (an mva, or a va where the
 *    machine has it so) and leaves as the va that the program issued. That alone, and no more, does
 *    switch_asm.h's macro switch_fault_va space, va, scratch; it may change the flags.
 */
bool switch_fault(struct space *space, word_t *va, word_t status);

/*
 * 8. The window: makes memory at [va, va+size) of a space that is not in force agree with what
 *    that space sees, and drops the cache lines, so that the kernel may read and write the
 *    frame through its uncached alias. For whole lines of one page.
 */
void switch_window(struct space *space, word_t va, word_t size);

/*
 * Could both pages have lines in the data cache at once without being the same lines? Then the
 * mapping database lets only one of them be written, or both be read (mapdb.h). The answer must not
 * change while they are mapped.
 */
bool switch_synonym(const struct space *a, word_t va_a, const struct space *b, word_t va_b);

/*
 * 9. SWITCH_PROTECTS (facts.mk): 1 if each space has its own addresses and no access to those
 *    of others; 0 if there is one space for all, where mapping has no effect. Programs are told
 *    (L4_STAT_PROTECTS), for they have to be loaded in another way then.
 */
static inline bool switch_is_common(word_t va) { /* memory that all have, at va = pa */
    return SWITCH_PROTECTS == 0 && va - SIGMA0_PA < SDRAM_PA + SDRAM_SIZE - SIGMA0_PA;
}
/*
 * 10. SWITCH_RELOCATES (facts.mk): 1 if low addresses are relocated. A program's low addresses
 *    then have a second name each, at the slot that its space happens to have: the processor makes
 *    the same mva of both, and looks up TLB, domain and cache by that. What lies where slots are,
 *    and nobody has mapped, may not fault, so programs are told to leave it alone (kip.c).
 */
_Static_assert(SWITCH_RELOCATES == 0 || SWITCH_RELOCATES == 1, "the scheme says if it relocates");
_Static_assert(SWITCH_PROTECTS == 0 || SWITCH_PROTECTS == 1, "the scheme says if it protects");

/* The scheme has exactly these. */
#define SWITCH_HAS(name, type) _Static_assert(_Generic(&(name), type: 1, default: 0), #name)
SWITCH_HAS(switch_to, void (*)(struct space *, struct space *));
SWITCH_HAS(switch_prepare, void (*)(struct space *));
SWITCH_HAS(switch_fault, bool (*)(struct space *, word_t *, word_t));
SWITCH_HAS(switch_set_directory, void (*)(struct space *, word_t, word_t));
#undef SWITCH_HAS

#endif
