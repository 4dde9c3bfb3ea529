/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scheme `tags`, out of line: what has to be flushed elsewhere has not here.
 */
#include "switch.h"

#include "cpu.h"
#include "kmem.h"
#include "ptab.h"
#include "switch_asm.h"

_Static_assert(offsetof(struct space, scheme) == 0, "the switch finds it at the space's address");
_Static_assert(offsetof(struct switch_state, ttb) == SWITCH_TTB, "switch_state.ttb");

#define DOMAIN_USER 1u
#define DACR        (1u | 1u << (2 * DOMAIN_USER)) /* kernel and programs: clients */

void switch_init(void) {
    cpu_set_dacr(DACR);
    cpu_set_pid(0);
}

bool switch_space_init(struct space *space) {
    for (uint32_t i = KERNEL_AREA >> 20; i < 4096; i++) {
        space->directory[i] = ptab_kernel_directory[i];
    }
    ptab_publish();
    space->scheme.ttb = heap_uncached_to_pa(space->directory);
    return true;
}

void switch_space_free(struct space *space) {
    kernel_assert(hot.space != space);
}

void switch_prepare(struct space *to) {
    (void)to;
}

void switch_set_directory(struct space *space, uint32_t index, uint32_t value) {
    space->directory[index] = value == 0 ? 0 : value | DOMAIN_USER << 5;
    ptab_publish();
}

void switch_map(struct space *space, uint32_t va, uint32_t size, bool writable, bool was_valid) {
    (void)space;
    (void)va;
    (void)size;
    (void)writable;
    (void)was_valid;
}

void switch_unmap(struct space *space, uint32_t va, uint32_t size, enum unmap what,
                  uint32_t cached) {
    (void)space;
    (void)va;
    (void)size;
    (void)what;
    (void)cached;
}

void switch_unmap_finish(void) {
}

bool switch_fault(struct space *space, uint32_t *va, uint32_t status) {
    (void)space;
    (void)va;
    (void)status;
    return false;
}

void switch_window(struct space *space, uint32_t va, uint32_t size) {
    (void)space;
    (void)va;
    (void)size;
}

bool switch_synonym(const struct space *a, uint32_t va_a, const struct space *b, uint32_t va_b) {
    (void)a;
    (void)va_a;
    (void)b;
    (void)va_b;
    return false;
}
