/* SPDX-License-Identifier: Apache-2.0 */
/* ThreadControl that gives an existing thread another space. */
#include "test.h"

#define SAME  ((void *)~(uintptr_t)0)
#define SPARE 7u /* a UTCB of the child's area that no thread has */
#define PAGE  0x00040000u

static void *child_utcb(const struct task *child) {
    return (void *)(uintptr_t)(child->utcbs + SPARE * L4_UTCB_SIZE);
}

static bool move(L4_ThreadId_t id, L4_ThreadId_t space, void *utcb) {
    return L4_ThreadControl(id, space, L4_nilthread, L4_nilthread, utcb) != 0;
}

/* A page of the child with code in it, mapped before anybody runs there. */
static L4_Word32_t *code_page(struct task *child) {
    static const code_t code[] = CODE_MARK;
    L4_Word32_t *frame =
        (L4_Word32_t *)(void *)task_add_page(child, PAGE, NULL, L4_FullyAccessible);
    if (frame != NULL) {
        memcpy(frame, code, sizeof code);
    }
    return frame;
}

/* Answers page faults of `id` for the child's pages, until it makes none for a while. */
static bool serve(struct task *child, L4_ThreadId_t id) {
    for (;;) {
        L4_Word_t address;
        L4_MsgTag_t tag = L4_Receive_Timeout(id, L4_TimePeriod(30000));
        if (L4_IpcFailed(tag)) {
            return true;
        }
        L4_StoreMR(1, &address);
        TRY((L4_Label(tag) & (L4_LABEL(-1) | 8)) == L4_LABEL_PAGEFAULT);
        TRY(task_fault(child, tag, address));
        TRY(error_of(L4_Send_Timeout(id, PATIENCE)) == 0);
    }
}

/* One that waits for its start message starts in the other space. */
static void before_start(void) {
    NEEDS_PROTECTION;
    struct task *child = child_new();
    CHECK(child != NULL && code_page(child) != NULL);
    L4_ThreadId_t id = worker_create();
    CHECK(id.raw != 0);
    EQUAL(move(id, child->id, child_utcb(child)), 1);
    CHECK(task_add_page(child, PAGE + 0x1000, NULL, L4_FullyAccessible) != NULL);
    L4_LoadMR(0, L4_MakeMsgTag(0, L4_START_WORDS, 0).raw);
    L4_LoadMR(1, PAGE);
    L4_LoadMR(2, 0);
    EQUAL(error_of(L4_Send_Timeout(id, PATIENCE)), 0);
    L4_MsgTag_t tag = L4_Receive_Timeout(id, PATIENCE);
    EQUAL(L4_Label(tag), L4_LABEL_PAGEFAULT | L4_eXecutable);
    L4_Word_t words[2];
    L4_StoreMRs(1, 2, words);
    EQUAL(words[0], PAGE);
    EQUAL(words[1], PAGE);
    worker_delete(id);
    EQUAL(child_read(child, child_kip(child)), L4_KIP_MAGIC); /* the space lives on */
}

static volatile L4_Word_t counted, told;

static void count(void) {
    for (;;) {
        counted++;
    }
}

/* One that runs goes on at its instruction pointer, in the other space. */
static void while_running(void) {
    NEEDS_PROTECTION;
    struct task *child = child_new();
    CHECK(child != NULL);
    L4_Word32_t *frame = code_page(child);
    CHECK(frame != NULL);
    L4_ThreadId_t id = worker_start(count, TEST_PRIORITY - 1);
    L4_Sleep(L4_TimePeriod(15000));
    CHECK(counted != 0);
    L4_Set_UserDefinedHandleOf(id, 0x77);
    (void)L4_Stop(id);
    EQUAL(move(id, child->id, child_utcb(child)), 1);
    L4_Word_t seen = counted;
    /* Its pager is still the test, which may set its registers. */
    EQUAL(L4_UserDefinedHandleOf(id), 0x77);
    L4_Start_SpIp(id, 0, PAGE);
    CHECK(serve(child, id));
    L4_Sleep(L4_TimePeriod(15000));
    EQUAL(counted, seen);
    EQUAL(child_read(child, PAGE + 0x100), CODE_MARKER);
    worker_delete(id);
}

static void wait_and_tell(void) {
    told = error_of(L4_Receive(L4_Pager()));
    count();
}

