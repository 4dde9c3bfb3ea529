/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Registers that only some threads have: a segment of their own (own_segment.h) and those of the
 * floating-point unit. What one has, no other sees, and no segment leaves its space.
 */
#include "child_code.h"
#include "small_child.h"

#include <binding.h>

#define PAGE   0x00300000u
#define BASE   (PAGE + 0x804u) /* no multiple of anything */
#define NUMBER 2
#define ERROR  3

#define PROTECTION 13u
#define ABSENT     11u
#define OWN        ((L4_Word_t)L4_IA32_OWN_SELECTOR)

/* Code: a segment of this base; none any more. */
#define SET(base)        0xb9, WORD((L4_Word_t)(base)), 0xb8, WORD(1u), 0xcd, L4_IA32_OWN_CALL
#define DROP             0x31, 0xc0, 0xcd, L4_IA32_OWN_CALL
#define STORE(va, value) 0xc7, 0x05, WORD((L4_Word_t)(va)), WORD((L4_Word_t)(value))
#define LOAD_SELECTOR    0xb8, WORD(OWN), 0x8e, 0xe8 /* movl $OWN, %eax; movl %eax, %gs */

static struct task *child_with_page(void) {
    struct task *child = child_new();
    if (child == NULL || filled_page(child, PAGE, 5) == NULL ||
        child_do(child, CHILD_SET_HANDLER, L4_MyGlobalId().raw, 0, 0, 0).kind != OUTCOME_DONE) {
        return NULL;
    }
    return child;
}

/* On both sides of its base, in turn. */
static void both_sides(void) {
    struct task *child = child_with_page();
    CHECK(child != NULL);
    struct outcome o = EXECUTE(child, STORE(BASE - 4, 0x11), STORE(BASE + 4, 0x22), /* */
                               0xbf, WORD(0u),                                      /* edi = 0 */
                               0xbe, WORD(9u),                                      /* esi = 9 */
                               SET(BASE),                                           /* */
                               0x65, 0x8b, 0x15, WORD(-4u), /* 1: movl %gs:-4, %edx */
                               0x65, 0x8b, 0x0d, WORD(4u),  /* movl %gs:4, %ecx */
                               0xc1, 0xe1, 8,               /* shll $8, %ecx */
                               0x09, 0xca,                  /* orl %ecx, %edx */
                               0x01, 0xd7,                  /* addl %edx, %edi */
                               0x4e, 0x75, 0xea,            /* decl %esi; jnz 1b */
                               DROP,                        /* */
                               0x89, 0xf8);                 /* movl %edi, %eax */
    EQUAL(o.kind, OUTCOME_DONE);
    EQUAL(o.words[0], 9 * 0x2211u);
}

/* Less than a megabyte before a small space's end, where the limit counts bytes. */
static void near_the_end(void) {
    NEEDS_SMALL_SPACES;
    struct task *child = child_small();
    CHECK(child != NULL);
    struct outcome o = EXECUTE(child, SET(0u), 0x0f, 0x03, 0xd0, /* lsl %ax, %edx */
                               DROP, 0x89, 0xd0);
    EQUAL(o.kind, OUTCOME_DONE);
    if (o.words[0] == ~0u) {
        test_skip("no limits of segments");
        return;
    }
    L4_Word_t page = (o.words[0] & ~0xfffu) - 0x00040000u;
    CHECK(filled_page(child, page, 6) != NULL);
    o = EXECUTE(child, STORE(page + 4, 0x11), STORE(page + 12, 0x22), SET(page + 8), 0x65, 0x8b,
                0x15, WORD(4u),              /* movl %gs:4, %edx */
                0x65, 0x8b, 0x0d, WORD(-4u), /* movl %gs:-4, %ecx */
                0xc1, 0xe1, 8,               /* shll $8, %ecx */
                0x09, 0xca,                  /* orl %ecx, %edx */
                DROP,                        /* */
                0x89, 0xd0);                 /* movl %edx, %eax */
    EQUAL(o.kind, OUTCOME_DONE);
    EQUAL(o.words[0], 0x1122);
    CHECK(number_of(child) != 0); /* (what begins elsewhere has made it large) */
}

