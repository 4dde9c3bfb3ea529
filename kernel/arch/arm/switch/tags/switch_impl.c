/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scheme `tags`, out of line: what has to be flushed elsewhere has not here.
 */
#include "own_directory.h"

void switch_init(void) {
    own_directory_start();
}

bool switch_space_init(struct space *space) {
    own_directory_init(space);
    return true;
}

void switch_space_free(struct space *space) {
    kernel_assert(hot.space != space);
}

void switch_prepare(struct space *to) {
    (void)to;
}

void switch_set_directory(struct space *space, uint32_t index, uint32_t value) {
    own_directory_set(space, index, value);
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

#include "switch_at_once.h"

#include "switch_coherent.h"
