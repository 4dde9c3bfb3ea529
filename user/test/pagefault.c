/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Page faults served by a pager: what the message says for each instruction, what is in registers
 * and caches afterwards, who waits, and who goes on. (What else an answer can be: answer.c.)
 */
#include "paged.h"

#define CODE 0x00200000u

/* ---- the fault's message ---- */

static const struct {
    code_t instruction;
    L4_Word_t access;
    L4_Word_t loads;  /* what it returns; 0: do not ask */
    L4_Word_t offset; /* where it accesses */
} accesses[] = {CODE_ACCESSES};
#define ACCESSES (sizeof accesses / sizeof accesses[0])

static void instructions(void) {
    NEEDS_PROTECTION;
    struct task *child = paged_usual();
    CHECK(child != NULL);
    code_t *code = (code_t *)(void *)task_add_page(child, CODE, NULL, L4_ReadeXecOnly);
    CHECK(code != NULL);
    for (unsigned i = 0; i < ACCESSES; i++) {
        L4_Word_t address = (i % 2 != 0 ? PAGED_LOW : PAGED_HIGH) + i * FRAME_SIZE;
        const code_t function[] = CODE_ACCESS(accesses[i].instruction, address);
        memcpy(&code[i * 8], function, sizeof function);
    }
    for (unsigned i = 0; i < ACCESSES; i++) {
        paged_frame[0] = 0x1234; /* (takes the page from whoever had it) */
        paged_frame[1] = 0x5678;
        paged_faults = 0;
        L4_Word_t got = child_execute(child, CODE + i * 32);
        L4_Word_t address = (i % 2 != 0 ? PAGED_LOW : PAGED_HIGH) + i * FRAME_SIZE;
        CHECK(paged_was(0, child, address + accesses[i].offset, accesses[i].access));
        EQUAL(paged_seen[0].ip, CODE + i * 32 + CODE_ACCESS_IP);
        EQUAL(paged_faults, 1);
        if (accesses[i].loads != 0) {
            EQUAL(got, accesses[i].loads);
        }
    }
    paged_end();
}

/* A missing page of code: the message says so, at its own address. */
static void execute(void) {
    NEEDS_PROTECTION;
    struct task *child = paged_usual();
    CHECK(child != NULL);
    put_function(&paged_frame[16], 0x21);
    EQUAL(child_execute(child, PAGED_LOW + 64), 0x21);
    CHECK(paged_was(0, child, PAGED_LOW + 64, L4_eXecutable));
    EQUAL(paged_seen[0].ip, PAGED_LOW + 64);
    EQUAL(child_execute(child, PAGED_HIGH + 64), 0x21);
    CHECK(paged_was(1, child, PAGED_HIGH + 64, L4_eXecutable));
    EQUAL(paged_faults, 2);
    paged_end();
}

/* What the program has in its registers, and its flags, is there again. */
static void registers(void) {
    NEEDS_PROTECTION;
    struct task *child = paged_usual();
    CHECK(child != NULL);
    for (L4_Word_t i = 0; i < 16; i++) {
        struct outcome o = child_do(child, CHILD_FAULT_KEEPS, PAGED_LOW + i * FRAME_SIZE,
                                    i << 28 | (0x00abc000 + i), 0, 0);
        EQUAL(o.kind, OUTCOME_DONE);
        EQUAL(o.words[0], 0);
        EQUAL(paged_seen[i].rest[0], 0); /* what the program has in registers is its own affair */
        EQUAL(paged_seen[i].rest[1], 0);
    }
    EQUAL(paged_faults, 16);
    paged_end();
}

/* Each page of many, in an order of chance, faults once and is the right one. */
static void many(void) {
    NEEDS_PROTECTION;
    struct task *child = paged_usual();
    CHECK(child != NULL);
    for (unsigned i = 0; i < PAGED_SEEN; i++) {
        L4_Word_t va = (i % 2 != 0 ? PAGED_LOW : PAGED_HIGH) + (i * 37 % PAGED_SEEN) * 0xd000;
        EQUAL(child_read(child, va + 4), 0x5678);
        CHECK(paged_was(i, child, va + 4, L4_Readable));
        EQUAL(paged_faults, i + 1);
        EQUAL(child_read(child, va), 0x1234);
        EQUAL(paged_faults, i + 1);
    }
    paged_end();
}

