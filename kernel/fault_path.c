/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The page fault's short way: the fault's message to a pager that waits for it, and the pager's
 * reply with one page and nothing else, after which it waits for anybody. Both switch from the one
 * thread to the other directly, and touch no ready queue and no message buffer. First every check,
 * then a commit that cannot fail; what does not fit goes through ipc.c, and comes to the same.
 */
#include "fault.h"
#include "ipc.h"
#include "sched.h"
#include "space.h"

#define ONE_ITEM                                                                                   \
    0x80u /* of a tag's low half: no flags, no untyped words, one typed item of two words */
#define MAP_GRANT 0x8u /* of an item's low bits: map or grant */

/* The thread waits with this kind of message, without timeout, not halted nor redirected, and
 * nobody ready is more important. */
static bool may_go_on(const struct tcb *t, uint8_t kind) {
    uint32_t expected = SCHED_WORD(STATE_RECEIVING, hot.ready_top) | (uint32_t)kind << 16;
    return (t->sched - expected) >> 8 == 0 && t->sched >= expected;
}

/* `self` waits for `wait_for`, and `to` runs in its place. */
static void hand_over(struct tcb *self, uint8_t kind, uint32_t wait_for, struct tcb *to) {
    self->kind = kind;
    self->state = STATE_RECEIVING;
    self->wait_for = wait_for;
    to->kind = KIND_USER;
    to->state = STATE_READY;
    to->wait_for = 0;
    hot.current = to;
}

bool fault_path_send(struct tcb *self, uint32_t pager, uint32_t va, uint32_t rights) {
    struct tcb *t = thread_slot(pager);
    if (self != hot.current || t->id != pager || !may_go_on(t, KIND_USER) ||
        (t->wait_for != self->id && t->wait_for != IPC_ANY)) {
        return false;
    }
    t->frame.r[0] = self->id;
    t->frame.r[3] = message_tag(L4_LABEL_PAGEFAULT | rights, 2);
    t->frame.r[4] = va;
    t->frame.r[5] = self->frame.pc;
    hand_over(self, KIND_PAGEFAULT, pager, t);
    return true;
}

bool fault_path_reply(struct tcb *self) {
    const uint32_t *r = self->frame.r; /* to, from, timeouts, tag, item */
    struct tcb *t = thread_slot(r[0]);
    if ((r[3] & 0xffff) != ONE_ITEM || (r[4] & 0xc) != MAP_GRANT || (r[2] & 0xffff) != 0 ||
        r[1] != IPC_ANY || self->senders != NULL || self->flags != 0 || t->id != r[0] ||
        !may_go_on(t, KIND_PAGEFAULT) || t->wait_for != self->id) {
        return false;
    }
    if (!space_map_item(self->space, r[4], r[5], t->space, L4_CompleteAddressSpace)) {
        return false; /* out of memory: the same again, with its error */
    }
    hand_over(self, KIND_USER, IPC_ANY, t);
    return true;
}
