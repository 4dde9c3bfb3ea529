/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scheme `tags`: each space has an address-space identifier (ASID), by which TLBs tell spaces
 * apart: a change of space writes satp, and no more. For processors that have ASIDs, which
 * switch_init finds out.
 *
 * What `flush` does for the space in force, this does for every space, as what is in a TLB of any
 * of them stays there. An ASID is given to another space when its TLB entries have gone.
 */
#ifndef SWITCH_IMPL_H
#define SWITCH_IMPL_H

#include "word.h"

struct switch_state {
    word_t satp; /* with the ASID */
};

struct switch_hot {
    uint32_t unused;
};

#endif