/* More spaces than domains, all with the same pager: translations are taken away in between. */
static void many_spaces(void) {
    NEEDS_PROTECTION;
    CHECK(paged_usual() != NULL);
    static struct task *children[18];
    for (unsigned i = 0; i < 18; i++) {
        children[i] = paged_child(1);
        CHECK(children[i] != NULL);
    }
    for (unsigned i = 0; i < 54; i++) {
        struct task *child = children[i * 7 % 18];
        paged_children[1] = child;
        L4_Word_t va = (i & 1 ? PAGED_HIGH : PAGED_LOW) + i * FRAME_SIZE;
        EQUAL(child_read(child, va), 0x1234);
        CHECK(paged_was(i, child, va, L4_Readable));
    }
    EQUAL(paged_faults, 54);
    paged_end();
}

/* ---- who waits, and who goes on ---- */

/* A worker that reads or writes where it is told: label the value to write, or 0. */
static volatile L4_Word_t order[8];
static volatile unsigned num_order;

static void toucher(void) {
    L4_ThreadId_t main_thread;
    L4_MsgTag_t tag = L4_Wait(&main_thread);
    L4_Set_Pager(paged_by);
    for (;;) {
        L4_Word_t va;
        L4_StoreMR(1, &va);
        volatile L4_Word32_t *at = (volatile L4_Word32_t *)(uintptr_t)va;
        L4_Word_t value = L4_Label(tag);
        if (value != 0) {
            *at = (L4_Word32_t)value;
        } else {
            value = *at;
        }
        order[num_order % 8] = va;
        num_order++;
        L4_LoadMR(1, value);
        L4_Set_MsgTag(L4_MakeMsgTag(0, 1, 0));
        (void)L4_Send(main_thread); /* it may still be waiting for another */
        tag = L4_Wait(&main_thread);
    }
}

static bool tell(L4_ThreadId_t worker, L4_Word_t va, L4_Word_t write) {
    L4_LoadMR(0, L4_MakeMsgTag(write, 1, 0).raw);
    L4_LoadMR(1, va);
    return error_of(L4_Send_Timeout(worker, PATIENCE)) == 0;
}

/* What it read or wrote; or 0xffffffff. */
static L4_Word_t touched(L4_ThreadId_t worker) {
    L4_Word_t word;
    if (error_of(L4_Receive_Timeout(worker, PATIENCE)) != 0) {
        return 0xffffffff;
    }
    L4_StoreMR(1, &word);
    return word;
}

/* A worker that can be told, and has page tables there (paged.h). */
static L4_ThreadId_t start_toucher(void) {
    L4_ThreadId_t id = worker_start(toucher, TEST_PRIORITY);
    void (*usual)(const struct paged_fault *) = paged_answer;
    paged_answer = paged_give_frame;
    if (!tell(id, PAGED_LOW + PAGED_TABLE, 0) || touched(id) != paged_frame[0] ||
        !tell(id, PAGED_HIGH + PAGED_TABLE, 0) || touched(id) != paged_frame[0]) {
        test_fail(__FILE_NAME__, __LINE__, "a worker touches memory", 0, 1);
    }
    paged_answer = usual;
    paged_faults = 0;
    num_order = 0;
    return id;
}

/* Pagers that answer in each way there is, of the same space, for two threads at a time. */
static void with_pager(void (*body)(void), L4_Word_t priority) {
    NEEDS_PROTECTION;
    paged_begin();
    CHECK(paged_frame != NULL && paged_start(body, priority));
    paged_frame[0] = 0x1234;
    paged_frame[1] = 0x5678;
    struct task *child = body == paged_calling_pager ? NULL : paged_child(0);
    L4_ThreadId_t one = start_toucher();
    L4_ThreadId_t other = worker_start(toucher, TEST_PRIORITY);
    for (L4_Word_t i = 0; i < 16; i++) {
        L4_Word_t va = PAGED_LOW + i * 0x3000;
        CHECK(tell(one, va, 0));
        EQUAL(touched(one), 0x1234);
        if (body == paged_calling_pager) {
            continue; /* it listens to that one only */
        }
        CHECK(tell(one, va + FRAME_SIZE, 0));
        CHECK(tell(other, va + FRAME_SIZE + 4, 0));
        EQUAL(touched(other), 0x5678);
        EQUAL(touched(one), 0x1234);
        EQUAL(child_read(child, va), 0x1234);
    }
    paged_end();
}

