/* SPDX-License-Identifier: Apache-2.0 */
/* Messages in another's name (propagation), and spaces that talk through a redirector. */
#include "test.h"

static L4_ThreadId_t parent(void) {
    return L4_Pager();
}

/* What a worker does next, set before it starts. */
static volatile L4_ThreadId_t target, virtual_sender;
static volatile L4_Word_t heard[3];

/* Sends a word to `target` in the name of `virtual_sender`, tells the parent the error. */
static void send_propagated(void) {
    L4_MsgTag_t tag = L4_MakeMsgTag(0x20, 1, 0);
    L4_Set_Propagation(&tag);
    L4_Set_VirtualSender(virtual_sender);
    L4_Set_MsgTag(tag);
    L4_LoadMR(1, 0x99);
    L4_Word_t error = error_of(L4_Send_Timeout(target, PATIENCE));
    (void)send_word(parent(), 0x21, error);
    (void)L4_Receive(parent());
}

static void rest(void) {
    for (;;) {
        (void)L4_Receive(parent());
    }
}

/* Calls `target`, keeps what came back and from whom. */
static void call_target(void) {
    L4_ThreadId_t from;
    L4_LoadMR(0, L4_MakeMsgTag(0x30, 0, 0).raw);
    L4_MsgTag_t tag = L4_Ipc(target, target, L4_Timeouts(PATIENCE, PATIENCE), &from);
    heard[0] = error_of(tag);
    heard[1] = from.raw;
    L4_StoreMR(1, (L4_Word_t *)(uintptr_t)&heard[2]);
    rest();
}

/* To a receiver that waits already, and to one that comes later; the name is the virtual one's. */
static void in_anothers_name(void) {
    for (unsigned open = 0; open < 2; open++) {
        L4_ThreadId_t from;
        L4_ThreadId_t name = worker_start(rest, TEST_PRIORITY);
        target = L4_MyGlobalId();
        virtual_sender = name;
        L4_ThreadId_t sender =
            worker_start(send_propagated, open ? TEST_PRIORITY + 1 : TEST_PRIORITY - 1);
        L4_MsgTag_t tag = open ? L4_Wait_Timeout(PATIENCE, &from)
                               : L4_Ipc(L4_nilthread, name, L4_Timeouts(L4_Never, PATIENCE), &from);
        EQUAL(error_of(tag), 0);
        CHECK(L4_IpcPropagated(tag));
        EQUAL(from.raw, name.raw);
        EQUAL(L4_ActualSender().raw, sender.raw);
        L4_Word_t error = 1;
        EQUAL(receive_word(sender, &error), 0);
        EQUAL(error, 0);
        workers_delete_all();
    }
}

/* A receive from the actual sender does not take the message that it sends as another. */
static void closed_for_actual_sender(void) {
    L4_ThreadId_t name = worker_start(rest, TEST_PRIORITY);
    target = L4_MyGlobalId();
    virtual_sender = name;
    L4_ThreadId_t sender = worker_start(send_propagated, TEST_PRIORITY + 1);
    EQUAL(error_of(L4_Receive_Timeout(sender, L4_TimePeriod(20000))),
          L4_IPC_ERROR(L4_IPC_ERR_TIMEOUT, L4_IPC_PHASE_RECEIVE));
    EQUAL(error_of(L4_Receive_Timeout(name, PATIENCE)), 0);
}

/* In the name of a thread of another space, or of nobody: the message comes as from its sender. */
static void not_allowed(void) {
    struct task *child = child_new();
    CHECK(child != NULL);
    const L4_ThreadId_t names[3] = {child->id, new_thread_id(), L4_nilthread};
    for (unsigned i = 0; i < 3; i++) {
        L4_ThreadId_t from;
        target = L4_MyGlobalId();
        virtual_sender = names[i];
        L4_ThreadId_t sender = worker_start(send_propagated, TEST_PRIORITY);
        L4_MsgTag_t tag = L4_Wait_Timeout(PATIENCE, &from);
        EQUAL(error_of(tag), 0);
        CHECK(!L4_IpcPropagated(tag));
        EQUAL(from.raw, sender.raw);
        workers_delete_all();
    }
}

/*
 * The client calls us, we pass the call on to a server in the client's name: the server's answer
 * goes to the client, which takes it although it had called us.
 */
