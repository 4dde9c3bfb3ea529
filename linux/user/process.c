/* SPDX-License-Identifier: GPL-2.0-only */
/* Processes: fork, exec, exit statuses, and many spaces with different data at equal addresses. */
#include "test.h"

static const char script[] = "/tmp/script";

static void fork_copies(void) {
    enum { CHILDREN = 8 };
    static volatile unsigned int data = 0x1234;
    pid_t children[CHILDREN];
    for (int i = 0; i < CHILDREN; i++) {
        children[i] = fork();
        EXPECT(children[i] >= 0);
        if (children[i] == 0) {
            EXPECT(data == 0x1234u + i);
            data = 0xdead;
            _exit(10 + i);
        }
        data++;
    }
    for (int i = 0; i < CHILDREN; i++) {
        int status;
        EXPECT(waitpid(children[i], &status, 0) == children[i]);
        EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 10 + i);
    }
    EXPECT(data == 0x1234 + CHILDREN);
    EXPECT(waitpid(-1, NULL, 0) == -1 && errno == ECHILD);
}

static void killed_children(void) {
    int status;
    pid_t child = fork();
    if (child == 0) {
        for (;;) {
            sleep_for(1000000000);
        }
    }
    EXPECT(waitpid(child, &status, WNOHANG) == 0);
    EXPECT(kill(child, SIGKILL) == 0);
    EXPECT(waitpid(child, &status, 0) == child);
    EXPECT(ended_by(status) == SIGKILL);
}

/* As many spaces as fit twice into the caches take turns, all data at equal addresses. */
static void equal_addresses(void) {
    enum { SPACES = 6, ROUNDS = 20, BYTES = 16 * 1024 };
    static unsigned int data[BYTES / sizeof(unsigned int)];
    int baton[SPACES + 1][2];
    char token = 't';
    for (int i = 0; i <= SPACES; i++) {
        EXPECT(pipe(baton[i]) == 0);
    }
    for (int i = 0; i < SPACES; i++) {
        pid_t child = fork();
        EXPECT(child >= 0);
        if (child == 0) {
            fill(data, BYTES, i << 20);
            for (int round = 0; round < ROUNDS; round++) {
                EXPECT(read(baton[i][0], &token, 1) == 1);
                EXPECT(filled(data, BYTES, (i << 20) + round));
                fill(data, BYTES, (i << 20) + round + 1);
                EXPECT(write(baton[i + 1][1], &token, 1) == 1);
            }
            _exit(0);
        }
    }
    for (int round = 0; round < ROUNDS; round++) {
        EXPECT(write(baton[0][1], &token, 1) == 1);
        EXPECT(read(baton[SPACES][0], &token, 1) == 1);
    }
    for (int i = 0; i < SPACES; i++) {
        int status;
        EXPECT(waitpid(-1, &status, 0) > 0 && status == 0);
    }
    EXPECT(data[0] == 0);
}

static int is(const char *a, const char *b) {
    return a && strcmp(a, b) == 0;
}

int executed(int argc, char **argv, char **environment) {
    /* 41 and 42: statuses that nothing else ends with. */
    if (argc == 3 && is(argv[1], "arguments")) {
        return is(argv[2], "with a blank") && is(environment[0], "A=1") && !environment[1] ? 42 : 1;
    }
    if (argc == 4 && is(argv[1], "script")) {
        return is(argv[2], script) && is(argv[3], "last") ? 41 : 1;
    }
    return 2;
}

static int exec_status(const char *path, char *const arguments[]) {
    char *const environment[] = {"A=1", NULL};
    int status;
    pid_t child = fork();
    EXPECT(child >= 0);
    if (child == 0) {
        execve(path, arguments, environment);
        _exit(errno);
    }
    EXPECT(waitpid(child, &status, 0) == child && WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void exec_programs(void) {
    char *const arguments[] = {"selftest", "arguments", "with a blank", NULL};
    static char large[100 * 1024];
    char *const too_large[] = {"selftest", large, large, NULL};
    EXPECT(exec_status("/proc/self/exe", arguments) == 42);
    EXPECT(exec_status("/bin/nothing", arguments) == ENOENT);
    EXPECT(exec_status("/tmp", arguments) == EACCES);
    /* One argument may have 32 pages: two of 25 are no mistake, 40 in one are. */
    memset(large, 'x', sizeof(large) - 1);
    EXPECT(exec_status("/bin/selftest", too_large) == 2);
}

static void exec_script(void) {
    static const char text[] = "#!/bin/selftest script\nnothing\n";
    char *const arguments[] = {"ignored", "last", NULL};
    int fd = open(script, O_WRONLY | O_CREAT, 0755);
    EXPECT(fd >= 0 && write_all(fd, text, sizeof(text) - 1) == sizeof(text) - 1);
    close(fd);
    EXPECT(exec_status(script, arguments) == 41);
    EXPECT(unlink(script) == 0);
}

/* A stack that grows page by page, in a child, far beyond what it was given at first. */
static unsigned int deep(unsigned int levels) {
    volatile unsigned int frame[256];
    frame[0] = levels;
    frame[255] = levels ? deep(levels - 1) : 0;
    return frame[0] + frame[255];
}

static void deep_stack(void) {
    EXPECT(deep(1000) == 1000 * 1001 / 2);
}

const struct test process_tests[] = {
    {"fork", fork_copies},
    {"kill and wait", killed_children},
    {"equal addresses in six spaces", equal_addresses},
    {"exec", exec_programs},
    {"exec of a script", exec_script},
    {"a stack of 1 MB", deep_stack},
    {0},
};
