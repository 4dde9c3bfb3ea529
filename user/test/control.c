/* SPDX-License-Identifier: Apache-2.0 */
/* ThreadControl succeeds or fails as a whole; where a UTCB may be, and when that is asked; and the
 * threads that nobody deletes. */
#include "test.h"

#define SAME  ((void *)~(uintptr_t)0)
#define SPARE ((void *)(uintptr_t)(L4_ROOT_UTCB_AREA + (MAX_WORKERS + 2) * L4_UTCB_SIZE))
/* In sigma0's UTCB area (kernel/thread.c), after its own thread's. */
#define SIGMA0_SPARE ((void *)(uintptr_t)(L4_ROOT_UTCB_AREA - 0x100000u + L4_UTCB_SIZE))

static L4_Word_t control(L4_ThreadId_t id, L4_ThreadId_t space, L4_ThreadId_t pager, void *utcb) {
    return L4_ThreadControl(id, space, L4_nilthread, pager, utcb);
}

/* The first thread of a new space, which has no areas yet. */
static L4_ThreadId_t first_thread(void *utcb) {
    L4_ThreadId_t id = new_thread_id();
    return L4_ThreadControl(id, id, L4_MyGlobalId(), L4_nilthread, utcb) ? id : L4_nilthread;
}

static bool set_areas(L4_ThreadId_t id, L4_Word_t utcbs) {
    L4_Word_t old;
    return L4_SpaceControl(id, 0, L4_FpageLog2(TASK_KIP, 12), L4_FpageLog2(utcbs, TASK_UTCBS_LOG2),
                           L4_nilthread, &old) != 0;
}

static void delete(L4_ThreadId_t id) {
    (void)control(id, L4_nilthread, L4_nilthread, SAME);
}

/* The place is named when the space has no areas yet; activation finds it. */
static void place_before_areas(void) {
    void *place = (void *)(uintptr_t)(TASK_UTCBS + L4_UTCB_SIZE);
    L4_ThreadId_t me = L4_MyGlobalId();
    L4_ThreadId_t id = first_thread(place);
    CHECK(id.raw != 0);
    EQUAL(control(id, id, me, SAME), 0);
    EQUAL(L4_ErrorCode(), L4_ErrInvalidSpace); /* no areas */
    CHECK(set_areas(id, TASK_UTCBS));
    EQUAL(control(id, id, me, SAME), 1);
    EQUAL(L4_LocalIdOf(id).raw, (uintptr_t)place);
    EQUAL(control(id, id, me, (void *)(uintptr_t)TASK_UTCBS), 0); /* it is active now */
    EQUAL(L4_ErrorCode(), L4_ErrUtcbArea);
    EQUAL(control(id, id, me, place), 1);
    delete(id);
}

/* A place that turns out to be wrong is told at the activation, and can still be changed. */
static void place_outside(void) {
    L4_ThreadId_t me = L4_MyGlobalId();
    L4_ThreadId_t id = first_thread((void *)(uintptr_t)(TASK_UTCBS + TASK_UTCBS_SIZE));
    CHECK(id.raw != 0 && set_areas(id, TASK_UTCBS));
    EQUAL(control(id, id, me, SAME), 0);
    EQUAL(L4_ErrorCode(), L4_ErrUtcbArea);
    EQUAL(send_word(id, 0, 0), L4_IPC_ERROR(L4_IPC_ERR_NOPARTNER, L4_IPC_PHASE_SEND));
    EQUAL(control(id, id, L4_nilthread, (void *)(uintptr_t)TASK_UTCBS), 1);
    EQUAL(control(id, id, me, SAME), 1);
    EQUAL(L4_LocalIdOf(id).raw, TASK_UTCBS);
    delete(id);
}

/* Two that are not active may be meant for one place; one of them gets it. */
static void place_twice(void) {
    L4_ThreadId_t me = L4_MyGlobalId();
    L4_ThreadId_t one = new_thread_id(), two = new_thread_id();
    EQUAL(L4_ThreadControl(one, me, me, L4_nilthread, SPARE), 1);
    EQUAL(L4_ThreadControl(two, me, me, L4_nilthread, SPARE), 1);
    EQUAL(control(one, me, me, SAME), 1);
    EQUAL(control(two, me, me, SAME), 0);
    EQUAL(L4_ErrorCode(), L4_ErrUtcbArea);
    EQUAL(L4_LocalIdOf(one).raw, (uintptr_t)SPARE);
    delete(one);
    delete(two);
}

