/* SPDX-License-Identifier: Apache-2.0 */
/* Forms of ExchangeRegisters (manual, 2.1 and 2.3). */
#ifndef L4_CXX_THREAD_H
#define L4_CXX_THREAD_H

#include <l4/thread.h>

L4_INLINE L4_ThreadId_t L4_GlobalId(L4_ThreadId_t t) {
    return L4_GlobalIdOf(t);
}

L4_INLINE L4_ThreadId_t L4_LocalId(L4_ThreadId_t t) {
    return L4_LocalIdOf(t);
}

L4_INLINE L4_Word_t L4_UserDefinedHandle(L4_ThreadId_t t) {
    return L4_UserDefinedHandleOf(t);
}

L4_INLINE void L4_Set_UserDefinedHandle(L4_ThreadId_t t, L4_Word_t handle) {
    L4_Set_UserDefinedHandleOf(t, handle);
}

L4_INLINE L4_ThreadId_t L4_Pager(L4_ThreadId_t t) {
    return L4_PagerOf(t);
}

L4_INLINE void L4_Set_Pager(L4_ThreadId_t t, L4_ThreadId_t pager) {
    L4_Set_PagerOf(t, pager);
}

L4_INLINE void L4_Start(L4_ThreadId_t t, L4_Word_t sp, L4_Word_t ip) {
    L4_Start_SpIp(t, sp, ip);
}

L4_INLINE void L4_Start(L4_ThreadId_t t, L4_Word_t sp, L4_Word_t ip, L4_Word_t flags) {
    L4_Start_SpIpFlags(t, sp, ip, flags);
}

L4_INLINE L4_ThreadState_t L4_Stop(L4_ThreadId_t t, L4_Word_t *sp, L4_Word_t *ip,
                                   L4_Word_t *flags) {
    return L4_Stop_SpIpFlags(t, sp, ip, flags);
}

L4_INLINE L4_ThreadState_t L4_AbortReceive_and_stop(L4_ThreadId_t t, L4_Word_t *sp, L4_Word_t *ip,
                                                    L4_Word_t *flags) {
    return L4_AbortReceive_and_stop_SpIpFlags(t, sp, ip, flags);
}

L4_INLINE L4_ThreadState_t L4_AbortSend_and_stop(L4_ThreadId_t t, L4_Word_t *sp, L4_Word_t *ip,
                                                 L4_Word_t *flags) {
    return L4_AbortSend_and_stop_SpIpFlags(t, sp, ip, flags);
}

L4_INLINE L4_ThreadState_t L4_AbortIpc_and_stop(L4_ThreadId_t t, L4_Word_t *sp, L4_Word_t *ip,
                                                L4_Word_t *flags) {
    return L4_AbortIpc_and_stop_SpIpFlags(t, sp, ip, flags);
}

#endif
