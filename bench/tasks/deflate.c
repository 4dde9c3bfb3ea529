/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deflate (RFC 1951): matches are found by hash chains over a window of 32 KB and chosen lazily
 * (section 4 there); blocks with dynamic Huffman codes (huffman.c). A unit is a byte of input; each
 * pass makes a whole stream, over the last one's.
 */
#include "huffman.h"
#include "tasks.h"

#define WINDOW    0x8000u
#define HASH_BITS 15u
#define HASHES    (1u << HASH_BITS)
#define SHORTEST  3u
#define LONGEST   258u
/* As zlib's middle levels: so many candidates are looked at, and a match as long as this is good
 * enough to look no further. */
#define CANDIDATES  32u
#define GOOD_ENOUGH 32u
#define SYMBOLS     16384u /* of a block */

struct match {
    uint32_t length; /* 0 = none */
    uint32_t distance;
};

struct deflate {
    uint32_t done; /* units before this pass */
    uint32_t at;
    bool looked; /* the match at `at` is known already: `ahead` */
    struct match ahead;

    struct bits bits;
    uint32_t symbols; /* in the block so far */
    struct block block;
    uint8_t values[SYMBOLS];     /* a literal, or a match's length - SHORTEST ... */
    uint16_t distances[SYMBOLS]; /* ... whose distance this is; 0 = literal */

    /* The last position with this hash, and for each position of the window the one before it with
     * the same hash: low 16 bits. Positions that are too old only look like younger ones, where the
     * bytes will not match, or will, which is as good. */
    uint16_t newest[HASHES];
    uint16_t older[WINDOW];
};

static uint32_t hash(const uint8_t *at) {
    return ((uint32_t)at[0] << 10 ^ (uint32_t)at[1] << 5 ^ at[2]) & (HASHES - 1);
}

/* Makes the position known. */
static void insert(struct deflate *d, const struct task_work *work, uint32_t at) {
    if (at + SHORTEST <= work->size) {
        uint32_t h = hash(work->data + at);
        d->older[at % WINDOW] = d->newest[h];
        d->newest[h] = (uint16_t)at;
    }
}

static uint32_t common(const uint8_t *a, const uint8_t *b, uint32_t most) {
    uint32_t n = 0;
    while (n < most && a[n] == b[n]) {
        n++;
    }
    return n;
}

/* The longest match for the position, which becomes known. */
static struct match look(struct deflate *d, const struct task_work *work, uint32_t at) {
    struct match best = {.length = SHORTEST - 1};
    uint32_t most = work->size - at < LONGEST ? work->size - at : LONGEST;
    if (most < SHORTEST) {
        return (struct match){.length = 0};
    }
    const uint8_t *here = work->data + at;
    uint32_t candidate = d->newest[hash(here)], last = 0;
    for (unsigned n = 0; n < CANDIDATES && best.length < most; n++) {
        uint32_t distance = (at - candidate) & 0xffff;
        if (distance <= last || distance > WINDOW || distance > at) {
            break; /* the chain's end */
        }
        const uint8_t *there = here - distance;
        if (there[best.length] == here[best.length]) { /* else it is no longer */
            uint32_t length = common(here, there, most);
            if (length > best.length) {
                best = (struct match){length, distance};
            }
        }
        last = distance;
        candidate = d->older[candidate % WINDOW];
    }
    insert(d, work, at);
    return best.length >= SHORTEST ? best : (struct match){.length = 0};
}

static void end_block(struct deflate *d, bool final) {
    block_write(&d->block, &d->bits, d->values, d->distances, d->symbols, final);
    block_begin(&d->block);
    d->symbols = 0;
}

static void add(struct deflate *d, uint8_t value, uint32_t distance) {
    d->values[d->symbols] = value;
    d->distances[d->symbols++] = (uint16_t)distance;
    block_count(&d->block, value, distance);
    if (d->symbols == SYMBOLS) {
        end_block(d, false);
    }
}

/* One literal or match. */
static void step(struct deflate *d, const struct task_work *work) {
    struct match match = d->looked ? d->ahead : look(d, work, d->at);
    uint32_t known = d->at + 1;
    d->looked = false;
    if (match.length > 0 && match.length < GOOD_ENOUGH) {
        d->ahead = look(d, work, known++);
        d->looked = d->ahead.length > match.length;
    }
    if (match.length == 0 || d->looked) {
        add(d, work->data[d->at++], 0);
        return;
    }
    d->at += match.length;
    while (known < d->at) {
        insert(d, work, known++);
    }
    add(d, (uint8_t)(match.length - SHORTEST), match.distance);
}

static void begin_pass(struct deflate *d, const struct task_work *work) {
    d->at = 0;
    d->looked = false;
    d->bits = (struct bits){.out = work->out, .size = work->out_size};
    for (uint32_t i = 0; i < HASHES; i++) {
        d->newest[i] = 0;
    }
}

static void begin(const struct task_work *work) {
    struct deflate *d = work->memory;
    d->done = d->symbols = 0;
    block_begin(&d->block);
    data_text(work->data, work->size);
    block_tables();
    begin_pass(d, work);
}

static uint32_t units(const struct task_work *work) {
    return work->size * work->passes;
}

/* May go on by a match. */
static void run(const struct task_work *work, uint32_t until) {
    struct deflate *d = work->memory;
    while (d->done + d->at < until) {
        step(d, work);
        if (d->at == work->size) {
            end_block(d, true);
            bits_end(&d->bits);
            d->done += work->size;
            if (d->done < units(work)) {
                begin_pass(d, work);
            } else {
                d->at = 0;
            }
        }
    }
}

uint32_t deflate_length(const struct task_work *work) {
    const struct deflate *d = work->memory;
    return d->bits.full ? 0 : d->bits.length;
}

static uint32_t result(const struct task_work *work) {
    return crc32_update(0, work->out, deflate_length(work));
}

const struct task_kind deflate_kind = {
    "deflate", sizeof(struct deflate), begin, units, run, result,
};
