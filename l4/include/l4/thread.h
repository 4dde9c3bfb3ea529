/* SPDX-License-Identifier: Apache-2.0 */
/* Threads for programs: the thread control registers of the UTCB, and ExchangeRegisters' forms. */
#ifndef L4_THREAD_H
#define L4_THREAD_H

#include <l4/syscall.h>

L4_INLINE L4_ThreadId_t L4_MyGlobalId(void) {
    return (L4_ThreadId_t){.raw = L4_MyUtcb()->my_global_id};
}

L4_INLINE L4_ThreadId_t L4_MyLocalId(void) {
    return (L4_ThreadId_t){.raw = (L4_Word_t)(uintptr_t)L4_MyUtcb()};
}

L4_INLINE L4_ThreadId_t L4_Myself(void) {
    return L4_MyGlobalId();
}

L4_INLINE L4_Word_t L4_ProcessorNo(void) {
    return L4_MyUtcb()->processor_no;
}

L4_INLINE L4_Word_t L4_UserDefinedHandle(void) {
    return L4_MyUtcb()->user_defined_handle;
}

L4_INLINE void L4_Set_UserDefinedHandle(L4_Word_t value) {
    L4_MyUtcb()->user_defined_handle = value;
}

L4_INLINE L4_ThreadId_t L4_Pager(void) {
    return (L4_ThreadId_t){.raw = L4_MyUtcb()->pager};
}

L4_INLINE void L4_Set_Pager(L4_ThreadId_t id) {
    L4_MyUtcb()->pager = id.raw;
}

L4_INLINE L4_ThreadId_t L4_ExceptionHandler(void) {
    return (L4_ThreadId_t){.raw = L4_MyUtcb()->exception_handler};
}

L4_INLINE void L4_Set_ExceptionHandler(L4_ThreadId_t id) {
    L4_MyUtcb()->exception_handler = id.raw;
}

L4_INLINE L4_Word_t L4_ErrorCode(void) {
    return L4_MyUtcb()->error_code;
}

L4_INLINE void L4_Set_XferTimeouts(L4_Word_t timeouts) {
    L4_MyUtcb()->xfer_timeouts = timeouts;
}

L4_INLINE L4_Word_t L4_XferTimeouts(void) {
    return L4_MyUtcb()->xfer_timeouts;
}

/* Programs for processors of several word sizes say which one they use; here there is one. */
L4_INLINE L4_Word_t L4_WordSizeMask(void) {
    return ~(L4_Word_t)0;
}

L4_INLINE void L4_Reset_WordSizeMask(void) {
}

L4_INLINE L4_ThreadId_t L4_IntendedReceiver(void) {
    return (L4_ThreadId_t){.raw = L4_MyUtcb()->intended_receiver};
}

L4_INLINE L4_ThreadId_t L4_ActualSender(void) {
    return (L4_ThreadId_t){.raw = L4_MyUtcb()->virtual_sender};
}

L4_INLINE void L4_Set_VirtualSender(L4_ThreadId_t id) {
    L4_MyUtcb()->virtual_sender = id.raw;
}

L4_INLINE void L4_Set_CopFlag(L4_Word_t n) {
    L4_MyUtcb()->cop_flags = (L4_Word8_t)(L4_MyUtcb()->cop_flags | 1u << n);
}

L4_INLINE void L4_Clr_CopFlag(L4_Word_t n) {
    L4_MyUtcb()->cop_flags = (L4_Word8_t)(L4_MyUtcb()->cop_flags & ~(1u << n));
}

L4_INLINE L4_Bool_t L4_EnablePreemptionFaultException(void) {
    L4_Word8_t old = L4_MyUtcb()->preempt_flags;
    L4_MyUtcb()->preempt_flags = old | L4_PREEMPT_SIGNAL;
    return (old & L4_PREEMPT_SIGNAL) != 0;
}

L4_INLINE L4_Bool_t L4_DisablePreemptionFaultException(void) {
    L4_Word8_t old = L4_MyUtcb()->preempt_flags;
    L4_MyUtcb()->preempt_flags = (L4_Word8_t)(old & ~L4_PREEMPT_SIGNAL);
    return (old & L4_PREEMPT_SIGNAL) != 0;
}

L4_INLINE L4_Bool_t L4_EnablePreemptionCallback(void) {
    L4_Word8_t old = L4_MyUtcb()->preempt_flags;
    L4_MyUtcb()->preempt_flags = old | L4_PREEMPT_SIGNAL;
    return (old & L4_PREEMPT_SIGNAL) != 0;
}

L4_INLINE L4_Bool_t L4_DisablePreemption(void) {
    L4_Word8_t old = L4_MyUtcb()->preempt_flags;
    L4_MyUtcb()->preempt_flags = old | L4_PREEMPT_DELAY;
    return (old & L4_PREEMPT_DELAY) != 0;
}

