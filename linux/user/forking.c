/* SPDX-License-Identifier: GPL-2.0-only */
/* Threads that write while another is in fork(): the child has what was there, and no more. */
#include "test.h"
#include "threads.h"

enum { FORKED_PAGES = 3072, COUNTED = 16, COUNTERS = 2, FORKS = 4, TICK = 10000000 };
static volatile unsigned int *forked_pages;
static volatile int ended;

/* A line in each of some pages, from the first to the last, that can be written. */
static volatile unsigned int *counted(int number, int counter) {
    int page = number * (FORKED_PAGES / 2 - 1) / (COUNTED - 1) * 2;
    return &forked_pages[page * (PAGE / sizeof(int)) + counter * 8];
}

static struct thread threads[COUNTERS];

/*
 * One thread counts in all of the pages, and waits as soon as it meets one that has been copied;
 * the other only in those that come last.
 */
static void count_on(struct thread *thread) {
    int own = thread - threads;
    while (!ended) {
        for (int i = own * COUNTED / COUNTERS; i < COUNTED; i++) {
            (*counted(i, own))++;
        }
    }
}

/* Waits until this thread runs again after others: since a tick. */
static long long next_turn(void) {
    long long before, now = monotonic();
    do {
        before = now;
        now = monotonic();
    } while (now - before < TICK / 2);
    return now;
}

/*
 * What a thread writes while another is in fork() is in the child's copy, or is not, and does not
 * come there later. There are so many mappings, each second one of which can be written, that
 * fork() takes a few ticks, and threads run more than once; each begins elsewhere between two.
 */
void threads_run_in_fork(void) {
    long long longest = 0;
    forked_pages = fresh(FORKED_PAGES * PAGE, MAP_PRIVATE);
    fill((void *)forked_pages, FORKED_PAGES * PAGE, 1);
    for (int page = 1; page < FORKED_PAGES; page += 2) {
        EXPECT(protect((void *)&forked_pages[page * (PAGE / sizeof(int))], PAGE, PROT_READ) == 0);
    }
    for (int i = 0; i < COUNTERS; i++) {
        EXPECT(thread_begin(&threads[i], count_on));
    }
    for (int n = 0; n < FORKS; n++) {
        unsigned int seen[COUNTED * COUNTERS];
        long long turn = next_turn();
        while (monotonic() < turn + TICK * n / FORKS) {
        }
        long long before = monotonic();
        pid_t child = fork();
        EXPECT(child >= 0);
        for (int look = 0; child == 0 && look < 3; look++) {
            for (int i = 0; i < COUNTED * COUNTERS; i++) {
                unsigned int now = *counted(i / COUNTERS, i % COUNTERS);
                EXPECT(look == 0 || now == seen[i]);
                seen[i] = now;
            }
            sched_yield();
        }
        if (child == 0) {
            _exit(0);
        }
        long long taken = monotonic() - before;
        longest = taken > longest ? taken : longest;
        EXPECT(ended_well(child));
    }
    ended = 1;
    for (int i = 0; i < COUNTERS; i++) {
        thread_wait(&threads[i]);
    }
    EXPECT(longest > 4 * TICK);
}
