/* SPDX-License-Identifier: Apache-2.0 */
/*
 * String items: what arrives where, within a space and between spaces, in one piece or many; what
 * is cut; page faults on either side while the string is copied, and what ends such a copy.
 */
#include "test.h"

#define SOURCE 0x00200000u /* in a child */
#define TARGET 0x00300000u
#define PAGES  18u

static uint8_t *source; /* in the test's own space: 64 KB */
static uint8_t target[0x3000] __attribute__((aligned(4096)));

static uint8_t byte_of(L4_Word_t seed, L4_Word_t i) {
    return (uint8_t)(CHILD_PATTERN(seed, i / 4) >> 8 * (i & 3));
}

static void fill(L4_Word_t seed) {
    source = frames_block();
    for (L4_Word_t i = 0; i < FRAMES_BLOCK_SIZE; i++) {
        source[i] = byte_of(seed, i);
    }
}

/* A child with `n` pages at `va`, touched if `touched`, else given by its pager at a fault. */
static struct task *child_with(L4_Word_t va, unsigned n, bool touched) {
    struct task *child = child_new();
    for (unsigned i = 0; child != NULL && i < n; i++) {
        if (task_add_page(child, va + i * FRAME_SIZE, NULL, L4_ReadWriteOnly) == NULL ||
            (touched && !child_write(child, va + i * FRAME_SIZE, 0xeeeeeeee))) {
            return NULL;
        }
    }
    return child;
}

/* The bytes of the child's page, through the frame that we share. */
static uint8_t byte_at(struct task *child, L4_Word_t va) {
    const volatile uint8_t *frame = task_page_at(child, va)->frame;
    return frame[va & (FRAME_SIZE - 1)];
}

static bool same_bytes(struct task *child, L4_Word_t va, L4_Word_t size, L4_Word_t seed,
                       L4_Word_t first) {
    for (L4_Word_t i = 0; i < size; i++) {
        if (byte_at(child, va + i) != byte_of(seed, first + i)) {
            test_fail(__FILE_NAME__, __LINE__, "byte of the string", byte_at(child, va + i),
                      byte_of(seed, first + i));
            return false;
        }
    }
    return true;
}

/* The child receives from `from` into one buffer of `size` bytes at `va`. */
static bool receives(struct task *child, L4_ThreadId_t from, L4_Word_t va, L4_Word_t size) {
    const struct child_ipc c = {.from = from.raw,
                                .timeouts = L4_Timeouts(L4_Never, PATIENCE),
                                .num_buffers = 3,
                                .buffers = {1, size << 10, va}};
    return child_ipc(child, &c);
}

/* We send one string. */
static L4_Word_t send_string(L4_ThreadId_t to, L4_Word_t size, void *address) {
    L4_Msg_t msg;
    L4_MsgClear(&msg);
    L4_MsgAppendWord(&msg, 0x1234);
    L4_MsgAppendSimpleStringItem(&msg, L4_StringItem(size, address));
    L4_MsgLoad(&msg);
    return error_of(L4_Send_Timeout(to, PATIENCE));
}

static void lengths(void) {
    static const L4_Word_t sizes[] = {0, 1, 3, 4, 31, 32, 33, 1000, 4095, 4096, 4097, 16384};
    static const L4_Word_t offsets[][2] = {{0, 0}, {1, 0}, {0, 1}, {3, 3}, {4094, 30}, {32, 4065}};
    struct task *child = child_with(TARGET, PAGES, true);
    CHECK(child != NULL);
    fill(1);
    for (unsigned i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        for (unsigned k = 0; k < 6; k++) {
            L4_Word_t to = TARGET + offsets[k][1];
            uint8_t before = to == TARGET ? 0 : byte_at(child, to - 1);
            uint8_t after = byte_at(child, to + sizes[i]);
            CHECK(receives(child, L4_MyGlobalId(), to, sizes[i]));
            EQUAL(send_string(child->id, sizes[i], source + offsets[k][0]), 0);
            struct outcome o = child_wait(child);
            EQUAL(o.kind, OUTCOME_DONE);
            EQUAL(o.words[0], 0);
            EQUAL(o.words[5], 0x1234);
            EQUAL(o.words[6] >> 10, sizes[i]);
            EQUAL(sizes[i] == 0 ? to : o.words[7], to);
            CHECK(same_bytes(child, to, sizes[i], 1, offsets[k][0]));
            CHECK(to == TARGET || byte_at(child, to - 1) == before);
            EQUAL(byte_at(child, to + sizes[i]), after);
            CHECK(child_read(child, TARGET) != 0xffffffff);
        }
    }
}

