/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How fast does a computation run? Sorting, checksums and matrices: load/store, shift and branch,
 * and multiply; some fit into the data cache, some do not. Results are checked, so that nothing of
 * it can be left out. For measuring the simulator: a round is about half a million cycles.
 *
 * Parameters (boot command line): rounds=160
 */
#include <lib/print.h>

#include "measure.h"
#include "os/os.h"
#include "parameters.h"

#define SORTED 160u /* words: bubble sort, 640 bytes */
#define SUMMED                                                                                     \
    8192u         /* bytes: CRC, half as much again as the data cache can keep beside its table */
#define ORDER 24u /* matrix: three of 2304 bytes */

static uint32_t numbers[SORTED];
static uint8_t bytes[SUMMED];
static uint32_t crc_table[256];
static uint32_t left[ORDER][ORDER], right[ORDER][ORDER], product[ORDER][ORDER];

static uint32_t next_random(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u; /* Numerical Recipes' generator */
    return *state >> 8;
}

/* 1 if the numbers end up in order. */
static uint32_t sort(uint32_t seed) {
    for (uint32_t i = 0; i < SORTED; i++) {
        numbers[i] = next_random(&seed);
    }
    for (uint32_t end = SORTED; end > 1; end--) {
        for (uint32_t i = 1; i < end; i++) {
            if (numbers[i - 1] > numbers[i]) {
                uint32_t larger = numbers[i - 1];
                numbers[i - 1] = numbers[i];
                numbers[i] = larger;
            }
        }
    }
    for (uint32_t i = 1; i < SORTED; i++) {
        if (numbers[i - 1] > numbers[i]) {
            return 0;
        }
    }
    return 1;
}

/* CRC-32 of IEEE 802.3, reflected. */
static void make_crc_table(void) {
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t value = i;
        for (unsigned bit = 0; bit < 8; bit++) {
            value = value >> 1 ^ (value & 1 ? 0xedb88320u : 0);
        }
        crc_table[i] = value;
    }
}

static uint32_t crc(const uint8_t *from, uint32_t size) {
    uint32_t value = ~0u;
    for (uint32_t i = 0; i < size; i++) {
        value = value >> 8 ^ crc_table[(value ^ from[i]) & 0xff];
    }
    return ~value;
}

/* (left x right), whose trace is computed twice, in two orders. */
static uint32_t multiply(uint32_t seed) {
    uint32_t trace = 0, other = 0;
    for (uint32_t i = 0; i < ORDER * ORDER; i++) {
        left[i / ORDER][i % ORDER] = next_random(&seed);
        right[i / ORDER][i % ORDER] = next_random(&seed);
    }
    for (uint32_t i = 0; i < ORDER; i++) {
        for (uint32_t j = 0; j < ORDER; j++) {
            uint32_t sum = 0;
            for (uint32_t k = 0; k < ORDER; k++) {
                sum += left[i][k] * right[k][j];
            }
            product[i][j] = sum;
        }
        trace += product[i][i];
    }
    for (uint32_t k = 0; k < ORDER; k++) {
        for (uint32_t i = 0; i < ORDER; i++) {
            other += right[k][i] * left[i][k];
        }
    }
    return trace == other;
}

int main(void) {
    static const uint8_t check[] = "123456789"; /* its CRC-32 is the algorithm's check value */
    uint32_t rounds;
    uint32_t sum = 0;
    os_init();
    if (!parameter_number("rounds", 160, &rounds)) {
        os_finish(2);
    }
    make_crc_table();
    bool good = crc(check, 9) == 0xcbf43926u;
    if (os_has_probe()) {
        measure_begin(1);
    }
    for (uint32_t round = 0; round < rounds; round++) {
        uint32_t seed = round;
        good &= sort(seed) == 1 && multiply(seed) == 1;
        for (uint32_t i = 0; i < SUMMED; i++) {
            bytes[i] = (uint8_t)next_random(&seed);
        }
        sum ^= crc(bytes, SUMMED);
    }
    if (os_has_probe()) {
        measure_end(1);
    }
    print("COMPUTE rounds=%u sum=%08x good=%u\n", rounds, sum, (unsigned)good);
    os_finish(good ? 0 : 1);
}
