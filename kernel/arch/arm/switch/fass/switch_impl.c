/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scheme `fass`, out of line: a space that begins, faults, ends. common/cpd/cpd.h says which flush
 * each step needs.
 */
#include "switch.h"

#include "cpd.h"
#include "spaces.h"

bool switch_space_init(struct space *space) {
    slot_take(space);
    return true;
}

void switch_space_free(struct space *space) {
    kernel_assert(hot.space != space);
    cpd_forget_space(space);
}

bool switch_fault(struct space *space, uint32_t *va, uint32_t status) {
    uint32_t value = cpd_missing_entry(space, va, status);
    if (value == 0) {
        return false;
    }
    cpd_load_entry(&space->scheme, section_of(&space->scheme, *va), value);
    return true;
}
