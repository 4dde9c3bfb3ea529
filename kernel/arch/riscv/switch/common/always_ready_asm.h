/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The switch's macros (switch.h) on RISC-V, which has no flags: every scheme is always ready, so
 * nobody looks whether it is, and switch_prepare is never called. Of those macros the ones that do
 * nothing in any scheme.
 */
#ifndef ALWAYS_READY_ASM_H
#define ALWAYS_READY_ASM_H

#ifdef __ASSEMBLER__
/* clang-format off */

#define switch_entry_hook
#define switch_exit_hook

#endif
#endif
