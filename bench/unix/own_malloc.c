/* SPDX-License-Identifier: Apache-2.0 */
/* The C library's allocator, with memory of heap.c in place of its own. */
#include "heap.h"

#include <stdlib.h>
#include <string.h>

void *malloc(size_t size) {
    return heap_take(size);
}

void free(void *block) {
    heap_give(block);
}

void *realloc(void *block, size_t size) {
    return heap_resize(block, size);
}

void *calloc(size_t n, size_t size) {
    void *block = size != 0 && n > (size_t)-1 / size ? NULL : heap_take(n * size);
    return block == NULL ? NULL : memset(block, 0, n * size);
}