/* What the child itself sees, from its cache, is what was sent; then what it wrote comes back. */
static void seen_by_the_program(void) {
    struct task *child = child_with(TARGET, 4, true);
    CHECK(child != NULL);
    for (L4_Word_t round = 0; round < 5; round++) {
        fill(round);
        /* A page that it has in its cache, its first and last word there only. */
        CHECK(child_fill(child, TARGET, 1024, 0x77));
        CHECK(child_holds(child, TARGET, 1024, 0x77));
        CHECK(child_write(child, TARGET, 0x600 + round));
        CHECK(child_write(child, TARGET + 1023 * 4, 0x700 + round));
        CHECK(receives(child, L4_MyGlobalId(), TARGET + 4, FRAME_SIZE));
        EQUAL(send_string(child->id, FRAME_SIZE - 8, source), 0);
        EQUAL(child_wait(child).words[0], 0);
        CHECK(child_holds(child, TARGET + 4, 1022, round));
        EQUAL(child_read(child, TARGET), 0x600 + round);
        EQUAL(child_read(child, TARGET + 1023 * 4), 0x700 + round);
    }
}

/* From a frame that is no memory: the probe's number. */
static void of_a_device(void) {
    if (!probe_present()) {
        test_skip("there is no device in memory");
        return;
    }
    struct task *child = child_with(TARGET, 1, true);
    CHECK(child != NULL);
    CHECK(receives(child, L4_MyGlobalId(), TARGET, FRAME_SIZE));
    EQUAL(send_string(child->id, 4, (void *)(uintptr_t)probe_register(PROBE_ID)), 0);
    EQUAL(child_wait(child).words[0], 0);
    EQUAL(child_read(child, TARGET), PROBE_ID_VALUE);
}

/* 64 KB, over many pages and some ticks. */
static void long_string(void) {
    struct task *child = child_with(TARGET, PAGES, true);
    CHECK(child != NULL);
    fill(2);
    CHECK(receives(child, L4_MyGlobalId(), TARGET + 4, FRAMES_BLOCK_SIZE));
    EQUAL(send_string(child->id, FRAMES_BLOCK_SIZE, source), 0);
    EQUAL(child_wait(child).words[0], 0);
    CHECK(same_bytes(child, TARGET + 4, FRAMES_BLOCK_SIZE, 2, 0));
}

/* While strings are copied, a timer's interrupt comes; its message waits for us. */
static void interrupted(void) {
    if (!probe_present()) {
        test_skip("the timer's time is not the processor's");
        return;
    }
    L4_ThreadId_t interrupt = L4_GlobalId(test_board()->interrupt, 1);
    struct task *child = child_with(TARGET, PAGES, true);
    CHECK(child != NULL);
    fill(3);
    EQUAL(L4_AssociateInterrupt(interrupt, L4_MyGlobalId()), 1);
    for (unsigned i = 0; i < 4; i++) {
        L4_Clock_t begun = L4_SystemClock();
        test_board()->arm();
        do {
            CHECK(receives(child, L4_MyGlobalId(), TARGET, FRAMES_BLOCK_SIZE));
            EQUAL(send_string(child->id, FRAMES_BLOCK_SIZE, source), 0);
            EQUAL(child_wait(child).words[0], 0);
        } while (L4_SystemClock().raw - begun.raw < 3000);
        L4_MsgTag_t tag = L4_Receive_Timeout(interrupt, L4_TimePeriod(20000));
        test_board()->disarm();
        EQUAL(error_of(tag), 0);
        EQUAL(L4_Label(tag), L4_LABEL_INTERRUPT);
        L4_Set_MsgTag(L4_Niltag);
        EQUAL(error_of(L4_Send_Timeout(interrupt, PATIENCE)), 0);
    }
    EQUAL(L4_DeassociateInterrupt(interrupt), 1);
}

