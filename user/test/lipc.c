/* SPDX-License-Identifier: Apache-2.0 */
/* Lipc: IPC inside a space, by local ids. */
#include "test.h"

/* Answers with the same words, and the sender's id as the last one. */
static void serve(void) {
    L4_ThreadId_t from;
    L4_MsgTag_t tag = L4_Ipc(L4_nilthread, L4_anylocalthread, L4_TIMEOUTS_NEVER, &from);
    for (;;) {
        L4_Word_t n = L4_UntypedWords(tag);
        L4_LoadMR(n + 1, from.raw);
        L4_Set_MsgTag(L4_MakeMsgTag(L4_Label(tag) + 1, n + 1, 0));
        tag = L4_LreplyWait(from, &from);
    }
}

static void serve_any(void) {
    L4_ThreadId_t from;
    (void)L4_Wait(&from);
    for (;;) {
        (void)L4_ReplyWait(from, &from);
    }
}

static void serve_local(void) {
    L4_ThreadId_t from;
    (void)L4_Ipc(L4_nilthread, L4_anylocalthread, L4_TIMEOUTS_NEVER, &from);
    for (;;) {
        (void)L4_LreplyWait(from, &from);
    }
}

/* Whatever the length and however the partner is named: the words come, and the caller's local id.
 */
static void words(void) {
    L4_ThreadId_t id = worker_start(serve, TEST_PRIORITY + 1);
    L4_ThreadId_t local = L4_LocalIdOf(id);
    CHECK(L4_IsLocalId(local));
    for (L4_Word_t n = 0; n < 12; n++) {
        L4_ThreadId_t to = (n & 1) != 0 ? local : id;
        for (L4_Word_t i = 1; i <= n; i++) {
            L4_LoadMR(i, n * 0x1111u + i);
        }
        L4_Set_MsgTag(L4_MakeMsgTag(0x70, n, 0));
        L4_MsgTag_t tag = L4_Lcall(to);
        EQUAL(tag.raw, L4_MakeMsgTag(0x71, n + 1, 0).raw);
        for (L4_Word_t i = 1; i <= n; i++) {
            L4_Word_t word;
            L4_StoreMR(i, &word);
            EQUAL(word, n * 0x1111u + i);
        }
        L4_Word_t from;
        L4_StoreMR(n + 1, &from);
        EQUAL(from, L4_MyLocalId().raw);
    }
}

/* Nobody: nil, a thread that has gone, oneself, "any" as a destination. */
static void nobody(void) {
    L4_ThreadId_t from;
    L4_ThreadId_t id = worker_start(serve, TEST_PRIORITY + 1);
    L4_ThreadId_t local = L4_LocalIdOf(id);
    worker_delete(id);
    const L4_ThreadId_t ids[] = {local, id, L4_MyLocalId(), L4_anythread, L4_anylocalthread};
    for (unsigned i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        L4_Set_MsgTag(L4_Niltag);
        EQUAL(error_of(L4_Lipc(ids[i], ids[i], L4_TIMEOUTS_NEVER, &from)),
              L4_IPC_ERROR(L4_IPC_ERR_NOPARTNER, L4_IPC_PHASE_SEND));
    }
    EQUAL(error_of(L4_Lipc(L4_nilthread, L4_nilthread, 0, &from)), 0);
    EQUAL(error_of(L4_Lipc(L4_nilthread, L4_anylocalthread, L4_TIMEOUTS_0, &from)),
          L4_IPC_ERROR(L4_IPC_ERR_TIMEOUT, L4_IPC_PHASE_RECEIVE));
}

/* Addresses that are no UTCB's of this space: not mapped, the kernel's, and memory that looks like
 * a thread's, also one's of another space. */
static void no_local_ids(void) {
    static L4_Word_t forged[3][16] __attribute__((aligned(64)));
    struct task *child = child_new();
    CHECK(child != NULL);
    L4_ThreadId_t id = worker_start(serve, TEST_PRIORITY + 1);
    forged[0][0] = id.raw;
    forged[1][0] = child->id.raw;
    forged[2][0] = 0xffffffff;
    const L4_Word_t addresses[] = {
        (L4_Word_t)(uintptr_t)forged[0],
        (L4_Word_t)(uintptr_t)forged[1],
        (L4_Word_t)(uintptr_t)forged[2],
        child->utcbs,
        0x38000040,
        UTCB_WORD,
        KERNEL_AREA,
        KERNEL_PLACES,
        (L4_Word_t)(uintptr_t)L4_MyUtcb() + 40 * L4_UTCB_SIZE,
    };
    L4_ThreadId_t from;
    for (unsigned i = 0; i < sizeof addresses / sizeof addresses[0]; i++) {
        L4_ThreadId_t to = {.raw = addresses[i]};
        L4_Set_MsgTag(L4_Niltag);
        EQUAL(error_of(L4_Lipc(to, to, L4_TIMEOUTS_NEVER, &from)),
              L4_IPC_ERROR(L4_IPC_ERR_NOPARTNER, L4_IPC_PHASE_SEND));
    }
    L4_Set_MsgTag(L4_MakeMsgTag(0x70, 0, 0));
    EQUAL(L4_Label(L4_Lcall(L4_LocalIdOf(id))), 0x71);
}

