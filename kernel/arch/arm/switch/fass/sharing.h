/* SPDX-License-Identifier: Apache-2.0 */
/* What ../common/cpd asks of a scheme about sections that spaces share. Here none is. */
#ifndef SHARING_H
#define SHARING_H

#include "switch_impl.h"

struct space;

static inline uint32_t sharing_domains(const struct switch_state *s) {
    (void)s;
    return 0;
}

static inline uint32_t sharing_sections(void) {
    return 0;
}

static inline uint32_t sharing_writable(void) {
    return 0;
}

static inline bool sharing_recycle_idle(void) {
    return false;
}

static inline void sharing_end(uint32_t domain) {
    (void)domain;
}

static inline void sharing_changed(struct space *space, uint32_t va, bool writable) {
    (void)space;
    (void)va;
    (void)writable;
}

#endif
