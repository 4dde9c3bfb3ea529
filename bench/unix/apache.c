/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What does a request take of Apache that asks a FastCGI server? (Uhlig et al., "Performance of
 * Address-Space Multiplexing on the Pentium", 4.6.)
 *
 * Apache is Debian's, as it is, with the modules that this takes, and as a single process, which
 * its option -X makes of it. The FastCGI server is that of web.c, without a working set, and so are
 * those who ask: another machine (servers/requests.c), by "/hello.fcgi?0". What is measured is as
 * in web.c, by a library in Apache's process (apache_clock.c).
 *
 * Parameters: rounds=60 warmup=10 port=80 address= server=/usr/sbin/apache2 preload=
 * config=/etc/apache2/apache2.conf. With an address (fastcgi_server.h) the machine is ours.
 */
#include "fastcgi_server.h"
#include "sampled.h"

#include <linux/random.h>
#include <sys/ioctl.h>

#define STREAM 1u
#define SOCKET "/tmp/fastcgi.socket"

struct started {
    unsigned rounds, warmup;
};

static void serve(void *context) {
    const struct started *started = context;
    const char *path = parameter("server", "/usr/sbin/apache2");
    char listen_at[32];
    snprintf(listen_at, sizeof(listen_at), "Listen %u", parameter_number("port", 80));
    sampled_environment(parameter("preload", "/lib/apache_clock.so"), STREAM, started->rounds,
                        started->warmup);
    (void)execl(path, path, "-X", "-f", parameter("config", "/etc/apache2/apache2.conf"), "-c",
                listen_at, (char *)NULL);
    _exit(127);
}

/* Apache begins with random numbers, for which Linux would wait where nothing happens by chance:
 * seconds. This machine's secrets may be known. */
static bool give_seed(void) {
    struct {
        struct rand_pool_info head;
        uint32_t words[16];
    } seed = {.head = {.entropy_count = 512, .buf_size = sizeof(seed.words)}};
    int fd = open("/dev/urandom", O_WRONLY);
    bool good = fd >= 0 && ioctl(fd, RNDADDENTROPY, &seed) == 0;
    (void)close(fd);
    return good || failed("/dev/urandom");
}

static bool requests(void) {
    struct started started = {.rounds = parameter_number("rounds", 60),
                              .warmup = parameter_number("warmup", 10)};
    int status = -1;
    (void)unlink(SOCKET);
    pid_t fastcgi = fastcgi_start(SOCKET, 0);
    bool own = *parameter("address", "") != '\0';
    bool good = fastcgi > 0 && network_up() && (!own || give_seed());
    printf("CASE stream=%u name=apache batch=1 per=1 unit=%s\n", STREAM,
           os_has_probe() ? "cycles" : "ns");
    pid_t server = good ? child_start(serve, &started) : -1;
    good = server > 0 && waitpid(server, &status, 0) == server && status == 0;
    child_end(fastcgi);
    (void)unlink(SOCKET);
    if (!good) {
        printf("suite: apache2: status %d\n", status);
    }
    return good;
}

const struct question question_apache = {"apache", "a request to Apache that asks a FastCGI server",
                                         requests};
