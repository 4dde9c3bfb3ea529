/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The offsets and numbers that assembly uses are those of C.
 */
#include "offsets.h"

#include "ipc.h"
#include "kernel.h"
#include "spaces.h"
#include "tcb.h"

_Static_assert(offsetof(struct hot, current) == HOT_CURRENT, "hot.current");
_Static_assert(offsetof(struct hot, space) == HOT_SPACE, "hot.space");
_Static_assert(offsetof(struct hot, ready_check) == HOT_READY_CHECK, "hot.ready_check");
_Static_assert(sizeof(struct hot) <= HOT_SIZE, "hot words");
_Static_assert(sizeof(struct tcb) == HOT_SIZE && 1 << TCB_SIZE_LOG2 == HOT_SIZE,
               "index by shift: hot words and TCBs are one table");
_Static_assert(THREAD_COUNT_ASM == THREAD_COUNT, "THREAD_COUNT");
_Static_assert(offsetof(struct tcb, frame.pc) == TCB_PC, "frame.pc");
_Static_assert(offsetof(struct tcb, frame.sp) == TCB_SP, "frame.sp");
_Static_assert(offsetof(struct tcb, frame.status) == TCB_STATUS, "frame.status");
_Static_assert(offsetof(struct tcb, frame.ipc_words) == TCB_ID &&
                   offsetof(struct tcb, id) == TCB_ID,
               "frame leaves the IPC path's words");
_Static_assert(offsetof(struct tcb, wait_for) == TCB_WAIT_FOR, "tcb.wait_for");
_Static_assert(offsetof(struct tcb, sched) == TCB_SCHED, "tcb.sched");
_Static_assert(offsetof(struct tcb, state) == TCB_STATE, "tcb.state");
_Static_assert(offsetof(struct tcb, space) == TCB_SPACE, "tcb.space");
_Static_assert(offsetof(struct tcb, utcb) == TCB_UTCB, "tcb.utcb");
_Static_assert(offsetof(struct tcb, frame.edi) == TCB_EDI, "frame.edi");
_Static_assert(offsetof(struct tcb, frame.message[0]) == TCB_ESI, "frame.message");
_Static_assert(offsetof(struct tcb, frame.message[1]) == TCB_EBX, "frame.message");
_Static_assert(offsetof(struct tcb, frame.message[2]) == TCB_EBP, "frame.message");
_Static_assert(offsetof(struct tcb, frame.edx) == TCB_EDX, "frame.edx");
_Static_assert(offsetof(struct tcb, frame.ecx) == TCB_ECX, "frame.ecx");
_Static_assert(offsetof(struct tcb, frame.eax) == TCB_EAX, "frame.eax");
_Static_assert(offsetof(struct tcb, frame.utcb) == TCB_OWN_UTCB, "frame.utcb");
_Static_assert(offsetof(struct tcb, frame.own) == TCB_OWN, "frame.own");
_Static_assert(offsetof(struct tcb, wait_open) == TCB_WAIT_OPEN, "tcb.wait_open");
_Static_assert(offsetof(struct space, kip_area) == SPACE_KIP, "space.kip_area");
_Static_assert(EFLAGS_USER == EFLAGS_USER_ASM && EFLAGS_FIXED == EFLAGS_FIXED_ASM, "EFLAGS");
_Static_assert(THREAD_COUNT_LOG2 + L4_VERSION_BITS == 24 && L4_VERSION_BITS - TCB_SIZE_LOG2 == 6,
               "ipc_path.S makes an offset of an id");
_Static_assert(IPC_ANY == 0xffffffffu && IPC_ANYLOCAL == 0xffffffc0u, "ipc_path.S has them");
_Static_assert(STATE_READY_ASM == STATE_READY, "STATE_READY");
_Static_assert(STATE_RECEIVING_ASM == STATE_RECEIVING, "STATE_RECEIVING");
