/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What x11.c's X server takes for the C library's sockets: it is a server for viewers on the
 * network as well, and does not start without it. Where it would listen there, it listens at a
 * local socket without a name, to which nobody connects; so it runs on systems without a network.
 */
#include "suite.h"

#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>

int socket(int domain, int type, int protocol) {
    bool network = domain == AF_INET || domain == AF_INET6;
    return (int)syscall(SYS_socket, network ? AF_UNIX : domain, type, network ? 0 : protocol);
}

int bind(int fd, const struct sockaddr *address, socklen_t size) {
    static const struct sockaddr_un nameless = {.sun_family = AF_UNIX};
    bool network = address->sa_family == AF_INET || address->sa_family == AF_INET6;
    return network ? (int)syscall(SYS_bind, fd, &nameless, sizeof(nameless.sun_family))
                   : (int)syscall(SYS_bind, fd, address, size);
}
