/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tasks on the computer that builds them, for tests (bench/tests/tasks_test.py):
 *   tasks KIND SIZE PASSES SLICES [-]    runs a task in so many slices; prints its result, and the
 *                                        data set and the output in hexadecimal; with - the data
 *                                        set is read from standard input
 *   tasks literals SIZE                  one block of deflate, of literals only: of standard input
 *   tasks aes-block KEY BLOCK            one block, in hexadecimal
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "huffman.h"
#include "tasks.h"

static void print_bytes(const char *name, const uint8_t *bytes, uint32_t n) {
    printf("%s ", name);
    for (uint32_t i = 0; i < n; i++) {
        printf("%02x", bytes[i]);
    }
    printf("\n");
}

static void read_bytes(const char *text, uint8_t bytes[16]) {
    for (unsigned i = 0; i < 16; i++) {
        unsigned value = 0;
        (void)sscanf(text + 2 * i, "%2x", &value);
        bytes[i] = (uint8_t)value;
    }
}

static int run(const struct task_kind *kind, uint32_t size, uint32_t passes, uint32_t slices,
               bool given) {
    struct task_work work = {.data = malloc(size),
                             .size = size,
                             .passes = passes,
                             .memory = malloc(kind->memory),
                             .out = malloc(2 * size + 1024),
                             .out_size = 2 * size + 1024};
    memset(work.memory, 0xa5, kind->memory);
    kind->begin(&work);
    if (given && fread(work.data, 1, size, stdin) != size) {
        return 2;
    }
    print_bytes("before", work.data, size);
    uint32_t units = kind->units(&work);
    for (uint32_t i = 1; i <= slices; i++) {
        kind->run(&work, (uint32_t)((uint64_t)units * i / slices));
    }
    printf("result %u\n", kind->result(&work));
    print_bytes("after", work.data, size);
    if (kind == &deflate_kind) {
        print_bytes("out", work.out, deflate_length(&work));
    }
    free(work.data);
    free(work.memory);
    free(work.out);
    return 0;
}

static int literals(uint32_t size) {
    uint8_t *values = malloc(size), *out = malloc(2 * size + 1024);
    uint16_t *distances = calloc(size, sizeof *distances);
    struct bits bits = {.out = out, .size = 2 * size + 1024};
    static struct block block;
    if (fread(values, 1, size, stdin) != size) {
        return 2;
    }
    block_tables();
    block_begin(&block);
    for (uint32_t i = 0; i < size; i++) {
        block_count(&block, values[i], 0);
    }
    block_write(&block, &bits, values, distances, size, true);
    bits_end(&bits);
    print_bytes("out", out, bits.length);
    free(values);
    free(out);
    free(distances);
    return 0;
}

int main(int argc, char **argv) {
    if (argc == 4 && strcmp(argv[1], "aes-block") == 0) {
        struct aes_key key;
        uint8_t bytes[16], block[16];
        read_bytes(argv[2], bytes);
        read_bytes(argv[3], block);
        aes_set_key(&key, bytes);
        aes_encrypt(&key, block, block);
        print_bytes("out", block, 16);
        return 0;
    }
    if (argc == 3 && strcmp(argv[1], "literals") == 0) {
        return literals((uint32_t)atoi(argv[2]));
    }
    for (unsigned i = 0; argc >= 5 && i < TASK_KINDS; i++) {
        if (strcmp(argv[1], task_kind(i)->name) == 0) {
            return run(task_kind(i), (uint32_t)atoi(argv[2]), (uint32_t)atoi(argv[3]),
                       (uint32_t)atoi(argv[4]), argc > 5);
        }
    }
    fprintf(stderr, "usage: tasks KIND SIZE PASSES SLICES [-]\n");
    return 2;
}
