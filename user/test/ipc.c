/* SPDX-License-Identifier: Apache-2.0 */
/* IPC within a space and between spaces: contents, order, forms, errors. */
#include "test.h"

static L4_ThreadId_t parent(void) {
    return L4_Pager();
}

/* ---- workers ---- */

/* Answers every message with the same words, for ever. */
static void echo(void) {
    L4_ThreadId_t from;
    L4_MsgTag_t tag = L4_Wait(&from);
    for (;;) {
        L4_LoadMR(0, L4_MakeMsgTag(L4_Label(tag) + 1, L4_UntypedWords(tag), 0).raw);
        tag = L4_ReplyWait(from, &from);
    }
}

/* Sends its own UTCB number to the parent; used several at once. */
static void send_number(void) {
    L4_Word_t number = (L4_MyLocalId().raw - L4_ROOT_UTCB_AREA) / L4_UTCB_SIZE;
    (void)send_word(parent(), 0x10, number);
    (void)L4_Receive(parent());
}

/* ---- tests ---- */

/* Every length: all registers arrive unchanged, and the receiver's others are left alone. */
static void all_lengths(void) {
    L4_ThreadId_t id = worker_start(echo, TEST_PRIORITY);
    for (L4_Word_t n = 0; n < L4_NUM_MRS; n++) {
        for (L4_Word_t i = 1; i < L4_NUM_MRS; i++) {
            L4_LoadMR(i, n << 16 | i << 8 | 0x77);
        }
        L4_Set_MsgTag(L4_MakeMsgTag(n, n, 0));
        L4_MsgTag_t tag = L4_Call_Timeouts(id, PATIENCE, PATIENCE);
        EQUAL(error_of(tag), 0);
        EQUAL(tag.raw, L4_MakeMsgTag(n + 1, n, 0).raw);
        for (L4_Word_t i = 1; i <= n; i++) {
            L4_Word_t word;
            L4_StoreMR(i, &word);
            EQUAL(word, n << 16 | i << 8 | 0x77);
        }
    }
}

static void all_lengths_between_spaces(void) {
    struct task *child = child_new();
    CHECK(child != NULL);
    for (L4_Word_t n = 1; n < L4_NUM_MRS; n++) {
        L4_LoadMR(0, L4_MakeMsgTag(CHILD_LABEL, n, 0).raw);
        L4_LoadMR(1, CHILD_ECHO);
        for (L4_Word_t i = 2; i <= n; i++) {
            L4_LoadMR(i, n * 0x01010101u ^ i << 4);
        }
        EQUAL(error_of(L4_Send_Timeout(child->id, PATIENCE)), 0);
        struct outcome o = child_wait(child);
        EQUAL(o.kind, OUTCOME_DONE);
        EQUAL(L4_UntypedWords(o.tag), n);
        for (L4_Word_t i = 2; i <= n; i++) {
            EQUAL(o.words[i - 1], n * 0x01010101u ^ i << 4);
        }
    }
}

/* Label and the received tag's flags. */
static void tag(void) {
    L4_ThreadId_t id = worker_start(echo, TEST_PRIORITY);
    L4_Set_MsgTag(L4_MakeMsgTag(0xfffe, 0, 0));
    L4_MsgTag_t got = L4_Call_Timeouts(id, PATIENCE, PATIENCE);
    EQUAL(got.raw, 0xffffu << 16);
    CHECK(!L4_IpcPropagated(got) && !L4_IpcRedirected(got) && !L4_IpcXcpu(got));
}

/* Senders that had to wait are served first come, first served. */
static void send_order(void) {
    L4_ThreadId_t ids[4];
    for (unsigned i = 0; i < 4; i++) {
        ids[i] = worker_start(send_number, TEST_PRIORITY + 1);
    }
    for (unsigned i = 0; i < 4; i++) {
        L4_ThreadId_t from;
        EQUAL(error_of(L4_Wait_Timeout(PATIENCE, &from)), 0);
        EQUAL(from.raw, ids[i].raw);
    }
}

/* A closed receive takes its partner's message only, and leaves the others queued. */
static void closed_receive(void) {
    L4_ThreadId_t ids[3];
    L4_Word_t word;
    for (unsigned i = 0; i < 3; i++) {
        ids[i] = worker_start(send_number, TEST_PRIORITY + 1);
    }
    for (unsigned i = 3; i > 0; i--) {
        EQUAL(receive_word(ids[i - 1], &word), 0);
        EQUAL(word, (L4_LocalIdOf(ids[i - 1]).raw - L4_ROOT_UTCB_AREA) / L4_UTCB_SIZE);
    }
}

/* ReplyWait's reply never waits: its send timeout is zero. */
static void reply_wait_not_ready(void) {
    L4_ThreadId_t id = worker_start(send_number, TEST_PRIORITY - 1);
    L4_ThreadId_t from;
    L4_Set_MsgTag(L4_Niltag);
    L4_MsgTag_t got = L4_ReplyWait_Timeout(id, PATIENCE, &from);
    CHECK(L4_IpcFailed(got));
    EQUAL(L4_ErrorCode(), L4_IPC_ERROR(L4_IPC_ERR_TIMEOUT, L4_IPC_PHASE_SEND));
}

