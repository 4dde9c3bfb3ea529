/* SPDX-License-Identifier: GPL-2.0-only */
/* Instructions that were written as data, and the kernel's own helpers in the vector page. */
#include "test.h"

typedef unsigned int function(void);

/* Writes a function that returns `value`, in the state that this file is compiled to. */
static void write_function(unsigned int *at, unsigned int value) {
#ifdef __thumb__
    at[0] = 0x47702000 | value; /* movs r0, #value; bx lr */
#else
    at[0] = 0xe3a00000 | value; /* mov r0, #value */
    at[1] = 0xe1a0f00e;         /* mov pc, lr */
#endif
}

/* An address to call; that of a Thumb function is odd. */
static function *function_at(unsigned int *code) {
#ifdef __thumb__
    return (function *)((unsigned long)code | 1);
#else
    return (function *)code;
#endif
}

static void written_code(void) {
    enum { FUNCTIONS = 64, STRIDE = 16 }; /* two lines apart */
    unsigned int *code =
        mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    EXPECT(code != MAP_FAILED);
    for (unsigned int round = 0; round < 3; round++) {
        for (unsigned int i = 0; i < FUNCTIONS; i++) {
            write_function(code + i * STRIDE, i + round);
        }
        EXPECT(flush_code(code, PAGE) == 0);
        for (unsigned int i = 0; i < FUNCTIONS; i++) {
            EXPECT(function_at(code + i * STRIDE)() == i + round);
        }
    }
}

/* Code that comes with a file's page: the kernel must clean what it wrote. */
static void code_from_a_file(void) {
    for (unsigned int round = 0; round < 20; round++) {
        unsigned int page[PAGE / sizeof(unsigned int)] = {0};
        int fd = scratch_file(0, 0);
        unsigned int *code;
        write_function(page + 16, round);
        EXPECT(write_all(fd, page, PAGE) == PAGE);
        code = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
        EXPECT(code != MAP_FAILED);
        EXPECT(function_at(code + 16)() == round);
        EXPECT(munmap(code, PAGE) == 0);
        close(fd);
    }
}

/* Documentation/arch/arm/kernel_user_helpers.rst: the only atomic operation that ARMv4 has. */
static void kernel_helpers(void) {
    int (*const exchange)(int old, int new, volatile int *at) = (void *)0xffff0fc0;
    int (*const version)(void) = (void *)0xffff0ffc;
    static volatile int word = 5;
    EXPECT(*(volatile int *)version >= 2);
    EXPECT(exchange(5, 6, &word) == 0 && word == 6);
    EXPECT(exchange(5, 7, &word) != 0 && word == 6);
}

const struct test code_tests[] = {
    {"code written as data", written_code},
    {"code from a file", code_from_a_file},
    {"the kernel's user helpers", kernel_helpers},
    {0},
};
