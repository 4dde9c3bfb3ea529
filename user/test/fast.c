/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel's short ways: IPC that neither waits nor has a timeout, up to 63 words (ipc_path.S),
 * ThreadSwitch (yield_path.S), page faults (fault_path.S). Each test but the first two is about one
 * thing that such a way has to see before it may be taken, or to leave as the long one would.
 *
 * All calls here wait for ever: a message that is lost hangs the test, and the watchdog fails it.
 */
#include "test.h"

#define UNTOUCHED(i) (0x5a5a0000u | (i))
#define WORD(n, i)   ((n) << 16 | (i) << 8 | 0x33u)

_Static_assert(CHILD_ECHO == 8, "fast_code.S");

static volatile L4_Word_t wrong;     /* what workers find amiss */
static volatile L4_Word_t order[4];  /* who came when */
static volatile L4_Word_t num_order; /* ... how many */
static L4_ThreadId_t target, main_thread;

static L4_MsgTag_t call(L4_ThreadId_t to, L4_Word_t label, L4_Word_t words) {
    L4_Set_MsgTag(L4_MakeMsgTag(label, words, 0));
    return L4_Call(to);
}

static void let_others_run(void) {
    L4_Sleep(L4_TimePeriod(2000));
}

/* Answers each message with its words and the next label. */
static void echo(void) {
    L4_ThreadId_t from;
    L4_MsgTag_t tag = L4_Wait(&from);
    for (;;) {
        L4_Set_MsgTag(L4_MakeMsgTag(L4_Label(tag) + 1, L4_UntypedWords(tag), 0));
        tag = L4_ReplyWait(from, &from);
    }
}

static void mark_from(L4_Word_t first) {
    for (L4_Word_t i = first; i < L4_NUM_MRS; i++) {
        L4_LoadMR(i, UNTOUCHED(i));
    }
}

/* Message registers 5 on after the message are as they were. (1 to 4 always travel.) */
static L4_Word_t touched(L4_Word_t words) {
    L4_Word_t n = 0;
    for (L4_Word_t i = words < 4 ? 5 : words + 1; i < L4_NUM_MRS; i++) {
        L4_Word_t word;
        L4_StoreMR(i, &word);
        n += word != UNTOUCHED(i);
    }
    return n;
}

/* Echoes, and counts registers after the message that changed, and flags. */
static void careful_echo(void) {
    L4_ThreadId_t from;
    mark_from(1);
    L4_MsgTag_t tag = L4_Wait(&from);
    for (;;) {
        wrong += touched(L4_UntypedWords(tag)) + (tag.raw & 0xf000);
        L4_Set_MsgTag(L4_MakeMsgTag(L4_Label(tag) + 1, L4_UntypedWords(tag), 0));
        tag = L4_ReplyWait(from, &from);
    }
}

static void all_lengths(void) {
    wrong = 0;
    L4_ThreadId_t id = worker_start(careful_echo, TEST_PRIORITY);
    let_others_run();
    for (L4_Word_t n = 0; n < L4_NUM_MRS; n++) {
        mark_from(n + 1);
        for (L4_Word_t i = 1; i <= n; i++) {
            L4_LoadMR(i, WORD(n, i));
        }
        EQUAL(call(id, 0xfff0 + n % 8, n).raw, L4_MakeMsgTag(0xfff1 + n % 8, n, 0).raw);
        for (L4_Word_t i = 1; i <= n; i++) {
            L4_Word_t word;
            L4_StoreMR(i, &word);
            EQUAL(word, WORD(n, i));
        }
        EQUAL(touched(n), 0);
        EQUAL(wrong, 0);
    }
}

/* A child echoes `n` words, of which the first is the operation. */
bool child_echoes(struct task *child, L4_Word_t n, L4_Word_t seed) {
    L4_LoadMR(1, CHILD_ECHO);
    for (L4_Word_t i = 2; i <= n; i++) {
        L4_LoadMR(i, CHILD_PATTERN(seed, i));
    }
    L4_MsgTag_t tag = call(child->id, CHILD_LABEL, n);
    TRY(tag.raw == L4_MakeMsgTag(CHILD_LABEL, n, 0).raw);
    for (L4_Word_t i = 2; i <= n; i++) {
        L4_Word_t word;
        L4_StoreMR(i, &word);
        TRY(word == CHILD_PATTERN(seed, i));
    }
    return true;
}

