/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Part 8 of a scheme (switch.h) for which memory is one and the same for all spaces: its caches are
 * physically tagged, or behave as if they were. A scheme's .c file includes this, once.
 */
#ifndef SWITCH_COHERENT_H
#define SWITCH_COHERENT_H

#include "switch.h"

void switch_window(struct space *space, word_t va, word_t size) {
    (void)space;
    (void)va;
    (void)size;
}

bool switch_synonym(const struct space *a, word_t va_a, const struct space *b, word_t va_b) {
    (void)a;
    (void)va_a;
    (void)b;
    (void)va_b;
    return false;
}

#endif
