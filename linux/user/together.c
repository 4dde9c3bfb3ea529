/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory that several processes have at one address: they may have it in caches and TLBs together,
 * and what one of them gives up is gone for it alone, also where another has touched it.
 */
#include "test.h"

/* 2 MB is what one entry of Linux' page directory covers: two of the processor's. */
enum { BLOCK = 0x00200000, BYTES = 12 * PAGE };
/* In one block, and across two. */
static const unsigned long FIRST = 0x94000000, LAST_OF_BLOCK = 0x941fc000;

static char *shared_at(unsigned long at, int fd, size_t bytes) {
    int flags = MAP_SHARED | MAP_FIXED | (fd < 0 ? MAP_ANONYMOUS : 0);
    char *found = mmap((void *)at, bytes, PROT_READ | PROT_WRITE, flags, fd, 0);
    EXPECT(found == (char *)at);
    return found;
}

/* Written by each in its turn, and read by the next. */
static void written_in_turn(int count, int rounds, int places, size_t bytes) {
    struct ring ring;
    ring_make(&ring, count);
    for (int round = 0; round < rounds; round++) {
        int turn = round * count + ring.own;
        if (turn != 0) {
            ring_wait(&ring);
        }
        for (int place = 0; place < places; place++) {
            char *at = (char *)LAST_OF_BLOCK + 2 * place * BLOCK;
            if (turn != 0) {
                EXPECT(filled(at, bytes, 100 * place + turn));
            }
            fill(at, bytes, 100 * place + turn + 1);
        }
        ring_pass(&ring);
    }
    ring_finish(&ring);
}

static void few(void) {
    shared_at(LAST_OF_BLOCK, -1, BYTES);
    written_in_turn(3, 10, 1, BYTES);
}

static void many(void) {
    shared_at(LAST_OF_BLOCK, -1, BYTES);
    written_in_turn(20, 3, 1, BYTES);
}

/* More than a processor has tags for, in few and in many processes. */
static void many_places(void) {
    enum { PLACES = 10 };
    for (int place = 0; place < PLACES; place++) {
        shared_at(LAST_OF_BLOCK + 2ul * place * BLOCK, -1, 2 * PAGE);
    }
    written_in_turn(3, 6, PLACES, 2 * PAGE);
    written_in_turn(20, 2, PLACES, 2 * PAGE);
}

/*
 * Three have the same there, one has private memory, one has other memory that is shared; no more
 * of it than stays in a cache while the kernel runs.
 */
