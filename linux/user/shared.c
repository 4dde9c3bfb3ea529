/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared memory: between processes, and at two addresses of one. */
#include "test.h"
#include "threads.h"

enum { BYTES = 8 * PAGE };

static char *map_shared(int fd) {
    char *pages = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    EXPECT(pages != MAP_FAILED);
    return pages;
}

/* Parent and child write in turn, each at addresses of its own, and read what the other wrote. */
static void in_turn(char *parents, char *childs) {
    int there[2], back[2];
    char token = 't';
    pid_t child;
    EXPECT(pipe(there) == 0 && pipe(back) == 0);
    child = fork();
    EXPECT(child >= 0);
    for (int i = 0; i < 20; i++) {
        if (child == 0) {
            EXPECT(read(there[0], &token, 1) == 1);
            EXPECT(filled(childs, BYTES, 2 * i));
            fill(childs, BYTES, 2 * i + 1);
            EXPECT(write(back[1], &token, 1) == 1);
        } else {
            fill(parents, BYTES, 2 * i);
            EXPECT(write(there[1], &token, 1) == 1);
            EXPECT(read(back[0], &token, 1) == 1);
            EXPECT(filled(parents, BYTES, 2 * i + 1));
        }
    }
    if (child == 0) {
        _exit(0);
    }
    EXPECT(ended_well(child));
}

static void anonymous(void) {
    char *pages = fresh(BYTES, MAP_SHARED);
    in_turn(pages, pages);
}

static void shared_file(void) {
    static unsigned int copy[BYTES / sizeof(unsigned int)];
    int fd = scratch_file(BYTES, 51);
    char *pages = map_shared(fd);
    EXPECT(filled(pages, BYTES, 51));
    fill(pages, BYTES, 52);
    EXPECT(lseek(fd, 0, SEEK_SET) == 0 && read_all(fd, copy, BYTES) == BYTES);
    EXPECT(filled(copy, BYTES, 52));
    fill(copy, BYTES, 53);
    EXPECT(lseek(fd, 0, SEEK_SET) == 0 && write_all(fd, copy, BYTES) == BYTES);
    EXPECT(filled(pages, BYTES, 53));
    EXPECT(sync_memory(pages, BYTES) == 0);
    in_turn(pages, map_shared(fd));
}

/* Is the thread's to the end: its program ends with it. */
static void use_across(struct thread *thread) {
    enum { LITTLE = 256 };
    static unsigned int copy[LITTLE / sizeof(unsigned int)];
    int fd = (int)thread->seed;
    char *at = (char *)(32ul << 20) - PAGE;
    int good = mmap(at, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) == at;
    for (char *side = at; good && side < at + 2 * PAGE; side += PAGE) {
        /* Read first, so that what is written stays in the cache. */
        for (int word = 0; word < LITTLE; word += (int)sizeof(int)) {
            good &= *(volatile int *)(side + word) == 0;
        }
        fill(side, LITTLE, (unsigned long)side / PAGE);
    }
    good = good && munmap(at, 2 * PAGE) == 0;
    for (char *side = at; good && side < at + 2 * PAGE; side += PAGE) {
        good = lseek(fd, side - at, SEEK_SET) == side - at && read_all(fd, copy, LITTLE) == LITTLE;
        good = good && filled(copy, LITTLE, (unsigned long)side / PAGE);
    }
    syscall(__NR_exit_group, good ? 0 : 1);
}

/*
 * One mapping on both sides of 32 MB, below which the processor has addresses of its own for the
 * program's. The stack ends there: so by a thread with another one.
 */
static void across(void) {
    static struct thread thread;
    int fd = scratch_file(0, 0);
    pid_t child;
    EXPECT(truncate_to(fd, 2l * PAGE) == 0);
    child = fork();
    EXPECT(child >= 0);
    if (child == 0) {
        thread.seed = fd;
        EXPECT(thread_begin(&thread, use_across));
        thread_wait(&thread);
    }
    EXPECT(ended_well(child));
}

