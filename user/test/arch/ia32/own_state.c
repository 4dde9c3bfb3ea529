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

const struct test own_state_tests[] = {
    {"own_both_sides", both_sides},
    {"own_limits", limits},
    {"own_lower_limit", lower_limit},
    {"own_in_neither", in_neither},
    {"own_of_others", of_others},
    {"own_over_interrupts", over_interrupts},
    {"own_fpu", fpu},
    {"own_fpu_of_the_dead", fpu_of_the_dead},
    {"own_fpu_exceptions", fpu_exceptions},
    {NULL, NULL},
};
