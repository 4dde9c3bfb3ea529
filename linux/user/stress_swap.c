/* SPDX-License-Identifier: GPL-2.0-only */
/* Scenes of memory that is swapped out, and of swap that is turned off and on. */
#include "stress.h"

enum { PAGES = 24, BYTES = PAGES * PAGE, WORDS = BYTES / sizeof(unsigned int) };

static unsigned int model[WORDS];

static void swap_some(struct random *random, volatile unsigned int *at) {
    unsigned int first = draw(random, PAGES), count = 1 + draw(random, PAGES - first);
    EXPECT(swap_out(at + first * (PAGE / sizeof(*at)), count * PAGE) == 0);
    /* What has become free is written: whoever still used a page that is gone would see it. */
    if (draw(random, 2) == 0) {
        void *pages = fresh(BYTES, MAP_PRIVATE);
        fill(pages, BYTES, random->state);
        EXPECT(munmap(pages, BYTES) == 0);
    }
}

static void check_some(struct random *random, const volatile unsigned int *at) {
    for (unsigned int i = 0; i < 40; i++) {
        unsigned int word = draw(random, WORDS);
        if (at[word] != model[word]) {
            printf("  word %u: %x, not %x\n", word, at[word], model[word]);
        }
        EXPECT(at[word] == model[word]);
    }
}

/* A process alone; now and then a child that has the same pages, on the disk or not, and writes. */
static void swapped(struct random *random) {
    volatile unsigned int *at = fresh(BYTES, MAP_PRIVATE);
    for (unsigned int step = 0; step < 60; step++) {
        unsigned int way = draw(random, 8);
        if (way < 3) {
            for (unsigned int i = 0; i < 30; i++) {
                unsigned int word = draw(random, WORDS);
                at[word] = model[word] = scramble(random->state);
            }
        } else if (way < 6) {
            swap_some(random, at);
        } else if (way == 6) {
            pid_t child = forked();
            if (child == 0) {
                check_some(random, at);
                fill((void *)at, BYTES, step);
                swap_some(random, at);
                EXPECT(filled((void *)at, BYTES, step));
                _exit(0);
            }
            check_some(random, at);
            EXPECT(ended_well(child));
        }
        check_some(random, at);
    }
}

/*
 * Several processes have memory at one address, or each at its own, and write it in turn. All draw
 * who writes what. A page that only one has in its page tables goes, whoever else has used it.
 */
static void swapped_shared(struct random *random) {
    enum { TURNS = 80 };
    unsigned int seed = draw(random, 1 << 24), processes = 2 + draw(random, 3), own = 0;
    int fd = scratch_file(BYTES, seed), alike = draw(random, 4) != 0;
    volatile unsigned int *at = NULL;
    pid_t children[4];
    struct turns turns;
    fill(model, BYTES, seed);
    if (alike) {
        at = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    }
    turns_make(&turns, processes);
    for (unsigned int i = 1; own == 0 && i < processes; i++) {
        children[i] = forked();
        own = children[i] == 0 ? i : 0;
    }
    random->state += own;
    if (!alike) {
        fresh(PAGE * (1 + draw(random, 16)), MAP_PRIVATE);
        at = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    }
    EXPECT(at != MAP_FAILED);
    for (unsigned int turn = 0; turn < TURNS; turn++) {
        struct random of_turn = drawn_from(seed, turn);
        unsigned int writes = draw(&of_turn, 20);
        int mine = turn % processes == own;
        if (mine && turn != 0) {
            turn_wait(&turns, own);
        }
        for (unsigned int i = 0; i < writes; i++) {
            unsigned int word = draw(&of_turn, WORDS);
            model[word] = scramble(of_turn.state);
            if (mine) {
                at[word] = model[word];
            }
        }
        if (mine) {
            check_some(random, at);
            if (draw(random, 2) == 0) {
                swap_some(random, at);
            }
            if (draw(random, 4) == 0) {
                check_some(random, at);
            }
            if (turn + 1 < TURNS) {
                turn_pass(&turns, (turn + 1) % processes);
            }
        }
    }
    if (own != 0) {
        _exit(0);
    }
    for (unsigned int i = 1; i < processes; i++) {
        EXPECT(ended_well(children[i]));
    }
    check_some(random, at);
    EXPECT(munmap((void *)at, BYTES) == 0);
}

/* All that is on the disk, of whichever process, comes back into memory. Another worker may do the
 * same at the same time. */
static void off_and_on(struct random *random) {
    volatile unsigned int *at = fresh(BYTES, MAP_PRIVATE);
    fill((void *)at, BYTES, draw(random, 1 << 24));
    memcpy(model, (const void *)at, BYTES);
    swap_some(random, at);
    swap_off();
    check_some(random, at);
    swap_some(random, at);
    swap_on();
    check_some(random, at);
}

const struct scene swap_scenes[] = {
    {"swapped", swapped, 3},
    {"swapped-shared", swapped_shared, 4},
    {"swap-off-and-on", off_and_on, 1},
    {0},
};
