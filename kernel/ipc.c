/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Synchronous IPC, the general case.
 */
#include "ipc.h"

#include "ipc_phase.h"
#include "mapdb.h"
#include "space.h"
#include "spaces.h"
#include "switch.h"
#include "xfer_wait.h"

#include <string.h>

/* The message between sender and receiver. Under `flush` only one of the two UTCBs is reachable by
 * the address that its lines have, so the message is read first and written then. */
static word_t message[L4_NUM_MRS];

/* ---- states ---- */

void ipc_leave(struct tcb *t) {
    if (t->xfer_partner != NULL) {
        break_xfer(t, L4_IPC_ERR_ABORTED, L4_IPC_ERR_ABORTED);
    }
    if (t->state == STATE_SENDING) {
        leave_senders(t);
    }
    timer_disarm(t);
    t->wait_for = 0;
    t->flags &= (uint8_t)~FLAG_RECEIVE;
}

void ipc_fail(struct tcb *t, word_t error) {
    if (t->xfer_partner != NULL) {
        fail_in_xfer(t, error);
        return;
    }
    word_t phase = t->state == STATE_SENDING ? L4_IPC_PHASE_SEND : L4_IPC_PHASE_RECEIVE;
    ipc_leave(t);
    fail_phase(t, error, phase);
}

/* The receive phase of a thread that is ready but has not begun it (who sends to it waits on). */
static void drop_receive(struct tcb *t, word_t error) {
    t->flags &= (uint8_t)~FLAG_RECEIVE;
    frame_set_result(&t->frame, 0);
    frame_message(&t->frame)[0] = TAG_ERROR;
    utcb_write(t, L4_UTCB_ERROR_CODE, L4_IPC_ERROR(error, L4_IPC_PHASE_RECEIVE));
}

void ipc_cancel_receive(struct tcb *t) {
    if ((t->flags & FLAG_RECEIVE) != 0) {
        drop_receive(t, L4_IPC_ERR_CANCELED);
    } else {
        ipc_fail(t, L4_IPC_ERR_CANCELED);
    }
}

void ipc_abort(struct tcb *t) {
    if ((t->flags & FLAG_RECEIVE) != 0) {
        drop_receive(t, L4_IPC_ERR_ABORTED);
    } else if (t->xfer_partner != NULL) {
        break_xfer(t, L4_IPC_ERR_ABORTED, L4_IPC_ERR_ABORTED);
    } else if (t->state == STATE_SENDING || t->state == STATE_RECEIVING) {
        ipc_fail(t, t->kind == KIND_USER ? L4_IPC_ERR_ABORTED : L4_IPC_ERR_CANCELED);
    }
}

void ipc_abandon(struct tcb *t) {
    while (t->senders != NULL) {
        ipc_fail(t->senders, L4_IPC_ERR_NOPARTNER);
    }
}

/* ---- transfer ---- */

/*
 * A closed receive of a thread whose space has a redirector: it takes the redirector's messages in
 * place of those of a thread outside. What it sent there has gone to the redirector, too, so that
 * the answer comes from there, in the other's name or not.
 */
static bool is_redirectors(const struct tcb *receiver, const struct tcb *sender, word_t from) {
    const struct tcb *other = thread_find(from);
    return (receiver->flags & FLAG_REDIRECTED) != 0 && receiver->kind == KIND_USER &&
           sender->id == receiver->space->redirector && other != NULL &&
           other->space != receiver->space;
}

/* Does who receives from `from` take what `sender` sends in the name of `as`? */
static bool takes_from(const struct tcb *receiver, word_t from, const struct tcb *sender,
                       word_t as) {
    return from == as || from == IPC_ANY ||
           (from == IPC_ANYLOCAL && receiver->space == sender->space) ||
           is_redirectors(receiver, sender, from);
}

static bool waits_for(const struct tcb *receiver, const struct tcb *sender, word_t as) {
    return receiver->state == STATE_RECEIVING &&
           takes_from(receiver, receiver->wait_for, sender, as);
}

/* The whole message of the sender into `message`; returns the number of words after the tag. */
static word_t collect(const struct tcb *sender) {
    if (sender->kind != KIND_USER) {
        memcpy(message, sender->kmsg, sizeof sender->kmsg);
        return TAG_UNTYPED(message[0]);
    }
    for (word_t i = 0; i < FRAME_MRS; i++) {
        message[i] = frame_read_message(&sender->frame)[i];
    }
    message[0] &= ~(word_t)0xf000; /* flags: what the receiver sees there is the kernel's word */
    word_t words = TAG_UNTYPED(message[0]) + TAG_TYPED(message[0]);
    if (words >= L4_NUM_MRS) {
        words = L4_NUM_MRS - 1;
    }
    if (words >= FRAME_MRS) {
        utcb_read_words(sender, L4_UTCB_MR + sizeof(word_t) * FRAME_MRS, &message[FRAME_MRS],
                        words + 1 - FRAME_MRS);
    }
    return words;
}

