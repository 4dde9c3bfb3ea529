/* SPDX-License-Identifier: Apache-2.0 */
/* Exceptions as messages: what IA-32's say, and what an answer changes. */
#include "../../test.h"

/* Words of the message, as `outcome` has them: without the tag. */
enum { IP, FLAGS, NUMBER, ERROR, DI, SI, BP, SP, BX, DX, CX, AX };

#define UNDEFINED  6u
#define PROTECTION 13u
#define FLAGS_USER 0x00240dd5u
#define FLAG_SIGN  0x80u

#define CODE 0x00050000u /* a page for code in the child */

static struct task *child_with_handler(void) {
    struct task *child = child_new();
    if (child != NULL &&
        child_do(child, CHILD_SET_HANDLER, L4_MyGlobalId().raw, 0, 0, 0).kind != OUTCOME_DONE) {
        return NULL;
    }
    return child;
}

static bool answer(const struct task *child, const struct outcome *o, L4_Word_t words) {
    L4_LoadMR(0, L4_MakeMsgTag(L4_LABEL_EXCEPTION, words, 0).raw);
    L4_LoadMRs(1, words, o->words);
    return error_of(L4_Send_Timeout(child->id, PATIENCE)) == 0;
}

static bool is_code(struct task *child, L4_Word_t at, L4_Word_t code) {
    const struct task_page *page = task_page_at(child, at);
    return page != NULL && page->frame[at & 0xfff] == (code & 0xff) &&
           page->frame[(at & 0xfff) + 1] == code >> 8;
}

/* The handler gets all registers, and lets the program go on after. */
static void undefined_instruction(void) {
    struct task *child = child_with_handler();
    CHECK(child != NULL);
    struct outcome o = child_do(child, CHILD_UNDEFINED, 0x77, 0, 0, 0);
    EQUAL(o.kind, OUTCOME_EXCEPTION);
    EQUAL(L4_UntypedWords(o.tag), L4_IA32_EXCEPTION_WORDS);
    EQUAL(o.words[NUMBER], UNDEFINED);
    EQUAL(o.words[ERROR], 0);
    EQUAL(o.words[FLAGS] & ~FLAGS_USER, 0);
    EQUAL(o.words[AX], 0x77);
    CHECK(is_code(child, o.words[IP], 0x0b0f));
    const struct task_page *stack = task_page_at(child, o.words[SP]);
    CHECK(stack != NULL);
    EQUAL(*(const L4_Word_t *)(const void *)(stack->frame + (o.words[SP] & 0xfff) + 4), 0x77);
    o.words[IP] += 2;
    CHECK(answer(child, &o, L4_IA32_EXCEPTION_WORDS));
    struct outcome after = child_wait(child);
    EQUAL(after.kind, OUTCOME_DONE);
    EQUAL(after.words[0], 0x77);
}

/* A handler can answer an INT like a system call: it sets EAX. Gates that are not there or not for
 * programs all are the same exception, whose code says which; so are instructions that are not
 * theirs. */
static void software_interrupt(void) {
    struct task *child = child_with_handler();
    CHECK(child != NULL);
    struct outcome o = child_do(child, CHILD_SWI, 0x77, 0, 0, 0);
    EQUAL(o.kind, OUTCOME_EXCEPTION);
    EQUAL(o.words[NUMBER], PROTECTION);
    EQUAL(o.words[ERROR], 0x80 * 8 + 2);
    EQUAL(o.words[AX], 0x77);
    CHECK(is_code(child, o.words[IP], 0x80cd));
    o.words[IP] += 2;
    o.words[AX] = 0x99;
    CHECK(answer(child, &o, L4_IA32_EXCEPTION_WORDS));
    struct outcome after = child_wait(child);
    EQUAL(after.kind, OUTCOME_DONE);
    EQUAL(after.words[0], 0x99);
}

/* Instructions of the kernel's, run by a program: each is an exception, none does anything. */
static void privileged_instructions(void) {
    static const struct {
        L4_Word_t code, size; /* with a RET after it */
    } instructions[] = {
        {0x0000c3fa, 1}, /* cli */
        {0x0000c3fb, 1}, /* sti */
        {0x0000c3f4, 1}, /* hlt */
        {0x00c320e4, 2}, /* in $0x20, %al: a port of the kernel's */
        {0x00c343e6, 2}, /* out %al, $0x43 */
        {0x00c3080f, 2}, /* invd */
        {0x00c3300f, 2}, /* wrmsr */
        {0x00c3350f, 2}, /* sysexit */
        {0xc3d8220f, 3}, /* mov %eax, %cr3 */
        {0xc3c0200f, 3}, /* mov %cr0, %eax */
        {0xc310010f, 3}, /* lgdt (%eax) */
        {0xc3d0000f, 3}, /* lldt %ax */
        {0xc338010f, 3}, /* invlpg (%eax) */
    };
    struct task *child = child_with_handler();
    CHECK(child != NULL);
    for (unsigned i = 0; i < sizeof instructions / sizeof instructions[0]; i++) {
        uint8_t *frame = task_add_page(child, CODE, NULL, L4_ReadeXecOnly);
        CHECK(frame != NULL);
        memcpy(frame, &instructions[i].code, sizeof instructions[i].code);
        struct outcome o = child_do(child, CHILD_EXECUTE, CODE, 0, 0, 0);
        EQUAL(o.kind, OUTCOME_EXCEPTION);
        EQUAL(o.words[NUMBER], PROTECTION);
        EQUAL(o.words[ERROR], 0);
        EQUAL(o.words[IP], CODE);
        o.words[IP] += instructions[i].size;
        CHECK(answer(child, &o, 1));
        EQUAL(child_wait(child).kind, OUTCOME_DONE);
        frame_free(task_remove_page(child, CODE));
    }
}

/* A reply cannot give the thread what the kernel keeps: the right to ports, interrupts off. */
static void exception_reply_flags(void) {
    struct task *child = child_with_handler();
    CHECK(child != NULL);
    struct outcome o = child_do(child, CHILD_UNDEFINED, 0x66, 0, 0, 0);
    EQUAL(o.kind, OUTCOME_EXCEPTION);
    o.words[IP] += 2;
    o.words[FLAGS] = 0x00033000u | FLAG_SIGN; /* virtual mode, resume, I/O privilege 3; IF clear */
    CHECK(answer(child, &o, L4_IA32_EXCEPTION_WORDS));
    EQUAL(child_wait(child).kind, OUTCOME_DONE);
    o = child_do(child, CHILD_UNDEFINED, 0x66, 0, 0, 0);
    EQUAL(o.kind, OUTCOME_EXCEPTION);
    EQUAL(o.words[FLAGS] & ~FLAGS_USER, 0);
    o.words[IP] += 2;
    CHECK(answer(child, &o, 1));
    EQUAL(child_wait(child).kind, OUTCOME_DONE);
    uint8_t *frame = task_add_page(child, CODE, NULL, L4_ReadeXecOnly);
    CHECK(frame != NULL);
    frame[0] = 0xfa; /* cli */
    o = child_do(child, CHILD_EXECUTE, CODE, 0, 0, 0);
    EQUAL(o.kind, OUTCOME_EXCEPTION);
    EQUAL(o.words[NUMBER], PROTECTION);
}

const struct test exception_tests[] = {
    {"fault_undefined_instruction", undefined_instruction},
    {"fault_software_interrupt", software_interrupt},
    {"fault_privileged_instructions", privileged_instructions},
    {"fault_exception_reply_flags", exception_reply_flags},
    {NULL, NULL},
};
