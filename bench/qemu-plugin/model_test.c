/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The plugin's cache against a naive one: each set a queue of lines, searched from end to end.
 * Prints what it compared; ends with status 1 at the first difference.
 */
#include "model.h"

#include <stdio.h>
#include <string.h>

enum { ACCESSES = 2000000 };

/* Lines in order of arrival, the oldest first. */
static struct queue {
    uint32_t lines[WAYS];
    int length;
} naive[SETS];

static bool look_up_naively(uint32_t va, bool write) {
    uint32_t line = va >> 5;
    struct queue *queue = &naive[line & 15];
    for (int i = 0; i < queue->length; i++) {
        if (queue->lines[i] == line) {
            return true;
        }
    }
    if (!write) {
        if (queue->length == WAYS) {
            memmove(queue->lines, queue->lines + 1, sizeof(queue->lines) - sizeof(uint32_t));
            queue->length--;
        }
        queue->lines[queue->length++] = line;
    }
    return false;
}

static uint32_t next_random(uint32_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    return *state ^= *state << 5;
}

int main(void) {
    static struct cache cache;
    uint32_t state = 2463534242;
    uint32_t va = 0;
    unsigned long misses = 0;
    for (unsigned long i = 0; i < ACCESSES; i++) {
        uint32_t random = next_random(&state);
        bool write = random % 5 == 0;
        bool hit;
        switch (random >> 8 & 15) {
        case 0: /* anywhere, the last line of all included */
            va = next_random(&state) | (random & 0x10000 ? 0xffffff00 : 0);
            break;
        case 1: /* back to the beginning, line 0 included */
            va = random >> 24;
            break;
        case 2: /* in 32 KB, twice what the cache holds: much is replaced and comes back */
            va = 0xc0008000 + next_random(&state) % 32768;
            break;
        default: /* on from there */
            va += 4;
        }
        hit = look_up_naively(va, write);
        misses += !hit;
        if (look_up(&cache, va, write) != hit) {
            printf("access %lu, %s %#x: the model %s\n", i, write ? "write" : "read", va,
                   hit ? "missed" : "hit");
            return 1;
        }
    }
    if (cache.accesses != ACCESSES || cache.misses != misses) {
        printf("counted %lu accesses and %lu misses\n", (unsigned long)cache.accesses,
               (unsigned long)cache.misses);
        return 1;
    }
    printf("%d accesses, %lu misses, no difference\n", ACCESSES, misses);
    return 0;
}
