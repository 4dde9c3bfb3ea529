/* SPDX-License-Identifier: Apache-2.0 */
/* The measured loop, with and without a probe. */
#include "suite.h"

#include <probe.h>

#define TIMING_SAMPLES 101u
/* Without a probe a batch takes at least this long: a clock of 1 MHz then errs by a percent. */
#define BATCH_NS  100000u
#define MAX_BATCH 1000000u

static uint32_t samples[MAX_SAMPLES];

static bool nothing(void *context) {
    (void)context;
    return true;
}

/* One sample: `batch` times the operation. The compiler sees one call for all operations, so that
 * the timing alone runs the very instructions of the measured loop. */
__attribute__((noinline)) static bool sample(operation *run, void *context, unsigned batch,
                                             uint32_t *taken) {
    bool good = true;
    uint64_t start = os_now();
    for (unsigned i = 0; i < batch; i++) {
        good &= run(context);
    }
    uint64_t time = os_since(start);
    *taken = time < UINT32_MAX ? (uint32_t)time : UINT32_MAX;
    return good;
}

/* `region`: each sample is one; 0: it is not. */
static bool series(operation *prepare, operation *run, void *context, unsigned batch,
                   unsigned rounds, unsigned region) {
    bool good = true;
    for (unsigned i = 0; i < rounds; i++) {
        uint32_t taken;
        good &= prepare == NULL || prepare(context);
        if (region != 0) {
            os_probe_write(PROBE_REGION_BEGIN, region);
        }
        good &= sample(run, context, batch, &taken);
        if (region != 0) {
            os_probe_write(PROBE_REGION_END, region);
        }
        if (os_has_probe()) {
            os_probe_write(PROBE_SAMPLE, taken);
        } else {
            samples[i] = taken;
        }
    }
    return good;
}

static void show(const char *kind, unsigned stream, unsigned n) {
    for (unsigned i = 0; i < n; i++) {
        if (i % 16 == 0) {
            printf("%s%s stream=%u", i > 0 ? "\n" : "", kind, stream);
        }
        printf(" %u", (unsigned)samples[i]);
    }
    printf("\n");
}

/* The timing alone: with a probe once for all, in stream 0 (a batch is one operation there). */
static void timing(unsigned stream, unsigned batch) {
    static bool done;
    if (!os_has_probe()) {
        (void)series(NULL, nothing, NULL, batch, TIMING_SAMPLES, 0);
        show("TIMING", stream, TIMING_SAMPLES);
    } else if (!done) {
        done = true;
        os_probe_write(PROBE_STREAM, 0);
        (void)series(NULL, nothing, NULL, 1, TIMING_SAMPLES, 0);
    }
}

/* How many operations the clock needs to see; they are a warm-up too. */
static bool calibrate(const struct measured *measured, unsigned *batch) {
    *batch = 1;
    if (os_has_probe() || measured->once) {
        return true;
    }
    for (;;) {
        uint32_t taken;
        if (!sample(measured->run, measured->context, *batch, &taken)) {
            return false;
        }
        if (taken >= BATCH_NS || *batch >= MAX_BATCH) {
            return true;
        }
        *batch *= 2;
    }
}

bool measure(const struct measured *measured) {
    unsigned rounds = parameter_number("rounds", measured->rounds);
    rounds *= measured->each > 0 ? measured->each : 1;
    unsigned warmup = parameter_number("warmup", measured->warmup);
    unsigned batch;
    uint32_t taken;
    if (rounds > MAX_SAMPLES && !os_has_probe()) {
        rounds = MAX_SAMPLES;
    }
    for (unsigned i = 0; i < warmup; i++) {
        if ((measured->prepare != NULL && !measured->prepare(measured->context)) ||
            !sample(measured->run, measured->context, 1, &taken)) {
            return failed(measured->name);
        }
    }
    if (!calibrate(measured, &batch)) {
        return failed(measured->name);
    }
    printf("CASE stream=%u name=%s batch=%u per=%u unit=%s\n", measured->stream, measured->name,
           batch, measured->per, os_has_probe() ? "cycles" : "ns");
    fflush(stdout); /* before a child inherits what has not been written yet */
    timing(measured->stream, batch);
    bool whole = os_has_probe() && !measured->apart;
    if (os_has_probe()) {
        os_probe_write(PROBE_STREAM, measured->stream);
    }
    if (whole) {
        os_probe_write(PROBE_REGION_BEGIN, measured->stream);
    }
    bool good = series(measured->prepare, measured->run, measured->context, batch, rounds,
                       os_has_probe() && measured->apart ? measured->stream : 0);
    if (whole) {
        os_probe_write(PROBE_REGION_END, measured->stream);
    } else if (!os_has_probe() && good) {
        show("SAMPLES", measured->stream, rounds);
    }
    fflush(stdout);
    return good || failed(measured->name);
}
