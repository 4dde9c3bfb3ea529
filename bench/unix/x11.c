/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What does an operation of an X server take? (Uhlig et al., "Performance of Address-Space
 * Multiplexing on the Pentium", 4.5, who have XFree86 and x11perf.)
 *
 * Server (x11_server.h) and x11perf are Debian's, as they are. A test of x11perf's asks for a
 * number of objects and then for a pixel, for which the server must have drawn the others. What
 * that takes is measured where x11perf reads the clock (x11_clock.c); the timing alone is a test
 * that asks for nothing but the pixel.
 *
 * Stream n has the samples of a case, OBJECTS + n the number of objects in each of them.
 *
 * Parameters: case=all rounds= warmup= perf=/usr/bin/x11perf
 */
#include "suite.h"

#include "x11_server.h"

#include <probe.h>

#define OBJECTS 128u
#define CLOCK   "/lib/x11_clock.so" /* what is loaded into x11perf */

static const struct test {
    const char *name; /* x11perf's option */
    unsigned reps;    /* how often it does what is one round to it */
    unsigned objects; /* in one */
} tests[] = {
    {"dot", 50, 1000},     {"pointer", 50, 1},      {"prop", 50, 1},          {"getimage10", 15, 4},
    {"noop", 500, 1},      {"rect10", 10, 1000},    {"line10", 10, 1000},     {"ftext", 50, 80},
    {"putimage10", 50, 4}, {"copywinwin10", 50, 4}, {"copywinwin100", 20, 4}, {"getimage100", 5, 4},
};
static const struct test nothing = {"noop", 1, 1};
#define NUM_TESTS      (sizeof(tests) / sizeof(tests[0]))
#define NOTHING_ROUNDS 20u

/* ---- x11perf ---- */

struct started {
    const struct test *test;
    const char *kind; /* of the samples, as measure.c prints them */
    unsigned stream, rounds, warmup;
    int out; /* what it prints */
};

static void set_number(const char *name, unsigned value) {
    char text[12];
    snprintf(text, sizeof(text), "%u", value);
    (void)setenv(name, text, 1);
}

static void perform(void *context) {
    const struct started *started = context;
    const char *path = parameter("perf", "/usr/bin/x11perf");
    char option[32], reps[12], repeat[12];
    snprintf(option, sizeof(option), "-%s", started->test->name);
    snprintf(reps, sizeof(reps), "%u", started->test->reps);
    snprintf(repeat, sizeof(repeat), "%u", started->warmup + started->rounds);
    set_number("X11_STREAM", started->stream);
    set_number("X11_WARMUP", started->warmup);
    (void)setenv("X11_KIND", started->kind, 1);
    (void)setenv("X11_CLOCK", parameter("clock", "os"), 1);
    x11_preload(CLOCK);
    (void)dup2(started->out, 1);
    (void)execl(path, path, "-display", X11_DISPLAY, "-reps", reps, "-repeat", repeat, option,
                (char *)NULL);
    _exit(127);
}

/* How many objects each of its lines is about; 0 if they do not agree. */
static unsigned objects_of(int fd, unsigned lines) {
    char text[8192];
    size_t size = 0;
    unsigned objects = 0, found = 0;
    for (ssize_t more;
         size < sizeof(text) - 1 && (more = read(fd, text + size, sizeof(text) - 1 - size)) > 0;) {
        size += (size_t)more;
    }
    text[size] = '\0';
    char *rest = NULL;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        char *end;
        unsigned n = (unsigned)strtoul(line, &end, 10);
        if (end != line && strncmp(end, " reps @ ", 8) == 0) {
            objects = found++ == 0 || n == objects ? n : 0;
        }
    }
    return found == lines ? objects : 0;
}

static bool run(struct started started) {
    int ends[2], status = -1;
    if (pipe(ends) != 0) {
        return failed("a pipe");
    }
    started.out = ends[1];
    pid_t child = child_start(perform, &started);
    (void)close(ends[1]);
    unsigned objects = objects_of(ends[0], started.warmup + started.rounds);
    (void)close(ends[0]);
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0 ||
        objects != started.test->reps * started.test->objects) {
        printf("suite: x11perf -%s: status %d, %u objects\n", started.test->name, status, objects);
        return false;
    }
    return true;
}

static bool measure_test(const struct test *test, unsigned stream) {
    static bool timed;
    const unsigned per = test->reps * test->objects;
    struct started started = {.test = test,
                              .kind = "SAMPLES",
                              .stream = stream,
                              .rounds = parameter_number("rounds", 5),
                              .warmup = parameter_number("warmup", 1)};
    struct started alone = {.test = &nothing,
                            .kind = "TIMING",
                            .stream = os_has_probe() ? 0 : stream,
                            .rounds = NOTHING_ROUNDS,
                            .warmup = 2};
    printf("CASE stream=%u name=%s batch=1 per=%u unit=%s\n", stream, test->name, per,
           os_has_probe() ? "cycles" : "ns");
    fflush(stdout);
    if (os_has_probe()) {
        os_probe_write(PROBE_STREAM, OBJECTS + stream);
        os_probe_write(PROBE_SAMPLE, per);
    }
    bool good = (timed && os_has_probe()) || run(alone);
    timed = true;
    return good && run(started);
}

static bool operations(void) {
    pid_t server = x11_start();
    bool good = server > 0;
    for (unsigned i = 0; good && i < NUM_TESTS; i++) {
        good = !wanted(tests[i].name) || measure_test(&tests[i], 1 + i);
    }
    child_end(server);
    return good;
}

const struct question question_x11 = {"x11", "an operation of an X server", operations};