static void strangers(void) {
    enum { FEW = 512 };
    struct ring ring;
    char *at = shared_at(FIRST, -1, BYTES);
    ring_make(&ring, 5);
    if (ring.own == 2) {
        at =
            mmap(at, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
        EXPECT(at == (char *)FIRST);
    } else if (ring.own == 4) {
        shared_at(FIRST, -1, BYTES);
    }
    for (int round = 0; round < 5; round++) {
        static const int order[] = {0, 1, 0, 2, 0};
        int alone = ring.own == 2 || ring.own == 4;
        int turn = alone ? 100 * ring.own + round : 3 * round + order[ring.own];
        if (ring.own != 0 || round != 0) {
            ring_wait(&ring);
        }
        if (alone && round == 0) {
            EXPECT(*at == 0);
        } else if (turn != 0) {
            EXPECT(filled(at, FEW, turn));
        }
        fill(at, FEW, turn + 1);
        ring_pass(&ring);
    }
    ring_finish(&ring);
}

enum gone { UNMAPPED, NO_ACCESS, ONLY_READ, REPLACED, MOVED, WAYS };

static void give_up(char *at, enum gone way) {
    switch (way) {
    case UNMAPPED:
        EXPECT(munmap(at, BYTES) == 0);
        break;
    case NO_ACCESS:
        EXPECT(protect(at, BYTES, PROT_NONE) == 0);
        break;
    case ONLY_READ:
        EXPECT(protect(at, BYTES, PROT_READ) == 0);
        EXPECT(filled(at, BYTES, 3));
        break;
    case REPLACED:
        EXPECT(mmap(at, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
                    0) == at);
        EXPECT(at[PAGE] == 0);
        at[PAGE] = 1;
        EXPECT(munmap(at, BYTES) == 0);
        break;
    default:
        EXPECT(remap(at, BYTES, BYTES, 3 /* may move, fixed */, at + 4 * BLOCK) == at + 4 * BLOCK);
        EXPECT(filled(at + 4 * BLOCK, BYTES, 3));
        break;
    }
}

/*
 * The second touches only the first page, then the first one all; then the second can reach the
 * others, too, until it gives them up; also if the first one touches them again.
 */
static void given_up(void) {
    for (int way = UNMAPPED; way < WAYS; way++) {
        char *at = shared_at(FIRST, -1, BYTES);
        struct ring ring;
        int status;
        fill(at, BYTES, 1);
        ring_make(&ring, 2);
        if (ring.own == 1) {
            ring_wait(&ring);
            *(volatile char *)at = 1; /* a read could bring in what is around, too */
            ring_pass(&ring);
            ring_wait(&ring);
            EXPECT(filled(at, BYTES, 2));
            fill(at, BYTES, 3);
            give_up(at, way);
            ring_pass(&ring);
            ring_wait(&ring);
            *(volatile char *)(at + PAGE) = 7; /* the last thing that it does */
            fail(__FILE__, __LINE__, "an end by a signal");
        }
        ring_pass(&ring);
        ring_wait(&ring);
        fill(at, BYTES, 2);
        ring_pass(&ring);
        ring_wait(&ring);
        EXPECT(filled(at, BYTES, 3));
        fill(at, BYTES, 4);
        ring_pass(&ring);
        EXPECT(wait(&status) > 0 && ended_by(status) == SIGSEGV);
        EXPECT(filled(at, BYTES, 4));
        close(ring.in);
        close(ring.out);
    }
}

/* One that has it elsewhere, too, and calls that read and write the file. */
static void elsewhere(void) {
    static unsigned int copy[BYTES / sizeof(unsigned int)];
    enum { COUNT = 3, ROUNDS = 9 };
    int fd = scratch_file(BYTES, 0);
    char *at = shared_at(FIRST, fd, BYTES), *other = NULL;
    struct ring ring;
    ring_make(&ring, COUNT);
    for (int round = 0; round < ROUNDS; round++) {
        int turn = round * COUNT + ring.own;
        if (turn != 0) {
            ring_wait(&ring);
        }
        /* Not from the start, not by all, not until the end. */
        if (ring.own == 1 && round % 4 == 2) {
            other = shared_at(FIRST + 4 * BLOCK, fd, BYTES);
        } else if (ring.own == 1 && round % 4 == 0 && other) {
            EXPECT(munmap(other, BYTES) == 0);
            other = NULL;
        }
        EXPECT(filled(at, BYTES, turn));
        EXPECT(!other || filled(other, BYTES, turn));
        EXPECT(lseek(fd, 0, SEEK_SET) == 0 && read_all(fd, copy, BYTES) == BYTES);
        EXPECT(filled(copy, BYTES, turn));
        if (turn % 2 == 0) {
            fill(other ? other : at, BYTES, turn + 1);
        } else {
            fill(copy, BYTES, turn + 1);
            EXPECT(lseek(fd, 0, SEEK_SET) == 0 && write_all(fd, copy, BYTES) == BYTES);
        }
        ring_pass(&ring);
    }
    ring_finish(&ring);
}

/*
 * Two have it at one address, and so little of it that what they write stays in the cache. The
 * second maps it elsewhere, or moves what it has, and uses pages of it in turn with the first:
 * pages that are there for both (a third would fault, and so find them out), for one of them, or
 * for nobody yet.
 */
static void used_elsewhere(int moves) {
    enum { LITTLE = 256, PAGES = BYTES / PAGE };
    int fd = scratch_file(BYTES, 0);
    char *at = shared_at(FIRST, fd, BYTES), *own = at;
    struct ring ring;
    for (int page = 0; page < PAGES; page += 2) {
        (void)*(volatile char *)(at + page * PAGE);
    }
    ring_make(&ring, 2);
    for (int page = 0; page < PAGES; page++) {
        if (page != 0 || ring.own != 0) {
            ring_wait(&ring);
        }
        if (ring.own == 1 && page == 2) {
            own = moves ? remap(at, BYTES, BYTES, 3 /* may move, fixed */, at + 4 * BLOCK)
                        : shared_at(FIRST + 4 * BLOCK, fd, BYTES);
            EXPECT(own == at + 4 * BLOCK);
        }
        for (int old = page > 2 ? page - 3 : 0; old <= page; old++) {
            char *words = own + old * PAGE;
            int turn = 2 * (page - old) + ring.own; /* for this page */
            if (turn != 0) {
                EXPECT(filled(words, LITTLE, 100 * old + turn));
            }
            fill(words, LITTLE, 100 * old + turn + 1);
        }
        ring_pass(&ring);
    }
    ring_finish(&ring);
}

static void mapped_elsewhere(void) {
    used_elsewhere(0);
}

static void moved_elsewhere(void) {
    used_elsewhere(1);
}

/*
 * The third has the file elsewhere, and is the first to use each page of it but one. The first two
 * have that one at the same address already, so that they find each other when they use the rest.
 */
static void third_elsewhere(void) {
    enum { COUNT = 3, LITTLE = 256, PAGES = BYTES / PAGE };
    int fd = scratch_file(0, 0);
    struct ring ring;
    char *at, *own;
    EXPECT(truncate_to(fd, BYTES) == 0);
    own = at = shared_at(FIRST, fd, BYTES);
    ring_make(&ring, COUNT);
    if (ring.own == 2) {
        EXPECT(munmap(at, BYTES) == 0);
        own = shared_at(FIRST + 4 * BLOCK, fd, BYTES);
    }
    for (int page = 0; page < PAGES; page++) {
        /* The third writes a new page, the others read it: each in the ring's order. */
        char *words = own + page * PAGE;
        if (page != 0 || ring.own != 0) {
            ring_wait(&ring);
        }
        if (ring.own != 2 && page > 1) {
            EXPECT(filled(words - PAGE, LITTLE, 10 * page + ring.own));
            fill(words - PAGE, LITTLE, 10 * page + ring.own + 1);
        } else if (ring.own != 2 && page == 0) {
            fill(words, LITTLE, ring.own);
        } else if (ring.own == 2 && page > 0) {
            EXPECT(page == 1 || filled(words - PAGE, LITTLE, 10 * page + 2));
            fill(words, LITTLE, 10 * (page + 1));
        }
        ring_pass(&ring);
    }
    ring_finish(&ring);
}

/*
 * The third only reads the file, in a private mapping elsewhere, which sees what is written as long
 * as it writes nothing itself. It is the first to use one page, and uses another after those that
 * write; it comes when these have found that nobody has the file elsewhere.
 */
static void read_elsewhere(void) {
    /* Further from each other than what a fault that reads maps at once. */
    enum { LITTLE = 256, NEAR = 20, FAR = 40, PAGES = 44, ROUNDS = 4 };
    static unsigned int nothing[LITTLE / sizeof(unsigned int)];
    int fd = scratch_file(0, 0);
    struct ring ring;
    char *at;
    EXPECT(truncate_to(fd, PAGES * PAGE) == 0);
    at = shared_at(FIRST, fd, PAGES * PAGE);
    ring_make(&ring, 3);
    for (int round = 0; round < ROUNDS; round++) {
        int turn = 2 * round + ring.own, fresh = ring.own == 0 && round < 3;
        char *first = at + (round < 2 ? round : NEAR) * PAGE, *second = at + FAR * PAGE;
        if (round != 0 || ring.own != 0) {
            ring_wait(&ring);
        }
        if (ring.own == 2 && round == 0) {
            EXPECT(munmap(at, PAGES * PAGE) == 0);
        } else if (ring.own == 2 && round == 1) {
            at = mmap((char *)FIRST + 4 * BLOCK, PAGES * PAGE, PROT_READ, MAP_PRIVATE | MAP_FIXED,
                      fd, 0);
            EXPECT(at == (char *)FIRST + 4 * BLOCK);
            EXPECT(memcmp(at + NEAR * PAGE, nothing, LITTLE) == 0);
        } else {
            /* Read first: a line is taken for that alone. */
            EXPECT(fresh || filled(first, LITTLE, turn));
            EXPECT(turn == 0 || filled(second, LITTLE, turn));
        }
        if (ring.own != 2) {
            fill(first, LITTLE, turn + 1);
            fill(second, LITTLE, turn + 1);
        }
        ring_pass(&ring);
    }
    ring_finish(&ring);
}

/*
 * Both have the file at one address, the second elsewhere as well: there it is the first to use
 * each page but one, and it reads half of them at the first address then. That they have this
 * address together says nothing of the other.
 */
static void twice(void) {
    enum { LITTLE = 256, PAGES = 6 };
    static unsigned int nothing[LITTLE / sizeof(unsigned int)];
    int fd = scratch_file(0, 0);
    struct ring ring;
    char *at, *other = NULL;
    EXPECT(truncate_to(fd, PAGES * PAGE) == 0);
    at = shared_at(FIRST, fd, PAGES * PAGE);
    ring_make(&ring, 2);
    for (int page = 0; page < PAGES; page++) {
        char *words = (ring.own == 0 || page % 2 == 0 ? at : other) + page * PAGE;
        if (page != 0 || ring.own != 0) {
            ring_wait(&ring);
        }
        EXPECT((page == 0 && ring.own == 0) || filled(words, LITTLE, 2 * page + ring.own));
        fill(words, LITTLE, 2 * page + ring.own + 1);
        if (ring.own == 1 && page == 0) {
            other = shared_at(FIRST + 4 * BLOCK, fd, PAGES * PAGE);
        }
        if (ring.own == 1 && page + 1 < PAGES) {
            words = other + (page + 1) * PAGE;
            EXPECT(memcmp(words, nothing, LITTLE) == 0);
            fill(words, LITTLE, 2 * page + 2);
        }
        ring_pass(&ring);
    }
    ring_finish(&ring);
}

/*
 * Two share what ends with a block. What one of them maps after it is of the same file, so that
 * both are one mapping, which goes as a whole: also what was written in the other block.
 */
static void grown(void) {
    enum { HALF = 4 * PAGE, LITTLE = 256 };
    static unsigned int copy[LITTLE / sizeof(unsigned int)];
    int fd = scratch_file(0, 0);
    char *at, *more;
    struct ring ring;
    EXPECT(truncate_to(fd, 2ul * HALF) == 0);
    at = shared_at(LAST_OF_BLOCK, fd, HALF);
    more = at + HALF;
    ring_make(&ring, 2);
    if (ring.own == 1) {
        ring_wait(&ring);
        EXPECT(filled(at, LITTLE, 1));
        fill(at, LITTLE, 2);
        ring_pass(&ring);
        ring_wait(&ring); /* It has its part to the end. */
        ring_end(&ring);
    }
    fill(at, LITTLE, 1);
    ring_pass(&ring);
    ring_wait(&ring);
    EXPECT(filled(at, LITTLE, 2));
    EXPECT(mmap(more, HALF, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, HALF) == more);
    /* Read first, so that what is written stays in the cache. */
    for (int word = 0; word < LITTLE; word += (int)sizeof(int)) {
        EXPECT(*(volatile int *)(more + word) == 0);
    }
    fill(more, LITTLE, 3);
    EXPECT(munmap(at, 2ul * HALF) == 0);
    EXPECT(lseek(fd, HALF, SEEK_SET) == HALF && read_all(fd, copy, LITTLE) == LITTLE);
    EXPECT(filled(copy, LITTLE, 3));
    ring_pass(&ring);
    ring_end(&ring);
}

/* At one address below 32 MB, which is another one to the processor in each. */
static void below(void) {
    enum { LITTLE = 256 };
    struct ring ring;
    char *at = shared_at(0x01400000, -1, BYTES);
    ring_make(&ring, 3);
    for (int round = 0; round < 8; round++) {
        int turn = 3 * round + ring.own;
        if (turn != 0) {
            ring_wait(&ring);
            EXPECT(filled(at, LITTLE, turn));
        }
        fill(at, LITTLE, turn + 1);
        ring_pass(&ring);
    }
    ring_finish(&ring);
}

/* Pages that the file loses are gone for all, and come back as zeros. */
static void cut_off(void) {
    int fd = scratch_file(BYTES, 0);
    char *at = shared_at(FIRST, fd, BYTES);
    struct ring ring;
    ring_make(&ring, 3);
    for (int round = 0; round < 6; round++) {
        int turn = 3 * round + ring.own;
        if (turn != 0) {
            ring_wait(&ring);
            EXPECT(filled(at + PAGE, BYTES - PAGE, turn));
        }
        if (ring.own == round % 3) {
            EXPECT(truncate_to(fd, PAGE) == 0 && truncate_to(fd, BYTES) == 0);
            for (int page = 1; page < BYTES / PAGE; page++) {
                EXPECT(at[page * PAGE] == 0);
            }
        }
        fill(at + PAGE, BYTES - PAGE, turn + 1);
        ring_pass(&ring);
    }
    ring_finish(&ring);
}

/* A private page beside it for a while; and a process that writes and ends. */
static void neighbours(void) {
    char *at = shared_at(FIRST, -1, BYTES), *beside = at + BYTES + 16 * PAGE;
    struct ring ring;
    pid_t child;
    ring_make(&ring, 4);
    for (int round = 0; round < 6; round++) {
        int turn = 4 * round + ring.own;
        if (turn != 0) {
            ring_wait(&ring);
            EXPECT(filled(at, BYTES, turn));
        }
        if (ring.own % 2 == 1 && round == 2) {
            EXPECT(mmap(beside, PAGE, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == beside);
        }
        if (ring.own % 2 == 1 && round >= 2 && round < 5) {
            EXPECT(round == 2 || filled(beside, PAGE, turn - 4));
            fill(beside, PAGE, turn);
        }
        if (ring.own % 2 == 1 && round == 5) {
            EXPECT(munmap(beside, PAGE) == 0);
        }
        child = ring.own == 2 ? fork() : 1;
        EXPECT(child >= 0);
        if (child == 0 || ring.own != 2) {
            fill(at, BYTES, turn + 1);
        }
        if (child == 0) {
            _exit(0);
        }
        EXPECT(ring.own != 2 || ended_well(child));
        ring_pass(&ring);
    }
    ring_finish(&ring);
}

/* So little that its lines outlast a system call: what comes in its place is empty. */
static void replaced(void) {
    enum { LITTLE = 512, ROUNDS = 10 };
    for (int round = 0; round < ROUNDS; round++) {
        char *at = shared_at(FIRST, -1, PAGE);
        struct ring ring;
        ring_make(&ring, 2);
        if (ring.own == 1) {
            ring_wait(&ring);
            EXPECT(filled(at, LITTLE, round));
            fill(at, LITTLE, round + 1);
            EXPECT(mmap(at, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
                        -1, 0) == at);
            for (int word = 0; word < LITTLE; word += (int)sizeof(int)) {
                EXPECT(*(volatile int *)(at + word) == 0);
            }
        } else {
            fill(at, LITTLE, round);
        }
        ring_pass(&ring);
        if (ring.own == 0) {
            ring_wait(&ring);
            EXPECT(filled(at, LITTLE, round + 1));
            close(ring.in);
            close(ring.out);
        }
        ring_end(&ring);
    }
}

/* Pairs of processes: each pair has memory of its own, at an address that all of them use. */
static void pairs(void) {
    enum { PAIRS = 40, ROUNDS = 3, LITTLE = 64 };
    struct ring all, pair;
    char *at;
    ring_make(&all, PAIRS);
    at = shared_at(FIRST, -1, PAGE);
    ring_make(&pair, 2);
    for (int round = 0; round < ROUNDS; round++) {
        unsigned int seed = 100 * all.own + 10 * round;
        if (pair.own == 1) {
            ring_wait(&pair);
            EXPECT(filled(at, LITTLE, seed));
            fill(at, LITTLE, seed + 1);
            ring_pass(&pair);
            continue;
        }
        if (all.own != 0 || round != 0) {
            ring_wait(&all);
        }
        EXPECT(round == 0 ? *at == 0 : filled(at, LITTLE, seed - 9));
        fill(at, LITTLE, seed);
        ring_pass(&pair);
        ring_wait(&pair);
        EXPECT(filled(at, LITTLE, seed + 1));
        ring_pass(&all);
    }
    ring_end(&pair);
    ring_finish(&all);
}

/* Two can write it; two can only read it, though they have it at the same address. */
static void only_read(void) {
    int fd = scratch_file(PAGE, 0), probe[2];
    struct ring ring;
    char *at;
    EXPECT(pipe(probe) == 0 && write(probe[1], "t", 1) == 1);
    ring_make(&ring, 4);
    at = mmap((void *)FIRST, PAGE, ring.own < 2 ? PROT_READ | PROT_WRITE : PROT_READ,
              MAP_SHARED | MAP_FIXED, fd, 0);
    EXPECT(at == (char *)FIRST);
    for (int round = 0; round < 5; round++) {
        int written = 2 * round + (ring.own < 2 ? ring.own : 2);
        if (ring.own != 0 || round != 0) {
            ring_wait(&ring);
        }
        EXPECT(filled(at, PAGE, written));
        if (ring.own < 2) {
            fill(at, PAGE, written + 1);
        } else {
            /* The kernel writes there as the program would. */
            EXPECT(read(probe[0], at, 1) == -1 && errno == EFAULT);
        }
        ring_pass(&ring);
    }
    ring_finish(&ring);
}

/* More than a processor's tags are worth to be had for; there is little in it. */
static void much(void) {
    enum { STEP = 8 << 20, STEPS = 32, LITTLE = 64 };
    int fd = scratch_file(0, 0);
    char *at;
    struct ring ring;
    EXPECT(truncate_to(fd, (long)STEPS * STEP) == 0);
    at = shared_at(FIRST, fd, (size_t)STEPS * STEP);
    ring_make(&ring, 2);
    for (int round = 0; round < 3; round++) {
        int turn = 2 * round + ring.own;
        if (turn != 0) {
            ring_wait(&ring);
        }
        for (int step = 0; step < STEPS; step++) {
            EXPECT(turn == 0 || filled(at + step * STEP, LITTLE, turn + step));
            fill(at + step * STEP, LITTLE, turn + step + 1);
        }
        ring_pass(&ring);
    }
    ring_finish(&ring);
}

/*
 * The kernel's memory for messages may be its memory for page tables next: nothing of a message,
 * though it looks like the way to a page, is taken for one. Before, the two collide elsewhere, so
 * that there is no reason to flush the caches when they come to share this.
 */
static void messages(void) {
    enum { PAGES = 128, STEP = 8, WORDS = 350, ROUNDS = 2 };
    static unsigned int message[WORDS];
    volatile char *apart = fresh(PAGE, MAP_PRIVATE);
    for (int round = 0; round < ROUNDS; round++) {
        char *at = shared_at(FIRST, -1, PAGES * PAGE);
        struct ring ring;
        int ends[2];
        EXPECT(socket_pair(1 /* AF_UNIX */, 1 /* SOCK_STREAM */, ends) == 0);
        ring_make(&ring, 2);
        if (ring.own == 0) {
            *apart = 1;
            *(volatile char *)at = 1;
        } else {
            ring_wait(&ring);
            for (int word = 0; word < WORDS; word++) {
                message[word] = 0xc0400ffe; /* a small page, cached, for all */
            }
            *apart = 2;
            EXPECT(write_all(ends[0], message, sizeof(message)) == sizeof(message));
            EXPECT(read_all(ends[1], message, sizeof(message)) == sizeof(message));
            EXPECT(*(volatile char *)at == 1);
            for (int page = STEP; page < PAGES; page += STEP) {
                EXPECT(*(volatile int *)(at + page * PAGE) == 0);
            }
        }
        ring_pass(&ring);
        ring_finish(&ring);
        close(ring.in);
        close(ring.out);
        close(ends[0]);
        close(ends[1]);
    }
}

const struct test together_tests[] = {
    {"memory at one address in a few processes", few},
    {"memory at one address in many processes", many},
    {"memory at many addresses, each in all processes", many_places},
    {"other memory at the address of shared memory", strangers},
    {"shared memory that one gives up", given_up},
    {"shared memory at one address and another", elsewhere},
    {"shared memory that one maps elsewhere", mapped_elsewhere},
    {"shared memory that one moves", moved_elsewhere},
    {"shared memory that a third has elsewhere", third_elsewhere},
    {"shared memory that a third only reads elsewhere", read_elsewhere},
    {"shared memory that one has twice", twice},
    {"shared memory that grew into a block", grown},
    {"shared memory at one low address", below},
    {"shared memory that is cut off", cut_off},
    {"shared memory with a neighbour", neighbours},
    {"little shared memory that is replaced", replaced},
    {"pairs that share memory at one address", pairs},
    {"shared memory that some only read", only_read},
    {"much shared memory", much},
    {"shared memory after messages", messages},
    {0},
};
