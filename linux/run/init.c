/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The first process of a RAM disk that `switchyard boot --run` has put a program of somebody's on:
 * mounts what programs expect, runs that one on the console, and ends the run with its status, as a
 * shell has it (128 and the signal's number if one ended it). Without the simulator's probe, which
 * takes the status, it says it and switches the machine off.
 *
 * /run/program is the program; /run/words has, each with a zero byte after it, how many arguments
 * it is given, these, and its environment.
 */
#include <asm/termbits.h>
#include <linux/reboot.h>

#include <probe.h>

#include "os.h"

#define PROGRAM "/run/program"
#define WORDS   "/run/words"

enum { PAGE_BYTES = 4096, MOST_WORDS = 512, MOST_BYTES = 65536 };

static char bytes[MOST_BYTES];
static char *words[MOST_WORDS + 2];

static const struct {
    const char *type, *at;
} mounts[] = {
    {"proc", "/proc"},
    {"sysfs", "/sys"},
    {"devtmpfs", "/dev"},
    {"tmpfs", "/tmp"},
};

static void no_device(int signal, siginfo_t *info, void *context) {
    (void)signal;
    (void)info;
    (void)context;
    _exit(1);
}

/* The probe's page, NULL without one. A child asks it, which may die of that. */
static volatile unsigned int *probe_open(void) {
    int status = 0, memory = open("/dev/mem", O_RDWR | O_SYNC);
    volatile unsigned int *page =
        mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, memory, PROBE_BASE_PA);
    if (memory < 0 || page == MAP_FAILED) {
        return NULL;
    }
    pid_t child = fork();
    if (child == 0) {
        handle(SIGBUS, no_device, 0);
        handle(SIGSEGV, no_device, 0);
        _exit(page[PROBE_ID / 4] == PROBE_ID_VALUE ? 0 : 1);
    }
    waitpid(child, &status, 0);
    return status == 0 ? page : NULL;
}

/* The words, the program's arguments from the second on; after them NULL, and its environment. */
static char **read_words(void) {
    int file = open(WORDS, O_RDONLY);
    ssize_t length = read(file, bytes, sizeof(bytes) - 1);
    close(file);
    unsigned int count = 0, left = 0;
    char **environment = words;
    for (char *at = bytes; at < bytes + length && count < MOST_WORDS; at += strlen(at) + 1) {
        if (at == bytes) {
            left = (unsigned int)atoi(at);
            continue;
        }
        words[count++] = at;
        if (--left == 0) {
            words[count++] = NULL;
            environment = words + count;
        }
    }
    words[count] = NULL;
    return environment;
}

/* Where there is no probe because Linux is a server on L4, that ends the run (linux/l4/os/misc.c).
 */
static void tell_server(int status) {
    int file = open("/sys/module/l4/parameters/exit_status", O_WRONLY);
    if (file >= 0) {
        const char *text = itoa(status);
        write(file, text, strlen(text));
        close(file);
    }
}

static int run(void) {
    char **environment = read_words();
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        execve(PROGRAM, words, environment);
        printf("init: %s: cannot be run: error %d\n", words[0], errno);
        _exit(127);
    }
    for (pid_t ended = 0; ended != child;) {
        ended = waitpid(-1, &status, 0);
        if (ended < 0) {
            return 127;
        }
    }
    int signal = ended_by(status);
    if (signal) {
        printf("init: %s was ended by signal %d%s\n", words[0], signal,
               signal == SIGILL ? ": it has an instruction that the processor lacks" : "");
    }
    return signal ? 128 + signal : WEXITSTATUS(status);
}

int main(void) {
    for (size_t i = 0; i < sizeof(mounts) / sizeof(mounts[0]); i++) {
        if (mount(mounts[i].type, mounts[i].at, mounts[i].type, 0, NULL)) {
            printf("init: cannot mount %s on %s: error %d\n", mounts[i].type, mounts[i].at, errno);
        }
    }
    /* So that Ctrl-C is the program's. The console is this process's own, as it would be hung up,
     * with all that is not sent yet, when another's session ends; and signals do not reach this
     * one. */
    setsid();
    ioctl(0, TIOCSCTTY, (void *)0);
    volatile unsigned int *probe = probe_open();
    int status = run();
    /* Lets the serial port's queue run empty: the kernel does not wait for it. */
    ioctl(1, TCSBRK, (void *)1);
    if (probe) {
        probe[PROBE_EXIT / 4] = (unsigned int)status;
    }
    tell_server(status);
    printf("init: %s ended with status %d\n", words[0], status);
    ioctl(1, TCSBRK, (void *)1);
    reboot(END);
    return 1;
}
