/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Software interrupts that a thread handles itself (software_interrupt.h): with every number, and
 * with whatever handler, stack and segments a program may have. Whoever names none has the
 * exception (exception.c).
 */
#include "child_code.h"
#include "small_child.h"

#define NUMBER 2
#define ERROR  3

#define PROTECTION 13u

/* Gates that programs may use: their INT is none of these. */
static bool has_gate(unsigned n) {
    return n == 3 || n == 4 || (n >= 0x40 && n <= 0x42);
}

/* Code for a child: names the handler, which is `at` bytes from the code's beginning. EAX is the
 * UTCB then. */
#define NAME_HANDLER(at)                                                                           \
    0x65, 0xa1, 0, 0, 0, 0,                            /* movl %gs:0, %eax */                      \
        0xc7, 0x40, 40, WORD(CODE + CODE_FIRST + (at)) /* movl $handler, 40(%eax) */
#define NAME_SIZE 13u

/* The handler gets the address of the INT and its number, and goes on after it. */
static void numbers(void) {
    struct task *child = child_new();
    CHECK(child != NULL);
    for (unsigned n = 0; n < 256; n++) {
        if (has_gate(n)) {
            continue;
        }
        struct outcome o = EXECUTE(child, NAME_HANDLER(NAME_SIZE + 4), /* */
                                   0xcd, (uint8_t)n,                   /* int $n */
                                   0xeb, 12,                           /* jmp 1f */
                                   0x8b, 0x50, 44,                     /* movl 44(%eax), %edx */
                                   0x8b, 0x48, 48,                     /* movl 48(%eax), %ecx */
                                   0x83, 0xc2, 2,                      /* addl $2, %edx */
                                   0xff, 0xe2, 0x90,                   /* jmp *%edx */
                                   0x83, 0xea, 2,                      /* 1: subl $2, %edx */
                                   0xc1, 0xe1, 16,                     /* shll $16, %ecx */
                                   0x66, 0x89, 0xd1,                   /* movw %dx, %cx */
                                   0x89, 0xc8);                        /* movl %ecx, %eax */
        EQUAL(o.kind, OUTCOME_DONE);
        EQUAL(o.words[0] >> 16, n * 8 + 2);
        EQUAL(o.words[0] & 0xffff, (CODE + CODE_FIRST + NAME_SIZE) & 0xffff);
    }
}

/* All registers and flags are as they were, and so is the stack. */
static void registers(void) {
    struct task *child = child_new();
    CHECK(child != NULL);
    struct outcome o = EXECUTE(child, NAME_HANDLER(NAME_SIZE + 44),      /* 13 */
                               0x55,                                     /* pushl %ebp */
                               0x89, 0xe5,                               /* movl %esp, %ebp */
                               0x6a, 0x77,                               /* pushl $0x77 */
                               0xb9, WORD(0x11111111),                   /* movl $..., %ecx */
                               0xba, WORD(0x22222222),                   /* %edx */
                               0xbb, WORD(0x33333333),                   /* %ebx */
                               0xbe, WORD(0x44444444),                   /* %esi */
                               0xbf, WORD(0x55555555),                   /* %edi */
                               0xf9, 0xfd,                               /* stc; std */
                               0xcd, 0x80,                               /* int $0x80 */
                               0xc9,                                     /* leave */
                               0x31, 0xc0, 0xc3, 0x90, 0x90, 0x90, 0x90, /* (never) */
                               /* the handler: */
                               0x73, 56,                               /* jnc 1f */
                               0x9c,                                   /* pushfl */
                               0xf7, 0x04, 0x24, WORD(0x400u),         /* testl $0x400, (%esp) */
                               0x74, 46,                               /* jz 1f */
                               0xfc,                                   /* cld */
                               0x81, 0xf9, WORD(0x11111111), 0x75, 37, /* cmpl ..., %ecx; jne 1f */
                               0x81, 0xfa, WORD(0x22222222), 0x75, 29, /* */
                               0x81, 0xfb, WORD(0x33333333), 0x75, 21, /* */
                               0x81, 0xfe, WORD(0x44444444), 0x75, 13, /* */
                               0x81, 0xff, WORD(0x55555555), 0x75, 5,  /* */
                               0x8b, 0x45, 0xfc,                       /* movl -4(%ebp), %eax */
                               0xeb, 3,                                /* jmp 2f */
                               0xfc, 0x31, 0xc0,                       /* 1: cld; xorl %eax, %eax */
                               0xc9);                                  /* 2: leave */
    EQUAL(o.kind, OUTCOME_DONE);
    EQUAL(o.words[0], 0x77);
}

/* Wherever the handler is said to be, the program faults there like one that has jumped there, and
 * it is nobody else's matter. */
static void any_handler(void) {
    NEEDS_PROTECTION;
    static const L4_Word_t handlers[] = {0x00000001, 0x00300000, 0x00400000, 0x0ffffffe, 0x10000000,
                                         0xcfffffff, 0xd0000000, 0xd0400000, 0xefffffff, 0xf0000000,
                                         0xf0100000, 0xf1000000, 0xf4000000, 0xffffffff};
    struct task *other = child_new();
    CHECK(other != NULL && filled_page(other, 0x00300000, 5) != NULL);
    for (unsigned i = 0; i < sizeof handlers / sizeof handlers[0]; i++) {
        struct task *child = child_new();
        CHECK(child != NULL);
        struct outcome o = EXECUTE(child, 0x65, 0xa1, 0, 0, 0, 0,     /* movl %gs:0, %eax */
                                   0xc7, 0x40, 40, WORD(handlers[i]), /* movl ..., 40(%eax) */
                                   0xcd, 0x80);
        EQUAL(o.kind, OUTCOME_FAULT);
        EQUAL(o.words[0], handlers[i]);
        EQUAL(o.words[1], handlers[i]);
        CHECK(child_holds(other, 0x00300000, 64, 5));
        child_delete(child);
    }
}

