/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a program does with its segment registers and flags concerns nobody else: not the kernel,
 * which runs with the program's DS and ES (kernel/arch/ia32/segments.h), nor the next program.
 */
#include "../../test.h"

#define CODE 0x00050000u

/* Code of the child's at CODE, at most 32 bytes. */
static bool put(struct task *child, const uint8_t code[32]) {
    uint8_t *frame = task_add_page(child, CODE, NULL, L4_ReadeXecOnly);
    TRY(frame != NULL);
    memcpy(frame, code, 32);
    return true;
}

/* Loads DS, ES and GS and enters the kernel by a debug call that does nothing. Then each is as it
 * was, since the program goes on with them. */
static void enter_with(uint8_t selector) {
    const uint8_t code[32] = {
        0xb8, selector, 0, 0, 0, /* movl $selector, %eax */
        0x8e, 0xd8,              /* movl %eax, %ds */
        0x8e, 0xc0,              /* movl %eax, %es */
        0x8e, 0xe8,              /* movl %eax, %gs */
        0x31, 0xc0,              /* xorl %eax, %eax */
        0xcd, 0x42,              /* int $L4_IA32_DEBUG_CALL */
        0x8c, 0xd8,              /* movl %ds, %eax */
        0xc3,                    /* ret */
    };
    struct task *child = child_new();
    struct task *other = child_new();
    CHECK(child != NULL && other != NULL && put(child, code));
    CHECK(child_execute(child, CODE) != 0xffffffff);
    EQUAL(child_do(child, CHILD_IDENTITY, 0, 0, 0, 0).words[0], child->id.raw);
    EQUAL(child_do(other, CHILD_IDENTITY, 0, 0, 0, 0).words[0], other->id.raw);
    child_delete(child);
    child_delete(other);
}

static void null_segments(void) {
    enter_with(0);
}

static void code_as_data(void) {
    enter_with(0x1b);
}

/* The segment of the UTCB pointer, of four bytes. */
static void short_segments(void) {
    enter_with(0x33);
}

/* A program that spins, with all its segment registers wrong, is preempted, and others run
 * meanwhile. */
static void preempted_with(uint8_t data, uint8_t utcb) {
    const uint8_t code[32] = {
        0xb8, utcb, 0, 0, 0, /* movl $utcb, %eax */
        0x8e, 0xe8,          /* movl %eax, %gs */
        0xb8, data, 0, 0, 0, /* movl $data, %eax */
        0x8e, 0xd8,          /* movl %eax, %ds */
        0x8e, 0xc0,          /* movl %eax, %es */
        0xeb, 0xfe,          /* jmp . */
    };
    struct task *child = child_new();
    struct task *other = child_new();
    CHECK(child != NULL && other != NULL && put(child, code));
    const L4_Word_t arguments[1] = {CODE};
    CHECK(child_send(child, CHILD_EXECUTE, 1, arguments));
    for (unsigned i = 0; i < 4; i++) { /* its page fault, then nothing */
        L4_MsgTag_t tag = L4_Receive_Timeout(child->id, L4_TimePeriod(12000));
        if (L4_IpcSucceeded(tag)) {
            L4_Word_t address;
            L4_StoreMR(1, &address);
            CHECK(task_fault(child, tag, address));
            EQUAL(error_of(L4_Send_Timeout(child->id, PATIENCE)), 0);
        }
        EQUAL(L4_MyLocalId().raw, (L4_Word_t)(uintptr_t)L4_MyUtcb());
        EQUAL(child_do(other, CHILD_IDENTITY, 0, 0, 0, 0).words[0], other->id.raw);
        CHECK(child_fill(other, child_kip(other) + 0x1800, 16, i));
    }
    child_delete(child);
    child_delete(other);
}

static void preempted_without(void) {
    preempted_with(0, 0);
}

/* Then gs:0 is the word at 0, and DS ends after the UTCB pointer. */
static void preempted_with_others(void) {
    preempted_with(0x33, 0x23);
}

/* A message, by the path in assembly, from a program whose gs:0 is the word at 0: whoever gets it
 * has its own segments. */
