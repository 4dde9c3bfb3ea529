/* SPDX-License-Identifier: Apache-2.0 */
/* IPC for programs: message and buffer registers, and the forms of the Ipc system call. */
#ifndef L4_IPC_H
#define L4_IPC_H

#include <l4/string_item.h>
#include <l4/syscall.h>

L4_INLINE void L4_StoreMR(L4_Word_t i, L4_Word_t *word) {
    *word = L4_MyUtcb()->mr[i];
}

L4_INLINE void L4_LoadMR(L4_Word_t i, L4_Word_t word) {
    L4_MyUtcb()->mr[i] = word;
}

L4_INLINE void L4_StoreMRs(L4_Word_t i, L4_Word_t k, L4_Word_t *words) {
    const L4_Utcb_t *utcb = L4_MyUtcb();
    for (L4_Word_t n = 0; n < k; n++) {
        words[n] = utcb->mr[i + n];
    }
}

L4_INLINE void L4_LoadMRs(L4_Word_t i, L4_Word_t k, const L4_Word_t *words) {
    L4_Utcb_t *utcb = L4_MyUtcb();
    for (L4_Word_t n = 0; n < k; n++) {
        utcb->mr[i + n] = words[n];
    }
}

L4_INLINE void L4_StoreBR(L4_Word_t i, L4_Word_t *word) {
    *word = L4_MyUtcb()->br[i];
}

L4_INLINE void L4_LoadBR(L4_Word_t i, L4_Word_t word) {
    L4_MyUtcb()->br[i] = word;
}

L4_INLINE void L4_StoreBRs(L4_Word_t i, L4_Word_t k, L4_Word_t *words) {
    const L4_Utcb_t *utcb = L4_MyUtcb();
    for (L4_Word_t n = 0; n < k; n++) {
        words[n] = utcb->br[i + n];
    }
}

L4_INLINE void L4_LoadBRs(L4_Word_t i, L4_Word_t k, const L4_Word_t *words) {
    L4_Utcb_t *utcb = L4_MyUtcb();
    for (L4_Word_t n = 0; n < k; n++) {
        utcb->br[i + n] = words[n];
    }
}

L4_INLINE L4_MsgTag_t L4_MsgTag(void) {
    return (L4_MsgTag_t){.raw = L4_MyUtcb()->mr[0]};
}

L4_INLINE void L4_Set_MsgTag(L4_MsgTag_t tag) {
    L4_MyUtcb()->mr[0] = tag.raw;
}

/* Message in memory to message registers, and back. */
L4_INLINE void L4_MsgLoad(const L4_Msg_t *msg) {
    L4_LoadMRs(0, 1 + L4_UntypedWords(msg->tag) + L4_TypedWords(msg->tag), msg->msg);
}

L4_INLINE void L4_MsgStore(L4_MsgTag_t tag, L4_Msg_t *msg) {
    msg->tag = tag;
    L4_StoreMRs(1, L4_UntypedWords(tag) + L4_TypedWords(tag), msg->msg + 1);
}

L4_INLINE void L4_Accept(L4_Acceptor_t acceptor) {
    L4_LoadBR(0, acceptor.raw);
}

L4_INLINE L4_Acceptor_t L4_Accepted(void) {
    return (L4_Acceptor_t){.raw = L4_MyUtcb()->br[0]};
}

/* Accepts what `acceptor` says, and strings into the buffers of `buffer`. */
L4_INLINE void L4_AcceptStrings(L4_Acceptor_t acceptor, const L4_MsgBuffer_t *buffer) {
    L4_LoadBR(0, acceptor.raw | L4_StringItemsAcceptor.raw);
    L4_LoadBRs(1, L4_MsgBufferWords(buffer) - 1, buffer->raw + 1);
}

/* ---- the forms of Ipc ---- */

#define L4_TIMEOUTS_NEVER        0u
#define L4_TIMEOUTS_RECEIVE_ZERO ((L4_Word_t)L4_ZERO_RAW)
#define L4_TIMEOUTS_SEND_ZERO    ((L4_Word_t)L4_ZERO_RAW << 16)

L4_INLINE L4_MsgTag_t L4_Send_Timeout(L4_ThreadId_t to, L4_Time_t timeout) {
    L4_ThreadId_t from;
    return L4_Ipc(to, L4_nilthread, L4_Timeouts(timeout, L4_Never), &from);
}

L4_INLINE L4_MsgTag_t L4_Send(L4_ThreadId_t to) {
    return L4_Send_Timeout(to, L4_Never);
}

L4_INLINE L4_MsgTag_t L4_Reply(L4_ThreadId_t to) {
    return L4_Send_Timeout(to, L4_ZeroTime);
}

L4_INLINE L4_MsgTag_t L4_Receive_Timeout(L4_ThreadId_t from, L4_Time_t timeout) {
    L4_ThreadId_t actual;
    return L4_Ipc(L4_nilthread, from, L4_Timeouts(L4_Never, timeout), &actual);
}

L4_INLINE L4_MsgTag_t L4_Receive(L4_ThreadId_t from) {
    return L4_Receive_Timeout(from, L4_Never);
}

L4_INLINE L4_MsgTag_t L4_Wait_Timeout(L4_Time_t timeout, L4_ThreadId_t *from) {
    return L4_Ipc(L4_nilthread, L4_anythread, L4_Timeouts(L4_Never, timeout), from);
}

L4_INLINE L4_MsgTag_t L4_Wait(L4_ThreadId_t *from) {
    return L4_Wait_Timeout(L4_Never, from);
}

L4_INLINE L4_MsgTag_t L4_Call_Timeouts(L4_ThreadId_t to, L4_Time_t send, L4_Time_t receive) {
    L4_ThreadId_t from;
    return L4_Ipc(to, to, L4_Timeouts(send, receive), &from);
}

L4_INLINE L4_MsgTag_t L4_Call(L4_ThreadId_t to) {
    return L4_Call_Timeouts(to, L4_Never, L4_Never);
}

L4_INLINE L4_MsgTag_t L4_ReplyWait_Timeout(L4_ThreadId_t to, L4_Time_t receive,
                                           L4_ThreadId_t *from) {
    return L4_Ipc(to, L4_anythread, L4_Timeouts(L4_ZeroTime, receive), from);
}

L4_INLINE L4_MsgTag_t L4_ReplyWait(L4_ThreadId_t to, L4_ThreadId_t *from) {
    return L4_ReplyWait_Timeout(to, L4_Never, from);
}

/* Lipc: within a space, where local ids may be used; any thread is addressed so as well. */
L4_INLINE L4_MsgTag_t L4_Lcall(L4_ThreadId_t to) {
    L4_ThreadId_t from;
    return L4_Lipc(to, to, L4_Timeouts(L4_Never, L4_Never), &from);
}

L4_INLINE L4_MsgTag_t L4_LreplyWait(L4_ThreadId_t to, L4_ThreadId_t *from) {
    return L4_Lipc(to, L4_anylocalthread, L4_Timeouts(L4_ZeroTime, L4_Never), from);
}

/* Waits for nobody: the current thread sleeps until the timeout is over. */
L4_INLINE void L4_Sleep(L4_Time_t timeout) {
    (void)L4_Receive_Timeout((L4_ThreadId_t){.raw = (L4_Word_t)(uintptr_t)L4_MyUtcb()}, timeout);
}

#ifdef __cplusplus
#include <l4/cxx/ipc.h>
#endif

#endif