/* A child that has all that an echo needs: no page fault comes in its answer's place. */
static struct task *warm_child(void) {
    struct task *child = child_new();
    L4_Word_t words[L4_NUM_MRS - 2] = {0};
    if (child == NULL || !child_send(child, CHILD_ECHO, L4_NUM_MRS - 2, words) ||
        child_wait(child).kind != OUTCOME_DONE) {
        return NULL;
    }
    return child;
}

static void between_spaces(void) {
    struct task *child = warm_child();
    CHECK(child != NULL);
    for (L4_Word_t n = 1; n < L4_NUM_MRS; n++) {
        CHECK(child_echoes(child, n, n * 77));
        CHECK(child_echoes(child, L4_NUM_MRS - n, n));
    }
}

/* More spaces than there are domains: what the switch needs, and the UTCBs' translations, are
 * taken away between any two messages. */
static void many_spaces(void) {
    struct task *child[20];
    for (unsigned i = 0; i < 20; i++) {
        child[i] = warm_child();
        CHECK(child[i] != NULL);
    }
    for (unsigned i = 0; i < 600; i++) {
        L4_Word_t random = random_word();
        CHECK(child_echoes(child[random % 20], 1 + (random >> 8) % 63, i));
    }
}

L4_Word_t two_calls(L4_Word_t first, L4_Word_t tag, L4_Word_t second, L4_Word_t long_tag);

/*
 * A child whose UTCB lies in the same megabyte as ours. When it has run, the translations of ours
 * are not loaded, and loading them is a collision, whose flush concerns the partner to which the
 * switch is just being made.
 */
static void utcb_collides(void) {
    struct task *near = child_new_at(L4_ROOT_UTCB_AREA + 0x40000);
    struct task *far = warm_child();
    CHECK(near != NULL && far != NULL);
    EQUAL(child_do(near, CHILD_ECHO, 0, 0, 0, 0).kind, OUTCOME_DONE);
    for (L4_Word_t n = 5; n < L4_NUM_MRS; n++) {
        for (L4_Word_t i = 5; i <= n; i++) {
            L4_LoadMR(i, CHILD_PATTERN(n, i));
        }
        L4_Word_t long_tag = L4_MakeMsgTag(CHILD_LABEL, n, 0).raw;
        EQUAL(two_calls(near->id.raw, L4_MakeMsgTag(CHILD_LABEL, 1, 0).raw, far->id.raw, long_tag),
              long_tag);
        for (L4_Word_t i = 5; i <= n; i++) {
            L4_Word_t word;
            L4_StoreMR(i, &word);
            EQUAL(word, CHILD_PATTERN(n, i));
        }
        /* And the answer of the near one, long itself. */
        CHECK(child_echoes(near, n, n));
    }
}

#define HOLDERS 14u /* and we: the domains that there are */

/* Lets each have a domain; then nobody else has one. */
static bool all_hold(struct task *const child[HOLDERS]) {
    for (unsigned round = 0; round < 50; round++) {
        L4_Word_t before = L4_KDB_Statistic(L4_STAT_DOMAINS_ALLOCATED);
        for (unsigned i = 0; i < HOLDERS; i++) {
            TRY(child_echoes(child[i], 1, 0));
        }
        if (L4_KDB_Statistic(L4_STAT_DOMAINS_ALLOCATED) == before) {
            return true;
        }
    }
    test_fail(__FILE_NAME__, __LINE__, "all hold a domain", 0, 1);
    return false;
}

/*
 * The partner of such a call has to be marked dirty all the same (pitfall 1). Afterwards it, we
 * and all other holders of domains are, but the one that collided, so two spaces that have none
 * find one clean domain, and with the other's the TLBs are flushed; the caches with neither. Short
 * messages read no UTCB: for them, none of this happens.
 */
