/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The clock of measure.h: RDTSC. An access to the probe is under way while what follows executes,
 * so its reading would belong to no place in the program; CPUID waits for all before it, and lets
 * nothing overtake. It takes 650 cycles.
 */
#ifndef BENCH_CLOCK_H
#define BENCH_CLOCK_H

#include <stdint.h>

#define CLOCK_CYCLES(probe) clock_cycles()
#define CLOCK_IS_DEAR       1
#define CLOCK_GRAIN         1u /* the processor's time has parts of a cycle */

static inline uint32_t clock_cycles(void) {
    uint32_t low = 0;
    __asm__ volatile("cpuid\n\trdtsc" : "+a"(low) : : "ebx", "ecx", "edx", "memory");
    return low;
}

#endif