/* A program's stack and segments are nothing that the kernel needs. */
static void any_stack(void) {
    static const L4_Word_t stacks[] = {0, 1, 0x00300002, 0xd0000000, 0xf0000004, 0xffffffff};
    struct task *child = child_new();
    CHECK(child != NULL);
    for (unsigned i = 0; i < sizeof stacks / sizeof stacks[0]; i++) {
        struct outcome o = EXECUTE(child, NAME_HANDLER(NAME_SIZE + 9), /* */
                                   0x89, 0xe2,                         /* movl %esp, %edx */
                                   0xbc, WORD(stacks[i]),              /* movl ..., %esp */
                                   0xcd, 0x80,                         /* int $0x80 */
                                   /* (the handler's first byte is the next) */
                                   0x90,        /* nop */
                                   0x89, 0xe0,  /* movl %esp, %eax */
                                   0x89, 0xd4); /* movl %edx, %esp */
        EQUAL(o.kind, OUTCOME_DONE);
        EQUAL(o.words[0], stacks[i]);
    }
}

static void any_segments(void) {
    static const uint8_t selectors[] = {0, 0x1b, 0x23, 0x33};
    struct task *child = child_new();
    struct task *other = child_new();
    CHECK(child != NULL && other != NULL);
    for (unsigned i = 0; i < sizeof selectors; i++) {
        struct outcome o = EXECUTE(child, NAME_HANDLER(NAME_SIZE + 16), /* */
                                   0xb8, WORD((L4_Word_t)selectors[i]), /* movl ..., %eax */
                                   0x8e, 0xd8,                          /* movl %eax, %ds */
                                   0x8e, 0xc0,                          /* %es */
                                   0x8e, 0xe0,                          /* %fs */
                                   0x8e, 0xe8,                          /* %gs */
                                   0xcd, 0x80,                          /* int $0x80 */
                                   0x90,                                /* */
                                   0x8c, 0xd8,                          /* movl %ds, %eax */
                                   0x8c, 0xe9,                          /* movl %gs, %ecx */
                                   0xc1, 0xe1, 16,                      /* shll $16, %ecx */
                                   0x09, 0xc8,                          /* orl %ecx, %eax */
                                   0xb9, WORD(0x23u),                   /* movl $0x23, %ecx */
                                   0x8e, 0xd9,                          /* movl %ecx, %ds */
                                   0x8e, 0xc1,                          /* %es */
                                   0xb9, WORD(0x33u),                   /* movl $0x33, %ecx */
                                   0x8e, 0xe9);                         /* %gs */
        EQUAL(o.kind, OUTCOME_DONE);
        EQUAL(o.words[0], (L4_Word_t)selectors[i] << 16 | selectors[i]);
        EQUAL(child_do(other, CHILD_IDENTITY, 0, 0, 0, 0).words[0], other->id.raw);
    }
}

/* What else raises #GP stays an exception; and so does every INT of who has named nobody, or nobody
 * any more. */
static void others(void) {
    struct task *child = child_new();
    CHECK(child != NULL);
    EQUAL(child_do(child, CHILD_SET_HANDLER, L4_MyGlobalId().raw, 0, 0, 0).kind, OUTCOME_DONE);
    struct outcome o = EXECUTE(child, NAME_HANDLER(NAME_SIZE + 1), 0xf4); /* hlt */
    EQUAL(o.kind, OUTCOME_EXCEPTION);
    EQUAL(o.words[NUMBER], PROTECTION);
    EQUAL(o.words[ERROR], 0);
    child_delete(child);
    child = child_new();
    CHECK(child != NULL);
    EQUAL(child_do(child, CHILD_SET_HANDLER, L4_MyGlobalId().raw, 0, 0, 0).kind, OUTCOME_DONE);
    o = EXECUTE(child, NAME_HANDLER(NAME_SIZE + 7), 0xb8, WORD(0x38u), 0x8e,
                0xd8); /* movl %eax, %ds */
    EQUAL(o.kind, OUTCOME_EXCEPTION);
    EQUAL(o.words[ERROR], 0x38);
    child_delete(child);
    child = child_new();
    CHECK(child != NULL);
    EQUAL(child_do(child, CHILD_SET_HANDLER, L4_MyGlobalId().raw, 0, 0, 0).kind, OUTCOME_DONE);
    o = EXECUTE(child, NAME_HANDLER(NAME_SIZE), 0xc7, 0x40, 40, WORD(0u), 0xcd, 0x80);
    EQUAL(o.kind, OUTCOME_EXCEPTION);
    EQUAL(o.words[NUMBER], PROTECTION);
    EQUAL(o.words[ERROR], 0x80 * 8 + 2);
}

const struct test software_interrupt_tests[] = {
    {"int_numbers", numbers},
    {"int_registers", registers},
    {"int_any_handler", any_handler},
    {"int_any_stack", any_stack},
    {"int_any_segments", any_segments},
    {"int_others", others},
    {NULL, NULL},
};
