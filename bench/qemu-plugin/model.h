/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cache or a TLB as far as its tags: which lines are in it, not what they hold. A line is what
 * has a number of its own: some bytes of memory, a page, or the address at which a trace begins.
 *
 * A geometry is always a constant and the functions are inlined, so that the compiler makes code
 * for each geometry by itself, as if it were the only one.
 *
 * Each access is looked up: the ways of its set are compared in turn until one answers, as the
 * cache plugin that comes with QEMU's sources does. Where SHORTCUTS is 1, the way that the set hit
 * last is tried first, and the search of all has no branch in it, so that the compiler can compare
 * several tags at once: what a plugin for nothing but speed would do.
 */
#ifndef QEMU_PLUGIN_MODEL_H
#define QEMU_PLUGIN_MODEL_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

/* Which way of a full set is replaced: all in turn, or that to which a tree of bits points. */
enum replacement { ROUND_ROBIN, PSEUDO_LRU };

struct geometry {
    uint32_t sets, ways; /* powers of two; of ways that are replaced in turn any number */
    uint32_t set_shift;  /* the bit of a line's number from which on it chooses the set */
    enum replacement replacement;
};

/* What there is room for. */
enum { MOST_SETS = 2048, MOST_LINES = 32768, MOST_WAYS_OF_A_TREE = 8 };

enum { NO_LINE = 0 };

struct cache {
    uint32_t recent[MOST_SETS]; /* the way that hit last */
    /* Round robin: the way that is replaced next. Pseudo-LRU: a bit for each node, the root lowest,
     * which is set if the node points right. */
    uint32_t next[MOST_SETS];
    uint32_t tag[MOST_LINES]; /* line number + 1, which no line number is 0 of; NO_LINE: nothing */
    uint64_t accesses, misses;
};

INLINE uint32_t set_of(struct geometry shape, uint32_t line) {
    return (line >> shape.set_shift) % shape.sets;
}

/* A way was used: the nodes above it point away from it. */
INLINE void touch(struct cache *cache, struct geometry shape, uint32_t set, uint32_t way) {
    uint32_t node = shape.ways + way; /* the leaf; the root is 1, whose bit is bit 1 */
    cache->recent[set] = way;
    if (shape.replacement != PSEUDO_LRU) {
        return;
    }
    while (node > 1) {
        uint32_t right = node & 1;
        node /= 2;
        cache->next[set] = (cache->next[set] & ~(1u << node)) | (!right << node);
    }
}

INLINE uint32_t victim(struct cache *cache, struct geometry shape, uint32_t set) {
    uint32_t way = cache->next[set];
    if (shape.replacement == ROUND_ROBIN) {
        cache->next[set] = (way + 1) % shape.ways;
        return way;
    }
    uint32_t node = 1;
    while (node < shape.ways) {
        node = 2 * node + (cache->next[set] >> node & 1);
    }
    return node - shape.ways;
}

/* Looks for the way of the set that holds `tag`; `shape.ways` if none does. */
INLINE uint32_t find_way(const uint32_t *tags, struct geometry shape, uint32_t tag) {
    uint32_t found = shape.ways;
    for (uint32_t way = 0; way < shape.ways; way++) {
        if (SHORTCUTS) {
            found = tags[way] == tag ? way : found;
        } else if (tags[way] == tag) {
            return way;
        }
    }
    return found;
}

/* One access; whether the line was there. `slot` says where it is now; a miss takes it in if
 * `fill`. */
INLINE bool look_up_slot(struct cache *cache, struct geometry shape, uint32_t line, bool fill,
                         uint32_t *slot) {
    uint32_t tag = line + 1;
    uint32_t set = set_of(shape, line);
    uint32_t *tags = &cache->tag[set * shape.ways];
    uint32_t way = cache->recent[set];
    cache->accesses++;
    /* Whose tree points away from it already. */
    if (SHORTCUTS && tags[way] == tag) {
        *slot = set * shape.ways + way;
        return true;
    }
    way = find_way(tags, shape, tag);
    bool hit = way < shape.ways;
    if (!hit) {
        cache->misses++;
        if (!fill) {
            return false;
        }
        way = victim(cache, shape, set);
        tags[way] = tag;
    }
    touch(cache, shape, set, way);
    *slot = set * shape.ways + way;
    return hit;
}

/* Looks a line up where nobody asks for its place. */
INLINE bool look_up(struct cache *cache, struct geometry shape, uint32_t line, bool fill) {
    uint32_t slot;
    return look_up_slot(cache, shape, line, fill, &slot);
}

/* Drops the lines with numbers below `end`, and leaves the order of replacement. */
INLINE void drop_below(struct cache *cache, struct geometry shape, uint32_t end) {
    for (uint32_t slot = 0; slot < shape.sets * shape.ways; slot++) {
        if (cache->tag[slot] <= end) {
            cache->tag[slot] = NO_LINE;
        }
    }
}

/* Drops them all. */
INLINE void drop_all(struct cache *cache, struct geometry shape) {
    memset(cache->tag, 0, shape.sets * shape.ways * sizeof(*cache->tag));
}

#endif