/* A pager that waits for one only: another's fault is not for it, and comes when it listens. */
static void closed(void) {
    NEEDS_PROTECTION;
    paged_begin();
    CHECK(paged_frame != NULL && paged_start(paged_calling_pager, TEST_PRIORITY));
    L4_ThreadId_t one = start_toucher();
    L4_ThreadId_t other = worker_start(toucher, TEST_PRIORITY);
    CHECK(tell(one, PAGED_LOW, 0));
    EQUAL(touched(one), 0);
    CHECK(tell(other, PAGED_LOW + FRAME_SIZE, 0));
    L4_Sleep(L4_TimePeriod(5000));
    EQUAL(paged_faults, 1);
    for (L4_Word_t i = 2; i < 5; i++) {
        CHECK(tell(one, PAGED_LOW + i * FRAME_SIZE, 0));
        EQUAL(touched(one), 0);
        EQUAL(paged_seen[i - 1].from, one.raw);
        EQUAL(paged_faults, i);
    }
    worker_delete(one); /* ends the wait for it */
    EQUAL(touched(other), 0);
    EQUAL(paged_seen[4].from, other.raw);
    paged_end();
}

/* It waits for the next one for a millisecond at most: then it does something else. */
static volatile unsigned timeouts;

static void impatient_pager(void) {
    L4_ThreadId_t from;
    L4_MsgTag_t tag = L4_Wait(&from);
    for (;;) {
        if (L4_IpcFailed(tag)) {
            timeouts++;
            tag = L4_Wait(&from);
        } else if (paged_serve(tag, from)) {
            tag = L4_ReplyWait_Timeout(from, L4_TimePeriod(1000), &from);
        } else {
            tag = L4_Wait(&from);
        }
    }
}

static void impatient(void) {
    NEEDS_PROTECTION;
    paged_begin();
    timeouts = 0;
    CHECK(paged_frame != NULL && paged_start(impatient_pager, TEST_PRIORITY));
    L4_ThreadId_t id = start_toucher();
    for (L4_Word_t i = 0; i < 4; i++) {
        CHECK(tell(id, PAGED_LOW + i * FRAME_SIZE, 0));
        EQUAL(touched(id), 0);
        L4_Sleep(L4_TimePeriod(30000));
        EQUAL(timeouts, i + 1);
    }
    paged_end();
}

static void replies(void) {
    with_pager(paged_pager, TEST_PRIORITY);
}

static void sends(void) {
    with_pager(paged_sending_pager, TEST_PRIORITY);
}

static void calls(void) {
    with_pager(paged_calling_pager, TEST_PRIORITY);
}

/* It is not waiting when the faults come, but has yet to run. */
static void unimportant(void) {
    with_pager(paged_pager, TEST_PRIORITY - 10);
}

static void important(void) {
    with_pager(paged_pager, TEST_PRIORITY + 10);
}

/* Two threads want one page, and each answer has another frame for it. The second one replaces the
 * first, as a map item does: also on the way that has noted that there is nothing. */
static void frame_then_second(const struct paged_fault *fault) {
    paged_item(fault->address, L4_ITEM_MAP,
               paged_page(paged_faults == 1 ? paged_frame : paged_second, L4_FullyAccessible));
}

static void one_page_two_answers(void) {
    NEEDS_PROTECTION;
    paged_begin();
    paged_second = frame_alloc();
    CHECK(paged_frame != NULL && paged_second != NULL &&
          paged_start(paged_pager, TEST_PRIORITY - 10));
    paged_answer = frame_then_second;
    L4_ThreadId_t one = start_toucher();
    L4_ThreadId_t other = start_toucher();
    paged_frame[0] = 0x1234;
    paged_second[0] = 0x4321;
    for (unsigned i = 0; i < 4; i++) { /* later we only read them, and nobody has to be woken */
        paged_faults = 0;
        CHECK(tell(one, PAGED_LOW, 0));
        CHECK(tell(other, PAGED_LOW, 0));
        L4_Word_t ones = touched(one);
        L4_Word_t others = touched(other);
        EQUAL(paged_faults, 2);
        EQUAL(ones, paged_seen[0].from == one.raw ? 0x1234 : 0x4321);
        EQUAL(others, paged_seen[0].from == other.raw ? 0x1234 : 0x4321);
        /* The first frame is nowhere any more, whatever becomes of it. */
        (void)L4_UnmapFpage((L4_Fpage_t){.raw = paged_page(paged_frame, L4_FullyAccessible)});
        CHECK(tell(one, PAGED_LOW, 0));
        EQUAL(touched(one), 0x4321);
        (void)L4_UnmapFpage((L4_Fpage_t){.raw = paged_page(paged_second, L4_FullyAccessible)});
        EQUAL(paged_faults, 2);
    }
    frame_free(paged_second);
    paged_end();
}

