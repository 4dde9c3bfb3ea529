/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Working sets of ping-pong (pingpong.c), as "Performance of Address-Space Multiplexing on the
 * Pentium", section 4.1, has them: what fills one structure of the processor, and the others
 * little. Their code is the architecture's (working_set_ia32.c).
 */
#ifndef BENCH_WORKING_SET_H
#define BENCH_WORKING_SET_H

#include <stdint.h>

/* From one page's jump or word to the next: a line more than a page, so that they lie in different
 * sets of caches. */
#define WORKING_SET_STEP 4160u

/* Writes `n` instructions of a byte each that do nothing, and a return. */
void working_set_nops(uint8_t *memory, uint32_t n);

/* Writes `n` jumps, each to the next in another page, and a return. */
void working_set_jumps(uint8_t *memory, uint32_t n);

/* Reads a word of each of `n` pages. */
static inline void working_set_read(const uint8_t *memory, uint32_t n) {
    for (; n > 0; n--) {
        (void)*(const volatile uint32_t *)(uintptr_t)memory;
        memory += WORKING_SET_STEP;
    }
}

#endif