static void passed_on(void) {
    L4_ThreadId_t from;
    struct task *server = child_new();
    CHECK(server != NULL);
    heard[0] = heard[1] = heard[2] = 0xffff;
    target = L4_MyGlobalId();
    L4_ThreadId_t client = worker_start(call_target, TEST_PRIORITY);
    EQUAL(error_of(L4_Wait_Timeout(PATIENCE, &from)), 0);
    EQUAL(from.raw, client.raw);
    L4_MsgTag_t tag = L4_MakeMsgTag(CHILD_LABEL, 2, 0);
    L4_Set_Propagation(&tag);
    L4_Set_VirtualSender(client);
    L4_Set_MsgTag(tag);
    L4_LoadMR(1, CHILD_ECHO);
    L4_LoadMR(2, 0x4711);
    EQUAL(error_of(L4_Send_Timeout(server->id, PATIENCE)), 0);
    L4_Sleep(L4_TimePeriod(20000));
    EQUAL(heard[0], 0);
    EQUAL(heard[1], server->id.raw);
    EQUAL(heard[2], CHILD_ECHO);
}

/* ---- redirectors ---- */

static bool set_redirector(struct task *child, L4_ThreadId_t redirector) {
    L4_Word_t old;
    TRY(L4_SpaceControl(child->id, 0, L4_Nilpage, L4_Nilpage, redirector, &old) == 1);
    return true;
}

/* The child sends to `to`; returns its error. */
static bool start_send(struct task *child, L4_ThreadId_t to, L4_Word_t word) {
    const struct child_ipc c = {.to = to.raw,
                                .timeouts = L4_Timeouts(PATIENCE, L4_Never),
                                .num_buffers = 1,
                                .num_words = 2,
                                .words = {L4_MakeMsgTag(0x40, 1, 0).raw, word}};
    return child_ipc(child, &c);
}

static void redirected(void) {
    struct task *child = child_new();
    struct task *redirector = child_new();
    struct task *other = child_new();
    CHECK(child != NULL && redirector != NULL && other != NULL);
    CHECK(set_redirector(child, redirector->id));
    /* Its answers must find the redirector in the wait that we tell it, not in its own. */
    CHECK(L4_Set_Priority(child->id, TEST_PRIORITY - 1) != L4_SCHEDULE_ERROR);
    const struct child_ipc wait = {
        .from = L4_anythread.raw, .timeouts = L4_Timeouts(L4_Never, PATIENCE), .num_buffers = 1};
    /* To a third space: to the redirector instead, which learns who was meant. */
    CHECK(child_ipc(redirector, &wait));
    CHECK(start_send(child, other->id, 0xabc));
    struct outcome got = child_wait(redirector);
    EQUAL(got.words[0], 0);
    CHECK(L4_IpcRedirected((L4_MsgTag_t){.raw = got.words[1]}));
    EQUAL(got.words[2], child->id.raw);
    EQUAL(got.words[4], other->id.raw);
    EQUAL(got.words[5], 0xabc);
    /* (The child's own answer to us is redirected as well.) */
    CHECK(child_ipc(redirector, &wait));
    got = child_wait(redirector);
    EQUAL(got.words[0], 0);
    EQUAL(got.words[4], L4_MyGlobalId().raw);
    /* To the redirector itself: no redirection. */
    CHECK(set_redirector(child, L4_anythread));
    CHECK(child_read(child, child_kip(child)) == L4_KIP_MAGIC);
    CHECK(set_redirector(child, L4_MyGlobalId()));
    CHECK(start_send(child, L4_MyGlobalId(), 0xdef));
    L4_MsgTag_t tag = L4_Receive_Timeout(child->id, PATIENCE);
    EQUAL(error_of(tag), 0);
    CHECK(!L4_IpcRedirected(tag));
    EQUAL(child_wait(child).words[0], 0);
}

/* The short call that takes the fast path is redirected too. */
static void redirected_call(void) {
    struct task *child = child_new();
    struct task *other = child_new();
    CHECK(child != NULL && other != NULL);
    const struct child_ipc echo = {.from = child->id.raw,
                                   .timeouts = L4_Timeouts(L4_Never, L4_TimePeriod(100000)),
                                   .num_buffers = 1};
    CHECK(child_ipc(other, &echo));
    CHECK(set_redirector(child, L4_MyGlobalId()));
    const struct child_ipc call = {.to = other->id.raw,
                                   .from = other->id.raw,
                                   .num_buffers = 1,
                                   .num_words = 2,
                                   .words = {L4_MakeMsgTag(0x41, 1, 0).raw, 5}};
    CHECK(child_ipc(child, &call));
    L4_MsgTag_t tag = L4_Receive_Timeout(child->id, PATIENCE);
    EQUAL(error_of(tag), 0);
    CHECK(L4_IpcRedirected(tag));
    EQUAL(L4_Label(tag), 0x41);
    EQUAL(L4_IntendedReceiver().raw, other->id.raw);
    /* The redirector may answer in the intended receiver's name. */
    tag = L4_MakeMsgTag(0x42, 1, 0);
    L4_Set_Propagation(&tag);
    L4_Set_VirtualSender(other->id);
    L4_Set_MsgTag(tag);
    L4_LoadMR(1, 6);
    EQUAL(error_of(L4_Send_Timeout(child->id, PATIENCE)), 0);
    CHECK(set_redirector(child, L4_anythread));
    struct outcome o = child_wait(child);
    EQUAL(o.words[0], 0);
    EQUAL(o.words[2], other->id.raw);
    EQUAL(o.words[3], L4_MyGlobalId().raw);
    EQUAL(o.words[5], 6);
    EQUAL(child_wait(other).words[0], L4_IPC_ERROR(L4_IPC_ERR_TIMEOUT, L4_IPC_PHASE_RECEIVE));
}

