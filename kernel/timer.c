/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Time. The board's counter (32 bits) is extended to 64 bits of microseconds; it is read at least
 * at every tick.
 */
#include "timer.h"

#include "board.h"
#include "upcalls.h"

/* us = counts * US_NUMERATOR / US_DENOMINATOR, exactly. */
#define US_NUMERATOR   ((uint32_t)BOARD_TIMER_US)
#define US_DENOMINATOR ((uint32_t)BOARD_TIMER_COUNTS)

#define TICK_COUNTS (TICK_MICROSECONDS * BOARD_TIMER_COUNTS / BOARD_TIMER_US)
_Static_assert(TICK_MICROSECONDS *BOARD_TIMER_COUNTS % BOARD_TIMER_US == 0, "whole counts");
/* timer_now and timer_set_alarm compute in words. */
_Static_assert(BOARD_TIMER_US <= 625 && BOARD_TIMER_COUNTS <= 32 * BOARD_TIMER_US, "timer rate");

static uint64_t now_us;
static uint32_t now_remainder; /* of the division */
static uint32_t last_count;
static uint32_t next_tick;

/* Threads in an IPC with a timeout, the earliest first. */
static struct tcb *waiting;

void timer_init(void) {
    last_count = board_timer_count();
    next_tick = last_count + TICK_COUNTS;
    board_timer_tick_at(next_tick);
}

uint64_t timer_now(void) {
    uint32_t count = board_timer_count();
    uint32_t passed = count - last_count;
    last_count = count;
    while (passed != 0) { /* in parts whose product fits into a word */
        uint32_t part = passed > 6000000u ? 6000000u : passed;
        passed -= part;
        uint32_t sum = part * US_NUMERATOR + now_remainder;
        now_us += sum / US_DENOMINATOR;
        now_remainder = sum % US_DENOMINATOR;
    }
    return now_us;
}

bool timer_relative(word_t raw, uint64_t *microseconds) {
    if (raw == L4_NEVER_RAW) {
        return false;
    }
    *microseconds = (uint64_t)(raw & 0x3ff) << (raw >> 10 & 0x1f);
    return true;
}

bool timer_deadline(word_t raw, uint64_t *deadline) {
    if (raw == L4_NEVER_RAW) {
        return false;
    }
    uint64_t now = timer_now();
    if ((raw & 0x8000) == 0) {
        timer_relative(raw, deadline);
        *deadline += now;
        return true;
    }
    /*
     * Absolute: the clock's bits above e + 10 must be those of now, or one more, as c (bit e + 10
     * at that time) says; bits e + 9 .. e are m.
     */
    word_t e = raw >> 11 & 0xf;
    uint64_t c = raw >> 10 & 1;
    uint64_t upper = now >> (e + 10);
    if ((upper & 1) != c) {
        upper++;
    }
    *deadline = upper << (e + 10) | (uint64_t)(raw & 0x3ff) << e;
    return true;
}

/* The counter when so many microseconds have passed since timer_now, a minute at most: that is far
 * from its wrap. */
static uint32_t count_after(uint64_t microseconds) {
    /* us / US_NUMERATOR * US_DENOMINATOR, rounded up */
    uint32_t us = microseconds > 60000000u ? 60000000u : (uint32_t)microseconds;
    uint32_t whole = US_DENOMINATOR / US_NUMERATOR, rest = US_DENOMINATOR % US_NUMERATOR;
    uint32_t counts = us * whole + us / US_NUMERATOR * rest +
                      (us % US_NUMERATOR * rest + US_NUMERATOR - 1) / US_NUMERATOR;
    return last_count + counts + 1;
}

void timer_set_slice(uint64_t end) {
    uint32_t at = count_after(end > now_us ? end - now_us : 0);
    if ((int32_t)(at - next_tick) < 0) {
        next_tick = at;
        board_timer_tick_at(next_tick);
    }
}

/* The alarm may come early by a count or when the counter has wrapped: it is set again then. */
void timer_set_alarm(void) {
    uint64_t end = sched_delay_end();
    if (waiting != NULL && waiting->timeout_at < end) {
        end = waiting->timeout_at;
    }
    if (end == ~0ull) {
        return;
    }
    uint64_t now = timer_now();
    board_timer_alarm_at(count_after(end > now ? end - now : 0));
    /*
     * QEMU forgets a match that has just passed when another match register is written; on the
     * processor its interrupt is pending now. Either way it comes again at once. (A forgotten
     * alarm is found by the next tick.)
     */
    if ((int32_t)(next_tick - board_timer_count()) <= 0) {
        board_timer_tick_at(next_tick);
    }
}

void timer_arm(struct tcb *t, uint64_t deadline) {
    kernel_assert((t->flags & FLAG_TIMEOUT) == 0);
    t->flags |= FLAG_TIMEOUT;
    t->timeout_at = deadline;
    struct tcb **at = &waiting;
    while (*at != NULL && (*at)->timeout_at <= deadline) {
        at = &(*at)->timeout_next;
    }
    t->timeout_next = *at;
    *at = t;
    if (waiting == t) {
        timer_set_alarm();
    }
}

void timer_disarm(struct tcb *t) {
    if ((t->flags & FLAG_TIMEOUT) == 0) {
        return;
    }
    t->flags &= (uint8_t)~FLAG_TIMEOUT;
    struct tcb **at = &waiting;
    while (*at != t) {
        at = &(*at)->timeout_next;
    }
    *at = t->timeout_next;
}

void timer_alarm(void) {
    uint64_t now = timer_now();
    while (waiting != NULL && waiting->timeout_at <= now) {
        struct tcb *t = waiting;
        timer_disarm(t);
        ipc_fail(t, L4_IPC_ERR_TIMEOUT);
    }
    sched_delay_over(now);
    timer_set_alarm();
}

void timer_tick(void) {
    uint64_t now = timer_now();
    next_tick = last_count + TICK_COUNTS;
    board_timer_tick_at(next_tick);
    timer_alarm();
    sched_tick(now);
}
