/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What x11.c's X server takes for the C library's sockets: it is a server for viewers on the
 * network as well, and does not start without it. Where it would listen there, it listens at a
 * local socket without a name, to which nobody connects; so it runs on systems without a network.
 * After each request it would look whether a viewer has come: it is told that none has, without a
 * system call, which servers without viewers do not make.
 */
#include "suite.h"

#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>

static int viewers = -1; /* where it listens for them */

int socket(int domain, int type, int protocol) {
    bool network = domain == AF_INET || domain == AF_INET6;
    int fd = (int)syscall(SYS_socket, network ? AF_UNIX : domain, type, network ? 0 : protocol);
    if (network) {
        viewers = fd;
    }
    return fd;
}

int bind(int fd, const struct sockaddr *address, socklen_t size) {
    static const struct sockaddr_un nameless = {.sun_family = AF_UNIX};
    bool network = address->sa_family == AF_INET || address->sa_family == AF_INET6;
    return network ? (int)syscall(SYS_bind, fd, &nameless, sizeof(nameless.sun_family))
                   : (int)syscall(SYS_bind, fd, address, size);
}

static bool asks_for_viewers(int count, const fd_set *read, const struct timeval *timeout) {
    if (viewers < 0 || count != viewers + 1 || read == NULL || timeout == NULL ||
        timeout->tv_sec != 0 || timeout->tv_usec != 0) {
        return false;
    }
    for (int fd = 0; fd < viewers; fd++) {
        if (FD_ISSET(fd, read)) {
            return false;
        }
    }
    return true;
}

int select(int count, fd_set *restrict read, fd_set *restrict write, fd_set *restrict except,
           struct timeval *restrict timeout) {
    if (write == NULL && except == NULL && asks_for_viewers(count, read, timeout)) {
        FD_CLR(viewers, read);
        return 0;
    }
    return (int)syscall(SYS__newselect, count, read, write, except, timeout);
}