/* An IPC that it waits in is aborted, and whoever has sent to it waits on. */
static void while_waiting(void) {
    NEEDS_PROTECTION;
    struct task *child = child_new();
    CHECK(child != NULL && code_page(child) != NULL);
    told = 0;
    L4_ThreadId_t id = worker_start(wait_and_tell, TEST_PRIORITY + 1);
    (void)L4_Stop(id);
    EQUAL(move(id, child->id, child_utcb(child)), 1);
    /* In the child: no IPC any more; and back again, where it finds its stack. */
    L4_Word_t time;
    EQUAL(L4_TimesliceWord(id, &time), L4_SCHEDULE_INACTIVE);
    void *utcb = (void *)((uintptr_t)L4_MyUtcb() + MAX_WORKERS * L4_UTCB_SIZE);
    EQUAL(move(id, L4_MyGlobalId(), utcb), 1);
    EQUAL(L4_LocalIdOf(id).raw, (uintptr_t)utcb);
    EQUAL(told, 0);
    CHECK(L4_Set_Priority(id, TEST_PRIORITY - 1) != L4_SCHEDULE_ERROR);
    (void)L4_ExregsControl(id, L4_EXREGS_WRITE_HALT, 0, 0);
    for (unsigned i = 0; told == 0 && i < 100; i++) {
        L4_Sleep(L4_TimePeriod(5000));
    }
    EQUAL(told, L4_IPC_ERROR(L4_IPC_ERR_ABORTED, L4_IPC_PHASE_RECEIVE));
    worker_delete(id);
}

/* The last thread of a space takes it along into oblivion; the pages come back to their owners. */
static void last_of_space(void) {
    L4_Word_t old;
    L4_ThreadId_t me = L4_MyGlobalId();
    L4_ThreadId_t id = new_thread_id();
    for (unsigned i = 0; i < 3; i++) {
        void *utcb = (void *)((uintptr_t)L4_MyUtcb() + MAX_WORKERS * L4_UTCB_SIZE);
        EQUAL(L4_ThreadControl(id, id, me, L4_nilthread, SAME), 1);
        EQUAL(L4_SpaceControl(id, 0, L4_FpageLog2(TASK_KIP, 12),
                              L4_FpageLog2(TASK_UTCBS, TASK_UTCBS_LOG2), L4_nilthread, &old),
              1);
        EQUAL(L4_ThreadControl(id, id, me, me, (void *)(uintptr_t)TASK_UTCBS), 1);
        EQUAL(move(id, me, utcb), 1);
        EQUAL(L4_LocalIdOf(id).raw, (uintptr_t)utcb);
        /* The space has gone with its last thread: its name is that of ours now. */
        EQUAL(L4_ThreadControl(id, L4_nilthread, L4_nilthread, L4_nilthread, SAME), 1);
    }
}

/* What must not be: a place that is taken or outside, a space that is nobody's, the last of ours.
 */
static void errors(void) {
    struct task *child = child_new();
    CHECK(child != NULL);
    L4_ThreadId_t id = worker_start(count, TEST_PRIORITY - 1);
    L4_ThreadId_t sigma0 = L4_Sigma0Id(L4_GetKernelInterface());
    EQUAL(move(id, child->id, SAME), 0);
    EQUAL(L4_ErrorCode(), L4_ErrUtcbArea);
    EQUAL(move(id, child->id, (void *)(uintptr_t)child->utcbs), 0); /* the child's own */
    EQUAL(L4_ErrorCode(), L4_ErrUtcbArea);
    EQUAL(move(id, child->id, (void *)(uintptr_t)(child->utcbs - 0x1000)), 0);
    EQUAL(L4_ErrorCode(), L4_ErrUtcbArea);
    EQUAL(move(id, child->id, (void *)(uintptr_t)(child->utcbs + 0x204)), 0);
    EQUAL(L4_ErrorCode(), L4_ErrUtcbArea);
    EQUAL(move(id, new_thread_id(), child_utcb(child)), 0);
    EQUAL(L4_ErrorCode(), L4_ErrInvalidSpace);
    EQUAL(move(sigma0, child->id, child_utcb(child)), 0);
    EQUAL(L4_ErrorCode(), L4_ErrInvalidThread);
    /* None of it has moved it. */
    L4_Word_t seen = counted;
    L4_Sleep(L4_TimePeriod(15000));
    CHECK(counted != seen);
}

const struct test migrate_tests[] = {
    {"migrate_before_start", before_start},
    {"migrate_while_running", while_running},
    {"migrate_while_waiting", while_waiting},
    {"migrate_last_of_space", last_of_space},
    {"migrate_errors", errors},
    {NULL, NULL},
};
