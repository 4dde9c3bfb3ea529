/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The first process: mounts what programs expect, does what the kernel's command line asks for,
 * switches the machine off (or, where the board cannot, resets it). The kernel's console is its
 * standard input and output. Words of the command line: "shell" for a shell, "end" for nothing at
 * all, "bench" for the suite of benchmarks, with what follows as its arguments (behind " -- " on
 * the command line, so that the kernel leaves words with = alone); without one of them the
 * self-tests run.
 */
#include "os.h"

#include <linux/reboot.h>

static const struct {
    const char *type, *at;
} mounts[] = {
    {"proc", "/proc"},
    {"sysfs", "/sys"},
    {"devtmpfs", "/dev"},
    {"tmpfs", "/tmp"},
};

/* Runs a program to its end; its exit status, or -1 if it did not end by itself. The first of the
 * arguments is its path. */
static int run(char *const arguments[]) {
    char *const environment[] = {"PATH=/bin", NULL};
    int status;
    /* Not fork(), which there is with an MMU only; and here, not in a function: it would have
     * returned when the parent goes on. */
    pid_t child = my_syscall0(__NR_vfork);
    if (child == 0) {
        execve(arguments[0], arguments, environment);
        _exit(127);
    }
    /* Orphans come to the first process, and end here. */
    while (child > 0) {
        pid_t ended = waitpid(-1, &status, 0);
        if (ended == child) {
            return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        }
        if (ended < 0) {
            break;
        }
    }
    return -1;
}

static int run_alone(const char *path) {
    char *const arguments[] = {(char *)path, NULL};
    return run(arguments);
}

static int is(const char *a, const char *b) {
    return a && strcmp(a, b) == 0;
}

/* The self-test, once for each state of the processor that programs can be compiled to. */
static void self_tests(void) {
    static const char *const tests[] = {"/bin/selftest", "/bin/selftest-thumb"};
    for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
        struct stat found;
        if (stat(tests[i], &found) == 0) {
            printf("init: %s\n", tests[i]);
            printf("init: self-test ended with status %d\n", run_alone(tests[i]));
        }
    }
}

int main(int argc, char **argv) {
    for (size_t i = 0; i < sizeof(mounts) / sizeof(mounts[0]); i++) {
        if (mount(mounts[i].type, mounts[i].at, mounts[i].type, 0, NULL)) {
            printf("init: cannot mount %s on %s: error %d\n", mounts[i].type, mounts[i].at, errno);
        }
    }
    printf("init: user space after %d ms\n", (int)(monotonic() / 1000000));
    /* The kernel hands over the words that mean nothing to it. */
    const char *word = argc > 1 ? argv[1] : NULL;
    if (is(word, "shell")) {
        printf("init: shell ended with status %d\n", run_alone("/bin/sh"));
    } else if (is(word, "bench")) {
        argv[1] = (char *)"/bin/suite";
        printf("init: suite ended with status %d\n", run(argv + 1));
    } else if (!is(word, "end")) {
        self_tests();
    }
    /* Lets the serial port's queue run empty: the kernel does not wait for it. */
    ioctl(1, TCSBRK, (void *)1);
    reboot(END);
    return 1;
}
