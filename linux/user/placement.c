/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where the kernel with fast address-space switching puts what is mapped privately
 * (linux/6.12/fass): below 32 MB, between heap and stack, while there is room; all else above 2 GB.
 */
#include "test.h"

enum { MEGABYTE = 1 << 20, LOW = 32 * MEGABYTE, ROOM = 4 * MEGABYTE, MOST = 64 };

static const unsigned long HIGH = 0x80000000ul;

/* Kernels with the first patches of the series alone put it elsewhere. */
static int is_placed(void) {
    static const char counters[] = "/sys/kernel/debug/fass", low[] = "private mappings in slots";
    int known = has_number(counters, low);
    if (!known) {
        printf("  not counted: %s\n", low);
    }
    return known;
}

static int is_low(const void *at) {
    return (unsigned long)at < LOW;
}

static int is_high(const void *at) {
    return (unsigned long)at >= HIGH;
}

/* Maps a megabyte after the other until there is no more room below 32 MB: which are there. */
static int fill_low(char **found) {
    for (int n = 0; n < MOST; n++) {
        found[n] = fresh(MEGABYTE, MAP_PRIVATE);
        if (!is_low(found[n])) {
            EXPECT(is_high(found[n]) && n >= 3);
            return n;
        }
        *found[n] = n;
    }
    EXPECT(0);
}

static void by_its_kind(void) {
    if (!is_placed()) {
        return;
    }
    int fd = scratch_file(PAGE, 1);
    EXPECT(is_low(fresh(PAGE, MAP_PRIVATE)));
    EXPECT(is_low(mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, fd, 0)));
    EXPECT(is_high(fresh(PAGE, MAP_SHARED)));
    EXPECT(is_high(mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0)));
    EXPECT(is_high(fresh(LOW, MAP_PRIVATE)));
    EXPECT(is_low(fresh(PAGE, MAP_PRIVATE)));
}

/* The heap grows up to what lies above it, and not on. */
static void heap_has_room(void) {
    if (!is_placed()) {
        return;
    }
    char *found[MOST], *start = heap_end(NULL);
    int n = fill_low(found);
    char *lowest = found[n - 1];
    EXPECT(lowest >= start + ROOM);
    EXPECT(heap_end(start + ROOM - PAGE) == start + ROOM - PAGE);
    fill(start + ROOM - 2 * PAGE, PAGE, 7);
    EXPECT(heap_end(lowest + PAGE) == start + ROOM - PAGE);
    EXPECT(filled(start + ROOM - 2 * PAGE, PAGE, 7));
    for (int i = 0; i < n; i++) {
        EXPECT(*found[i] == i);
    }
}

/* Uses so much of the stack, a page a call: all of it, whatever the compiler thinks of it. */
__attribute__((noinline)) static unsigned int deep(int bytes) {
    unsigned int here[PAGE / sizeof(unsigned int)];
    here[0] = bytes;
    __asm__ volatile("" : : "r"(here) : "memory");
    return bytes <= PAGE ? here[0] : deep(bytes - PAGE) + here[0];
}

/* The stack grows to its limit, and not on: there is what was mapped first. */
static void stack_has_room(void) {
    if (!is_placed()) {
        return;
    }
    char *found[MOST];
    int status;
    EXPECT(stack_limit(MEGABYTE) == 0);
    fill_low(found);
    fill(found[0], MEGABYTE, 3);
    EXPECT(deep(MEGABYTE - 16 * PAGE) != 0);
    EXPECT(filled(found[0], MEGABYTE, 3));
    pid_t child = fork();
    EXPECT(child >= 0);
    if (child == 0) {
        deep(2 * MEGABYTE);
        _exit(0);
    }
    EXPECT(waitpid(child, &status, 0) == child && ended_by(status) == SIGSEGV);
    EXPECT(filled(found[0], MEGABYTE, 3));
}

