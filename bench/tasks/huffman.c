/* SPDX-License-Identifier: Apache-2.0 */
#include "huffman.h"

#define END_OF_BLOCK  256u
#define FIRST_LENGTH  257u
#define LONGEST_CODE  15u
#define LENGTHS       19u /* the alphabet in which code lengths are written */
#define LONGEST_SMALL 7u
#define DYNAMIC       2u

static void put(struct bits *bits, uint32_t value, unsigned n) {
    bits->held |= value << bits->count;
    for (bits->count += n; bits->count >= 8; bits->count -= 8) {
        if (bits->length == bits->size) {
            bits->full = true;
            bits->length = 0;
        }
        bits->out[bits->length++] = (uint8_t)bits->held;
        bits->held >>= 8;
    }
}

void bits_end(struct bits *bits) {
    put(bits, 0, -bits->count & 7);
}

/* ---- lengths and distances: code and extra bits (3.2.5) ---- */

static uint8_t length_codes[256];   /* by length - 3; FIRST_LENGTH is 0 */
static uint8_t distance_codes[512]; /* by distance - 1, above 255 by its upper bits */

/* The values below 2 * parts have a code each; from there on the values between two powers of two
 * share `parts` codes. Returns the number of extra bits. */
static unsigned code_of(uint32_t value, unsigned parts_log2, uint8_t *code) {
    unsigned extra = 0;
    while (value >> extra >= 2u << parts_log2) {
        extra++;
    }
    *code = (uint8_t)((extra << parts_log2) + (value >> extra));
    return extra;
}

void block_tables(void) {
    for (uint32_t i = 0; i < 256; i++) {
        (void)code_of(i, 2, &length_codes[i]);
        (void)code_of(i, 1, &distance_codes[i]);
        (void)code_of(i << 7, 1, &distance_codes[256 + i]);
    }
    length_codes[255] = 28; /* the longest has a code of its own, without extra bits */
}

static uint32_t length_code(uint8_t value) {
    return FIRST_LENGTH + length_codes[value];
}

static unsigned length_extra(uint32_t code) {
    code -= FIRST_LENGTH;
    return code < 8 || code == 28 ? 0 : code / 4 - 1;
}

static uint32_t distance_code(uint32_t distance) {
    return distance <= 256 ? distance_codes[distance - 1]
                           : distance_codes[256 + ((distance - 1) >> 7)];
}

static unsigned distance_extra(uint32_t code) {
    return code < 4 ? 0 : code / 2 - 1;
}

void block_begin(struct block *block) {
    for (unsigned i = 0; i < LITERALS; i++) {
        block->literal_counts[i] = 0;
    }
    for (unsigned i = 0; i < DISTANCES; i++) {
        block->distance_counts[i] = 0;
    }
}

void block_count(struct block *block, uint8_t value, uint32_t distance) {
    if (distance == 0) {
        block->literal_counts[value]++;
    } else {
        block->literal_counts[length_code(value)]++;
        block->distance_counts[distance_code(distance)]++;
    }
}

/* ---- Huffman codes ---- */

/* Symbols that occur, the rarest first; returns how many. */
static unsigned sort(const uint32_t *counts, unsigned n, uint16_t *symbols) {
    unsigned used = 0;
    for (unsigned i = 0; i < n; i++) {
        if (counts[i] == 0) {
            continue;
        }
        unsigned place = used++;
        while (place > 0 && counts[symbols[place - 1]] > counts[i]) {
            symbols[place] = symbols[place - 1];
            place--;
        }
        symbols[place] = (uint16_t)i;
    }
    return used;
}

/*
 * How many codes there are of each length, by Huffman's algorithm with two queues: the leaves,
 * sorted, and the joined nodes, which come up in order as well. used is at least 2.
 */
static void depths(struct block *block, const uint32_t *counts, unsigned used) {
    const uint16_t *symbols = block->symbols;
    uint32_t *weight = block->weight;
    uint16_t *parent = block->parent, *depth = block->depth, *of_length = block->of_length;
    unsigned leaf = 0, joined = 0;
    for (unsigned made = 0; made < used - 1; made++) {
        uint32_t sum = 0;
        for (unsigned i = 0; i < 2; i++) {
            if (leaf < used && (joined == made || counts[symbols[leaf]] <= weight[joined])) {
                sum += counts[symbols[leaf]];
                parent[leaf++] = (uint16_t)made;
            } else {
                sum += weight[joined];
                parent[used + joined++] = (uint16_t)made;
            }
        }
        weight[made] = sum;
    }
    depth[used - 2] = 0;
    for (unsigned i = used - 2; i-- > 0;) {
        depth[i] = (uint16_t)(depth[parent[used + i]] + 1);
    }
    for (unsigned i = 0; i <= used; i++) {
        of_length[i] = 0;
    }
    for (unsigned i = 0; i < used; i++) {
        of_length[depth[parent[i]] + 1]++;
    }
}

/*
 * Codes that are too long become as long as is allowed; then there is too little room (Kraft's sum
 * exceeds 1), which is made by letting one shorter code become two that are longer by a bit, the
 * second of which is one that was too long.
 */
static void shorten(uint16_t *of_length, unsigned used, unsigned longest) {
    uint32_t room = 0;
    for (unsigned i = longest + 1; i <= used; i++) {
        of_length[longest] = (uint16_t)(of_length[longest] + of_length[i]);
        of_length[i] = 0;
    }
    for (unsigned i = 1; i <= longest && i <= used; i++) {
        room += (uint32_t)of_length[i] << (longest - i);
    }
    for (; room > 1u << longest; room--) {
        unsigned i = longest - 1;
        while (of_length[i] == 0) {
            i--;
        }
        of_length[i]--;
        of_length[i + 1] = (uint16_t)(of_length[i + 1] + 2);
        of_length[longest]--;
    }
}

