/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fpages that are not memory: I/O ports (l4/arch/ia32/io_fpage.h says how they differ).
 *
 * Who has which port from whom is in a table for each space that has any (ports.c); sigma0 has all
 * but the kernel's. The processor looks into the task state's map of ports, which holds the ports
 * of one space at a time and counts only while that space runs: the switch stores a word of the
 * space's that says so (segments_asm.h), and that is all that spaces without ports pay. A space
 * whose ports are not in the map has #GP at its first access, and gets them there.
 */
#ifndef IO_FPAGES_H
#define IO_FPAGES_H

#include <io_fpage.h>

#include "kernel.h"

static inline bool io_is_fpage(L4_Fpage_t f) {
    return L4_IsIoFpage(f) != 0;
}

/* Map or grant: what is in `send` and in `window`. False: no memory, what fitted is mapped. */
bool io_map(struct space *from, L4_Fpage_t send, bool grant, struct space *to, L4_Fpage_t window);

/* Takes the ports from all who have them from the space and, if `own`, from itself, unless the
 * fpage has no rights. Returns the rights that there were. */
uint32_t io_unmap(struct space *space, L4_Fpage_t fpage, bool own);

/* What it has goes, as by io_unmap. Not the space in force. */
void io_space_ends(struct space *space);

/* The space in force has had #GP at an access to `count` ports from `first` on. */
enum io_access {
    IO_MISSING,   /* some it has not */
    IO_NO_PORTS,  /* some are the kernel's, or beyond the last one */
    IO_LOADED,    /* it has them, and from now on the processor knows */
    IO_PERMITTED, /* ... and knew it already: the exception is not about ports */
};
enum io_access io_access(struct space *space, uint32_t first, uint32_t count);

#endif
