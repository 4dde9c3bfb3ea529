/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scheme `tags`, out of line.
 */
#include "events.h"
#include "root.h"
#include "switch_asm.h"

_Static_assert(offsetof(struct space, scheme) == 0, "the switch finds it at the space's address");
_Static_assert(offsetof(struct switch_state, satp) == SWITCH_SATP, "switch_state.satp");

/* As many spaces as there can be (spaces.c), and ASID 0, which is in force before there is any. */
#define ASIDS (THREAD_COUNT + 1)

static bool taken[ASIDS] = {true};

/* The ASID of the highest number that satp keeps. */
void switch_init(void) {
    word_t satp = cpu_satp();
    cpu_set_satp(satp | SATP_ASIDS);
    word_t most = (cpu_satp() & SATP_ASIDS) >> SATP_ASID_LOG;
    cpu_set_satp(satp);
    cpu_fence_all();
    if (most < ASIDS - 1) {
        panic("scheme tags: this processor has not enough ASIDs");
    }
}

static word_t asid_of(const struct space *space) {
    return (space->scheme.satp & SATP_ASIDS) >> SATP_ASID_LOG;
}

bool switch_space_init(struct space *space) {
    word_t asid = 1;
    while (asid < ASIDS && taken[asid]) {
        asid++;
    }
    if (asid == ASIDS) {
        return false;
    }
    taken[asid] = true;
    space->scheme.satp = root_init(space) | asid << SATP_ASID_LOG;
    return true;
}

static void fence(const struct space *space) {
    count_event(EVENT_TLB_FLUSH);
    cpu_fence_asid(asid_of(space));
}

void switch_space_free(struct space *space) {
    kernel_assert(hot.space != space);
    fence(space);
    taken[asid_of(space)] = false;
}

/* Every space is always ready. */
void switch_prepare(struct space *to) {
    (void)to;
}

/* Also where nothing was: that may be remembered. A table is more than one address. */
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
    cpu_fence_page(va, asid_of(space));
}

void switch_unmap(struct space *space, word_t va, word_t size, enum unmap what, word_t cached) {
    (void)size;
    (void)what;
    (void)cached;
    cpu_fence_page(va, asid_of(space));
}

#include "switch_at_once.h"

#include "switch_coherent.h"
