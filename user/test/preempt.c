/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Preemption control: the flags in the UTCB, the sensitive priority and the maximum delay.
 *
 * A worker of low priority runs while the test sleeps; the end of the sleep preempts it.
 */
#include "test.h"

#define LOW       (TEST_PRIORITY - 1)
#define PERIOD    3000u /* microseconds that the test sleeps */
#define MAX_DELAY 9000u

static volatile L4_Word64_t last_ran; /* when the worker was last seen to run */
static volatile bool yield_when_pending;
static volatile L4_Word_t pending_seen, resumed, delaying;
static volatile L4_ThreadId_t handler;

/* What may come on top, in microseconds: on the simulator interrupts and switches, which take 34 at
 * most (sa1110 and versatilepb, all schemes); where the time is the host's, its other work. */
static L4_Word_t slack(void) {
    return probe_present() ? 100u : 150000u;
}

static void reset(void) {
    test_quiet(400000);
    last_ran = 0;
    yield_when_pending = false;
    pending_seen = resumed = delaying = 0;
    handler = L4_nilthread;
}

static void run_for_ever(void) {
    L4_Set_ExceptionHandler(handler);
    if (delaying != 0) {
        (void)L4_DisablePreemption();
    }
    if (handler.raw != 0) {
        (void)L4_EnablePreemptionFaultException();
    }
    for (;;) {
        last_ran = L4_SystemClock().raw;
        if (yield_when_pending && (L4_MyUtcb()->preempt_flags & L4_PREEMPT_PENDING) != 0) {
            pending_seen++;
            (void)L4_PreemptionPending(); /* takes the flag away, too */
            L4_Yield();
            resumed++;
        }
    }
}

/* A running worker, whose preemption by `sensitive` and below is controlled. */
static L4_ThreadId_t runner(L4_Word_t sensitive, L4_Word_t max_delay) {
    L4_ThreadId_t id = worker_create();
    if (id.raw == 0 || L4_Set_Priority(id, LOW) == L4_SCHEDULE_ERROR ||
        L4_Set_PreemptionDelay(id, sensitive, max_delay) == L4_SCHEDULE_ERROR ||
        !worker_go(id, run_for_ever)) {
        test_fail(__FILE_NAME__, __LINE__, "a runner could be made", L4_ErrorCode(), 0);
    }
    return id;
}

/* Sleeps until the runner is preempted; how much later than asked for that was. */
static L4_Word_t sleep_over(void) {
    L4_Word64_t start = L4_SystemClock().raw;
    L4_Sleep(L4_TimePeriod(PERIOD));
    L4_Word64_t passed = L4_SystemClock().raw - start;
    return (L4_Word_t)(passed > PERIOD ? passed - PERIOD : 0);
}

/* Without its flag nothing is delayed, whatever Schedule allows. */
static void not_asked_for(void) {
    reset();
    (void)runner(TEST_PRIORITY, MAX_DELAY);
    L4_Word_t late = sleep_over();
    FAIL_IF(late > slack(), "preempted at once", late, 0);
}

/* With the flag: for as long as Schedule allows, no longer, and each time anew. */
static void delayed(void) {
    reset();
    delaying = 1;
    L4_ThreadId_t id = runner(TEST_PRIORITY, MAX_DELAY);
    for (unsigned i = 0; i < 3; i++) {
        L4_Word_t late = sleep_over();
        FAIL_IF(late < MAX_DELAY || late > MAX_DELAY + slack(), "delayed", late, MAX_DELAY);
        CHECK(last_ran != 0);
    }
    worker_delete(id);
}

/* Above the sensitive priority there is no delay. */
static void insensitive(void) {
    reset();
    delaying = 1;
    (void)runner(TEST_PRIORITY - 1, MAX_DELAY);
    L4_Word_t late = sleep_over();
    FAIL_IF(late > slack(), "preempted at once", late, 0);
}

/* No maximum, no delay. */
static void no_maximum(void) {
    reset();
    delaying = 1;
    (void)runner(TEST_PRIORITY, 0);
    L4_Word_t late = sleep_over();
    FAIL_IF(late > slack(), "preempted at once", late, 0);
}

/* The thread sees that it is waited for, and gives way before the maximum is over. */
static void pending(void) {
    reset();
    delaying = 1;
    yield_when_pending = true;
    (void)runner(TEST_PRIORITY, 60000);
    for (L4_Word_t i = 1; i <= 3; i++) {
        L4_Word_t late = sleep_over();
        FAIL_IF(late > slack(), "gives way", late, 0);
        EQUAL(pending_seen, i);
        EQUAL(resumed, i - 1);
    }
}

#define SLICE       10000u
#define SLICE_DELAY 30000u

static volatile L4_Word64_t slice_start[2], slice_longest[2];

