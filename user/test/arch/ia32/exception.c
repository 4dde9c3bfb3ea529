/* SPDX-License-Identifier: Apache-2.0 */
/* Exceptions as messages: what IA-32's say, and what an answer changes. */
#include "child_code.h"

/* Words of the message, as `outcome` has them: without the tag. */
enum { IP, FLAGS, NUMBER, ERROR, DI, SI, BP, SP, BX, DX, CX, AX };

#define UNDEFINED  6u
#define PROTECTION 13u
#define FLAGS_USER 0x00240dd5u
#define FLAG_SIGN  0x80u

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

/* All registers of a thread that runs, or that waits for a page: it is set to an instruction that
 * raises an exception. Its IP is what ExchangeRegisters tells, or the page fault's message did. */
#define TRAP (CODE + 0x800)

static bool tells_registers(struct task *child, L4_Word_t ip) {
    L4_Word_t control, sp, old_ip, flags, handle;
    L4_ThreadId_t pager;
    (void)L4_ExchangeRegisters(
        child->id, L4_EXREGS_RECV_CANCEL | L4_EXREGS_SEND_CANCEL | L4_EXREGS_IP, 0, TRAP, 0, 0,
        L4_nilthread, &control, &sp, &old_ip, &flags, &handle, &pager);
    struct outcome o = child_wait(child);
    TRY(o.kind == OUTCOME_EXCEPTION && o.words[NUMBER] == UNDEFINED && o.words[IP] == TRAP);
    TRY(old_ip == ip && sp == o.words[SP] && flags == o.words[FLAGS]);
    TRY(o.words[BX] == 0x11 && o.words[CX] == 0x22 && o.words[SI] == 0x33 && o.words[BP] == 0x44);
    o.words[IP] = ip + 2; /* on it goes, after what it was at */
    TRY(answer(child, &o, L4_IA32_EXCEPTION_WORDS));
    o = child_wait(child);
    TRY(o.kind == OUTCOME_EXCEPTION && o.words[IP] == CODE + 0x700 && o.words[BX] == 0x11);
    return true;
}

static void registers_of_any(void) {
    NEEDS_PROTECTION;
    static const uint8_t known[] = {0xbb, 0x11, 0, 0, 0, 0xb9, 0x22, 0, 0, 0,  /* ebx, ecx */
                                    0xbe, 0x33, 0, 0, 0, 0xbd, 0x44, 0, 0, 0}; /* esi, ebp */
    static const uint8_t at_it[2][2] = {{0xeb, 0xfe}, {0x8b, 0x02}}; /* jmp to itself; (%edx) */
    static const uint8_t go_on[] = {0xb8, WORD(CODE + 0x700), 0xff, 0xe0}; /* jmp *CODE + 0x700 */
    for (unsigned i = 0; i < 2; i++) {
        struct task *child = child_with_handler();
        CHECK(child != NULL && task_add_page(child, CODE, NULL, L4_FullyAccessible) != NULL);
        uint8_t *code = task_page_at(child, CODE)->frame;
        memcpy(code + 0x700, "\x0f\x0b", 2);
        memcpy(code + 0x800, "\x0f\x0b", 2);
        memcpy(code, "\xba", 1); /* movl $0, %edx */
        memset(code + 1, 0, 4);
        memcpy(code + 5, known, sizeof known);
        memcpy(code + 5 + sizeof known, at_it[i], 2);
        memcpy(code + 7 + sizeof known, go_on, sizeof go_on);
        L4_Word_t argument = CODE;
        CHECK(child_send(child, CHILD_EXECUTE, 1, &argument));
        if (i == 1) {
            struct outcome o = child_wait(child);
            EQUAL(o.kind, OUTCOME_FAULT);
            EQUAL(o.words[0], 0);
        } else {
            /* Its code is a page fault at first. */
            L4_MsgTag_t tag = L4_Receive_Timeout(child->id, PATIENCE);
            L4_Word_t address;
            L4_StoreMR(1, &address);
            CHECK(L4_IpcSucceeded(tag) && task_fault(child, tag, address));
            EQUAL(error_of(L4_Send_Timeout(child->id, PATIENCE)), 0);
            L4_Sleep(L4_TimePeriod(5000));
        }
        CHECK(tells_registers(child, CODE + 5 + sizeof known));
        child_delete(child);
    }
}

const struct test exception_tests[] = {
    {"fault_registers_of_any", registers_of_any},
    {"fault_undefined_instruction", undefined_instruction},
    {"fault_software_interrupt", software_interrupt},
    {"fault_privileged_instructions", privileged_instructions},
    {"fault_exception_reply_flags", exception_reply_flags},
    {NULL, NULL},
};
