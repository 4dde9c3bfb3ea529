/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of powers of two, each preceded by its power; those given back are in a list for each. */
#include "heap.h"

#include <string.h>

#ifndef HEAP /* bytes */
#define HEAP (32u << 20)
#endif
#define CLASSES 26u /* up to all of it */

struct header {
    size_t power, rest;
};

static _Alignas(16) unsigned char heap[HEAP];
static size_t heap_used;
static void *unused[CLASSES];

static struct header *header_of(void *block) {
    return (struct header *)block - 1;
}

size_t heap_size(void *block) {
    return block == NULL ? 0 : ((size_t)1 << header_of(block)->power) - sizeof(struct header);
}

void *heap_take(size_t size) {
    size_t power = 5;
    while (power < CLASSES && ((size_t)1 << power) - sizeof(struct header) < size) {
        power++;
    }
    void *block = power < CLASSES ? unused[power] : NULL;
    if (block != NULL) {
        memcpy(&unused[power], block, sizeof(void *));
        return block;
    }
    if (power >= CLASSES || HEAP - heap_used < (size_t)1 << power) {
        return NULL;
    }
    struct header *header = (struct header *)(heap + heap_used);
    heap_used += (size_t)1 << power;
    header->power = power;
    return header + 1;
}

void heap_give(void *block) {
    if (block != NULL) {
        size_t power = header_of(block)->power;
        memcpy(block, &unused[power], sizeof(void *));
        unused[power] = block;
    }
}

void *heap_resize(void *block, size_t size) {
    if (size <= heap_size(block) && block != NULL) {
        return block;
    }
    void *larger = heap_take(size);
    if (larger != NULL && block != NULL) {
        memcpy(larger, block, heap_size(block));
        heap_give(block);
    }
    return larger;
}
