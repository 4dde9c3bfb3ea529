/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The offsets that assembly uses are those of the structures.
 */
#include "offsets.h"

#include "kernel.h"
#include "thread.h"

_Static_assert(offsetof(struct hot, current) == HOT_CURRENT, "hot.current");
_Static_assert(offsetof(struct hot, space) == HOT_SPACE, "hot.space");
_Static_assert(sizeof(struct hot) <= 64, "hot words: two cache lines");
_Static_assert(offsetof(struct tcb, id) == TCB_ID, "tcb.id");
_Static_assert(offsetof(struct tcb, frame) == TCB_FRAME, "tcb.frame");
_Static_assert((TCB_FRAME + FRAME_R11) % 32 == 0, "the fast path's registers begin a cache line");
_Static_assert(offsetof(struct tcb, senders) < 96, "senders lies in the line of the registers");
_Static_assert(sizeof(struct tcb) == 256, "a TCB is 256 bytes: index by shift");
_Static_assert(offsetof(struct frame, r[11]) == FRAME_R11, "frame.r11");
_Static_assert(offsetof(struct frame, sp) == FRAME_SP, "frame.sp");
_Static_assert(offsetof(struct frame, lr) == FRAME_LR, "frame.lr");
_Static_assert(offsetof(struct frame, pc) == FRAME_PC, "frame.pc");
_Static_assert(offsetof(struct frame, cpsr) == FRAME_CPSR, "frame.cpsr");
