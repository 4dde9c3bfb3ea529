/* SPDX-License-Identifier: Apache-2.0 */
/* The running thread's UTCB, for programs. */
#ifndef L4_MY_UTCB_H
#define L4_MY_UTCB_H

#include <l4/utcb.h>

/* (Volatile: the kernel changes tp when a thread goes to another space.) */
L4_INLINE L4_Utcb_t *L4_MyUtcb(void) {
    L4_Utcb_t *utcb;
    __asm__ volatile("mv %0, tp" : "=r"(utcb));
    return utcb;
}

#endif
