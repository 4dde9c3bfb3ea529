/* SPDX-License-Identifier: GPL-2.0-only */
/* Signals: handlers, masks, faults that a handler repairs, system calls that a signal ends. */
#include "test.h"

static volatile int count;
static volatile int sender;
static char *volatile fault_at;

static void note(int signal, siginfo_t *info, void *context) {
    (void)context;
    count += signal == info->si_signo;
    sender = info->si_pid;
}

static void handlers(void) {
    unsigned long long old;
    EXPECT(handle(SIGUSR1, note, 0) == 0);
    EXPECT(kill(getpid(), SIGUSR1) == 0);
    EXPECT(count == 1 && sender == getpid());
    EXPECT(signal_mask(SIG_BLOCK, signal_bit(SIGUSR1), &old) == 0 && old == 0);
    EXPECT(kill(getpid(), SIGUSR1) == 0);
    EXPECT(kill(getpid(), SIGUSR1) == 0);
    EXPECT(count == 1 && signals_pending() == signal_bit(SIGUSR1));
    EXPECT(signal_mask(SIG_UNBLOCK, signal_bit(SIGUSR1), &old) == 0);
    EXPECT(old == signal_bit(SIGUSR1) && count == 2 && signals_pending() == 0);
}

/* A page that may not be touched; the handler lets it, and the instruction is done again. */
static void repair(int signal, siginfo_t *info, void *context) {
    (void)signal;
    (void)context;
    fault_at = info->si_addr;
    count++;
    EXPECT(protect((void *)((unsigned long)info->si_addr & -PAGE), PAGE, PROT_READ | PROT_WRITE) ==
           0);
}

static void repaired_faults(void) {
    enum { PAGES = 16 };
    char *pages = fresh(PAGES * PAGE, MAP_PRIVATE);
    fill(pages, PAGES * PAGE, 7);
    EXPECT(handle(SIGSEGV, repair, 0) == 0);
    EXPECT(protect(pages, PAGES * PAGE, PROT_NONE) == 0);
    for (int i = 0; i < PAGES; i++) {
        volatile char *byte = pages + i * PAGE + 4 * i + 1;
        char before = *byte;
        EXPECT(fault_at == byte && count == 2 * i + 1);
        EXPECT(protect(pages + i * PAGE, PAGE, PROT_READ) == 0);
        *byte = before;
        EXPECT(fault_at == byte && count == 2 * i + 2);
    }
    EXPECT(filled(pages, PAGES * PAGE, 7));
}

static void unhandled_faults(void) {
    /* An address that is nobody's, one of the kernel's, and an instruction that is none. */
    for (int kind = 0; kind < 3; kind++) {
        int status;
        pid_t child = fork();
        EXPECT(child >= 0);
        if (child == 0) {
            if (kind == 2) {
                __builtin_trap(); /* permanently undefined */
            } else {
                *(volatile int *)(kind ? KERNELS : 0x8ul) = 1;
            }
            _exit(0);
        }
        EXPECT(waitpid(child, &status, 0) == child);
        EXPECT(ended_by(status) == (kind == 2 ? SIGILL : SIGSEGV));
    }
}

static void interrupted_calls(void) {
    int ends[2];
    char byte;
    EXPECT(pipe(ends) == 0);
    EXPECT(handle(SIGALRM, note, 0) == 0);
    EXPECT(interval_timer(20000, 0) == 0);
    EXPECT(read(ends[0], &byte, 1) == -1 && errno == EINTR && count == 1);
}

static void child_signals(void) {
    pid_t child;
    EXPECT(handle(SIGCHLD, note, 0) == 0);
    child = fork();
    if (child == 0) {
        _exit(0);
    }
    while (count == 0) {
        sleep_for(1000000);
    }
    EXPECT(sender == child && ended_well(child));
}

const struct test signal_tests[] = {
    {"signal handlers and masks", handlers},
    {"faults that a handler repairs", repaired_faults},
    {"faults that end a process", unhandled_faults},
    {"a signal ends a system call", interrupted_calls},
    {"SIGCHLD", child_signals},
    {0},
};
