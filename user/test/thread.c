/* SPDX-License-Identifier: Apache-2.0 */
/* Threads and spaces: ThreadControl, SpaceControl, ExchangeRegisters, and their errors. */
#include "test.h"

static volatile L4_Word_t counter;

static L4_ThreadId_t parent(void) {
    return L4_Pager();
}

/* ---- workers' bodies ---- */

static void say_identity(void) {
    (void)send_word(parent(), 0, L4_MyGlobalId().raw);
    (void)L4_Receive(parent());
}

static void count_for_ever(void) {
    for (;;) {
        counter++;
    }
}

static void wait_for_ever(void) {
    L4_ThreadId_t from;
    for (;;) {
        (void)L4_Wait(&from);
    }
}

static void receive_once_and_tell(void) {
    L4_Word_t error = error_of(L4_Receive(parent()));
    (void)send_word(parent(), 0, error);
    (void)L4_Receive(parent());
}

static void send_once_and_tell(void) {
    L4_Word_t error = error_of(L4_Send(parent()));
    (void)send_word(parent(), 0x55, error);
    (void)L4_Receive(parent());
}

/* ---- tests ---- */

static void kip(void) {
    L4_Word_t version, flags, id;
    L4_KernelInterfacePage_t *k = L4_KernelInterface(&version, &flags, &id);
    EQUAL(k, L4_GetKernelInterface());
    EQUAL(k, L4_ROOT_KIP);
    EQUAL(k->magic, L4_KIP_MAGIC);
    EQUAL(version >> 16, L4_API_VERSION << 8 | L4_API_SUBVERSION);
    EQUAL(k->ApiVersion.raw, version);
    EQUAL(flags, k->ApiFlags.raw);
    EQUAL(L4_UtcbSize(k), L4_UTCB_SIZE);
    EQUAL(1u << L4_UtcbAreaSizeLog2(k), L4_UTCB_AREA_MIN_SIZE);
    EQUAL(1u << L4_KipAreaSizeLog2(k), L4_KIP_SIZE);
    EQUAL(L4_PageSizeMask(k), L4_PAGE_SIZES);
    EQUAL(L4_NumProcessors(k), 1);
    CHECK(L4_ThreadIdBits(k) >= 8);
    CHECK(L4_NumMemoryDescriptors(k) > 0);
}

static void identity(void) {
    EQUAL(L4_MyGlobalId().raw, L4_RootServerId(L4_GetKernelInterface()).raw);
    EQUAL(L4_MyLocalId().raw, L4_ROOT_UTCB_AREA);
    EQUAL(L4_Pager().raw, L4_Sigma0Id(L4_GetKernelInterface()).raw);
    EQUAL(L4_GlobalIdOf(L4_MyLocalId()).raw, L4_MyGlobalId().raw);
    EQUAL(L4_LocalIdOf(L4_MyGlobalId()).raw, L4_MyLocalId().raw);
    L4_Set_UserDefinedHandle(0xabc);
    EQUAL(L4_UserDefinedHandle(), 0xabc);
}

static void create(void) {
    L4_Word_t word = 0;
    L4_ThreadId_t id = worker_start(say_identity, TEST_PRIORITY);
    EQUAL(receive_word(id, &word), 0);
    EQUAL(word, id.raw);
    worker_delete(id);
    EQUAL(send_word(id, 0, 0), L4_IPC_ERROR(L4_IPC_ERR_NOPARTNER, L4_IPC_PHASE_SEND));
}

/* A thread number used again is another thread: the old id means nobody. */
static void versions(void) {
    L4_Word_t word = 0;
    L4_ThreadId_t old = worker_create();
    CHECK(old.raw != 0);
    L4_ThreadId_t same_number = L4_GlobalId(L4_ThreadNo(old), L4_Version(old) + 64);
    L4_ThreadId_t me = L4_MyGlobalId();
    EQUAL(L4_ThreadControl(same_number, me, L4_nilthread, L4_nilthread, (void *)~(uintptr_t)0), 1);
    EQUAL(send_word(old, 0, 0), L4_IPC_ERROR(L4_IPC_ERR_NOPARTNER, L4_IPC_PHASE_SEND));
    L4_LoadMR(0, L4_MakeMsgTag(0, 2, 0).raw);
    L4_LoadMR(1, (L4_Word_t)(uintptr_t)say_identity);
    L4_LoadMR(2, worker_stack(old));
    EQUAL(error_of(L4_Send_Timeout(same_number, PATIENCE)), 0);
    EQUAL(receive_word(same_number, &word), 0);
    EQUAL(word, same_number.raw);
    EQUAL(L4_ThreadControl(same_number, L4_nilthread, L4_nilthread, L4_nilthread,
                           (void *)~(uintptr_t)0),
          1);
}

