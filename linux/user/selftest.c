/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The self-test of a Linux system: one line a test, PASS or FAIL, and a last line with the sums.
 * The tests ask what a processor with virtually-tagged caches makes hard: equal addresses in
 * several spaces, one page at several addresses, pages that change hands, instructions written as
 * data.
 */
#include "test.h"

/* Another program's tables come with the build: those that it always asks, and those that look at
 * what fast address-space switching has counted, where the kernel does. */
#ifndef TABLES
#define TABLES                                                                                     \
    process_tests, signal_tests, pipe_tests, socket_tests, lock_tests, memory_tests, shared_tests, \
        swap_tests, disk_tests, together_tests, space_tests, growing_tests, code_tests,            \
        state_tests, time_tests
#define COUNTED fass_tests, placement_tests
#endif
#ifndef COUNTED
#define COUNTED fass_tests
#endif

static const struct test *const always[] = {TABLES};
static const struct test *const counted[] = {COUNTED};

/* A test that is not done by then never will be. */
enum { TIMEOUT_SECONDS = 60 };

static int run(const struct test *test) {
    int status = 0;
    long long began = monotonic();
    pid_t child = fork();
    if (child == 0) {
        /* A group of its own, so that what it started can be ended with it. */
        setpgid(0, 0);
        interval_timer(TIMEOUT_SECONDS * 1000000, 0);
        test->run();
        _exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child) {
        printf("FAIL %s: no process for it, error %d\n", test->name, errno);
        return 0;
    }
    kill(-child, SIGKILL);
    if (status == 0) {
        printf("PASS %s (%d us)\n", test->name, (int)((monotonic() - began) / 1000));
        return 1;
    }
    if (ended_by(status)) {
        printf("FAIL %s: ended by signal %d\n", test->name, ended_by(status));
    } else {
        printf("FAIL %s: see the lines above\n", test->name);
    }
    return 0;
}

struct sums {
    int passed, failed;
};

static void run_all(const struct test *const *tables, size_t count, struct sums *sums) {
    for (size_t i = 0; i < count; i++) {
        for (const struct test *test = tables[i]; test->name; test++) {
            if (run(test)) {
                sums->passed++;
            } else {
                sums->failed++;
            }
        }
    }
}

int main(int argc, char **argv, char **environment) {
    struct sums sums = {0, 0};
    if (argc > 1) {
        return executed(argc, argv, environment);
    }
    run_all(always, LENGTH(always), &sums);
    if (fass_counts()) {
        run_all(counted, LENGTH(counted), &sums);
    }
    printf("RESULT passed=%d failed=%d\n", sums.passed, sums.failed);
    return sums.failed != 0;
}
