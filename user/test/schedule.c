/* SPDX-License-Identifier: Apache-2.0 */
/* Scheduling: priorities, round robin on the timer tick, yielding, Schedule's answers. */
#include "test.h"

#define COUNTERS 3
static volatile L4_Word_t counter[COUNTERS + 1];
static volatile L4_Word_t errors;

static L4_ThreadId_t parent(void) {
    return L4_Pager();
}

static L4_Word_t my_number(void) {
    return (L4_MyLocalId().raw - L4_ROOT_UTCB_AREA) / L4_UTCB_SIZE;
}

static void count(void) {
    volatile L4_Word_t *mine = &counter[my_number()];
    for (;;) {
        (*mine)++;
    }
}

static void count_once(void) {
    counter[my_number()]++;
    (void)L4_Receive(parent());
}

static void count_and_yield(void) {
    volatile L4_Word_t *mine = &counter[my_number()];
    for (;;) {
        (*mine)++;
        L4_Yield();
    }
}

static void receive_for_ever(void) {
    for (;;) {
        (void)L4_Receive(parent());
    }
}

/* Something that notices any register, flag or memory word lost in a preemption. */
static void compute(void) {
    L4_Word_t seed = my_number();
    L4_Word_t expected = 0;
    for (;;) {
        L4_Word_t a = seed, b = 1, c = 2, d = 3, e = 4, f = 5, g = 6, h = 7;
        for (L4_Word_t i = 0; i < 200; i++) {
            a = a * 1664525u + 1013904223u;
            b ^= a >> 3;
            c += b << 5 | b >> 27;
            d ^= c + h;
            e += d ^ a;
            f ^= e >> 7;
            g += f * 3;
            h ^= g << 1;
        }
        L4_Word_t sum = a ^ b ^ c ^ d ^ e ^ f ^ g ^ h;
        if (expected == 0) {
            expected = sum;
        } else if (sum != expected) {
            errors++;
        }
        counter[seed]++;
    }
}

static void reset(void) {
    for (unsigned i = 0; i <= COUNTERS; i++) {
        counter[i] = 0;
    }
    errors = 0;
}

/* A thread of higher priority runs the moment it is ready. */
static void higher_first(void) {
    reset();
    L4_ThreadId_t id = worker_start(count_once, TEST_PRIORITY + 10);
    CHECK(id.raw != 0);
    EQUAL(counter[1], 1);
}

/* One of lower priority runs only while we wait. */
static void lower_last(void) {
    reset();
    L4_ThreadId_t id = worker_start(count, TEST_PRIORITY - 10);
    CHECK(id.raw != 0);
    L4_Word64_t start = L4_SystemClock().raw;
    while (L4_SystemClock().raw - start < 50000) {
    }
    EQUAL(counter[1], 0);
    L4_Sleep(L4_TimePeriod(30000));
    CHECK(counter[1] != 0);
}

/* Equal priorities share the processor by the tick; nobody gives it up. */
static void round_robin(void) {
    reset();
    for (unsigned i = 0; i < COUNTERS; i++) {
        CHECK(worker_start(count, TEST_PRIORITY - 1).raw != 0);
    }
    L4_Sleep(L4_TimePeriod(130000));
    L4_Word_t least = counter[1], most = counter[1];
    for (unsigned i = 2; i <= COUNTERS; i++) {
        least = counter[i] < least ? counter[i] : least;
        most = counter[i] > most ? counter[i] : most;
    }
    CHECK(least != 0);
    FAIL_IF(most / least > 3, "equal shares", most, least);
}

/* The tick takes the processor from us too. */
static void tick(void) {
    reset();
    CHECK(worker_start(count, TEST_PRIORITY).raw != 0);
    L4_Word64_t start = L4_SystemClock().raw;
    while (counter[1] == 0 && L4_SystemClock().raw - start < 500000) {
    }
    CHECK(counter[1] != 0);
}

static void preserves_registers(void) {
    reset();
    for (unsigned i = 0; i < COUNTERS; i++) {
        CHECK(worker_start(compute, TEST_PRIORITY - 1).raw != 0);
    }
    L4_Sleep(L4_TimePeriod(130000));
    for (unsigned i = 1; i <= COUNTERS; i++) {
        CHECK(counter[i] > 1);
    }
    EQUAL(errors, 0);
}

static void yield_alternates(void) {
    reset();
    L4_ThreadId_t id = worker_start(count_and_yield, TEST_PRIORITY);
    CHECK(id.raw != 0);
    for (L4_Word_t i = 0; i < 20; i++) {
        L4_Yield();
    }
    CHECK(counter[1] >= 10 && counter[1] <= 30);
}

/* ThreadSwitch to a thread runs it, though its priority is lower. */
static void switch_to_lower(void) {
    reset();
    L4_ThreadId_t id = worker_start(count_once, TEST_PRIORITY - 10);
    CHECK(id.raw != 0);
    EQUAL(counter[1], 0);
    for (unsigned i = 0; i < 3 && counter[1] == 0; i++) {
        L4_ThreadSwitch(id); /* (a tick in between gives us the processor back) */
    }
    EQUAL(counter[1], 1);
}