/* ---- within a space ---- */

static volatile L4_Word_t told[4];

static void receive_here(void) {
    L4_MsgBuffer_t buffer;
    L4_MsgBufferClear(&buffer);
    L4_MsgBufferAppendSimpleRcvString(&buffer, L4_StringItem(sizeof target - 8, target + 3));
    for (;;) {
        L4_AcceptStrings(L4_UntypedWordsAcceptor, &buffer);
        L4_MsgTag_t tag = L4_Receive(L4_Pager());
        told[0] = error_of(tag);
        L4_StoreMRs(2, 2, (L4_Word_t *)(uintptr_t)(told + 1));
        told[3]++;
    }
}

static void same_space(void) {
    static const L4_Word_t sizes[] = {1, 40, 4096, 9000};
    L4_ThreadId_t id = worker_start(receive_here, TEST_PRIORITY + 1);
    fill(3);
    for (unsigned i = 0; i < 4; i++) {
        memset(target, 0x5a, sizeof target);
        EQUAL(send_string(id, sizes[i], source + 1), 0);
        EQUAL(told[0], 0);
        EQUAL(told[2], (uintptr_t)(target + 3));
        EQUAL(target[2], 0x5a);
        EQUAL(target[3 + sizes[i]], 0x5a);
        for (L4_Word_t k = 0; k < sizes[i]; k++) {
            EQUAL(target[3 + k], byte_of(3, 1 + k));
        }
    }
}

/* ---- pieces ---- */

/* Sends the string that `words` describe into the buffers; all 24 bytes of it arrive in order. */
static bool pieces_case(struct task *child, unsigned ns, const L4_Word_t *s, unsigned nb,
                        const L4_Word_t *b, const L4_Word_t places[24]) {
    struct child_ipc c = {.from = L4_MyGlobalId().raw,
                          .timeouts = L4_Timeouts(L4_Never, PATIENCE),
                          .num_buffers = nb + 1,
                          .buffers = {1}};
    for (unsigned i = 0; i < nb; i++) {
        c.buffers[1 + i] = b[i];
    }
    TRY(child_ipc(child, &c));
    L4_LoadMR(0, L4_MakeMsgTag(0, 0, ns).raw);
    L4_LoadMRs(1, ns, s);
    TRY(error_of(L4_Send_Timeout(child->id, PATIENCE)) == 0);
    struct outcome o = child_wait(child);
    TRY(o.kind == OUTCOME_DONE && o.words[0] == 0);
    for (L4_Word_t i = 0; i < 24; i++) {
        TRY(byte_at(child, places[i]) == byte_of(4, i));
    }
    return true;
}

