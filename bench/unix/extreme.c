/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What do data TLB entries cost that processes could share? "Extreme" (Wiggins et al., ACSAC 2003,
 * section 4.1, Fig. 4): n processes map the same p pages, shared, or private and each for itself;
 * each reads a byte from every page and yields, for ever.
 *
 * This process is one of the n; the others run what it runs. A sample is its reads and its yield,
 * up to its next turn: a turn of each of the n, if the system lets them take turns (it may ask for
 * a privilege; without it the scheduler chooses). Streams: 1 + the number of the point in the order
 * of the lists pages and sharing; `per` is n.
 *
 * Parameters: processes=2 pages=1-32 sharing=private|shared rounds= warmup= dir= turns=yes|no
 */
#include "suite.h"

#define MAX_PROCESSES 64u
#define MAX_PAGES     64u

struct reader {
    struct pages mapped;
    unsigned pages; /* that are read, of those that are mapped */
    size_t page_size;
};

static bool turn(void *context) {
    const struct reader *reader = context;
    const volatile char *at = reader->mapped.at;
    for (unsigned i = 0; i < reader->pages; i++) {
        (void)at[i * reader->page_size];
    }
    return sched_yield() == 0;
}

static void read_for_ever(void *context) {
    struct reader *reader = context;
    if (!reader->mapped.shared && !pages_map(&reader->mapped)) {
        return;
    }
    while (turn(context)) {
    }
}

static bool measure_point(unsigned stream, unsigned processes, struct reader *reader) {
    pid_t children[MAX_PROCESSES];
    unsigned started = 0;
    bool shared = reader->mapped.shared;
    bool good = !shared || pages_map(&reader->mapped) || failed("mapping pages");
    for (unsigned i = 1; good && i < processes; i++) {
        children[started] = child_start(read_for_ever, reader);
        good = children[started++] > 0 || failed("starting a process");
    }
    good = good && (shared || pages_map(&reader->mapped) || failed("mapping pages"));
    good = good && measure(&(struct measured){.stream = stream,
                                              .name = "turn",
                                              .run = turn,
                                              .context = reader,
                                              .rounds = 50,
                                              .warmup = 10,
                                              .per = processes});
    while (started > 0) {
        child_end(children[--started]);
    }
    if (good) {
        pages_unmap(&reader->mapped);
    }
    return good;
}

static bool extreme(void) {
    unsigned pages[MAX_PAGES];
    unsigned processes = parameter_number("processes", 2);
    unsigned n = parameter_list("pages", "1-32", pages, MAX_PAGES);
    bool shared = parameter_is("sharing", "private", "shared");
    struct reader reader = {.page_size = (size_t)getpagesize()};
    if (processes > MAX_PROCESSES) {
        printf("suite: parameter processes: %u; expected 1 to %u\n", processes, MAX_PROCESSES);
        return false;
    }
    if (parameter_is("turns", "yes", "yes") && !os_take_turns()) {
        (void)lacks("turns", "the scheduler's choice: no right to round-robin scheduling");
    }
    if (!pages_open(&reader.mapped, shared, MAX_PAGES * reader.page_size)) {
        return failed("a scratch file");
    }
    bool good = true;
    for (unsigned i = 0; good && i < n; i++) {
        reader.pages = pages[i];
        if (reader.pages > MAX_PAGES) {
            printf("suite: parameter pages: %u; expected 1 to %u\n", reader.pages, MAX_PAGES);
            return false;
        }
        good = measure_point(1 + i, processes, &reader);
    }
    pages_close(&reader.mapped);
    return good;
}

const struct question question_extreme = {
    "extreme", "n processes read a byte of p private or shared pages and yield", extreme};