static void control_errors(void) {
    L4_ThreadId_t me = L4_MyGlobalId();
    L4_ThreadId_t nobody = new_thread_id();
    void *same = (void *)~(uintptr_t)0;
    EQUAL(L4_ThreadControl(new_thread_id(), nobody, me, me, same), 0);
    EQUAL(L4_ErrorCode(), L4_ErrInvalidSpace);
    EQUAL(L4_ThreadControl(nobody, me, new_thread_id(), me, same), 0);
    EQUAL(L4_ErrorCode(), L4_ErrInvalidSched);
    EQUAL(L4_ThreadControl(nobody, me, me, me, (void *)(L4_ROOT_UTCB_AREA - 512)), 0);
    EQUAL(L4_ErrorCode(), L4_ErrUtcbArea);
    EQUAL(L4_ThreadControl(nobody, me, me, me, (void *)(L4_ROOT_UTCB_AREA + 516)), 0);
    EQUAL(L4_ErrorCode(), L4_ErrUtcbArea);
    EQUAL(L4_ThreadControl(nobody, L4_nilthread, me, me, same), 0);
    EQUAL(L4_ErrorCode(), L4_ErrInvalidThread);
    L4_Word_t number = 1u << L4_ThreadIdBits(L4_GetKernelInterface());
    EQUAL(L4_ThreadControl(L4_GlobalId(number, 1), me, me, me, same), 0);
    EQUAL(L4_ErrorCode(), L4_ErrInvalidThread);
}

static void space_errors(void) {
    L4_Word_t old;
    L4_ThreadId_t id = new_thread_id();
    L4_ThreadId_t me = L4_MyGlobalId();
    L4_Fpage_t kip_area = L4_FpageLog2(TASK_KIP, 12);
    L4_Fpage_t utcbs = L4_FpageLog2(TASK_UTCBS, 12);
    void *same = (void *)~(uintptr_t)0;
    EQUAL(L4_SpaceControl(id, 0, kip_area, utcbs, L4_nilthread, &old), 0);
    EQUAL(L4_ErrorCode(), L4_ErrInvalidSpace);
    EQUAL(L4_ThreadControl(id, id, me, L4_nilthread, same), 1);
    EQUAL(L4_SpaceControl(id, 0, kip_area, kip_area, L4_nilthread, &old), 0); /* they overlap */
    CHECK(L4_ErrorCode() == L4_ErrUtcbArea || L4_ErrorCode() == L4_ErrKipArea);
    EQUAL(L4_SpaceControl(id, 0, kip_area, L4_FpageLog2(KERNEL_AREA, 12), L4_nilthread, &old), 0);
    EQUAL(L4_ErrorCode(), L4_ErrUtcbArea);
    EQUAL(L4_SpaceControl(id, 0, L4_FpageLog2(UTCB_WORD, 12), utcbs, L4_nilthread, &old), 0);
    EQUAL(L4_ErrorCode(), L4_ErrKipArea);
    EQUAL(L4_SpaceControl(id, 0, kip_area, utcbs, L4_nilthread, &old), 1);
    EQUAL(L4_ThreadControl(id, L4_nilthread, L4_nilthread, L4_nilthread, same), 1);
}

/* The areas that a child asked for are where it finds them. */
static void space_areas(void) {
    struct task *child = child_new();
    CHECK(child != NULL);
    struct outcome o = child_do(child, CHILD_IDENTITY, 0, 0, 0, 0);
    EQUAL(o.kind, OUTCOME_DONE);
    EQUAL(o.words[0], child->id.raw);
    EQUAL(o.words[1], child->utcbs);
    EQUAL(o.words[2], child_kip(child));
    EQUAL(o.words[3], L4_MyGlobalId().raw);
    EQUAL(child_read(child, child_kip(child)), L4_KIP_MAGIC);
}

/* Spaces made and deleted again and again cost nothing that stays. */
static void space_churn(void) {
    L4_Word_t before = 0;
    for (unsigned i = 0; i < 12; i++) {
        struct task *child = child_new();
        CHECK(child != NULL);
        CHECK(child_fill(child, child->pages[child->num_pages - 1].va, 4, i));
        child_delete(child);
        if (i == 2) {
            before = L4_KDB_Statistic(L4_STAT_FREE_PAGES);
        }
    }
    EQUAL(L4_KDB_Statistic(L4_STAT_FREE_PAGES), before);
}

