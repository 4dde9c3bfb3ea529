/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The offsets and numbers that assembly uses are those of C.
 */
#include "offsets.h"

#include "ipc.h"
#include "fault_entry.h"
#include "kernel.h"
#include "message.h"
#include "ptab_entry.h"
#include "tcb.h"

#include <l4/arch/arm/binding.h>

_Static_assert(offsetof(struct hot, current) == HOT_CURRENT, "hot.current");
_Static_assert(offsetof(struct hot, space) == HOT_SPACE, "hot.space");
_Static_assert(offsetof(struct hot, ready_top) == HOT_READY_TOP, "hot.ready_top");
_Static_assert(offsetof(struct hot, ready_check) == HOT_READY_CHECK, "hot.ready_check");
_Static_assert(sizeof(struct hot) <= 64, "hot words: two cache lines");
_Static_assert(sizeof(struct tcb) == HOT_SIZE && 1 << TCB_SIZE_LOG2 == HOT_SIZE,
               "index by shift: hot words and TCBs are one table");
_Static_assert(THREAD_COUNT_ASM == THREAD_COUNT, "THREAD_COUNT");
_Static_assert(THREAD_COUNT_LOG2 + L4_VERSION_BITS == 24, "ipc_path.S cuts 8 bits off an id");
_Static_assert(offsetof(struct tcb, frame.r11) == 0, "frame.r11");
_Static_assert(offsetof(struct tcb, frame.sp) == 4, "frame.sp");
_Static_assert(offsetof(struct tcb, frame.lr) == TCB_LR, "frame.lr");
_Static_assert(offsetof(struct tcb, id) == TCB_ID, "tcb.id");
_Static_assert(offsetof(struct tcb, wait_for) == TCB_WAIT_FOR, "tcb.wait_for");
_Static_assert(offsetof(struct tcb, sched) == TCB_SCHED, "tcb.sched");
_Static_assert(offsetof(struct tcb, priority) == TCB_PRIORITY, "tcb.priority");
_Static_assert(offsetof(struct tcb, state) == TCB_STATE, "tcb.state");
_Static_assert(offsetof(struct tcb, space) == TCB_SPACE, "tcb.space");
_Static_assert(offsetof(struct tcb, utcb) == TCB_UTCB, "tcb.utcb");
_Static_assert(TCB_UTCB < 32, "the receiver's words lie in one cache line");
_Static_assert(offsetof(struct tcb, frame.ipc_words) == TCB_ID,
               "frame leaves the IPC path's words");
_Static_assert(offsetof(struct tcb, frame.pc) == TCB_PC, "frame.pc");
_Static_assert(offsetof(struct tcb, frame.status) == TCB_CPSR, "frame.status");
_Static_assert(offsetof(struct tcb, frame.r) == TCB_R0, "frame.r");
_Static_assert(offsetof(struct tcb, frame.r12) == TCB_R0 + 11 * 4, "frame.r12");
_Static_assert(offsetof(struct tcb, wait_open) == TCB_WAIT_OPEN, "tcb.wait_open");
_Static_assert(offsetof(struct tcb, kind) == TCB_KIND && TCB_KIND == TCB_SCHED + 2, "tcb.kind");
_Static_assert(offsetof(struct tcb, kmsg) == TCB_KMSG, "tcb.kmsg");
_Static_assert(offsetof(struct space, directory) == SPACE_DIRECTORY, "space.directory");
_Static_assert(offsetof(struct space, table_section) == SPACE_TABLE_SECTION, "space.table_section");
_Static_assert(offsetof(struct space, table) == SPACE_TABLE, "space.table");
_Static_assert(offsetof(struct space, is_sigma0) == SPACE_IS_SIGMA0, "space.is_sigma0");
_Static_assert(offsetof(struct ptab_fault_slot, space) == 0 &&
                   offsetof(struct ptab_fault_slot, va) == 4 &&
                   offsetof(struct ptab_fault_slot, entry) == 8,
               "ptab_fault_slot: fault_path.S stores it at once");
_Static_assert(KIND_PAGEFAULT == KIND_PAGEFAULT_ASM && KIND_USER == 0, "KIND_PAGEFAULT");
_Static_assert(((uint32_t)L4_LABEL_PAGEFAULT << 16 | 2u) == PAGEFAULT_TAG &&
                   L4_Readable << 16 == PAGEFAULT_READ && L4_Writable << 16 == PAGEFAULT_WRITE,
               "a page fault's message");
_Static_assert(FAULT_SCHEDULE == 0 && FAULT_RESUME == FAULT_RESUME_ASM &&
                   FAULT_MESSAGE == FAULT_MESSAGE_ASM,
               "fault_end");
_Static_assert(offsetof(struct tcb, ready_next) == TCB_READY_NEXT, "tcb.ready_next");
_Static_assert(offsetof(struct tcb, ready_previous) == TCB_READY_PREVIOUS, "tcb.ready_previous");
_Static_assert(FLAG_QUEUED_ASM == FLAG_QUEUED && offsetof(struct tcb, flags) == TCB_SCHED + 3,
               "FLAG_QUEUED in tcb.sched");
_Static_assert(STATE_READY_ASM == STATE_READY, "STATE_READY");
_Static_assert(STATE_RECEIVING_ASM == STATE_RECEIVING, "STATE_RECEIVING");
_Static_assert(STATE_RECEIVING > STATE_XFER && STATE_RECEIVING > STATE_DEAD, "ready_check");
_Static_assert(IPC_ANY == 0xffffffffu, "ipc_path.S compares with cmn #1");
