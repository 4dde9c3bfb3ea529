/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scheme `tags`: for a machine with ideal address-space tags alone (docs/machine-tags.md), whose
 * caches behave as if physically tagged and whose TLBs tell page directories apart and never hold
 * anything stale. Nothing has to be flushed, ever: a change of space loads the page directory. It
 * is what every other scheme may be compared with, and wrong on any machine that exists.
 *
 * Each space has its own directory, as with `flush`. Programs are in one domain, always open.
 */
#ifndef SWITCH_IMPL_H
#define SWITCH_IMPL_H

#include <stdint.h>

struct switch_state {
    uint32_t ttb; /* pa of the directory */
};

struct switch_hot {
    uint32_t unused;
};

#endif
