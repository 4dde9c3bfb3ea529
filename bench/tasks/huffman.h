/* SPDX-License-Identifier: Apache-2.0 */
/* Deflate's bit stream and its blocks with dynamic Huffman codes (RFC 1951, 3.2.3 and 3.2.7). */
#ifndef BENCH_TASKS_HUFFMAN_H
#define BENCH_TASKS_HUFFMAN_H

#include <stdbool.h>
#include <stdint.h>

#define LITERALS  286u /* with the lengths' codes and the end of block */
#define DISTANCES 30u

struct bits {
    uint8_t *out;
    uint32_t size, length; /* of `out`, in bytes, and so far */
    uint32_t held;         /* bits that are no whole byte yet, lowest first ... */
    unsigned count;        /* ... so many */
    bool full;             /* something did not fit */
};

/* The last byte, filled up with zeros. */
void bits_end(struct bits *bits);

struct codes {
    uint8_t length[LITERALS];
    uint16_t code[LITERALS]; /* its first bit lowest */
};

struct run {
    uint8_t symbol; /* 0 to 15 a length; 16 the last one again, 17 and 18 zeros */
    uint8_t extra;
};

/* What a block needs: not on the stack, which may be a page. */
struct block {
    uint32_t literal_counts[LITERALS];
    uint32_t distance_counts[DISTANCES];

    struct codes literal, distance, small;
    uint8_t lengths[LITERALS + DISTANCES];
    struct run runs[LITERALS + DISTANCES];

    /* While a code is made: its symbols, the rarest first; the weights and depths of joined nodes;
     * the parents of leaves and of joined nodes; how many codes there are of each length. */
    uint16_t symbols[LITERALS];
    uint32_t weight[LITERALS];
    uint16_t depth[LITERALS];
    uint16_t parent[2 * LITERALS];
    uint16_t of_length[LITERALS + 1];
};

/* Once, before the others. */
void block_tables(void);

void block_begin(struct block *block);

/* A literal `value` (distance 0), or a match of value + 3 bytes at this distance. */
void block_count(struct block *block, uint8_t value, uint32_t distance);

/* Writes the `n` of these that have been counted. */
void block_write(struct block *block, struct bits *bits, const uint8_t *values,
                 const uint16_t *distances, uint32_t n, bool final);

#endif
