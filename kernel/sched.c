/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scheduling.
 */
#include "sched.h"

#include "ipc.h"
#include "irq.h"
#include "ready.h"
#include "spaces.h"
#include "switch.h"
#include "timer.h"
#include "upcalls.h"
#include "utcb.h"

#include <l4/utcb.h>

#include "ready.c"

/* Whose timeslice has ended; it goes to the end of its equals' queue when it is preempted. */
static const struct tcb *slice_over;

/* Interrupts have been served since the kernel was entered. */
static bool interrupted;

/* The thread that goes on though another should run. Only the running thread can; when a fast path
 * has left it meanwhile this stays until the scheduler looks. */
static struct {
    struct tcb *thread;
    uint64_t until; /* microseconds; ~0 = over */
} delayed = {.until = ~0ull};

/* The running slice: since when its owner has been charged for it. */
static struct {
    struct tcb *owner; /* NULL: nobody's */
    uint64_t began;    /* microseconds */
} slice;

void sched_update(struct tcb *t) {
    bool queued = (t->flags & FLAG_QUEUED) != 0;
    if (t == hot.current) {
        hot.reschedule = 1;
    } else if (sched_is_runnable(t) && !queued) {
        ready_enqueue_last(t);
    } else if (!sched_is_runnable(t) && queued) {
        ready_dequeue(t);
    }
}

void sched_set_priority(struct tcb *t, uint8_t priority) {
    bool queued = (t->flags & FLAG_QUEUED) != 0;
    if (queued) {
        ready_dequeue(t);
    }
    t->priority = priority;
    if (queued) {
        ready_enqueue_last(t);
    } else if (t == hot.current) {
        hot.reschedule = 1;
    }
}

/* The thread that is to run; it leaves its ready queue. */
static struct tcb *choose(void) {
    struct tcb *t = ready_queues[hot.ready_top];
    if (t == NULL) {
        return &idle_thread;
    }
    ready_dequeue(t);
    return t;
}

/* ---- preemption control ---- */

#define SENSITIVE_PRIORITY(control) ((control) >> 16 & 0xff)
#define MAX_DELAY(control)          ((control) & 0xffff) /* microseconds */

void sched_interrupted(void) {
    interrupted = true;
}

uint64_t sched_delay_end(void) {
    return delayed.until;
}

void sched_delay_over(uint64_t now) {
    if (delayed.until <= now) {
        delayed.until = ~0ull;
        hot.reschedule = 1;
    }
}

/* Should another thread run instead of this one, which could go on? */
static bool is_displaced(const struct tcb *t) {
    return hot.ready_top > t->priority ||
           (slice_over == t && hot.ready_top == t->priority && ready_queues[t->priority] != NULL);
}

/* The thread wants its preemption delayed, and has not had its maximum of that yet. */
static bool delay(struct tcb *t, word_t flags) {
    word_t most = MAX_DELAY(t->preempt_control);
    if (delayed.thread == t) {
        return delayed.until != ~0ull && (flags & L4_PREEMPT_DELAY) != 0;
    }
    if ((flags & L4_PREEMPT_DELAY) == 0 || most == 0) {
        return false;
    }
    utcb_write(t, L4_UTCB_PREEMPT_FLAGS, flags | L4_PREEMPT_PENDING);
    delayed.thread = t;
    delayed.until = timer_now() + most;
    timer_set_alarm();
    return true;
}

/*
 * The thread is displaced: it goes into its ready queue, or, if it wants to be told, waits for its
 * exception handler. False: it goes on for now. Only an interrupt's preemption is delayed and told
 * (what a thread's own system call brings about it has asked for), and only if the other's priority
 * is not above the sensitive one.
 */
static bool preempt(struct tcb *t) {
    bool pending = delayed.thread == t;
    if ((interrupted || pending) && (t->flags & (FLAG_RECEIVE | FLAG_XFER)) == 0) {
        word_t flags = 0;
        bool controls = hot.ready_top <= SENSITIVE_PRIORITY(t->preempt_control);
        if (controls || pending) {
            flags = utcb_read(t, L4_UTCB_PREEMPT_FLAGS); /* a byte, with three others */
        }
        if (controls && delay(t, flags)) {
            return false;
        }
        if (pending) {
            utcb_write(t, L4_UTCB_PREEMPT_FLAGS, flags & ~(word_t)L4_PREEMPT_PENDING);
        }
        if (controls && (flags & L4_PREEMPT_SIGNAL) != 0 && ipc_preemption_fault(t)) {
            return true;
        }
    }
    if (slice_over == t) {
        ready_enqueue_last(t);
    } else {
        ready_enqueue_first(t); /* it keeps its place */
    }
    return true;
}

