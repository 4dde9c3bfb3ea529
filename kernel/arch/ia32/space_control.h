/* SPDX-License-Identifier: Apache-2.0 */
/* SpaceControl's control word: small spaces are the scheme's. */
#ifndef SPACE_CONTROL_H
#define SPACE_CONTROL_H

#include "switch_segments.h"

static inline uint32_t space_control(struct space *space, uint32_t control) {
    return switch_control(space, control);
}

#endif
