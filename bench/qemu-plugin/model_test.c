/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The plugin's caches and TLBs against naive ones: each set keeps when its lines came and were last
 * used, and is searched from end to end. Prints what it compared; ends with status 1 at the first
 * difference.
 */
#include "model.h"

#include <stdio.h>

enum { ACCESSES = 500000, MOST_WAYS = 64 };

struct naive_line {
    uint32_t line;
    unsigned long came, used; /* the access in which; 0: nothing is here */
};
static struct naive_line naive[MOST_SETS][MOST_WAYS];

/* When any of these ways was used last. */
static unsigned long last_use(const struct naive_line *ways, uint32_t count) {
    unsigned long last = 0;
    for (uint32_t way = 0; way < count; way++) {
        last = ways[way].used > last ? ways[way].used : last;
    }
    return last;
}

/* Round robin takes what came first; pseudo-LRU of two halves that which was used longer ago. */
static struct naive_line *naive_victim(struct naive_line *ways, struct geometry shape) {
    uint32_t count = shape.ways;
    if (shape.replacement == PSEUDO_LRU) {
        for (; count > 1; count /= 2) {
            uint32_t half = count / 2;
            ways += last_use(ways + half, half) < last_use(ways, half) ? half : 0;
        }
        return ways;
    }
    struct naive_line *oldest = ways;
    for (uint32_t way = 0; way < count; way++) {
        oldest = ways[way].came < oldest->came ? &ways[way] : oldest;
    }
    return oldest;
}

static bool look_up_naively(struct geometry shape, uint32_t line, bool fill, unsigned long now) {
    struct naive_line *ways = naive[(line >> shape.set_shift) & (shape.sets - 1)];
    for (uint32_t way = 0; way < shape.ways; way++) {
        if (ways[way].came && ways[way].line == line) {
            ways[way].used = now;
            return true;
        }
    }
    if (fill) {
        *naive_victim(ways, shape) = (struct naive_line){line, now, now};
    }
    return false;
}

static uint32_t next_random(uint32_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    return *state ^= *state << 5;
}

/* Lines of `1 << bits` bytes. Returns whether all accesses agreed. */
INLINE bool agrees(const char *name, struct geometry shape, uint32_t bits) {
    static struct cache cache;
    uint32_t state = 2463534242;
    uint32_t va = 0;
    unsigned long misses = 0;
    memset(&cache, 0, sizeof(cache));
    memset(naive, 0, sizeof(naive));
    for (unsigned long i = 0; i < ACCESSES; i++) {
        uint32_t random = next_random(&state);
        bool fill = random % 5 != 0;
        bool hit;
        switch (random >> 8 & 15) {
        case 0: /* anywhere, the last line of all included */
            va = next_random(&state) | (random & 0x10000 ? 0xffffff00 : 0);
            break;
        case 1: /* back to the beginning, line 0 included */
            va = random >> 24;
            break;
        case 2: /* in twice what is held: much is replaced and comes back */
            va = 0xc0008000 +
                 next_random(&state) % ((2 * shape.sets * shape.ways) << (bits + shape.set_shift));
            break;
        default: /* on from there */
            va += 4;
        }
        if (bits == 0 && va == UINT32_MAX) {
            va--; /* no trace begins there */
        }
        hit = look_up_naively(shape, va >> bits, fill, i + 1);
        misses += !hit;
        if (look_up(&cache, shape, va >> bits, fill) != hit) {
            printf("%s, access %lu, %#x: the model %s\n", name, i, va, hit ? "missed" : "hit");
            return false;
        }
    }
    if (cache.accesses != ACCESSES || cache.misses != misses) {
        printf("%s: counted %lu accesses and %lu misses\n", name, (unsigned long)cache.accesses,
               (unsigned long)cache.misses);
        return false;
    }
    printf("%s: %d accesses, %lu misses, no difference\n", name, ACCESSES, misses);
    return true;
}

/* What a load of CR3 drops, and what it leaves. */
static bool drops(void) {
    static struct cache cache;
    static const struct geometry tlb = {.sets = 1, .ways = 64, .replacement = ROUND_ROBIN};
    for (uint32_t page = 0; page < 64; page++) {
        look_up(&cache, tlb, page, true);
    }
    drop_below(&cache, tlb, 40);
    for (uint32_t page = 0; page < 64; page++) {
        if (look_up(&cache, tlb, page, false) != (page >= 40)) {
            printf("page %u: wrong after pages below 40 were dropped\n", page);
            return false;
        }
    }
    drop_all(&cache, tlb);
    if (look_up(&cache, tlb, 63, false)) {
        printf("page 63 was not dropped\n");
        return false;
    }
    return true;
}

int main(void) {
    static const struct geometry arm = {.sets = 16, .ways = 32, .replacement = ROUND_ROBIN};
    static const struct geometry tlb = {.sets = 1, .ways = 64, .replacement = ROUND_ROBIN};
    static const struct geometry first = {.sets = 32, .ways = 4, .replacement = PSEUDO_LRU};
    static const struct geometry second = {.sets = 256, .ways = 8, .replacement = PSEUDO_LRU};
    static const struct geometry traces = {
        .sets = 256, .ways = 8, .set_shift = 4, .replacement = PSEUDO_LRU};
    bool good = agrees("ARM926EJ-S", arm, 5) && agrees("TLB", tlb, 12) &&
                agrees("first level", first, 6) && agrees("second level", second, 7) &&
                agrees("trace cache", traces, 0) && drops();
    return good ? 0 : 1;
}
