/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The floating-point unit: its registers over switches, forks and signals, its exceptions. Nothing
 * that the compiler makes of this file uses it.
 */
#include "fault.h"

#include <linux/ptrace.h>

enum { REGISTERS = 8, DEFAULT_CONTROL = 0x37f, MASKS = 0x3f };

/* What FNSAVE writes and FRSTOR loads. */
struct unit {
    unsigned int control, status, tags, eip, cs, at, ds;
    unsigned char registers[REGISTERS][10];
};

/* FNSAVE initialises the unit, so it is loaded again. */
static void store(struct unit *unit) {
    __asm__ volatile("fnsave %0\n frstor %0" : "=m"(*unit));
}

static void load(const struct unit *unit) {
    __asm__ volatile("frstor %0" : : "m"(*unit));
}

static void initialise(void) {
    __asm__ volatile("fninit");
}

/* Eight numbers and a rounding that depend on `seed`. */
static struct unit unit_of(unsigned int seed) {
    struct unit unit = {.control = 0xffff0000 | DEFAULT_CONTROL | (seed & 3) << 10,
                        .status = 0xffff0000,
                        .tags = 0xffff0000};
    for (unsigned int i = 0; i < REGISTERS; i++) {
        unsigned int number = scramble(8 * seed + i + 1);
        unsigned char *bytes = unit.registers[i];
        for (unsigned int byte = 0; byte < 8; byte++) {
            bytes[byte] = (unsigned char)(number >> (byte % 4 * 8));
        }
        bytes[7] |= 0x80;                            /* normal: the leading bit is there */
        bytes[8] = (unsigned char)(0xf0 + seed % 8); /* an exponent around zero */
        bytes[9] = i % 2 ? 0x3f : 0xbf;
    }
    return unit;
}

static int holds(const struct unit *expected) {
    struct unit now;
    store(&now);
    return (now.control & 0xffff) == (expected->control & 0xffff) && (now.tags & 0xffff) == 0 &&
           memcmp(now.registers, expected->registers, sizeof(now.registers)) == 0;
}

/* In processes that run in turn. One of them uses no floating-point unit. */
static void over_switches(void) {
    enum { PROCESSES = 5, ROUNDS = 12, WITHOUT = 2 };
    struct ring ring;
    struct unit own;
    ring_make(&ring, PROCESSES);
    for (unsigned int round = 0; round < ROUNDS; round++) {
        if (ring.own != 0 || round != 0) {
            ring_wait(&ring);
        }
        if (ring.own != WITHOUT) {
            EXPECT(round == 0 || holds(&own));
            own = unit_of(100 * ring.own + round);
            load(&own);
        }
        ring_pass(&ring);
    }
    ring_finish(&ring);
}

/* A child has the registers that its parent had, and changes its own. */
static void over_fork(void) {
    struct unit own = unit_of(3), fresh_unit;
    pid_t child;
    load(&own);
    child = fork();
    EXPECT(child >= 0);
    if (child == 0) {
        EXPECT(holds(&own));
        own = unit_of(4);
        load(&own);
        sched_yield();
        EXPECT(holds(&own));
        _exit(0);
    }
    sched_yield();
    EXPECT(ended_well(child));
    EXPECT(holds(&own));
    initialise();
    store(&fresh_unit);
    EXPECT((fresh_unit.control & 0xffff) == DEFAULT_CONTROL &&
           (fresh_unit.tags & 0xffff) == 0xffff);
}

static volatile int count;
static struct unit at_signal;

/* Uses the unit itself; the interrupted program must not see it. */
static void use_unit(int signal, siginfo_t *info, void *context) {
    struct unit other = unit_of(1000 + count);
    (void)signal;
    (void)info;
    (void)context;
    load(&other);
    count++;
}

