/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What interrupts Linux: threads of higher priority than its own. They note that something is
 * pending and end the main thread's wait, if it is in one; Linux' own code looks where it enables
 * interrupts. One is here, the timer, which looks for input as well.
 *
 * As they have higher priorities, the main thread does nothing while one of them runs.
 */
#include "host.h"

#include <l4/l4.h>

#include "internal.h"

#define STACK_WORDS 1024
#define INPUT_SIZE  256 /* a power of two */

/* How soon the main thread will wait that is about to. */
#define SOON 20

/* ExchangeRegisters (X.2): end the receive phase; what the thread was in. */
#define CANCEL_RECEIVE 0x002u
#define WAS_RECEIVING  0x2u

volatile unsigned host_pending;
volatile enum host_state host_state;

static volatile unsigned long interval;
static L4_Word_t stack[STACK_WORDS];
static int exists;

static volatile unsigned input_in, input_out;
static char input[INPUT_SIZE];

unsigned host_take_pending(void) {
    unsigned old = 0;

    __asm__ volatile("xchgl %0, %1" : "+r"(old), "+m"(host_pending));
    return old;
}

/* In one step: another thread may do so between any two. */
static void note(unsigned what) {
    __asm__ volatile("orl %1, %0" : "+m"(host_pending) : "r"(what));
}

static void look_for_input(void) {
    int c;

    while (input_in - input_out < INPUT_SIZE && (c = L4_KDB_ReadChar()) >= 0) {
        input[input_in % INPUT_SIZE] = (char)c;
        input_in++;
        note(HOST_INPUT);
    }
}

int host_get(void) {
    int c;

    if (input_in == input_out) {
        return -1;
    }
    c = (unsigned char)input[input_out % INPUT_SIZE];
    input_out++;
    return c;
}

static bool cancel_wait(void) {
    L4_Word_t control, sp, ip, flags, handle;
    L4_ThreadId_t pager;

    (void)L4_ExchangeRegisters(host_main, CANCEL_RECEIVE, 0, 0, 0, 0, L4_nilthread, &control, &sp,
                               &ip, &flags, &handle, &pager);
    return (control & WAS_RECEIVING) != 0;
}

void host_interrupt(unsigned what) {
    note(what);
    while (host_pending != 0 && host_state != STATE_KERNEL && !cancel_wait()) {
        L4_Sleep(L4_TimePeriod(SOON));
    }
}

static void timer(void) {
    L4_Word64_t next = L4_SystemClock().raw;

    L4_Set_ExceptionHandler(L4_Pager());
    for (;;) {
        L4_Word64_t now = L4_SystemClock().raw;

        next += interval;
        if (next <= now) { /* it was stopped for long */
            next = now + 1;
        }
        L4_Sleep(L4_TimePeriod(next - now));
        look_for_input();
        host_interrupt(HOST_TICK);
        while (interval == 0) {
            L4_Sleep(L4_Never);
        }
    }
}

int host_set_tick(unsigned long microseconds) {
    interval = microseconds;
    if (!exists && microseconds != 0) {
        exists = host_thread_start(THREAD_TIMER, timer, &stack[STACK_WORDS], PRIORITY_TIMER);
    }
    return exists || microseconds == 0;
}

/* (Of a message that nobody sends.) */
void host_idle(void) {
    host_state = STATE_IDLE;
    if (host_pending == 0) {
        (void)L4_Receive(host_thread(THREAD_TIMER));
    }
    host_state = STATE_KERNEL;
}
