/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What does ping-pong between two processes by pipes cost, by the working set of one of them?
 * (Uhlig et al., "Performance of Address-Space Multiplexing on the Pentium", 4.3, Fig. 6; their
 * Fig. 4 is the same between two tasks of L4, bench/l4/pingpong.c.)
 *
 * One process goes through its working set, writes a byte to a pipe and waits for a byte from
 * another; the second process does nothing but answer. Stream 1 + i is the i-th size of the list.
 *
 * kind=nops: so many instructions that do nothing, which fill the trace cache; jumps: so many
 * jumps, a page each, which fill the instruction TLB; pages: so many pages of which a word is read,
 * which fill the data TLB. A size is a number of the list by the step.
 *
 * Parameters: kind=nops|jumps|pages sizes=0-15 step=512 rounds= warmup=
 */
#include "suite.h"

#include "../working_set.h"

#define MAX_SIZES 128u

struct ends {
    int in, out;
    void (*code)(void);
    uintptr_t data;
    unsigned reads;
};

static bool round_trip(void *context) {
    const struct ends *ends = context;
    ends->code();
    working_set_read(ends->data, ends->reads, WORKING_SET_STEP);
    return token_send(ends->out, 1) && token_take(ends->in, 1);
}

static bool pingpong(void) {
    bool jumps = parameter_is("kind", "nops", "jumps"),
         pages = parameter_is("kind", "nops", "pages");
    unsigned bytes = jumps || pages ? WORKING_SET_STEP : WORKING_SET_NOP;
    unsigned step = parameter_number("step", 512), sizes[MAX_SIZES], most = 0;
    unsigned n = parameter_list("sizes", "0-15", sizes, MAX_SIZES);
    for (unsigned i = 0; i < n; i++) {
        sizes[i] *= step;
        most = sizes[i] > most ? sizes[i] : most;
    }
    size_t size = ((size_t)most + 1) * bytes;
    void *memory =
        mmap(NULL, size, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct channel to, from;
    if (memory == MAP_FAILED || !channel_open(&to, false) || !channel_open(&from, false)) {
        return failed("memory and pipes");
    }
    memset(memory, 1, size); /* pages of its own, none of them the page of zeros */
    if (jumps) {
        working_set_jumps(memory, most);
    } else {
        working_set_nops(memory, pages ? 0 : most);
    }
    struct relay relay = {.in = to.in, .out = from.out, .size = 1};
    pid_t child = relay_start(&relay);
    bool good = child > 0 || failed("starting a process");
    for (unsigned i = 0; good && i < n; i++) {
        /* A smaller one of code begins further on. */
        uintptr_t code = (uintptr_t)memory + (pages ? 0 : (uintptr_t)(most - sizes[i]) * bytes);
        struct ends ends = {.in = from.in,
                            .out = to.out,
                            .code = (void (*)(void))code,
                            .data = (uintptr_t)memory,
                            .reads = pages ? sizes[i] : 0};
        good = measure(&(struct measured){.stream = 1 + i,
                                          .name = "pingpong",
                                          .run = round_trip,
                                          .context = &ends,
                                          .rounds = 100,
                                          .warmup = 10,
                                          .per = 1});
    }
    child_end(child);
    return good;
}

const struct question question_pingpong = {
    "pingpong", "a byte to a process and back by pipes, over a working set", pingpong};