L4_INLINE L4_Bool_t L4_EnablePreemption(void) {
    L4_Word8_t old = L4_MyUtcb()->preempt_flags;
    L4_MyUtcb()->preempt_flags = (L4_Word8_t)(old & ~L4_PREEMPT_DELAY);
    return (old & L4_PREEMPT_DELAY) != 0;
}

L4_INLINE L4_Bool_t L4_PreemptionPending(void) {
    L4_Word8_t old = L4_MyUtcb()->preempt_flags;
    L4_MyUtcb()->preempt_flags = (L4_Word8_t)(old & ~L4_PREEMPT_PENDING);
    return (old & L4_PREEMPT_PENDING) != 0;
}

/* ---- forms of ExchangeRegisters ---- */

/* ExchangeRegisters for its effect only. Nilthread = no such thread in this space. */
L4_INLINE L4_ThreadId_t L4_ExregsControl(L4_ThreadId_t dest, L4_Word_t control, L4_Word_t sp,
                                         L4_Word_t ip) {
    L4_Word_t c, s, i, f, h;
    L4_ThreadId_t p;
    return L4_ExchangeRegisters(dest, control, sp, ip, 0, 0, L4_nilthread, &c, &s, &i, &f, &h, &p);
}

L4_INLINE L4_ThreadId_t L4_GlobalIdOf(L4_ThreadId_t local) {
    return L4_IsLocalId(local) ? L4_ExregsControl(local, 0, 0, 0) : local;
}

L4_INLINE L4_ThreadId_t L4_LocalIdOf(L4_ThreadId_t global) {
    return L4_IsGlobalId(global) ? L4_ExregsControl(global, 0, 0, 0) : global;
}

L4_INLINE L4_Bool_t L4_SameThreads(L4_ThreadId_t a, L4_ThreadId_t b) {
    return L4_GlobalIdOf(a).raw == L4_GlobalIdOf(b).raw;
}

/* All of another thread's registers that ExchangeRegisters tells, changing nothing. */
L4_INLINE L4_Word_t L4_UserDefinedHandleOf(L4_ThreadId_t id) {
    L4_Word_t c, s, i, f, h;
    L4_ThreadId_t p;
    (void)L4_ExchangeRegisters(id, 0, 0, 0, 0, 0, L4_nilthread, &c, &s, &i, &f, &h, &p);
    return h;
}

L4_INLINE void L4_Set_UserDefinedHandleOf(L4_ThreadId_t id, L4_Word_t handle) {
    L4_Word_t c, s, i, f, h;
    L4_ThreadId_t p;
    (void)L4_ExchangeRegisters(id, L4_EXREGS_HANDLE, 0, 0, 0, handle, L4_nilthread, &c, &s, &i, &f,
                               &h, &p);
}

L4_INLINE L4_ThreadId_t L4_PagerOf(L4_ThreadId_t id) {
    L4_Word_t c, s, i, f, h;
    L4_ThreadId_t p;
    (void)L4_ExchangeRegisters(id, 0, 0, 0, 0, 0, L4_nilthread, &c, &s, &i, &f, &h, &p);
    return p;
}

L4_INLINE void L4_Set_PagerOf(L4_ThreadId_t id, L4_ThreadId_t pager) {
    L4_Word_t c, s, i, f, h;
    L4_ThreadId_t p;
    (void)L4_ExchangeRegisters(id, L4_EXREGS_PAGER, 0, 0, 0, 0, pager, &c, &s, &i, &f, &h, &p);
}

L4_INLINE void L4_Start_SpIpFlags(L4_ThreadId_t id, L4_Word_t sp, L4_Word_t ip, L4_Word_t flags) {
    L4_Word_t c, s, i, f, h;
    L4_ThreadId_t p;
    (void)L4_ExchangeRegisters(id,
                               L4_EXREGS_WRITE_HALT | L4_EXREGS_RECV_CANCEL |
                                   L4_EXREGS_SEND_CANCEL | L4_EXREGS_SP | L4_EXREGS_IP |
                                   L4_EXREGS_FLAGS,
                               sp, ip, flags, 0, L4_nilthread, &c, &s, &i, &f, &h, &p);
}

L4_INLINE void L4_Start(L4_ThreadId_t id) {
    (void)L4_ExregsControl(id, L4_EXREGS_WRITE_HALT | L4_EXREGS_RECV_CANCEL | L4_EXREGS_SEND_CANCEL,
                           0, 0);
}

L4_INLINE void L4_Start_SpIp(L4_ThreadId_t id, L4_Word_t sp, L4_Word_t ip) {
    (void)L4_ExregsControl(id,
                           L4_EXREGS_WRITE_HALT | L4_EXREGS_RECV_CANCEL | L4_EXREGS_SEND_CANCEL |
                               L4_EXREGS_SP | L4_EXREGS_IP,
                           sp, ip);
}