static void sent_with_others(void) {
    L4_Word_t me = L4_MyGlobalId().raw;
    const uint8_t code[32] = {
        0xb8,
        0x23,
        0,
        0,
        0, /* movl $0x23, %eax */
        0x8e,
        0xe8, /* movl %eax, %gs */
        0xb8,
        me & 0xff,
        me >> 8 & 0xff,
        me >> 16 & 0xff,
        me >> 24, /* movl $me, %eax */
        0x89,
        0xc2, /* movl %eax, %edx */
        0xbe,
        0,
        0,
        CHILD_LABEL & 0xff,
        CHILD_LABEL >> 8, /* movl $tag, %esi */
        0x31,
        0xc9, /* xorl %ecx, %ecx */
        0x31,
        0xdb, /* Ipc in EBX */
        0x89,
        0xe5, /* movl %esp, %ebp */
        0x0f,
        0x34, /* sysenter */
    };
    struct task *child = child_new();
    CHECK(child != NULL && put(child, code));
    const L4_Word_t arguments[1] = {CODE};
    CHECK(child_send(child, CHILD_EXECUTE, 1, arguments));
    L4_MsgTag_t tag = L4_Receive(child->id); /* without a timeout, which that path does not take */
    while ((L4_Label(tag) & L4_LABEL(-1)) == L4_LABEL_PAGEFAULT) {
        L4_Word_t address;
        L4_StoreMR(1, &address);
        CHECK(task_fault(child, tag, address));
        EQUAL(error_of(L4_Send_Timeout(child->id, PATIENCE)), 0);
        tag = L4_Receive(child->id);
    }
    EQUAL(L4_Label(tag), CHILD_LABEL);
    EQUAL(L4_MyLocalId().raw, (L4_Word_t)(uintptr_t)L4_MyUtcb());
    EQUAL(L4_MyGlobalId().raw, me);
    child_delete(child);
}

static L4_Word_t main_thread;

/* Sends an empty message by the path in assembly, with null in DS and ES. */
static void send_without(void) {
    __asm__ volatile("movl %%eax, %%edx\n"
                     "xorl %%ecx, %%ecx\n"
                     "xorl %%ebx, %%ebx\n"
                     "movl %%ebx, %%ds\n"
                     "movl %%ebx, %%es\n"
                     "movl %%esp, %%ebp\n"
                     "sysenter\n"
                     :
                     : "a"(main_thread), "S"(CHILD_LABEL << 16)
                     : "memory");
}

/* Within a space, too, the next thread has its own. */
static void sent_within(void) {
    main_thread = L4_MyGlobalId().raw;
    L4_ThreadId_t id = worker_start(send_without, TEST_PRIORITY);
    CHECK(id.raw != 0);
    EQUAL(L4_Label(L4_Receive(id)), CHILD_LABEL);
    L4_Word_t from[4] = {1, 2, 3, 4}, to[4];
    L4_Word_t *target = to; /* by DS and ES */
    const L4_Word_t *source = from;
    L4_Word_t words = 4;
    __asm__ volatile("rep movsl" : "+S"(source), "+D"(target), "+c"(words) : : "memory");
    EQUAL(to[3], 4);
}

/* Flags that a gate clears, and SYSENTER does not: nested task, direction, alignment check. */
static void flags_at_entry(void) {
    static const uint8_t code[32] = {
        0x9c,                               /* pushfl */
        0x81, 0x0c, 0x24, 0x00, 0x44, 4, 0, /* orl $0x44400, (%esp): AC, NT, DF */
        0x9d,                               /* popfl */
        0x53, 0x55,                         /* pushl %ebx; pushl %ebp */
        0x68, 0x1d, 0x00, 0x05, 0x00,       /* pushl $1f */
        0x31, 0xc0,                         /* xorl %eax, %eax */
        0x6a, 0x02, 0x5b,                   /* ThreadSwitch in EBX */
        0x89, 0xe5,                         /* movl %esp, %ebp */
        0x0f, 0x34,                         /* sysenter */
        0x90, 0x90, 0x90, 0x90,             /* (1f is at 29) */
        0x5d, 0x5b, 0xfc,                   /* 1: popl %ebp; popl %ebx; cld */
    };
    struct task *child = child_new();
    CHECK(child != NULL && put(child, code));
    ((uint8_t *)task_page_at(child, CODE)->frame)[32] = 0xc3; /* ret */
    CHECK(child_execute(child, CODE) != 0xffffffff);
    CHECK(child_fill(child, child_kip(child) + 0x1800, 16, 3));
    CHECK(child_holds(child, child_kip(child) + 0x1800, 16, 3));
}

const struct test segment_tests[] = {
    {"segment_null", null_segments},
    {"segment_code_as_data", code_as_data},
    {"segment_short", short_segments},
    {"segment_preempted_without", preempted_without},
    {"segment_preempted_with_others", preempted_with_others},
    {"segment_sent_with_others", sent_with_others},
    {"segment_sent_within", sent_within},
    {"segment_flags_at_entry", flags_at_entry},
    {NULL, NULL},
};
