/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The self-test of a Linux system: one line a test, PASS or FAIL, and a last line with the sums.
 * The tests ask what a processor with virtually-tagged caches makes hard: equal addresses in
 * several spaces, one page at several addresses, pages that change hands, instructions written as
 * data.
 */
#include "test.h"

static const struct test *const tables[] = {
    process_tests, signal_tests, pipe_tests, socket_tests, lock_tests, memory_tests,
    shared_tests,  space_tests,  code_tests, state_tests,  time_tests, fass_tests,
};

/* A test that is not done by then never will be. */
enum { TIMEOUT_SECONDS = 60 };

void fail(const char *file, int line, const char *what) {
    const char *name = strrchr(file, '/');
    printf("  %s:%d: expected %s (error %d)\n", name ? name + 1 : file, line, what, errno);
    _exit(1);
}

int ended_well(pid_t child) {
    int status;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* A number that looks random: a step of xorshift. */
static unsigned int scramble(unsigned int n) {
    n ^= n << 13;
    n ^= n >> 17;
    return n ^ n << 5;
}

void fill(void *start, size_t bytes, unsigned int seed) {
    unsigned int *words = start;
    for (size_t i = 0; i < bytes / sizeof(*words); i++) {
        words[i] = scramble(seed + i + 1);
    }
}

int filled(const void *start, size_t bytes, unsigned int seed) {
    const unsigned int *words = start;
    for (size_t i = 0; i < bytes / sizeof(*words); i++) {
        if (words[i] != scramble(seed + i + 1)) {
            printf("  word %d of %d: %x, not %x\n", (int)i, (int)(bytes / sizeof(*words)), words[i],
                   scramble(seed + i + 1));
            return 0;
        }
    }
    return 1;
}

void *fresh(size_t bytes, int flags) {
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | flags, -1, 0);
    EXPECT(at != MAP_FAILED);
    return at;
}

int scratch_file(size_t bytes, unsigned int seed) {
    const char *path = "/tmp/scratch";
    unsigned int page[PAGE / sizeof(unsigned int)];
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
    EXPECT(fd >= 0 && unlink(path) == 0);
    for (size_t at = 0; at < bytes; at += PAGE) {
        fill(page, PAGE, seed + at / sizeof(*page));
        EXPECT(write_all(fd, page, PAGE) == PAGE);
    }
    return fd;
}

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

int main(int argc, char **argv, char **environment) {
    int passed = 0;
    int failed = 0;
    if (argc > 1) {
        return executed(argc, argv, environment);
    }
    for (size_t i = 0; i < LENGTH(tables); i++) {
        if (tables[i] == fass_tests && !fass_counts()) {
            continue;
        }
        for (const struct test *test = tables[i]; test->name; test++) {
            if (run(test)) {
                passed++;
            } else {
                failed++;
            }
        }
    }
    printf("RESULT passed=%d failed=%d\n", passed, failed);
    return failed != 0;
}