/* A closed receive from outside takes the redirector's own answer, too, and nobody else's. */
static void redirected_receive(void) {
    struct task *child = child_new();
    struct task *other = child_new();
    struct task *third = child_new();
    CHECK(child != NULL && other != NULL && third != NULL);
    CHECK(set_redirector(child, L4_MyGlobalId()));
    const struct child_ipc closed = {
        .from = other->id.raw, .timeouts = L4_Timeouts(L4_Never, PATIENCE), .num_buffers = 1};
    for (unsigned waiting = 0; waiting < 2; waiting++) {
        CHECK(child_ipc(child, &closed));
        struct outcome o = child_do(third, CHILD_SEND, child->id.raw, 1, L4_TIMEOUTS_0, 0);
        EQUAL(o.words[0], L4_IPC_ERROR(L4_IPC_ERR_TIMEOUT, L4_IPC_PHASE_SEND));
        EQUAL(send_word(child->id, 0x43, 7 + waiting), 0);
        CHECK(set_redirector(child, L4_anythread));
        o = child_wait(child);
        EQUAL(o.words[0], 0);
        EQUAL(o.words[2], L4_MyGlobalId().raw);
        EQUAL(o.words[5], 7 + waiting);
        CHECK(set_redirector(child, L4_MyGlobalId()));
    }
    CHECK(set_redirector(child, L4_anythread));
    /* Without a redirector it is closed to us as well. */
    const struct child_ipc closed_shortly = {.from = other->id.raw,
                                             .timeouts =
                                                 L4_Timeouts(L4_Never, L4_TimePeriod(50000)),
                                             .num_buffers = 1};
    CHECK(child_ipc(child, &closed_shortly));
    L4_Set_MsgTag(L4_Niltag);
    EQUAL(error_of(L4_Reply(child->id)), L4_IPC_ERROR(L4_IPC_ERR_TIMEOUT, L4_IPC_PHASE_SEND));
    EQUAL(child_wait(child).words[0], L4_IPC_ERROR(L4_IPC_ERR_TIMEOUT, L4_IPC_PHASE_RECEIVE));
}

static void redirector_errors(void) {
    L4_Word_t old;
    struct task *child = child_new();
    CHECK(child != NULL);
    EQUAL(L4_SpaceControl(child->id, 0, L4_Nilpage, L4_Nilpage, new_thread_id(), &old), 0);
    EQUAL(L4_ErrorCode(), L4_ErrInvalidThread);
    EQUAL(child_read(child, child_kip(child)), L4_KIP_MAGIC);
    /* A redirector that has gone: nothing gets out. */
    struct task *redirector = child_new();
    CHECK(redirector != NULL && set_redirector(child, redirector->id));
    child_delete(redirector);
    const L4_Word_t arguments[1] = {child_kip(child)};
    CHECK(child_send(child, CHILD_READ, 1, arguments));
    CHECK(L4_IpcFailed(L4_Receive_Timeout(child->id, L4_TimePeriod(20000))));
    CHECK(set_redirector(child, L4_anythread));
    EQUAL(child_read(child, child_kip(child)), L4_KIP_MAGIC);
}

const struct test propagate_tests[] = {
    {"propagate_in_anothers_name", in_anothers_name},
    {"propagate_closed_for_actual_sender", closed_for_actual_sender},
    {"propagate_not_allowed", not_allowed},
    {"propagate_passed_on", passed_on},
    {"redirect_to_redirector", redirected},
    {"redirect_call", redirected_call},
    {"redirect_closed_receive", redirected_receive},
    {"redirect_errors", redirector_errors},
    {NULL, NULL},
};
