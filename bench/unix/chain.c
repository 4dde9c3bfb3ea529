/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What does `cat FILE | cat | ... | wc` take? (Uhlig et al., "Performance of Address-Space
 * Multiplexing on the Pentium", 4.4.)
 *
 * So many processes copy to a pipe what they read, as cat does, the first of them from a file; the
 * last counts lines, words and bytes of what arrives, as wc does. A sample is all of it: processes
 * are started, run and end. They read and write `chunk` bytes at a time, and a pipe holds as many
 * before its writer waits; with 4096, what Linux had when the paper was written, there is a switch
 * or two for each. Stream 1.
 *
 * Parameters: cats=2 kilobytes=1024 chunk=4096 rounds= warmup= dir=
 */
#include "suite.h"

#define MAX_CATS  16u
#define MAX_CHUNK 65536u

static char buffer[MAX_CHUNK];

struct counts {
    unsigned lines, words, bytes;
};

struct chain {
    int file;
    unsigned cats, chunk;
    struct counts expected;
    /* of a process: what it reads, what it writes to */
    int in, out;
};

static void count(struct counts *counts, bool *in_word, const char *at, unsigned size) {
    counts->bytes += size;
    for (unsigned i = 0; i < size; i++) {
        bool space = at[i] == ' ' || (at[i] >= '\t' && at[i] <= '\r');
        counts->lines += at[i] == '\n';
        counts->words += !space && !*in_word;
        *in_word = !space;
    }
}

static void cat(void *context) {
    const struct chain *chain = context;
    long size;
    while ((size = read(chain->in, buffer, chain->chunk)) > 0) {
        if (write(chain->out, buffer, (size_t)size) != size) {
            _exit(1);
        }
    }
    _exit(size == 0 ? 0 : 1);
}

static void word_count(void *context) {
    const struct chain *chain = context;
    struct counts counts = {0};
    bool in_word = false;
    long size;
    while ((size = read(chain->in, buffer, chain->chunk)) > 0) {
        count(&counts, &in_word, buffer, (unsigned)size);
    }
    _exit(memcmp(&counts, &chain->expected, sizeof(counts)) == 0 ? 0 : 1);
}

static bool run_chain(void *context) {
    struct chain *chain = context;
    pid_t children[MAX_CATS + 1];
    bool good = lseek(chain->file, 0, SEEK_SET) == 0;
    chain->in = chain->file;
    for (unsigned i = 0; i <= chain->cats; i++) {
        struct channel pipe = {.in = -1, .out = -1};
        bool last = i == chain->cats;
        if (!last) {
            good &= channel_open(&pipe, false) && os_pipe_holds(pipe.out, chain->chunk);
        }
        chain->out = pipe.out;
        /* No child may hold the writing end of a pipe that it reads: nor does it, as the parent
         * closes each before the next is started; nor the reading end of the one that it writes. */
        children[i] = fork();
        if (children[i] == 0) {
            if (!last) {
                (void)close(pipe.in);
            }
            (last ? word_count : cat)(chain);
        }
        good &= children[i] > 0;
        if (i > 0) {
            (void)close(chain->in);
        }
        if (!last) {
            (void)close(pipe.out);
        }
        chain->in = pipe.in;
    }
    for (unsigned i = 0; i <= chain->cats; i++) {
        int status = -1;
        good &= children[i] > 0 && waitpid(children[i], &status, 0) == children[i] && status == 0;
    }
    return good;
}

/* Words of one to nine letters, some ten a line. */
static bool fill(struct chain *chain, unsigned kilobytes) {
    uint32_t random = 1;
    bool in_word = false;
    for (unsigned k = 0; k < kilobytes; k++) {
        for (unsigned i = 0; i < 1024; i++) {
            random = random * 1664525u + 1013904223u; /* Numerical Recipes, 7.1 */
            unsigned draw = random >> 24;
            buffer[i] = draw < 5 ? '\n' : draw < 51 ? ' ' : (char)('a' + draw % 26);
        }
        if (write(chain->file, buffer, 1024) != 1024) {
            return false;
        }
        count(&chain->expected, &in_word, buffer, 1024);
    }
    return true;
}

static bool chained(void) {
    struct chain chain = {
        .cats = parameter_number("cats", 2),
        .chunk = parameter_number("chunk", 4096),
        .file = scratch_file(0),
    };
    if (chain.cats > MAX_CATS || chain.chunk < 4096 || chain.chunk > MAX_CHUNK ||
        (chain.chunk & (chain.chunk - 1)) != 0) {
        printf("suite: parameters cats: up to %u; chunk: a power of two, 4096 to %u\n", MAX_CATS,
               MAX_CHUNK);
        return false;
    }
    if (chain.file < 0 || !fill(&chain, parameter_number("kilobytes", 1024))) {
        return failed("a file to read");
    }
    return measure(&(struct measured){.stream = 1,
                                      .name = "chain",
                                      .run = run_chain,
                                      .context = &chain,
                                      .rounds = 5,
                                      .warmup = 1,
                                      .per = 1,
                                      .once = true});
}

const struct question question_chain = {
    "chain", "a file through processes that copy to one that counts", chained};