/* What the limits let through is the space's, wherever the base is, in both states. */
static void limits(void) {
    struct task *child = child_with_page();
    CHECK(child != NULL);
    static const L4_Word_t bases[] = {0,        1,           0xfff,       0x1000,     BASE,
                                      0x3ff004, 0x00400000u, 0x0ffff004u, 0x6ffffff0u};
    for (unsigned i = 0; i < sizeof bases / sizeof bases[0]; i++) {
        L4_Word_t base = bases[i];
        struct outcome up = EXECUTE(child, SET(base), 0x0f, 0x03, 0xd0, /* lsl %ax, %edx */
                                    DROP, 0x89, 0xd0);
        EQUAL(up.kind, OUTCOME_DONE);
        if (up.words[0] == ~0u) { /* its pages alone are a wall */
            continue;
        }
        L4_Word_t end = number_of(child) != 0 ? least_limit() : area_start();
        CHECK(base < end && up.words[0] < end - base);
    }
}

/* Below its base: what an expand-down segment's limit lets through begins at the space's start. */
static void lower_limit(void) {
    if (!limits_are_checked()) {
        test_skip("no limits of segments");
        return;
    }
    struct task *child = child_with_page();
    CHECK(child != NULL);
    struct outcome o =
        EXECUTE(child, SET(BASE), 0x65, 0x8b, 0x0d, WORD(-4u), /* movl %gs:-4, %ecx */
                LOAD_SELECTOR, 0x0f, 0x03, 0xd0,               /* lsl %ax, %edx */
                0x89, 0xd1, DROP, 0x89, 0xc8);                 /* ... %ecx, %eax */
    EQUAL(o.kind, OUTCOME_DONE);
    if (o.words[0] != ~0u) {
        EQUAL(o.words[0] & 0xfff, 0xfff);
        CHECK(0 - (o.words[0] + 1) <= BASE);
        CHECK(0 - (o.words[0] + 1) > BASE - 0x1000);
    }
}

/* An address that is in neither is what it is without such a segment: no endless flipping. */
static void in_neither(void) {
    NEEDS_PROTECTION;
    struct task *child = child_with_page();
    struct task *other = child_new();
    CHECK(child != NULL && other != NULL && filled_page(other, PAGE, 7) != NULL);
    static const L4_Word_t targets[] = {0xf0100000u, 0xf1400000u, 0xefffff00u,
                                        0xd0300000u, 0xd0700000u, 0xfffffff0u};
    for (unsigned i = 0; i < sizeof targets / sizeof targets[0]; i++) {
        struct outcome o = EXECUTE(child, SET(BASE), 0x65, 0x8b, 0x05,
                                   WORD(targets[i] - BASE)); /* movl %gs:x, %eax */
        CHECK(o.kind == OUTCOME_EXCEPTION || o.kind == OUTCOME_FAULT);
        if (o.kind == OUTCOME_EXCEPTION) {
            EQUAL(o.words[NUMBER], PROTECTION);
        }
        CHECK(child_holds(other, PAGE, 64, 7));
        child_delete(child);
        child = child_with_page();
        CHECK(child != NULL);
    }
}

/* Nobody else has it, and no other space's. */
static void of_others(void) {
    struct task *owner = child_with_page(), *thief = child_with_page();
    CHECK(owner != NULL && thief != NULL);
    struct outcome o = EXECUTE(owner, SET(BASE), DROP);
    EQUAL(o.kind, OUTCOME_DONE);
    o = EXECUTE(thief, LOAD_SELECTOR);
    EQUAL(o.kind, OUTCOME_EXCEPTION);
    EQUAL(o.words[NUMBER], ABSENT);
    EQUAL(o.words[ERROR], OWN & ~3u);
    child_delete(thief);
    /* An owner that has it when the other runs; %gs:0 is its UTCB's address as without. */
    o = EXECUTE(owner, 0x65, 0xa1, WORD(0u),           /* movl %gs:0, %eax */
                0xa3, WORD(BASE), STORE(BASE + 4, 77), /* movl %eax, BASE */
                SET(BASE));
    EQUAL(o.kind, OUTCOME_DONE);
    thief = child_with_page();
    CHECK(thief != NULL);
    o = EXECUTE(thief, LOAD_SELECTOR);
    EQUAL(o.kind, OUTCOME_EXCEPTION);
    EQUAL(o.words[NUMBER], ABSENT);
    /* After IPC it loads its selector itself. */
    for (unsigned i = 0; i < 3; i++) {
        EQUAL(child_do(owner, CHILD_IDENTITY, 0, 0, 0, 0).words[0], owner->id.raw);
        o = EXECUTE(owner, LOAD_SELECTOR, 0x65, 0xa1, WORD(4u)); /* movl %gs:4, %eax */
        EQUAL(o.kind, OUTCOME_DONE);
        EQUAL(o.words[0], 77);
    }
    /* A base where no program has addresses. */
    o = EXECUTE(owner, SET(0xf0000000u));
    EQUAL(o.kind, OUTCOME_DONE);
    EQUAL(o.words[0], 0);
}

