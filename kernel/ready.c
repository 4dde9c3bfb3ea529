/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ready queues. (sched.c includes this file: in one unit the compiler passes arguments between
 * them in registers on every architecture. It uses what ready.h has, and no more.)
 */
#include "ready.h"

#define PRIORITIES 256

struct tcb *ready_queues[PRIORITIES];
static uint32_t occupied[PRIORITIES / 32];

struct tcb idle_thread;
extern char idle_loop[], idle_stack_top[];

void ready_init(void) {
    idle_thread.state = STATE_READY;
    idle_thread.frame.pc = (word_t)idle_loop;
    idle_thread.frame.sp = (word_t)idle_stack_top;
    idle_thread.frame.status = FRAME_STATUS_IDLE;
    hot.current = &idle_thread;
}

/* (Not every processor counts leading zeros.) */
static uint32_t highest_bit(uint32_t word) {
    uint32_t n = 0;
    for (uint32_t half = 16; half != 0; half /= 2) {
        if (word >> half != 0) {
            word >>= half;
            n += half;
        }
    }
    return n;
}

static void update_top(void) {
    for (uint32_t i = PRIORITIES / 32; i-- > 0;) {
        if (occupied[i] != 0) {
            hot.ready_top = i * 32 + highest_bit(occupied[i]);
            return;
        }
    }
    hot.ready_top = 0;
}

static void enqueue(struct tcb *t, bool first) {
    kernel_assert(sched_is_runnable(t) && (t->flags & FLAG_QUEUED) == 0 && t != &idle_thread);
    struct tcb *head = ready_queues[t->priority];
    t->flags |= FLAG_QUEUED;
    if (head == NULL) {
        t->ready_next = t->ready_previous = t;
        ready_queues[t->priority] = t;
        occupied[t->priority / 32] |= 1u << (t->priority % 32);
    } else {
        t->ready_next = head;
        t->ready_previous = head->ready_previous;
        t->ready_previous->ready_next = t;
        head->ready_previous = t;
        if (first) {
            ready_queues[t->priority] = t;
        }
    }
    if (t->priority > hot.ready_top) {
        hot.ready_top = t->priority;
    }
    if (hot.current == &idle_thread || t->priority > hot.current->priority) {
        hot.reschedule = 1;
    }
}

void ready_enqueue_first(struct tcb *t) {
    enqueue(t, true);
}

void ready_enqueue_last(struct tcb *t) {
    enqueue(t, false);
}

void ready_dequeue(struct tcb *t) {
    kernel_assert((t->flags & FLAG_QUEUED) != 0);
    t->flags &= (uint8_t)~FLAG_QUEUED;
    if (t->ready_next == t) {
        ready_queues[t->priority] = NULL;
        occupied[t->priority / 32] &= ~(1u << (t->priority % 32));
        update_top();
    } else {
        t->ready_previous->ready_next = t->ready_next;
        t->ready_next->ready_previous = t->ready_previous;
        if (ready_queues[t->priority] == t) {
            ready_queues[t->priority] = t->ready_next;
        }
    }
}