/* More spaces than an early kernel had slots for, with threads that never begin; then all again. */
static void space_many(void) {
    enum { FIRST = 305, SPACES = 300 };
    for (unsigned round = 0; round < 2; round++) {
        unsigned made = 0;
        for (unsigned i = 0; i < SPACES; i++) {
            L4_ThreadId_t id = L4_GlobalId(L4_ThreadNo(L4_MyGlobalId()) + FIRST + i, 1);
            made += (unsigned)L4_ThreadControl(id, id, L4_MyGlobalId(), L4_nilthread,
                                               (void *)~(uintptr_t)0);
        }
        L4_Word_t error = L4_ErrorCode();
        struct task *child = child_new();
        bool good = child != NULL && child_read(child, child_kip(child)) == L4_KIP_MAGIC;
        for (unsigned i = 0; i < made; i++) {
            L4_ThreadId_t id = L4_GlobalId(L4_ThreadNo(L4_MyGlobalId()) + FIRST + i, 1);
            CHECK(L4_ThreadControl(id, L4_nilthread, L4_nilthread, L4_nilthread,
                                   (void *)~(uintptr_t)0));
        }
        FAIL_IF(made != SPACES, "spaces", made, error);
        CHECK(good);
        child_delete(child);
    }
}

/* Only the root space may call the privileged system calls. */
static void privilege(void) {
    struct task *child = child_new();
    CHECK(child != NULL);
    for (L4_Word_t which = CHILD_THREAD_CONTROL; which <= CHILD_PROCESSOR_CONTROL; which++) {
        struct outcome o = child_do(child, CHILD_CONTROL, which, L4_MyGlobalId().raw, 0, 0);
        EQUAL(o.kind, OUTCOME_DONE);
        EQUAL(o.words[0], 0);
        EQUAL(o.words[1], L4_ErrNoPrivilege);
    }
}

/* A second thread in a child's space sees the same memory. */
static void second_thread(void) {
    NEEDS_PROTECTION;
    struct task *child = child_new();
    CHECK(child != NULL);
    L4_ThreadId_t second = new_thread_id();
    CHECK(task_add_thread(child, second, 1, L4_MyGlobalId()));
    /* It shares code and so the stack of the first, which is asleep: run one function only. */
    CHECK(task_add_page(child, 0x40000, NULL, L4_FullyAccessible) != NULL);
    static const code_t code[] = CODE_MARK;
    memcpy(task_page_at(child, 0x40000)->frame, code, sizeof code);
    L4_LoadMR(0, L4_MakeMsgTag(0, 2, 0).raw);
    L4_LoadMR(1, 0x40000);
    L4_LoadMR(2, 0);
    EQUAL(error_of(L4_Send_Timeout(second, PATIENCE)), 0);
    for (unsigned i = 0; i < 2; i++) { /* executes, then perhaps writes */
        L4_MsgTag_t tag = L4_Receive_Timeout(second, L4_TimePeriod(50000));
        if (L4_IpcFailed(tag)) {
            break;
        }
        L4_Word_t address;
        L4_StoreMR(1, &address);
        CHECK(task_fault(child, tag, address));
        EQUAL(error_of(L4_Send_Timeout(second, PATIENCE)), 0);
    }
    L4_Sleep(L4_TimePeriod(20000));
    EQUAL(child_read(child, 0x40100), CODE_MARKER);
    EQUAL(L4_ThreadControl(second, L4_nilthread, L4_nilthread, L4_nilthread, (void *)~(uintptr_t)0),
          1);
    EQUAL(child_read(child, 0x40100), CODE_MARKER);
}

static void exregs_read(void) {
    L4_Word_t control, sp, ip, flags, handle;
    L4_ThreadId_t pager;
    L4_ThreadId_t id = worker_start(wait_for_ever, TEST_PRIORITY);
    L4_Yield();
    L4_ThreadId_t local = L4_ExchangeRegisters(id, 0, 0, 0, 0, 0, L4_nilthread, &control, &sp, &ip,
                                               &flags, &handle, &pager);
    CHECK(L4_IsLocalId(local));
    EQUAL(control & L4_EXREGS_HALT, 0);
    EQUAL(control & L4_EXREGS_RECV_CANCEL, L4_EXREGS_RECV_CANCEL);
    CHECK(sp <= worker_stack(id) && sp > worker_stack(id) - 512);
    EQUAL(pager.raw, L4_MyGlobalId().raw);
    EQUAL(L4_GlobalIdOf(local).raw, id.raw);
    EQUAL(L4_ExregsControl(new_thread_id(), 0, 0, 0).raw, 0);
}