static void compound(void) {
    struct task *child = child_with(TARGET, 4, true);
    CHECK(child != NULL);
    fill(4);
    L4_Word_t at = (L4_Word_t)source;
    L4_Word_t places[24], split[24];
    for (L4_Word_t i = 0; i < 24; i++) {
        places[i] = TARGET + 0x10 + i;
        split[i] = i < 10   ? TARGET + 0x100 + i
                   : i < 20 ? TARGET + 0x1ff8 + i - 10
                            : TARGET + 0x40 + i - 20;
    }
    /* Three pieces of 8; 8 and 16, continued; a group of two and a group of one. */
    const L4_Word_t three[] = {8 << 10 | 2 << 4, at, at + 8, at + 16};
    const L4_Word_t continued[] = {8 << 10 | L4_STRING_CONTINUED, at, 16 << 10, at + 8};
    const L4_Word_t mixed[] = {4 << 10 | 1 << 4 | L4_STRING_CONTINUED, at, at + 4, 16 << 10,
                               at + 8};
    const L4_Word_t simple[] = {24 << 10, at};
    const L4_Word_t one_buffer[] = {100 << 10, TARGET + 0x10};
    const L4_Word_t two_groups[] = {10 << 10 | 1 << 4 | L4_STRING_CONTINUED, TARGET + 0x100,
                                    TARGET + 0x1ff8, 10 << 10, TARGET + 0x40};
    CHECK(pieces_case(child, 4, three, 2, one_buffer, places));
    CHECK(pieces_case(child, 4, continued, 2, one_buffer, places));
    CHECK(pieces_case(child, 5, mixed, 2, one_buffer, places));
    CHECK(pieces_case(child, 2, simple, 5, two_groups, split));
    CHECK(pieces_case(child, 4, three, 5, two_groups, split));
    CHECK(pieces_case(child, 5, mixed, 5, two_groups, split));
}

/* Three strings go to three buffers, and the map item between them is mapped. */
static void several(void) {
    struct task *child = child_with(TARGET, 4, true);
    CHECK(child != NULL);
    fill(5);
    const struct child_ipc c = {.from = L4_MyGlobalId().raw,
                                .timeouts = L4_Timeouts(L4_Never, PATIENCE),
                                .num_buffers = 7,
                                .buffers = {L4_CompleteAddressSpace.raw | 1, 50 << 10 | 1, TARGET,
                                            50 << 10 | 1, TARGET + 0x1000, 50 << 10,
                                            TARGET + 0x2000}};
    CHECK(child_ipc(child, &c));
    L4_Msg_t msg;
    L4_MsgClear(&msg);
    L4_MsgAppendWord(&msg, 7);
    L4_MsgAppendSimpleStringItem(&msg, L4_StringItem(50, source));
    L4_MsgAppendSimpleStringItem(&msg, L4_StringItem(20, source + 50));
    L4_MsgAppendMapItem(
        &msg, L4_MapItem(L4_FpageAddRights(L4_FpageLog2((L4_Word_t)source, 12), L4_Readable),
                         0x00400000));
    L4_MsgAppendSimpleStringItem(&msg, L4_StringItem(49, source + 70));
    EQUAL(L4_TypedWords(L4_MsgMsgTag(&msg)), 8);
    EQUAL(msg.msg[2] & 1, 1);
    EQUAL(msg.msg[8] & 1, 0);
    L4_MsgLoad(&msg);
    EQUAL(error_of(L4_Send_Timeout(child->id, PATIENCE)), 0);
    struct outcome o = child_wait(child);
    EQUAL(o.words[0], 0);
    CHECK(same_bytes(child, TARGET, 50, 5, 0));
    CHECK(same_bytes(child, TARGET + 0x1000, 20, 5, 50));
    CHECK(same_bytes(child, TARGET + 0x2000, 49, 5, 70));
    EQUAL(child_read(child, 0x00400004), CHILD_PATTERN(5, 1));
    (void)L4_UnmapFpage(L4_FpageAddRights(L4_FpageLog2((L4_Word_t)source, 12), L4_FullyAccessible));
}

/* ---- what is refused ---- */

