/* SPDX-License-Identifier: Apache-2.0 */
/* What MemoryControl can say of a frame. */
#ifndef ATTRIBUTE_H
#define ATTRIBUTE_H

#include <l4/arch.h>

#include "ptab.h"

#define ATTRIBUTE_DEFAULT L4_MEMORY_DEFAULT
#define ATTRIBUTE_LAST    L4_MEMORY_LAST

/* The others: `MAPPED` is called for each with how the frame is mapped then; the hardware's bits
 * PCD and PWT are set where these are not. */
#define ATTRIBUTE_MAPPINGS(MAPPED)                                                                 \
    MAPPED(L4_MEMORY_UNCACHED, 0)                                                                  \
    MAPPED(L4_IA32_MEMORY_THROUGH, MAPPING_CACHEABLE)                                              \
    MAPPED(L4_IA32_MEMORY_CACHED, MAPPING_CACHED)

#endif