/* Our own memory at an address that is a UTCB's in another space, with that thread's id in it. */
static void others_utcb(void) {
    static L4_Word_t twin[2][FRAME_SIZE / 4] __attribute__((aligned(FRAME_SIZE)));
    struct task *child = child_new_at((L4_Word_t)(uintptr_t)twin);
    L4_ThreadId_t from, to = {.raw = (L4_Word_t)(uintptr_t)twin[1]};
    CHECK(child != NULL);
    twin[1][0] = child->id.raw;
    L4_Set_MsgTag(L4_Niltag);
    EQUAL(error_of(L4_Lipc(to, to, L4_TIMEOUTS_NEVER, &from)),
          L4_IPC_ERROR(L4_IPC_ERR_NOPARTNER, L4_IPC_PHASE_SEND));
}

/* From a thread of another space nothing comes to one that waits for any local thread. */
static void others(void) {
    struct task *child = child_new();
    CHECK(child != NULL);
    L4_ThreadId_t id = worker_start(serve, TEST_PRIORITY + 1);
    struct outcome o = child_do(child, CHILD_SEND, id.raw, 1, L4_TIMEOUTS_0, 0);
    EQUAL(o.kind, OUTCOME_DONE);
    EQUAL(o.words[0], L4_IPC_ERROR(L4_IPC_ERR_TIMEOUT, L4_IPC_PHASE_SEND));
    L4_Set_MsgTag(L4_MakeMsgTag(0x70, 0, 0));
    EQUAL(L4_Label(L4_Lcall(id)), 0x71);
    /* To one of another space it is Ipc. */
    for (L4_Word_t i = 0; i < 3; i++) {
        L4_LoadMR(0, L4_MakeMsgTag(CHILD_LABEL, 2, 0).raw);
        L4_LoadMR(1, CHILD_ECHO);
        L4_LoadMR(2, 0x1234 + i);
        EQUAL(L4_Lcall(child->id).raw, L4_MakeMsgTag(CHILD_LABEL, 2, 0).raw);
        L4_Word_t word;
        L4_StoreMR(2, &word);
        EQUAL(word, 0x1234 + i);
    }
}

#define ROUNDS 200

static L4_Word_t time_of(L4_ThreadId_t to, bool local) {
    L4_Word64_t start = 0;
    for (unsigned i = 0; i < ROUNDS + 10; i++) {
        if (i == 10) {
            start = L4_SystemClock().raw;
        }
        L4_Set_MsgTag(L4_Niltag);
        (void)(local ? L4_Lcall(to) : L4_Call(to));
    }
    return (L4_Word_t)(L4_SystemClock().raw - start);
}

/* By local ids it costs what Ipc by global ones does. (On the ARM926 either may take a fifth more
 * than the other, by which pages its two-way TLB has no room for.) The slow path would take six
 * times as long. */
static void as_fast(void) {
    if (!probe_present()) {
        test_skip("the time is the host's");
        return;
    }
    test_quiet(100000);
    L4_ThreadId_t any = worker_start(serve_any, TEST_PRIORITY);
    L4_ThreadId_t local = worker_start(serve_local, TEST_PRIORITY);
    L4_ThreadId_t mixed = worker_start(serve_any, TEST_PRIORITY);
    L4_Yield();
    L4_Word_t ipc = time_of(any, false);
    L4_Word_t lipc = time_of(L4_LocalIdOf(local), true);
    L4_Word_t most = ipc + ipc / 3;
    print("# %u round trips inside a space: Ipc %u us, Lipc %u us\n", ROUNDS, ipc, lipc);
    FAIL_IF(lipc > most, "Lipc is as fast", lipc, ipc);
    lipc = time_of(L4_LocalIdOf(mixed), true);
    FAIL_IF(lipc > most, "... to one that waits for any thread", lipc, ipc);
}

const struct test lipc_tests[] = {
    {"lipc_words", words},
    {"lipc_nobody", nobody},
    {"lipc_no_local_ids", no_local_ids},
    {"lipc_others", others},
    {"lipc_as_fast", as_fast},
    {"lipc_others_utcb", others_utcb},
    {NULL, NULL},
};
