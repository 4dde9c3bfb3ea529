/* SPDX-License-Identifier: Apache-2.0 */
/* What a task of spaces.c is told, in the words of os_ask and os_tell: words[0] is the order. */
#ifndef BENCH_L4_SPACES_H
#define BENCH_L4_SPACES_H

#include <stdint.h>

#define SPACES_MOST 64u /* the server's too */

enum spaces_order {
    SPACES_ECHO,  /* answers empty messages from now on; does not answer this one */
    SPACES_MEET,  /* words: number, name. A client of this one's */
    SPACES_CALLS, /* words: rounds, seed, clients. Calls clients at random, then answers */
};

/* Marsaglia's xorshift32; the state is never 0. */
static inline uint32_t spaces_random(uint32_t *state) {
    uint32_t x = *state;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    *state = x;
    return x;
}

#endif
