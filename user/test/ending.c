/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that end: what that costs however many others there are, and that whoever waits for them
 * is told, once, and nobody else is.
 */
#include "test.h"

/* What deleting a thread may cost, in the simulated processor's cycles, if its space goes on; and
 * with cold caches, or a tick in it, which looks at 100 threads and lets some of them go. */
#define MOST_CYCLES      3000u
#define MOST_COLD_CYCLES 40000u

/* So late may a thread learn that it waits in vain: the kernel looks at some threads a tick. */
#define SOON L4_TimePeriod(400000)

/* Numbers from ours that the other tests do not use, for threads that never begin. */
#define CROWD_FIRST 305u
#define CROWD       560u

#define WAITERS (MAX_WORKERS - 1)

static const L4_Word_t told = L4_IPC_ERROR(L4_IPC_ERR_NOPARTNER, L4_IPC_PHASE_RECEIVE);

static volatile L4_Word_t awaited; /* by the worker that begins next */

static void wait_for_it(void) {
    L4_ThreadId_t id = {.raw = awaited}, parent = L4_Pager();
    L4_Word_t error = error_of(L4_Receive(id));
    (void)send_word(parent, 0, error);
    (void)L4_Receive(parent);
}

/* A worker that waits for `id`, and does by the time that this returns. */
static L4_ThreadId_t waiter_for(L4_ThreadId_t id) {
    awaited = id.raw;
    L4_ThreadId_t waiter = worker_start(wait_for_it, TEST_PRIORITY + 1);
    (void)L4_Set_Priority(waiter,
                          TEST_PRIORITY - 1); /* what it does when it is told costs us nothing */
    return waiter;
}

static L4_ThreadId_t of_crowd(unsigned n, L4_Word_t version) {
    return L4_GlobalId(L4_ThreadNo(L4_MyGlobalId()) + CROWD_FIRST + n, version);
}

static bool make(L4_ThreadId_t id) {
    L4_ThreadId_t me = L4_MyGlobalId();
    return L4_ThreadControl(id, me, me, L4_nilthread, (void *)~(uintptr_t)0) == 1;
}

static bool end(L4_ThreadId_t id) {
    return L4_ThreadControl(id, L4_nilthread, L4_nilthread, L4_nilthread, (void *)~(uintptr_t)0) ==
           1;
}

static L4_Word_t slow, ended; /* that took more than MOST_CYCLES, and all */

/* Likewise; far too many cycles are a failure of the test. */
static bool end_in_time(L4_ThreadId_t id) {
    L4_Word_t begin = probe_present() ? probe_read(PROBE_CYCLES) : 0;
    TRY(end(id));
    L4_Word_t cycles = probe_present() ? probe_read(PROBE_CYCLES) - begin : 0;
    ended++;
    slow += cycles > MOST_CYCLES;
    if (cycles > MOST_COLD_CYCLES) {
        test_fail(__FILE_NAME__, __LINE__, "cycles of deleting a thread", cycles, MOST_COLD_CYCLES);
    }
    return cycles <= MOST_COLD_CYCLES;
}

/* Most of those that have ended since `slow` was 0 took no longer than they may. */
static bool most_in_time(void) {
    TRY(slow < ended / 4);
    return true;
}

static bool is_told(L4_ThreadId_t waiter) {
    L4_MsgTag_t tag = L4_Receive_Timeout(waiter, SOON);
    L4_Word_t word;
    L4_StoreMR(1, &word);
    TRY(L4_IpcSucceeded(tag));
    TRY(word == told);
    return true;
}

static bool make_crowd(void) {
    for (unsigned i = 0; i < CROWD; i++) {
        TRY(make(of_crowd(i, 1)));
    }
    return true;
}

/* (Also after a failed test: those that there are.) */
static void end_crowd(void) {
    for (unsigned i = 0; i < CROWD; i++) {
        (void)end(of_crowd(i, 1));
    }
}

/* ---- tests ---- */

static void few(void) {
    CHECK(make(of_crowd(0, 1)));
    L4_ThreadId_t first = waiter_for(of_crowd(0, 1)), second = waiter_for(of_crowd(0, 1));
    CHECK(end_in_time(of_crowd(0, 1)));
    CHECK(is_told(first) && is_told(second));
}

static bool among_many(void) {
    TRY(make_crowd());
    test_quiet(40000);
    slow = ended = 0;
    L4_ThreadId_t first = waiter_for(of_crowd(7, 1)), second = waiter_for(of_crowd(507, 1));
    for (unsigned i = 0; i < CROWD; i += 25) { /* nobody waits for these */
        TRY(end_in_time(of_crowd(i, 1)));
    }
    TRY(most_in_time());
    TRY(end_in_time(of_crowd(7, 1)));
    TRY(is_told(first));
    TRY(error_of(L4_Receive_Timeout(second, L4_TimePeriod(300000))) ==
        L4_IPC_ERROR(L4_IPC_ERR_TIMEOUT, L4_IPC_PHASE_RECEIVE));
    TRY(end_in_time(of_crowd(506, 1)));
    TRY(end_in_time(of_crowd(508, 1)));
    TRY(make(of_crowd(507, 65))); /* the same number: the first one ends */
    TRY(is_told(second));
    return end(of_crowd(507, 65));
}

static void many(void) {
    bool good = among_many();
    end_crowd();
    CHECK(good);
}

/* All end at once, so that more are looked for than the kernel looks at in one go. */
static bool all_at_once(void) {
    L4_ThreadId_t waiters[WAITERS];
    TRY(make_crowd());
    for (unsigned i = 0; i < WAITERS; i++) {
        waiters[i] = waiter_for(of_crowd(i * (CROWD / WAITERS), 1));
    }
    test_quiet(40000);
    slow = ended = 0;
    for (unsigned i = 0; i < CROWD; i++) {
        TRY(end_in_time(of_crowd(i, 1)));
    }
    TRY(most_in_time());
    for (unsigned i = 0; i < WAITERS; i++) {
        TRY(is_told(waiters[i]));
    }
    return true;
}

static void burst(void) {
    bool good = all_at_once();
    end_crowd();
    CHECK(good);
}

/* An id that is somebody's again at once: who waited for the first is told, and does not get the
 * second one's message. */
static bool all_again(void) {
    TRY(make_crowd());
    for (unsigned i = 0; i < 40; i++) {
        L4_ThreadId_t id = of_crowd(500 + i % 3, 1);
        L4_ThreadId_t waiter = waiter_for(id);
        TRY(end(id));
        TRY(make(id));
        L4_ThreadId_t next = waiter_for(id);
        TRY(is_told(waiter));
        TRY(error_of(L4_Receive_Timeout(next, L4_TimePeriod(1000))) ==
            L4_IPC_ERROR(L4_IPC_ERR_TIMEOUT, L4_IPC_PHASE_RECEIVE));
        worker_delete(waiter);
        worker_delete(next);
    }
    return true;
}

static void again(void) {
    bool good = all_again();
    end_crowd();
    CHECK(good);
}

const struct test ending_tests[] = {
    {"end_few", few}, {"end_many", many}, {"end_burst", burst}, {"end_again", again}, {NULL, NULL}};
