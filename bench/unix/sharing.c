/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is saved where processes have memory in common, as they have a library's? lat_ctx (ctx.c)
 * with such memory (Wiggins et al., ACSAC 2003, section 4.2, Fig. 3).
 *
 * n processes, this one among them, in a ring of pipes; each takes a token, reads a byte of each of
 * p pages of one file, and passes the token on. All have the pages at one address (shared), where
 * one entry of a TLB may serve them all, or each maps them for itself (private). Each byte lies in
 * a line of another set of the caches. Samples and streams are those of ctx.c: n is a token's way
 * around the ring, 128 + n what it takes one process alone.
 *
 * Parameters: processes=2-16 pages=8 mapped=shared|private rounds= warmup= dir=
 */
#include "suite.h"

#define MAX_PROCESSES 100u
#define ALONE         128u /* added to the stream's number */
#define TOKEN         4u
#define MAX_PAGES     64u
#define LINE          32u /* bytes of a line of our machines' caches */

struct ring {
    unsigned n;
    struct pages mapped;
    unsigned pages; /* that are read */
    size_t page_size;
    struct channel channels[MAX_PROCESSES]; /* i: from process i to its neighbour */
    unsigned own;                           /* of a started process: which it is */
};

static void read_pages(const struct ring *ring) {
    const volatile char *at = ring->mapped.at;
    for (unsigned i = 0; i < ring->pages; i++) {
        (void)at[i * (ring->page_size + LINE)];
    }
}

static bool around(void *context) {
    const struct ring *ring = context;
    bool good = token_send(ring->channels[0].out, TOKEN) &&
                token_take(ring->channels[ring->n - 1].in, TOKEN);
    read_pages(ring);
    return good;
}

static bool alone(void *context) {
    const struct ring *ring = context;
    bool good = true;
    for (unsigned i = 0; i < ring->n; i++) {
        good &= token_send(ring->channels[i].out, TOKEN) && token_take(ring->channels[i].in, TOKEN);
        read_pages(ring);
    }
    return good;
}

static void pass_on(void *context) {
    struct ring *ring = context;
    int in = ring->channels[ring->own - 1].in, out = ring->channels[ring->own].out;
    if (!ring->mapped.shared && !pages_map(&ring->mapped)) {
        return;
    }
    while (token_take(in, TOKEN)) {
        read_pages(ring);
        if (!token_send(out, TOKEN)) {
            return;
        }
    }
}

static bool measure_ring(struct ring *ring) {
    struct measured measured = {
        .stream = ALONE + ring->n,
        .name = "alone",
        .run = alone,
        .context = ring,
        .rounds = 20 + 200 / ring->n,
        .warmup = 10,
        .per = ring->n,
    };
    pid_t children[MAX_PROCESSES];
    unsigned started = 0;
    bool good = pages_map(&ring->mapped) || failed("mapping pages");
    good = good && measure(&measured);
    if (good && !ring->mapped.shared) {
        pages_unmap(&ring->mapped); /* lest the others have it too */
    }
    for (unsigned i = 1; good && i < ring->n; i++) {
        ring->own = i;
        children[started] = child_start(pass_on, ring);
        good = children[started++] > 0 || failed("starting a process");
    }
    if (good && !ring->mapped.shared) {
        good = pages_map(&ring->mapped) || failed("mapping pages");
    }
    measured.stream = ring->n;
    measured.name = "ring";
    measured.run = around;
    good = good && measure(&measured);
    while (started > 0) {
        child_end(children[--started]);
    }
    if (good) {
        pages_unmap(&ring->mapped);
    }
    return good;
}

static bool sharing(void) {
    static struct ring ring;
    unsigned counts[MAX_PROCESSES];
    unsigned pages[1];
    unsigned n = parameter_list("processes", "2-16", counts, MAX_PROCESSES);
    (void)parameter_list("pages", "8", pages, 1);
    if (pages[0] >= MAX_PAGES) {
        printf("suite: parameter pages: %u; expected 0 to %u\n", pages[0], MAX_PAGES - 1);
        return false;
    }
    ring.pages = pages[0];
    ring.page_size = (size_t)getpagesize();
    bool shared = parameter_is("mapped", "shared", "shared");
    if (!pages_open(&ring.mapped, shared, MAX_PAGES * ring.page_size)) {
        return failed("a scratch file");
    }
    bool good = true;
    for (unsigned i = 0; good && i < n; i++) {
        ring.n = counts[i];
        if (ring.n < 2 || ring.n > MAX_PROCESSES) {
            printf("suite: parameter processes: %u; expected 2 to %u\n", ring.n, MAX_PROCESSES);
            return false;
        }
        for (unsigned k = 0; good && k < ring.n; k++) {
            good = channel_open(&ring.channels[k], false) || failed("opening a channel");
        }
        good = good && measure_ring(&ring);
        for (unsigned k = 0; good && k < ring.n; k++) {
            channel_close(&ring.channels[k]);
        }
    }
    pages_close(&ring.mapped);
    return good;
}

const struct question question_sharing = {
    "sharing", "a switch in a ring of n processes that have p pages in common", sharing};