/* The typed items; 0 or the error. */
static word_t transfer_items(const struct tcb *sender, const struct tcb *receiver, word_t words) {
    word_t at = TAG_UNTYPED(message[0]) + 1;
    L4_Fpage_t window = L4_Nilpage;
    mapdb_expect(NULL, NULL);
    if (receiver->kind == KIND_PAGEFAULT || receiver->kind == KIND_XFER) {
        window = L4_CompleteAddressSpace;
        mapdb_expect(receiver->space, receiver->kmsg);
    } else if (receiver->kind == KIND_USER) {
        window.raw = utcb_read(receiver, L4_UTCB_BR) & L4_BITS_ABOVE(4);
    }
    while (at + 1 <= words) {
        word_t item = message[at];
        if ((item & 8) == 0) { /* a string: copied already */
            at += (item >> 4 & 0x1f) + 2;
            continue;
        }
        if ((item & 0xc) != 8 || sender->space == NULL || receiver->space == NULL) {
            return L4_IPC_ERR_OVERFLOW;
        }
        if (!space_map_item(sender->space, item, message[at + 1], receiver->space, window)) {
            return L4_IPC_ERR_OVERFLOW;
        }
        at += 2;
    }
    return 0;
}

/* From fault_path.S: `self` answers the page fault of `t` with one item, which is in its frame.
 * False: it is none for that, or there is no memory; the long way finds out again. */
bool ipc_answer_fault(struct tcb *self, struct tcb *t) {
    const word_t *item = frame_message(&self->frame) + 1;
    thread_entered_kernel();
    if ((item[0] & 0xc) != 8) {
        return false;
    }
    mapdb_expect(t->space, t->kmsg);
    return space_map_item(self->space, item[0], item[1], t->space, L4_CompleteAddressSpace);
}

/*
 * What the receiver is told of a sender that is not the one it seems to be. Propagation: the
 * message comes in the name of the virtual sender, and if that waits for the actual sender's answer
 * it waits for the receiver's from now on. Redirection: the message was for another.
 */
static void tell_sender(const struct tcb *sender, const struct tcb *receiver) {
    if (sender->kind != KIND_USER) {
        return;
    }
    if (sender->sender_as != sender->id) {
        struct tcb *as = thread_find(sender->sender_as);
        message[0] |= TAG_PROPAGATED;
        utcb_write(receiver, L4_UTCB_VIRTUAL_SENDER, sender->id);
        if (as != NULL && as->state == STATE_RECEIVING && as->wait_for == sender->id) {
            as->wait_for = receiver->id;
        }
    }
    if ((sender->flags & FLAG_REDIRECTED) != 0) {
        const struct tcb *intended =
            thread_resolve(sender->space, frame_read_arguments(&sender->frame)[0]);
        if (intended != NULL && intended != receiver) {
            message[0] |= TAG_REDIRECTED;
            utcb_write(receiver, L4_UTCB_INTENDED_RECEIVER, intended->id);
        }
    }
}

/* The id by which the receiver knows the sender. */
static word_t sender_name(const struct tcb *sender, bool local) {
    const struct tcb *as = local ? thread_find(sender->sender_as) : NULL;
    return as != NULL ? as->utcb : sender->sender_as;
}

/* Gives `message` to the receiver, which then is ready. */
static void deliver(const struct tcb *sender, struct tcb *receiver, word_t words, bool first) {
    uint8_t kind = receiver->kind;
    bool local = receiver->wait_for == IPC_ANYLOCAL || (receiver->flags & FLAG_LOCAL) != 0;
    receiver->kind = KIND_USER;
    receiver->flags &= (uint8_t)~FLAG_LOCAL;
    timer_disarm(receiver);
    switch (kind) {
    case KIND_USER:
        tell_sender(sender, receiver);
        frame_set_result(&receiver->frame, sender_name(sender, local));
        for (word_t i = 0; i < FRAME_MRS; i++) {
            frame_message(&receiver->frame)[i] = message[i];
        }
        if (words >= FRAME_MRS) {
            utcb_write_words(receiver, L4_UTCB_MR + sizeof(word_t) * FRAME_MRS, &message[FRAME_MRS],
                             words + 1 - FRAME_MRS);
        }
        break;
    case KIND_START:
        receiver->frame.pc = message[1];
        receiver->frame.sp = message[2];
        break;
    case KIND_EXCEPTION:
        message_exception_answered(receiver, message);
        break;
    case KIND_INTERRUPT:
        receiver->state = STATE_INACTIVE;
        receiver->wait_for = 0;
        message_interrupt_answered(receiver);
        return;
    case KIND_XFER: /* the copy is continued when the thread runs */
        receiver->flags |= FLAG_XFER;
        break;
    default: /* a page fault: the access is repeated; a preemption: it runs until the next tick */
        break;
    }
    make_ready(receiver, first);
}

