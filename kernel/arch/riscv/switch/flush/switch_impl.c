/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scheme `flush`, out of line. Only of the space in force can anything be in a TLB, under ASID 0.
 */
#include "events.h"
#include "root.h"
#include "switch_asm.h"

_Static_assert(offsetof(struct space, scheme) == 0, "the switch finds it at the space's address");
_Static_assert(offsetof(struct switch_state, satp) == SWITCH_SATP, "switch_state.satp");

void switch_init(void) {
}

bool switch_space_init(struct space *space) {
    space->scheme.satp = root_init(space);
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

/* Also where nothing was: that may be remembered. A table is more than one address. */
static void fence(const struct space *space) {
    if (hot.space == space) {
        count_event(EVENT_TLB_FLUSH);
        cpu_fence_asid(0);
    }
}

void switch_set_above(struct space *space, word_t *entry, word_t value) {
    *entry = value;
    fence(space);
}

void switch_set_directory(struct space *space, word_t index, word_t value) {
    root_set_directory(space, index, value);
    fence(space);
}

/* A large page is one entry, which any of its addresses names. */
void switch_map(struct space *space, word_t va, word_t size, bool writable, bool was_valid) {
    (void)size;
    (void)writable;
    (void)was_valid;
    if (hot.space == space) {
        cpu_fence_page(va, 0);
    }
}

void switch_unmap(struct space *space, word_t va, word_t size, enum unmap what, word_t cached) {
    (void)size;
    (void)what;
    (void)cached;
    if (hot.space == space) {
        cpu_fence_page(va, 0);
    }
}

#include "switch_at_once.h"

#include "switch_coherent.h"
