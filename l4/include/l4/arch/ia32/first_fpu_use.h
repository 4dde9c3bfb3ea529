/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread's first use of the floating-point unit: an extension of X.2.
 *
 * The unit is every thread's, without a word. Who runs programs of another operating system may
 * want to know which of them use it, so as to save and load its registers for those alone: a thread
 * can have its first floating-point instruction raise an exception (#NM, vector 7), which is its
 * handler's as any other. The instruction is executed when the word is 0 again. It means nothing to
 * a thread that has used the unit.
 */
#ifndef L4_FIRST_FPU_USE_H
#define L4_FIRST_FPU_USE_H

#include <l4/utcb.h>
#include <my_utcb.h>

L4_STATIC_ASSERT(offsetof(L4_Utcb_t, arch) + 3 * sizeof(L4_Word_t) == L4_IA32_UTCB_FIRST_FPU_USE,
                 "UTCB: arch");

L4_INLINE void L4_IA32_Set_FirstFpuUseRaises(L4_Bool_t raises) {
    L4_MyUtcb()->arch[3] = raises;
}

#endif
