/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Synchronous IPC: everything that the IPC path in assembly (ipc_path.S) leaves.
 *
 * A thread that waits is RECEIVING (tcb.wait_for says from whom) or SENDING (it is in its
 * partner's queue). Messages are transferred when both sides are there, by whoever came second,
 * from sender to receiver at once. Page faults, exceptions, the start of a thread and interrupts
 * are the same thing with a message that the kernel made (message.h).
 */
#ifndef IPC_H
#define IPC_H

#include "tcb.h"
#include "upcalls.h"

/* The Ipc system call on the caller's frame; the caller is hot.current. */
void ipc(struct tcb *self);

/* The receive phase of a thread whose send phase ended while it waited (FLAG_RECEIVE). */
void ipc_continue(struct tcb *self);

bool ipc_answer_fault(struct tcb *self, struct tcb *t);

/* The total quantum of the running thread is used up: its scheduler is told, and the thread waits
 * for a new one (ipc_new_quantum). A reply alone lets it run until the next tick. */
void ipc_preempted(struct tcb *self);
void ipc_new_quantum(struct tcb *t);

/* The running thread is preempted and wants its exception handler to know: it waits for the
 * handler's reply. False: there is no such handler, nothing has happened. */
bool ipc_preemption_fault(struct tcb *self);

/* The receive phase that it is in, or that is still to be done, ends as cancelled. */
void ipc_cancel_receive(struct tcb *t);

/* Whatever it waits in ends, and it goes on: its own IPC as aborted, a fault by being tried again.
 */
void ipc_abort(struct tcb *t);

/* The thread ceases to exist, under this id at least: whoever waits to send to it fails. (Whoever
 * waits for it: waiters.h.) */
void ipc_abandon(struct tcb *t);

#endif
