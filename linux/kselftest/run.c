/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Runs the kernel's own self-tests, one after the other, in the order of /tests/list: what each
 * prints stands between two lines with its name, the second of which says how it ended. One that
 * does not end in time is killed, with all that it has started.
 *
 *     kselftest                     all
 *     kselftest NAME...             these
 *     kselftest except NAME...      all but these
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SECONDS = 120 };

/* On a line of its own, whatever the test has left behind. */
static void say_end(const char *name, int status) {
    if (WIFEXITED(status)) {
        printf("\nkselftest: %s ended with status %d\n", name, WEXITSTATUS(status));
    } else {
        printf("\nkselftest: %s ended by signal %d\n", name, WTERMSIG(status));
    }
}

/* Waits for the child alone; those that lost their parents meanwhile are none of its concern. */
static int wait_for(pid_t child, int *status) {
    struct timespec left = {.tv_sec = SECONDS};
    struct timespec before, now;
    sigset_t ended;
    sigemptyset(&ended);
    sigaddset(&ended, SIGCHLD);
    clock_gettime(CLOCK_MONOTONIC, &before);
    for (;;) {
        if (waitpid(child, status, WNOHANG) == child) {
            return 1;
        }
        clock_gettime(CLOCK_MONOTONIC, &now);
        left.tv_sec = before.tv_sec + SECONDS - now.tv_sec;
        if (left.tv_sec <= 0) {
            return 0;
        }
        sigtimedwait(&ended, NULL, &left);
    }
}

static void run(const char *name) {
    char path[256];
    int status = 0;
    snprintf(path, sizeof(path), "/tests/%s", name);
    printf("kselftest: %s\n", name);
    fflush(stdout);
    pid_t child = fork();
    if (child < 0) {
        printf("kselftest: %s did not start: %s\n", name, strerror(errno));
        return;
    }
    if (child == 0) {
        sigset_t none;
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
        setpgid(0, 0);
        if (chdir("/tmp") == 0) {
            execl(path, path, (char *)NULL);
        }
        printf("cannot be run: %s\n", strerror(errno));
        _exit(127);
    }
    setpgid(child, child);
    int in_time = wait_for(child, &status);
    kill(-child, SIGKILL);
    if (in_time) {
        say_end(name, status);
    } else {
        waitpid(child, &status, 0);
        printf("\nkselftest: %s did not end\n", name);
    }
}

static int is_among(const char *name, int count, char **names) {
    for (int i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0) {
            return 1;
        }
    }
    return 0;
}

int main(int argc, char **argv) {
    char name[200];
    int except = argc > 1 && strcmp(argv[1], "except") == 0;
    int named = 1 + except; /* where the names begin */
    int only = argc > named && !except;
    sigset_t ended;
    sigemptyset(&ended);
    sigaddset(&ended, SIGCHLD);
    sigprocmask(SIG_BLOCK, &ended, NULL);
    /* Each mapping above the one before, as with fast switching: two tests fail where it is so. */
    personality(ADDR_COMPAT_LAYOUT);
    FILE *list = fopen("/tests/list", "r");
    if (!list) {
        perror("/tests/list");
        return 1;
    }
    while (fscanf(list, "%199s", name) == 1) {
        if (is_among(name, argc - named, argv + named) == only) {
            run(name);
        }
    }
    return 0;
}
