/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scheme `fass`: fast address-space switching (Wiggins et al. 2003, sections 2.3 and 3.1).
 *
 * The processor always walks one directory, the caching page directory (CPD). It caches entries
 * of the directories of several spaces at once, each tagged with the domain that its space holds;
 * the DACR opens the domain of the running space only. Addresses below 32 MB are relocated by the
 * PID register into the space's own slot, so that spaces with equal layouts lie apart. A switch
 * is then: load DACR and PID. Flushes wait until two spaces want the same mva or domains run out.
 *
 * Most of it is in ../common/cpd, for `fass-shared` does the same and shares sections besides. Here
 * none is.
 */
#ifndef SWITCH_IMPL_H
#define SWITCH_IMPL_H

struct sharing {};

#include "cpd_state.h"

#endif
