/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files here know of each other. */
#ifndef L4_HOST_INTERNAL_H
#define L4_HOST_INTERNAL_H

#include <l4/types.h>

#include "../../../user/common/probe.h"

/* The thread that Linux runs on; threads after it are the timer's, then programs'. */
extern L4_ThreadId_t host_main;

/* Asks the root task (../root-task/root.h); the first word of its answer. */
L4_Word_t host_ask(L4_Word_t label, const L4_Word_t *words, unsigned count);
#define THREAD_TIMER   1u
#define THREAD_MAPPER  2u
#define THREAD_NETWORK 3u
#define THREAD_TASKS   4u

L4_ThreadId_t host_thread(unsigned n);

/* What the main thread waits in: those that interrupt it may end only its own waits. */
enum host_state { STATE_KERNEL, STATE_IDLE, STATE_USER };
extern volatile enum host_state host_state;

/* By a thread that interrupts Linux: this is pending, from now on. */
void host_interrupt(unsigned what);

/* A thread of the server's. */
int host_thread_start(unsigned n, void (*function)(void), L4_Word_t *stack_end, unsigned priority);

void host_start(void);
void host_tasks_init(void);

/* The main thread has the root task's word. */
#define PRIORITY_TIMER   200u
#define PRIORITY_NETWORK 190u
#define PRIORITY_MAIN    150u
#define PRIORITY_TASK    100u

#endif
