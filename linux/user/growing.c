/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ways in which memory comes to an address: that of somebody else at this address it must not
 * be. Where the processor adds a slot's address to those below 32 MB, the slot's own addresses are
 * the ones that are easily confused: each test brings memory to that at which the process's own
 * page below 32 MB really is.
 */
#include "test.h"

#include <linux/ptrace.h>

enum { SLOTS = 64, USUAL_LIMIT = 8 << 20, OWN = 0x5ec7e7, OTHER = 0xbad };

static const unsigned long SLOT_SIZE = 1ul << 25, UNLIMITED = ~0ul;

/* Aligned as shared memory must be on some processors. */
static volatile unsigned int own_page[PAGE / sizeof(unsigned int)]
    __attribute__((aligned(4 * PAGE))) = {OWN};

static unsigned long moved(unsigned int slot) {
    return slot * SLOT_SIZE + (unsigned long)own_page;
}

/*
 * The slot in which this process is. Where nothing is mapped at its addresses, the kernel, which is
 * asked to read there, finds what is below 32 MB. Without such slots there is an error, and any
 * slot's addresses will do.
 */
static unsigned int own_slot(void) {
    unsigned int slot, word = 0;
    int fds[2];
    EXPECT(pipe(fds) == 0);
    for (slot = 1; slot < SLOTS; slot++) {
        if (write(fds[1], (void *)moved(slot), sizeof(word)) == sizeof(word)) {
            EXPECT(read(fds[0], &word, sizeof(word)) == sizeof(word) && word == OWN);
            break;
        }
    }
    close(fds[0]);
    close(fds[1]);
    return slot < SLOTS ? slot : 0;
}

/*
 * A slot to try that is this process's, with another below and two above; else goes on in a child,
 * which has another one, and is not aside as this process may be just now: then it seems to have
 * none. That ends with the test.
 */
static unsigned int slot_to_try(void) {
    unsigned int slot = own_slot();
    if (slot == 0 && !fass_counts()) {
        return 7;
    }
    if (slot <= 1 || slot >= SLOTS - 2) {
        pid_t child = fork();
        EXPECT(child >= 0);
        if (child == 0) {
            return slot_to_try();
        }
        EXPECT(ended_well(child));
        _exit(0);
    }
    return slot;
}

static void limit_growth(unsigned long bytes) {
    unsigned long limits[2] = {bytes, UNLIMITED};
    EXPECT(syscall(__NR_setrlimit, RLIMIT_STACK, limits) == 0);
}

static void map_at(unsigned long at, int flags) {
    void *found =
        mmap((void *)at, PAGE, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | MAP_PRIVATE | flags, -1, 0);
    EXPECT(found == (void *)at);
}

/* A page at the address, and whatever is used below it. */
static void map_growing(unsigned long at) {
    map_at(at, MAP_FIXED | MAP_GROWSDOWN);
}

/* There is other memory than in the page below 32 MB: it has this, and keeps what is written. */
static void is_other(unsigned long at, unsigned int expected) {
    volatile unsigned int *other = (volatile unsigned int *)at;
    EXPECT(*other == expected);
    *other = OTHER;
    EXPECT(own_page[0] == OWN);
    own_page[0] = OWN + 1;
    EXPECT(*other == OTHER);
    own_page[0] = OWN;
    EXPECT(*other == OTHER);
}

static void asked_for(void) {
    unsigned int slot = slot_to_try();
    map_at(moved(slot), MAP_FIXED);
    is_other(moved(slot), 0);
}

static void hinted(void) {
    unsigned int slot = slot_to_try();
    map_at(moved(slot), 0);
    is_other(moved(slot), 0);
}

static void moved_to(void) {
    unsigned int slot = slot_to_try();
    unsigned int *from = fresh(PAGE, MAP_PRIVATE);
    void *to = (void *)moved(slot);
    *from = 12;
    EXPECT(remap(from, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, to) == to);
    is_other(moved(slot), 12);
}

