/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ready queues: the threads that can run, by priority.
 *
 * The running thread is in none; every thread in one can run. So a direct switch from an IPC's
 * sender to its receiver touches no queue at all: the one has stopped being ready, the other runs.
 */
#ifndef READY_H
#define READY_H

#include "tcb.h"

/* By priority: the ring of ready threads, first in first. For yield_path.S. */
extern struct tcb *ready_queues[];

/* The idle thread runs, at boot. */
void ready_init(void);

/* A thread became ready, in front of (it was promised the processor) or after its equals. */
void ready_enqueue_first(struct tcb *t);
void ready_enqueue_last(struct tcb *t);
void ready_dequeue(struct tcb *t);

/* The thread is READY and not halted: it may run. */
static inline bool sched_is_runnable(const struct tcb *t) {
    return t->state == STATE_READY && (t->flags & FLAG_HALTED) == 0;
}

#endif
