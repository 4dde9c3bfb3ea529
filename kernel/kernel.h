/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What every file of the kernel may use: the hot words, assertions, panic, the probe.
 *
 * The kernel runs with interrupts off, on one stack, and never blocks inside: a thread that waits
 * has its whole state in its TCB, and the stack is empty whenever the kernel is left. So there are
 * no locks, and the same few stack lines serve every system call.
 */
#ifndef KERNEL_H
#define KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <probe.h>

#include "layout.h"
#include "switch_impl.h"
#include "word.h"

struct tcb;
struct space;

/* Threads that there can be, and spaces, as each has a thread. */
#define THREAD_COUNT_LOG2 10
#define THREAD_COUNT      (1u << THREAD_COUNT_LOG2)

#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* Set to 0 for a kernel without assertions; they stay type-checked. */
#define KERNEL_ASSERTIONS 1
#define kernel_assert(condition)                                                                   \
    do {                                                                                           \
        if (KERNEL_ASSERTIONS && unlikely(!(condition))) {                                         \
            panic(__BASE_FILE__ ": " #condition);                                                  \
        }                                                                                          \
    } while (0)

/*
 * The words that every kernel entry uses. They lie right above the kernel stack, so that entry.S
 * reaches them from sp without a literal, and share its TLB entry and nearly its cache lines.
 * The offsets are in offsets.h. (The name stays: it is in the texts of assertions, which the linker
 * orders by their contents, so that another one moves data and with it measured cycles.)
 */
struct hot {
    struct tcb *current;  /* the thread that runs, or last ran */
    struct space *space;  /* whose translations are in force; stays while idle runs; the IPC path
                           * does not store it (thread_entered_kernel) */
    uint32_t ready_top;   /* highest priority in the ready queues, 0 when they are empty */
    uint32_t reschedule;  /* not 0: the scheduler must look before the kernel is left */
    uint32_t ready_check; /* for the IPC path, set when the kernel is left: tcb.sched of a
                           * receiver that has ready_top's priority, or IPC_PATH_CLOSED */
    struct switch_hot scheme; /* the switching scheme's own, on the path of every switch */
};

extern struct hot hot;

/* A broken invariant: says so with the running thread's registers, then stops the machine. */
_Noreturn void panic(const char *what);

/* Where the probe is mapped, or 0 on machines without one. */
extern volatile uint32_t *probe;

static inline void probe_write(uint32_t reg, uint32_t value) {
    if (probe != NULL) {
        probe[reg / 4] = value;
    }
}

#endif
