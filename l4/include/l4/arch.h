/* SPDX-License-Identifier: Apache-2.0 */
/* What is the processor's own: the numbers of its binding. The include path says whose. */
#ifndef L4_ARCH_H
#define L4_ARCH_H

#include <binding.h>
#include <l4/types.h>

#endif
