/* SPDX-License-Identifier: GPL-2.0-only */
/* A scene of threads: what one of them maps and writes, the others see at once. */
#include "stress.h"
#include "threads.h"

enum { THREADS = 3, ROUNDS = 40, COUNTERS = 16, APART = 12 };

static struct thread threads[THREADS];

static int lock; /* 0: free, 1: taken, 2: taken and waited for */
static volatile unsigned int counters[COUNTERS * APART];
static unsigned int *volatile given; /* a page that one thread filled for whoever takes it */
static volatile unsigned int given_seed;
static volatile int wrong;

/* As the architecture has it (arch.h): on ARM by the kernel's helper, in the vectors' page. */
static int exchange(int old, int new, volatile int *word) {
    return EXCHANGE(old, new, word);
}

static void take(void) {
    while (!exchange(0, 1, &lock)) {
        if (lock == 2 || exchange(1, 2, &lock)) {
            futex_wait(&lock, 2);
        }
    }
}

static void release(void) {
    int before;
    do {
        before = lock;
    } while (!exchange(before, 0, &lock));
    if (before == 2) {
        /* Both of those that may wait: they do not say any more that they do. */
        futex_wake(&lock, THREADS);
    }
}

/* Without EXPECT, which would end the thread alone. */
static void round_of(struct random *random) {
    unsigned int seed = 1 + draw(random, 1 << 24);
    unsigned int *page =
        mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    unsigned int *taken, taken_seed;
    wrong |= page == MAP_FAILED || page[draw(random, 1024)] != 0;
    fill(page, PAGE, seed);
    take();
    for (unsigned int i = 0; i < COUNTERS; i++) {
        counters[i * APART]++;
    }
    taken = given;
    taken_seed = given_seed;
    given = page;
    given_seed = seed;
    release();
    if (taken) {
        wrong |= !filled(taken, PAGE, taken_seed);
        if (draw(random, 4) == 0) {
            wrong |= protect(taken, PAGE, PROT_READ) != 0;
            wrong |= !filled(taken, PAGE, taken_seed);
        }
        wrong |= munmap(taken, PAGE) != 0;
    }
}

static void run_thread(struct thread *thread) {
    struct random random = {thread->seed};
    for (unsigned int round = 0; round < ROUNDS && !wrong; round++) {
        round_of(&random);
        if (draw(&random, 4) == 0) {
            sched_yield();
        }
    }
}

static void run_threads(struct random *random) {
    for (unsigned int i = 0; i < THREADS; i++) {
        threads[i].seed = draw(random, 1 << 24);
        EXPECT(thread_begin(&threads[i], run_thread));
    }
    /* Another process of the same addresses, meanwhile; fork() copies what is half done. */
    pid_t child = forked();
    if (child == 0) {
        fill((void *)counters, sizeof(counters), 7);
        sched_yield();
        _exit(filled((void *)counters, sizeof(counters), 7) ? 0 : 1);
    }
    for (unsigned int i = 0; i < THREADS; i++) {
        thread_wait(&threads[i]);
    }
    EXPECT(ended_well(child));
    EXPECT(!wrong);
    for (unsigned int i = 0; i < COUNTERS; i++) {
        EXPECT(counters[i * APART] == THREADS * ROUNDS);
    }
}

static volatile int ended;

static void count_on(struct thread *thread) {
    unsigned int own = (unsigned int)(thread - threads);
    while (!ended) {
        for (unsigned int i = own; i < COUNTERS; i += THREADS) {
            counters[i * APART]++;
        }
    }
}

/*
 * fork() of so much memory that threads run before its end: what they write meanwhile is in the
 * child's copy, or is not, and does not come there later.
 */
static void copied_meanwhile(struct random *random) {
    enum { MUCH = 24 << 20, FORKS = 8, LOOKS = 8 };
    char *much = fresh(MUCH, MAP_PRIVATE);
    for (int page = 0; page < MUCH; page += PAGE) {
        EXPECT(*(volatile char *)(much + page) == 0);
    }
    for (unsigned int i = 0; i < THREADS; i++) {
        EXPECT(thread_begin(&threads[i], count_on));
    }
    for (unsigned int n = 0; n < FORKS; n++) {
        unsigned int seen[COUNTERS];
        pid_t child = forked();
        for (int look = 0; child == 0 && look < LOOKS; look++) {
            for (unsigned int i = 0; i < COUNTERS; i++) {
                unsigned int now = counters[i * APART];
                EXPECT(look == 0 || now == seen[i]);
                seen[i] = now;
            }
            sched_yield();
        }
        if (child == 0) {
            _exit(0);
        }
        EXPECT(ended_well(child));
        sleep_for(draw(random, 10000000));
    }
    ended = 1;
    for (unsigned int i = 0; i < THREADS; i++) {
        thread_wait(&threads[i]);
    }
}

const struct scene thread_scenes[] = {
    {"threads", run_threads, 4},
    {"copied-meanwhile", copied_meanwhile, 1},
    {0},
};
