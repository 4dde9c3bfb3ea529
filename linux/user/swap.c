/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory that is swapped out: what was written is in the caches, at an address of the program's,
 * when the kernel takes the page away, and comes back in another page.
 */
#include "test.h"

enum { PAGES = 16, BYTES = PAGES * PAGE };

/* Writes what has become free: whoever still used a page that is gone would see it. */
static void use_free_pages(unsigned int seed) {
    void *pages = fresh(4 * BYTES, MAP_PRIVATE);
    fill(pages, 4 * BYTES, ~seed);
    EXPECT(munmap(pages, 4 * BYTES) == 0);
}

/* The pages, which are the caller's alone and differ from what is on the disk. */
static void out(unsigned int *at) {
    static const char STAT[] = "/proc/vmstat", OUT[] = "pswpout";
    unsigned long before = number_in(STAT, OUT);
    EXPECT(swap_out(at, BYTES) == 0);
    EXPECT(number_in(STAT, OUT) >= before + PAGES);
    use_free_pages(before);
}

static void private_memory(void) {
    unsigned int *at = fresh(BYTES, MAP_PRIVATE);
    EXPECT(swap_make() == 0);
    for (unsigned int round = 0; round < 10; round++) {
        fill(at, BYTES, round);
        out(at);
        EXPECT(filled(at, BYTES, round));
        /* Clean now, and the same on the disk. */
        EXPECT(swap_out(at, BYTES) == 0);
        EXPECT(filled(at, BYTES, round));
    }
    fill(at, BYTES, 99);
    out(at);
    EXPECT(swap_off() == 0);
    EXPECT(filled(at, BYTES, 99));
}

/* A child has the parent's pages on the disk, and writes its own. */
static void after_fork(void) {
    unsigned int *at = fresh(BYTES, MAP_PRIVATE);
    EXPECT(swap_make() == 0);
    for (unsigned int round = 0; round < 5; round++) {
        pid_t child;
        fill(at, BYTES, round);
        out(at);
        child = fork();
        EXPECT(child >= 0);
        if (child == 0) {
            EXPECT(filled(at, BYTES, round));
            fill(at, BYTES, 100 + round);
            EXPECT(swap_out(at, BYTES) == 0);
            EXPECT(filled(at, BYTES, 100 + round));
            _exit(0);
        }
        EXPECT(ended_well(child));
        EXPECT(filled(at, BYTES, round));
    }
    EXPECT(swap_off() == 0);
}

/*
 * In turn: what the other wrote is read and written at one address, by way of what the other has
 * there or by a fault of its own, and swapped out. The pages that only the other has in its page
 * tables go with it.
 */
static void shared_memory(void) {
    unsigned int *at = fresh(BYTES, MAP_SHARED);
    struct ring ring;
    EXPECT(swap_make() == 0);
    ring_make(&ring, 2);
    for (int round = 0; round < 20; round++) {
        unsigned int seed = 2 * round + ring.own;
        if (ring.own != 0 || round != 0) {
            ring_wait(&ring);
        }
        EXPECT(seed == 0 || filled(at, BYTES, seed - 1));
        fill(at, BYTES, seed);
        if (round % 3 != 2) {
            EXPECT(swap_out(at, BYTES) == 0);
            use_free_pages(seed);
        }
        if (round % 5 == 4) {
            EXPECT(filled(at, BYTES, seed));
        }
        ring_pass(&ring);
    }
    ring_finish(&ring);
    out(at);
    EXPECT(filled(at, BYTES, 39));
    EXPECT(swap_off() == 0);
}

const struct test swap_tests[] = {
    {"memory that is swapped out", private_memory},
    {"fork with memory that is swapped out", after_fork},
    {"shared memory that is swapped out", shared_memory},
    {0},
};
