/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What schemes have alike in which each space has its own directory, which the processor walks,
 * with the kernel's entries copied in: `flush` and `tags`. Programs are in one domain, always open.
 * Their struct switch_state begins with `ttb`, the physical address of the directory.
 */
#ifndef OWN_DIRECTORY_H
#define OWN_DIRECTORY_H

#include "cpu.h"
#include "kmem.h"
#include "own_directory_asm.h"
#include "ptab.h"
#include "spaces.h"
#include "switch.h"

_Static_assert(offsetof(struct space, scheme) == 0, "the switch finds it at the space's address");
_Static_assert(offsetof(struct switch_state, ttb) == SWITCH_TTB, "switch_state.ttb");

#define DOMAIN_USER 1u
#define DACR        (1u | 1u << (2 * DOMAIN_USER)) /* kernel and programs: clients */

/* For switch_init. */
static inline void own_directory_start(void) {
    cpu_set_dacr(DACR);
    cpu_set_pid(0);
}

/* For switch_space_init. */
static inline void own_directory_init(struct space *space) {
    for (uint32_t i = KERNEL_AREA >> 20; i < 4096; i++) {
        space->directory[i] = ptab_kernel_directory[i];
    }
    ptab_publish();
    space->scheme.ttb = heap_uncached_to_pa(space->directory);
}

/* For switch_set_directory: writes the entry, and leaves TLBs as they are. */
static inline void own_directory_set(struct space *space, uint32_t index, uint32_t value) {
    space->directory[index] = value == 0 ? 0 : value | DOMAIN_USER << 5;
    ptab_publish();
}

#endif
