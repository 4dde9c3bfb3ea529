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

/* The way out of the IPC path, where the sender's processor state is in spsr: programs have one state
 * only, so it is the receiver's, too. */
    .macro  cpu_user_state scratch
    .endm

#endif

#endif