/* Notes the longest time that a runner had the processor for itself. */
static void note_slices(unsigned mine) {
    volatile L4_Word64_t *last = &slice_start[mine];
    L4_Word64_t begun = L4_SystemClock().raw;
    for (;;) {
        L4_Word64_t now = L4_SystemClock().raw;
        if (slice_start[1 - mine] > *last) { /* the other has run since */
            begun = now;
        }
        *last = now;
        if (now - begun > slice_longest[mine]) {
            slice_longest[mine] = now - begun;
        }
    }
}

static void note_first(void) {
    note_slices(0);
}

static void delay_slices(void) {
    (void)L4_DisablePreemption();
    note_slices(0);
}

static void keep_slices(void) {
    note_slices(1);
}

/* The end of a timeslice is delayed like any preemption: by the first of two equals only. */
static void slice_delayed(void) {
    test_quiet(400000);
    slice_longest[0] = slice_longest[1] = 0;
    slice_start[0] = slice_start[1] = 0;
    L4_ThreadId_t first = worker_create();
    CHECK(L4_Set_Priority(first, LOW) != L4_SCHEDULE_ERROR);
    CHECK(L4_Set_PreemptionDelay(first, LOW, SLICE_DELAY) != L4_SCHEDULE_ERROR);
    CHECK(worker_go(first, delay_slices));
    L4_ThreadId_t second = worker_start(keep_slices, LOW);
    L4_Sleep(L4_TimePeriod(130000));
    worker_delete(first);
    worker_delete(second);
    L4_Word_t longer = (L4_Word_t)slice_longest[0], usual = (L4_Word_t)slice_longest[1];
    /* The next begins when the other's switch is done. */
    L4_Word_t less = probe_present() ? 100 : 5000;
    FAIL_IF(usual + less < SLICE || usual > SLICE + slack(), "a slice", usual, SLICE);
    FAIL_IF(longer + less < SLICE + SLICE_DELAY || longer > SLICE + SLICE_DELAY + slack(),
            "a longer slice", longer, SLICE + SLICE_DELAY);
}

/* A timeslice ends when it ends, whatever its length. */
static void slice_exact(void) {
    static const L4_Word_t lengths[] = {1000, 3000, 12000};
    for (unsigned i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        L4_Word_t length = lengths[i];
        test_quiet(200000);
        slice_longest[0] = slice_longest[1] = 0;
        slice_start[0] = slice_start[1] = 0;
        L4_ThreadId_t runners[2];
        for (unsigned n = 0; n < 2; n++) {
            runners[n] = worker_create();
            CHECK(L4_Set_Priority(runners[n], LOW) != L4_SCHEDULE_ERROR);
            CHECK(L4_Set_Timeslice(runners[n], L4_TimePeriod(length), L4_Never) !=
                  L4_SCHEDULE_ERROR);
            CHECK(worker_go(runners[n], n == 0 ? note_first : keep_slices));
        }
        L4_Sleep(L4_TimePeriod(100000));
        worker_delete(runners[0]);
        worker_delete(runners[1]);
        for (unsigned n = 0; n < 2; n++) {
            L4_Word_t longest = (L4_Word_t)slice_longest[n];
            FAIL_IF(longest + 100 < length || longest > length + slack(), "a slice", longest,
                    length);
        }
    }
}

/* ---- signals ---- */

static L4_Word_t clock_of_message(void) {
    L4_Word_t low;
    L4_StoreMR(1, &low);
    return low;
}

/* s: the exception handler gets a message, and the thread waits for the answer. */
static void signalled(void) {
    reset();
    handler = L4_MyGlobalId();
    L4_ThreadId_t id = runner(TEST_PRIORITY, 0);
    for (unsigned i = 0; i < 3; i++) {
        L4_Word_t late = sleep_over();
        FAIL_IF(late > slack(), "preempted at once", late, 0);
        L4_Word_t now = (L4_Word_t)L4_SystemClock().raw;
        L4_MsgTag_t tag = L4_Receive_Timeout(id, PATIENCE);
        EQUAL(error_of(tag), 0);
        EQUAL(tag.raw, L4_MakeMsgTag(L4_LABEL_PREEMPTION, 2, 0).raw);
        FAIL_IF(now - clock_of_message() > slack(), "told when it was", now - clock_of_message(),
                0);
        L4_Word64_t seen = last_ran;
        L4_Sleep(L4_TimePeriod(PERIOD)); /* it waits for us */
        EQUAL((L4_Word_t)last_ran, (L4_Word_t)seen);
        L4_Set_MsgTag(L4_Niltag);
        EQUAL(error_of(L4_Send_Timeout(id, PATIENCE)), 0);
    }
    L4_Sleep(L4_TimePeriod(PERIOD));
    worker_delete(id);
}