static void utcb_collides_dirty(void) {
    struct task *child[HOLDERS], *without[2];
    if (L4_KDB_Statistic(L4_STAT_DOMAINS_ALLOCATED) == 0) {
        test_skip("this scheme has no domains");
        return;
    }
    CHECK((without[0] = warm_child()) != NULL && (without[1] = warm_child()) != NULL);
    child[0] = child_new_at(L4_ROOT_UTCB_AREA + 0x40000);
    CHECK(child[0] != NULL);
    for (unsigned i = 1; i < HOLDERS; i++) {
        CHECK((child[i] = warm_child()) != NULL);
    }
    static const L4_Word_t words[] = {5, 8, 9, 20, 63};
    for (unsigned k = 0; k < sizeof words / sizeof words[0]; k++) {
        L4_Word_t long_tag = L4_MakeMsgTag(CHILD_LABEL, words[k], 0).raw;
        CHECK(all_hold(child));
        EQUAL(two_calls(child[0]->id.raw, L4_MakeMsgTag(CHILD_LABEL, 1, 0).raw, child[1]->id.raw,
                        long_tag),
              long_tag);
        L4_Word_t flushes = L4_KDB_Statistic(L4_STAT_CACHE_FLUSHES);
        for (unsigned i = 2; i < HOLDERS; i++) {
            CHECK(child_echoes(child[i], 1, 0));
        }
        EQUAL(L4_KDB_Statistic(L4_STAT_CACHE_FLUSHES), flushes);
        L4_Word_t clean = L4_KDB_Statistic(L4_STAT_RECYCLED_CLEAN);
        CHECK(child_echoes(without[0], 1, 0));
        EQUAL(L4_KDB_Statistic(L4_STAT_RECYCLED_CLEAN), clean + 1);
        L4_Word_t recycled = L4_KDB_Statistic(L4_STAT_DOMAINS_RECYCLED);
        L4_Word_t tlb_flushes = L4_KDB_Statistic(L4_STAT_TLB_FLUSHES);
        CHECK(child_echoes(without[1], 1, 0));
        EQUAL(L4_KDB_Statistic(L4_STAT_DOMAINS_RECYCLED), recycled + 1);
        EQUAL(L4_KDB_Statistic(L4_STAT_RECYCLED_CLEAN), clean + 1);
        EQUAL(L4_KDB_Statistic(L4_STAT_TLB_FLUSHES), tlb_flushes + 1);
        EQUAL(L4_KDB_Statistic(L4_STAT_CACHE_FLUSHES), flushes);
    }
}

/* Flags in the tag are the kernel's: a sender's do not arrive. */
static void flags(void) {
    L4_ThreadId_t id = worker_start(careful_echo, TEST_PRIORITY);
    wrong = 0;
    let_others_run();
    for (L4_Word_t flag = 0x2000; flag <= 0x8000; flag *= 2) {
        L4_Set_MsgTag((L4_MsgTag_t){.raw = L4_MakeMsgTag(7, 2, 0).raw | flag});
        EQUAL(L4_Call(id).raw, L4_MakeMsgTag(8, 2, 0).raw);
        EQUAL(wrong, 0);
    }
}

/* The right number with a wrong version, and a number that is the same but for high bits. */
static void wrong_ids(void) {
    L4_ThreadId_t id = worker_start(echo, TEST_PRIORITY);
    let_others_run();
    const L4_Word_t wanted = L4_IPC_ERROR(L4_IPC_ERR_NOPARTNER, L4_IPC_PHASE_SEND);
    L4_Word_t bits = L4_ThreadIdBits(L4_GetKernelInterface());
    EQUAL(error_of(call(L4_GlobalId(L4_ThreadNo(id), L4_Version(id) ^ 0x40), 0, 0)), wanted);
    EQUAL(error_of(call(L4_GlobalId(L4_ThreadNo(id), L4_Version(id) ^ 1), 0, 0)), wanted);
    if (bits < L4_THREAD_NO_BITS) {
        L4_Word_t other = L4_ThreadNo(id) | 1u << bits;
        EQUAL(error_of(call(L4_GlobalId(other, L4_Version(id)), 0, 0)), wanted);
    }
    EQUAL(call(id, 7, 0).raw, L4_MakeMsgTag(8, 0, 0).raw);
    EQUAL(call(L4_LocalIdOf(id), 7, 0).raw, L4_MakeMsgTag(8, 0, 0).raw);
}

/* A thread that has just been called, and so waited a moment ago, waits no more. */
static void calls_itself(void) {
    L4_ThreadId_t from;
    L4_MsgTag_t tag = L4_Wait(&from);
    for (;;) {
        L4_Word_t error = error_of(call(L4_MyGlobalId(), L4_Label(tag), 0));
        L4_LoadMR(1, error);
        L4_Set_MsgTag(L4_MakeMsgTag(1, 1, 0));
        tag = L4_ReplyWait(from, &from);
    }
}

static void self(void) {
    L4_ThreadId_t id = worker_start(calls_itself, TEST_PRIORITY);
    let_others_run();
    for (unsigned i = 0; i < 3; i++) {
        L4_Word_t error;
        EQUAL(call(id, 0, 0).raw, L4_MakeMsgTag(1, 1, 0).raw);
        L4_StoreMR(1, &error);
        EQUAL(error, L4_IPC_ERROR(L4_IPC_ERR_NOPARTNER, L4_IPC_PHASE_SEND));
    }
}

