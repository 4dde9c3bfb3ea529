/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The offsets and numbers that assembly uses are those of C.
 */
#include "offsets.h"

#include "fault_entry.h"
#include "kernel.h"
#include "tcb.h"

_Static_assert(offsetof(struct hot, current) == HOT_CURRENT, "hot.current");
_Static_assert(offsetof(struct hot, space) == HOT_SPACE, "hot.space");
_Static_assert(offsetof(struct hot, ready_top) == HOT_READY_TOP, "hot.ready_top");
_Static_assert(offsetof(struct hot, ready_check) == HOT_READY_CHECK, "hot.ready_check");
_Static_assert(sizeof(struct hot) <= HOT_SIZE, "hot words: one cache line");
_Static_assert(sizeof(struct tcb) == TCB_SIZE, "struct tcb");
_Static_assert(THREAD_COUNT_ASM == THREAD_COUNT, "THREAD_COUNT");
_Static_assert(offsetof(struct tcb, frame.pc) == TCB_PC, "frame.pc");
_Static_assert(offsetof(struct tcb, frame.sp) == TCB_SP, "frame.sp");
_Static_assert(offsetof(struct tcb, frame.ra) == TCB_RA, "frame.ra");
_Static_assert(offsetof(struct tcb, id) == TCB_ID, "tcb.id");
_Static_assert(offsetof(struct tcb, wait_for) == TCB_WAIT_FOR, "tcb.wait_for");
_Static_assert(offsetof(struct tcb, sched) == TCB_SCHED, "tcb.sched");
_Static_assert(offsetof(struct tcb, state) == TCB_STATE, "tcb.state");
_Static_assert(offsetof(struct tcb, space) == TCB_SPACE, "tcb.space");
_Static_assert(offsetof(struct tcb, utcb) == TCB_UTCB, "tcb.utcb");
_Static_assert(TCB_UTCB + sizeof(word_t) == 64, "the receiver's words lie in one cache line");
_Static_assert(offsetof(struct tcb, frame.ipc_words) == TCB_ID,
               "frame leaves the IPC path's words");
_Static_assert(offsetof(struct tcb, frame.status) == TCB_STATUS, "frame.status");
_Static_assert(offsetof(struct tcb, frame.gp) == TCB_GP, "frame.gp");
_Static_assert(offsetof(struct tcb, frame.tp) == TCB_TP, "frame.tp");
_Static_assert(offsetof(struct tcb, frame.t) == TCB_T, "frame.t");
_Static_assert(offsetof(struct tcb, frame.s) == TCB_S, "frame.s");
_Static_assert(offsetof(struct tcb, frame.a) == TCB_A, "frame.a");
_Static_assert(offsetof(struct tcb, wait_open) == TCB_WAIT_OPEN, "tcb.wait_open");
_Static_assert(CAUSE_ECALL_ASM == CAUSE_ECALL, "CAUSE_ECALL");
_Static_assert(STATE_READY_ASM == STATE_READY, "STATE_READY");
_Static_assert(STATE_RECEIVING_ASM == STATE_RECEIVING, "STATE_RECEIVING");
