/* SPDX-License-Identifier: GPL-2.0-only */
/* Clocks and timers. Lower bounds are exact; upper ones leave room for a slow simulator. */
#include "test.h"

enum { MS = 1000000 };

static volatile int ticks;

static void tick(int signal, siginfo_t *info, void *context) {
    (void)signal;
    (void)info;
    (void)context;
    ticks++;
}

static void sleeping(void) {
    long long before = monotonic();
    EXPECT(sleep_for(50 * MS) == 0);
    EXPECT(monotonic() - before >= 50 * MS && monotonic() - before < 1000LL * MS);
    for (int i = 0; i < 1000; i++) {
        long long now = monotonic();
        EXPECT(now >= before);
        before = now;
    }
}

static void interval(void) {
    long long before = monotonic();
    EXPECT(handle(SIGALRM, tick, SA_RESTART) == 0);
    EXPECT(interval_timer(20000, 10000) == 0);
    /* Spins, so that the timer interrupts user mode. */
    while (ticks < 5) {
        EXPECT(monotonic() - before < 10000LL * MS);
    }
    EXPECT(monotonic() - before >= 60 * MS);
    EXPECT(interval_timer(0, 0) == 0);
}

static void timer_files(void) {
    unsigned long long expirations = 0;
    unsigned long long sum = 0;
    long long before = monotonic();
    int fd = timer_file(20 * MS, 10 * MS);
    EXPECT(fd >= 0);
    while (sum < 4) {
        EXPECT(read(fd, &expirations, sizeof(expirations)) == sizeof(expirations));
        sum += expirations;
    }
    EXPECT(monotonic() - before >= 50 * MS);
}

/* A process that never gives up the processor does not keep another from it. */
static void preemption(void) {
    volatile int *shared = fresh(PAGE, MAP_SHARED);
    pid_t child = fork();
    EXPECT(child >= 0);
    if (child == 0) {
        while (!shared[0]) {
        }
        shared[1] = 1;
        _exit(0);
    }
    for (long long before = monotonic(); monotonic() - before < 30 * MS;) {
    }
    shared[0] = 1;
    while (!shared[1]) {
    }
    EXPECT(ended_well(child));
}

const struct test time_tests[] = {
    {"sleeping", sleeping},
    {"an interval timer", interval},
    {"a timer as a file", timer_files},
    {"preemption", preemption},
    {0},
};