/* Somebody ready is more important than the partner: that one runs first. */
static void note(L4_Word_t who) {
    order[num_order++] = who;
}

static void noting_echo(void) {
    L4_ThreadId_t from;
    (void)L4_Wait(&from);
    note(1);
    L4_Set_MsgTag(L4_Niltag);
    (void)L4_ReplyWait(from, &from);
}

static void note_and_rest(void) {
    note(2);
    L4_Sleep(L4_Never);
}

static void priorities(void) {
    num_order = 0;
    L4_ThreadId_t low = worker_start(noting_echo, TEST_PRIORITY - 20);
    let_others_run();
    (void)worker_start(note_and_rest, TEST_PRIORITY - 10);
    EQUAL(num_order, 0);
    EQUAL(error_of(call(low, 0, 0)), 0);
    EQUAL(num_order, 2);
    EQUAL(order[0], 2);
    EQUAL(order[1], 1);
}

/* Waits for anybody while somebody is in the queue: that one's message comes at once. */
static void calls_three_times(void) {
    for (L4_Word_t i = 0; i < 3; i++) {
        L4_LoadMR(1, i);
        if (error_of(call(main_thread, 9, 1)) != 0) {
            wrong++;
        }
    }
    L4_Sleep(L4_Never);
}

static void queue(void) {
    L4_ThreadId_t from;
    L4_Word_t seen[3] = {0};
    main_thread = L4_MyGlobalId();
    wrong = 0;
    for (unsigned i = 0; i < 3; i++) {
        (void)worker_start(calls_three_times, TEST_PRIORITY + 1);
    }
    L4_MsgTag_t tag = L4_Wait(&from);
    for (unsigned i = 0;; i++) {
        L4_Word_t word;
        EQUAL(tag.raw, L4_MakeMsgTag(9, 1, 0).raw);
        L4_StoreMR(1, &word);
        CHECK(word < 3);
        seen[word]++;
        L4_Set_MsgTag(L4_Niltag);
        if (i == 8) {
            EQUAL(error_of(L4_Reply(from)), 0);
            break;
        }
        tag = L4_ReplyWait(from, &from);
    }
    EQUAL(seen[0], 3);
    EQUAL(seen[1], 3);
    EQUAL(seen[2], 3);
    EQUAL(wrong, 0);
}

/* A sender that leaves the queue unserved leaves nothing behind. */
static void queue_left(void) {
    L4_ThreadId_t from;
    main_thread = L4_MyGlobalId();
    wrong = 0;
    L4_ThreadId_t gone = worker_start(calls_three_times, TEST_PRIORITY + 1);
    worker_delete(gone);
    (void)worker_start(calls_three_times, TEST_PRIORITY - 1);
    EQUAL(error_of(L4_Wait(&from)), 0);
    for (unsigned i = 0; i < 2; i++) {
        L4_Set_MsgTag(L4_Niltag);
        EQUAL(error_of(L4_ReplyWait(from, &from)), 0);
    }
    EQUAL(wrong, 0);
}

/* The answer is waited for no longer than the caller wants. */
static void never_answers(void) {
    for (;;) {
        L4_ThreadId_t from;
        (void)L4_Wait(&from);
    }
}

static void own_timeout(void) {
    L4_ThreadId_t id = worker_start(never_answers, TEST_PRIORITY);
    let_others_run();
    L4_Set_MsgTag(L4_Niltag);
    EQUAL(error_of(L4_Call_Timeouts(id, L4_Never, L4_TimePeriod(3000))),
          L4_IPC_ERROR(L4_IPC_ERR_TIMEOUT, L4_IPC_PHASE_RECEIVE));
}

/* A partner that waits with a timeout: that ends with its wait. */
static volatile L4_Word64_t slept;

static void answers_and_sleeps(void) {
    L4_ThreadId_t from;
    (void)L4_Wait_Timeout(L4_TimePeriod(30000), &from);
    L4_Word64_t before = L4_SystemClock().raw;
    L4_Set_MsgTag(L4_Niltag);
    (void)L4_Reply(from);
    L4_Sleep(L4_TimePeriod(60000));
    slept = L4_SystemClock().raw - before;
    L4_Sleep(L4_Never);
}

