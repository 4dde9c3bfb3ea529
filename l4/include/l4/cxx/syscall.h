/* SPDX-License-Identifier: Apache-2.0 */
/* Forms of KernelInterface (manual, 1.2). */
#ifndef L4_CXX_SYSCALL_H
#define L4_CXX_SYSCALL_H

#include <l4/syscall.h>

L4_INLINE void *L4_KernelInterface(void) {
    return L4_GetKernelInterface();
}

/* The words as what they are. */
L4_INLINE void *L4_KernelInterface(L4_ApiVersion_t *version, L4_ApiFlags_t *flags,
                                   L4_KernelId_t *id) {
    return L4_KernelInterface(&version->raw, &flags->raw, &id->raw);
}

#endif
