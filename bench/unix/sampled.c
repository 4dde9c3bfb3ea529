/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The samples, and what the timing alone takes: in its own stream with a probe, and printed
 * otherwise, both before the first round.
 */
#include "sampled.h"

#include <probe.h>

#define TIMING_SAMPLES 101u

static unsigned stream, rounds, left_out;
static uint64_t start;
static bool inside;

static unsigned number(const char *name) {
    const char *text = getenv(name);
    return text == NULL ? 0 : (unsigned)atoi(text);
}

static void take(const char *kind, unsigned of_stream, uint64_t taken) {
    if (os_has_probe()) {
        os_probe_write(PROBE_STREAM, of_stream);
        os_probe_write(PROBE_SAMPLE, (uint32_t)taken);
    } else {
        printf("%s stream=%u %llu\n", kind, of_stream, (unsigned long long)taken);
    }
}

__attribute__((constructor)) static void begin(void) {
    const char *clock = getenv("SAMPLED_CLOCK");
    stream = number("SAMPLED_STREAM");
    rounds = number("SAMPLED_ROUNDS");
    left_out = number("SAMPLED_WARMUP");
    if (clock != NULL && strcmp(clock, "probe") == 0 && !os_probe_open()) {
        _exit(3);
    }
    for (unsigned i = 0; i < TIMING_SAMPLES; i++) {
        start = os_now();
        take("TIMING", os_has_probe() ? 0 : stream, os_since(start));
    }
    fflush(stdout);
}

void sampled_enter(void) {
    inside = true;
    if (left_out == 0 && os_has_probe()) {
        os_probe_write(PROBE_REGION_BEGIN, stream);
    }
    start = os_now();
}

void sampled_leave(void) {
    uint64_t taken = os_since(start);
    inside = false;
    if (left_out > 0) {
        left_out--;
        return;
    }
    if (os_has_probe()) {
        os_probe_write(PROBE_REGION_END, stream);
    }
    take("SAMPLES", stream, taken);
    fflush(stdout);
    rounds--;
}

bool sampled_inside(void) {
    return inside;
}

bool sampled_all(void) {
    return rounds == 0;
}