static void partner_with_timeout(void) {
    slept = 0;
    L4_ThreadId_t id = worker_start(answers_and_sleeps, TEST_PRIORITY + 1);
    EQUAL(error_of(call(id, 0, 0)), 0);
    L4_Sleep(L4_TimePeriod(100000));
    CHECK(slept >= 55000); /* time periods are rounded */
}

/* A halted partner takes the message, and runs when it is let go. */
static volatile bool answered;

static void calls_target(void) {
    wrong = error_of(call(target, 3, 2));
    answered = true;
    L4_Sleep(L4_Never);
}

static void halted(void) {
    target = worker_start(echo, TEST_PRIORITY);
    let_others_run();
    EQUAL(call(target, 1, 0).raw, L4_MakeMsgTag(2, 0, 0).raw);
    (void)L4_Stop(target);
    answered = false;
    (void)worker_start(calls_target, TEST_PRIORITY);
    let_others_run();
    CHECK(!answered);
    (void)L4_ExregsControl(target, L4_EXREGS_WRITE_HALT, 0, 0);
    let_others_run();
    CHECK(answered);
    EQUAL(wrong, 0);
}

/* A partner that waits for another. */
static void waits_for_main(void) {
    for (;;) {
        (void)L4_Receive(main_thread);
        note(1);
    }
}

static void closed_partner(void) {
    main_thread = L4_MyGlobalId();
    num_order = 0;
    target = worker_start(waits_for_main, TEST_PRIORITY + 1);
    answered = false;
    (void)worker_start(calls_target, TEST_PRIORITY + 1);
    EQUAL(num_order, 0);
    L4_Set_MsgTag(L4_Niltag);
    EQUAL(error_of(L4_Send(target)), 0);
    EQUAL(num_order, 1);
    CHECK(!answered);
}

/* The partner dies before it has answered. */
static void dies(void) {
    target = worker_start(noting_echo, TEST_PRIORITY - 1);
    let_others_run();
    num_order = 0;
    answered = false;
    (void)worker_start(calls_target, TEST_PRIORITY + 1);
    worker_delete(target);
    let_others_run();
    CHECK(answered);
    EQUAL(wrong, L4_IPC_ERROR(L4_IPC_ERR_NOPARTNER, L4_IPC_PHASE_RECEIVE));
}

/* What ExchangeRegisters sees of a thread that waits, and sets. */
static void restarted(void) {
    L4_LoadMR(1, 0x77);
    (void)call(main_thread, 5, 1);
    L4_Sleep(L4_Never);
}

static void exchanged(void) {
    L4_ThreadId_t from;
    L4_Word_t sp, ip, flags_, word;
    main_thread = L4_MyGlobalId();
    L4_ThreadId_t id = worker_start(echo, TEST_PRIORITY);
    let_others_run();
    EQUAL(error_of(call(id, 0, 0)), 0);
    L4_ThreadState_t state = L4_AbortIpc_and_stop_SpIpFlags(id, &sp, &ip, &flags_);
    CHECK(L4_ThreadWasReceiving(state) && !L4_ThreadWasHalted(state));
    CHECK(sp <= worker_stack(id) && worker_stack(id) - sp < 512);
    L4_Word_t kip = (L4_Word_t)(uintptr_t)L4_GetKernelInterface();
    CHECK(ip - kip < L4_KIP_SIZE || ip - (L4_Word_t)(uintptr_t)L4_Ipc < 128);
    L4_Start_SpIp(id, worker_stack(id), (L4_Word_t)(uintptr_t)restarted);
    EQUAL(error_of(L4_Wait(&from)), 0);
    EQUAL(from.raw, id.raw);
    L4_StoreMR(1, &word);
    EQUAL(word, 0x77);
}

/* ---- ThreadSwitch ---- */

L4_Word_t yield_keeps(L4_Word_t to, L4_Word_t stub, L4_Word_t seed);
L4_Word_t flags_stay(L4_Word_t times);

static L4_Word_t stub_thread_switch(void) {
    const L4_KernelInterfacePage_t *kip = L4_GetKernelInterface();
    return (L4_Word_t)(uintptr_t)kip + kip->ThreadSwitch;
}

static volatile L4_Word_t turns;

static void yields_back(void) {
    for (L4_Word_t i = 0;; i++) {
        wrong |= yield_keeps(main_thread.raw, stub_thread_switch(), ~i << 8);
        turns++;
    }
}

/* Two threads of the same priority switch to each other, until ticks have come in between often:
 * what a program has in its registers then must be there again, too. */