static void over_signals(void) {
    struct unit own = unit_of(7);
    EXPECT(handle(SIGALRM, use_unit, 0) == 0);
    EXPECT(handle(SIGUSR1, use_unit, 0) == 0);
    load(&own);
    EXPECT(kill(getpid(), SIGUSR1) == 0 && count == 1);
    EXPECT(holds(&own));
    EXPECT(interval_timer(20000, 10000) == 0);
    while (count < 6) {
        EXPECT(holds(&own));
    }
    EXPECT(interval_timer(0, 0) == 0);
    EXPECT(holds(&own));
}

/* The frame of a signal has the registers, and what is written there counts. */
static void change_unit(int signal, siginfo_t *info, void *context) {
    struct _fpstate *frame = interrupted(context)->fpstate;
    struct unit next = unit_of(21);
    (void)signal;
    (void)info;
    memcpy(&at_signal, frame, sizeof(at_signal));
    memcpy(frame, &next, sizeof(next));
}

static void in_frames(void) {
    struct unit own = unit_of(20), next = unit_of(21);
    EXPECT(handle(SIGUSR1, change_unit, 0) == 0);
    load(&own);
    EXPECT(kill(getpid(), SIGUSR1) == 0);
    EXPECT(memcmp(at_signal.registers, own.registers, sizeof(own.registers)) == 0);
    EXPECT((at_signal.control & 0xffff) == (own.control & 0xffff));
    EXPECT(holds(&next));
}

void divide_by_zero(void *argument);
void divide_unmasked(void *argument);
extern const char waits_at[];
__asm__(".text\n"
        "divide_by_zero:\n"
        "    fninit\n"
        "    fldz\n"
        "    fld1\n"
        "    fdiv %st(1), %st\n"
        "    fwait\n"
        "    ret\n"
        "divide_unmasked:\n"
        "    fninit\n"
        "    mov 4(%esp), %eax\n"
        "    fldcw (%eax)\n"
        "    fldz\n"
        "    fld1\n"
        "    fdiv %st(1), %st\n"
        "    nop\n"
        "waits_at:\n"
        "    fwait\n"
        "    ret\n");

/* A masked one is noted; an unmasked one waits for the next instruction that waits. */
static void exceptions(void) {
    enum { FLT_DIV = 3, ZERO_DIVIDE = 4 };
    static const unsigned short control = DEFAULT_CONTROL & ~ZERO_DIVIDE;
    struct unit unit;
    catch_faults();
    EXPECT(!attempt(divide_by_zero, NULL));
    store(&unit);
    EXPECT((unit.status & MASKS) == ZERO_DIVIDE);
    initialise();
    EXPECT(attempt(divide_unmasked, (void *)&control));
    EXPECT(fault.signal == SIGFPE && fault.vector == EX_MF && fault.code == FLT_DIV);
    EXPECT(fault.eip == (unsigned int)waits_at);
    __asm__ volatile("fnclex");
    initialise();
}

/* A debugger reads the registers of a process, and writes them. */
static void debugger(void) {
    struct unit first = unit_of(31), second = unit_of(32), seen;
    int status;
    pid_t child = fork();
    EXPECT(child >= 0);
    if (child == 0) {
        EXPECT(trace(PTRACE_TRACEME, 0, 0, 0) == 0);
        load(&first);
        kill(getpid(), SIGSTOP);
        EXPECT(holds(&second));
        _exit(0);
    }
    EXPECT(waitpid(child, &status, 0) == child && stopped_by(status) == SIGSTOP);
    EXPECT(trace(PTRACE_GETFPREGS, child, 0, (unsigned long)&seen) == 0);
    EXPECT(memcmp(seen.registers, first.registers, sizeof(seen.registers)) == 0);
    EXPECT(trace(PTRACE_SETFPREGS, child, 0, (unsigned long)&second) == 0);
    EXPECT(trace(PTRACE_CONT, child, 0, 0) == 0 && ended_well(child));
}

const struct test fpu_tests[] = {
    {"floating-point registers over switches", over_switches},
    {"floating-point registers over fork", over_fork},
    {"floating-point registers over signals", over_signals},
    {"floating-point registers in signal frames", in_frames},
    {"floating-point exceptions", exceptions},
    {"a debugger's floating-point registers", debugger},
    {0},
};
