/* SPDX-License-Identifier: Apache-2.0 */
/*
 * AES-128 (FIPS 197), encryption by four tables that join SubBytes, ShiftRows and MixColumns
 * (Daemen, Rijmen: "AES Proposal: Rijndael", 5.2.1), in the mode CBC (NIST SP 800-38A, 6.2) over
 * the data set, in place. A unit is a block. The state's columns are words, first byte lowest.
 */
#include "tasks.h"

#define BLOCK  16u
#define ROUNDS 10u

struct aes {
    struct aes_key key;
    uint8_t chain[BLOCK]; /* the last block of cipher text */
    uint32_t done;
    uint32_t at;
};

static uint8_t box[256]; /* SubBytes */
static uint32_t mixed[4][256];

/* Times x in GF(2^8). */
static uint8_t twice(uint8_t a) {
    return (uint8_t)(a << 1 ^ ((a & 0x80) != 0 ? 0x1b : 0));
}

static uint32_t rotated(uint32_t word, unsigned bits) {
    return bits == 0 ? word : word << bits | word >> (32 - bits);
}

/* FIPS 197, 5.1.1: inverse, then the affine transformation. 3 generates the field and f6 is its
 * inverse, so that p and q go through all inverse pairs. */
static void make_tables(void) {
    uint8_t p = 1, q = 1;
    do {
        p = (uint8_t)(p ^ twice(p));
        q = (uint8_t)(q ^ q << 1);
        q = (uint8_t)(q ^ q << 2);
        q = (uint8_t)(q ^ q << 4);
        q = (uint8_t)(q ^ ((q & 0x80) != 0 ? 0x09 : 0));
        uint32_t turned = q | (uint32_t)q << 8;
        box[p] = (uint8_t)(q ^ turned >> 7 ^ turned >> 6 ^ turned >> 5 ^ turned >> 4 ^ 0x63);
    } while (p != 1);
    box[0] = 0x63;
    for (unsigned a = 0; a < 256; a++) {
        uint8_t s = box[a], s2 = twice(s), s3 = (uint8_t)(s2 ^ s);
        uint32_t column = s2 | (uint32_t)s << 8 | (uint32_t)s << 16 | (uint32_t)s3 << 24;
        for (unsigned row = 0; row < 4; row++) {
            mixed[row][a] = rotated(column, 8 * row);
        }
    }
}

static uint32_t load(const uint8_t *bytes) {
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static void store(uint8_t *bytes, uint32_t word) {
    for (unsigned i = 0; i < 4; i++) {
        bytes[i] = (uint8_t)(word >> 8 * i);
    }
}

static uint32_t boxed(uint32_t word) {
    return box[word & 0xff] | (uint32_t)box[word >> 8 & 0xff] << 8 |
           (uint32_t)box[word >> 16 & 0xff] << 16 | (uint32_t)box[word >> 24] << 24;
}

/* FIPS 197, 5.2 */
void aes_set_key(struct aes_key *key, const uint8_t bytes[BLOCK]) {
    uint8_t power = 1;
    if (box[0] == 0) {
        make_tables();
    }
    for (unsigned i = 0; i < 4; i++) {
        key->round[i] = load(bytes + 4 * i);
    }
    for (unsigned i = 4; i < 44; i++) {
        uint32_t word = key->round[i - 1];
        if (i % 4 == 0) {
            word = boxed(rotated(word, 24)) ^ power;
            power = twice(power);
        }
        key->round[i] = key->round[i - 4] ^ word;
    }
}

/* A column of the next state: its rows come from four columns, each from the next one. */
static inline uint32_t mix(uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    return mixed[0][a & 0xff] ^ mixed[1][b >> 8 & 0xff] ^ mixed[2][c >> 16 & 0xff] ^
           mixed[3][d >> 24];
}

static inline uint32_t last(uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    return box[a & 0xff] | (uint32_t)box[b >> 8 & 0xff] << 8 | (uint32_t)box[c >> 16 & 0xff] << 16 |
           (uint32_t)box[d >> 24] << 24;
}

void aes_encrypt(const struct aes_key *key, const uint8_t in[BLOCK], uint8_t out[BLOCK]) {
    const uint32_t *k = key->round;
    uint32_t a = load(in) ^ k[0], b = load(in + 4) ^ k[1];
    uint32_t c = load(in + 8) ^ k[2], d = load(in + 12) ^ k[3];
    for (unsigned round = 1; round < ROUNDS; round++) {
        k += 4;
        uint32_t a2 = mix(a, b, c, d) ^ k[0], b2 = mix(b, c, d, a) ^ k[1];
        uint32_t c2 = mix(c, d, a, b) ^ k[2], d2 = mix(d, a, b, c) ^ k[3];
        a = a2, b = b2, c = c2, d = d2;
    }
    k += 4;
    store(out, last(a, b, c, d) ^ k[0]);
    store(out + 4, last(b, c, d, a) ^ k[1]);
    store(out + 8, last(c, d, a, b) ^ k[2]);
    store(out + 12, last(d, a, b, c) ^ k[3]);
}

static void begin(const struct task_work *work) {
    struct aes *aes = work->memory;
    uint8_t bytes[BLOCK];
    *aes = (struct aes){.done = 0};
    make_tables();
    for (unsigned i = 0; i < BLOCK; i++) {
        bytes[i] = (uint8_t)i;
    }
    aes_set_key(&aes->key, bytes);
    data_random(work->data, work->size);
}

static uint32_t units(const struct task_work *work) {
    return work->size / BLOCK * work->passes;
}

static void run(const struct task_work *work, uint32_t until) {
    struct aes *aes = work->memory;
    for (; aes->done < until; aes->done++) {
        uint8_t *block = work->data + aes->at;
        for (unsigned i = 0; i < BLOCK; i += 4) {
            store(aes->chain + i, load(aes->chain + i) ^ load(block + i));
        }
        aes_encrypt(&aes->key, aes->chain, block);
        for (unsigned i = 0; i < BLOCK; i += 4) {
            store(aes->chain + i, load(block + i));
        }
        aes->at += BLOCK;
        if (aes->at == work->size) {
            aes->at = 0;
        }
    }
}

static uint32_t result(const struct task_work *work) {
    return crc32_update(0, work->data, work->size);
}

const struct task_kind aes_kind = {"aes", sizeof(struct aes), begin, units, run, result};
