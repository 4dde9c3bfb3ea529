/* SPDX-License-Identifier: Apache-2.0 */
/* A FastCGI server with a working set; and the interface through which its requests come. */
#include "fastcgi_server.h"

#include "../working_set.h"

#include <arpa/inet.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <fcgiapp.h>

struct server {
    int listening;
    unsigned pages;
};

static void serve(void *context) {
    const struct server *server = context;
    size_t size = ((size_t)server->pages + 1) * WORKING_SET_STEP;
    char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    FCGX_Request request;
    if (memory == MAP_FAILED || FCGX_Init() != 0 ||
        FCGX_InitRequest(&request, server->listening, 0) != 0) {
        _exit(1);
    }
    (void)prctl(PR_SET_NAME, "fastcgi", 0, 0, 0);
    memset(memory, 1, size); /* pages of its own, none of them the page of zeros */
    while (FCGX_Accept_r(&request) == 0) {
        const char *query = FCGX_GetParam("QUERY_STRING", request.envp);
        unsigned pages = query == NULL ? 0 : (unsigned)strtoul(query, NULL, 10);
        working_set_read((uintptr_t)memory, pages, WORKING_SET_STEP);
        (void)FCGX_FPrintF(request.out, "Content-type: text/html\r\n\r\nHello, world: %s\n", query);
    }
    _exit(1);
}

/* (Who asks may have given up the rights of root.) */
pid_t fastcgi_start(const char *path, unsigned pages) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct server server = {.listening = socket(AF_UNIX, SOCK_STREAM, 0), .pages = pages};
    pid_t child = -1;
    snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
    if (bind(server.listening, (const struct sockaddr *)&address, sizeof(address)) != 0 ||
        chmod(path, 0777) != 0 || listen(server.listening, 1) != 0) {
        (void)failed("a socket");
    } else {
        child = child_start(serve, &server);
    }
    (void)close(server.listening);
    return child;
}

bool network_up(void) {
    struct ifreq interface = {.ifr_name = "eth0"};
    struct sockaddr_in *to = (struct sockaddr_in *)&interface.ifr_addr;
    const char *address = parameter("address", "");
    if (*address == '\0') {
        return true;
    }
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    to->sin_family = AF_INET;
    bool good = fd >= 0 && inet_pton(AF_INET, address, &to->sin_addr) == 1 &&
                ioctl(fd, SIOCSIFADDR, &interface) == 0;
    (void)inet_pton(AF_INET, "255.255.255.0", &to->sin_addr);
    good = good && ioctl(fd, SIOCSIFNETMASK, &interface) == 0;
    interface.ifr_flags = IFF_UP;
    good = good && ioctl(fd, SIOCSIFFLAGS, &interface) == 0;
    (void)close(fd);
    return good || failed("eth0");
}
