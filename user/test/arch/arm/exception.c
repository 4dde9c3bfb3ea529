/* SPDX-License-Identifier: Apache-2.0 */
/* Exceptions as messages: what ARM's say, and what an answer changes. */
#include "../../paged.h"

static void undefined_instruction(void) {
    struct task *child = child_new();
    CHECK(child != NULL);
    EQUAL(child_do(child, CHILD_SET_HANDLER, L4_MyGlobalId().raw, 0, 0, 0).kind, OUTCOME_DONE);
    struct outcome o = child_do(child, CHILD_UNDEFINED, 0x77, 0, 0, 0);
    EQUAL(o.kind, OUTCOME_EXCEPTION);
    EQUAL(L4_UntypedWords(o.tag), L4_ARM_GENERIC_EXCEPTION_WORDS);
    EQUAL(o.words[3], L4_ARM_EXC_UNDEFINED);
    EQUAL(o.words[2] & 0x0fffffff, 0); /* the condition flags, nothing else */
    EQUAL(o.words[5], child->utcbs);
    const struct task_page *code = task_page_at(child, o.words[0]);
    CHECK(code != NULL);
    EQUAL(*(const volatile L4_Word_t *)(const void *)(code->frame + (o.words[0] & 0xfff)),
          0xe7f000f0);
    L4_LoadMR(0, L4_MakeMsgTag(L4_LABEL_EXCEPTION, L4_ARM_GENERIC_EXCEPTION_WORDS, 0).raw);
    o.words[0] += 4;
    L4_LoadMRs(1, L4_ARM_GENERIC_EXCEPTION_WORDS, o.words);
    EQUAL(error_of(L4_Send_Timeout(child->id, PATIENCE)), 0);
    struct outcome after = child_wait(child);
    EQUAL(after.kind, OUTCOME_DONE);
    EQUAL(after.words[0], 0x77);
}

/* A handler can answer a software interrupt like a system call: it sets r0. */
static void software_interrupt(void) {
    struct task *child = child_new();
    CHECK(child != NULL);
    EQUAL(child_do(child, CHILD_SET_HANDLER, L4_MyGlobalId().raw, 0, 0, 0).kind, OUTCOME_DONE);
    struct outcome o = child_do(child, CHILD_SWI, 0x77, 0, 0, 0);
    EQUAL(o.kind, OUTCOME_EXCEPTION);
    EQUAL(L4_UntypedWords(o.tag), L4_ARM_SWI_EXCEPTION_WORDS);
    EQUAL(o.words[1], 0x77); /* r0 */
    EQUAL(o.words[11], 0xef123456);
    EQUAL(o.words[12] & 0x0fffffff, 0);
    L4_LoadMR(0, L4_MakeMsgTag(L4_LABEL_EXCEPTION, L4_ARM_SWI_EXCEPTION_WORDS, 0).raw);
    o.words[1] = 0x99;
    L4_LoadMRs(1, L4_ARM_SWI_EXCEPTION_WORDS, o.words);
    EQUAL(error_of(L4_Send_Timeout(child->id, PATIENCE)), 0);
    struct outcome after = child_wait(child);
    EQUAL(after.kind, OUTCOME_DONE);
    EQUAL(after.words[0], 0x99);
}

/* An access that is not aligned is an exception of the program's; the handler lets it go on after.
 */
static void unaligned(void) {
    struct task *child = child_new();
    CHECK(child != NULL);
    EQUAL(child_do(child, CHILD_SET_HANDLER, L4_MyGlobalId().raw, 0, 0, 0).kind, OUTCOME_DONE);
    struct outcome o = child_do(child, CHILD_WRITE, child_kip(child) + 2, 0x5a, 0, 0);
    EQUAL(o.kind, OUTCOME_EXCEPTION);
    EQUAL(L4_UntypedWords(o.tag), L4_ARM_GENERIC_EXCEPTION_WORDS);
    EQUAL(o.words[3], L4_ARM_EXC_DATA_ABORT);
    EQUAL(o.words[4] & 0xd, 1); /* fault status: alignment is 1 or 3 */
    L4_LoadMR(0, L4_MakeMsgTag(L4_LABEL_EXCEPTION, 1, 0).raw);
    L4_LoadMR(1, o.words[0] + 4);
    EQUAL(error_of(L4_Send_Timeout(child->id, PATIENCE)), 0);
    EQUAL(child_wait(child).kind, OUTCOME_DONE);
    EQUAL(child_read(child, child_kip(child)), L4_KIP_MAGIC);
}

/* A reply cannot raise the thread's mode: the kernel keeps the flags only. */
static void exception_reply_mode(void) {
    struct task *child = child_new();
    CHECK(child != NULL);
    EQUAL(child_do(child, CHILD_SET_HANDLER, L4_MyGlobalId().raw, 0, 0, 0).kind, OUTCOME_DONE);
    struct outcome o = child_do(child, CHILD_UNDEFINED, 0x66, 0, 0, 0);
    EQUAL(o.kind, OUTCOME_EXCEPTION);
    o.words[0] += 4;
    o.words[2] = 0xf00000d3; /* supervisor mode, interrupts off */
    L4_LoadMR(0, L4_MakeMsgTag(L4_LABEL_EXCEPTION, L4_ARM_GENERIC_EXCEPTION_WORDS, 0).raw);
    L4_LoadMRs(1, L4_ARM_GENERIC_EXCEPTION_WORDS, o.words);
    EQUAL(error_of(L4_Send_Timeout(child->id, PATIENCE)), 0);
    EQUAL(child_wait(child).kind, OUTCOME_DONE);
    struct outcome write = child_do(child, CHILD_WRITE, 0xff000000, 0, 0, 0);
    CHECK(write.kind != OUTCOME_DONE);
}

/* No page fault, though nothing is there: the access is not aligned. */
static void unaligned_and_missing(void) {
    NEEDS_PROTECTION;
    struct task *child = paged_usual();
    CHECK(child != NULL);
    EQUAL(child_read(child, PAGED_LOW), 0x1234);
    EQUAL(child_do(child, CHILD_SET_HANDLER, L4_MyGlobalId().raw, 0, 0, 0).kind, OUTCOME_DONE);
    struct outcome o = child_do(child, CHILD_WRITE, PAGED_LOW + FRAME_SIZE + 2, 0x5a, 0, 0);
    EQUAL(o.kind, OUTCOME_EXCEPTION);
    EQUAL(o.words[3], L4_ARM_EXC_DATA_ABORT);
    EQUAL(o.words[4] & 0xd, 1);
    EQUAL(paged_faults, 1);
    paged_end();
}

const struct test exception_tests[] = {
    {"fault_undefined_instruction", undefined_instruction},
    {"fault_software_interrupt", software_interrupt},
    {"fault_unaligned", unaligned},
    {"fault_exception_reply_mode", exception_reply_mode},
    {"pagefault_unaligned", unaligned_and_missing},
    {NULL, NULL},
};
