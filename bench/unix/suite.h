/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The suite of benchmarks for Unix: one question a file, its cases a table, raw samples out.
 *
 *     suite QUESTION [name=value]...
 *
 * A sample is the time of one operation, or of a batch of them where the clock is too coarse for
 * one. Samples belong to streams, one a case. With a probe they go to the simulator, cycle by
 * cycle, and the measured loop is the region of interest of the stream's number; without one they
 * are printed, in nanoseconds. What the timing and the loop take by themselves is measured the same
 * way and handed over beside the samples, not taken off: statistics are the host's.
 *
 * The lines that are printed (switchyard/data/suite.py reads them):
 *     CASE stream=N name=NAME batch=N per=N unit=cycles|ns    a case begins
 *     SAMPLES stream=N V V V...                               some of its samples, of `batch` times
 *     TIMING stream=N V V V...                                the same loop with nothing in it
 *     LACKS NAME WHY                                          a case that this system cannot run
 *     END status=N                                            the last line
 */
#ifndef BENCH_UNIX_SUITE_H
#define BENCH_UNIX_SUITE_H

#include "../os/unix.h"

#define NUM_STREAMS 256u /* as many as the probe has; 0 is the timing alone */
#define MAX_SAMPLES 4096u

struct question {
    const char *name;
    const char *about;
    bool (*run)(void);
};

extern const struct question question_ctx, question_potato, question_bandwidth, question_process,
    question_call, question_memory, question_signal, question_extreme, question_sharing,
    question_prefork;
extern const struct question question_entry;                    /* IA-32 alone */
extern const struct question question_pingpong, question_chain; /* a program of their own */
extern const struct question question_database, question_make, question_web, question_x11,
    question_doom, question_apache; /* the same, of Debian's packages */

/* ---- parameters ---- */

const char *parameter(const char *name, const char *otherwise);
unsigned parameter_number(const char *name, unsigned otherwise);
/* Numbers and ranges, "2-8,16". */
unsigned parameter_list(const char *name, const char *otherwise, unsigned *values, unsigned most);
bool parameter_is(const char *name, const char *otherwise, const char *value);
/* Whether `case=` names this case, or all. */
bool wanted(const char *name);

/* ---- measuring ---- */

typedef bool operation(void *context);

/* Runs `operation` warmup times and then, timed, `rounds` times (both parameters, with these
 * defaults), `each` times as often; `per` is by what the host divides a sample (switches in it,
 * bytes in it). */
struct measured {
    unsigned stream;
    const char *name;
    operation *run;
    void *context;
    unsigned rounds;
    unsigned each; /* samples in a round, where 1 would be too few; 0 stands for 1 */
    unsigned warmup;
    unsigned per;
    operation *prepare; /* before each sample, unmeasured; NULL if there is nothing to prepare */
    bool once;          /* an operation so long that the clock always does: never in batches */
    bool apart; /* counted is each sample by itself, without what prepares it (or else the loop) */
};
bool measure(const struct measured *measured);

/* A case that cannot be run here. True: that is no failure. */
bool lacks(const char *name, const char *why);
/* Says what failed, and errno. False. */
bool failed(const char *what);

/* ---- children ---- */

/* Starts a process that runs `body`, which does not return, and ends with this one. */
pid_t child_start(void (*body)(void *context), void *context);
void child_end(pid_t child);

/* Whether partners are to be started by fork(), the default; else (spawn=vfork) they are started by
 * vfork() and become this program anew, which is told by `name` and numbers what it is. */
#define PROGRAM_NUMBERS 4
bool spawned_by_fork(void);
pid_t program_start(const char *name, const unsigned *numbers, unsigned n);

/* Starts a process that for ever reads a token of `size` bytes, sums `kilobytes` of its own memory
 * and writes the token. */
struct relay {
    int in, out;
    unsigned size;
    unsigned kilobytes;
};
pid_t relay_start(const struct relay *relay);
/* The programs: "relay IN OUT SIZE KILOBYTES", and the writer of bandwidth.c, "writer OUT". */
int relay_main(char **words);
int writer_main(char **words);

/* Both ends of a channel: a pipe, or a FIFO, which has a name. */
struct channel {
    int in, out;
};
bool channel_open(struct channel *channel, bool fifo);
void channel_close(struct channel *channel);

bool token_send(int fd, unsigned size);
bool token_take(int fd, unsigned size);

/* Memory that is summed word by word, as a process's working set. */
bool working_set_make(unsigned kilobytes, uint32_t **words);
void working_set_touch(const uint32_t *words, unsigned kilobytes);

/* A new file with `size` bytes in the folder of the parameter `dir`, already without a name. */
int scratch_file(unsigned size);

/* Pages of one scratch file: mapped by all processes at one address (shared: by the first, before
 * it starts the others), or by each for itself, once it runs (private). */
struct pages {
    int fd;
    bool shared;
    size_t size; /* of them all */
    const volatile char *at;
};
bool pages_open(struct pages *pages, bool shared, size_t size);
bool pages_map(struct pages *pages);
void pages_unmap(struct pages *pages);
void pages_close(struct pages *pages);

/* A name in that folder for a file of this process. */
void scratch_name(char *name, size_t size, const char *what);

extern const char *own_path; /* of this program */

#endif
