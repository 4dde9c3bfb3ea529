/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A program with 40 MB of static data: whatever else is usually below 32 MB must give way. Its
 * argument is what it fills them with, so that two that run in turn see if they meet. The self-test
 * runs it.
 *
 * With "heap" or "stack" after that it has these come through all the places that 32 MB may have
 * been moved to, where its data below 32 MB must not be found.
 */
#include "os.h"

enum { MEGABYTES = 40, ROUNDS = 3, WORDS = 16, EACH = (1 << 20) / sizeof(unsigned int) };

static unsigned int data[MEGABYTES * EACH];

/* As if the first data had been moved by so many times 32 MB. */
static volatile unsigned int *moved(unsigned int slot) {
    return (volatile unsigned int *)((unsigned long)data + ((unsigned long)slot << 25));
}

/* Where there is room for it: after the rest of the data the heap begins up to 32 MB later. */
enum { FIRST_SLOT = 3, LAST_SLOT = 62 };

static int is_other(unsigned int slot) {
    volatile unsigned int *at = moved(slot);
    int fresh = *at == 0;
    *at = slot;
    return fresh && data[0] == 1;
}

static int all_are_other(void) {
    for (unsigned int slot = FIRST_SLOT; slot <= LAST_SLOT; slot++) {
        if (*moved(slot) != slot) {
            return 0;
        }
    }
    return 1;
}

static int grow_heap(void) {
    data[0] = 1;
    for (unsigned int slot = FIRST_SLOT; slot <= LAST_SLOT; slot++) {
        char *end = (char *)moved(slot) + 4096;
        if (heap_end(end) != end || !is_other(slot)) {
            return 1;
        }
    }
    return !all_are_other();
}

/* As if it called ever more functions, in steps for which there might be memory. */
static int grow_stack(void) {
    enum { STEP = 16 << 20 };
    volatile unsigned int here;
    unsigned long at = (unsigned long)&here - STEP;
    for (; at > (unsigned long)moved(LAST_SLOT + 1); at -= STEP) {
        *(volatile unsigned int *)(at & ~3ul) = 1;
    }
    data[0] = 1;
    for (unsigned int slot = LAST_SLOT; slot >= FIRST_SLOT; slot--) {
        if (!is_other(slot)) {
            return 1;
        }
    }
    return !all_are_other();
}

int main(int argc, char **argv) {
    unsigned int seed = argc >= 2 ? (unsigned int)argv[1][0] : 0;
    unsigned int on_stack[WORDS];
    if (argc == 3) {
        return argv[2][0] == 'h' ? grow_heap() : grow_stack();
    }
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
