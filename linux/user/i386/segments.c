/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Segments that programs may have: in a table of their own (LDT), in the entries of the global
 * table that each thread has, and the ports that they may be given.
 */
#include "fault.h"

#include <asm/ldt.h>

/* Kinds of `contents`. */
enum { DATA = 0, EXPAND_DOWN = 1, CODE = 2 };

/* The selector of an entry of the LDT for level 3, and what an error code has of it. */
#define SELECTOR(entry) ((entry) << 3 | 7u)
#define IN_ERROR(entry) ((entry) << 3 | 4u)

static struct user_desc segment(unsigned int entry, const volatile void *base, unsigned int limit,
                                unsigned int contents) {
    struct user_desc wanted = {.entry_number = entry,
                               .base_addr = (unsigned int)base,
                               .limit = limit,
                               .seg_32bit = 1,
                               .contents = contents};
    return wanted;
}

static void define(struct user_desc wanted) {
    enum { WRITE = 0x11 };
    EXPECT(syscall(__NR_modify_ldt, WRITE, &wanted, sizeof(wanted)) == 0);
}

static void load_fs(unsigned int selector) {
    __asm__ volatile("mov %w0, %%fs" : : "r"(selector));
}

static unsigned int fs(void) {
    unsigned int selector = 0;
    __asm__ volatile("mov %%fs, %w0" : "+r"(selector));
    return selector;
}

static unsigned int fs_word(unsigned int at) {
    unsigned int word;
    __asm__ volatile("mov %%fs:(%1), %0" : "=r"(word) : "r"(at) : "memory");
    return word;
}

static void read_byte(void *at) {
    unsigned char byte;
    __asm__ volatile("movb %%fs:(%1), %0" : "=q"(byte) : "r"(at) : "memory");
}

static void write_byte(void *at) {
    __asm__ volatile("movb $1, %%fs:(%0)" : : "r"(at) : "memory");
}

static void load_selector(void *selector) {
    load_fs((unsigned int)selector);
}

/* Whether a byte of FS can be read; if not, it is a general protection fault without a selector. */
static int readable(unsigned int at) {
    if (!attempt(read_byte, (void *)at)) {
        return 1;
    }
    EXPECT(fault.signal == SIGSEGV && fault.vector == EX_GP && fault.error == 0);
    return 0;
}

static void limits(void) {
    static unsigned char bytes[3 * PAGE] __attribute__((aligned(PAGE)));
    struct user_desc large = segment(2, bytes, 1, DATA);
    catch_faults();
    define(segment(0, bytes, 99, DATA));
    load_fs(SELECTOR(0));
    EXPECT(readable(0) && readable(99));
    EXPECT(is_qemu() || (!readable(100) && !readable(-1u)));
    /* Expanding down: above the limit. */
    define(segment(1, bytes, 99, EXPAND_DOWN));
    load_fs(SELECTOR(1));
    EXPECT(readable(100) && readable(2 * PAGE));
    EXPECT(is_qemu() || (!readable(99) && !readable(0)));
    /* In pages: two of them. */
    large.limit_in_pages = 1;
    define(large);
    load_fs(SELECTOR(2));
    EXPECT(readable(0) && readable(2 * PAGE - 1));
    EXPECT(is_qemu() || !readable(2 * PAGE));
}

static void types(void) {
    static unsigned int words[4] = {1, 2, 3, 4};
    struct user_desc wanted = segment(0, words, sizeof(words) - 1, DATA);
    catch_faults();
    wanted.read_exec_only = 1;
    define(wanted);
    load_fs(SELECTOR(0));
    EXPECT(fs_word(4) == 2);
    if (!is_qemu()) {
        EXPECT(attempt(write_byte, NULL) && fault.vector == EX_GP && fault.error == 0);
        EXPECT(words[0] == 1);
        /* The null selector can be loaded, not used. */
        load_fs(0);
        EXPECT(!readable(0));
    }
}

