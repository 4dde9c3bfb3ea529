/* SPDX-License-Identifier: Apache-2.0 */
/* The running thread's UTCB, for programs. */
#ifndef L4_MY_UTCB_H
#define L4_MY_UTCB_H

#include <l4/utcb.h>

/* The pointer's word is the kernel's and changes at every switch. */
L4_INLINE L4_Utcb_t *L4_MyUtcb(void) {
    L4_Utcb_t *utcb;
    __asm__ volatile("movl %%gs:0, %0" : "=r"(utcb));
    return utcb;
}

#endif
