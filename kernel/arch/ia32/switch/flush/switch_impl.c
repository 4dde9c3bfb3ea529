/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scheme `flush`, out of line.
 */
#include "cpu.h"
#include "events.h"
#include "kmem.h"
#include "ptab.h"
#include "spaces.h"
#include "switch.h"
#include "switch_asm.h"
#include "switch_segments.h"

_Static_assert(offsetof(struct space, scheme) == 0, "the switch finds it at the space's address");
_Static_assert(offsetof(struct switch_state, directory) == SWITCH_DIRECTORY,
               "switch_state.directory");
_Static_assert(offsetof(struct switch_state, io_map) == SWITCH_IO_MAP, "switch_state.io_map");

void switch_init(void) {
}

bool switch_space_init(struct space *space) {
    for (uint32_t i = KERNEL_VA >> SECTION_LOG2; i < PAGE_SIZE / 4; i++) {
        space->directory[i] = ptab_kernel_directory[i];
    }
    space->scheme.directory = heap_uncached_to_pa(space->directory);
    space->scheme.io_map = TASK_IO_CLOSED;
    return true;
}

/* Not the space in force: nothing of it is in a TLB. */
void switch_space_free(struct space *space) {
    kernel_assert(hot.space != space);
}

/* Every space is always ready. */
void switch_prepare(struct space *to) {
    (void)to;
}

void switch_set_directory(struct space *space, uint32_t index, uint32_t value) {
    bool was_valid = pde_is_valid(space->directory[index]);
    space->directory[index] = value;
    if (was_valid && hot.space == space) {
        count_event(EVENT_TLB_FLUSH);
        cpu_set_directory(space->scheme.directory);
    }
}

/* A large page is one entry, which any of its addresses names. */
void switch_map(struct space *space, uint32_t va, uint32_t size, bool writable, bool was_valid) {
    (void)size;
    (void)writable;
    if (was_valid && hot.space == space) {
        cpu_invalidate_page(va);
    }
}

void switch_unmap(struct space *space, uint32_t va, uint32_t size, enum unmap what,
                  uint32_t cached) {
    (void)size;
    (void)what;
    (void)cached;
    if (hot.space == space) {
        cpu_invalidate_page(va);
    }
}

/* The trace cache loses a page's code with its entry of the TLB. */
#include "switch_at_once.h"

/* Caches are physically tagged. */
#include "switch_coherent.h"

/* All segments are flat: what a program's selectors reach is never too little. */
bool switch_limit_fault(struct space *space) {
    (void)space;
    return false;
}

uint32_t switch_kernel_fault(uint32_t pc) {
    (void)pc;
    return 0;
}

/* There are no small spaces. */
uint32_t switch_control(struct space *space, uint32_t control) {
    (void)space;
    (void)control;
    return 0;
}

/* (Behind what is measured, own_state.c.) */
__attribute__((section(".own"))) void switch_segment_range(const struct space *space,
                                                           uint32_t *base, uint32_t *size) {
    (void)space;
    *base = *size = 0;
}
