/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ExchangeRegisters: a thread's registers, its halted state, and cancelling its IPC.
 */
#include "exregs.h"

#include "ipc.h"
#include "ready.h"
#include "sched.h"
#include "spaces.h"
#include "utcb.h"

/* Control bits (X.2 manual): which values are delivered, and what is to be done. */
#define CONTROL_HALT         0x001u /* H: with h, the new halted state */
#define CONTROL_ABORT_RECV   0x002u /* R */
#define CONTROL_ABORT_SEND   0x004u /* S */
#define CONTROL_SET_SP       0x008u
#define CONTROL_SET_IP       0x010u
#define CONTROL_SET_FLAGS    0x020u
#define CONTROL_SET_HANDLE   0x040u
#define CONTROL_SET_PAGER    0x080u
#define CONTROL_HALT_IS_USED 0x100u /* h */
/* Of the result: what it was doing. */
#define RESULT_HALTED    0x1u
#define RESULT_RECEIVING 0x2u
#define RESULT_SENDING   0x4u

/* In which phase of an IPC of its own the thread is. */
static word_t ipc_state(const struct tcb *t) {
    if (t->xfer_partner != NULL) {
        return (t->flags & FLAG_SENDER) != 0 ? RESULT_SENDING : RESULT_RECEIVING;
    }
    if (t->state == STATE_SENDING) {
        return RESULT_SENDING;
    }
    return t->state == STATE_RECEIVING || (t->flags & FLAG_RECEIVE) != 0 ? RESULT_RECEIVING : 0;
}

/* Threads of one's own space, and those whose pager one is: a pager restarts what it serves. */
static bool may_exchange(const struct tcb *self, const struct tcb *t) {
    return t->space == self->space || utcb_read(t, L4_UTCB_PAGER) == self->id;
}

/* Same registers in and out: r0 dest, r1 control, r2 sp, r3 ip, r4 flags, r5 handle, r6 pager. */
void exchange_registers(struct tcb *self) {
    word_t *r = frame_arguments(&self->frame);
    word_t control = r[1];
    struct tcb *t = thread_resolve(self->space, r[0]);
    if (t == NULL || t->space == NULL || t->utcb == 0 || !may_exchange(self, t)) {
        r[0] = 0;
        utcb_write(self, L4_UTCB_ERROR_CODE, L4_ErrInvalidThread);
        return;
    }
    word_t result = ipc_state(t) | ((t->flags & FLAG_HALTED) != 0 ? RESULT_HALTED : 0);
    word_t old_sp = t->frame.sp, old_ip = t->frame.pc, old_flags = frame_flags(&t->frame);
    word_t old_handle = utcb_read(t, L4_UTCB_USER_DEFINED_HANDLE);
    word_t old_pager = utcb_read(t, L4_UTCB_PAGER);

    if ((control & CONTROL_ABORT_SEND) != 0 && (result & RESULT_SENDING) != 0) {
        ipc_fail(t, L4_IPC_ERR_CANCELED);
    } else if ((control & CONTROL_ABORT_RECV) != 0 && (result & RESULT_RECEIVING) != 0) {
        ipc_cancel_receive(t);
    }
    if ((control & CONTROL_SET_SP) != 0) {
        t->frame.sp = r[2];
    }
    if ((control & CONTROL_SET_IP) != 0) {
        t->frame.pc = r[3];
    }
    if ((control & CONTROL_SET_FLAGS) != 0) {
        t->frame.status = frame_status(t->frame.status, r[4]);
    }
    if ((control & CONTROL_SET_HANDLE) != 0) {
        utcb_write(t, L4_UTCB_USER_DEFINED_HANDLE, r[5]);
    }
    if ((control & CONTROL_SET_PAGER) != 0) {
        utcb_write(t, L4_UTCB_PAGER, r[6]);
    }
    if ((control & CONTROL_HALT_IS_USED) != 0) {
        if ((control & CONTROL_HALT) != 0) {
            t->flags |= FLAG_HALTED;
        } else {
            t->flags &= (uint8_t)~FLAG_HALTED;
        }
        sched_update(t);
    }
    /* The answer: the local id for a global one and the other way round. */
    r[0] = r[0] == t->id ? t->utcb : t->id;
    r[1] = result;
    r[2] = old_sp;
    r[3] = old_ip;
    r[4] = old_flags;
    r[5] = old_handle;
    r[6] = old_pager;
}
