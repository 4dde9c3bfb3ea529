/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Software interrupts that the thread handles itself: an extension of X.2.
 *
 * INT n where the kernel has no gate for programs is an exception (#GP, error code n * 8 + 2), and
 * its handler another thread. A thread that names a handler here goes on there instead, in its own
 * space, with all registers as they were but EIP; on its stack there is nothing new. This is how a
 * program of another operating system, which makes its system calls by INT, comes to an emulation
 * library that makes IPC of them. The handler goes on after the INT by jumping there.
 */
#ifndef L4_SOFTWARE_INTERRUPT_H
#define L4_SOFTWARE_INTERRUPT_H

#include <l4/utcb.h>

L4_STATIC_ASSERT(offsetof(L4_Utcb_t, arch) == L4_IA32_UTCB_INT_HANDLER, "UTCB: arch");

/* The handler's address; 0: none. */
L4_INLINE void L4_IA32_Set_SoftwareInterruptHandler(L4_Word_t ip) {
    L4_MyUtcb()->arch[0] = ip;
}

/* Of the last one: the address of the INT, and the error code, n * 8 + 2. */
L4_INLINE L4_Word_t L4_IA32_SoftwareInterruptIp(void) {
    return L4_MyUtcb()->arch[1];
}

L4_INLINE L4_Word_t L4_IA32_SoftwareInterruptCode(void) {
    return L4_MyUtcb()->arch[2];
}

#endif
