/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls from below: what files of the kernel ask of those above them, which include them. Each is
 * done in the file that its name begins with. (message.h has those of a message's answer.)
 */
#ifndef UPCALLS_H
#define UPCALLS_H

#include "tcb.h"

/* From timer.c: a timeout has ended. From all others: the IPC that `t` waits in ends with this
 * error (L4_IPC_ERR_*; the phase is added). */
void ipc_fail(struct tcb *t, word_t error);

/* From xfer_wait.h, and from all others: the thread waits no more: out of its partner's queue, its
 * timeout is disarmed. */
void ipc_leave(struct tcb *t);

/* From the same: sends self->kmsg in the name of the running thread (or of an interrupt) and waits
 * for the reply. `kind` says what the reply does. Without such a thread to send to, the sender is
 * dead. */
void ipc_send_kernel(struct tcb *self, uint8_t kind, word_t to);

/*
 * From timer.c: its tick. A timeslice belongs to the thread that the scheduler has chosen, and runs
 * until the scheduler chooses another or the slice ends. Whom that thread switches to by the short
 * ways of IPC and ThreadSwitch runs on it, so those need not look at the clock (X.2 manual:
 * donation).
 */
void sched_tick(uint64_t now);

/* From timer.c: when the running thread's delay of its preemption ends (X.2 manual: Schedule,
 * PreemptFlags); ~0 = there is none. And it may have ended. */
uint64_t sched_delay_end(void);
void sched_delay_over(uint64_t now);

/* From irq.c: the kernel was entered by an interrupt. If another thread runs now, it is a
 * preemption. */
void sched_interrupted(void);

#endif