/* Interrupts leave it as it is: many ticks' time. */
static void over_interrupts(void) {
    struct task *child = child_with_page();
    CHECK(child != NULL);
    struct outcome o = EXECUTE(child, STORE(BASE + 8, 3), STORE(BASE - 8, 4), SET(BASE), /* */
                               0xb9, WORD(1000000u),          /* movl ..., %ecx */
                               0x65, 0x83, 0x3d, WORD(8u), 3, /* 1: cmpl $3, %gs:8 */
                               0x75, 0x02, 0xe2, 0xf4,        /* jne 2f; loop 1b */
                               0x89, 0xca,                    /* 2: movl %ecx, %edx */
                               DROP, 0x89, 0xd0);
    EQUAL(o.kind, OUTCOME_DONE);
    EQUAL(o.words[0], 0);
}

/* ---- the floating-point unit ---- */

#define FLOAT_LOAD  0xdb, 0x05, WORD(PAGE + 0x100) /* fildl */
#define FLOAT_STORE 0xdb, 0x1d, WORD(PAGE + 0x104) /* fistpl */
#define FLOAT_SAVE  0xdd, 0x35, WORD(PAGE)         /* fnsave */

/* movl %gs:0, %eax; movl value, the word of the UTCB at %eax */
#define RAISES(value)                                                                              \
    0x65, 0xa1, WORD(0u), 0xc7, 0x40, L4_IA32_UTCB_FIRST_FPU_USE, WORD((L4_Word_t)(value))

/* Whether FRSTOR loads where the last instruction and its operand were: QEMU's does not, so that
 * there the kernel cannot clear them. */
static bool pointers_are_loaded(struct task *child) {
    struct outcome o = EXECUTE(child, 0xdb, 0xe3, 0xdd, 0x35, WORD(PAGE), /* fninit; fnsave */
                               FLOAT_LOAD, 0xdd, 0x25, WORD(PAGE),        /* ...; frstor */
                               0xd9, 0x35, WORD(PAGE + 0x80),             /* fnstenv */
                               0xa1, WORD(PAGE + 0x80 + 12));             /* movl ..., %eax */
    return o.kind == OUTCOME_DONE && o.words[0] == 0;
}

/* All that a thread can see of the unit at first is what FNINIT and nobody's numbers are. */
static bool is_new(struct task *child, bool pointers) {
    /* Where the pointers were saved; or the registers once more. */
    L4_Word_t at = pointers ? PAGE + 12 : PAGE + 28;
    struct outcome o = EXECUTE(child, FLOAT_SAVE,           /* */
                               0xbe, WORD(PAGE + 28),       /* movl registers, %esi */
                               0xb9, WORD(20u), 0x31, 0xc0, /* movl $20, %ecx; xorl %eax, %eax */
                               0x0b, 0x06, 0x83, 0xc6, 4,   /* 1: orl (%esi), %eax; addl $4, %esi */
                               0xe2, 0xf9,                  /* loop 1b */
                               0x0b, 0x05, WORD(at),        /* orl ..., %eax: where it was */
                               0x0b, 0x05, WORD(at + 4),    /* */
                               0x0b, 0x05, WORD(at + 8),    /* */
                               0x66, 0x0b, 0x05, WORD(PAGE + 4), /* orw status, %ax */
                               0x8b, 0x15, WORD(PAGE),           /* movl control, %edx */
                               0x81, 0xe2, WORD(0xffffu),        /* andl $0xffff, %edx */
                               0x81, 0xea, WORD(0x37fu),         /* subl $0x37f, %edx */
                               0x09, 0xd0);                      /* orl %edx, %eax */
    return o.kind == OUTCOME_DONE && o.words[0] == 0;
}