static void no_partner(void) {
    L4_ThreadId_t nobody = new_thread_id();
    L4_Set_MsgTag(L4_Niltag);
    EQUAL(error_of(L4_Send(nobody)), L4_IPC_ERROR(L4_IPC_ERR_NOPARTNER, L4_IPC_PHASE_SEND));
    EQUAL(error_of(L4_Receive(nobody)), L4_IPC_ERROR(L4_IPC_ERR_NOPARTNER, L4_IPC_PHASE_RECEIVE));
    EQUAL(error_of(L4_Call(nobody)), L4_IPC_ERROR(L4_IPC_ERR_NOPARTNER, L4_IPC_PHASE_SEND));
    EQUAL(error_of(L4_Send(L4_GlobalId(0x3ffff, 1))),
          L4_IPC_ERROR(L4_IPC_ERR_NOPARTNER, L4_IPC_PHASE_SEND));
}

/* Both ids nil: nothing to do, and done at once. */
static void nothing(void) {
    L4_ThreadId_t from;
    L4_MsgTag_t got = L4_Ipc(L4_nilthread, L4_nilthread, L4_TIMEOUTS_NEVER, &from);
    EQUAL(error_of(got), 0);
}

/* A local id serves as well as a global one. */
static void local_ids(void) {
    L4_ThreadId_t id = worker_start(echo, TEST_PRIORITY);
    L4_ThreadId_t local = L4_LocalIdOf(id);
    CHECK(L4_IsLocalId(local));
    L4_Set_MsgTag(L4_MakeMsgTag(7, 1, 0));
    L4_LoadMR(1, 99);
    L4_MsgTag_t got = L4_Call_Timeouts(local, PATIENCE, PATIENCE);
    EQUAL(error_of(got), 0);
    EQUAL(L4_Label(got), 8);
}

/* Children talk to each other, not only to us: A calls B, whose answer comes from C's word. */
static void between_children(void) {
    struct task *a = child_new();
    struct task *b = child_new();
    CHECK(a != NULL && b != NULL);
    const L4_Word_t receive[2] = {a->id.raw, L4_Timeouts(L4_Never, PATIENCE)};
    CHECK(child_send(b, CHILD_RECEIVE, 2, receive));
    struct outcome sent =
        child_do(a, CHILD_SEND, b->id.raw, 0xcafe, L4_Timeouts(PATIENCE, L4_Never), 0);
    EQUAL(sent.kind, OUTCOME_DONE);
    EQUAL(sent.words[0], 0);
    struct outcome got = child_wait(b);
    EQUAL(got.kind, OUTCOME_DONE);
    EQUAL(got.words[0], 0);
    EQUAL(L4_Label((L4_MsgTag_t){.raw = got.words[1]}), CHILD_LABEL);
    EQUAL(got.words[2], 0xcafe);
    EQUAL(got.words[3], a->id.raw);
}

/* Many children, called in a random order, each with its own answer. */
static void many_calls(void) {
    struct task *child[5];
    L4_Word_t random = 12345;
    for (unsigned i = 0; i < 5; i++) {
        child[i] = child_new();
        CHECK(child[i] != NULL);
    }
    for (unsigned i = 0; i < 300; i++) {
        random ^= random << 13;
        random ^= random >> 17;
        random ^= random << 5;
        struct task *c = child[random % 5];
        const L4_Word_t words[3] = {random, i, ~random};
        CHECK(child_send(c, CHILD_ECHO, 3, words));
        struct outcome o = child_wait(c);
        EQUAL(o.kind, OUTCOME_DONE);
        EQUAL(o.words[1], random);
        EQUAL(o.words[2], i);
        EQUAL(o.words[3], ~random);
    }
}

/* A typed count that leaves the registers, or an item of an odd size, is refused or cut: no crash.
 */
static void malformed(void) {
    L4_ThreadId_t id = worker_start(echo, TEST_PRIORITY);
    for (L4_Word_t t = 1; t < 64; t += 7) {
        L4_LoadMR(0, L4_MakeMsgTag(1, 63, t).raw);
        (void)L4_Send_Timeout(id, L4_TimePeriod(20000));
        (void)L4_Receive_Timeout(id, L4_TimePeriod(20000));
    }
    worker_delete(id);
    id = worker_start(echo, TEST_PRIORITY);
    L4_Set_MsgTag(L4_MakeMsgTag(7, 0, 0));
    EQUAL(error_of(L4_Call_Timeouts(id, PATIENCE, PATIENCE)), 0);
}

const struct test ipc_tests[] = {
    {"ipc_all_lengths", all_lengths},
    {"ipc_all_lengths_between_spaces", all_lengths_between_spaces},
    {"ipc_tag", tag},
    {"ipc_send_order", send_order},
    {"ipc_closed_receive", closed_receive},
    {"ipc_reply_wait_not_ready", reply_wait_not_ready},
    {"ipc_no_partner", no_partner},
    {"ipc_nothing", nothing},
    {"ipc_local_ids", local_ids},
    {"ipc_between_children", between_children},
    {"ipc_many_calls", many_calls},
    {"ipc_malformed", malformed},
    {NULL, NULL},
};
