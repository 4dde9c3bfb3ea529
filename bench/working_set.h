/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Working sets of ping-pong (l4/pingpong.c, unix/pingpong.c), as "Performance of Address-Space
 * Multiplexing on the Pentium", section 4.1, has them: what fills one structure of the processor,
 * and the others little. Their code is the architecture's (working_set_arm.c, working_set_ia32.c).
 *
 * Code is written once, for the largest working set, by who has the memory first. A smaller one
 * begins further on: no code changes once it has been executed, so that no cache has to be told.
 */
#ifndef BENCH_WORKING_SET_H
#define BENCH_WORKING_SET_H

#ifndef NOLIBC /* which has its own types */
#include <stdint.h>
#endif
#include <working_set_sizes.h>

/* From one page's jump or word to the next: a line more than a page, so that they lie in different
 * sets of caches. */
#define WORKING_SET_STEP (4096u + WORKING_SET_LINE)

/* Writes `n` instructions that do nothing, and a return. */
void working_set_nops(uint8_t *memory, uint32_t n);

/* Writes `n` jumps, each to the next in another page, and a return. */
void working_set_jumps(uint8_t *memory, uint32_t n);

/* Reads `n` words, from each to the next `stride` bytes. */
static inline void working_set_read(uintptr_t at, uint32_t n, uint32_t stride) {
    for (; n > 0; n--) {
        (void)*(const volatile uint32_t *)at;
        at += stride;
    }
}

#endif
