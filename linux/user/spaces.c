/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Many address spaces at once, which run in turn: more than a processor has tags for, equal
 * addresses with different contents, addresses anywhere, memory that one changes for another.
 */
#include "test.h"

#include <linux/ptrace.h>

static char token;

void ring_make(struct ring *ring, int count) {
    int first[2], previous, next[2];
    EXPECT(pipe(first) == 0);
    ring->count = count;
    previous = first[0];
    for (ring->own = 1; ring->own < count; ring->own++) {
        pid_t child;
        EXPECT(pipe(next) == 0);
        child = fork();
        EXPECT(child >= 0);
        if (child == 0) {
            ring->in = previous;
            ring->out = next[1];
            close(next[0]);
            close(first[1]);
            return;
        }
        close(previous);
        close(next[1]);
        previous = next[0];
    }
    ring->own = 0;
    ring->in = previous;
    ring->out = first[1];
}

void ring_wait(const struct ring *ring) {
    EXPECT(read(ring->in, &token, 1) == 1);
}

void ring_pass(const struct ring *ring) {
    EXPECT(write(ring->out, &token, 1) == 1);
}

void ring_end(const struct ring *ring) {
    int status;
    if (ring->own != 0) {
        _exit(0);
    }
    for (int i = 1; i < ring->count; i++) {
        EXPECT(wait(&status) > 0 && status == 0);
    }
}

void ring_finish(const struct ring *ring) {
    if (ring->own == 0) {
        ring_wait(ring);
    }
    ring_end(ring);
}

/* Data at equal addresses, dirty in the cache when the next one runs: static, heap, stack, mapped.
 */
static void equal_addresses(int count, int rounds) {
    static unsigned int words[512];
    unsigned int on_stack[64];
    char *heap = heap_end(NULL);
    char *mapped = fresh(PAGE, MAP_PRIVATE);
    struct ring ring;
    EXPECT(heap_end(heap + PAGE) == heap + PAGE);
    ring_make(&ring, count);
    for (int round = 0; round < rounds; round++) {
        unsigned int seed = 1000 * ring.own + round;
        if (ring.own != 0 || round != 0) {
            ring_wait(&ring);
        }
        if (round != 0) {
            EXPECT(filled(words, sizeof(words), seed - 1));
            EXPECT(filled(heap, PAGE, seed + 2));
            EXPECT(filled(mapped, 256, seed + 3));
            EXPECT(filled(on_stack, sizeof(on_stack), seed + 4));
        }
        fill(words, sizeof(words), seed);
        fill(heap, PAGE, seed + 3);
        fill(mapped, 256, seed + 4);
        fill(on_stack, sizeof(on_stack), seed + 5);
        ring_pass(&ring);
    }
    ring_finish(&ring);
}

static void few(void) {
    equal_addresses(3, 20);
}

static void more_than_domains(void) {
    equal_addresses(20, 8);
}

static void more_than_slots(void) {
    equal_addresses(200, 3);
}

/* Each maps a page at the same fixed addresses, 32 MB apart, so that one lies in each slot. */
static void fixed_addresses(void) {
    enum { FIRST = 0x02345000, STEP = 0x02000000, PLACES = 63 };
    struct ring ring;
    ring_make(&ring, 3);
    for (int place = 0; place < PLACES; place++) {
        char *at = (char *)FIRST + place * STEP;
        EXPECT(mmap(at, PAGE, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | MAP_PRIVATE | MAP_FIXED, -1,
                    0) == at);
    }
    for (int round = 0; round < 3; round++) {
        if (ring.own != 0 || round != 0) {
            ring_wait(&ring);
        }
        for (int place = 0; place < PLACES; place++) {
            unsigned int *at = (unsigned int *)((unsigned long)FIRST + place * STEP);
            unsigned int seed = 100 * ring.own + place;
            EXPECT(round == 0 ? *at == 0 : filled(at, 128, seed));
            fill(at, 128, seed);
        }
        ring_pass(&ring);
    }
    ring_finish(&ring);
}