static void yield_registers(void) {
    main_thread = L4_MyGlobalId();
    wrong = 0;
    turns = 0;
    L4_ThreadId_t id = worker_start(yields_back, TEST_PRIORITY);
    L4_Word64_t end = L4_SystemClock().raw + 100000;
    L4_Word_t mine = 0;
    for (; L4_SystemClock().raw < end; mine++) {
        EQUAL(yield_keeps(id.raw, stub_thread_switch(), mine << 8), 0);
        EQUAL(yield_keeps(0, stub_thread_switch(), mine << 8), 0);
    }
    EQUAL(wrong, 0);
    CHECK(turns >= mine);
}

/* One that ticks interrupt in the middle of a comparison, and to which a thread switches whose
 * flags are others. */
static void compares(void) {
    for (;;) {
        wrong |= flags_stay(1000);
        turns++;
    }
}

static void yield_flags(void) {
    wrong = 0;
    turns = 0;
    L4_ThreadId_t id = worker_start(compares, TEST_PRIORITY);
    for (unsigned i = 0; i < 12; i++) {
        EQUAL(yield_keeps(id.raw, stub_thread_switch(), i << 8), 0);
    }
    EQUAL(wrong, 0);
    CHECK(turns > 12);
}

static void notes_forever_1(void) {
    for (;;) {
        note(1);
        L4_ThreadSwitch(main_thread);
    }
}

static void notes_forever_2(void) {
    for (;;) {
        note(2);
        L4_ThreadSwitch(main_thread);
    }
}

/* To one that is ready but not the next of its priority. */
static void yield_order(void) {
    main_thread = L4_MyGlobalId();
    num_order = 0;
    L4_ThreadId_t first = worker_start(notes_forever_1, TEST_PRIORITY);
    L4_ThreadId_t second = worker_start(notes_forever_2, TEST_PRIORITY);
    L4_ThreadSwitch(second);
    L4_ThreadSwitch(first);
    L4_ThreadSwitch(second);
    EQUAL(num_order, 3);
    EQUAL(order[0], 2);
    EQUAL(order[1], 1);
    EQUAL(order[2], 2);
}

static void note_once(L4_Word_t who) {
    note(who);
    (void)L4_Receive(main_thread);
}

static void notes_1(void) {
    note_once(1);
}

static void notes_2(void) {
    note_once(2);
}

static void notes_3(void) {
    note_once(3);
}

/* ... and the others stay in their order: who was started last, first. */
static void yield_keeps_order(void) {
    main_thread = L4_MyGlobalId();
    for (unsigned attempt = 0;; attempt++) {
        num_order = 0;
        L4_ThreadId_t first = worker_start(notes_1, TEST_PRIORITY);
        L4_ThreadId_t second = worker_start(notes_2, TEST_PRIORITY);
        L4_ThreadId_t third = worker_start(notes_3, TEST_PRIORITY);
        L4_ThreadSwitch(second);
        bool undisturbed = num_order == 1;
        EQUAL(order[0], 2);
        L4_Yield();
        let_others_run();
        EQUAL(num_order, 3);
        if (undisturbed && order[1] == 3) {
            break;
        }
        FAIL_IF(attempt == 5, "order", order[1] << 8 | order[2],
                0x301); /* not every time a tick has come in between */
        worker_delete(first);
        worker_delete(second);
        worker_delete(third);
    }
    EQUAL(order[2], 1);
}

const struct test fast_tests[] = {
    {"fast_all_lengths", all_lengths},
    {"fast_between_spaces", between_spaces},
    {"fast_many_spaces", many_spaces},
    {"fast_utcb_collides", utcb_collides},
    {"fast_utcb_collides_dirty", utcb_collides_dirty},
    {"fast_flags", flags},
    {"fast_wrong_ids", wrong_ids},
    {"fast_self", self},
    {"fast_priorities", priorities},
    {"fast_queue", queue},
    {"fast_queue_left", queue_left},
    {"fast_own_timeout", own_timeout},
    {"fast_partner_with_timeout", partner_with_timeout},
    {"fast_halted", halted},
    {"fast_closed_partner", closed_partner},
    {"fast_partner_dies", dies},
    {"fast_exchanged", exchanged},
    {"fast_yield_registers", yield_registers},
    {"fast_yield_flags", yield_flags},
    {"fast_yield_order", yield_order},
    {"fast_yield_keeps_order", yield_keeps_order},
    {NULL, NULL},
};