/* In place, from the end of the slot below. */
static void grown_upwards(void) {
    unsigned int slot = slot_to_try();
    unsigned long at = slot * SLOT_SIZE - PAGE;
    size_t bytes = moved(slot) - at + PAGE;
    map_at(at, MAP_FIXED);
    EXPECT(remap((void *)at, PAGE, bytes, 0, NULL) == (void *)at);
    is_other(moved(slot), 0);
}

static void attached(void) {
    unsigned int slot = slot_to_try();
    int id = shared_segment(PAGE);
    EXPECT(id >= 0);
    EXPECT(syscall(__NR_shmat, id, moved(slot), 0) == (long)moved(slot));
    EXPECT(shared_remove(id) == 0);
    is_other(moved(slot), 0);
}

static void other_pages_of_a_file(void) {
    unsigned int slot = slot_to_try();
    void *at = (void *)moved(slot);
    int fd = scratch_file(2 * PAGE, 31);
    EXPECT(mmap(at, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) == at);
    EXPECT(filled(at, PAGE, 31));
    EXPECT(syscall(__NR_remap_file_pages, at, PAGE, 0, 1, 0) == 0);
    EXPECT(filled(at, PAGE, 31 + PAGE / sizeof(int)));
    is_other(moved(slot), *(unsigned int *)at);
}

/* One access below what is mapped, a whole slot away. */
static void grown_at_once(void) {
    unsigned int slot = slot_to_try();
    limit_growth(UNLIMITED);
    map_growing((slot + 1) * SLOT_SIZE);
    is_other(moved(slot), 0);
}

/* As a stack grows, within the usual limit. */
static void grown_by_pages(void) {
    enum { PAGES = 64 };
    unsigned int slot = slot_to_try();
    unsigned long top = (slot + 1) * SLOT_SIZE;
    limit_growth(USUAL_LIMIT);
    map_growing(top);
    for (unsigned int page = 1; page <= PAGES; page++) {
        *(volatile unsigned int *)(top - page * PAGE) = page;
    }
    for (unsigned int page = 1; page <= PAGES; page++) {
        EXPECT(*(volatile unsigned int *)(top - page * PAGE) == page);
    }
}

/* First by what allows it only later. */
static void limit_raised(void) {
    unsigned int slot = slot_to_try();
    limit_growth(USUAL_LIMIT);
    map_growing((slot + 1) * SLOT_SIZE + 2 * USUAL_LIMIT);
    limit_growth(UNLIMITED);
    is_other(moved(slot), 0);
}

/* The limit is raised by another process. */
static void limit_raised_by_another(void) {
    unsigned int slot = slot_to_try();
    unsigned long long unlimited[2] = {~0ull, ~0ull};
    pid_t parent = getpid();
    pid_t child;
    limit_growth(USUAL_LIMIT);
    map_growing((slot + 1) * SLOT_SIZE + 2 * USUAL_LIMIT);
    child = fork();
    EXPECT(child >= 0);
    if (child == 0) {
        EXPECT(syscall(__NR_prlimit64, parent, RLIMIT_STACK, unlimited, NULL) == 0);
        _exit(0);
    }
    EXPECT(ended_well(child));
    is_other(moved(slot), 0);
}

/* Something else is in the way until it is unmapped. */
static void way_made_free(void) {
    unsigned int slot = slot_to_try();
    unsigned long between = (slot + 1) * SLOT_SIZE + SLOT_SIZE / 2;
    limit_growth(UNLIMITED);
    map_at(between, MAP_FIXED);
    map_growing((slot + 2) * SLOT_SIZE);
    EXPECT(munmap((void *)between, PAGE) == 0);
    is_other(moved(slot), 0);
}

