/* SPDX-License-Identifier: Apache-2.0 */
/* Fpages that are not memory, for an architecture that has none: its io_fpages.h (space.c). */
#ifndef NO_IO_FPAGES_H
#define NO_IO_FPAGES_H

#include <l4/types.h>

#include "kernel.h"

static inline bool io_is_fpage(L4_Fpage_t f) {
    (void)f;
    return false;
}

static inline bool io_map(struct space *from, L4_Fpage_t send, bool grant, struct space *to,
                          L4_Fpage_t window) {
    (void)from;
    (void)send;
    (void)grant;
    (void)to;
    (void)window;
    return true;
}

static inline word_t io_unmap(struct space *space, L4_Fpage_t fpage, bool own) {
    (void)space;
    (void)fpage;
    (void)own;
    return 0;
}

static inline void io_space_ends(struct space *space) {
    (void)space;
}

#endif