static volatile L4_Word_t counted;

static void count(void) {
    for (;;) {
        counted++;
    }
}

/* A UTCB area at 0: its first place is nobody's, for that local id is nilthread. A thread that
 * cannot go there stays where it is, under its old version, with its old scheduler. */
static void all_or_nothing(void) {
    L4_ThreadId_t me = L4_MyGlobalId();
    L4_ThreadId_t target = first_thread(SAME);
    CHECK(target.raw != 0 && set_areas(target, 0));
    L4_ThreadId_t id = worker_start(count, TEST_PRIORITY - 1);
    L4_ThreadId_t newer = L4_GlobalId(L4_ThreadNo(id), L4_Version(id) + 64);
    L4_Word_t utcb = L4_LocalIdOf(id).raw;
    EQUAL(L4_ThreadControl(newer, target, target, me, (void *)0), 0);
    EQUAL(L4_ErrorCode(), L4_ErrUtcbArea);
    EQUAL(L4_LocalIdOf(id).raw, utcb);
    EQUAL(L4_LocalIdOf(newer).raw, 0);
    L4_Word_t time;
    CHECK(L4_TimesliceWord(id, &time) != L4_SCHEDULE_ERROR); /* we still schedule it */
    L4_Word_t seen = counted;
    L4_Sleep(L4_TimePeriod(15000));
    CHECK(counted != seen);
    /* And for one that was never active. */
    EQUAL(control(target, target, me, (void *)0), 0);
    EQUAL(L4_ErrorCode(), L4_ErrUtcbArea);
    EQUAL(control(target, target, me, (void *)(uintptr_t)L4_UTCB_SIZE), 1);
    EQUAL(L4_LocalIdOf(target).raw, L4_UTCB_SIZE);
    delete(target);
}

void control_delete_two(void);

L4_Word_t control_delete_from_sigma0(L4_ThreadId_t first, L4_ThreadId_t second,
                                     L4_Word_t results[2]) {
    static L4_Word_t words[4]; /* for control_delete_two */
    L4_ThreadId_t me = L4_MyGlobalId();
    L4_ThreadId_t sigma0 = L4_Sigma0Id(L4_GetKernelInterface());
    L4_ThreadId_t id = new_thread_id();
    if (!L4_ThreadControl(id, sigma0, me, me, SIGMA0_SPARE)) {
        return L4_ErrorCode();
    }
    words[0] = first.raw;
    words[1] = second.raw;
    words[2] = L4_MakeMsgTag(0x77, 2, 0).raw;
    words[3] = me.raw;
    (void)L4_Set_Priority(id, TEST_PRIORITY);
    L4_LoadMR(0, L4_MakeMsgTag(0, L4_START_WORDS, 0).raw);
    L4_LoadMR(1, (L4_Word_t)(uintptr_t)control_delete_two);
    L4_LoadMR(2, (L4_Word_t)(uintptr_t)words);
    L4_Word_t error = error_of(L4_Send_Timeout(id, PATIENCE));
    if (error == 0) {
        error = error_of(L4_Receive_Timeout(id, PATIENCE));
        L4_StoreMRs(1, 2, results);
    }
    delete(id);
    return error;
}

/* The root space's last thread is safe from a privileged space as well. For that it has to be the
 * last: the test's watchdog goes, and comes again. Sigma0's other threads can go. */
static void last_of_root(void) {
    L4_Word_t results[2], again[2];
    L4_Word_t error = control_delete_from_sigma0(test_watchdog(), L4_MyGlobalId(), results);
    test_start_watchdog();
    EQUAL(error, 0);
    EQUAL(results[0], 1);
    EQUAL(results[1], 0);
    EQUAL(control_delete_from_sigma0(L4_nilthread, L4_nilthread, again), 0); /* the place is free */
}

const struct test control_tests[] = {
    {"control_place_before_areas", place_before_areas},
    {"control_place_outside", place_outside},
    {"control_place_twice", place_twice},
    {"control_all_or_nothing", all_or_nothing},
    {"control_last_of_root", last_of_root},
    {NULL, NULL},
};
