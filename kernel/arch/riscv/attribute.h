/* SPDX-License-Identifier: Apache-2.0 */
/* What MemoryControl can say of a frame: the default alone, for what is cached the board decides.
 */
#ifndef ATTRIBUTE_H
#define ATTRIBUTE_H

#include <l4/arch.h>

#include "ptab.h"

#define ATTRIBUTE_DEFAULT L4_MEMORY_DEFAULT
#define ATTRIBUTE_LAST    L4_MEMORY_LAST

/* The other: `MAPPED` is called with how the frame is mapped then, which the entries note only. */
#define ATTRIBUTE_MAPPINGS(MAPPED) MAPPED(L4_MEMORY_UNCACHED, 0)

#endif
