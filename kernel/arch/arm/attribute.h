/* SPDX-License-Identifier: Apache-2.0 */
/* What MemoryControl can say of a frame. */
#ifndef ATTRIBUTE_H
#define ATTRIBUTE_H

#include <l4/arch.h>

#include "ptab.h"

#define ATTRIBUTE_DEFAULT L4_MEMORY_DEFAULT
#define ATTRIBUTE_LAST    L4_MEMORY_LAST

/* The others: `MAPPED` is called for each with how the frame is mapped then, as C and B. */
#define ATTRIBUTE_MAPPINGS(MAPPED)                                                                 \
    MAPPED(L4_MEMORY_UNCACHED, 0)                                                                  \
    MAPPED(L4_ARM_MEMORY_BUFFERED, MAPPING_BUFFERABLE)                                             \
    MAPPED(L4_ARM_MEMORY_MINI_CACHE, MAPPING_CACHEABLE)                                            \
    MAPPED(L4_ARM_MEMORY_CACHED, MAPPING_CACHED)

#endif
