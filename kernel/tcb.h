/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread control block (TCB), and finding one.
 *
 * A thread number is an index into one table of TCBs; nothing is allocated for a thread but, with
 * its first thread, the page that holds its UTCB. Numbers below SYSTEM_BASE stand for interrupts.
 */
#ifndef TCB_H
#define TCB_H

#include "frame.h"
#include "kernel.h"

#include <l4/types.h>
#include <l4/protocol.h>

#define SYSTEM_BASE   BOARD_INTERRUPTS
#define USER_BASE     (SYSTEM_BASE + 16)
#define THREAD_SIGMA0 L4_GlobalId(USER_BASE, L4_ROOT_VERSION).raw
#define THREAD_ROOT   L4_GlobalId(USER_BASE + 2, L4_ROOT_VERSION).raw

#define PRIORITY_MAX     255
#define PRIORITY_DEFAULT 100

/* enum tcb.state; a byte of tcb.sched */
#define STATE_FREE      0 /* number not in use */
#define STATE_INACTIVE  1 /* has a space, never had a pager */
#define STATE_READY     2 /* runs or could; then it is in a ready queue unless it is hot.current */
#define STATE_SENDING   3 /* in the queue of partner's senders */
#define STATE_DEAD      4 /* faulted with nobody to tell; only deletion ends this */
#define STATE_XFER      5 /* in a string copy that waits for the partner's page fault */
#define STATE_RECEIVING 7 /* waits for wait_for; the highest, as ready_check wants it */

/* tcb.flags */
#define FLAG_HALTED     1   /* stopped by ExchangeRegisters; keeps its state, is not scheduled */
#define FLAG_RECEIVE    2   /* ready, but its receive phase is still to be done (ipc_continue) */
#define FLAG_TIMEOUT    4   /* in the timeout list */
#define FLAG_QUEUED     8   /* in a ready queue */
#define FLAG_XFER       16  /* ready, but a string copy is to be continued first (ipc_continue) */
#define FLAG_SENDER     32  /* of the string copy that it is in */
#define FLAG_LOCAL      64  /* receiver of a string copy that wanted any local thread */
#define FLAG_REDIRECTED 128 /* its space has a redirector: no fast path, either way */

/* For whom a thread may wait that waits for no one thread (tcb.wait_for): L4's anythread and
 * anylocalthread. */
#define IPC_ANY      L4_ALL_BITS
#define IPC_ANYLOCAL L4_BITS_ABOVE(6)

#define KMSG_WORDS 14

/*
 * The IPC path (ipc_path.S) touches one cache line (32 bytes) of the receiver's TCB, the
 * first, and two of the sender's.
 *
 * While a program runs, its state here already is what it will be when it waits: RECEIVING, so that
 * the IPC path need not write it. entry.S makes it READY where C is entered, and RECEIVING where C
 * is left; wait_for of a thread that runs matches nobody.
 */
struct tcb {
    union {
        struct frame frame;
        struct {
            word_t saved[3]; /* of the frame */
            word_t id;       /* global id; 0 when free */
            word_t wait_for; /* RECEIVING: sender's id, ~0 = any, anylocal = any of own space */
            union {
                struct {
                    uint8_t priority;
                    uint8_t state;
                    uint8_t kind;
                    uint8_t flags;
                };
                uint32_t sched; /* all four: the IPC path compares them at once */
            };
            struct space *space;
            word_t
                utcb; /* user va, as the thread itself sees it; also the local id; 0 = not active */
        };
    };
    word_t wait_open;    /* IPC_ANY while nobody is in senders, else the own id: what the thread may
                          * wait for on the IPC path if it does not call */
    struct tcb *senders; /* who waits to send to this thread: ring, first in first */

    struct tcb *ready_next, *ready_previous;
    struct tcb *sender_next, *sender_previous; /* in partner->senders */
    struct tcb *partner;                       /* SENDING: to whom */
    word_t receive_from; /* SENDING: from-specifier of the receive phase to come, 0 = none */
    union {
        word_t timeouts;   /* SENDING: of that call */
        word_t utcb_place; /* until it is active: where its UTCB is to be, or UTCB_NOWHERE */
    };
    struct tcb *timeout_next;
    uint64_t timeout_at; /* microseconds */
    word_t scheduler;    /* thread id */
    word_t timeslice;    /* microseconds, 0 = endless */
    word_t timeslice_left;
    uint64_t quantum_left;                   /* total quantum in microseconds; ~0 = endless */
    struct tcb *space_next, *space_previous; /* ring of the space's threads */
    word_t preempt_control;
    struct tcb *xfer_partner; /* the other side of the string copy that it is in, else NULL */
    word_t xfer_pager;        /* to whom its page fault goes */
    word_t sender_as;         /* SENDING: the id in whose name: its own, or the virtual sender's */
    word_t xfer_done;         /* sender: bytes copied so far */
    uint64_t xfer_deadline;   /* sender: for its page faults; 0 = there was none yet, ~0 = never */
    word_t kmsg[KMSG_WORDS];  /* the kernel's message in this thread's name; tag first */
} __attribute__((aligned(8 * sizeof(word_t))));

#define UTCB_NOWHERE (~(word_t)0) /* as in ThreadControl */

#define SCHED_WORD(state, priority) ((uint32_t)(state) << 8 | (uint32_t)(priority))

/*
 * hot.ready_check: the IPC path takes a receiver if (sched - ready_check) >> 8 is 0, so if its
 * state is RECEIVING, kind and flags are 0, and its priority is not below ready_top. (Another state
 * is lower, so the difference is negative; a kind or flag makes it too large.) The path may not be
 * used at all with this value, which is farther from any word than that.
 */
#define IPC_PATH_CLOSED 0x80000000u

extern struct tcb tcbs[THREAD_COUNT];
extern struct tcb idle_thread;

/*
 * The IPC path leaves hot.space as it was: while a program runs, the space in force is its
 * thread's. Whatever in C a program's trap, fault or interrupt comes to says so first.
 */
void thread_entered_kernel(void);

/* The TCB that an id would have; whether it is that thread, tcb->id says. */
static inline struct tcb *thread_slot(word_t id) {
    return &tcbs[id >> L4_VERSION_BITS & (THREAD_COUNT - 1)];
}

/* The thread of a global id, or NULL. */
static inline struct tcb *thread_find(word_t id) {
    struct tcb *t = thread_slot(id);
    return id != 0 && t->id == id ? t : NULL;
}

/* The thread of a global id or of a local id in `space`, or NULL. */
struct tcb *thread_resolve(struct space *space, word_t id);

static inline bool thread_is_interrupt(const struct tcb *t) {
    return t < &tcbs[SYSTEM_BASE];
}

void thread_init(void);

#endif
