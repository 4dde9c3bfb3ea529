/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What assembly needs of the processor.
 */
#ifndef CPU_ASM_H
#define CPU_ASM_H

/* The bank of zeros, once for each data cache: reading it cleans them (cpu.c). */
#define cpu_boot_sections                                                                          \
    .word ZEROS_VA, ZEROS_PA + SECTION_CACHED, 1;                                                  \
    .word ZEROS_MINI_VA, ZEROS_PA + SECTION_MINI, 1

#ifdef __ASSEMBLER__
/* clang-format off */

/* Programs have one processor state only: what is in spsr after a system call, but for its flags, is
 * right for every thread, and saved with every thread already. */
    .macro  cpu_save_state tcb, scratch
    .endm
    .macro  cpu_arm_state scratch
    .endm
    .macro  cpu_load_state state
    msr     spsr_f, \state
    .endm

#endif

#endif
