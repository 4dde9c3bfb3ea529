/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measuring through the probe: cycle counts, regions of interest and raw samples.
 *
 * Only where os_has_probe(). All are single uncached accesses to one page; none fills a cache line.
 */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <probe.h>
#include <stdint.h>

static inline volatile uint32_t *measure_register(unsigned offset) {
    return (volatile uint32_t *)(PROBE_BASE_PA + offset);
}

static inline uint32_t measure_cycles(void) {
    return *measure_register(PROBE_CYCLES);
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

#endif
