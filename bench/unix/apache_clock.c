/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The clock of apache.c, in Apache's process: from where a request has arrived and is about to be
 * read to where its reply is about to be written. It ends the process when it waits for a request
 * after the last.
 */
#include "sampled.h"

#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>

static int client = -1;
static bool asked;

int accept4(int fd, struct sockaddr *restrict address, socklen_t *restrict size, int flags) {
    if (sampled_all()) {
        _exit(0);
    }
    client = (int)syscall(SYS_accept4, fd, address, size, flags);
    asked = false;
    return client;
}

ssize_t read(int fd, void *to, size_t size) {
    char byte;
    if (fd == client && !asked && recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0) {
        asked = true;
        sampled_enter();
    }
    return syscall(SYS_read, fd, to, size);
}

ssize_t writev(int fd, const struct iovec *parts, int n) {
    if (fd == client && sampled_inside()) {
        sampled_leave();
    }
    return syscall(SYS_writev, fd, parts, n);
}