/* Bits in reverse: codes are sent from their first bit. */
static uint16_t reversed(uint32_t code, unsigned n) {
    uint32_t turned = 0;
    for (; n > 0; n--, code >>= 1) {
        turned = turned << 1 | (code & 1);
    }
    return (uint16_t)turned;
}

/* 3.2.2; at least two symbols get a code, so that no code is incomplete. */
static void make_codes(struct block *block, struct codes *codes, uint32_t *counts, unsigned n,
                       unsigned longest) {
    uint16_t *symbols = block->symbols, *of_length = block->of_length;
    unsigned used = sort(counts, n, symbols);
    for (unsigned i = 0; used < 2; i++) {
        counts[i] += counts[i] == 0 ? 1 : 0;
        used = sort(counts, n, symbols);
    }
    depths(block, counts, used);
    shorten(of_length, used, longest);
    for (unsigned i = 0; i < n; i++) {
        codes->length[i] = 0;
    }
    unsigned symbol = used;
    for (unsigned length = 1; length <= longest && length <= used; length++) {
        for (unsigned i = 0; i < of_length[length]; i++) {
            codes->length[symbols[--symbol]] = (uint8_t)length;
        }
    }
    uint32_t code = 0;
    for (unsigned length = 1; length <= longest; length++, code <<= 1) {
        for (unsigned i = 0; i < n; i++) {
            if (codes->length[i] == length) {
                codes->code[i] = reversed(code++, length);
            }
        }
    }
}

static void put_code(struct bits *bits, const struct codes *codes, uint32_t symbol) {
    put(bits, codes->code[symbol], codes->length[symbol]);
}

/* ---- the code lengths, run by run (3.2.7) ---- */

static const uint8_t run_bits[LENGTHS] = {[16] = 2, [17] = 3, [18] = 7};

static unsigned find_runs(const uint8_t *lengths, unsigned n, struct run *runs) {
    unsigned made = 0;
    for (unsigned i = 0; i < n;) {
        unsigned same = 1;
        while (i + same < n && lengths[i + same] == lengths[i]) {
            same++;
        }
        if (lengths[i] == 0 && same >= 3) {
            same = same > 138 ? 138 : same;
            runs[made++] = same > 10 ? (struct run){18, (uint8_t)(same - 11)}
                                     : (struct run){17, (uint8_t)(same - 3)};
        } else if (same >= 4) {
            same = same > 7 ? 7 : same;
            runs[made++] = (struct run){lengths[i], 0};
            runs[made++] = (struct run){16, (uint8_t)(same - 4)};
        } else {
            same = 1;
            runs[made++] = (struct run){lengths[i], 0};
        }
        i += same;
    }
    return made;
}

static unsigned without_zeros(const uint8_t *lengths, unsigned n, unsigned least) {
    while (n > least && lengths[n - 1] == 0) {
        n--;
    }
    return n;
}

static void write_codes(struct block *block, struct bits *bits) {
    static const uint8_t order[LENGTHS] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                           11, 4,  12, 3, 13, 2, 14, 1, 15};
    const struct codes *literal = &block->literal, *distance = &block->distance;
    uint8_t *lengths = block->lengths;
    struct run *runs = block->runs;
    uint32_t counts[LENGTHS] = {0};
    unsigned literals = without_zeros(literal->length, LITERALS, 257);
    unsigned distances = without_zeros(distance->length, DISTANCES, 1);
    for (unsigned i = 0; i < literals + distances; i++) {
        lengths[i] = i < literals ? literal->length[i] : distance->length[i - literals];
    }
    unsigned made = find_runs(lengths, literals + distances, runs);
    for (unsigned i = 0; i < made; i++) {
        counts[runs[i].symbol]++;
    }
    make_codes(block, &block->small, counts, LENGTHS, LONGEST_SMALL);
    unsigned said = LENGTHS;
    while (said > 4 && block->small.length[order[said - 1]] == 0) {
        said--;
    }
    put(bits, literals - 257, 5);
    put(bits, distances - 1, 5);
    put(bits, said - 4, 4);
    for (unsigned i = 0; i < said; i++) {
        put(bits, block->small.length[order[i]], 3);
    }
    for (unsigned i = 0; i < made; i++) {
        put_code(bits, &block->small, runs[i].symbol);
        put(bits, runs[i].extra, run_bits[runs[i].symbol]);
    }
}

void block_write(struct block *block, struct bits *bits, const uint8_t *values,
                 const uint16_t *distances, uint32_t n, bool final) {
    const struct codes *literal = &block->literal, *distance = &block->distance;
    block->literal_counts[END_OF_BLOCK]++;
    make_codes(block, &block->literal, block->literal_counts, LITERALS, LONGEST_CODE);
    make_codes(block, &block->distance, block->distance_counts, DISTANCES, LONGEST_CODE);
    put(bits, final, 1);
    put(bits, DYNAMIC, 2);
    write_codes(block, bits);
    for (uint32_t i = 0; i < n; i++) {
        if (distances[i] == 0) {
            put_code(bits, literal, values[i]);
            continue;
        }
        uint32_t code = length_code(values[i]);
        unsigned extra = length_extra(code);
        put_code(bits, literal, code);
        put(bits, values[i] & ((1u << extra) - 1), extra);
        uint32_t far = distances[i] - 1u;
        code = distance_code(distances[i]);
        extra = distance_extra(code);
        put_code(bits, distance, code);
        put(bits, far & ((1u << extra) - 1), extra);
    }
    put_code(bits, literal, END_OF_BLOCK);
}