static void slice_charge(uint64_t now) {
    struct tcb *owner = slice.owner;
    uint64_t passed = now - slice.began;
    slice.began = now;
    if (owner->quantum_left != ~0ull) {
        owner->quantum_left = owner->quantum_left > passed ? owner->quantum_left - passed : 0;
    }
    owner->timeslice_left =
        owner->timeslice_left > passed ? owner->timeslice_left - (word_t)passed : 0;
}

static void slice_set_end(void) {
    const struct tcb *owner = slice.owner;
    uint64_t left = owner->timeslice != 0 ? owner->timeslice_left : ~0ull;
    left = owner->quantum_left < left ? owner->quantum_left : left;
    if (left < TICK_MICROSECONDS) { /* else a tick comes before */
        timer_set_slice(slice.began + left);
    }
}

/* The scheduler has chosen `t`. */
static void slice_begin(struct tcb *t) {
    uint64_t now = timer_now();
    if (slice.owner != NULL) {
        slice_charge(now);
        if (slice.owner->timeslice_left == 0) { /* by a hair */
            slice.owner->timeslice_left = slice.owner->timeslice;
        }
    }
    slice.owner = t == &idle_thread ? NULL : t;
    slice.began = now;
    if (slice.owner != NULL) {
        slice_set_end();
    }
}

/* Makes `t` the running thread. */
static void dispatch(struct tcb *t) {
    hot.current = t;
    if (t->space != NULL && t->space != hot.space) {
        switch_to(hot.space, t->space);
    }
    frame_show_utcb(t->utcb);
}

void sched_finish(void) {
    for (;;) {
        struct tcb *t = hot.current;
        bool runnable = sched_is_runnable(t);
        if (hot.reschedule != 0 || !runnable) {
            if (!runnable || t == &idle_thread || (is_displaced(t) && preempt(t))) {
                t = choose();
                if (t != slice.owner) {
                    slice_begin(t);
                }
            }
            hot.reschedule = 0;
        }
        if (delayed.thread != t) {
            delayed.thread = NULL;
            delayed.until = ~0ull;
            slice_over = NULL;
        }
        dispatch(t);
        if ((t->flags & (FLAG_RECEIVE | FLAG_XFER)) == 0) {
            interrupted = false;
            hot.ready_check = (t->flags & FLAG_REDIRECTED) != 0
                                  ? IPC_PATH_CLOSED
                                  : SCHED_WORD(STATE_RECEIVING, hot.ready_top);
            return;
        }
        if ((t->flags & FLAG_XFER) != 0) {
            irq_handle(); /* the copy may have paused for it, and may last */
            if (hot.current != t || hot.reschedule != 0) {
                continue;
            }
        }
        ipc_continue(t); /* it may block again */
    }
}

void sched_yield(struct tcb *to) {
    struct tcb *self = hot.current;
    if (to != NULL && to != self && (to->flags & FLAG_QUEUED) != 0) {
        ready_dequeue(to);
        ready_enqueue_first(self);
        hot.reschedule = 0; /* a donation holds even against higher priorities of one's own */
        hot.current = to;
        return;
    }
    ready_enqueue_last(self);
    hot.current = choose();
    hot.reschedule = 0;
    if (hot.current != slice.owner) {
        slice_begin(hot.current);
    }
}

void sched_tick(uint64_t now) {
    struct tcb *t = hot.current, *owner = slice.owner;
    if (t == &idle_thread) {
        return;
    }
    if (owner == NULL) {
        slice_begin(t);
        return;
    }
    slice_charge(now);
    bool used_up = owner->quantum_left == 0;
    if (used_up && t == owner && sched_is_runnable(t)) {
        ipc_preempted(t);
        return;
    }
    if (used_up || (owner->timeslice != 0 && owner->timeslice_left == 0)) {
        owner->timeslice_left = owner->timeslice;
        slice.owner = t; /* goes on with its own timeslice, if nobody else is there */
        slice_over = t;
        hot.reschedule = 1;
    }
    slice_set_end();
}