static void exregs_handle_and_pager(void) {
    L4_Word_t control, sp, ip, flags, handle;
    L4_ThreadId_t pager;
    L4_ThreadId_t id = worker_start(wait_for_ever, TEST_PRIORITY);
    L4_ThreadId_t other = new_thread_id();
    L4_ExchangeRegisters(id, L4_EXREGS_HANDLE | L4_EXREGS_PAGER, 0, 0, 0, 0x1234, other, &control,
                         &sp, &ip, &flags, &handle, &pager);
    L4_ExchangeRegisters(id, 0, 0, 0, 0, 0, L4_nilthread, &control, &sp, &ip, &flags, &handle,
                         &pager);
    EQUAL(handle, 0x1234);
    EQUAL(pager.raw, other.raw);
}

/* Sets a running thread to another place; stops and starts it. */
static void exregs_stop_start(void) {
    counter = 0;
    L4_ThreadId_t id = worker_start(count_for_ever, TEST_PRIORITY - 1);
    L4_Sleep(L4_TimePeriod(30000));
    CHECK(counter != 0);
    (void)L4_Stop(id);
    L4_Word_t seen = counter;
    L4_Sleep(L4_TimePeriod(30000));
    EQUAL(counter, seen);
    L4_Start(id);
    L4_Sleep(L4_TimePeriod(30000));
    CHECK(counter != seen);
    L4_Word_t word = 0;
    L4_Start_SpIp(id, worker_stack(id), (L4_Word_t)(uintptr_t)say_identity);
    EQUAL(receive_word(id, &word), 0);
    EQUAL(word, id.raw);
}

/* Cancelling a pending receive or send tells the thread so: error "canceled" with the phase. */
static void exregs_cancel_receive(void) {
    L4_Word_t word = 0;
    L4_ThreadId_t id = worker_start(receive_once_and_tell, TEST_PRIORITY);
    L4_Sleep(L4_TimePeriod(20000));
    (void)L4_ExregsControl(id, L4_EXREGS_RECV_CANCEL, 0, 0);
    EQUAL(receive_word(id, &word), 0);
    EQUAL(word, L4_IPC_ERROR(L4_IPC_ERR_CANCELED, L4_IPC_PHASE_RECEIVE));
}

static void exregs_cancel_send(void) {
    L4_ThreadId_t id = worker_start(send_once_and_tell, TEST_PRIORITY);
    L4_Sleep(L4_TimePeriod(20000));
    (void)L4_ExregsControl(id, L4_EXREGS_SEND_CANCEL, 0, 0);
    L4_MsgTag_t tag = L4_Receive_Timeout(id, PATIENCE);
    EQUAL(error_of(tag), 0);
    EQUAL(L4_Label(tag), 0x55);
    L4_Word_t word;
    L4_StoreMR(1, &word);
    EQUAL(word, L4_IPC_ERROR(L4_IPC_ERR_CANCELED, L4_IPC_PHASE_SEND));
}

/* Each phase is cancelled by its own bit only. */
static void exregs_cancel_other_phase(void) {
    L4_Word_t word = 0;
    L4_ThreadId_t id = worker_start(receive_once_and_tell, TEST_PRIORITY + 1);
    L4_ThreadState_t state = {0};
    L4_Word_t sp, ip, flags, handle;
    L4_ThreadId_t pager;
    (void)L4_ExchangeRegisters(id, L4_EXREGS_SEND_CANCEL, 0, 0, 0, 0, L4_nilthread, &state.raw, &sp,
                               &ip, &flags, &handle, &pager);
    CHECK(L4_ThreadWasReceiving(state) && !L4_ThreadWasSending(state));
    EQUAL(send_word(id, 0, 1), 0); /* it still waits for that */
    EQUAL(receive_word(id, &word), 0);
    EQUAL(word, 0);
    id = worker_start(send_once_and_tell, TEST_PRIORITY + 1);
    (void)L4_ExchangeRegisters(id, L4_EXREGS_RECV_CANCEL, 0, 0, 0, 0, L4_nilthread, &state.raw, &sp,
                               &ip, &flags, &handle, &pager);
    CHECK(!L4_ThreadWasReceiving(state) && L4_ThreadWasSending(state));
    EQUAL(error_of(L4_Receive_Timeout(id, PATIENCE)), 0);
    EQUAL(receive_word(id, &word), 0);
    EQUAL(word, 0);
}

