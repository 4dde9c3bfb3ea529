/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parts 6 and 7 of a scheme (switch.h) that does all that an unmap needs at once, so that nothing
 * waits for its end, and whose faults are the programs' own. Its .c file includes this, once.
 */
#ifndef SWITCH_AT_ONCE_H
#define SWITCH_AT_ONCE_H

#include "switch.h"

void switch_unmap_finish(void) {
}

bool switch_fault(struct space *space, word_t *va, word_t status) {
    (void)space;
    (void)va;
    (void)status;
    return false;
}

#endif
