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

struct block_counts {
    uint32_t literals[LITERALS];
    uint32_t distances[DISTANCES];
};

/* Once, before the others. */
void block_tables(void);

/* A literal `value` (distance 0), or a match of value + 3 bytes at this distance. */
void block_count(struct block_counts *counts, uint8_t value, uint32_t distance);

/* A block of `n` of these, which have been counted. */
void block_write(struct bits *bits, struct block_counts *counts, const uint8_t *values,
                 const uint16_t *distances, uint32_t n, bool final);

#endif
