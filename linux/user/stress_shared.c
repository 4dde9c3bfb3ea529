/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Scenes of memory that several processes have: a file mapped at several addresses by several
 * processes that write it, futexes in it, pages lent to a pipe.
 */
#include "stress.h"

#include <linux/uio.h>

enum { PAGES = 4, BYTES = PAGES * PAGE, WORDS = BYTES / sizeof(unsigned int) };

/* What each process has of the file. The model is the same in all: each draws what all do. */
static unsigned int model[WORDS];
static volatile unsigned int *mapped[3];
static int file;

static void map_again(struct random *random, unsigned int which) {
    unsigned long place = 0;
    int only_read = which == 1 && draw(random, 2) == 0;
    if (mapped[which]) {
        EXPECT(munmap((void *)mapped[which], BYTES) == 0);
    }
    /* Sometimes at an address that others may have, too. */
    if (draw(random, 4) == 0) {
        place = 0x50000000 + (which * 4 + draw(random, 3)) * 0x00100000;
    }
    mapped[which] =
        mmap((void *)place, BYTES, PROT_READ | (only_read ? 0 : PROT_WRITE), MAP_SHARED, file, 0);
    EXPECT(mapped[which] != MAP_FAILED);
}

static void write_word(unsigned int way, unsigned int word, unsigned int value) {
    if (way == 0 || way == 2) {
        mapped[way][word] = value;
    } else {
        EXPECT(syscall(__NR_lseek, file, word * 4, SEEK_SET) >= 0);
        EXPECT(write(file, &value, sizeof(value)) == sizeof(value));
    }
    model[word] = value;
}

static void check_word(unsigned int way, unsigned int word) {
    unsigned int value;
    if (way < 3) {
        value = mapped[way][word];
    } else {
        EXPECT(syscall(__NR_lseek, file, word * 4, SEEK_SET) >= 0);
        EXPECT(read(file, &value, sizeof(value)) == sizeof(value));
    }
    if (value != model[word]) {
        printf("  way %u word %u: %x, not %x\n", way, word, value, model[word]);
    }
    EXPECT(value == model[word]);
}

/* The words that are written in a turn; `own` says whether by this process. */
static void write_in_turn(struct random *turn, int own) {
    unsigned int way = draw(turn, 3), count = 1 + draw(turn, 24), first = draw(turn, WORDS);
    unsigned int step = draw(turn, 2) ? 1 : 1 + draw(turn, 64);
    for (unsigned int i = 0; i < count; i++) {
        unsigned int word = (first + i * step) % WORDS;
        unsigned int value = scramble(turn->state + i);
        if (own) {
            write_word(way, word, value);
        } else {
            model[word] = value;
        }
    }
}

static void one_file(struct random *random) {
    enum { TURNS = 120 };
    unsigned int seed = draw(random, 1 << 24), processes = 2 + draw(random, 4), own = 0;
    pid_t children[8];
    struct turns turns;
    file = scratch_file(BYTES, seed);
    fill(model, BYTES, seed);
    turns_make(&turns, processes);
    for (unsigned int i = 1; own == 0 && i < processes; i++) {
        children[i] = forked();
        own = children[i] == 0 ? i : 0;
    }
    /* Who has been forked shares the offset of the file, but only who has the turn uses it. */
    random->state += own;
    fresh(PAGE * (1 + draw(random, 16)), MAP_PRIVATE);
    for (unsigned int i = 0; i < LENGTH(mapped); i++) {
        map_again(random, i);
    }
    for (unsigned int turn = 0, before = 0; turn < TURNS; turn++) {
        struct random of_turn = drawn_from(seed, turn);
        unsigned int whose = draw(&of_turn, processes);
        if (turn != 0 && whose == own && before != own) {
            turn_wait(&turns, own);
        }
        write_in_turn(&of_turn, whose == own);
        for (unsigned int i = 0; whose == own && i < 24; i++) {
            check_word(draw(random, 4), draw(random, WORDS));
        }
        if (whose == own && draw(random, 6) == 0) {
            map_again(random, draw(random, 3));
        }
        if (whose == own && draw(random, 8) == 0) {
            EXPECT(sync_memory((void *)mapped[draw(random, 3)], BYTES) == 0);
        }
        if (whose == own && turn + 1 < TURNS) {
            struct random of_next = drawn_from(seed, turn + 1);
            unsigned int next = draw(&of_next, processes);
            if (next != own) {
                turn_pass(&turns, next);
            }
        }
        before = whose;
    }
    if (own != 0) {
        _exit(0);
    }
    for (unsigned int i = 1; i < processes; i++) {
        EXPECT(ended_well(children[i]));
    }
    for (unsigned int word = 0; word < WORDS; word++) {
        check_word(draw(random, 4), word);
    }
}

/* Two processes take turns by a futex, at one address or at two, and write beside it. */
static void futexes(struct random *random) {
    enum { ROUNDS = 60, PIECE = 256 }; /* in words where it begins, in bytes its length */
    int two = draw(random, 2);
    unsigned int seed = draw(random, 1 << 24);
    int fd = scratch_file(PAGE, seed);
    int own, zero = 0, *words = NULL;
    pid_t child;
    EXPECT(syscall(__NR_lseek, fd, 0, SEEK_SET) == 0 && write(fd, &zero, sizeof(zero)) > 0);
    if (!two) {
        words = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    }
    child = forked();
    own = child == 0;
    if (two) {
        fresh(PAGE * (1 + 3 * own), MAP_PRIVATE);
        words = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    }
    EXPECT(words != MAP_FAILED);
    for (int round = own; round < ROUNDS; round += 2) {
        int now;
        while ((now = *(volatile int *)words) != round) {
            futex_wait(words, now);
        }
        EXPECT(filled(words + PIECE, PIECE, seed + PIECE + round));
        fill(words + PIECE, PIECE, seed + PIECE + round + 1);
        *(volatile int *)words = round + 1;
        futex_wake(words, 2);
    }
    if (own) {
        _exit(0);
    }
    EXPECT(ended_well(child));
}

/* Pages that are dirty in the cache, lent to a pipe: a child reads what is in them. */
static void lent(struct random *random) {
    enum { ROUNDS = 12 };
    unsigned int seed = draw(random, 1 << 24);
    char *page = fresh(PAGE, draw(random, 2) ? MAP_PRIVATE : MAP_SHARED);
    static unsigned int got[PAGE / sizeof(unsigned int)];
    int there[2], back[2];
    char token = 't';
    pid_t child;
    EXPECT(pipe(there) == 0 && pipe(back) == 0);
    child = forked();
    for (int round = 0; round < ROUNDS; round++) {
        size_t bytes = 64 * (1 + draw(random, PAGE / 64));
        if (child == 0) {
            EXPECT(read_all(there[0], got, bytes) == (long)bytes);
            EXPECT(filled(got, bytes, seed + round));
            EXPECT(write(back[1], &token, 1) == 1);
        } else {
            struct iovec vector = {page, bytes};
            fill(page, bytes, seed + round);
            EXPECT(syscall(__NR_vmsplice, there[1], &vector, 1, 0) == (long)bytes);
            EXPECT(read(back[0], &token, 1) == 1);
        }
    }
    if (child == 0) {
        _exit(0);
    }
    EXPECT(ended_well(child));
}

const struct scene shared_scenes[] = {
    {"one-file", one_file, 8},
    {"futexes", futexes, 4},
    {"lent", lent, 2},
    {0},
};
