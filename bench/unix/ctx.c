/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What does a switch between processes take as their number and their memory grow? After lmbench's
 * lat_ctx (Wiggins et al., ACSAC 2003, section 4.1, Fig. 2).
 *
 * n processes, this one among them, in a ring of pipes; each takes a token, sums k KB of its own
 * memory and passes the token on. A sample is the token's way around: n switches. What that costs
 * without a switch is a case of its own, as lmbench measures it: this process alone passes the
 * token through the same n pipes, and sums its own k KB after each. Streams: n, and 128 + n for
 * that.
 *
 * Parameters: processes=2-40 size=0 (KB) rounds= warmup= channel=pipe|fifo spawn=fork|vfork dir=
 */
#include "suite.h"

#define MAX_PROCESSES 100u
#define ALONE         128u /* added to the stream's number */
#define TOKEN         4u

struct ring {
    unsigned n;
    unsigned kilobytes;
    uint32_t *set;
    struct channel channels[MAX_PROCESSES]; /* i: from process i to its neighbour */
};

static bool around(void *context) {
    const struct ring *ring = context;
    bool good = token_send(ring->channels[0].out, TOKEN) &&
                token_take(ring->channels[ring->n - 1].in, TOKEN);
    working_set_touch(ring->set, ring->kilobytes);
    return good;
}

static bool alone(void *context) {
    const struct ring *ring = context;
    bool good = true;
    for (unsigned i = 0; i < ring->n; i++) {
        good &= token_send(ring->channels[i].out, TOKEN) && token_take(ring->channels[i].in, TOKEN);
        working_set_touch(ring->set, ring->kilobytes);
    }
    return good;
}

static bool measure_ring(struct ring *ring) {
    struct measured measured = {
        .context = ring,
        .rounds = 20 + 200 / ring->n,
        .warmup = 10,
        .per = ring->n,
    };
    pid_t children[MAX_PROCESSES];
    unsigned started = 0;
    measured.stream = ALONE + ring->n;
    measured.name = "alone";
    measured.run = alone;
    bool good = measure(&measured);
    for (unsigned i = 1; good && i < ring->n; i++) {
        struct relay relay = {.in = ring->channels[i - 1].in,
                              .out = ring->channels[i].out,
                              .size = TOKEN,
                              .kilobytes = ring->kilobytes};
        children[started] = relay_start(&relay);
        good = children[started++] > 0 || failed("starting a process");
    }
    measured.stream = ring->n;
    measured.name = "ring";
    measured.run = around;
    good = good && measure(&measured);
    while (started > 0) {
        child_end(children[--started]);
    }
    return good;
}

static bool ctx(void) {
    static struct ring ring;
    unsigned counts[MAX_PROCESSES];
    unsigned n = parameter_list("processes", "2-40", counts, MAX_PROCESSES);
    bool fifo = parameter_is("channel", "pipe", "fifo");
    unsigned sizes[1];
    (void)parameter_list("size", "0", sizes, 1);
    ring.kilobytes = sizes[0];
    if (!working_set_make(ring.kilobytes, &ring.set)) {
        return failed("memory");
    }
    bool good = true;
    for (unsigned i = 0; good && i < n; i++) {
        ring.n = counts[i];
        if (ring.n < 2 || ring.n > MAX_PROCESSES) {
            printf("suite: parameter processes: %u; expected 2 to %u\n", ring.n, MAX_PROCESSES);
            return false;
        }
        for (unsigned k = 0; good && k < ring.n; k++) {
            good = channel_open(&ring.channels[k], fifo) || failed("opening a channel");
        }
        good = good && measure_ring(&ring);
        for (unsigned k = 0; good && k < ring.n; k++) {
            channel_close(&ring.channels[k]);
        }
    }
    return good;
}

const struct question question_ctx = {
    "ctx", "a switch in a ring of n processes that touch k KB each", ctx};
