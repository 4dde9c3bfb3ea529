/* SPDX-License-Identifier: Apache-2.0 */
/* Page faults and exceptions, as their messages tell them. */
#include "test.h"

#define PAGE 0x00040000u

static void read_fault(void) {
    NEEDS_PROTECTION;
    struct task *child = child_new();
    CHECK(child != NULL);
    CHECK(child_denied(child, CHILD_READ, PAGE + 0x124, L4_Readable));
    CHECK(child_denied(child, CHILD_READ, 0x7ff00ffc, L4_Readable));
}

static void write_fault(void) {
    NEEDS_PROTECTION;
    struct task *child = child_new();
    CHECK(child != NULL);
    CHECK(child_denied(child, CHILD_WRITE, PAGE + 0x248, L4_Writable));
    CHECK(child_denied(child, CHILD_WRITE, 0x80000000, L4_Writable));
}

static void execute_fault(void) {
    NEEDS_PROTECTION;
    struct task *child = child_new();
    CHECK(child != NULL);
    struct outcome o = child_do(child, CHILD_EXECUTE, PAGE + 0x40, 0, 0, 0);
    EQUAL(o.kind, OUTCOME_FAULT);
    EQUAL(o.words[0], PAGE + 0x40);
    EQUAL(o.words[1], PAGE + 0x40);
    EQUAL(o.access, L4_eXecutable);
    CHECK(child_forgive(child, &o));
}

/* The instruction pointer of a data fault is the instruction's, in the child's code. */
static void fault_ip(void) {
    NEEDS_PROTECTION;
    struct task *child = child_new();
    CHECK(child != NULL);
    struct outcome o = child_do(child, CHILD_WRITE, PAGE, 0, 0, 0);
    EQUAL(o.kind, OUTCOME_FAULT);
    const struct task_page *code = task_page_at(child, o.words[1]);
    CHECK(code != NULL && (code->rights & L4_eXecutable) != 0);
    code_t instruction;
    memcpy(&instruction, code->frame + (o.words[1] & 0xfff), sizeof instruction);
    CHECK(CODE_STORES(instruction));
    CHECK(child_forgive(child, &o));
}

/* Read first, then written: a write fault, since the page was given for reading only. */
static void write_to_read_only(void) {
    NEEDS_PROTECTION;
    struct task *child = child_new();
    CHECK(child != NULL);
    CHECK(task_add_page(child, PAGE, NULL, L4_Readable) != NULL);
    EQUAL(child_read(child, PAGE + 4), 0);
    CHECK(child_denied(child, CHILD_WRITE, PAGE + 4, L4_Writable));
    EQUAL(child_read(child, PAGE + 4), 0);
}

/* An answer without a mapping, or with too small rights: the fault comes again, nothing else. */
static void useless_answer(void) {
    NEEDS_PROTECTION;
    struct task *child = child_new();
    CHECK(child != NULL);
    struct outcome o = child_do(child, CHILD_WRITE, PAGE, 5, 0, 0);
    EQUAL(o.kind, OUTCOME_FAULT);
    L4_Set_MsgTag(L4_Niltag);
    EQUAL(error_of(L4_Send_Timeout(child->id, PATIENCE)), 0);
    struct outcome again = child_wait(child);
    EQUAL(again.kind, OUTCOME_FAULT);
    EQUAL(again.words[0], PAGE);
    EQUAL(again.access, L4_Writable);
    CHECK(child_forgive(child, &again));
}

/* Many pages, given by faults one by one, all in one space. */
static void many_pages(void) {
    NEEDS_PROTECTION;
    struct task *child = child_new();
    CHECK(child != NULL);
    unsigned n = TASK_PAGES - child->num_pages;
    for (unsigned i = 0; i < n; i++) {
        CHECK(task_add_page(child, 0x00100000 + i * 0x21000, NULL, L4_ReadWriteOnly) != NULL);
    }
    for (unsigned i = 0; i < n; i++) {
        CHECK(child_fill(child, 0x00100000 + i * 0x21000, 16, i));
    }
    for (unsigned i = 0; i < n; i++) {
        CHECK(child_holds(child, 0x00100000 + i * 0x21000, 16, i));
    }
}

/* ---- a pager that is another thread ---- */

static struct task *volatile paged;
static volatile unsigned pages_served;

static void pager(void) {
    L4_ThreadId_t from;
    L4_MsgTag_t tag = L4_Wait(&from);
    for (;;) {
        L4_Word_t address;
        L4_StoreMR(1, &address);
        if ((L4_Label(tag) & (L4_LABEL(-1) | 8)) == L4_LABEL_PAGEFAULT &&
            from.raw == paged->id.raw && task_fault(paged, tag, address)) {
            pages_served++;
            tag = L4_ReplyWait(from, &from);
        } else {
            tag = L4_Wait(&from);
        }
    }
}

static void other_pager(void) {
    NEEDS_PROTECTION;
    struct task *child = child_new();
    CHECK(child != NULL);
    for (L4_Word_t i = 0; i < 8; i++) {
        CHECK(task_add_page(child, PAGE + i * 4096, NULL, L4_FullyAccessible) != NULL);
    }
    paged = child;
    pages_served = 0;
    L4_ThreadId_t id = worker_start(pager, TEST_PRIORITY);
    EQUAL(L4_ThreadControl(child->id, child->id, L4_nilthread, id, (void *)~(uintptr_t)0), 1);
    CHECK(child_fill(child, PAGE, 8 * 1024, 3));
    CHECK(child_holds(child, PAGE, 8 * 1024, 3));
    EQUAL(pages_served, 8);
}

/* A pager that is gone: the thread stops; nobody else is harmed. */
static void dead_pager(void) {
    struct task *child = child_new();
    struct task *other = child_new();
    CHECK(child != NULL && other != NULL);
    L4_ThreadId_t nobody = new_thread_id();
    EQUAL(L4_ThreadControl(child->id, child->id, L4_nilthread, nobody, (void *)~(uintptr_t)0), 1);
    const L4_Word_t arguments[1] = {PAGE};
    CHECK(child_send(child, CHILD_READ, 1, arguments));
    EQUAL(error_of(L4_Receive_Timeout(child->id, L4_TimePeriod(30000))),
          L4_IPC_ERROR(L4_IPC_ERR_TIMEOUT, L4_IPC_PHASE_RECEIVE));
    EQUAL(child_read(other, child_kip(other)), L4_KIP_MAGIC);
}

/* ---- exceptions (those of the processor: arch/) ---- */

/* Without a handler the thread stops, and only it. */
static void no_handler(void) {
    struct task *child = child_new();
    struct task *other = child_new();
    CHECK(child != NULL && other != NULL);
    const L4_Word_t arguments[1] = {0};
    CHECK(child_send(child, CHILD_UNDEFINED, 1, arguments));
    EQUAL(error_of(L4_Receive_Timeout(child->id, L4_TimePeriod(30000))),
          L4_IPC_ERROR(L4_IPC_ERR_TIMEOUT, L4_IPC_PHASE_RECEIVE));
    EQUAL(child_read(other, child_kip(other)), L4_KIP_MAGIC);
}

const struct test fault_tests[] = {
    {"fault_read", read_fault},
    {"fault_write", write_fault},
    {"fault_execute", execute_fault},
    {"fault_ip", fault_ip},
    {"fault_write_to_read_only", write_to_read_only},
    {"fault_useless_answer", useless_answer},
    {"fault_many_pages", many_pages},
    {"fault_other_pager", other_pager},
    {"fault_dead_pager", dead_pager},
    {"fault_no_handler", no_handler},
    {NULL, NULL},
};
