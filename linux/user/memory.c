/* SPDX-License-Identifier: GPL-2.0-only */
/* Private memory: demand paging, copies on write, pages that move and change hands. */
#include "test.h"

static void demand_paging(void) {
    enum { PAGES = 512 };
    char *pages = fresh(PAGES * PAGE, MAP_PRIVATE);
    long before = minor_faults();
    for (int i = 0; i < PAGES; i++) {
        EXPECT(*(volatile int *)(pages + i * PAGE + 40) == 0);
    }
    /* Reading gets the page of zeros, writing a page of one's own: two faults each. */
    EXPECT(minor_faults() - before >= PAGES);
    before = minor_faults();
    fill(pages, PAGES * PAGE, 11);
    EXPECT(minor_faults() - before >= PAGES && minor_faults() - before < PAGES + 50);
    EXPECT(filled(pages, PAGES * PAGE, 11));
    EXPECT(munmap(pages, PAGES * PAGE) == 0);
}

static void copy_on_write(void) {
    enum { BYTES = 32 * PAGE };
    char *pages = fresh(BYTES, MAP_PRIVATE);
    int ready[2], go[2];
    char token = 't';
    pid_t child;
    EXPECT(pipe(ready) == 0 && pipe(go) == 0);
    fill(pages, BYTES, 1);
    child = fork();
    EXPECT(child >= 0);
    if (child == 0) {
        EXPECT(filled(pages, BYTES, 1));
        fill(pages, BYTES / 2, 2);
        EXPECT(write(ready[1], &token, 1) == 1 && read(go[0], &token, 1) == 1);
        EXPECT(filled(pages, BYTES / 2, 2));
        EXPECT(filled(pages + BYTES / 2, BYTES / 2, 1 + BYTES / 2 / sizeof(int)));
        _exit(0);
    }
    EXPECT(read(ready[0], &token, 1) == 1);
    EXPECT(filled(pages, BYTES, 1));
    fill(pages, BYTES, 3);
    EXPECT(write(go[1], &token, 1) == 1);
    EXPECT(ended_well(child) && filled(pages, BYTES, 3));
}

static void private_file(void) {
    enum { BYTES = 8 * PAGE };
    unsigned int copy[PAGE / sizeof(unsigned int)];
    int fd = scratch_file(BYTES, 21);
    char *pages = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
    EXPECT(pages != MAP_FAILED && filled(pages, BYTES, 21));
    fill(pages, BYTES, 22);
    EXPECT(filled(pages, BYTES, 22));
    EXPECT(lseek(fd, 0, SEEK_SET) == 0 && read_all(fd, copy, PAGE) == PAGE);
    EXPECT(filled(copy, PAGE, 21));
}

/* Some addresses get other pages again and again: no line may survive its page. */
static void pages_change_hands(void) {
    enum { BYTES = 4 * PAGE, ROUNDS = 50 };
    int fd = scratch_file(ROUNDS * BYTES, 0);
    char *at = fresh(BYTES, MAP_PRIVATE);
    for (int i = 0; i < ROUNDS; i++) {
        char *pages =
            mmap(at, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, fd, i * BYTES);
        EXPECT(pages == at && filled(pages, BYTES, i * BYTES / sizeof(int)));
        fill(pages, BYTES, 1000 + i);
        EXPECT(filled(pages, BYTES, 1000 + i));
        /* And anonymous pages, which must be zero whoever had their frames. */
        pages =
            mmap(at, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS, -1, 0);
        EXPECT(pages == at);
        for (int word = 0; word < BYTES; word += 64) {
            EXPECT(*(volatile int *)(pages + word) == 0);
        }
        fill(pages, BYTES, 2000 + i);
    }
}

static void moved_pages(void) {
    enum { BYTES = 8 * PAGE };
    char *old = fresh(BYTES, MAP_PRIVATE);
    char *new = fresh(2 * BYTES, MAP_PRIVATE);
    fill(old, BYTES, 31);
    EXPECT(remap(old, BYTES, 2 * BYTES, MREMAP_MAYMOVE | MREMAP_FIXED, new) == new);
    EXPECT(filled(new, BYTES, 31));
    fill(new, 2 * BYTES, 32);
    EXPECT(remap(new, 2 * BYTES, BYTES, 0, NULL) == new && filled(new, BYTES, 32));
    EXPECT(protect(old, PAGE, PROT_READ) == -1 && errno == ENOMEM);
}

static void heap(void) {
    enum { BYTES = 64 * PAGE };
    char *start = heap_end(NULL);
    EXPECT(heap_end(start + BYTES) == start + BYTES);
    fill(start, BYTES, 41);
    EXPECT(filled(start, BYTES, 41));
    EXPECT(heap_end(start) == start);
}

/* A call may do with a page what the program may. */
static void rights_in_calls(void) {
    enum { BYTES = 64 };
    char *page = fresh(PAGE, MAP_PRIVATE);
    int ends[2];
    EXPECT(pipe(ends) == 0);
    fill(page, BYTES, 51);
    EXPECT(protect(page, PAGE, PROT_NONE) == 0);
    EXPECT(write(ends[1], page, BYTES) == -1 && errno == EFAULT);
    EXPECT(protect(page, PAGE, PROT_READ) == 0);
    EXPECT(write(ends[1], page, BYTES) == BYTES);
    EXPECT(read(ends[0], page, 1) == -1 && errno == EFAULT);
    EXPECT(protect(page, PAGE, PROT_READ | PROT_WRITE) == 0);
    fill(page, BYTES, 52);
    EXPECT(read(ends[0], page, BYTES) == BYTES && filled(page, BYTES, 51));
}

const struct test memory_tests[] = {
    {"demand paging", demand_paging},
    {"copy on write after fork", copy_on_write},
    {"a file mapped privately", private_file},
    {"addresses that get other pages", pages_change_hands},
    {"pages that move", moved_pages},
    {"a growing heap", heap},
    {"rights to memory in system calls", rights_in_calls},
    {0},
};