void sched_forget(const struct tcb *t) {
    if (slice.owner == t) {
        slice.owner = NULL;
    }
}

/* ---- Schedule ---- */

/* Results of Schedule (X.2 manual): what state the thread is in. */
#define TSTATE_DEAD       1
#define TSTATE_INACTIVE   2
#define TSTATE_RUNNING    3
#define TSTATE_SENDING    4
#define TSTATE_IN_SEND    5
#define TSTATE_WAITING    6
#define TSTATE_IN_RECEIVE 7

static word_t thread_state(const struct tcb *t) {
    if (t->xfer_partner != NULL) {
        return (t->flags & FLAG_SENDER) != 0 ? TSTATE_IN_SEND : TSTATE_IN_RECEIVE;
    }
    switch (t->state) {
    case STATE_READY:
        return (t->flags & FLAG_HALTED) != 0 ? TSTATE_INACTIVE : TSTATE_RUNNING;
    case STATE_RECEIVING:
        return TSTATE_WAITING;
    case STATE_SENDING:
        return TSTATE_SENDING;
    case STATE_DEAD:
        return TSTATE_DEAD;
    default:
        return TSTATE_INACTIVE;
    }
}

/* A thread gives no higher priority than its own; but the root task is who decides over priorities,
 * so its threads may also give away what they do not have now. */
static word_t highest_allowed(const struct tcb *self) {
    return self->space->privileged ? PRIORITY_MAX : self->priority;
}

/*
 * r0 dest, r1 time control, r2 processor control, r3 priority, r4 preemption control; ~0 leaves a
 * value as it is. Allowed to threads of the space that the thread's scheduler is in.
 */
void schedule(struct tcb *self) {
    word_t *r = frame_arguments(&self->frame);
    struct tcb *t = thread_resolve(self->space, r[0]);
    word_t error = L4_ErrOk;
    if (t == NULL || t->space == NULL) {
        error = L4_ErrInvalidThread;
    } else {
        const struct tcb *scheduler = thread_find(t->scheduler);
        if (scheduler == NULL || scheduler->space != self->space) {
            error = L4_ErrNoPrivilege;
        } else if ((r[1] != L4_ALL_BITS && ((r[1] | r[1] >> 16) & 0x8000) != 0) ||
                   (r[2] != L4_ALL_BITS && (r[2] & 0xffff) != 0 && (r[2] & 0xffff) != 0xffff) ||
                   (r[3] != L4_ALL_BITS && r[3] > highest_allowed(self))) {
            error = L4_ErrInvalidParam; /* absolute times, another processor, above one's own */
        }
    }
    if (error != L4_ErrOk) {
        utcb_write(self, L4_UTCB_ERROR_CODE, error);
        r[0] = 0;
        return;
    }
    if (t == slice.owner) {
        slice_charge(timer_now());
    }
    if (r[1] != L4_ALL_BITS) {
        word_t timeslice = r[1] >> 16, quantum = r[1] & 0xffff;
        uint64_t us;
        t->timeslice =
            timer_relative(timeslice, &us) ? (us > L4_ALL_BITS ? L4_ALL_BITS : (word_t)us) : 0;
        t->timeslice_left = t->timeslice;
        t->quantum_left = timer_relative(quantum, &us) ? us : ~0ull;
        if (t->quantum_left != 0) {
            ipc_new_quantum(t);
        }
        if (t == slice.owner) {
            slice_set_end();
        }
    }
    if (r[3] != L4_ALL_BITS) {
        sched_set_priority(t, (uint8_t)r[3]);
    }
    if (r[4] != L4_ALL_BITS) {
        t->preempt_control = r[4];
    }
    r[0] = thread_state(t);
    r[1] = (word_t)L4_TimePeriod(t->timeslice_left).raw << 16 |
           (t->quantum_left == ~0ull ? L4_NEVER_RAW : L4_TimePeriod(t->quantum_left).raw);
}