static void fpu(void) {
    struct task *a = child_with_page(), *b = child_with_page(), *other = child_with_page();
    CHECK(a != NULL && b != NULL && other != NULL);
    struct outcome o = EXECUTE(a, STORE(PAGE + 0x100, 1234), 0xdb, 0xe3, FLOAT_LOAD, FLOAT_LOAD);
    EQUAL(o.kind, OUTCOME_DONE);
    bool pointers = pointers_are_loaded(other);
    CHECK(is_new(b, pointers));
    o = EXECUTE(b, STORE(PAGE + 0x100, 5678), FLOAT_LOAD);
    EQUAL(o.kind, OUTCOME_DONE);
    o = EXECUTE(a, 0xde, 0xc1, FLOAT_STORE, 0xa1, WORD(PAGE + 0x104)); /* faddp; movl ..., %eax */
    EQUAL(o.kind, OUTCOME_DONE);
    EQUAL(o.words[0], 2 * 1234);
    o = EXECUTE(b, FLOAT_STORE, 0xa1, WORD(PAGE + 0x104));
    EQUAL(o.kind, OUTCOME_DONE);
    EQUAL(o.words[0], 5678);
}

/* A thread that takes another's place has not its numbers. */
static void fpu_of_the_dead(void) {
    struct task *other = child_with_page();
    CHECK(other != NULL);
    bool pointers = pointers_are_loaded(other);
    for (unsigned i = 0; i < 3; i++) {
        struct task *child = child_with_page();
        CHECK(child != NULL);
        CHECK(is_new(child, pointers));
        EQUAL(EXECUTE(child, STORE(PAGE + 0x100, 99), FLOAT_LOAD, FLOAT_LOAD).kind, OUTCOME_DONE);
        child_delete(child);
    }
}

/* Threads of ours, whose numbers of threads we choose. */
#define HERE_NUMBER 302u                                    /* and the one below */
#define LOAD_5      ".byte 0x6a, 5, 0xdb, 0x04, 0x24, 0x58" /* pushl $5; fildl (%esp); popl %eax */
#define SAVE        ".byte 0xdd, 0x30"                      /* fnsave (%eax) */

static volatile uint32_t saved[27];
static volatile L4_Word_t partner;

static L4_ThreadId_t start_here(L4_Word_t n, L4_Word_t version, void (*body)(void)) {
    static uint8_t stacks[2][1024] __attribute__((aligned(8)));
    L4_ThreadId_t me = L4_MyGlobalId(),
                  id = L4_GlobalId(L4_ThreadNo(me) + HERE_NUMBER - n, version);
    uintptr_t utcb = (uintptr_t)L4_MyUtcb() + (1 + n) * L4_UTCB_SIZE;
    if (!L4_ThreadControl(id, me, me, me, (void *)utcb) ||
        L4_Set_Priority(id, TEST_PRIORITY + 1) == L4_SCHEDULE_ERROR) {
        return L4_nilthread;
    }
    L4_LoadMR(0, L4_MakeMsgTag(0, L4_START_WORDS, 0).raw);
    L4_LoadMR(1, (L4_Word_t)(uintptr_t)body);
    L4_LoadMR(2, (L4_Word_t)(uintptr_t)(stacks[n] + sizeof stacks[n]));
    return L4_IpcSucceeded(L4_Send_Timeout(id, PATIENCE)) ? id : L4_nilthread;
}

static void end_here(L4_ThreadId_t id) {
    (void)L4_ThreadControl(id, L4_nilthread, L4_nilthread, L4_nilthread, (void *)~(uintptr_t)0);
}

static void use_it(void) {
    __asm__ volatile(LOAD_5 : : : "eax", "memory");
    (void)L4_Call((L4_ThreadId_t){.raw = partner});
    L4_Sleep(L4_Never);
}

static void save_it(void) {
    __asm__ volatile(SAVE : : "a"(saved) : "memory");
    (void)send_word(L4_Pager(), 0, 0);
    L4_Sleep(L4_Never);
}

static void wait_and_save_it(void) {
    L4_ThreadId_t from;
    (void)L4_Wait(&from);
    save_it();
}

/* (The tag word's low half, and the eight registers.) */
static bool saved_nobodys(void) {
    uint32_t numbers = 0;
    for (unsigned i = 7; i < 27; i++) {
        numbers |= saved[i];
    }
    return numbers == 0 && (saved[2] & 0xffff) == 0xffff;
}

/* After one thread has ended that left something in the unit, another finds nothing there: one of
 * this place and version. */
