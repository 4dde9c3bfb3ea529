/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A segment of a thread's own, for thread-local storage as other systems have it by GS: an
 * extension of X.2.
 *
 * From its base on, and below it, it reaches all that the thread's space does. Whenever the
 * thread's program goes on after a call, an exception or an interrupt, GS has its selector, and FS
 * the UTCB pointer's segment.
 */
#ifndef L4_OWN_SEGMENT_H
#define L4_OWN_SEGMENT_H

#include <l4/types.h>
#include <binding.h>

/* The running thread's begins at `base` from now on. Its selector; 0: there is no such address. */
L4_INLINE L4_Word_t L4_IA32_SetOwnSegment(L4_Word_t base) {
    L4_Word_t result = 1;

    __asm__ volatile("int %1" : "+a"(result) : "i"(L4_IA32_OWN_CALL), "c"(base) : "memory");
    return result;
}

/* It has none any more: GS has the UTCB pointer's segment again. */
L4_INLINE void L4_IA32_DropOwnSegment(void) {
    L4_Word_t result = 0;

    __asm__ volatile("int %1" : "+a"(result) : "i"(L4_IA32_OWN_CALL) : "memory");
}

#endif
