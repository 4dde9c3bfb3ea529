/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measuring through the probe: cycle counts (clock.h), regions of interest and raw samples. Only
 * where os_has_probe(). Accesses to it are single uncached ones to a page; none fills a cache line.
 */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <clock.h>
#include <probe.h>
#include <stdint.h>

static inline volatile uint32_t *measure_register(unsigned offset) {
    return (volatile uint32_t *)(uintptr_t)(PROBE_BASE_PA + offset);
}

static inline uint32_t measure_cycles(void) {
    return CLOCK_CYCLES(measure_register(0));
}

static inline void measure_begin(uint32_t region) {
    *measure_register(PROBE_STREAM) = region;
    *measure_register(PROBE_REGION_BEGIN) = region;
}

static inline void measure_end(uint32_t region) {
    *measure_register(PROBE_REGION_END) = region;
}

static inline void measure_sample(uint32_t value) {
    *measure_register(PROBE_SAMPLE) = value;
}

/* The stream of what taking a sample takes, where that is much. */
#define MEASURE_ITSELF 254u

/* Samples from one to the next with nothing in between. Called by who has found the probe. */
static inline void measure_itself(void) {
    if (CLOCK_IS_DEAR) {
        *measure_register(PROBE_STREAM) = MEASURE_ITSELF;
        uint32_t last = measure_cycles();
        for (unsigned i = 0; i < 100; i++) {
            uint32_t now = measure_cycles();
            measure_sample(now - last);
            last = now;
        }
    }
}

#endif
