/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What does a system call take? After lmbench's lat_syscall.
 *
 *     null      getppid(): in and out of the kernel
 *     read-4k   4 KB from a file that is in memory
 *     write-4k  4 KB to it
 *
 * A timer tick takes some 20 to 50 microseconds, a null call one: so that a tick more or less does
 * not decide its mean, there are 20 of it in a round.
 *
 * Parameters: case= rounds= warmup= dir=
 */
#include "suite.h"

#define SIZE 4096u

static char buffer[SIZE];

static bool null(void *context) {
    (void)context;
    return getppid() >= 0;
}

static bool read_4k(void *context) {
    return os_read_start(*(const int *)context, buffer, SIZE);
}

static bool write_4k(void *context) {
    return os_write_start(*(const int *)context, buffer, SIZE);
}

static const struct {
    const char *name;
    operation *run;
    unsigned each;
} cases[] = {
    {"null", null, 20},
    {"read-4k", read_4k, 1},
    {"write-4k", write_4k, 1},
};

static bool call(void) {
    int fd = scratch_file(0);
    memset(buffer, 1, SIZE);
    bool good = fd >= 0 && os_write_start(fd, buffer, SIZE);
    if (!good) {
        return failed("a file to read and write");
    }
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (wanted(cases[i].name)) {
            good &= measure(&(struct measured){.stream = 1 + i,
                                               .name = cases[i].name,
                                               .run = cases[i].run,
                                               .context = &fd,
                                               .rounds = 1000,
                                               .each = cases[i].each,
                                               .warmup = 20,
                                               .per = 1});
        }
    }
    (void)close(fd);
    return good;
}

const struct question question_call = {"call", "a system call: null, reading and writing 4 KB",
                                       call};