/* What an error code names: the selector without its level. */
static void refused_selectors(void) {
    static unsigned int words[4];
    struct user_desc absent = segment(1, words, sizeof(words) - 1, DATA);
    struct user_desc execute_only = segment(2, words, sizeof(words) - 1, CODE);
    enum { TASK = 0x80, KERNEL_DATA = 0x68, BEYOND = 0x1000 };
    static const unsigned int others[] = {TASK, KERNEL_DATA, BEYOND, KERNEL_DATA | 3};
    catch_faults();
    absent.seg_not_present = 1;
    execute_only.read_exec_only = 1;
    define(segment(0, words, sizeof(words) - 1, DATA));
    define(absent);
    define(execute_only);
    EXPECT(attempt(load_selector, (void *)SELECTOR(1)));
    EXPECT(fault.signal == SIGBUS && fault.vector == EX_NP && fault.error == IN_ERROR(1));
    EXPECT(attempt(load_selector, (void *)SELECTOR(2)));
    EXPECT(fault.signal == SIGSEGV && fault.vector == EX_GP && fault.error == IN_ERROR(2));
    EXPECT(attempt(load_selector, (void *)SELECTOR(9)));
    EXPECT(fault.vector == EX_GP && fault.error == IN_ERROR(9));
    for (size_t i = 0; i < LENGTH(others); i++) {
        EXPECT(attempt(load_selector, (void *)others[i]));
        EXPECT(fault.vector == EX_GP && fault.error == (others[i] & ~3u));
    }
    EXPECT(!attempt(load_selector, (void *)SELECTOR(0)));
}

/* A register keeps what it was loaded with until it is loaded anew: Linux does so for a new table.
 */
static void changed_tables(void) {
    static unsigned int one[2] = {11, 12}, other[2] = {21, 22};
    define(segment(0, one, 7, DATA));
    load_fs(SELECTOR(0));
    EXPECT(fs_word(0) == 11);
    define(segment(0, other, 7, DATA));
    EXPECT(fs_word(4) == 22);
}

/* Each has its own table, or had its parent's; one of them has none. */
static void tables_over_switches(void) {
    enum { PROCESSES = 5, ROUNDS = 8, WITHOUT = 3 };
    static unsigned int words[PROCESSES][2];
    struct ring ring;
    define(segment(0, words[0], 7, DATA));
    load_fs(SELECTOR(0));
    words[0][0] = 1000;
    ring_make(&ring, PROCESSES);
    EXPECT(fs() == SELECTOR(0) && fs_word(0) == 1000);
    for (unsigned int round = 0; round < ROUNDS; round++) {
        if (ring.own != 0 || round != 0) {
            ring_wait(&ring);
        }
        if (round == 1 && ring.own != WITHOUT) {
            words[ring.own][1] = 100 + ring.own;
            define(segment(ring.own, words[ring.own], 7, DATA));
            load_fs(SELECTOR(ring.own));
        } else if (round == 1) {
            load_fs(0);
        } else if (round > 1 && ring.own != WITHOUT) {
            EXPECT(fs() == SELECTOR(ring.own) && fs_word(4) == 100u + ring.own);
        } else if (round > 1) {
            EXPECT(fs() == 0);
        }
        ring_pass(&ring);
    }
    ring_finish(&ring);
}

/* The entries of the global table that are a thread's own: what a C library uses. */
static void thread_areas(void) {
    enum { PROCESSES = 4, ROUNDS = 8, ANY = -1 };
    static unsigned int words[PROCESSES][2];
    struct user_desc wanted = segment((unsigned int)ANY, NULL, 0xfffff, DATA);
    struct ring ring;
    ring_make(&ring, PROCESSES);
    wanted.base_addr = (unsigned int)words[ring.own];
    wanted.limit_in_pages = 1;
    wanted.useable = 1;
    EXPECT(syscall(__NR_set_thread_area, &wanted) == 0);
    EXPECT(wanted.entry_number >= 6 && wanted.entry_number <= 8);
    __asm__ volatile("mov %w0, %%gs" : : "r"(wanted.entry_number << 3 | 3));
    words[ring.own][1] = 200 + ring.own;
    for (unsigned int round = 0; round < ROUNDS; round++) {
        unsigned int word;
        if (ring.own != 0 || round != 0) {
            ring_wait(&ring);
        }
        __asm__ volatile("mov %%gs:4, %0" : "=r"(word) : : "memory");
        EXPECT(word == 200u + ring.own);
        ring_pass(&ring);
    }
    ring_finish(&ring);
}

/* Code in a segment with a base: it begins at 0 there, and ends at its limit. */
static unsigned int far_call(unsigned int selector, unsigned int offset) {
    const struct {
        unsigned int offset;
        unsigned short selector;
    } to = {offset, (unsigned short)selector};
    unsigned int result;
    __asm__ volatile("lcall *%1" : "=a"(result) : "m"(to) : "ecx", "edx", "memory", "cc");
    return result;
}

