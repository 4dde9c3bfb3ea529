/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a peer, a partner that is told what to do, understands (peer.c): words[0] is the operation.
 */
#ifndef BENCH_PEER_H
#define BENCH_PEER_H

#include <stdint.h>

#define PEER_MAX_NEIGHBOURS 64u

enum peer_operation {
    PEER_PING,  /* answers at once */
    PEER_MEET,  /* words: number, name. A neighbour; answers */
    PEER_CALLS, /* words: rounds, seed, neighbours. Calls neighbours at random, then answers */
    PEER_TOKEN, /* words: hops. 0: to whoever started us, else one less, to neighbour 0 */
    PEER_TOUCH, /* words: address, pages, rounds. Reads a byte of each page and yields; answers */
};

/* Marsaglia's xorshift32; the state is never 0. */
static inline uint32_t peer_random_below(uint32_t *state, uint32_t n) {
    uint32_t x = *state;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    *state = x;
    return (uint32_t)((uint64_t)x * n >> 32);
}

#endif
