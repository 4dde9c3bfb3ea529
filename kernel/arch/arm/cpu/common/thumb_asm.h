/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What assembly needs of a processor with Thumb state; its cpu_asm.h includes this.
 */
#ifndef THUMB_ASM_H
#define THUMB_ASM_H

#include "offsets.h"

#ifdef __ASSEMBLER__
/* clang-format off */

/* Programs may be in ARM or in Thumb state. */

/* A thread that stops in a system call: in its own state it goes on after the SWI ... */
    .macro  cpu_save_state tcb, scratch
    mrs     \scratch, spsr
    str     \scratch, [\tcb, #TCB_CPSR]
    .endm

/* ... or, where the IPC path lets it go on, in ARM state at its lr, where the stub would return to.
 * What is in spsr then is another's. */
    .macro  cpu_arm_state scratch
    mov     \scratch, #0x10
    msr     spsr_cxsf, \scratch
    .endm

/* Another goes on in its own. */
    .macro  cpu_load_state state
    msr     spsr_cxsf, \state
    .endm

#endif

#endif
