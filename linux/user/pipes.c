/* SPDX-License-Identifier: GPL-2.0-only */
/* Pipes and FIFOs between processes. */
#include "test.h"

enum { BYTES = 256 * 1024, CHUNK = 12345 / 4 * 4 };

static unsigned int data[BYTES / sizeof(unsigned int)];
static unsigned int got[BYTES / sizeof(unsigned int)];

static void ignore(int signal, siginfo_t *info, void *context) {
    (void)signal;
    (void)info;
    (void)context;
}

/* A child writes all the data, in pieces that fit no page; the end of the stream follows. */
static void stream(int in, int out) {
    pid_t child = fork();
    EXPECT(child >= 0);
    if (child == 0) {
        close(in);
        fill(data, BYTES, 99);
        for (size_t at = 0; at < BYTES; at += CHUNK) {
            size_t bytes = BYTES - at < CHUNK ? BYTES - at : CHUNK;
            EXPECT(write_all(out, (char *)data + at, bytes) == (long)bytes);
        }
        _exit(0);
    }
    close(out);
    EXPECT(read_all(in, got, BYTES) == BYTES);
    EXPECT(filled(got, BYTES, 99));
    EXPECT(read(in, got, 1) == 0);
    EXPECT(ended_well(child));
}

static void pipe_stream(void) {
    int ends[2];
    EXPECT(pipe(ends) == 0);
    stream(ends[0], ends[1]);
}

static void pipe_ends(void) {
    struct pollfd ready = {.events = POLLIN};
    int ends[2];
    char byte = 'a';
    EXPECT(pipe(ends) == 0);
    ready.fd = ends[0];
    EXPECT(poll(&ready, 1, 0) == 0);
    EXPECT(write(ends[1], &byte, 1) == 1);
    EXPECT(poll(&ready, 1, 0) == 1 && ready.revents == POLLIN);
    EXPECT(handle(SIGPIPE, ignore, 0) == 0);
    close(ends[0]);
    EXPECT(write(ends[1], &byte, 1) == -1 && errno == EPIPE);
}

static void round_trips(void) {
    int there[2], back[2];
    pid_t child;
    EXPECT(pipe(there) == 0 && pipe(back) == 0);
    child = fork();
    EXPECT(child >= 0);
    for (int i = 0; i < 200; i++) {
        int value = i;
        if (child == 0) {
            EXPECT(read(there[0], &value, sizeof(value)) == sizeof(value) && value == i);
            value = -i;
            EXPECT(write(back[1], &value, sizeof(value)) == sizeof(value));
        } else {
            EXPECT(write(there[1], &value, sizeof(value)) == sizeof(value));
            EXPECT(read(back[0], &value, sizeof(value)) == sizeof(value) && value == -i);
        }
    }
    if (child == 0) {
        _exit(0);
    }
    EXPECT(ended_well(child));
}

static void fifo(void) {
    const char *path = "/tmp/fifo";
    pid_t child;
    int in;
    EXPECT(make_fifo(path, 0600) == 0);
    EXPECT(make_fifo(path, 0600) == -1 && errno == EEXIST);
    child = fork();
    EXPECT(child >= 0);
    if (child == 0) {
        int out = open(path, O_WRONLY); /* waits for the reader */
        EXPECT(out >= 0);
        fill(data, BYTES, 5);
        EXPECT(write_all(out, data, BYTES) == BYTES);
        _exit(0);
    }
    in = open(path, O_RDONLY);
    EXPECT(in >= 0 && unlink(path) == 0);
    EXPECT(read_all(in, got, BYTES) == BYTES && filled(got, BYTES, 5));
    EXPECT(read(in, got, 1) == 0);
    EXPECT(ended_well(child));
}

const struct test pipe_tests[] = {
    {"a pipe carries 256 KB", pipe_stream},
    {"both ends of a pipe", pipe_ends},
    {"200 round trips by pipes", round_trips},
    {"a FIFO carries 256 KB", fifo},
    {0},
};
