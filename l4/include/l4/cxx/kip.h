/* SPDX-License-Identifier: Apache-2.0 */
/* What a descriptor says (manual, 1.1). */
#ifndef L4_CXX_KIP_H
#define L4_CXX_KIP_H

#include <l4/kip.h>

L4_INLINE L4_Bool_t L4_IsVirtual(const L4_MemoryDesc_t *d) {
    return L4_IsMemoryDescVirtual(d);
}

L4_INLINE L4_Word_t L4_Type(const L4_MemoryDesc_t *d) {
    return L4_MemoryDescType(d);
}

L4_INLINE L4_Word_t L4_Low(const L4_MemoryDesc_t *d) {
    return L4_MemoryDescLow(d);
}

L4_INLINE L4_Word_t L4_High(const L4_MemoryDesc_t *d) {
    return L4_MemoryDescHigh(d);
}

L4_INLINE L4_Word_t L4_ExternalFreq(const L4_ProcDesc_t *d) {
    return L4_ProcDescExternalFreq(d);
}

L4_INLINE L4_Word_t L4_InternalFreq(const L4_ProcDesc_t *d) {
    return L4_ProcDescInternalFreq(d);
}

#endif
