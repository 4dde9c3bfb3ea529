/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The IPC fast path: call, and reply-and-wait, with up to four untyped words, to a partner that
 * waits for it. First every check, then a commit that cannot fail; whatever does not fit takes the
 * slow path (ipc.c) from the start, as nothing has been changed.
 *
 * Message registers 0 to 4 stay in the processor's registers r3 to r7 from the sender's trap to the
 * receiver's first instruction (entry.S), so neither UTCB is touched. Memory it does touch: two
 * cache lines of each TCB, the hot words, one line of the receiver's space, the stack, and the
 * UTCB pointer's line.
 */
#include "ipc.h"

#include "switch.h"

struct tcb *fastpath_ipc(uint32_t to, uint32_t from, uint32_t timeouts, uint32_t tag) {
    struct tcb *self = hot.current;
    struct tcb *partner = thread_slot(to);

    /* ---- check ---- */
    /* Up to four untyped words; no typed items, no propagation. A label is free. */
    if (unlikely((tag & 0xffff) > 4)) {
        return NULL;
    }
    /* The receive phase waits for ever; the send timeout does not matter as it will not wait. */
    if (unlikely((timeouts & 0xffff) != 0)) {
        return NULL;
    }
    /* Its space has no redirector. */
    if (unlikely((self->flags & FLAG_REDIRECTED) != 0)) {
        return NULL;
    }
    /* The id, version included, is that of a thread (nil and local ids are not: their slots hold
     * other ids) ... */
    if (unlikely(partner->id != to)) {
        return NULL;
    }
    /* ... which waits, in an IPC of its own, without timeout, not halted ... */
    uint32_t priority = partner->sched ^ SCHED_WORD(STATE_RECEIVING, 0);
    if (unlikely(priority > PRIORITY_MAX)) {
        return NULL;
    }
    /* ... for this thread or for any. */
    if (unlikely(partner->wait_for != self->id && partner->wait_for != IPC_ANY)) {
        return NULL;
    }
    /* Nobody ready is more important than the partner. */
    if (unlikely(priority < hot.ready_top)) {
        return NULL;
    }
    /* A call, or a wait for anybody while nobody is in the queue. */
    if (from != to && (from != IPC_ANY || self->senders != NULL)) {
        return NULL;
    }

    /* ---- commit ---- */
    self->wait_for = from;
    self->sched += SCHED_WORD(STATE_RECEIVING - STATE_READY, 0);
    partner->sched = priority | SCHED_WORD(STATE_READY, 0);
    hot.current = partner;
    struct space *space = partner->space;
    if (likely(space != hot.space)) {
        switch_to(hot.space, space);
    }
    *(volatile uint32_t *)UTCB_POINTER_VA = partner->utcb;
    return partner;
}
