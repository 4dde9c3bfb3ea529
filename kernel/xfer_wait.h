/* SPDX-License-Identifier: Apache-2.0 */
/*
 * String copies that wait: how an IPC goes on that xfer.c could not finish at once. Only ipc.c
 * includes this (in one unit, so that what a message without strings costs does not depend on it).
 *
 * Sender and receiver of a string copy that could not be finished at once have each other as
 * xfer_partner. One of them goes on with it: READY with FLAG_XFER, or in the IPC of its page fault
 * (KIND_XFER). The other is in STATE_XFER. Neither is in a queue or has a timeout but those of the
 * page fault.
 */
#ifndef XFER_WAIT_H
#define XFER_WAIT_H

#include "ipc_phase.h"
#include "upcalls.h"
#include "xfer.h"

static void leave_xfer(struct tcb *t) {
    t->xfer_partner = NULL;
    t->flags &= (uint8_t)~(FLAG_XFER | FLAG_SENDER | FLAG_LOCAL);
}

/* One side fails. */
static void fail_side(struct tcb *t, word_t error) {
    word_t phase = (t->flags & FLAG_SENDER) != 0 ? L4_IPC_PHASE_SEND : L4_IPC_PHASE_RECEIVE;
    leave_xfer(t);
    ipc_leave(t);
    t->kind = KIND_USER;
    if ((t->flags & FLAG_QUEUED) != 0) {
        ready_dequeue(t);
    }
    fail_phase(t, error, phase);
}

/* The copy of `t` ends here; what has arrived until now stands in the error codes. */
static void break_xfer(struct tcb *t, word_t own, word_t others) {
    struct tcb *other = t->xfer_partner;
    const struct tcb *sender = (t->flags & FLAG_SENDER) != 0 ? t : other;
    word_t offset = sender->xfer_done << 3;
    fail_side(t, offset | own);
    fail_side(other, offset | others);
}

/* The page fault of `t`, or what it does in the copy, ends with an error. */
static void fail_in_xfer(struct tcb *t, word_t error) {
    if (error == L4_IPC_ERR_TIMEOUT) {
        break_xfer(t, L4_IPC_ERR_XFER_SELF, L4_IPC_ERR_XFER_OTHER);
    } else if (error == L4_IPC_ERR_NOPARTNER && t->kind == KIND_XFER) {
        /* Its pager has gone: it faults again, perhaps for another. */
        if (t->state == STATE_SENDING) {
            leave_senders(t);
        }
        timer_disarm(t);
        t->kind = KIND_USER;
        t->flags |= FLAG_XFER;
        make_ready(t, false);
    } else {
        break_xfer(t, L4_IPC_ERR_ABORTED, L4_IPC_ERR_ABORTED);
    }
}

/* Until when the page faults of this copy may last, from the first one on (X.2 manual: the
 * smaller of the sender's send and the receiver's receive transfer timeout). */
static void set_deadline(struct tcb *sender, const struct tcb *receiver) {
    uint64_t deadline;
    if (sender->xfer_deadline != 0) {
        return;
    }
    sender->xfer_deadline = ~0ull;
    if (timer_deadline(utcb_read(sender, L4_UTCB_XFER_TIMEOUTS) >> 16, &deadline)) {
        sender->xfer_deadline = deadline;
    }
    if (timer_deadline(utcb_read(receiver, L4_UTCB_XFER_TIMEOUTS) & 0xffff, &deadline) &&
        deadline < sender->xfer_deadline) {
        sender->xfer_deadline = deadline;
    }
}

static void park(struct tcb *t) {
    t->state = STATE_XFER;
    if (t == hot.current) {
        hot.reschedule = 1;
    }
}

/* A page is missing: its thread asks its pager, the other waits. */
static void fault_in_xfer(struct tcb *sender, const struct xfer_fault *fault) {
    struct tcb *who = fault->who;
    struct tcb *other = who->xfer_partner;
    set_deadline(sender, other == sender ? who : other);
    if (sender->xfer_deadline <= timer_now()) {
        break_xfer(who, L4_IPC_ERR_XFER_SELF, L4_IPC_ERR_XFER_OTHER);
        return;
    }
    if ((other->flags & FLAG_QUEUED) != 0) {
        ready_dequeue(other);
    }
    park(other);
    who->kmsg[0] = message_tag(L4_LABEL_PAGEFAULT | (fault->write ? L4_Writable : L4_Readable), 2);
    who->kmsg[1] = fault->va;
    who->kmsg[2] = who->frame.pc;
    who->xfer_pager = utcb_read(who, L4_UTCB_PAGER);
    if ((who->flags & FLAG_QUEUED) != 0) {
        ready_dequeue(who);
    }
    ipc_send_kernel(who, KIND_XFER, who->xfer_pager);
    if (who->state == STATE_DEAD) {
        leave_xfer(who);
        fail_side(other, sender->xfer_done << 3 | L4_IPC_ERR_ABORTED);
    } else if (who->xfer_partner != NULL && who->kind == KIND_XFER &&
               sender->xfer_deadline != ~0ull) {
        timer_arm(who, sender->xfer_deadline);
    }
}

/* How a transfer ended: with OVERFLOW the caller has to fail the sender, the receiver's IPC has
 * failed already; PENDING: a string copy waits, or both have failed in it. */
enum transfer { TRANSFER_DONE, TRANSFER_FAILED, TRANSFER_PENDING };

/* The copy as far as it goes now. DONE: `message` is to be delivered. */
static enum transfer copy_strings(struct tcb *sender, struct tcb *receiver, word_t *message,
                                  word_t words, word_t *error) {
    struct xfer_fault fault;
    switch (xfer_strings(sender, receiver, message, words, &sender->xfer_done, &fault)) {
    case XFER_DONE:
        sender->flags &= (uint8_t)~FLAG_SENDER;
        sender->xfer_partner = receiver->xfer_partner = NULL;
        return TRANSFER_DONE;
    case XFER_OVERFLOW:
        leave_xfer(sender);
        leave_xfer(receiver);
        *error = sender->xfer_done << 3 | L4_IPC_ERR_OVERFLOW;
        return TRANSFER_FAILED;
    case XFER_PAUSED: /* the one that runs goes on with it, after the interrupt */
        hot.current->flags |= FLAG_XFER;
        park(hot.current->xfer_partner);
        return TRANSFER_PENDING;
    default:
        fault_in_xfer(sender, &fault);
        return TRANSFER_PENDING;
    }
}

static void begin_xfer(struct tcb *sender, struct tcb *receiver) {
    timer_disarm(sender);
    timer_disarm(receiver);
    sender->xfer_partner = receiver;
    receiver->xfer_partner = sender;
    sender->xfer_done = 0;
    sender->xfer_deadline = 0;
    sender->flags |= FLAG_SENDER;
    if (sender->state == STATE_READY) {
        receiver->state = STATE_XFER;
    } else {
        sender->state = STATE_XFER;
    }
    if (receiver->wait_for == IPC_ANYLOCAL) {
        receiver->flags |= FLAG_LOCAL;
    }
}

#endif
