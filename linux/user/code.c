/* SPDX-License-Identifier: GPL-2.0-only */
/* Instructions that were written as data, and the kernel's own helpers in the vector page. */
#include "test.h"

typedef unsigned int function(void);

/* Writes a function that returns `value`, in the state that this file is compiled to. */
static void write_function(unsigned int *at, unsigned int value) {
#ifdef __thumb__
    at[0] = 0x47702000 | value; /* movs r0, #value; bx lr */
#else
    at[0] = LOAD_RESULT(value);
    at[1] = RETURN;
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

static void write_and_call(unsigned int *code) {
    enum { FUNCTIONS = 64, STRIDE = 16 }; /* two lines apart */
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

static void written_code(void) {
    unsigned int *code =
        mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    EXPECT(code != MAP_FAILED);
    write_and_call(code);
}

/* Where programs are linked: the processor may have moved these addresses. */
static void written_code_in_the_program(void) {
    static unsigned int code[PAGE / sizeof(unsigned int)] __attribute__((aligned(PAGE)));
    EXPECT(protect(code, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC) == 0);
    write_and_call(code);
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

/* A file whose pages are functions that return their number. */
static int file_of_functions(unsigned int count) {
    int fd = scratch_file(0, 0);
    for (unsigned int i = 0; i < count; i++) {
        unsigned int page[PAGE / sizeof(unsigned int)] = {0};
        write_function(page + 16, i);
        EXPECT(write_all(fd, page, PAGE) == PAGE);
    }
    return fd;
}

/* Maps one of them at an address where nothing else is. */
static unsigned int *map_function(unsigned long at, int fd, unsigned int number) {
    unsigned int *code = mmap((void *)at, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, fd,
                              (long)(number * PAGE));
    EXPECT(code == (void *)at);
    return code;
}

/*
 * Processes that have other code at one address, where no process's slot is. In the second round it
 * is no code any more when it is unmapped, so that there is no reason to flush instructions then.
 */
static void code_at_one_address(void) {
    struct ring ring;
    int fd = file_of_functions(3);
    ring_make(&ring, 3);
    for (int round = 0; round < 4; round++) {
        unsigned int *code;
        if (ring.own != 0 || round != 0) {
            ring_wait(&ring);
        }
        code = map_function(0x52345000, fd, ring.own);
        EXPECT(function_at(code + 16)() == (unsigned int)ring.own);
        if (round % 2 == 1) {
            EXPECT(protect(code, PAGE, PROT_READ) == 0);
        }
        EXPECT(munmap(code, PAGE) == 0);
        ring_pass(&ring);
    }
    ring_finish(&ring);
}

/* Of more processes than there are slots, at an address in their own, one after the other. */
static void code_of_the_dead(void) {
    enum { PROCESSES = 140 };
    int fd = file_of_functions(PROCESSES);
    for (unsigned int i = 0; i < PROCESSES; i++) {
        pid_t child = fork();
        EXPECT(child >= 0);
        if (child == 0) {
            EXPECT(function_at(map_function(0x01345000, fd, i) + 16)() == i);
            _exit(0);
        }
        EXPECT(ended_well(child));
    }
}
#ifdef __arm__
/* Documentation/arch/arm/kernel_user_helpers.rst: the only atomic operation that ARMv4 has. */
static void kernel_helpers(void) {
    int (*const exchange)(int old, int new, volatile int *at) = (void *)0xffff0fc0;
    int (*const version)(void) = (void *)0xffff0ffc;
    static volatile int word = 5;
    EXPECT(*(volatile int *)version >= 2);
    EXPECT(exchange(5, 6, &word) == 0 && word == 6);
    EXPECT(exchange(5, 7, &word) != 0 && word == 6);
}
#endif

const struct test code_tests[] = {
    {"code written as data", written_code},
    {"code written into the program", written_code_in_the_program},
    {"code from a file", code_from_a_file},
    {"code of several processes at one address", code_at_one_address},
    {"code of processes that have ended", code_of_the_dead},
#ifdef __arm__
    {"the kernel's user helpers", kernel_helpers},
#endif
    {0},
};