static void finds_nothing_of(void (*left)(void), L4_Word_t version, L4_Word_t place,
                             L4_Word_t next_version) {
    L4_Word_t word;
    partner = L4_MyGlobalId().raw;
    L4_ThreadId_t id = start_here(0, version, left);
    CHECK(id.raw != 0);
    EQUAL(error_of(L4_Receive_Timeout(id, PATIENCE)), 0);
    end_here(id);
    id = start_here(place, next_version, save_it);
    L4_Word_t error = receive_word(id, &word);
    end_here(id);
    EQUAL(error, 0);
    CHECK(saved_nobodys());
}

/* One that gets its number, while the unit still has what the first left there. */
static void fpu_of_the_same_number(void) {
    finds_nothing_of(use_it, 1, 0, 2);
}

/* An exception of a thread's that has ended is nobody's. */
static void leave_one_pending(void) {
    __asm__ volatile(
        ".byte 0xdb, 0xe3, 0x68, 0x7b, 0x03, 0, 0, 0xd9, 0x2c, 0x24, 0x58\n" /* fldcw */
        ".byte 0xd9, 0xe8, 0xd9, 0xee, 0xde, 0xf9" /* 1 / 0, unmasked; no fwait */
        :
        :
        : "eax", "memory");
    (void)L4_Call((L4_ThreadId_t){.raw = partner});
    L4_Sleep(L4_Never);
}

static void fpu_exception_of_the_dead(void) {
    finds_nothing_of(leave_one_pending, 3, 1, 3);
}

/* Who is sent a message by a thread that is using the unit, and so runs at once, has its own. */
static void fpu_over_ipc(void) {
    L4_Word_t word;
    L4_ThreadId_t to = start_here(1, 1, wait_and_save_it);
    CHECK(to.raw != 0);
    partner = to.raw;
    L4_ThreadId_t from = start_here(0, 1, use_it);
    L4_Word_t error = receive_word(to, &word);
    end_here(from);
    end_here(to);
    EQUAL(error, 0);
    CHECK(saved_nobodys());
}

/* Its own exceptions are the handler's. */
static void fpu_exceptions(void) {
    struct task *child = child_with_page();
    CHECK(child != NULL);
    struct outcome o = EXECUTE(child, 0xdb, 0xe3, STORE(PAGE, 0x37b),     /* fninit; unmask 1/0 */
                               0xd9, 0x2d, WORD(PAGE),                    /* fldcw */
                               0xd9, 0xe8, 0xd9, 0xee, 0xde, 0xf9, 0x9b); /* 1 / 0; fwait */
    EQUAL(o.kind, OUTCOME_EXCEPTION);
    EQUAL(o.words[NUMBER], 16);
}

/* With this word in its UTCB (first_fpu_use.h) a thread's first use is its handler's; no later one.
 */
static void fpu_first_use(void) {
    struct task *child = child_with_page();
    CHECK(child != NULL);
    struct outcome o = EXECUTE(child, STORE(PAGE + 0x100, 4321), RAISES(1u), FLOAT_LOAD);
    EQUAL(o.kind, OUTCOME_EXCEPTION);
    EQUAL(o.words[NUMBER], 7);
    child_delete(child);
    child = child_with_page();
    CHECK(child != NULL);
    o = EXECUTE(child, STORE(PAGE + 0x100, 4321), RAISES(1u), RAISES(0u), FLOAT_LOAD, RAISES(1u));
    EQUAL(o.kind, OUTCOME_DONE);
    o = EXECUTE(child, FLOAT_STORE, 0xa1, WORD(PAGE + 0x104));
    EQUAL(o.kind, OUTCOME_DONE);
    EQUAL(o.words[0], 4321);
}

const struct test own_state_tests[] = {
    {"own_both_sides", both_sides},
    {"own_near_the_end", near_the_end},
    {"own_limits", limits},
    {"own_lower_limit", lower_limit},
    {"own_in_neither", in_neither},
    {"own_of_others", of_others},
    {"own_over_interrupts", over_interrupts},
    {"own_fpu", fpu},
    {"own_fpu_of_the_dead", fpu_of_the_dead},
    {"own_fpu_of_the_same_number", fpu_of_the_same_number},
    {"own_fpu_exception_of_the_dead", fpu_exception_of_the_dead},
    {"own_fpu_over_ipc", fpu_over_ipc},
    {"own_fpu_exceptions", fpu_exceptions},
    {"own_fpu_first_use", fpu_first_use},
    {NULL, NULL},
};
