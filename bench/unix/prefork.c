/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What does a switch take between processes that a server forked after it had mapped its buffers?
 * Each has its copy of them, at its parent's addresses, and reads and writes it. The usual server
 * that has its processes before there are requests does so, and so does every program whose
 * malloc() takes memory by mmap().
 *
 * Cases: `ring`, a token's way around a ring of pipes through n processes, this one among them, as
 * in ctx.c; `serve`, a request to each of n processes by a Unix socket of its own, and the answer,
 * one after another: two switches each. Streams: n, and 128 + n.
 *
 * Parameters: case= processes=2-8 size=4 (KB, what each uses) mapped= (KB, of which that is the
 * beginning; as much as is used) rounds= warmup=
 */
#include "suite.h"

#define MAX_PROCESSES 64u
#define SERVED        128u /* added to the stream's number */
#define TOKEN         4u

struct server {
    unsigned n;
    unsigned words; /* that each uses */
    volatile uint32_t *buffers;
    struct channel channels[MAX_PROCESSES]; /* i: from process i to its neighbour */
    int sockets[MAX_PROCESSES][2];          /* the parent's end, the child's */
};

struct worker {
    const struct server *server;
    int in, out;
};

static void use_buffers(const struct server *server) {
    for (unsigned i = 0; i < server->words; i++) {
        server->buffers[i]++;
    }
}

static bool map_buffers(struct server *server) {
    unsigned used = parameter_number("size", 4);
    unsigned mapped = parameter_number("mapped", used);
    if (mapped < used) {
        printf("suite: parameter mapped: %u; expected %u or more, as size says\n", mapped, used);
        return false;
    }
    void *memory = mmap(NULL, (size_t)mapped * 1024, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    server->buffers = memory;
    server->words = used * 256;
    return memory != MAP_FAILED || failed("memory");
}

static void work(void *context) {
    const struct worker *worker = context;
    while (token_take(worker->in, TOKEN)) {
        use_buffers(worker->server);
        if (!token_send(worker->out, TOKEN)) {
            return;
        }
    }
}

static bool around(void *context) {
    const struct server *server = context;
    bool good = token_send(server->channels[0].out, TOKEN) &&
                token_take(server->channels[server->n - 1].in, TOKEN);
    use_buffers(server);
    return good;
}

static bool serve(void *context) {
    const struct server *server = context;
    bool good = true;
    for (unsigned i = 0; i < server->n; i++) {
        use_buffers(server);
        good &=
            token_send(server->sockets[i][0], TOKEN) && token_take(server->sockets[i][0], TOKEN);
    }
    return good;
}

/* Runs a case beside the children that are its own; the first of them has this number. */
static bool beside(struct server *server, const struct measured *measured, unsigned first,
                   bool by_socket) {
    pid_t children[MAX_PROCESSES];
    unsigned started = 0;
    bool good = true;
    for (unsigned i = first; good && i < server->n; i++) {
        struct worker worker = {.server = server};
        worker.in = by_socket ? server->sockets[i][1] : server->channels[i - 1].in;
        worker.out = by_socket ? server->sockets[i][1] : server->channels[i].out;
        children[started] = child_start(work, &worker);
        good = children[started++] > 0 || failed("starting a process");
    }
    good = good && measure(measured);
    while (started > 0) {
        child_end(children[--started]);
    }
    return good;
}

static bool by_ring(struct server *server) {
    bool good = true;
    for (unsigned i = 0; good && i < server->n; i++) {
        good = channel_open(&server->channels[i], false) || failed("opening a channel");
    }
    struct measured measured = {
        .stream = server->n,
        .name = "ring",
        .run = around,
        .context = server,
        .rounds = 20 + 400 / server->n,
        .warmup = 10,
        .per = server->n,
    };
    good = good && beside(server, &measured, 1, false);
    for (unsigned i = 0; i < server->n; i++) {
        channel_close(&server->channels[i]);
    }
    return good;
}

static bool by_socket(struct server *server) {
    bool good = true;
    for (unsigned i = 0; good && i < server->n; i++) {
        good = os_socket_pair(server->sockets[i]) || failed("opening a socket");
    }
    struct measured measured = {
        .stream = SERVED + server->n,
        .name = "serve",
        .run = serve,
        .context = server,
        .rounds = 20 + 200 / server->n,
        .warmup = 10,
        .per = server->n,
    };
    good = good && beside(server, &measured, 0, true);
    for (unsigned i = 0; i < server->n; i++) {
        (void)close(server->sockets[i][0]);
        (void)close(server->sockets[i][1]);
    }
    return good;
}

static bool prefork(void) {
    static struct server server;
    unsigned counts[MAX_PROCESSES];
    unsigned n = parameter_list("processes", "2-8", counts, MAX_PROCESSES);
    bool good = map_buffers(&server);
    for (unsigned i = 0; good && i < n; i++) {
        server.n = counts[i];
        if (server.n < 2 || server.n > MAX_PROCESSES) {
            printf("suite: parameter processes: %u; expected 2 to %u\n", server.n, MAX_PROCESSES);
            return false;
        }
        use_buffers(&server);
        good = (!wanted("ring") || by_ring(&server)) && (!wanted("serve") || by_socket(&server));
    }
    return good;
}

const struct question question_prefork = {
    "prefork", "a switch between n processes that were forked with k KB of buffers mapped",
    prefork};
