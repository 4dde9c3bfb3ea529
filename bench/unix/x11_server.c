/* SPDX-License-Identifier: Apache-2.0 */
/* Starts an X server, and waits until it is there. */
#include "x11_server.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>

#define SOCKET "/tmp/.X11-unix/X1"
#define FONTS  "/usr/share/fonts"
#define LOCAL  "/lib/x11_local.so" /* what is loaded into it */
#define LOG    "/tmp/x11.log"

void x11_preload(const char *library) {
    char both[128];
    snprintf(both, sizeof(both), "%s %s", library, parameter("memory", "/lib/own_malloc.so"));
    (void)setenv("LD_PRELOAD", both, 1);
}

static void serve(void *context) {
    const char *path = parameter("server", "/usr/bin/Xtightvnc");
    (void)context;
    int log = open(LOG, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    (void)dup2(log, 1);
    (void)dup2(log, 2);
    x11_preload(LOCAL);
    /* x11perf's windows are of 600 pixels. */
    (void)execl(path, path, X11_DISPLAY, "-geometry", "640x640", "-depth", "16", "-rfbport", "5901",
                "-localhost", "-fp", FONTS, "-co", "/usr/share/X11/rgb", "-ac", (char *)NULL);
    _exit(127);
}

/* Waits until it takes connections. */
static bool is_up(pid_t server) {
    static const struct timespec moment = {.tv_nsec = 10000000};
    struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = SOCKET};
    for (unsigned i = 0; i < 1000 && waitpid(server, NULL, WNOHANG) == 0; i++) {
        int fd = socket(AF_UNIX, SOCK_STREAM, 0);
        bool up = connect(fd, (const struct sockaddr *)&address, sizeof(address)) == 0;
        (void)close(fd);
        if (up) {
            return true;
        }
        (void)nanosleep(&moment, NULL);
    }
    return false;
}

static void show_log(void) {
    char text[1024];
    int log = open(LOG, O_RDONLY);
    for (ssize_t size; (size = read(log, text, sizeof(text))) > 0;) {
        (void)fwrite(text, 1, (size_t)size, stdout);
    }
    (void)close(log);
}

pid_t x11_start(void) {
    pid_t server = child_start(serve, NULL);
    if (server > 0 && !is_up(server)) {
        show_log();
        child_end(server);
        server = -1;
    }
    return server;
}
