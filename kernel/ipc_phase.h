/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an IPC's phases are made from: the queue of those that wait to send to a thread, waiting,
 * and a phase's end. Only ipc.c includes this, and what it includes (xfer_wait.h).
 */
#ifndef IPC_PHASE_H
#define IPC_PHASE_H

#include "message.h"
#include "ready.h"
#include "timer.h"
#include "utcb.h"

/* ---- the sender queue of a receiver: a ring, in order of arrival ---- */

static void join_senders(struct tcb *t, struct tcb *partner) {
    struct tcb *first = partner->senders;
    t->partner = partner;
    if (first == NULL) {
        t->sender_next = t->sender_previous = t;
        partner->senders = t;
        partner->wait_open = partner->id;
    } else {
        t->sender_next = first;
        t->sender_previous = first->sender_previous;
        t->sender_previous->sender_next = t;
        first->sender_previous = t;
    }
}

static void leave_senders(struct tcb *t) {
    struct tcb *partner = t->partner;
    if (t->sender_next == t) {
        partner->senders = NULL;
        partner->wait_open = IPC_ANY;
    } else {
        t->sender_previous->sender_next = t->sender_next;
        t->sender_next->sender_previous = t->sender_previous;
        if (partner->senders == t) {
            partner->senders = t->sender_next;
        }
    }
    t->partner = NULL;
}

/* ---- states ---- */

/* `first`: in front of its equals, as the one that an IPC was for. */
static void make_ready(struct tcb *t, bool first) {
    t->state = STATE_READY;
    t->wait_for = 0;
    if (t != hot.current && sched_is_runnable(t)) {
        if (first) {
            ready_enqueue_first(t);
        } else {
            ready_enqueue_last(t);
        }
    }
}

/* Waits without limit or until the timeout; the caller has seen that it is not zero. */
static void block(struct tcb *t, uint8_t state, word_t timeout) {
    uint64_t deadline;
    t->state = state;
    if (timer_deadline(timeout, &deadline)) {
        timer_arm(t, deadline);
    }
    if (t == hot.current) {
        hot.reschedule = 1;
    }
}

static void fail_phase(struct tcb *t, word_t error, word_t phase) {
    uint8_t kind = t->kind;
    t->kind = KIND_USER;
    switch (kind) {
    case KIND_USER:
        frame_set_result(&t->frame, 0);
        frame_message(&t->frame)[0] = TAG_ERROR;
        utcb_write(t, L4_UTCB_ERROR_CODE, L4_IPC_ERROR(error, phase));
        make_ready(t, false);
        break;
    case KIND_PREEMPTED: /* goes on, and is preempted again at the next tick */
    case KIND_PREEMPT_FAULT:
    case KIND_PAGEFAULT: /* tries again, and faults again if nothing has changed */
        make_ready(t, false);
        break;
    case KIND_INTERRUPT:
        t->state = STATE_INACTIVE;
        break;
    default: /* start or exception: ExchangeRegisters lets it go on without a reply */
        if (error == L4_IPC_ERR_CANCELED) {
            make_ready(t, false);
        } else {
            t->state = STATE_DEAD;
        }
        break;
    }
}

#endif
