/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What does a token take to another process and back? "Hot potato", after lmbench's lat_fcntl,
 * lat_fifo, lat_pipe and lat_unix (Wiggins et al., ACSAC 2003, section 4.1 and Table 1).
 *
 * A sample is one round trip: two tokens, two switches of address spaces. The case `fcntl`, which
 * is lmbench's, leaves the switches to the scheduler; `fcntl-strict` does not.
 *
 * Parameters: case= rounds= warmup= dir= spawn=fork|vfork (fifo and pipe)
 */
#include "suite.h"

struct ends {
    int in, out;
};

static bool round_trip(void *context) {
    const struct ends *ends = context;
    return token_send(ends->out, 1) && token_take(ends->in, 1);
}

static bool trips(unsigned stream, const char *name, struct ends own, struct ends partner) {
    struct relay relay = {.in = partner.in, .out = partner.out, .size = 1};
    pid_t child = relay_start(&relay);
    if (child < 0) {
        return failed("starting a process");
    }
    bool good = measure(&(struct measured){.stream = stream,
                                           .name = name,
                                           .run = round_trip,
                                           .context = &own,
                                           .rounds = 1000,
                                           .warmup = 100,
                                           .per = 1});
    child_end(child);
    return good;
}

static bool by_channel(unsigned stream, const char *name, bool fifo) {
    struct channel to, from;
    if (!channel_open(&to, fifo) || !channel_open(&from, fifo)) {
        return failed(name);
    }
    bool good = trips(stream, name, (struct ends){from.in, to.out}, (struct ends){to.in, from.out});
    channel_close(&to);
    channel_close(&from);
    return good;
}

static bool by_fifo(unsigned stream, const char *name) {
    return by_channel(stream, name, true);
}

static bool by_pipe(unsigned stream, const char *name) {
    return by_channel(stream, name, false);
}

static bool by_socket(unsigned stream, const char *name) {
    int fds[2];
    if (!os_socket_pair(fds)) {
        return failed(name);
    }
    bool good = trips(stream, name, (struct ends){fds[0], fds[0]}, (struct ends){fds[1], fds[1]});
    (void)close(fds[0]);
    (void)close(fds[1]);
    return good;
}

/* Who takes turns by locks on the bytes of a file. */
struct locks {
    int fd;
    unsigned held;
    struct channel ready; /* the partner has its first lock */
};

/*
 * Two locks as lmbench passes them: a process waits for the one, gives back the other, waits for
 * that and gives back the first; its partner does the same the other way round. Nothing makes a
 * process that has given a lock back stay away from it until the partner, who was woken, has run:
 * how many round trips there are in a switch is the scheduler's choice.
 */
static bool hand_over(void *context) {
    const struct locks *locks = context;
    return os_lock(locks->fd, 0) && os_unlock(locks->fd, 1) && os_lock(locks->fd, 1) &&
           os_unlock(locks->fd, 0);
}

static void hand_back(void *context) {
    const struct locks *locks = context;
    if (!os_lock(locks->fd, 0) || !token_send(locks->ready.out, 1)) {
        return;
    }
    while (os_unlock(locks->fd, 0) && os_lock(locks->fd, 1) && os_unlock(locks->fd, 1) &&
           os_lock(locks->fd, 0)) {
    }
}

/*
 * With three locks nobody can go on without the partner's having run: who holds lock i takes i + 1,
 * which the partner holds until it has gone on, and gives back i.
 */
static bool strict_step(void *context) {
    struct locks *locks = context;
    unsigned next = (locks->held + 1) % 3;
    bool good = os_lock(locks->fd, (long)next) && os_unlock(locks->fd, (long)locks->held);
    locks->held = next;
    return good;
}

static void strict_partner(void *context) {
    struct locks *locks = context;
    locks->held = 0;
    if (!os_lock(locks->fd, 0) || !token_send(locks->ready.out, 1)) {
        return;
    }
    while (strict_step(locks)) {
    }
}

/* Locks belong to processes, not to files that are inherited: each takes its first one itself. */
static bool by_locks(unsigned stream, const char *name, void (*partner)(void *), operation *run) {
    struct locks locks = {.fd = scratch_file(4096), .held = 1};
    if (locks.fd < 0 || !os_lock(locks.fd, 1) || !channel_open(&locks.ready, false)) {
        return failed(name);
    }
    pid_t child = child_start(partner, &locks);
    if (child < 0 || !token_take(locks.ready.in, 1)) {
        return failed("starting a process");
    }
    bool good = measure(&(struct measured){.stream = stream,
                                           .name = name,
                                           .run = run,
                                           .context = &locks,
                                           .rounds = 1000,
                                           .warmup = 100,
                                           .per = 1});
    child_end(child);
    channel_close(&locks.ready);
    (void)close(locks.fd);
    return good;
}

static bool by_fcntl(unsigned stream, const char *name) {
    return by_locks(stream, name, hand_back, hand_over);
}

static bool by_fcntl_strictly(unsigned stream, const char *name) {
    return by_locks(stream, name, strict_partner, strict_step);
}

static const struct {
    const char *name;
    bool (*run)(unsigned stream, const char *name);
} cases[] = {
    {"fcntl", by_fcntl},
    {"fifo", by_fifo},
    {"pipe", by_pipe},
    {"unix", by_socket},
    {"fcntl-strict", by_fcntl_strictly},
};

static bool potato(void) {
    bool good = true;
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (wanted(cases[i].name)) {
            good &= cases[i].run(1 + i, cases[i].name);
        }
    }
    return good;
}

const struct question question_potato = {
    "potato", "a token to another process and back: by locks, FIFO, pipe, Unix socket", potato};
