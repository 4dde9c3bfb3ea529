/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One cache of 16 KB with 32 ways and lines of 32 bytes, virtually tagged: which lines are in it,
 * not what they hold. A miss of a read replaces the set's lines in turn (round robin, the simplest
 * that the ARM926EJ-S has); a write that misses goes past the cache, which does not allocate on
 * writes.
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

enum { LINE_BYTES = 32, WAYS = 32, SETS = 16 * 1024 / LINE_BYTES / WAYS, NO_LINE = 0 };

struct set {
    uint32_t tag[WAYS]; /* line number + 1, which no line number is 0 of; NO_LINE: nothing */
    uint32_t next;      /* the way that is replaced next */
    uint32_t recent;    /* the way that hit last */
};

struct cache {
    struct set sets[SETS];
    uint64_t accesses, misses;
};

/* Looks for the way that holds `tag`; WAYS if none does. */
static inline uint32_t find(const struct set *set, uint32_t tag) {
    uint32_t found = WAYS;
    for (uint32_t way = 0; way < WAYS; way++) {
        if (SHORTCUTS) {
            found = set->tag[way] == tag ? way : found;
        } else if (set->tag[way] == tag) {
            return way;
        }
    }
    return found;
}

/* One access; whether the line was there. */
static inline bool look_up(struct cache *cache, uint32_t va, bool write) {
    uint32_t line = va / LINE_BYTES;
    uint32_t tag = line + 1;
    struct set *set = &cache->sets[line % SETS];
    uint32_t way;
    cache->accesses++;
    if (SHORTCUTS && set->tag[set->recent] == tag) {
        return true;
    }
    way = find(set, tag);
    if (way < WAYS) {
        set->recent = way;
        return true;
    }
    cache->misses++;
    if (!write) {
        set->tag[set->next] = tag;
        set->recent = set->next;
        set->next = (set->next + 1) % WAYS;
    }
    return false;
}

#endif
