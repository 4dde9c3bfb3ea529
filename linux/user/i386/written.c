/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Code that is written while it may be executed. The processor is to see that for itself, whoever
 * writes and at which address, and is to forget decoded instructions with their translations.
 */
#include "fault.h"

typedef unsigned int function(void);

/* Memory for code, shared by all that have it. */
static unsigned int *code_pages(size_t bytes, int fd) {
    int flags = fd < 0 ? MAP_SHARED | MAP_ANONYMOUS : MAP_SHARED;
    unsigned int *code = mmap(NULL, bytes, PROT_READ | PROT_WRITE | PROT_EXEC, flags, fd, 0);
    EXPECT(code != MAP_FAILED);
    return code;
}

static void write_function(unsigned int *at, unsigned int value) {
    at[0] = LOAD_RESULT(value);
    at[1] = RETURN;
}

static unsigned int call(const unsigned int *at) {
    return ((function *)at)();
}

/*
 * A loop whose store changes an instruction of it: the one that comes next, without a jump between
 * (the Pentium 4 sees that, too). Returns the sum of what the changed instruction added.
 */
unsigned int change_ahead(unsigned char *values, unsigned int rounds);
extern unsigned char changed_ahead[];
__asm__(".text\n"
        "change_ahead:\n"
        "    push %ebx\n"
        "    mov 8(%esp), %edx\n"
        "    mov 12(%esp), %ecx\n"
        "    xor %eax, %eax\n"
        "1:  movb (%edx), %bl\n"
        "    movb %bl, changed_ahead + 2\n"
        "changed_ahead:\n"
        "    add $1, %eax\n" /* its last byte is the number */
        "    inc %edx\n"
        "    dec %ecx\n"
        "    jnz 1b\n"
        "    pop %ebx\n"
        "    ret\n");

static void ahead(void) {
    unsigned char values[] = {7, 7, 9, 100, 1, 0, 3};
    void *page = (void *)((unsigned int)(changed_ahead + 2) & -PAGE);
    EXPECT(protect(page, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC) == 0);
    EXPECT(change_ahead(values, LENGTH(values)) == 127);
}

/* Written at one address, executed at another. */
static void at_another_address(void) {
    int fd = scratch_file(PAGE, 0);
    unsigned int *executed_at = code_pages(PAGE, fd);
    unsigned int *written_at = code_pages(PAGE, fd);
    for (unsigned int round = 0; round < 50; round++) {
        for (unsigned int i = 0; i < 8; i++) {
            write_function(written_at + 16 * i, round + i);
        }
        for (unsigned int i = 0; i < 8; i++) {
            EXPECT(call(executed_at + 16 * i) == round + i);
        }
    }
}

/* A function over the end of a page, whose halves are written in turn. */
static void over_two_pages(void) {
    unsigned char *code = (void *)code_pages(2 * PAGE, -1);
    unsigned char *at = code + PAGE - 3; /* two bytes of the number are in the next page */
    static const unsigned char instructions[] = {0xb8, 0, 0, 0, 0, 0xc3};
    memcpy(at, instructions, sizeof(instructions));
    for (unsigned int round = 0; round < 50; round++) {
        unsigned int expected = round << 24 | round / 2;
        at[1] = (unsigned char)(round / 2);
        at[4] = (unsigned char)round;
        EXPECT(((function *)at)() == expected);
    }
}

/* In turn, each calls what the one before has written. */
static void by_another_process(void) {
    enum { PROCESSES = 3, ROUNDS = 10 };
    unsigned int *code = code_pages(PAGE, -1);
    struct ring ring;
    write_function(code, 0);
    ring_make(&ring, PROCESSES);
    for (unsigned int round = 0; round < ROUNDS; round++) {
        unsigned int turn = round * PROCESSES + ring.own;
        if (turn != 0) {
            ring_wait(&ring);
        }
        EXPECT(call(code) == turn);
        write_function(code, turn + 1);
        EXPECT(call(code) == turn + 1);
        ring_pass(&ring);
    }
    ring_finish(&ring);
}

/* The kernel writes, from a pipe, what has been executed. */
static void by_the_kernel(void) {
    unsigned int *code = code_pages(PAGE, -1);
    unsigned int words[2];
    int ends[2];
    EXPECT(pipe(ends) == 0);
    for (unsigned int round = 0; round < 100; round++) {
        write_function(words, round);
        EXPECT(write(ends[1], words, sizeof(words)) == sizeof(words));
        EXPECT(read(ends[0], code, sizeof(words)) == sizeof(words));
        EXPECT(call(code) == round);
    }
}

static void call_function(void *at) {
    (void)call(at);
}

static void expect_no_code(unsigned int *at) {
    EXPECT(attempt(call_function, at));
    EXPECT(fault.signal == SIGSEGV && fault.vector == EX_PF);
    EXPECT(fault.page == (unsigned int)at && fault.eip == (unsigned int)at);
}

/* What has gone, or may not be reached any more, is not executed from anything that remembers it.
 */
static void gone(void) {
    catch_faults();
    for (unsigned int round = 0; round < 10; round++) {
        unsigned int *code = code_pages(PAGE, -1);
        unsigned int *again;
        write_function(code, round);
        EXPECT(call(code) == round);
        EXPECT(protect(code, PAGE, PROT_NONE) == 0);
        expect_no_code(code);
        EXPECT(protect(code, PAGE, PROT_READ | PROT_EXEC) == 0);
        EXPECT(call(code) == round);
        EXPECT(munmap(code, PAGE) == 0);
        expect_no_code(code);
        again = mmap(code, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
        EXPECT(again == code);
        write_function(again, round + 1);
        EXPECT(call(again) == round + 1);
        EXPECT(munmap(again, PAGE) == 0);
    }
}

/* More functions than the trace cache has lines, rewritten. */
static void many(void) {
    enum { FUNCTIONS = 4096, WORDS = 8 };
    unsigned int *code = code_pages(FUNCTIONS * WORDS * sizeof(unsigned int), -1);
    for (unsigned int round = 0; round < 3; round++) {
        for (unsigned int i = 0; i < FUNCTIONS; i++) {
            write_function(code + i * WORDS, (i + round) & 0xff);
        }
        for (unsigned int i = 0; i < FUNCTIONS; i++) {
            EXPECT(call(code + i * WORDS) == ((i + round) & 0xff));
        }
    }
}

const struct test written_tests[] = {
    {"code that changes what comes next", ahead},
    {"code written at another address", at_another_address},
    {"code over two pages", over_two_pages},
    {"code written by another process", by_another_process},
    {"code written by the kernel", by_the_kernel},
    {"code that is gone", gone},
    {"more code than the processor keeps", many},
    {0},
};