/* Likewise, and the first answer is 64 KB around. */
static void block_then_frame(const struct paged_fault *fault) {
    if (paged_faults == 1) {
        paged_give_block(fault);
    } else {
        paged_give_frame(fault);
    }
}

static void block_over_a_hole(void) {
    NEEDS_PROTECTION;
    paged_begin();
    paged_memory = (L4_Word_t)(uintptr_t)frames_block();
    CHECK(paged_frame != NULL && paged_start(paged_pager, TEST_PRIORITY - 10));
    paged_answer = block_then_frame;
    L4_ThreadId_t id[2] = {start_toucher(), start_toucher()};
    paged_frame[0] = 0x1234;
    for (L4_Word_t i = 0; i < FRAMES_BLOCK_SIZE; i += FRAME_SIZE) {
        *(volatile L4_Word32_t *)(uintptr_t)(paged_memory + i) = (L4_Word32_t)(0xb0000000 | i);
    }
    CHECK(tell(id[0], PAGED_HIGH + 0x5000, 0));
    CHECK(tell(id[1], PAGED_HIGH + 0x6000, 0));
    L4_Word_t words[2] = {touched(id[0]), touched(id[1])};
    EQUAL(paged_faults, 2);
    for (unsigned i = 0; i < 2; i++) {
        L4_Word_t offset = 0x5000 + i * 0x1000;
        L4_Word_t expected = paged_seen[0].from == id[i].raw ? 0xb0000000 | offset : 0x1234;
        EQUAL(words[i], expected);
        CHECK(tell(id[1 - i], PAGED_HIGH + offset, 0));
        EQUAL(touched(id[1 - i]), expected);
        EQUAL(paged_faults, 2);
    }
    (void)L4_UnmapFpage((L4_Fpage_t){.raw = L4_FpageLog2(paged_memory, FRAMES_BLOCK_LOG2).raw |
                                            L4_FullyAccessible});
    CHECK(tell(id[0], paged_seen[1].address, 0));
    EQUAL(touched(id[0]), 0x1234);
    EQUAL(paged_faults, 2);
    paged_end();
}

/* The answer makes somebody ready who is more important than the one that faulted. */
static L4_ThreadId_t sleeper;

static void rings(const struct paged_fault *fault) {
    L4_Set_MsgTag(L4_Niltag);
    (void)L4_Send(sleeper);
    paged_give_frame(fault);
}

static void notes(void) {
    L4_ThreadId_t from;
    (void)L4_Wait(&from);
    order[num_order % 8] = 1;
    num_order++;
    L4_Sleep(L4_Never);
}

static void priorities(void) {
    NEEDS_PROTECTION;
    paged_begin();
    num_order = 0;
    CHECK(paged_frame != NULL && paged_start(paged_pager, TEST_PRIORITY + 10));
    paged_answer = rings;
    sleeper = worker_start(notes, TEST_PRIORITY + 5);
    L4_ThreadId_t low = worker_start(toucher, TEST_PRIORITY - 10);
    CHECK(tell(low, PAGED_LOW, 0));
    EQUAL(touched(low), paged_frame[0]);
    EQUAL(num_order, 2);
    EQUAL(order[0], 1);
    EQUAL(order[1], PAGED_LOW);
    paged_end();
}

/* Likewise somebody who is more important than the pager, and has been made ready before the fault.
 */
static void notes_and_gives(const struct paged_fault *fault) {
    order[num_order % 8] = 2;
    num_order++;
    paged_give_frame(fault);
}

static void rings_and_touches(void) {
    L4_ThreadId_t main_thread;
    (void)L4_Wait(&main_thread);
    L4_Set_Pager(paged_by);
    L4_Set_MsgTag(L4_Niltag);
    (void)L4_Send(sleeper);
    L4_LoadMR(1, *(volatile L4_Word32_t *)(uintptr_t)PAGED_LOW);
    L4_Set_MsgTag(L4_MakeMsgTag(0, 1, 0));
    (void)L4_Send(main_thread);
    L4_Sleep(L4_Never);
}