static unsigned int *map_at(unsigned long at) {
    void *found = mmap((void *)at, PAGE, PROT_READ | PROT_WRITE,
                       MAP_ANONYMOUS | MAP_PRIVATE | MAP_FIXED, -1, 0);
    EXPECT(found == (void *)at);
    return found;
}

static unsigned int own_page[PAGE / sizeof(unsigned int)] __attribute__((aligned(PAGE)));

/* Where own_page would be if its address had been moved there: so many multiples of 32 MB away. */
static unsigned int *moved(unsigned int slot) {
    return (unsigned int *)(((unsigned long)slot << 25) + (unsigned long)own_page);
}

/* What is mapped there is another page, also when own_page is in the cache and written. */
static void moved_addresses(void) {
    for (unsigned int slot = 1; slot < 60; slot++) {
        fill(own_page, PAGE, slot);
        EXPECT(filled(own_page, PAGE, slot));
        map_at((unsigned long)moved(slot));
        for (unsigned int i = 0; i < PAGE / sizeof(unsigned int); i++) {
            EXPECT(moved(slot)[i] == 0);
        }
        EXPECT(filled(own_page, PAGE, slot));
        EXPECT(munmap(moved(slot), PAGE) == 0);
    }
}

/* Children inherit such pages: more of them than there are such places. */
static void inherited_addresses(void) {
    enum { PLACES = 40, CHILDREN = 70 };
    for (unsigned int slot = 1; slot <= PLACES; slot++) {
        map_at((unsigned long)moved(slot));
        *moved(slot) = slot;
    }
    for (unsigned int n = 0; n < CHILDREN; n++) {
        pid_t child = fork();
        EXPECT(child >= 0);
        if (child == 0) {
            fill(own_page, PAGE, n);
            for (unsigned int slot = 1; slot <= PLACES; slot++) {
                EXPECT(*moved(slot) == slot);
            }
            EXPECT(filled(own_page, PAGE, n));
            _exit(0);
        }
        EXPECT(ended_well(child));
    }
}

/* A page table that is gone is another region's next: nothing of that is seen in the first. */
static void page_tables_that_go(void) {
    enum { ONE = 0x52345000, OTHER = 0x54345000 };
    for (unsigned int i = 0; i < 10; i++) {
        unsigned int *one = map_at(ONE);
        unsigned int *other;
        *one = i + 1;
        EXPECT(munmap(one, PAGE) == 0);
        other = map_at(OTHER);
        *other = i + 100;
        one = map_at(ONE);
        EXPECT(*one == 0);
        *one = i + 200;
        EXPECT(*other == i + 100);
        EXPECT(munmap(one, PAGE) == 0 && munmap(other, PAGE) == 0);
    }
}

/* Memory over more than 32 MB, of which some pages are used, before and after a fork(). */
static void past_32_mb(void) {
    enum { BYTES = 40 << 20, STEP = 1 << 20 };
    char *large = fresh(BYTES, MAP_PRIVATE);
    struct ring ring;
    for (int at = 0; at < BYTES; at += STEP) {
        fill(large + at, 64, at);
    }
    ring_make(&ring, 2);
    for (int round = 0; round < 2; round++) {
        if (ring.own != 0 || round != 0) {
            ring_wait(&ring);
        }
        for (int at = 0; at < BYTES; at += STEP) {
            EXPECT(filled(large + at, 64, round == 0 ? at : at + ring.own + 1));
            fill(large + at, 64, at + ring.own + 1);
        }
        ring_pass(&ring);
    }
    ring_finish(&ring);
}

/*
 * Programs with more static data than fits below 32 MB, two at once: /bin/large. They come to
 * nothing if their stack or each other's memory is in their way.
 */
static void large_programs(void) {
    char *const arguments[][3] = {{"large", "1", NULL}, {"large", "2", NULL}};
    pid_t children[2];
    for (int i = 0; i < 2; i++) {
        children[i] = fork();
        EXPECT(children[i] >= 0);
        if (children[i] == 0) {
            execve("/bin/large", arguments[i], environ);
            _exit(127);
        }
    }
    EXPECT(ended_well(children[0]) && ended_well(children[1]));
}