static const struct {
    const char *what;
    L4_Word_t num_buffers, buffers[5];
    L4_Word_t typed, items[6];
    L4_Word_t copied;
} refused[] = {
    {"no acceptor", 3, {0, 100 << 10, TARGET}, 2, {8 << 10, 0}, 0},
    {"buffer too small", 3, {1, 7 << 10, TARGET}, 2, {8 << 10, 0}, 7},
    {"second string without buffer", 3, {1, 64 << 10, TARGET}, 4, {8 << 10 | 1, 0, 8 << 10, 0}, 8},
    {"a buffer that is a map item", 3, {1, 64 << 10 | 8, TARGET}, 2, {8 << 10, 0}, 0},
    {"more pointers than words", 3, {1, 64 << 10, TARGET}, 2, {8 << 10 | 31 << 4, 0}, 0},
    {"continued by nothing", 3, {1, 64 << 10, TARGET}, 2, {8 << 10 | 0x200, 0}, 8},
    {"continued by a map item", 3, {1, 64 << 10, TARGET}, 4, {8 << 10 | 0x200, 0, 8, 0}, 8},
};

static void overflow(void) {
    struct task *child = child_with(TARGET, 1, true);
    CHECK(child != NULL);
    fill(6);
    for (unsigned i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        struct child_ipc c = {.from = L4_MyGlobalId().raw,
                              .timeouts = L4_Timeouts(L4_Never, PATIENCE),
                              .num_buffers = refused[i].num_buffers};
        L4_Word_t items[6];
        memcpy(c.buffers, refused[i].buffers, sizeof refused[i].buffers);
        memcpy(items, refused[i].items, sizeof items);
        for (unsigned k = 1; k < 6; k += 2) {
            items[k] = (L4_Word_t)source; /* every second word is a pointer */
        }
        CHECK(child_ipc(child, &c));
        L4_LoadMR(0, L4_MakeMsgTag(0, 0, refused[i].typed).raw);
        L4_LoadMRs(1, refused[i].typed, items);
        L4_Word_t error = error_of(L4_Send_Timeout(child->id, PATIENCE));
        FAIL_IF(error !=
                    (refused[i].copied << 4 | L4_IPC_ERROR(L4_IPC_ERR_OVERFLOW, L4_IPC_PHASE_SEND)),
                refused[i].what, error, i);
        struct outcome o = child_wait(child);
        FAIL_IF(o.words[0] != (refused[i].copied << 4 |
                               L4_IPC_ERROR(L4_IPC_ERR_OVERFLOW, L4_IPC_PHASE_RECEIVE)),
                refused[i].what, o.words[0], i);
    }
    CHECK(same_bytes(child, TARGET, 7, 6, 0));
}

/* ---- page faults during the copy ---- */

static struct task *volatile paged[2];
static volatile unsigned served, denied;
static volatile L4_Word_t last_address, last_access;
static volatile bool silent;

/* Serves the faults of both; with `silent` it leaves them waiting. */
static void pager(void) {
    L4_ThreadId_t from;
    L4_MsgTag_t tag = L4_Wait(&from);
    for (;;) {
        L4_Word_t address;
        struct task *task = paged[0]->id.raw == from.raw ? paged[0] : paged[1];
        L4_StoreMR(1, &address);
        last_address = address;
        last_access = L4_Label(tag) & 7;
        if (silent || !task_fault(task, tag, address)) {
            denied++;
            tag = L4_Wait(&from);
        } else {
            served++;
            tag = L4_ReplyWait(from, &from);
        }
    }
}

/* Sender and receiver, each with pages that it has not touched, and a pager for both. */
static bool pair(bool touch_source, bool touch_target) {
    struct task *a = child_with(SOURCE, 3, true);
    struct task *b = child_with(TARGET, 3, touch_target);
    TRY(a != NULL && b != NULL);
    TRY(child_fill(a, SOURCE, 3 * 1024, 9));
    if (!touch_source) {
        for (unsigned i = 0; i < 3; i++) {
            L4_Word_t frame = (L4_Word_t)task_page_at(a, SOURCE + i * FRAME_SIZE)->frame;
            (void)L4_UnmapFpage(L4_FpageAddRights(L4_FpageLog2(frame, 12), L4_FullyAccessible));
        }
    }
    paged[0] = a;
    paged[1] = b;
    served = denied = 0;
    silent = false;
    L4_ThreadId_t id = worker_start(pager, TEST_PRIORITY);
    for (unsigned i = 0; i < 2; i++) {
        TRY(L4_ThreadControl(paged[i]->id, paged[i]->id, L4_nilthread, id, (void *)~(uintptr_t)0) ==
            1);
    }
    return true;
}

