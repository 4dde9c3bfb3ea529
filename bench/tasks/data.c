/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The data sets. Linux's tasks (linux/overheads) have the text, too.
 *
 * The generator is Marsaglia's xorshift32 (Journal of Statistical Software 8(14), 2003) with the
 * shifts 13, 17, 5 from a fixed start. Text is made of 1024 words of 2 to 9 letters, of which the
 * frequent letters of English come up more often; a word's place in the list is the smallest of
 * three numbers, so that low places are frequent, and every twelfth word or so ends a line.
 */
#include "tasks.h"

#define START     2463534242u /* the paper's own */
#define WORDS     1024u
#define MOST_LONG 9u

static uint32_t next(uint32_t *state) {
    uint32_t x = *state;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    *state = x;
    return x;
}

/* 0 to n - 1 */
static uint32_t below(uint32_t *state, uint32_t n) {
    return (uint32_t)((uint64_t)next(state) * n >> 32);
}

void data_random(uint8_t *data, uint32_t size) {
    uint32_t state = START;
    for (uint32_t i = 0; i < size; i++) {
        data[i] = (uint8_t)(next(&state) >> 24);
    }
}

/* Word number `word`, always the same; returns its length. */
static uint32_t spell(uint32_t word, uint8_t letters[MOST_LONG]) {
    static const uint8_t frequent[] = "etaoinshrdlcumwfgypbvketaoinshrdetaoin";
    uint32_t state = START + word * 2654435761u; /* 2^32 over the golden ratio: far apart */
    uint32_t length = 2 + below(&state, MOST_LONG - 1);
    for (uint32_t i = 0; i < length; i++) {
        letters[i] = frequent[below(&state, sizeof frequent - 1)];
    }
    return length;
}

void data_text(uint8_t *data, uint32_t size) {
    uint32_t state = START;
    for (uint32_t at = 0; at < size;) {
        uint8_t letters[MOST_LONG];
        uint32_t word = WORDS;
        for (unsigned i = 0; i < 3; i++) {
            uint32_t place = below(&state, WORDS);
            word = place < word ? place : word;
        }
        uint32_t length = spell(word, letters);
        for (uint32_t i = 0; i < length && at < size; i++) {
            data[at++] = letters[i];
        }
        if (at < size) {
            data[at++] = below(&state, 12) == 0 ? '\n' : ' ';
        }
    }
}