/* So little that all of it may still be in the cache, and at one address only. */
static void little_of_a_file(void) {
    enum { LITTLE = 256 };
    static unsigned int copy[LITTLE / sizeof(unsigned int)];
    int fd = scratch_file(PAGE, 0);
    void *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    EXPECT(page != MAP_FAILED);
    for (unsigned int i = 0; i < 20; i += 2) {
        fill(page, LITTLE, i);
        EXPECT(lseek(fd, 0, SEEK_SET) == 0 && read_all(fd, copy, LITTLE) == LITTLE);
        EXPECT(filled(copy, LITTLE, i));
        fill(copy, LITTLE, i + 1);
        EXPECT(lseek(fd, 0, SEEK_SET) == 0 && write_all(fd, copy, LITTLE) == LITTLE);
        EXPECT(filled(page, LITTLE, i + 1));
    }
}

/* Two have it mapped and write so little of it in turn: at `at`, or each at an address of its own.
 */
static void little_by_two(void *at) {
    enum { LITTLE = 256, ROUNDS = 12 };
    int fd = scratch_file(PAGE, 0);
    int fixed = at ? MAP_FIXED : 0;
    struct ring ring;
    char *page;
    ring_make(&ring, 2);
    fresh(PAGE * (1 + ring.own), MAP_PRIVATE);
    page = mmap(at, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | fixed, fd, 0);
    EXPECT(page != MAP_FAILED && (!at || page == at));
    for (int turn = ring.own; turn < ROUNDS; turn += 2) {
        if (turn != 0) {
            ring_wait(&ring);
        }
        EXPECT(filled(page, LITTLE, turn));
        fill(page, LITTLE, turn + 1);
        ring_pass(&ring);
    }
    ring_finish(&ring);
}

static void at_two_addresses(void) {
    little_by_two(NULL);
}

/* Between heap and stack. Where the processor moves addresses below 32 MB, these are two places. */
static void at_one_low_address(void) {
    little_by_two((void *)0x01400000);
}