/* Starts the transfer of 3 pages less 8 bytes, from one child to the other. */
static bool start_pair(L4_Word_t send_timeout, L4_Word_t receive_timeout) {
    const struct child_ipc send = {.to = paged[1]->id.raw,
                                   .timeouts = L4_Timeouts(PATIENCE, L4_Never),
                                   .xfer_timeouts = send_timeout << 16,
                                   .num_buffers = 1,
                                   .num_words = 3,
                                   .words = {L4_MakeMsgTag(0, 0, 2).raw, 0x2ff8 << 10, SOURCE + 4}};
    const struct child_ipc receive = {.from = paged[0]->id.raw,
                                      .timeouts = L4_Timeouts(L4_Never, PATIENCE),
                                      .xfer_timeouts = receive_timeout,
                                      .num_buffers = 3,
                                      .buffers = {1, 0x2ff8 << 10, TARGET + 4}};
    TRY(child_ipc(paged[1], &receive));
    TRY(child_ipc(paged[0], &send));
    return true;
}

static bool pair_ends(L4_Word_t send_error, L4_Word_t receive_error) {
    struct outcome a = child_wait(paged[0]);
    struct outcome b = child_wait(paged[1]);
    if (a.kind != OUTCOME_DONE || a.words[0] != send_error) {
        test_fail(__FILE_NAME__, __LINE__, "sender's error", a.words[0], send_error);
        return false;
    }
    if (b.kind != OUTCOME_DONE || b.words[0] != receive_error) {
        test_fail(__FILE_NAME__, __LINE__, "receiver's error", b.words[0], receive_error);
        return false;
    }
    return true;
}

static bool arrived(void) {
    for (L4_Word_t i = 0; i < 0x2ff8; i++) {
        TRY(byte_at(paged[1], TARGET + 4 + i) == byte_of(9, 4 + i));
    }
    return true;
}

static void fault_in_sender(void) {
    CHECK(pair(false, true) && start_pair(0, 0) && pair_ends(0, 0) && arrived());
    EQUAL(served, 3);
    EQUAL(last_address, SOURCE + 2 * FRAME_SIZE);
    EQUAL(last_access, L4_Readable);
}

static void fault_in_receiver(void) {
    CHECK(pair(true, false) && start_pair(0, 0) && pair_ends(0, 0) && arrived());
    EQUAL(served, 3);
    EQUAL(last_address, TARGET + 2 * FRAME_SIZE);
    EQUAL(last_access, L4_Writable);
}

static void fault_in_both(void) {
    CHECK(pair(false, false) && start_pair(0, 0) && pair_ends(0, 0) && arrived());
    EQUAL(served, 6);
}

/* A target that may be read only: its pager is asked for the write right. */
static void read_only_target(void) {
    CHECK(pair(true, true));
    task_page_at(paged[1], TARGET + FRAME_SIZE)->rights = L4_Readable;
    L4_Word_t frame = (L4_Word_t)task_page_at(paged[1], TARGET + FRAME_SIZE)->frame;
    (void)L4_UnmapFpage(L4_FpageAddRights(L4_FpageLog2(frame, 12), L4_Writable));
    L4_Word_t timeout = L4_TimePeriod(30000).raw;
    CHECK(start_pair(timeout, timeout));
    CHECK(pair_ends(0xffc << 4 | L4_IPC_ERROR(L4_IPC_ERR_XFER_OTHER, L4_IPC_PHASE_SEND),
                    0xffc << 4 | L4_IPC_ERROR(L4_IPC_ERR_XFER_SELF, L4_IPC_PHASE_RECEIVE)));
    EQUAL(denied, 1);
    EQUAL(last_address, TARGET + FRAME_SIZE);
    EQUAL(last_access, L4_Writable);
}

