/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The first process: mounts what programs expect, does what the kernel's command line asks for,
 * switches the machine off (or, where the board cannot, resets it). The kernel's console is its
 * standard input and output. Words of the command line: "shell" for a shell, "end" for nothing at
 * all, "bench" for the suite of benchmarks, "stress" for the stress program, "run" for a program
 * named by its path (each on the disk that has it), with what follows as their arguments. (After
 * " -- " on the command line the kernel leaves words with = alone.) Without one of them the
 * self-tests run. A first word "hold=N" makes boots differ: see hold().
 */
#include "os.h"

#include <linux/reboot.h>

#define PAGE_BYTES 4096

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
    pid_t child = VFORK();
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

/*
 * Takes pages for good, so that all that comes later, stacks in the kernel too, lies in other ones:
 * between boots nothing else would differ. (The kernel mixes its command line, and so this word,
 * into the random numbers by which programs' stacks and mappings are placed.) Says where the next
 * page is, so that this can be seen; /proc says it in 64 bits, a page's number in the lower 32.
 * Without an MMU there is no such file, and an address is the page's own.
 */
static void hold(unsigned int pages) {
    unsigned int entry[2] = {0, 0};
    char *page = NULL;
    for (unsigned int i = 0; i <= pages; i++) {
        page = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (page == MAP_FAILED) {
            printf("init: cannot hold %u pages: error %d\n", pages, errno);
            return;
        }
        *page = 1; /* a page of its own, not the page of zeros */
    }
    entry[0] = (unsigned long)page / PAGE_BYTES;
    int map = open("/proc/self/pagemap", O_RDONLY);
    if (map >= 0 && (lseek(map, (off_t)(entry[0] * sizeof(entry)), SEEK_SET) < 0 ||
                     read(map, entry, sizeof(entry)) != sizeof(entry))) {
        entry[0] = 0;
    }
    close(map);
    printf("init: holds %u pages, and that of number %u\n", pages, entry[0]);
}

int main(int argc, char **argv) {
    for (size_t i = 0; i < sizeof(mounts) / sizeof(mounts[0]); i++) {
        if (mount(mounts[i].type, mounts[i].at, mounts[i].type, 0, NULL)) {
            printf("init: cannot mount %s on %s: error %d\n", mounts[i].type, mounts[i].at, errno);
        }
    }
    printf("init: user space after %d ms\n", (int)(monotonic() / 1000000));
    /* The kernel hands over the words that mean nothing to it. */
    if (argc > 1 && strncmp(argv[1], "hold=", 5) == 0) {
        hold((unsigned int)atoi(argv[1] + 5));
        argc--;
        argv++;
    }
    const char *word = argc > 1 ? argv[1] : NULL;
    if (is(word, "shell")) {
        printf("init: shell ended with status %d\n", run_alone("/bin/sh"));
    } else if (is(word, "bench")) {
        argv[1] = (char *)"/bin/suite";
        printf("init: suite ended with status %d\n", run(argv + 1));
#ifdef STRESS
    } else if (is(word, "stress")) {
        argv[1] = (char *)STRESS;
        printf("init: stress ended with status %d\n", run(argv + 1));
#endif
#ifdef RUN
    } else if (is(word, "run") && argc > 2) {
        printf("init: %s ended with status %d\n", argv[2], run(argv + 2));
#endif
    } else if (!is(word, "end")) {
        self_tests();
    }
    /* Lets the serial port's queue run empty: the kernel does not wait for it. */
    ioctl(1, TCSBRK, (void *)1);
    reboot(END);
    return 1;
}
