/* SPDX-License-Identifier: Apache-2.0 */
/* What is the processor's own: for ARM, the numbers of the binding. */
#ifndef L4_ARCH_H
#define L4_ARCH_H

#include <l4/arch/arm/binding.h>
#include <l4/types.h>

#endif