/* The typed items, then all of it. */
static enum transfer finish_transfer(struct tcb *sender, struct tcb *receiver, word_t words,
                                     word_t *error, bool first) {
    if (TAG_TYPED(message[0]) != 0 && !thread_is_interrupt(receiver)) {
        *error = transfer_items(sender, receiver, words);
        if (*error != 0) {
            return TRANSFER_FAILED;
        }
    }
    deliver(sender, receiver, words, first);
    return TRANSFER_DONE;
}

static void fail_receiver(struct tcb *receiver, word_t error) {
    ipc_leave(receiver);
    fail_phase(receiver, error, L4_IPC_PHASE_RECEIVE);
}

/* From sender to receiver, both ready for it. One of them runs. */
static enum transfer transfer(struct tcb *sender, struct tcb *receiver, word_t *error, bool first) {
    word_t words = collect(sender);
    enum transfer end = TRANSFER_DONE;
    if (TAG_TYPED(message[0]) != 0 && sender->kind == KIND_USER && receiver->kind == KIND_USER &&
        xfer_has_strings(message, words)) {
        begin_xfer(sender, receiver);
        end = copy_strings(sender, receiver, message, words, error);
    }
    if (end == TRANSFER_DONE) {
        end = finish_transfer(sender, receiver, words, error, first);
    }
    if (end == TRANSFER_FAILED) {
        fail_receiver(receiver, *error);
    }
    return end;
}

/* ---- the phases ---- */

