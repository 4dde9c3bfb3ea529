/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A C compiler: cc OPTION... SOURCE OBJECT. It is Debian's libtcc, with memory of heap.c.
 */
#include "heap.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <libtcc.h>

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

int main(int argc, char **argv) {
    if (argc < 3) {
        fprintf(stderr, "usage: cc OPTION... SOURCE OBJECT\n");
        return 2;
    }
    TCCState *tcc = tcc_new();
    for (int i = 1; i < argc - 2; i++) {
        tcc_set_options(tcc, argv[i]);
    }
    bool good = tcc_set_output_type(tcc, TCC_OUTPUT_OBJ) == 0 &&
                tcc_add_file(tcc, argv[argc - 2]) == 0 && tcc_output_file(tcc, argv[argc - 1]) == 0;
    tcc_delete(tcc);
    return good ? 0 : 1;
}
