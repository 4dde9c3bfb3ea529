/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What assembly needs of the processor.
 */
#ifndef CPU_ASM_H
#define CPU_ASM_H

#include "thumb_asm.h"

/* No mappings of the processor's own. */
#define cpu_boot_sections

#endif
