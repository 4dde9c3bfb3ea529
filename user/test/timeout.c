/* SPDX-License-Identifier: Apache-2.0 */
/* Timeouts of IPC, and the system clock that measures them. */
#include "test.h"

static L4_ThreadId_t parent(void) {
    return L4_Pager();
}

static void wait_for_parent(void) {
    for (;;) {
        (void)L4_Receive(parent());
    }
}

static L4_Word64_t now(void) {
    return L4_SystemClock().raw;
}

/* A tick may be as long as this (microseconds); a sleep may be late by two, and by the test's own
   work on a slow host. Early it may never be by more than the clock's own precision. */
#define TICK 10000u

static void clock_runs(void) {
    L4_Word64_t first = now();
    L4_Word64_t last = first;
    for (unsigned i = 0; i < 100; i++) {
        L4_Word64_t t = now();
        CHECK(t >= last);
        last = t;
    }
    L4_Sleep(L4_TimePeriod(30000));
    CHECK(now() > first);
}

static void sleep_lasts(void) {
    static const L4_Word_t periods[] = {1000, 20000, 50000};
    for (unsigned i = 0; i < 3; i++) {
        L4_Word64_t start = now();
        L4_Sleep(L4_TimePeriod(periods[i]));
        L4_Word_t slept = (L4_Word_t)(now() - start);
        FAIL_IF(slept + TICK < periods[i], "slept long enough", slept, periods[i]);
        FAIL_IF(slept > periods[i] + 5 * TICK, "slept not too long", slept, periods[i]);
    }
}

static void receive_zero(void) {
    L4_ThreadId_t id = worker_start(wait_for_parent, TEST_PRIORITY);
    EQUAL(error_of(L4_Receive_Timeout(id, L4_ZeroTime)),
          L4_IPC_ERROR(L4_IPC_ERR_TIMEOUT, L4_IPC_PHASE_RECEIVE));
    L4_ThreadId_t from;
    EQUAL(error_of(L4_Wait_Timeout(L4_ZeroTime, &from)),
          L4_IPC_ERROR(L4_IPC_ERR_TIMEOUT, L4_IPC_PHASE_RECEIVE));
}

static volatile L4_ThreadId_t deaf;

static void send_zero_to_deaf(void) {
    L4_LoadMR(0, 0);
    L4_Word_t error = error_of(L4_Reply(deaf));
    (void)send_word(parent(), 0, error);
    (void)L4_Receive(parent());
}

/* A send with timeout zero reaches only who is ready for it. */
static void send_zero(void) {
    L4_Word_t error = 0;
    deaf = worker_start(wait_for_parent, TEST_PRIORITY + 1);
    L4_Set_MsgTag(L4_Niltag);
    EQUAL(error_of(L4_Reply(deaf)), 0);
    L4_ThreadId_t sender = worker_start(send_zero_to_deaf, TEST_PRIORITY);
    EQUAL(receive_word(sender, &error), 0);
    EQUAL(error, L4_IPC_ERROR(L4_IPC_ERR_TIMEOUT, L4_IPC_PHASE_SEND));
}

static void receive_times_out(void) {
    L4_ThreadId_t id = worker_start(wait_for_parent, TEST_PRIORITY);
    L4_Word64_t start = now();
    EQUAL(error_of(L4_Receive_Timeout(id, L4_TimePeriod(30000))),
          L4_IPC_ERROR(L4_IPC_ERR_TIMEOUT, L4_IPC_PHASE_RECEIVE));
    CHECK(now() - start + TICK >= 30000);
}

static void send_to_deaf(void) {
    L4_LoadMR(0, 0);
    L4_Word_t error = error_of(L4_Send_Timeout(deaf, L4_TimePeriod(20000)));
    (void)send_word(parent(), 0, error);
    (void)L4_Receive(parent());
}

/* A sender whose partner never receives from it: timeout in the send phase. */
static void send_times_out(void) {
    L4_Word_t error = 0;
    deaf = worker_start(wait_for_parent, TEST_PRIORITY);
    L4_ThreadId_t sender = worker_start(send_to_deaf, TEST_PRIORITY);
    EQUAL(receive_word(sender, &error), 0);
    EQUAL(error, L4_IPC_ERROR(L4_IPC_ERR_TIMEOUT, L4_IPC_PHASE_SEND));
}

/* A call's receive phase has its own timeout. */
static void call_times_out(void) {
    L4_ThreadId_t id = worker_start(wait_for_parent, TEST_PRIORITY + 1);
    L4_Set_MsgTag(L4_Niltag);
    EQUAL(error_of(L4_Call_Timeouts(id, PATIENCE, L4_TimePeriod(20000))),
          L4_IPC_ERROR(L4_IPC_ERR_TIMEOUT, L4_IPC_PHASE_RECEIVE));
    EQUAL(error_of(L4_Call_Timeouts(id, PATIENCE, L4_ZeroTime)),
          L4_IPC_ERROR(L4_IPC_ERR_TIMEOUT, L4_IPC_PHASE_RECEIVE));
}

/* Several sleepers wake in the order of their timeouts, not of their calls. */
static volatile L4_Word_t woken[3];
static volatile unsigned num_woken;

static void sleep_by_number(void) {
    L4_Word_t number = (L4_MyLocalId().raw - L4_ROOT_UTCB_AREA) / L4_UTCB_SIZE;
    L4_Sleep(L4_TimePeriod(20000 + (4 - number) * 60000));
    woken[num_woken++] = number;
    (void)L4_Receive(parent());
}

static void wake_order(void) {
    num_woken = 0;
    for (unsigned i = 0; i < 3; i++) {
        (void)worker_start(sleep_by_number, TEST_PRIORITY + 1);
    }
    L4_Sleep(L4_TimePeriod(300000));
    EQUAL(num_woken, 3);
    EQUAL(woken[0], 3);
    EQUAL(woken[1], 2);
    EQUAL(woken[2], 1);
}

const struct test timeout_tests[] = {
    {"timeout_clock", clock_runs},
    {"timeout_sleep", sleep_lasts},
    {"timeout_receive_zero", receive_zero},
    {"timeout_send_zero", send_zero},
    {"timeout_receive", receive_times_out},
    {"timeout_send", send_times_out},
    {"timeout_call", call_times_out},
    {"timeout_wake_order", wake_order},
    {NULL, NULL},
};