static struct tcb *find_sender(struct tcb *self, word_t from) {
    struct tcb *first = self->senders;
    if (first != NULL && from != IPC_ANY) {
        struct tcb *t = first;
        do {
            if (takes_from(self, from, t, t->sender_as)) {
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
    word_t from = self->receive_from;
    if (from != IPC_ANY && from != IPC_ANYLOCAL) {
        const struct tcb *partner = thread_resolve(self->space, from);
        if (partner == NULL) {
            fail_phase(self, L4_IPC_ERR_NOPARTNER, L4_IPC_PHASE_RECEIVE);
            return NULL;
        }
        from = partner->id;
    }
    struct tcb *sender = find_sender(self, from);
    if (sender != NULL) {
        self->wait_for = from;
        return sender;
    }
    word_t timeout = self->timeouts & 0xffff;
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
    if (t->kind != KIND_USER) {
        t->state = STATE_RECEIVING;
        t->wait_for = t->kind == KIND_XFER ? t->xfer_pager : t->receive_from;
        return;
    }
    timer_disarm(t);
    if (t->receive_from == 0) {
        frame_set_result(&t->frame, 0);
        frame_message(&t->frame)[0] = 0;
        make_ready(t, false);
    } else if (begin_receive(t) != NULL) {
        t->flags |= FLAG_RECEIVE;
        make_ready(t, false);
    }
}

static void after_transfer(struct tcb *sender, enum transfer end, word_t error) {
    if (end == TRANSFER_DONE) {
        finish_send(sender);
    } else if (end == TRANSFER_FAILED) {
        timer_disarm(sender);
        fail_phase(sender, error, L4_IPC_PHASE_SEND);
    }
}

static void receive(struct tcb *self) {
    struct tcb *sender = begin_receive(self);
    word_t error = 0;
    if (sender == NULL) {
        return;
    }
    leave_senders(sender);
    after_transfer(sender, transfer(sender, self, &error, false), error);
}

/* A string copy goes on, in the thread that has waited for its page or for an interrupt. */
static void continue_xfer(struct tcb *self) {
    struct tcb *sender = (self->flags & FLAG_SENDER) != 0 ? self : self->xfer_partner;
    struct tcb *receiver = sender->xfer_partner;
    word_t error = 0;
    self->flags &= (uint8_t)~FLAG_XFER;
    word_t words = collect(sender);
    enum transfer end = copy_strings(sender, receiver, message, words, &error);
    if (end == TRANSFER_DONE) {
        end = finish_transfer(sender, receiver, words, &error, true);
    }
    if (end == TRANSFER_FAILED) {
        fail_receiver(receiver, error);
    }
    after_transfer(sender, end, error);
}

void ipc_continue(struct tcb *self) {
    if ((self->flags & FLAG_XFER) != 0) {
        continue_xfer(self);
        return;
    }
    self->flags &= (uint8_t)~FLAG_RECEIVE;
    receive(self);
}

/* May `self` send to `partner` in the name of `as`? (X.2 manual, propagation) */
static bool may_propagate(const struct tcb *self, const struct tcb *as, const struct tcb *partner) {
    return as->space == self->space || (as->space != NULL && as->space->redirector == self->id) ||
           (partner->space != NULL && partner->space->redirector == self->id);
}

/* In whose name the message of `self` is sent; a propagation that is not allowed is none. */
static word_t name_of_sender(const struct tcb *self, const struct tcb *partner) {
    if ((frame_read_message(&self->frame)[0] & TAG_PROPAGATED) == 0) {
        return self->id;
    }
    const struct tcb *as = thread_resolve(self->space, utcb_read(self, L4_UTCB_VIRTUAL_SENDER));
    return as != NULL && may_propagate(self, as, partner) ? as->id : self->id;
}

/* Who gets what `self` sends to `partner`: a space with a redirector talks to itself, to its
 * redirector's space, and with all others through the redirector. NULL: that has gone. */
static struct tcb *redirect(const struct tcb *self, struct tcb *partner) {
    if ((self->flags & FLAG_REDIRECTED) == 0 || partner->space == self->space) {
        return partner;
    }
    struct tcb *redirector = thread_find(self->space->redirector);
    return redirector != NULL && partner->space == redirector->space ? partner : redirector;
}

void ipc(struct tcb *self) {
    const word_t *arguments = frame_arguments(&self->frame);
    word_t to = arguments[0];
    self->receive_from = arguments[1];
    self->timeouts = arguments[2];
    if (to != 0) {
        struct tcb *partner = thread_resolve(self->space, to);
        if (partner != NULL) {
            partner = redirect(self, partner);
        }
        if (partner == NULL || partner == self || partner->state == STATE_DEAD ||
            (partner->state == STATE_INACTIVE && !thread_is_interrupt(partner))) {
            fail_phase(self, L4_IPC_ERR_NOPARTNER, L4_IPC_PHASE_SEND);
            return;
        }
        self->sender_as = name_of_sender(self, partner);
        if (waits_for(partner, self, self->sender_as)) {
            word_t error = 0;
            enum transfer end = transfer(self, partner, &error, true);
            if (end != TRANSFER_DONE) {
                if (end == TRANSFER_FAILED) {
                    fail_phase(self, error, L4_IPC_PHASE_SEND);
                }
                return;
            }
        } else if (!thread_is_interrupt(partner)) { /* (one that waits for no reply ignores it) */
            word_t timeout = self->timeouts >> 16;
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
        frame_set_result(&self->frame, 0);
        frame_message(&self->frame)[0] = 0;
        return;
    }
    receive(self);
}

/* Can the kernel's message in the name of `self` go there? */
static bool takes_messages(const struct tcb *partner, const struct tcb *self) {
    return partner != NULL && partner != self && partner->state != STATE_INACTIVE &&
           partner->state != STATE_DEAD;
}

static void preemption_message(struct tcb *self) {
    uint64_t now = timer_now();
    self->kmsg[0] = message_tag(L4_LABEL_PREEMPTION, 2);
    self->kmsg[1] = (uint32_t)now;
    self->kmsg[2] = (uint32_t)(now >> 32);
}

void ipc_preempted(struct tcb *self) {
    preemption_message(self);
    ipc_send_kernel(self, KIND_PREEMPTED, self->scheduler);
}

bool ipc_preemption_fault(struct tcb *self) {
    word_t handler = utcb_read(self, L4_UTCB_EXCEPTION_HANDLER);
    if (!takes_messages(thread_resolve(self->space, handler), self)) {
        return false;
    }
    preemption_message(self);
    ipc_send_kernel(self, KIND_PREEMPT_FAULT, handler);
    return true;
}

void ipc_new_quantum(struct tcb *t) {
    if (t->kind == KIND_PREEMPTED) {
        ipc_leave(t);
        t->kind = KIND_USER;
        make_ready(t, false);
    }
}

void ipc_send_kernel(struct tcb *self, uint8_t kind, word_t to) {
    struct tcb *partner = thread_resolve(self->space, to);
    self->kind = kind;
    if (!takes_messages(partner, self)) {
        message_undeliverable(self);
        self->kind = KIND_USER;
        self->state = STATE_DEAD;
        return;
    }
    if (kind != KIND_XFER) {
        self->receive_from = partner->id;
    }
    self->sender_as = self->id;
    if (waits_for(partner, self, self->id)) {
        word_t error = 0;
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