static void call_beyond(void *entry) {
    (void)far_call((unsigned int)entry, 8);
}

static void code_segments(void) {
    unsigned char *page =
        mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    static const unsigned char code[] = {0xb8, 42,   0,    0,   0, 0xcb, /* mov $42, %eax; lret */
                                         0x90, 0x90, 0x90, 0xcb};        /* nop, ... lret */
    EXPECT(page != MAP_FAILED);
    memcpy(page + 0x80, code, sizeof(code));
    catch_faults();
    define(segment(0, page + 0x80, sizeof(code) - 1, CODE));
    EXPECT(far_call(SELECTOR(0), 0) == 42);
    EXPECT(!attempt(call_beyond, (void *)SELECTOR(0)));
    define(segment(1, page + 0x80, 8, CODE));
    EXPECT(far_call(SELECTOR(1), 0) == 42);
    /* The nop at 8 is executed, the lret at 9 is beyond. */
    if (is_qemu()) {
        EXPECT(!attempt(call_beyond, (void *)SELECTOR(1)));
    } else {
        EXPECT(attempt(call_beyond, (void *)SELECTOR(1)));
        EXPECT(fault.vector == EX_GP && fault.error == 0 && fault.eip == 9);
    }
}

/* Pushes beyond the limit of a stack segment of its own, from an address below 16. */
void push_below(void *selector);
__asm__(".text\n"
        "push_below:\n"
        "    mov 4(%esp), %ecx\n"
        "    mov %esp, %edx\n"
        "    mov %ss, %eax\n"
        "    mov %cx, %ss\n"
        "    mov $8, %esp\n"
        "    push %ecx\n"
        "    push %ecx\n"
        "    push %ecx\n"
        "    mov %ax, %ss\n"
        "    mov %edx, %esp\n"
        "    ret\n");

static void stack_segments(void) {
    static unsigned int words[64];
    catch_faults();
    define(segment(0, words, sizeof(words) - 1, DATA));
    if (!is_qemu()) {
        EXPECT(attempt(push_below, (void *)SELECTOR(0)));
        EXPECT(fault.signal == SIGBUS && fault.vector == EX_SS && fault.error == 0);
        EXPECT(words[0] == SELECTOR(0) && words[1] == SELECTOR(0));
    }
    /* One that cannot be written is no stack. */
    define(segment(1, words, sizeof(words) - 1, CODE));
    EXPECT(attempt(push_below, (void *)SELECTOR(1)));
    EXPECT(fault.signal == SIGSEGV && fault.vector == EX_GP && fault.error == IN_ERROR(1));
}

/* POST codes: a port that every PC has. */
enum { PORT = 0x80 };

static void read_port(void *port) {
    unsigned char byte;
    __asm__ volatile("inb %w1, %0" : "=a"(byte) : "d"(port));
}

static int may_read(unsigned int port) {
    if (!attempt(read_port, (void *)port)) {
        return 1;
    }
    EXPECT(fault.signal == SIGSEGV && fault.vector == EX_GP && fault.error == 0);
    return 0;
}

/* Of processes that run in turn, some may read the port. */
static void ports(void) {
    struct ring ring;
    catch_faults();
    EXPECT(!may_read(PORT));
    EXPECT(syscall(__NR_ioperm, PORT, 1, 1) == 0);
    EXPECT(may_read(PORT) && !may_read(PORT + 1) && !may_read(PORT - 1));
    ring_make(&ring, 4);
    for (int round = 0; round < 4; round++) {
        if (ring.own != 0 || round != 0) {
            ring_wait(&ring);
        }
        if (round == 1 && ring.own % 2 == 1) {
            EXPECT(syscall(__NR_ioperm, PORT, 1, 0) == 0);
        }
        EXPECT(may_read(PORT) == (round == 0 || ring.own % 2 == 0));
        EXPECT(!may_read(PORT + 1));
        ring_pass(&ring);
    }
    ring_finish(&ring);
}

const struct test segment_tests[] = {
    {"limits of segments", limits},
    {"types of segments", types},
    {"selectors that are refused", refused_selectors},
    {"tables that change", changed_tables},
    {"tables of segments over switches", tables_over_switches},
    {"areas of threads over switches", thread_areas},
    {"code segments", code_segments},
    {"stack segments", stack_segments},
    {"ports", ports},
    {0},
};