/* A transfer timeout of zero, on either side, allows no page fault at all. */
static void timeout_zero(void) {
    CHECK(pair(false, true));
    CHECK(start_pair(L4_ZERO_RAW, 0));
    CHECK(pair_ends(L4_IPC_ERROR(L4_IPC_ERR_XFER_SELF, L4_IPC_PHASE_SEND),
                    L4_IPC_ERROR(L4_IPC_ERR_XFER_OTHER, L4_IPC_PHASE_RECEIVE)));
    CHECK(start_pair(0, L4_ZERO_RAW));
    CHECK(pair_ends(L4_IPC_ERROR(L4_IPC_ERR_XFER_SELF, L4_IPC_PHASE_SEND),
                    L4_IPC_ERROR(L4_IPC_ERR_XFER_OTHER, L4_IPC_PHASE_RECEIVE)));
    EQUAL(served + denied, 0);
    CHECK(start_pair(0, 0) && pair_ends(0, 0) && arrived());
}

/* A pager that does not answer: the smaller of both transfer timeouts ends it. */
static void timeout_in_fault(void) {
    CHECK(pair(true, false));
    silent = true;
    L4_Word64_t start = L4_SystemClock().raw;
    CHECK(start_pair(L4_TimePeriod(40000).raw, L4_TimePeriod(400000).raw));
    CHECK(pair_ends(L4_IPC_ERROR(L4_IPC_ERR_XFER_OTHER, L4_IPC_PHASE_SEND),
                    L4_IPC_ERROR(L4_IPC_ERR_XFER_SELF, L4_IPC_PHASE_RECEIVE)));
    L4_Word_t lasted = (L4_Word_t)(L4_SystemClock().raw - start);
    CHECK(lasted >= 39000 && lasted < 200000);
    EQUAL(denied, 1);
}

/* Either side of a copy that waits is cancelled or deleted: the other's IPC is aborted. */
static void aborted(void) {
    struct outcome o;
    L4_Word_t state;
    CHECK(pair(true, false));
    silent = true;
    CHECK(start_pair(0, 0));
    L4_Sleep(L4_TimePeriod(20000));
    EQUAL(L4_TimesliceWord(paged[0]->id, &state), L4_SCHEDULE_SENDING);
    EQUAL(L4_TimesliceWord(paged[1]->id, &state), L4_SCHEDULE_RECEIVING);
    child_delete(paged[1]);
    o = child_wait(paged[0]);
    EQUAL(o.words[0], L4_IPC_ERROR(L4_IPC_ERR_ABORTED, L4_IPC_PHASE_SEND));
    child_delete(paged[0]);
}

static void sender_deleted(void) {
    CHECK(pair(false, true));
    silent = true;
    CHECK(start_pair(0, 0));
    L4_Sleep(L4_TimePeriod(20000));
    child_delete(paged[0]);
    struct outcome o = child_wait(paged[1]);
    EQUAL(o.words[0], L4_IPC_ERROR(L4_IPC_ERR_ABORTED, L4_IPC_PHASE_RECEIVE));
}

/* The pager itself goes: the thread faults again, to the next one. */
static void pager_replaced(void) {
    CHECK(pair(false, true));
    silent = true;
    CHECK(start_pair(0, 0));
    L4_Sleep(L4_TimePeriod(20000));
    EQUAL(denied, 1);
    EQUAL(L4_ThreadControl(paged[0]->id, paged[0]->id, L4_nilthread, L4_MyGlobalId(),
                           (void *)~(uintptr_t)0),
          1);
    workers_delete_all();
    CHECK(pair_ends(0, 0) && arrived());
}