static void pager_waits_its_turn(void) {
    NEEDS_PROTECTION;
    paged_begin();
    num_order = 0;
    CHECK(paged_frame != NULL && paged_start(paged_pager, TEST_PRIORITY + 5));
    paged_answer = notes_and_gives;
    sleeper = worker_start(notes, TEST_PRIORITY + 10);
    L4_ThreadId_t id = worker_start(rings_and_touches, TEST_PRIORITY + 20);
    CHECK(tell(id, 0, 0));
    EQUAL(touched(id), 0);
    EQUAL(num_order, 2);
    EQUAL(order[0], 1);
    EQUAL(order[1], 2);
    paged_end();
}

/* Stopped while it waits for its page: it has the page, and goes on when it is let go. */
static void stops(const struct paged_fault *fault) {
    (void)L4_Stop((L4_ThreadId_t){.raw = fault->from});
    paged_give_frame(fault);
}

static void halted(void) {
    NEEDS_PROTECTION;
    paged_begin();
    num_order = 0;
    CHECK(paged_frame != NULL && paged_start(paged_pager, TEST_PRIORITY));
    paged_answer = stops;
    L4_ThreadId_t id = start_toucher();
    CHECK(tell(id, PAGED_LOW, 0x55));
    L4_Sleep(L4_TimePeriod(5000));
    EQUAL(paged_faults, 1);
    EQUAL(num_order, 0);
    (void)L4_ExregsControl(id, L4_EXREGS_WRITE_HALT, 0, 0);
    EQUAL(touched(id), 0x55);
    EQUAL(paged_frame[0], 0x55);
    EQUAL(paged_faults, 1);
    paged_end();
}

/* Somebody else's answer is none, unless it is given in the pager's name. */
static void falls_silent(const struct paged_fault *fault) {
    (void)fault;
    L4_Set_MsgTag(L4_Niltag);
}

static void silent_pager(void) {
    L4_ThreadId_t from;
    for (;;) {
        (void)paged_serve(L4_Wait(&from), from);
    }
}

static volatile L4_Word_t intruders_error;
static L4_ThreadId_t victim;

static void intruder(void) {
    L4_ThreadId_t from;
    paged_item(PAGED_LOW, L4_ITEM_MAP, paged_page(paged_frame, L4_FullyAccessible));
    L4_MsgTag_t tag = L4_Ipc(victim, L4_anythread, L4_Timeouts(L4_ZeroTime, L4_Never), &from);
    intruders_error = error_of(tag);
    L4_Sleep(L4_Never);
}

static void in_its_name(void) {
    NEEDS_PROTECTION;
    paged_begin();
    CHECK(paged_frame != NULL && paged_start(silent_pager, TEST_PRIORITY));
    paged_answer = falls_silent;
    paged_frame[0] = 0x1234;
    L4_ThreadId_t id = worker_start(toucher, TEST_PRIORITY + 1);
    CHECK(tell(id, PAGED_LOW, 0));
    L4_Sleep(L4_TimePeriod(5000));
    EQUAL(paged_faults, 1);
    victim = id;
    intruders_error = 0;
    (void)worker_start(intruder, TEST_PRIORITY);
    L4_Sleep(L4_TimePeriod(5000));
    EQUAL(intruders_error, L4_IPC_ERROR(L4_IPC_ERR_TIMEOUT, L4_IPC_PHASE_SEND));
    paged_item(PAGED_LOW, L4_ITEM_MAP, paged_page(paged_frame, L4_FullyAccessible));
    EQUAL(error_of(L4_Send_Timeout(id, L4_ZeroTime)),
          L4_IPC_ERROR(L4_IPC_ERR_TIMEOUT, L4_IPC_PHASE_SEND));
    paged_item(PAGED_LOW, L4_ITEM_MAP, paged_page(paged_frame, L4_FullyAccessible));
    L4_MsgTag_t tag = L4_MakeMsgTag(0, 0, 2);
    L4_Set_Propagation(&tag);
    L4_Set_VirtualSender(paged_by);
    L4_Set_MsgTag(tag);
    EQUAL(error_of(L4_Send_Timeout(id, L4_ZeroTime)), 0);
    EQUAL(touched(id), 0x1234);
    paged_end();
}

