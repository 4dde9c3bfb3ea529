/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Synchronous IPC, the general case.
 */
#include "ipc.h"

#include "fault.h"
#include "irq.h"
#include "sched.h"
#include "space.h"
#include "switch.h"
#include "timer.h"

#include <string.h>

/* Message registers of the frame: MR 0 to 4 are r3 to r7. */
#define FRAME_MRS 5
#define FRAME_MR0 3

/* The message between sender and receiver. Under `flush` only one of the two UTCBs is reachable by
 * the address that its lines have, so the message is read first and written then. */
static uint32_t message[L4_NUM_MRS];

/* ---- the sender queue of a receiver: a ring, in order of arrival ---- */

static void join_senders(struct tcb *t, struct tcb *partner) {
    struct tcb *first = partner->senders;
    t->partner = partner;
    if (first == NULL) {
        t->sender_next = t->sender_previous = t;
        partner->senders = t;
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

void ipc_leave(struct tcb *t) {
    if (t->state == STATE_SENDING) {
        leave_senders(t);
    }
    timer_disarm(t);
    t->wait_for = 0;
    t->flags &= (uint8_t)~FLAG_RECEIVE;
}

/* `first`: in front of its equals, as the one that an IPC was for. */
static void make_ready(struct tcb *t, bool first) {
    t->state = STATE_READY;
    t->wait_for = 0;
    if (t != hot.current && sched_is_runnable(t)) {
        if (first) {
            sched_enqueue_first(t);
        } else {
            sched_enqueue_last(t);
        }
    }
}

/* Waits without limit or until the timeout; the caller has seen that it is not zero. */
static void block(struct tcb *t, uint8_t state, uint32_t timeout) {
    uint64_t deadline;
    t->state = state;
    if (timer_deadline(timeout, &deadline)) {
        timer_arm(t, deadline);
    }
    if (t == hot.current) {
        hot.reschedule = 1;
    }
}

static void fail_phase(struct tcb *t, uint32_t error, uint32_t phase) {
    uint8_t kind = t->kind;
    t->kind = KIND_USER;
    switch (kind) {
    case KIND_USER:
        t->frame.r[0] = 0;
        t->frame.r[FRAME_MR0] = TAG_ERROR;
        utcb_write(t, L4_UTCB_ERROR_CODE, L4_IPC_ERROR(error, phase));
        make_ready(t, false);
        break;
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

void ipc_fail(struct tcb *t, uint32_t error) {
    uint32_t phase = t->state == STATE_SENDING ? L4_IPC_PHASE_SEND : L4_IPC_PHASE_RECEIVE;
    ipc_leave(t);
    fail_phase(t, error, phase);
}

void ipc_abandon(struct tcb *t) {
    while (t->senders != NULL) {
        ipc_fail(t->senders, L4_IPC_ERR_NOPARTNER);
    }
    for (struct tcb *other = tcbs; other < &tcbs[THREAD_COUNT]; other++) {
        if (other->state == STATE_RECEIVING && other->wait_for == t->id) {
            ipc_fail(other, L4_IPC_ERR_NOPARTNER);
        }
    }
}

/* ---- transfer ---- */

static bool waits_for(const struct tcb *receiver, const struct tcb *sender) {
    return receiver->state == STATE_RECEIVING &&
           (receiver->wait_for == sender->id || receiver->wait_for == IPC_ANY ||
            (receiver->wait_for == IPC_ANYLOCAL && receiver->space == sender->space));
}

/* The whole message of the sender into `message`; returns the number of words after the tag. */
static uint32_t collect(const struct tcb *sender) {
    if (sender->kind != KIND_USER) {
        memcpy(message, sender->kmsg, sizeof sender->kmsg);
        return TAG_UNTYPED(message[0]);
    }
    for (uint32_t i = 0; i < FRAME_MRS; i++) {
        message[i] = sender->frame.r[FRAME_MR0 + i];
    }
    message[0] &= ~0xf000u; /* flags: what the receiver sees there is the kernel's word */
    uint32_t words = TAG_UNTYPED(message[0]) + TAG_TYPED(message[0]);
    if (words >= L4_NUM_MRS) {
        words = L4_NUM_MRS - 1;
    }
    if (words >= FRAME_MRS) {
        utcb_read_words(sender, L4_UTCB_MR + 4 * FRAME_MRS, &message[FRAME_MRS],
                        words + 1 - FRAME_MRS);
    }
    return words;
}

/* The typed items; 0 or the error. */
static uint32_t transfer_items(const struct tcb *sender, const struct tcb *receiver,
                               uint32_t words) {
    uint32_t at = TAG_UNTYPED(message[0]) + 1;
    L4_Fpage_t window = L4_Nilpage;
    if (receiver->kind == KIND_PAGEFAULT) {
        window = L4_CompleteAddressSpace;
    } else if (receiver->kind == KIND_USER) {
        window.raw = utcb_read(receiver, L4_UTCB_BR) & ~0xfu;
    }
    while (at + 1 <= words) {
        uint32_t item = message[at];
        if ((item & 0xc) != 8 || sender->space == NULL || receiver->space == NULL) {
            return L4_IPC_ERR_OVERFLOW; /* string items are not there yet */
        }
        if (!space_map_item(sender->space, item, message[at + 1], receiver->space, window)) {
            return L4_IPC_ERR_OVERFLOW;
        }
        at += 2;
    }
    return 0;
}

/* Gives `message` to the receiver, which then is ready. */
static void deliver(const struct tcb *sender, struct tcb *receiver, uint32_t words, bool first) {
    uint8_t kind = receiver->kind;
    bool local = receiver->wait_for == IPC_ANYLOCAL;
    receiver->kind = KIND_USER;
    timer_disarm(receiver);
    switch (kind) {
    case KIND_USER:
        receiver->frame.r[0] = local ? sender->utcb : sender->id;
        for (uint32_t i = 0; i < FRAME_MRS; i++) {
            receiver->frame.r[FRAME_MR0 + i] = message[i];
        }
        if (words >= FRAME_MRS) {
            utcb_write_words(receiver, L4_UTCB_MR + 4 * FRAME_MRS, &message[FRAME_MRS],
                             words + 1 - FRAME_MRS);
        }
        break;
    case KIND_START:
        receiver->frame.pc = message[1];
        receiver->frame.sp = message[2];
        break;
    case KIND_EXCEPTION:
        fault_reply(receiver, message);
        break;
    case KIND_INTERRUPT:
        receiver->state = STATE_INACTIVE;
        receiver->wait_for = 0;
        irq_acknowledged(receiver);
        return;
    default: /* a page fault: the access is repeated */
        break;
    }
    make_ready(receiver, first);
}

/*
 * From sender to receiver, both ready for it. False: the message could not be transferred; the
 * receiver's IPC has failed, and the sender's is for the caller to fail.
 */
static bool transfer(const struct tcb *sender, struct tcb *receiver, uint32_t *error, bool first) {
    uint32_t words = collect(sender);
    if (TAG_TYPED(message[0]) != 0 && !thread_is_interrupt(receiver)) {
        *error = transfer_items(sender, receiver, words);
        if (*error != 0) {
            ipc_leave(receiver);
            fail_phase(receiver, *error, L4_IPC_PHASE_RECEIVE);
            return false;
        }
    }
    deliver(sender, receiver, words, first);
    return true;
}

/* ---- the phases ---- */

static struct tcb *find_sender(struct tcb *self, uint32_t from, const struct tcb *partner) {
    struct tcb *first = self->senders;
    if (partner != NULL) {
        return partner->state == STATE_SENDING && partner->partner == self ? (struct tcb *)partner
                                                                           : NULL;
    }
    if (first != NULL && from == IPC_ANYLOCAL) {
        struct tcb *t = first;
        do {
            if (t->space == self->space) {
                return t;
            }
            t = t->sender_next;
        } while (t != first);
        return NULL;
    }
    return first;
}

/*
 * The receive phase as far as it goes without a transfer: returns the sender that waits already,
 * else the thread now waits, or its IPC has failed.
 */
static struct tcb *begin_receive(struct tcb *self) {
    uint32_t from = self->receive_from;
    struct tcb *partner = NULL;
    if (from != IPC_ANY && from != IPC_ANYLOCAL) {
        partner = thread_resolve(self->space, from);
        if (partner == NULL) {
            fail_phase(self, L4_IPC_ERR_NOPARTNER, L4_IPC_PHASE_RECEIVE);
            return NULL;
        }
        from = partner->id;
    }
    struct tcb *sender = find_sender(self, from, partner);
    if (sender != NULL) {
        self->wait_for = from;
        return sender;
    }
    uint32_t timeout = self->timeouts & 0xffff;
    if (timeout == L4_ZERO_RAW) {
        fail_phase(self, L4_IPC_ERR_TIMEOUT, L4_IPC_PHASE_RECEIVE);
        return NULL;
    }
    self->wait_for = from;
    block(self, STATE_RECEIVING, timeout);
    return NULL;
}

/*
 * A sender that waited in a queue has sent. Its receive phase follows at once, so that its partner
 * may answer with timeout zero. Only if somebody waits to send to it, and so it will not wait
 * itself, this is left to the moment when it runs: transfers do not nest.
 */
static void finish_send(struct tcb *t) {
    timer_disarm(t);
    if (t->kind != KIND_USER) {
        t->state = STATE_RECEIVING;
        t->wait_for = t->receive_from;
        return;
    }
    if (t->receive_from == 0) {
        t->frame.r[0] = 0;
        t->frame.r[FRAME_MR0] = 0;
        make_ready(t, false);
    } else if (begin_receive(t) != NULL) {
        t->flags |= FLAG_RECEIVE;
        make_ready(t, false);
    }
}

static void receive(struct tcb *self) {
    struct tcb *sender = begin_receive(self);
    uint32_t error;
    if (sender == NULL) {
        return;
    }
    leave_senders(sender);
    if (transfer(sender, self, &error, false)) {
        finish_send(sender);
    } else {
        timer_disarm(sender);
        fail_phase(sender, error, L4_IPC_PHASE_SEND);
    }
}

void ipc_continue(struct tcb *self) {
    self->flags &= (uint8_t)~FLAG_RECEIVE;
    receive(self);
}

void ipc(struct tcb *self) {
    uint32_t to = self->frame.r[0];
    self->receive_from = self->frame.r[1];
    self->timeouts = self->frame.r[2];
    if (to != 0) {
        struct tcb *partner = thread_resolve(self->space, to);
        if (partner == NULL || partner == self || partner->state == STATE_DEAD ||
            (partner->state == STATE_INACTIVE && !thread_is_interrupt(partner))) {
            fail_phase(self, L4_IPC_ERR_NOPARTNER, L4_IPC_PHASE_SEND);
            return;
        }
        if (waits_for(partner, self)) {
            uint32_t error;
            if (!transfer(self, partner, &error, true)) {
                fail_phase(self, error, L4_IPC_PHASE_SEND);
                return;
            }
        } else if (!thread_is_interrupt(partner)) { /* (one that waits for no reply ignores it) */
            uint32_t timeout = self->timeouts >> 16;
            if (timeout == L4_ZERO_RAW) {
                fail_phase(self, L4_IPC_ERR_TIMEOUT, L4_IPC_PHASE_SEND);
                return;
            }
            join_senders(self, partner);
            block(self, STATE_SENDING, timeout);
            return;
        }
    }
    if (self->receive_from == 0) {
        self->frame.r[0] = 0;
        self->frame.r[FRAME_MR0] = 0;
        return;
    }
    receive(self);
}

void ipc_send_kernel(struct tcb *self, uint8_t kind, uint32_t to) {
    struct tcb *partner = thread_resolve(self->space, to);
    self->kind = kind;
    if (partner == NULL || partner == self || partner->state == STATE_INACTIVE ||
        partner->state == STATE_DEAD) {
        fault_undeliverable(self);
        self->kind = KIND_USER;
        self->state = STATE_DEAD;
        return;
    }
    self->receive_from = partner->id;
    if (waits_for(partner, self)) {
        uint32_t error;
        transfer(self, partner, &error, true); /* no typed items: cannot fail */
        finish_send(self);
    } else {
        self->state = STATE_SENDING;
        join_senders(self, partner);
    }
    if (self == hot.current) {
        hot.reschedule = 1;
    }
}
