/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The first process: mounts what programs expect, runs the self-test (or, where the kernel's
 * command line has the word "shell", a shell), switches the machine off. The kernel's console is
 * its standard input and output.
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

/* Runs a program to its end; its exit status, or -1 if it did not end by itself. */
static int run(const char *path) {
    char *const arguments[] = {(char *)path, NULL};
    char *const environment[] = {"PATH=/bin", NULL};
    int status;
    pid_t child = fork();
    if (child == 0) {
        execve(path, arguments, environment);
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

int main(int argc, char **argv) {
    int status;
    for (size_t i = 0; i < sizeof(mounts) / sizeof(mounts[0]); i++) {
        if (mount(mounts[i].type, mounts[i].at, mounts[i].type, 0, NULL)) {
            printf("init: cannot mount %s on %s: error %d\n", mounts[i].type, mounts[i].at, errno);
        }
    }
    printf("init: user space after %d ms\n", (int)(monotonic() / 1000000));
    /* The kernel hands over the words that mean nothing to it. */
    if (argc > 1 && strcmp(argv[1], "shell") == 0) {
        status = run("/bin/sh");
        printf("init: shell ended with status %d\n", status);
    } else {
        status = run("/bin/selftest");
        printf("init: self-test ended with status %d\n", status);
    }
    /* Lets the serial port's queue run empty: the kernel does not wait for it. */
    ioctl(1, TCSBRK, (void *)1);
    reboot(LINUX_REBOOT_CMD_POWER_OFF);
    return 1;
}