/* A page of our UTCB area where no UTCB is yet is the kernel's to map: no item can. The access
 * there is a fault again and again, so it is not served. */
static void into_own_area(const struct paged_fault *fault) {
    if (paged_faults == 1) {
        paged_item(L4_ROOT_UTCB_AREA + 0x18000, L4_ITEM_MAP,
                   paged_page(paged_frame, L4_FullyAccessible));
    } else {
        paged_give_frame(fault);
    }
}

static void utcb_area(void) {
    NEEDS_PROTECTION;
    paged_begin();
    CHECK(paged_frame != NULL && paged_start(paged_pager, TEST_PRIORITY));
    paged_answer = into_own_area;
    L4_ThreadId_t id = start_toucher();
    CHECK(tell(id, PAGED_LOW, 0x99));
    EQUAL(touched(id), 0x99);
    EQUAL(paged_faults, 2);
    CHECK(tell(id, L4_ROOT_UTCB_AREA + 0x18000, 0));
    EQUAL(error_of(L4_Receive_Timeout(id, L4_TimePeriod(20000))),
          L4_IPC_ERROR(L4_IPC_ERR_TIMEOUT, L4_IPC_PHASE_RECEIVE));
    paged_end();
}

/* A pager that is gone, and whose number another thread has now: that one is not asked. */
static void former_pager(void) {
    NEEDS_PROTECTION;
    struct task *child = paged_usual();
    CHECK(child != NULL);
    L4_ThreadId_t former = L4_GlobalId(L4_ThreadNo(paged_by), L4_Version(paged_by) ^ 0x40);
    EQUAL(L4_ThreadControl(child->id, child->id, L4_nilthread, former, (void *)~(uintptr_t)0), 1);
    const L4_Word_t arguments[1] = {PAGED_LOW};
    CHECK(child_send(child, CHILD_READ, 1, arguments));
    EQUAL(error_of(L4_Receive_Timeout(child->id, L4_TimePeriod(20000))),
          L4_IPC_ERROR(L4_IPC_ERR_TIMEOUT, L4_IPC_PHASE_RECEIVE));
    EQUAL(paged_faults, 0);
    paged_end();
}

/* A space with a redirector asks its pager all the same, whoever the pager is. */
static void redirected(void) {
    NEEDS_PROTECTION;
    struct task *child = paged_usual();
    L4_Word_t old;
    CHECK(child != NULL);
    EQUAL(L4_SpaceControl(child->id, 0, L4_Nilpage, L4_Nilpage, L4_MyGlobalId(), &old), 1);
    EQUAL(child_read(child, PAGED_LOW), 0x1234);
    CHECK(child_write(child, PAGED_HIGH + 8, 7));
    EQUAL(paged_faults, 2);
    EQUAL(L4_SpaceControl(child->id, 0, L4_Nilpage, L4_Nilpage, L4_anythread, &old), 1);
    EQUAL(child_read(child, PAGED_LOW + FRAME_SIZE), 0x1234);
    EQUAL(paged_faults, 3);
    paged_end();
}

/* ---- what is in the caches ---- */

/* The pager goes on using the page: each sees what the other wrote, and no more faults are told. */
static void in_turn(void) {
    NEEDS_PROTECTION;
    struct task *child = paged_usual();
    CHECK(child != NULL);
    for (L4_Word_t i = 0; i < 8; i++) {
        L4_Word_t va = (i % 2 != 0 ? PAGED_LOW : PAGED_HIGH) + i / 2 * FRAME_SIZE;
        paged_faults = 0;
        paged_frame[i] = (L4_Word32_t)(i + 1); /* dirty in our cache */
        if (i % 4 < 2) {
            EQUAL(child_read(child, va + i * 4), i + 1);
        }
        CHECK(child_write(child, va + i * 4, i + 0x100));
        EQUAL(paged_frame[i], i + 0x100);
        paged_frame[i] = (L4_Word32_t)(i + 0x200);
        EQUAL(child_read(child, va + i * 4), i + 0x200);
        EQUAL(paged_faults, 1);
    }
    /* Nine mappings of one frame by now. */
    for (L4_Word_t i = 0; i < 8; i++) {
        EQUAL(child_read(child, (i % 2 != 0 ? PAGED_LOW : PAGED_HIGH) + i / 2 * FRAME_SIZE),
              paged_frame[0]);
    }
    EQUAL(paged_faults, 1);
    paged_end();
}