/* One that is in no IPC has nothing to cancel, and is not disturbed. */
static void exregs_cancel_nothing(void) {
    counter = 0;
    L4_ThreadId_t id = worker_start(count_for_ever, TEST_PRIORITY - 1);
    L4_Sleep(L4_TimePeriod(20000));
    for (unsigned i = 0; i < 4; i++) {
        L4_Word_t seen = counter;
        (void)L4_ExregsControl(id, L4_EXREGS_RECV_CANCEL | L4_EXREGS_SEND_CANCEL, 0, 0);
        L4_Sleep(L4_TimePeriod(20000));
        CHECK(counter != seen);
    }
}

/* In the queue of one that is busy, and halted there: cancelled, it tells so when it is started. */
static void exregs_cancel_halted(void) {
    L4_Word_t word = 0;
    L4_ThreadId_t id = worker_start(send_once_and_tell, TEST_PRIORITY + 1);
    CHECK(L4_ThreadWasSending(L4_AbortIpc_and_stop(id)));
    L4_ThreadState_t state = L4_AbortIpc_and_stop(id);
    CHECK(L4_ThreadWasHalted(state) && !L4_ThreadWasIpcing(state));
    EQUAL(error_of(L4_Receive_Timeout(id, L4_TimePeriod(2000))),
          L4_IPC_ERROR(L4_IPC_ERR_TIMEOUT, L4_IPC_PHASE_RECEIVE));
    (void)L4_ExregsControl(id, L4_EXREGS_WRITE_HALT, 0, 0);
    EQUAL(receive_word(id, &word), 0);
    EQUAL(word, L4_IPC_ERROR(L4_IPC_ERR_CANCELED, L4_IPC_PHASE_SEND));
}

/* Deleting a thread with others waiting for it and sending to it: they get an error, not a hang. */
static volatile L4_ThreadId_t victim;

static void receive_from_victim(void) {
    L4_Word_t error = error_of(L4_Receive(victim));
    (void)send_word(parent(), 0, error);
    (void)L4_Receive(parent());
}

static void send_to_victim(void) {
    L4_LoadMR(0, 0);
    L4_Word_t error = error_of(L4_Send(victim));
    (void)send_word(parent(), 0, error);
    (void)L4_Receive(parent());
}

static void delete_with_partners(void) {
    L4_Word_t error = 0;
    /* The victim waits for its start message only, so a sender to it must queue. */
    L4_ThreadId_t id = worker_create();
    CHECK(id.raw != 0);
    victim = id;
    L4_ThreadId_t receiver = worker_start(receive_from_victim, TEST_PRIORITY);
    L4_ThreadId_t sender = worker_start(send_to_victim, TEST_PRIORITY);
    L4_Sleep(L4_TimePeriod(20000));
    worker_delete(id);
    EQUAL(receive_word(receiver, &error), 0);
    EQUAL(error >> 1 & 7, L4_IPC_ERR_NOPARTNER);
    EQUAL(receive_word(sender, &error), 0);
    EQUAL(error >> 1 & 7, L4_IPC_ERR_NOPARTNER);
}

const struct test thread_tests[] = {
    {"thread_kip", kip},
    {"thread_identity", identity},
    {"thread_create_delete", create},
    {"thread_versions", versions},
    {"thread_control_errors", control_errors},
    {"thread_space_errors", space_errors},
    {"thread_space_areas", space_areas},
    {"thread_space_churn", space_churn},
    {"thread_space_many", space_many},
    {"thread_privilege", privilege},
    {"thread_second_in_space", second_thread},
    {"thread_exregs_read", exregs_read},
    {"thread_exregs_handle_pager", exregs_handle_and_pager},
    {"thread_exregs_stop_start", exregs_stop_start},
    {"thread_exregs_cancel_receive", exregs_cancel_receive},
    {"thread_exregs_cancel_send", exregs_cancel_send},
    {"thread_exregs_cancel_other_phase", exregs_cancel_other_phase},
    {"thread_exregs_cancel_nothing", exregs_cancel_nothing},
    {"thread_exregs_cancel_halted", exregs_cancel_halted},
    {"thread_delete_with_partners", delete_with_partners},
    {NULL, NULL},
};