static void stack_without_limit(void) {
    if (!is_placed()) {
        return;
    }
    EXPECT(stack_limit(~0ul) == 0 && is_high(fresh(PAGE, MAP_PRIVATE)));
    EXPECT(stack_limit(LOW - PAGE) == 0 && is_high(fresh(PAGE, MAP_PRIVATE)));
    EXPECT(stack_limit(8 * MEGABYTE) == 0 && is_low(fresh(PAGE, MAP_PRIVATE)));
}

/* What grows and moves stays where it belongs, or goes where there is room for it. */
static void moved(void) {
    if (!is_placed()) {
        return;
    }
    char *above = fresh(PAGE, MAP_PRIVATE), *at = fresh(PAGE, MAP_PRIVATE), *larger;
    EXPECT(at + PAGE == above);
    fill(at, PAGE, 5);
    larger = remap(at, PAGE, 3 * PAGE, MREMAP_MAYMOVE, NULL);
    EXPECT(is_low(larger) && larger != at && filled(larger, PAGE, 5));
    fill(larger, 3 * PAGE, 6);
    at = remap(larger, 3 * PAGE, LOW, MREMAP_MAYMOVE, NULL);
    EXPECT(is_high(at) && filled(at, 3 * PAGE, 6));
    at = fresh(PAGE, MAP_SHARED);
    fill(at, PAGE, 8);
    EXPECT(is_high(fresh(PAGE, MAP_SHARED)));
    at = remap(at, PAGE, 3 * PAGE, MREMAP_MAYMOVE, NULL);
    EXPECT(is_high(at) && filled(at, PAGE, 8));
}

/* What a process has there it has in the next slot, too; without one, it is as all else. */
static void slots_are_left(void) {
    if (!is_placed()) {
        return;
    }
    char *at = fresh(PAGE, MAP_PRIVATE);
    for (unsigned long slot = 1; slot < 64; slot++) {
        unsigned long place = slot * LOW + 0x12000;
        fill(at, PAGE, slot);
        EXPECT(mmap((void *)place, PAGE, PROT_READ | PROT_WRITE,
                    MAP_ANONYMOUS | MAP_PRIVATE | MAP_FIXED, -1, 0) == (void *)place);
        EXPECT(filled(at, PAGE, slot));
    }
    EXPECT(is_high(fresh(PAGE, MAP_PRIVATE)));
}

/* What another process writes to a file through its mapping, and by write(). */
static void file_of_others(void) {
    if (!is_placed()) {
        return;
    }
    int fd = scratch_file(2 * PAGE, 1);
    char *at = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
    unsigned int words[PAGE / sizeof(unsigned int)];
    EXPECT(is_low(at) && filled(at, 2 * PAGE, 1));
    pid_t child = fork();
    EXPECT(child >= 0);
    if (child == 0) {
        char *shared = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        EXPECT(is_high(shared));
        fill(shared, PAGE, 2);
        EXPECT(filled(at, PAGE, 2));
        _exit(0);
    }
    EXPECT(ended_well(child) && filled(at, PAGE, 2));
    fill(words, PAGE, 3);
    EXPECT(lseek(fd, PAGE, SEEK_SET) == PAGE && write(fd, words, PAGE) == PAGE);
    EXPECT(filled(at + PAGE, PAGE, 3));
    fill(at, PAGE, 4);
    EXPECT(lseek(fd, 0, SEEK_SET) == 0 && read_all(fd, words, PAGE) == PAGE);
    EXPECT(filled(words, PAGE, 2) && filled(at, PAGE, 4));
}

const struct test placement_tests[] = {
    {"private is low, shared is high", by_its_kind},
    {"mappings leave room for the heap", heap_has_room},
    {"mappings leave room for the stack", stack_has_room},
    {"a stack without a limit", stack_without_limit},
    {"mappings that move", moved},
    {"mappings whose slot is left", slots_are_left},
    {"a private file that others write", file_of_others},
    {0},
};
