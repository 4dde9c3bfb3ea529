/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scheduling: priorities, round robin among equals, timeslices.
 */
#ifndef SCHED_H
#define SCHED_H

#include "tcb.h"

/* A thread's state or flags changed: puts it into or takes it out of the ready queue. */
void sched_update(struct tcb *t);

/* Before the kernel is left (kernel_exit): who runs now? Makes that thread's space the one in force
 * and finishes what is left of its system call. */
void sched_finish(void);

void sched_set_priority(struct tcb *t, uint8_t priority);

/* The caller gives up the processor: to `to` if that can run, else to its equals. */
void sched_yield(struct tcb *to);

/* The thread ceases to exist. */
void sched_forget(const struct tcb *t);

/* Schedule on the caller's frame. */
void schedule(struct tcb *self);

#endif
