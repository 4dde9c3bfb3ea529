/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A disk that is mapped: the kernel takes the right to write a page when it writes the page to the
 * disk, and gives it back at the next write, of which it learns so.
 */
#include "test.h"

enum { BYTES = 4 * PAGE, LITTLE = 256 };

/* What is on the disk itself, whatever is in memory. */
static const void *on_disk(void) {
    static char copy[PAGE] __attribute__((aligned(PAGE)));
    int fd = open("/dev/ram0", O_RDONLY | O_DIRECT);
    EXPECT(fd >= 0 && read(fd, copy, PAGE) == PAGE);
    close(fd);
    return copy;
}

static char *map_disk(int fd) {
    void *const where = (void *)0x94000000;
    EXPECT(mmap(where, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) == where);
    return where;
}

/*
 * Each in its turn writes the page, has it written to the disk, does so again, and writes it once
 * more. So the right that the kernel takes at first is that of who had the turn before, or nobody's
 * any more: every other time it is given up.
 */
static void written_back(int count, int rounds) {
    enum { WRITES = 3 };
    int fd = open("/dev/ram0", O_RDWR);
    char *at = map_disk(fd);
    struct ring ring;
    fill(at, LITTLE, 0);
    ring_make(&ring, count);
    for (int round = 0; round < rounds; round++) {
        unsigned int turn = WRITES * (round * count + ring.own);
        if (turn != 0) {
            ring_wait(&ring);
        }
        EXPECT(filled(at, LITTLE, turn));
        for (unsigned int time = 1; time < WRITES; time++) {
            fill(at, LITTLE, turn + time);
            EXPECT(sync_memory(at, BYTES) == 0);
            EXPECT(filled(on_disk(), LITTLE, turn + time));
        }
        fill(at, LITTLE, turn + WRITES);
        if (round % 2 == 1) {
            EXPECT(munmap(at, BYTES) == 0);
            at = map_disk(fd);
        }
        ring_pass(&ring);
    }
    ring_finish(&ring);
}

static void by_one(void) {
    written_back(1, 5);
}

static void by_three(void) {
    written_back(3, 10);
}

static void by_many(void) {
    written_back(20, 4);
}

const struct test disk_tests[] = {
    {"a mapped disk, written by one process", by_one},
    {"a mapped disk, written by three processes", by_three},
    {"a mapped disk, written by many processes", by_many},
    {0},
};