/* One frame in both spaces: what is read and what is written share it. */
static void shared_frame(void) {
    struct task *a = child_with(SOURCE, 1, true);
    struct task *b = child_new();
    CHECK(a != NULL && b != NULL);
    CHECK(task_add_page(b, TARGET, task_page_at(a, SOURCE)->frame, L4_ReadWriteOnly) != NULL);
    CHECK(child_fill(a, SOURCE, 1024, 11));
    CHECK(child_holds(b, TARGET, 1024, 11));
    const struct child_ipc send = {.to = b->id.raw,
                                   .timeouts = L4_Timeouts(PATIENCE, L4_Never),
                                   .num_buffers = 1,
                                   .num_words = 3,
                                   .words = {L4_MakeMsgTag(0, 0, 2).raw, 2048 << 10, SOURCE}};
    CHECK(receives(b, a->id, TARGET + 2048, 2048));
    CHECK(child_ipc(a, &send));
    EQUAL(child_wait(a).words[0], 0);
    EQUAL(child_wait(b).words[0], 0);
    CHECK(child_holds(b, TARGET, 512, 11));
    CHECK(child_holds(b, TARGET + 2048, 512, 11));
    CHECK(child_holds(a, SOURCE + 2048, 512, 11));
    b->num_pages--; /* the frame is given back once */
}

/* Pointers at and above the kernel's addresses read and write nothing. */
static void kernel_pointers(void) {
    static const L4_Word_t places[] = {KERNEL_PLACES};
    struct task *child = child_with(TARGET, 1, true);
    CHECK(child != NULL);
    fill(7);
    L4_Word_t zero = L4_ZERO_RAW | (L4_Word_t)L4_ZERO_RAW << 16;
    for (unsigned i = 0; i < 4; i++) {
        CHECK(receives(child, L4_MyGlobalId(), TARGET, 16));
        L4_Set_XferTimeouts(zero);
        L4_Word_t error = send_string(child->id, 16, (void *)(uintptr_t)places[i]);
        EQUAL(error, L4_IPC_ERROR(L4_IPC_ERR_XFER_SELF, L4_IPC_PHASE_SEND));
        EQUAL(child_wait(child).words[0],
              L4_IPC_ERROR(L4_IPC_ERR_XFER_OTHER, L4_IPC_PHASE_RECEIVE));
        CHECK(receives(child, L4_MyGlobalId(), places[i], 16));
        error = send_string(child->id, 16, source);
        L4_Set_XferTimeouts(0);
        EQUAL(error, L4_IPC_ERROR(L4_IPC_ERR_XFER_OTHER, L4_IPC_PHASE_SEND));
        EQUAL(child_wait(child).words[0], L4_IPC_ERROR(L4_IPC_ERR_XFER_SELF, L4_IPC_PHASE_RECEIVE));
    }
    CHECK(receives(child, L4_MyGlobalId(), TASK_UTCBS + 0x100, 16));
    L4_Set_XferTimeouts(zero);
    EQUAL(send_string(child->id, 16, source),
          L4_IPC_ERROR(L4_IPC_ERR_XFER_OTHER, L4_IPC_PHASE_SEND));
    L4_Set_XferTimeouts(0);
    EQUAL(child_wait(child).kind, OUTCOME_DONE);
}

const struct test string_tests[] = {
    {"string_lengths", lengths},
    {"string_of_a_device", of_a_device},
    {"string_seen_by_the_program", seen_by_the_program},
    {"string_long", long_string},
    {"string_interrupted", interrupted},
    {"string_same_space", same_space},
    {"string_compound", compound},
    {"string_several", several},
    {"string_overflow", overflow},
    {"string_fault_in_sender", fault_in_sender},
    {"string_fault_in_receiver", fault_in_receiver},
    {"string_fault_in_both", fault_in_both},
    {"string_read_only_target", read_only_target},
    {"string_timeout_zero", timeout_zero},
    {"string_timeout_in_fault", timeout_in_fault},
    {"string_aborted", aborted},
    {"string_sender_deleted", sender_deleted},
    {"string_pager_replaced", pager_replaced},
    {"string_shared_frame", shared_frame},
    {"string_kernel_pointers", kernel_pointers},
    {NULL, NULL},
};
