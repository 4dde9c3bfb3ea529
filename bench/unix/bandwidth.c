/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How fast do bytes get from one process to another? After lmbench's bw_pipe and bw_unix (Wiggins
 * et al., ACSAC 2003, Table 1): a child writes 64 KB at a time for ever, this process reads them.
 *
 * A sample is the time in which one megabyte arrives; `per` is its bytes.
 *
 * Parameters: case=pipe|unix|fifo rounds= warmup= dir= spawn=fork|vfork
 */
#include "suite.h"

#define TRANSFER 65536u
#define SAMPLE   1048576u

static char buffer[TRANSFER];

static bool take_sample(void *context) {
    const int *fd = context;
    for (unsigned long got = 0; got < SAMPLE;) {
        unsigned long rest = SAMPLE - got;
        ssize_t some = read(*fd, buffer, rest < TRANSFER ? rest : TRANSFER);
        if (some <= 0) {
            return false;
        }
        got += (unsigned long)some;
    }
    return true;
}

static void write_for_ever(void *context) {
    const int *fd = context;
    memset(buffer, 1, sizeof(buffer));
    while (write(*fd, buffer, TRANSFER) > 0) {
    }
}

int writer_main(char **words) {
    int fd = atoi(words[0]);
    os_end_with_parent();
    write_for_ever(&fd);
    return 1;
}

static pid_t writer_start(int fd) {
    const unsigned number = (unsigned)fd;
    return spawned_by_fork() ? child_start(write_for_ever, &fd)
                             : program_start("writer", &number, 1);
}

static bool transfer(unsigned stream, const char *name, int in, int out) {
    memset(buffer, 2, sizeof(buffer)); /* the pages are there before the first sample */
    pid_t child = writer_start(out);
    if (child < 0) {
        return failed("starting a process");
    }
    bool good = measure(&(struct measured){.stream = stream,
                                           .name = name,
                                           .run = take_sample,
                                           .context = &in,
                                           .rounds = 20,
                                           .warmup = 2,
                                           .per = SAMPLE,
                                           .once = true});
    child_end(child);
    (void)close(in);
    (void)close(out);
    return good;
}

static bool by_channel(unsigned stream, const char *name) {
    struct channel channel;
    return channel_open(&channel, strcmp(name, "fifo") == 0)
               ? transfer(stream, name, channel.in, channel.out)
               : failed(name);
}

static bool by_socket(unsigned stream, const char *name) {
    int fds[2];
    return os_socket_pair(fds) ? transfer(stream, name, fds[0], fds[1]) : failed(name);
}

static const struct {
    const char *name;
    bool (*run)(unsigned stream, const char *name);
} cases[] = {
    {"pipe", by_channel},
    {"unix", by_socket},
    {"fifo", by_channel},
};

static bool bandwidth(void) {
    bool good = true;
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (wanted(cases[i].name)) {
            good &= cases[i].run(1 + i, cases[i].name);
        }
    }
    return good;
}

const struct question question_bandwidth = {
    "bandwidth", "a megabyte to another process: pipe, Unix socket, FIFO", bandwidth};
