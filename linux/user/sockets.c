/* SPDX-License-Identifier: GPL-2.0-only */
/* Unix sockets: pairs, names, datagrams, and an open file sent to another process. */
#include "test.h"

/* From <linux/socket.h> and its neighbours, which programs get from a C library only. */
enum { AF_UNIX = 1, SOCK_STREAM = 1, SOCK_DGRAM = 2, SOL_SOCKET = 1, SCM_RIGHTS = 1 };

struct address {
    unsigned short family;
    char path[108];
};

struct piece {
    void *base;
    size_t bytes;
};

struct control {
    size_t bytes;
    int level, type;
    int fd;
};

struct message {
    void *name;
    int name_bytes;
    struct piece *pieces;
    size_t piece_count;
    struct control *control;
    size_t control_bytes;
    unsigned int flags;
};

enum { BYTES = 64 * 1024 };
static unsigned int data[BYTES / sizeof(unsigned int)];

static void both_ways(int mine, pid_t child) {
    fill(data, BYTES, child ? 1 : 2);
    if (child) {
        EXPECT(write_all(mine, data, BYTES) == BYTES);
        EXPECT(read_all(mine, data, BYTES) == BYTES && filled(data, BYTES, 2));
        EXPECT(ended_well(child));
        EXPECT(read(mine, data, 1) == 0);
        return;
    }
    memset(data, 0, BYTES);
    EXPECT(read_all(mine, data, BYTES) == BYTES && filled(data, BYTES, 1));
    fill(data, BYTES, 2);
    EXPECT(write_all(mine, data, BYTES) == BYTES);
    _exit(0);
}

static void pair(void) {
    int ends[2];
    pid_t child;
    EXPECT(socket_pair(AF_UNIX, SOCK_STREAM, ends) == 0);
    child = fork();
    EXPECT(child >= 0);
    close(ends[child != 0]);
    both_ways(ends[child == 0], child);
}

static void named(void) {
    struct address at = {AF_UNIX, "/tmp/socket"};
    int listener = socket_make(AF_UNIX, SOCK_STREAM);
    pid_t child;
    EXPECT(listener >= 0);
    EXPECT(socket_bind(listener, &at, sizeof(at)) == 0 && socket_listen(listener, 4) == 0);
    child = fork();
    EXPECT(child >= 0);
    if (child == 0) {
        int mine = socket_make(AF_UNIX, SOCK_STREAM);
        close(listener);
        EXPECT(mine >= 0 && socket_connect(mine, &at, sizeof(at)) == 0);
        both_ways(mine, 0);
    } else {
        int mine = socket_accept(listener);
        EXPECT(mine >= 0);
        both_ways(mine, child);
        EXPECT(unlink(at.path) == 0);
        close(listener);
        EXPECT(socket_connect(socket_make(AF_UNIX, SOCK_STREAM), &at, sizeof(at)) == -1);
        EXPECT(errno == ENOENT);
    }
}

static void datagrams(void) {
    int ends[2];
    char text[32] = "";
    EXPECT(socket_pair(AF_UNIX, SOCK_DGRAM, ends) == 0);
    EXPECT(write(ends[0], "first", 5) == 5 && write(ends[0], "second", 6) == 6);
    EXPECT(read(ends[1], text, sizeof(text)) == 5 && memcmp(text, "first", 5) == 0);
    EXPECT(read(ends[1], text, 3) == 3 && memcmp(text, "sec", 3) == 0);
    EXPECT(write(ends[0], "", 0) == 0 && read(ends[1], text, sizeof(text)) == 0);
}

static void open_files(void) {
    struct control control = {sizeof(control), SOL_SOCKET, SCM_RIGHTS, -1};
    char byte = 'f';
    struct piece piece = {&byte, 1};
    struct message message = {
        .pieces = &piece, .piece_count = 1, .control = &control, .control_bytes = sizeof(control)};
    int ends[2];
    pid_t child;
    EXPECT(socket_pair(AF_UNIX, SOCK_STREAM, ends) == 0);
    child = fork();
    EXPECT(child >= 0);
    if (child == 0) {
        control.fd = scratch_file(PAGE, 3);
        EXPECT(control.fd >= 0 && send_message(ends[0], &message) == 1);
        _exit(0);
    }
    EXPECT(receive_message(ends[1], &message) == 1 && control.type == SCM_RIGHTS);
    EXPECT(ended_well(child));
    EXPECT(lseek(control.fd, 0, SEEK_SET) == 0);
    EXPECT(read_all(control.fd, data, PAGE) == PAGE && filled(data, PAGE, 3));
}

const struct test socket_tests[] = {
    {"a pair of Unix sockets", pair},
    {"a Unix socket with a name", named},
    {"Unix datagrams", datagrams},
    {"an open file through a Unix socket", open_files},
    {0},
};