/* Where one has it mapped, the other has something else: it must not be mapped over that. */
static void where_another_has_it(void) {
    enum { FILE_PAGES = 4, OWN = 0x5ec7e7 };
    int fd = scratch_file(FILE_PAGES * PAGE, 71), found[2];
    struct ring ring;
    char *pages, *others = NULL;
    unsigned int *own = NULL;
    EXPECT(pipe(found) == 0);
    ring_make(&ring, 2);
    if (ring.own == 0) {
        pages = mmap(NULL, FILE_PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        EXPECT(write(found[1], &pages, sizeof(pages)) == sizeof(pages));
        ring_pass(&ring);
        ring_wait(&ring);
    } else {
        ring_wait(&ring);
        EXPECT(read(found[0], &others, sizeof(others)) == sizeof(others));
        own = mmap(others + PAGE, PAGE, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
        EXPECT((char *)own == others + PAGE);
        *own = OWN;
        pages = mmap(NULL, FILE_PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    }
    EXPECT(pages != MAP_FAILED && filled(pages, FILE_PAGES * PAGE, 71));
    EXPECT(!own || *own == OWN);
    if (ring.own != 0) {
        ring_pass(&ring);
    }
    ring_end(&ring);
}

/*
 * Some have mapped a file privately and only read; another writes it, where it has it mapped or by
 * write(). What the readers have never written, they see change. They have it where the kernel
 * likes, or from `at` on each at an address of its own, that does not collide with the others'.
 */
static void read_by_private(int readers, unsigned long at, int writer_maps) {
    enum { LITTLE = 256, ROUNDS = 12 };
    static unsigned int copy[LITTLE / sizeof(unsigned int)];
    int fd = scratch_file(PAGE, 0);
    char *page = NULL;
    struct ring ring;
    ring_make(&ring, readers + 1);
    if (ring.own < readers) {
        page = mmap((void *)(at ? at + 0x00400000ul * ring.own : 0), PAGE, PROT_READ,
                    MAP_PRIVATE | (at ? MAP_FIXED : 0), fd, 0);
    } else if (writer_maps) {
        page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    }
    EXPECT(page != MAP_FAILED);
    for (unsigned int round = 0; round < ROUNDS; round++) {
        if (ring.own != 0 || round != 0) {
            ring_wait(&ring);
        }
        if (ring.own < readers) {
            EXPECT(filled(page, LITTLE, round));
        } else if (writer_maps) {
            fill(page, LITTLE, round + 1);
        } else {
            fill(copy, LITTLE, round + 1);
            EXPECT(lseek(fd, 0, SEEK_SET) == 0 && write_all(fd, copy, LITTLE) == LITTLE);
        }
        ring_pass(&ring);
    }
    ring_finish(&ring);
}

static void private_and_mapped(void) {
    read_by_private(1, 0, 1);
}

static void private_and_written(void) {
    read_by_private(1, 0, 0);
}

static void private_in_two_and_written(void) {
    read_by_private(2, 0, 0);
}

static void private_above_and_written(void) {
    read_by_private(2, 0x94000000, 0);
}

/*
 * One has it mapped; another, who has not, reads it and writes it, or copies the page by writing to
 * a private mapping. So little that it is still in the cache then.
 */
static void mapped_by_one(void) {
    enum { LITTLE = 256, ROUNDS = 12 };
    static unsigned int copy[LITTLE / sizeof(unsigned int)];
    int fd = scratch_file(PAGE, 0);
    char *page = NULL;
    struct ring ring;
    ring_make(&ring, 2);
    if (ring.own == 0) {
        page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        EXPECT(page != MAP_FAILED);
    }
    for (unsigned int round = 0; round < ROUNDS; round++) {
        unsigned int seed = 2 * round;
        if (ring.own != 0 || round != 0) {
            ring_wait(&ring);
        }
        if (ring.own == 0) {
            EXPECT(filled(page, LITTLE, seed));
            fill(page, LITTLE, seed + 1);
            ring_pass(&ring);
            continue;
        }
        if (round % 2 == 0) {
            EXPECT(lseek(fd, 0, SEEK_SET) == 0 && read_all(fd, copy, LITTLE) == LITTLE);
            EXPECT(filled(copy, LITTLE, seed + 1));
        } else {
            char *own = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
            EXPECT(own != MAP_FAILED);
            own[LITTLE] = 1;
            EXPECT(filled(own, LITTLE, seed + 1));
            EXPECT(munmap(own, PAGE) == 0);
        }
        fill(copy, LITTLE, seed + 2);
        EXPECT(lseek(fd, 0, SEEK_SET) == 0 && write_all(fd, copy, LITTLE) == LITTLE);
        ring_pass(&ring);
    }
    ring_finish(&ring);
}

/* Two addresses of one space for the same pages: every write must be seen through the other. */
static void two_addresses(void) {
    int fd = scratch_file(BYTES, 61);
    char *one = map_shared(fd);
    char *two = map_shared(fd);
    EXPECT(one != two);
    for (int i = 0; i < 10; i++) {
        fill(one, BYTES, 100 + i);
        EXPECT(filled(two, BYTES, 100 + i));
        fill(two, BYTES, 200 + i);
        EXPECT(filled(one, BYTES, 200 + i));
        /* Word by word, too: both in the cache at once would show at once. */
        for (int word = 0; word < BYTES; word += 68) {
            *(volatile int *)(one + word) = word + i;
            EXPECT(*(volatile int *)(two + word) == word + i);
            *(volatile int *)(two + word) = ~word;
            EXPECT(*(volatile int *)(one + word) == ~word);
        }
    }
}

static void system_v(void) {
    int id = shared_segment(BYTES);
    char *one = shared_attach(id);
    char *two = shared_attach(id);
    EXPECT(id >= 0 && one != (void *)-1 && two != (void *)-1 && one != two);
    EXPECT(shared_remove(id) == 0);
    in_turn(one, two);
    fill(one, BYTES, 71);
    EXPECT(shared_detach(one) == 0 && filled(two, BYTES, 71) && shared_detach(two) == 0);
}

const struct test shared_tests[] = {
    {"memory shared by two processes", anonymous},
    {"a file mapped shared", shared_file},
    {"little of a file, mapped and read and written", little_of_a_file},
    {"little of a file, mapped by two at two addresses", at_two_addresses},
    {"little of a file, mapped by two at one address below 32 MB", at_one_low_address},
    {"little of a file, mapped across 32 MB", across},
    {"a file that one has mapped, and another has not", mapped_by_one},
    {"a file mapped by one where another has something else", where_another_has_it},
    {"little of a file, mapped privately by one and written where another has it",
     private_and_mapped},
    {"little of a file, mapped privately by one and written by another", private_and_written},
    {"little of a file, mapped privately by two and written by a third",
     private_in_two_and_written},
    {"little of a file, mapped privately by two at two addresses and written by a third",
     private_above_and_written},
    {"one page at two addresses", two_addresses},
    {"System V shared memory", system_v},
    {0},
};
