/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A program with 40 MB of static data: whatever else is usually below 32 MB must give way. Its
 * argument is what it fills them with, so that two that run in turn see if they meet. The self-test
 * runs it.
 */
#include "os.h"

enum { MEGABYTES = 40, ROUNDS = 3, WORDS = 16, EACH = (1 << 20) / sizeof(unsigned int) };

static unsigned int data[MEGABYTES * EACH];

int main(int argc, char **argv) {
    unsigned int seed = argc == 2 ? (unsigned int)argv[1][0] : 0;
    unsigned int on_stack[WORDS];
    for (unsigned int round = 0; round < ROUNDS; round++) {
        for (unsigned int i = 0; i < MEGABYTES; i++) {
            for (unsigned int word = 0; word < WORDS; word++) {
                data[i * EACH + word] = seed * 1000 + round + i + word;
            }
        }
        for (unsigned int word = 0; word < WORDS; word++) {
            on_stack[word] = seed + round + word;
        }
        sched_yield();
        for (unsigned int i = 0; i < MEGABYTES; i++) {
            for (unsigned int word = 0; word < WORDS; word++) {
                if (data[i * EACH + word] != seed * 1000 + round + i + word) {
                    return 1;
                }
            }
        }
        for (unsigned int word = 0; word < WORDS; word++) {
            if (((volatile unsigned int *)on_stack)[word] != seed + round + word) {
                return 1;
            }
        }
    }
    return 0;
}
