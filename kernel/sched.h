/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scheduling: priorities, round robin among equals, timeslices.
 *
 * The running thread is in no ready queue; every thread in a ready queue can run. So a direct
 * switch from an IPC's sender to its receiver touches no queue at all: the one has stopped being
 * ready, the other runs.
 */
#ifndef SCHED_H
#define SCHED_H

#include "thread.h"

/* By priority: the ring of ready threads, first in first. For arch/arm/yield_path.S. */
extern struct tcb *sched_queues[];

void sched_init(void);

/* A thread became ready, in front of (it was promised the processor) or behind its equals. */
void sched_enqueue_first(struct tcb *t);
void sched_enqueue_last(struct tcb *t);
void sched_dequeue(struct tcb *t);

/* The thread is READY and not halted: it may run. */
static inline bool sched_is_runnable(const struct tcb *t) {
    return t->state == STATE_READY && (t->flags & FLAG_HALTED) == 0;
}

/* A thread's state or flags changed: puts it into or takes it out of the ready queue. */
void sched_update(struct tcb *t);

/* Before the kernel is left (kernel_exit): who runs now? Makes that thread's space the one in force
 * and finishes what is left of its system call. */
void sched_finish(void);

void sched_set_priority(struct tcb *t, uint8_t priority);

/* The caller gives up the processor: to `to` if that can run, else to its equals. */
void sched_yield(struct tcb *to);

/*
 * The timer tick. A timeslice belongs to the thread that the scheduler has chosen, and runs until
 * the scheduler chooses another or the slice ends. Whom that thread switches to by the short ways
 * of IPC and ThreadSwitch runs on it, so those need not look at the clock (X.2 manual: donation).
 */
void sched_tick(uint64_t now);

/* The thread ceases to exist. */
void sched_forget(const struct tcb *t);

/* ---- preemption control (X.2 manual: Schedule, PreemptFlags) ---- */

/* The kernel was entered by an interrupt: if another thread runs now, it is a preemption. */
void sched_interrupted(void);

/* When the running thread's delay of its preemption ends; ~0 = there is none. From timer.c. */
uint64_t sched_delay_end(void);
void sched_delay_over(uint64_t now);

/* Schedule on the caller's frame. */
void schedule(struct tcb *self);

#endif