/* A child that has the frame at our address (so its lines may be ours, and both may write it), and
 * then one that has it elsewhere, while we have it for reading. */
static void at_our_address(void) {
    NEEDS_PROTECTION;
    struct task *child = paged_usual();
    CHECK(child != NULL);
    struct task *other = paged_child(1);
    L4_Word_t ours = (L4_Word_t)(uintptr_t)paged_frame;
    L4_Fpage_t page = {.raw = paged_page(paged_frame, L4_FullyAccessible)};
    CHECK(other != NULL);
    CHECK(child_write(child, ours + 0x800, 1)); /* there is a page table */
    for (L4_Word_t i = 0; i < 4; i++) {
        /* Two of them only read it: then we have it for reading, and nobody writes it. */
        (void)L4_UnmapFpage(page);
        EQUAL(child_read(other, PAGED_LOW), 0x1234 + i);
        (void)L4_UnmapFpage(page);
        EQUAL(child_read(other, PAGED_HIGH), 0x1234 + i);
        (void)L4_UnmapFpage(page);
        paged_faults = 0;
        CHECK(child_write(child, ours, i));
        EQUAL(child_read(child, ours), i);
        CHECK(child_write(child, ours, 0x1235 + i));
        EQUAL(child_read(other, PAGED_LOW), 0x1235 + i);
        CHECK(child_write(child, ours, i));
        EQUAL(child_read(other, PAGED_LOW), i);
        CHECK(child_write(child, ours, 0x1235 + i));
        EQUAL(child_read(other, PAGED_LOW), 0x1235 + i);
        EQUAL(paged_faults, 2);
    }
    paged_end();
}

/* A frame that is not to be cached, and one that is no memory. */
static void give_device(const struct paged_fault *fault) {
    paged_item(fault->address, L4_ITEM_MAP, paged_page((void *)paged_memory, L4_ReadWriteOnly));
}

static void not_cached(void) {
    NEEDS_PROTECTION;
    struct task *child = paged_usual();
    CHECK(child != NULL);
    L4_Fpage_t page = {.raw = paged_page(paged_frame, L4_FullyAccessible)};
    EQUAL(L4_Set_PageAttribute(page, L4_MEMORY_UNCACHED), 1);
    EQUAL(child_read(child, PAGED_LOW), 0x1234);
    paged_frame[0] = 0x77;
    EQUAL(child_read(child, PAGED_LOW), 0x77);
    CHECK(child_write(child, PAGED_LOW, 0x88));
    EQUAL(paged_frame[0], 0x88);
    EQUAL(paged_faults, 1);
    (void)L4_UnmapFpage(page);
    EQUAL(L4_Set_PageAttribute(page, L4_MEMORY_DEFAULT), 1);
    paged_memory = test_board()->page;
    if (paged_memory != 0) {
        paged_answer = give_device;
        EQUAL(child_do(child, CHILD_READ, PAGED_HIGH, 0, 0, 0).kind, OUTCOME_DONE);
        EQUAL(paged_faults, 2);
        page.raw = paged_page((void *)paged_memory, L4_FullyAccessible);
        (void)L4_UnmapFpage(page);
    }
    paged_end();
}

const struct test pagefault_tests[] = {
    {"pagefault_instructions", instructions},
    {"pagefault_execute", execute},
    {"pagefault_registers", registers},
    {"pagefault_many", many},
    {"pagefault_many_spaces", many_spaces},
    {"pagefault_replies", replies},
    {"pagefault_sends", sends},
    {"pagefault_calls", calls},
    {"pagefault_closed", closed},
    {"pagefault_impatient", impatient},
    {"pagefault_unimportant", unimportant},
    {"pagefault_important", important},
    {"pagefault_one_page_two_answers", one_page_two_answers},
    {"pagefault_block_over_a_hole", block_over_a_hole},
    {"pagefault_priorities", priorities},
    {"pagefault_pager_waits_its_turn", pager_waits_its_turn},
    {"pagefault_halted", halted},
    {"pagefault_in_its_name", in_its_name},
    {"pagefault_utcb_area", utcb_area},
    {"pagefault_former_pager", former_pager},
    {"pagefault_redirected", redirected},
    {"pagefault_in_turn", in_turn},
    {"pagefault_at_our_address", at_our_address},
    {"pagefault_not_cached", not_cached},
    {NULL, NULL},
};
