/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The clock of x11.c's x11perf, as a library that is loaded before the C library: x11perf reads
 * the time before each of its rounds and after it. Between the two is a sample, which goes to where
 * measure.c has its: X11_STREAM is the stream, X11_WARMUP how many are left out before the first.
 */
#include "suite.h"

#include <probe.h>
#include <sys/syscall.h>
#include <sys/time.h>

static unsigned stream, left_out;
static uint64_t start;
static bool inside;

__attribute__((constructor)) static void begin(void) {
    const char *number = getenv("X11_STREAM"), *warmup = getenv("X11_WARMUP");
    const char *clock = getenv("X11_CLOCK");
    stream = number == NULL ? 0 : (unsigned)atoi(number);
    left_out = warmup == NULL ? 0 : (unsigned)atoi(warmup);
    if (clock != NULL && strcmp(clock, "probe") == 0 && !os_probe_open()) {
        _exit(3);
    }
}

static void enter(void) {
    inside = true;
    if (left_out == 0 && os_has_probe() && stream != 0) {
        os_probe_write(PROBE_REGION_BEGIN, stream);
    }
    start = os_now();
}

static void leave(void) {
    uint64_t taken = os_since(start);
    inside = false;
    if (left_out > 0) {
        left_out--;
        return;
    }
    if (os_has_probe()) {
        if (stream != 0) {
            os_probe_write(PROBE_REGION_END, stream);
        }
        os_probe_write(PROBE_STREAM, stream);
        os_probe_write(PROBE_SAMPLE, (uint32_t)taken);
    } else {
        fprintf(stderr, "%s stream=%u %llu\n", getenv("X11_KIND"), stream,
                (unsigned long long)taken);
    }
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    if (inside) {
        leave();
    }
    long said = syscall(SYS_gettimeofday, now, zone);
    static bool odd;
    odd = !odd;
    if (odd) {
        enter();
    }
    return (int)said;
}
