/* SPDX-License-Identifier: Apache-2.0 */
/* The simulator's probe for L4 programs: its page comes from sigma0 if the KIP announces it. */
#ifndef COMMON_PROBE_H
#define COMMON_PROBE_H

#include <l4/types.h>
#include <probe.h>

/* Looks for the probe and maps its page; false (and no effect of the rest) where there is none. */
bool probe_init(void);
bool probe_present(void);

L4_INLINE volatile L4_Word32_t *probe_register(unsigned offset) {
    return (volatile L4_Word32_t *)(uintptr_t)(PROBE_BASE_PA + offset);
}

/* One register; only where probe_present(). */
L4_INLINE void probe_write(unsigned offset, L4_Word_t value) {
    *probe_register(offset) = (L4_Word32_t)value;
}

L4_INLINE L4_Word_t probe_read(unsigned offset) {
    return *probe_register(offset);
}

#endif
