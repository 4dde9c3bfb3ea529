/* SPDX-License-Identifier: Apache-2.0 */
/* Messages to and from message registers, and the forms of Ipc (manual, 5.1, 5.5, 5.6). */
#ifndef L4_CXX_IPC_H
#define L4_CXX_IPC_H

#include <l4/ipc.h>

L4_INLINE void L4_Load(const L4_Msg_t *msg) {
    L4_MsgLoad(msg);
}

L4_INLINE void L4_Store(L4_MsgTag_t tag, L4_Msg_t *msg) {
    L4_MsgStore(tag, msg);
}

L4_INLINE void L4_Accept(L4_Acceptor_t acceptor, const L4_MsgBuffer_t *buffer) {
    L4_AcceptStrings(acceptor, buffer);
}

L4_INLINE L4_MsgTag_t L4_Call(L4_ThreadId_t to, L4_Time_t send, L4_Time_t receive) {
    return L4_Call_Timeouts(to, send, receive);
}

L4_INLINE L4_MsgTag_t L4_Send(L4_ThreadId_t to, L4_Time_t timeout) {
    return L4_Send_Timeout(to, timeout);
}

L4_INLINE L4_MsgTag_t L4_Receive(L4_ThreadId_t from, L4_Time_t timeout) {
    return L4_Receive_Timeout(from, timeout);
}

L4_INLINE L4_MsgTag_t L4_Wait(L4_Time_t timeout, L4_ThreadId_t *from) {
    return L4_Wait_Timeout(timeout, from);
}

L4_INLINE L4_MsgTag_t L4_ReplyWait(L4_ThreadId_t to, L4_Time_t receive, L4_ThreadId_t *from) {
    return L4_ReplyWait_Timeout(to, receive, from);
}

#endif