/* ---- halting: what the thread was doing until then ---- */

typedef struct {
    L4_Word_t raw;
} L4_ThreadState_t;

L4_INLINE L4_Bool_t L4_ThreadWasHalted(L4_ThreadState_t s) {
    return s.raw & L4_EXREGS_HALT;
}

L4_INLINE L4_Bool_t L4_ThreadWasReceiving(L4_ThreadState_t s) {
    return (s.raw & L4_EXREGS_RECV_CANCEL) != 0;
}

L4_INLINE L4_Bool_t L4_ThreadWasSending(L4_ThreadState_t s) {
    return (s.raw & L4_EXREGS_SEND_CANCEL) != 0;
}

L4_INLINE L4_Bool_t L4_ThreadWasIpcing(L4_ThreadState_t s) {
    return (s.raw & (L4_EXREGS_RECV_CANCEL | L4_EXREGS_SEND_CANCEL)) != 0;
}

/* Halts the thread, and ends the IPC that it is in: `what` is R, S, both or neither. */
L4_INLINE L4_ThreadState_t l4_halt(L4_ThreadId_t id, L4_Word_t what, L4_Word_t *sp, L4_Word_t *ip,
                                   L4_Word_t *flags) {
    L4_ThreadState_t state;
    L4_Word_t h;
    L4_ThreadId_t p;
    (void)L4_ExchangeRegisters(id, L4_EXREGS_WRITE_HALT | L4_EXREGS_HALT | L4_EXREGS_DELIVER | what,
                               0, 0, 0, 0, L4_nilthread, &state.raw, sp, ip, flags, &h, &p);
    return state;
}

L4_INLINE L4_ThreadState_t L4_Stop_SpIpFlags(L4_ThreadId_t id, L4_Word_t *sp, L4_Word_t *ip,
                                             L4_Word_t *flags) {
    return l4_halt(id, 0, sp, ip, flags);
}

L4_INLINE L4_ThreadState_t L4_Stop(L4_ThreadId_t id) {
    L4_Word_t sp, ip, flags;
    return l4_halt(id, 0, &sp, &ip, &flags);
}

L4_INLINE L4_ThreadState_t L4_AbortReceive_and_stop_SpIpFlags(L4_ThreadId_t id, L4_Word_t *sp,
                                                              L4_Word_t *ip, L4_Word_t *flags) {
    return l4_halt(id, L4_EXREGS_RECV_CANCEL, sp, ip, flags);
}

L4_INLINE L4_ThreadState_t L4_AbortReceive_and_stop(L4_ThreadId_t id) {
    L4_Word_t sp, ip, flags;
    return l4_halt(id, L4_EXREGS_RECV_CANCEL, &sp, &ip, &flags);
}

L4_INLINE L4_ThreadState_t L4_AbortSend_and_stop_SpIpFlags(L4_ThreadId_t id, L4_Word_t *sp,
                                                           L4_Word_t *ip, L4_Word_t *flags) {
    return l4_halt(id, L4_EXREGS_SEND_CANCEL, sp, ip, flags);
}

L4_INLINE L4_ThreadState_t L4_AbortSend_and_stop(L4_ThreadId_t id) {
    L4_Word_t sp, ip, flags;
    return l4_halt(id, L4_EXREGS_SEND_CANCEL, &sp, &ip, &flags);
}

L4_INLINE L4_ThreadState_t L4_AbortIpc_and_stop_SpIpFlags(L4_ThreadId_t id, L4_Word_t *sp,
                                                          L4_Word_t *ip, L4_Word_t *flags) {
    return l4_halt(id, L4_EXREGS_RECV_CANCEL | L4_EXREGS_SEND_CANCEL, sp, ip, flags);
}

L4_INLINE L4_ThreadState_t L4_AbortIpc_and_stop(L4_ThreadId_t id) {
    L4_Word_t sp, ip, flags;
    return l4_halt(id, L4_EXREGS_RECV_CANCEL | L4_EXREGS_SEND_CANCEL, &sp, &ip, &flags);
}

/* ---- interrupts: a thread of the interrupt's number is handed a pager, its handler ---- */

L4_INLINE L4_Word_t L4_AssociateInterrupt(L4_ThreadId_t interrupt, L4_ThreadId_t handler) {
    return L4_ThreadControl(interrupt, interrupt, L4_nilthread, handler, (void *)~(uintptr_t)0);
}

L4_INLINE L4_Word_t L4_DeassociateInterrupt(L4_ThreadId_t interrupt) {
    return L4_ThreadControl(interrupt, interrupt, L4_nilthread, interrupt, (void *)~(uintptr_t)0);
}

#ifdef __cplusplus
#include <l4/cxx/thread.h>
#endif

#endif