static void states(void) {
    L4_Word_t time;
    L4_ThreadId_t id = worker_create();
    CHECK(id.raw != 0);
    EQUAL(L4_TimesliceWord(id, &time), L4_SCHEDULE_WAITING); /* for its start message */
    CHECK(worker_go(id, receive_for_ever));
    L4_Sleep(L4_TimePeriod(20000));
    EQUAL(L4_TimesliceWord(id, &time), L4_SCHEDULE_WAITING);
    (void)L4_Stop(id);
    (void)L4_ExregsControl(id, L4_EXREGS_RECV_CANCEL, 0, 0);
    EQUAL(L4_TimesliceWord(id, &time), L4_SCHEDULE_INACTIVE);
    L4_ThreadId_t runner = worker_start(count, TEST_PRIORITY - 1);
    EQUAL(L4_TimesliceWord(runner, &time), L4_SCHEDULE_RUNNING);
    worker_delete(runner);
    CHECK(L4_TimesliceWord(runner, &time) <= L4_SCHEDULE_DEAD);
}

/* A total quantum that is used up stops the thread and tells its scheduler; a new one starts it. */
static void total_quantum(void) {
    L4_Time_t slice, quantum;
    reset();
    L4_ThreadId_t id = worker_create();
    CHECK(id.raw != 0);
    CHECK(L4_Set_Priority(id, TEST_PRIORITY - 1) != L4_SCHEDULE_ERROR);
    CHECK(L4_Set_Timeslice(id, L4_TimePeriod(10000), L4_TimePeriod(50000)) != L4_SCHEDULE_ERROR);
    CHECK(worker_go(id, count));
    for (unsigned round = 0; round < 3; round++) {
        L4_Word_t words[2];
        L4_Word_t seen = counter[1];
        L4_Clock_t start = L4_SystemClock();
        L4_MsgTag_t tag = L4_Receive_Timeout(id, PATIENCE);
        EQUAL(error_of(tag), 0);
        EQUAL(tag.raw, L4_MakeMsgTag(L4_LABEL_PREEMPTION, 2, 0).raw);
        L4_StoreMRs(1, 2, words);
        L4_Clock_t at = {.X = {.low = (L4_Word32_t)words[0], .high = (L4_Word32_t)words[1]}};
        CHECK(at.raw - start.raw >= 29000 && at.raw - start.raw < 200000);
        CHECK(counter[1] != seen);
        seen = counter[1];
        L4_Sleep(L4_TimePeriod(50000));
        EQUAL(counter[1], seen);
        (void)L4_Timeslice(id, &slice, &quantum);
        EQUAL(quantum.raw, L4_ZeroTime.raw);
        CHECK(L4_Set_Timeslice(id, L4_TimePeriod(10000), L4_TimePeriod(40000)) !=
              L4_SCHEDULE_ERROR);
    }
}

/* While its scheduler does not listen the thread waits; a new quantum takes its message back. */
static void quantum_unheard(void) {
    reset();
    L4_ThreadId_t id = worker_start(count, TEST_PRIORITY - 1);
    CHECK(L4_Set_Timeslice(id, L4_TimePeriod(10000), L4_TimePeriod(20000)) != L4_SCHEDULE_ERROR);
    L4_Sleep(L4_TimePeriod(60000));
    L4_Word_t seen = counter[1];
    L4_Sleep(L4_TimePeriod(30000));
    EQUAL(counter[1], seen);
    CHECK(L4_Set_Timeslice(id, L4_TimePeriod(10000), L4_Never) != L4_SCHEDULE_ERROR);
    L4_Sleep(L4_TimePeriod(30000));
    CHECK(counter[1] != seen);
    EQUAL(error_of(L4_Receive_Timeout(id, L4_ZeroTime)),
          L4_IPC_ERROR(L4_IPC_ERR_TIMEOUT, L4_IPC_PHASE_RECEIVE));
}

/* Only threads of a thread's scheduler's space may schedule it: a child may not, itself neither. */
static void not_scheduler(void) {
    struct task *child = child_new();
    CHECK(child != NULL);
    const L4_ThreadId_t targets[2] = {L4_MyGlobalId(), child->id};
    for (unsigned i = 0; i < 2; i++) {
        struct outcome o = child_do(child, CHILD_CONTROL, CHILD_SCHEDULE, targets[i].raw, 0, 0);
        EQUAL(o.kind, OUTCOME_DONE);
        EQUAL(o.words[0], L4_SCHEDULE_ERROR);
        EQUAL(o.words[1], L4_ErrNoPrivilege);
    }
}

static void errors_of_schedule(void) {
    L4_Word_t time;
    EQUAL(L4_TimesliceWord(new_thread_id(), &time), L4_SCHEDULE_ERROR);
    EQUAL(L4_ErrorCode(), L4_ErrInvalidThread);
    L4_ThreadId_t id = worker_create();
    EQUAL(L4_Set_Priority(id, 256), L4_SCHEDULE_ERROR);
    EQUAL(L4_ErrorCode(), L4_ErrInvalidParam);
}

const struct test schedule_tests[] = {
    {"schedule_higher_first", higher_first},
    {"schedule_lower_last", lower_last},
    {"schedule_round_robin", round_robin},
    {"schedule_tick", tick},
    {"schedule_preserves_registers", preserves_registers},
    {"schedule_yield", yield_alternates},
    {"schedule_switch_to_lower", switch_to_lower},
    {"schedule_states", states},
    {"schedule_total_quantum", total_quantum},
    {"schedule_quantum_unheard", quantum_unheard},
    {"schedule_not_scheduler", not_scheduler},
    {"schedule_errors", errors_of_schedule},
    {NULL, NULL},
};
