/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What does a new process take? After lmbench's lat_proc (Wiggins et al., ACSAC 2003, section 4.1
 * and Table 1).
 *
 *     fork    fork(), and the child ends at once
 *     exec    fork(), and the child becomes a program that ends at once
 *     shell   fork(), and the child becomes `sh -c` with that program
 *     vfork   vfork(), then as exec: for systems that have no fork()
 *
 * Each until the child's end is known to the parent. lmbench's program prints a line; ours does
 * not, since on our machines that would be a matter of the serial port.
 *
 * Parameters: case= rounds= warmup= hello=/bin/hello (the program) shell=/bin/sh
 */
#include "suite.h"

static bool ended_well(pid_t child) {
    int status = -1;
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

static const char *hello(void) {
    return parameter("hello", "/bin/hello");
}

static void become(const char *path, char *const arguments[]) {
    char *const environment[] = {(char *)"PATH=/bin:/usr/bin", NULL};
    (void)execve(path, arguments, environment);
    _exit(127);
}

static bool by_fork(void *context) {
    (void)context;
    pid_t child = fork();
    if (child == 0) {
        _exit(0);
    }
    return ended_well(child);
}

static bool by_exec(void *context) {
    (void)context;
    char *const arguments[] = {(char *)hello(), NULL};
    pid_t child = fork();
    if (child == 0) {
        become(hello(), arguments);
    }
    return ended_well(child);
}

static bool by_shell(void *context) {
    (void)context;
    char *const arguments[] = {(char *)"sh", (char *)"-c", (char *)hello(), NULL};
    pid_t child = fork();
    if (child == 0) {
        become(parameter("shell", "/bin/sh"), arguments);
    }
    return ended_well(child);
}

static bool by_vfork(void *context) {
    (void)context;
    char *const arguments[] = {(char *)hello(), NULL};
    return ended_well(os_vfork_program(hello(), arguments));
}

static const struct {
    const char *name;
    operation *run;
} cases[] = {
    {"fork", by_fork},
    {"exec", by_exec},
    {"shell", by_shell},
    {"vfork", by_vfork},
};

static bool process(void) {
    bool good = true;
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (wanted(cases[i].name)) {
            good &= measure(&(struct measured){.stream = 1 + i,
                                               .name = cases[i].name,
                                               .run = cases[i].run,
                                               .rounds = 100,
                                               .warmup = 5,
                                               .per = 1,
                                               .once = true});
        }
    }
    return good;
}

const struct question question_process = {"process", "a new process: fork, exec, shell, vfork",
                                          process};
