/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What assembly needs of the processor.
 */
#ifndef CPU_ASM_H
#define CPU_ASM_H

/* No mappings of the processor's own. */
#define cpu_boot_sections

#ifdef __ASSEMBLER__
/* clang-format off */

/* The way out of the IPC path, where the sender's processor state is in spsr: it may have called from
 * Thumb state, which is not the receiver's. User mode, ARM state; flags are not kept. */
    .macro  cpu_user_state scratch
    mov     \scratch, #0x10
    msr     spsr_cxsf, \scratch
    .endm

#endif

#endif