/*
 * A file that several processes map, each twice and at addresses of its own, written in turn
 * through a mapping, by write(), and through the other mapping; who has the turn reads it in three
 * ways.
 */
static void one_file(void) {
    enum { BYTES = 4 * PAGE, SPACES = 5, ROUNDS = 12 };
    static unsigned int copy[BYTES / sizeof(unsigned int)];
    int fd = scratch_file(BYTES, 0);
    char *one, *two, *private;
    struct ring ring;
    ring_make(&ring, SPACES);
    fresh(PAGE * (1 + ring.own), MAP_PRIVATE);
    one = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    two = mmap(NULL, BYTES, ring.own & 1 ? PROT_READ : PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    private = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
    EXPECT(one != MAP_FAILED && two != MAP_FAILED && private != MAP_FAILED);
    for (int round = 0; round < ROUNDS; round++) {
        int turn = round * SPACES + ring.own;
        if (turn != 0) {
            ring_wait(&ring);
        }
        EXPECT(filled(one, BYTES, turn));
        EXPECT(filled(two, BYTES, turn));
        EXPECT(lseek(fd, 0, SEEK_SET) == 0 && read_all(fd, copy, BYTES) == BYTES);
        EXPECT(filled(copy, BYTES, turn));
        fill(copy, BYTES, turn + 1);
        switch (turn % 3) {
        case 0:
            fill(one, BYTES, turn + 1);
            break;
        case 1:
            EXPECT(lseek(fd, 0, SEEK_SET) == 0 && write_all(fd, copy, BYTES) == BYTES);
            break;
        default:
            fill(ring.own & 1 ? one : two, BYTES, turn + 1);
            break;
        }
        /* A page that is copied now is a copy of what was just written. */
        if (round == ROUNDS / 2) {
            private[PAGE + 4] = private[PAGE + 4];
            EXPECT(filled(private + PAGE, PAGE, turn + 1 + PAGE / sizeof(int)));
        }
        ring_pass(&ring);
    }
    ring_finish(&ring);
}

/* Copies on write, of a parent's pages that are dirty in the cache, by many children at once. */
static void copies(void) {
    enum { BYTES = 4 * PAGE, CHILDREN = 16 };
    char *pages = fresh(BYTES, MAP_PRIVATE);
    for (int round = 0; round < 4; round++) {
        pid_t children[CHILDREN];
        for (int i = 0; i < CHILDREN; i++) {
            fill(pages, BYTES, 10 * round + i);
            children[i] = fork();
            EXPECT(children[i] >= 0);
            if (children[i] == 0) {
                EXPECT(filled(pages, BYTES, 10 * round + i));
                sched_yield();
                fill(pages, PAGE, i);
                sched_yield();
                EXPECT(filled(pages, PAGE, i));
                EXPECT(filled(pages + PAGE, PAGE, 10 * round + i + PAGE / sizeof(int)));
                _exit(0);
            }
        }
        for (int i = 0; i < CHILDREN; i++) {
            EXPECT(ended_well(children[i]));
        }
    }
}

static volatile int shown = 11;

/* Called again and again, and rewritten in between by another process. */
__attribute__((noinline)) static int answer(void) {
    return shown;
}

/* Maps a page in each slot, so that none of them can be the process's own: it has none. */
static void take_all_slots(void) {
    for (unsigned int slot = 1; slot < 64; slot++) {
        *map_at(((unsigned long)slot << 25) + 0x12000) = slot;
    }
}

/* A debugger changes data and instructions of a process that has them in the caches. */
static void debug(int without_slot) {
    unsigned long undefined = UNDEFINED(answer);
    int status;
    long old = 0;
    pid_t child = fork();
    EXPECT(child >= 0);
    if (child == 0) {
        if (without_slot) {
            take_all_slots();
        }
        EXPECT(trace(PTRACE_TRACEME, 0, 0, 0) == 0);
        EXPECT(answer() == 11);
        kill(getpid(), SIGSTOP);
        EXPECT(answer() == 12);
        kill(getpid(), SIGSTOP);
        answer();
        _exit(3);
    }
    EXPECT(waitpid(child, &status, 0) == child && stopped_by(status) == SIGSTOP);
    EXPECT(trace(PTRACE_PEEKDATA, child, (unsigned long)&shown, (unsigned long)&old) == 0 &&
           old == 11);
    EXPECT(trace(PTRACE_POKEDATA, child, (unsigned long)&shown, 12) == 0);
    EXPECT(trace(PTRACE_CONT, child, 0, 0) == 0);
    EXPECT(waitpid(child, &status, 0) == child && stopped_by(status) == SIGSTOP);
    /* An undefined instruction, or two. */
    EXPECT(trace(PTRACE_POKETEXT, child, (unsigned long)answer & ~3ul, undefined) == 0);
    EXPECT(trace(PTRACE_CONT, child, 0, 0) == 0);
    EXPECT(waitpid(child, &status, 0) == child && stopped_by(status) == SIGILL);
    EXPECT(kill(child, SIGKILL) == 0 && waitpid(child, &status, 0) == child);
}

static void debugger(void) {
    debug(0);
}

static void debugger_without_slot(void) {
    debug(1);
}

/* A child writes its parent's memory, which is in the cache at the parent's address. */
static void write_to_parent(int without_slot) {
    enum { BYTES = 2048, ROUNDS = 10 };
    static unsigned int words[BYTES / sizeof(unsigned int)], copy[BYTES / sizeof(unsigned int)];
    char path[32] = "/proc/";
    struct ring ring;
    int fd;
    if (without_slot) {
        take_all_slots();
    }
    fill(words, BYTES, 0);
    ring_make(&ring, 2);
    utoa_r(getppid(), path + strlen(path));
    strlcat(path, "/mem", sizeof(path));
    fd = ring.own == 1 ? open(path, O_RDWR) : 0;
    EXPECT(fd >= 0);
    for (int round = 0; round < ROUNDS; round++) {
        if (ring.own != 0 || round != 0) {
            ring_wait(&ring);
        }
        if (ring.own == 0) {
            EXPECT(filled(words, BYTES, round));
            if (round % 2 == 0) {
                fill(words, BYTES, ~round);
            }
        } else {
            fill(copy, BYTES, round + 1);
            EXPECT(lseek(fd, (off_t)(unsigned long)words, SEEK_SET) == (off_t)(unsigned long)words);
            EXPECT(write_all(fd, copy, BYTES) == BYTES);
        }
        ring_pass(&ring);
    }
    ring_finish(&ring);
}

static void written_by_child(void) {
    write_to_parent(0);
}

static void written_by_child_without_slot(void) {
    write_to_parent(1);
}

/* Memory that comes, goes, is protected and copied in the process that runs, at any address. */
static void change_memory(int probe, unsigned int seed) {
    enum { LITTLE = 512 };
    char *heap = heap_end(NULL);
    static unsigned int kept[LITTLE / sizeof(unsigned int)];
    for (int place = 0; place < 2; place++) {
        unsigned int *page;
        pid_t child;
        for (int again = 0; again < 2; again++) {
            if (place == 0) {
                EXPECT(heap_end(heap + PAGE) == heap + PAGE);
                page = (unsigned int *)heap;
            } else {
                page = fresh(PAGE, MAP_PRIVATE);
            }
            for (int i = 0; i < LITTLE / (int)sizeof(*page); i++) {
                EXPECT(((volatile unsigned int *)page)[i] == 0);
            }
            fill(page, LITTLE, seed + again);
            if (again == 0) {
                EXPECT(place == 0 ? heap_end(heap) == heap : munmap(page, PAGE) == 0);
            }
        }
        /* The kernel writes there as the program would. */
        EXPECT(protect(page, PAGE, PROT_READ) == 0);
        EXPECT(read(probe, page, 1) == -1 && errno == EFAULT);
        EXPECT(protect(page, PAGE, PROT_READ | PROT_WRITE) == 0);
        fill(kept, LITTLE, seed);
        fill(page, LITTLE, seed);
        child = fork();
        EXPECT(child >= 0);
        if (child == 0) {
            EXPECT(filled(kept, LITTLE, seed) && filled(page, LITTLE, seed));
            _exit(0);
        }
        /* Its own copies, from now on. */
        fill(kept, LITTLE, seed + 1);
        fill(page, LITTLE, seed + 1);
        EXPECT(ended_well(child));
        EXPECT(filled(kept, LITTLE, seed + 1) && filled(page, LITTLE, seed + 1));
        EXPECT(place == 0 ? heap_end(heap) == heap : munmap(page, PAGE) == 0);
    }
}

/* In two that have other data at one address, and write there each time. */
static void changes_and_collisions(void) {
    enum { ROUNDS = 20, QUIET = 10 };
    volatile unsigned int *at = fresh(PAGE, MAP_PRIVATE);
    struct ring ring;
    int probe[2];
    EXPECT(pipe(probe) == 0 && write(probe[1], "t", 1) == 1);
    ring_make(&ring, 2);
    for (int round = 0; round < ROUNDS; round++) {
        if (ring.own != 0 || round != 0) {
            ring_wait(&ring);
        }
        EXPECT(round == 0 || *at == (unsigned int)(100 * ring.own + round - 1));
        *at = 100 * ring.own + round;
        if (round >= QUIET) {
            change_memory(probe[0], 1000 * ring.own + 10 * round);
        }
        ring_pass(&ring);
    }
    ring_finish(&ring);
}

static void changes_without_slot(void) {
    int probe[2];
    EXPECT(pipe(probe) == 0 && write(probe[1], "t", 1) == 1);
    take_all_slots();
    for (unsigned int round = 0; round < 5; round++) {
        change_memory(probe[0], 10 * round);
    }
}

#ifdef __ARM_ARCH_4__
/* Eight words into the first of four entries of the SA-1110's read buffer. */
static void read_ahead(volatile unsigned int *at) {
    __asm__ volatile("mcr p15, 0, %0, c9, c8, 2" : : "r"(at));
}

/* QEMU's processor has none: there it is an undefined instruction. */
static int has_read_buffer(volatile unsigned int *at) {
    int status = 0;
    pid_t child = fork();
    EXPECT(child >= 0);
    if (child == 0) {
        read_ahead(at);
        exit(0);
    }
    EXPECT(waitpid(child, &status, 0) == child);
    return WIFEXITED(status);
}

/*
 * The SA-1110 has a buffer that a program may fill from memory ahead of reading it: what another
 * has put there is not read, at an address where both have memory.
 */
static void read_buffer(void) {
    volatile unsigned int *at = fresh(PAGE, MAP_PRIVATE);
    struct ring ring;
    int ahead = has_read_buffer(at);
    ring_make(&ring, 2);
    for (unsigned int round = 0; round < 3; round++) {
        if (ring.own != 0 || round != 0) {
            ring_wait(&ring);
        }
        EXPECT(round == 0 || *at == 100u * ring.own + round);
        *at = 100 * ring.own + round + 1;
        if (ahead) {
            read_ahead(at);
        }
        ring_pass(&ring);
    }
    ring_finish(&ring);
}
#endif

const struct test space_tests[] = {
    {"equal addresses in a few processes", few},
    {"more processes than domains", more_than_domains},
    {"more processes than slots", more_than_slots},
    {"mappings at fixed addresses", fixed_addresses},
    {"mappings that look like moved ones", moved_addresses},
    {"such mappings, inherited", inherited_addresses},
    {"page tables that go", page_tables_that_go},
    {"memory past 32 MB", past_32_mb},
    {"programs past 32 MB", large_programs},
    {"one file mapped and written by several processes", one_file},
    {"copies on write by many children", copies},
    {"a debugger's writes", debugger},
    {"a debugger's writes, without a slot", debugger_without_slot},
    {"memory that a child writes", written_by_child},
    {"memory that a child writes, without a slot", written_by_child_without_slot},
    {"memory that changes where addresses collide", changes_and_collisions},
    {"memory that changes without a slot", changes_without_slot},
#ifdef __ARM_ARCH_4__
    {"what another has read ahead", read_buffer},
#endif
    {0},
};