/* A child has what its parent had, and a slot of its own: one of so many gets the next. */
static void inherited(void) {
    enum { CHILDREN = SLOTS + 6, PAGES = 16 };
    unsigned int slot = slot_to_try();
    unsigned long top = (slot + 2) * SLOT_SIZE;
    limit_growth(USUAL_LIMIT);
    map_growing(top);
    for (int i = 0; i < CHILDREN; i++) {
        pid_t child = fork();
        EXPECT(child >= 0);
        if (child == 0) {
            for (unsigned int page = 1; page <= PAGES; page++) {
                *(volatile unsigned int *)(top - page * PAGE) = page;
            }
            for (unsigned int page = 1; page <= PAGES; page++) {
                EXPECT(*(volatile unsigned int *)(top - page * PAGE) == page);
            }
            _exit(0);
        }
        EXPECT(ended_well(child));
    }
}

/* The first access is the kernel's, which writes there what is read from a pipe. */
static void grown_by_the_kernel(void) {
    unsigned int slot = slot_to_try();
    unsigned int word = 12;
    int fds[2];
    EXPECT(pipe(fds) == 0);
    limit_growth(UNLIMITED);
    map_growing((slot + 1) * SLOT_SIZE);
    EXPECT(write(fds[1], &word, sizeof(word)) == sizeof(word));
    EXPECT(read(fds[0], (void *)moved(slot), sizeof(word)) == sizeof(word));
    EXPECT(own_page[0] == OWN);
    is_other(moved(slot), 12);
}

/* The first access is that of a debugger, by whose own limit it grows. */
static void grown_by_a_debugger(void) {
    int status;
    pid_t child = fork();
    EXPECT(child >= 0);
    if (child == 0) {
        unsigned int slot = own_slot();
        slot = slot == 0 || slot == SLOTS - 1 ? 7 : slot;
        limit_growth(USUAL_LIMIT);
        map_growing((slot + 1) * SLOT_SIZE + 2 * USUAL_LIMIT);
        EXPECT(trace(PTRACE_TRACEME, 0, 0, 0) == 0);
        *(volatile unsigned int *)own_page = OWN;
        own_page[1] = slot;
        kill(getpid(), SIGSTOP);
        is_other(moved(slot), 12);
        _exit(0);
    }
    EXPECT(waitpid(child, &status, 0) == child && stopped_by(status) == SIGSTOP);
    {
        long slot = 0;
        unsigned long at = (unsigned long)&own_page[1];
        EXPECT(trace(PTRACE_PEEKDATA, child, at, (unsigned long)&slot) == 0 && slot > 0);
        limit_growth(UNLIMITED);
        EXPECT(trace(PTRACE_POKEDATA, child, moved(slot), 12) == 0);
    }
    EXPECT(trace(PTRACE_CONT, child, 0, 0) == 0);
    EXPECT(ended_well(child));
}

/* A program with more data than 32 MB: its heap goes on into the slots, its stack comes down there.
 */
static void large_program(const char *what) {
    char *arguments[] = {"/bin/large", "1", (char *)what, NULL};
    pid_t child = fork();
    EXPECT(child >= 0);
    if (child == 0) {
        limit_growth(UNLIMITED);
        execve("/bin/large", arguments, environ);
        _exit(9);
    }
    EXPECT(ended_well(child));
}

static void grown_heap(void) {
    large_program("heap");
}

static void grown_stack(void) {
    large_program("stack");
}

const struct test growing_tests[] = {
    {"memory in the own slot: asked for", asked_for},
    {"memory in the own slot: by a hint", hinted},
    {"memory in the own slot: moved there", moved_to},
    {"memory in the own slot: grown upwards", grown_upwards},
    {"memory in the own slot: attached", attached},
    {"memory in the own slot: pages of a file", other_pages_of_a_file},
    {"memory in the own slot: grown downwards", grown_at_once},
    {"memory in the own slot: grown page by page", grown_by_pages},
    {"memory in the own slot: limit raised", limit_raised},
    {"memory in the own slot: limit raised by another", limit_raised_by_another},
    {"memory in the own slot: way made free", way_made_free},
    {"memory in the own slot: inherited", inherited},
    {"memory in the own slot: grown by the kernel", grown_by_the_kernel},
    {"memory in the own slot: grown by a debugger", grown_by_a_debugger},
    {"memory in the own slot: a heap", grown_heap},
    {"memory in the own slot: a stack of exec", grown_stack},
    {0},
};
