/* SPDX-License-Identifier: GPL-2.0-only */
/* Threads of a process, for tests that do without a library of them. */
#ifndef LINUX_USER_THREADS_H
#define LINUX_USER_THREADS_H

#include "os.h"

enum { THREAD_STACK = 8192 };

struct thread {
    int tid; /* not 0 while it runs: a futex */
    unsigned int seed;
    char stack[THREAD_STACK] __attribute__((aligned(8)));
};

/* Begins a thread; whether that was done. It ends when the function returns, to which the thread
 * itself is given, and must not be ended by EXPECT, which would end it alone. */
int thread_begin(struct thread *thread, void (*function)(struct thread *thread));

/* Waits until it has ended. */
void thread_wait(struct thread *thread);

#endif