/* Above the sensitive priority there is no signal. */
static void signal_insensitive(void) {
    reset();
    handler = L4_MyGlobalId();
    L4_ThreadId_t id = runner(TEST_PRIORITY - 1, 0);
    (void)sleep_over();
    EQUAL(error_of(L4_Receive_Timeout(id, L4_ZeroTime)),
          L4_IPC_ERROR(L4_IPC_ERR_TIMEOUT, L4_IPC_PHASE_RECEIVE));
    L4_Word64_t seen = last_ran;
    (void)sleep_over();
    CHECK(last_ran != seen);
}

/* d and s: the message comes when the maximum delay is over. */
static void signal_after_delay(void) {
    reset();
    delaying = 1;
    handler = L4_MyGlobalId();
    L4_ThreadId_t id = runner(TEST_PRIORITY, MAX_DELAY);
    L4_Word_t late = sleep_over();
    FAIL_IF(late < MAX_DELAY || late > MAX_DELAY + slack(), "delayed", late, MAX_DELAY);
    EQUAL(L4_Receive_Timeout(id, PATIENCE).raw, L4_MakeMsgTag(L4_LABEL_PREEMPTION, 2, 0).raw);
}

/* A handler that has gone is none: the thread goes on as if it did not ask. */
static void signal_to_nobody(void) {
    reset();
    L4_ThreadId_t gone = worker_create();
    worker_delete(gone);
    handler = gone;
    (void)runner(TEST_PRIORITY, 0);
    L4_Sleep(L4_TimePeriod(PERIOD));
    L4_Word64_t seen = last_ran;
    L4_Sleep(L4_TimePeriod(PERIOD));
    CHECK(last_ran != seen);
}

static volatile L4_Word_t woken;
static volatile L4_ThreadId_t sleeper;

static void wake_by_ipc(void) {
    L4_Set_ExceptionHandler(L4_Pager());
    (void)L4_EnablePreemptionFaultException();
    (void)L4_DisablePreemption();
    for (L4_Word_t i = 0; i < 5; i++) {
        L4_Set_MsgTag(L4_Niltag);
        (void)L4_Send(sleeper);
    }
    (void)send_word(L4_Pager(), 0x33, L4_MyUtcb()->preempt_flags);
    (void)L4_Receive(L4_Pager());
}

static void receive_any(void) {
    L4_ThreadId_t from;
    for (;;) {
        (void)L4_Wait(&from);
        woken++;
    }
}

/* Who wakes a more important thread by IPC is not preempted but has switched: no delay, no signal.
 */
static void own_doing(void) {
    reset();
    woken = 0;
    sleeper = worker_start(receive_any, TEST_PRIORITY - 1);
    L4_ThreadId_t id = worker_create();
    CHECK(L4_Set_Priority(id, TEST_PRIORITY - 2) != L4_SCHEDULE_ERROR);
    CHECK(L4_Set_PreemptionDelay(id, TEST_PRIORITY, 60000) != L4_SCHEDULE_ERROR);
    CHECK(worker_go(id, wake_by_ipc));
    L4_MsgTag_t tag = L4_Receive_Timeout(id, PATIENCE);
    EQUAL(error_of(tag), 0);
    EQUAL(L4_Label(tag), 0x33);
    EQUAL(woken, 5);
    L4_Word_t flags;
    L4_StoreMR(1, &flags);
    EQUAL(flags, L4_PREEMPT_SIGNAL | L4_PREEMPT_DELAY);
}

/* A thread that is deleted while it delays leaves nothing behind for the next of its number. */
static void deleted_while_delaying(void) {
    for (unsigned i = 0; i < 4; i++) {
        reset();
        delaying = 1;
        yield_when_pending = false;
        L4_ThreadId_t id = runner(TEST_PRIORITY, 2000);
        L4_Sleep(L4_TimePeriod(3000));
        worker_delete(id);
        delaying = 0;
        id = runner(TEST_PRIORITY, MAX_DELAY);
        L4_Word_t late = sleep_over();
        FAIL_IF(late > slack(), "preempted at once", late, 0);
        worker_delete(id);
    }
}

const struct test preempt_tests[] = {
    {"preempt_not_asked_for", not_asked_for},
    {"preempt_delayed", delayed},
    {"preempt_insensitive", insensitive},
    {"preempt_no_maximum", no_maximum},
    {"preempt_pending", pending},
    {"preempt_slice_delayed", slice_delayed},
    {"preempt_slice_exact", slice_exact},
    {"preempt_signalled", signalled},
    {"preempt_signal_insensitive", signal_insensitive},
    {"preempt_signal_after_delay", signal_after_delay},
    {"preempt_signal_to_nobody", signal_to_nobody},
    {"preempt_own_doing", own_doing},
    {"preempt_deleted_while_delaying", deleted_while_delaying},
    {NULL, NULL},
};
