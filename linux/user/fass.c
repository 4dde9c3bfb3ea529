/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the kernel counts of fast address-space switching (linux/6.12/fass): each test does what one
 * of the counters is for, and looks whether it, and it alone, says so.
 */
#include "test.h"

static const char counters[] = "/sys/kernel/debug/fass";

int fass_counts(void) {
    struct stat found;
    /* There already, when asked a second time; not there at all in other kernels. */
    mount("debugfs", "/sys/kernel/debug", "debugfs", 0, NULL);
    return stat(counters, &found) == 0;
}

/* Kernels with the first patches of the series alone do less, and do not count all. */
static int is_counted(const char *name) {
    int known = has_number(counters, name);
    if (!known) {
        printf("  not counted: %s\n", name);
    }
    return known;
}

static unsigned long counter(const char *name) {
    return number_in(counters, name);
}

static const char SWITCHES[] = "switches", FLUSHES[] = "flushes", AVOIDED[] = "flushes avoided",
                  FOR_COLLISIONS[] = "flushes for collisions", DIRTY[] = "domains recycled dirty",
                  CLEAN[] = "domains recycled clean", ENTRIES[] = "entries loaded",
                  IN_SLOTS[] = "collisions in slots", OF_MAPPINGS[] = "collisions of mappings",
                  WITH_LEFT[] = "collisions with what was left", LEFT[] = "slots left",
                  OF_DATA[] = "flushes of data alone", ASIDE[] = "stepped aside",
                  WITHOUT[] = "address spaces without a slot", SHARED[] = "regions shared",
                  JOINED[] = "regions joined", REGIONS_LEFT[] = "regions left",
                  SAME[] = "mapped where others have it", PAGES[] = "pages of regions loaded",
                  REGIONS_RECYCLED[] = "domains of regions recycled",
                  LOW[] = "private mappings in slots";

/* Above 2 GB, in an area that is nobody's yet, as a rule. */
static const unsigned long HIGH = 0xa2345000;

enum { ROUNDS = 50 };

/*
 * Runs a ring around, with memory where each (or one of so many) writes a word in its turn. The
 * first of it counts, from when all have been there once; its children end before it stops.
 */
static unsigned long around_some(int count, int every, volatile unsigned int *words,
                                 const char *what) {
    struct ring ring;
    unsigned long before = 0, after = 0;
    ring_make(&ring, count);
    for (int round = 0; round < ROUNDS + 1; round++) {
        if (ring.own != 0 || round != 0) {
            ring_wait(&ring);
        }
        if (ring.own == 0 && round == 1) {
            before = counter(what);
        }
        if (ring.own % every == 0) {
            EXPECT(round == 0 || words[ring.own] == (unsigned int)(100 * ring.own + round - 1));
            words[ring.own] = 100 * ring.own + round;
        }
        ring_pass(&ring);
    }
    if (ring.own == 0) {
        ring_wait(&ring);
        after = counter(what);
    }
    ring_end(&ring);
    return after - before;
}

static unsigned long around(int count, volatile unsigned int *words, const char *what) {
    return around_some(count, 1, words, what);
}

static unsigned int words[32];

/*
 * Who starts the tests may be aside, after one whose processes collided, and its children join it.
 * They come back at certain numbers of switches.
 */
static void come_back(void) {
    for (int i = 0; i < 2000 / ROUNDS && around(2, words, FLUSHES) > 2; i++) {
    }
}

static void nothing_is_flushed(void) {
    come_back();
    unsigned long switches = around(2, words, SWITCHES);
    EXPECT(switches >= 2 * ROUNDS && switches < 3 * ROUNDS);
    EXPECT(around(2, words, FLUSHES) <= 2);
    EXPECT(around(2, words, AVOIDED) >= 2 * ROUNDS);
    EXPECT(around(2, words, AVOIDED) < 3 * ROUNDS);
    EXPECT(around(2, words, ENTRIES) <= ROUNDS / 5);
    EXPECT(around(2, words, IN_SLOTS) == 0);
    EXPECT(around(2, words, DIRTY) == 0);
}

/* Thirteen domains: one of twenty programs that run in turn is nearly always without. */
static void domains_are_recycled(void) {
    come_back();
    EXPECT(around(20, words, DIRTY) > ROUNDS);
    EXPECT(around(20, words, IN_SLOTS) <= ROUNDS / 10);
    EXPECT(around(20, words, FOR_COLLISIONS) <= ROUNDS / 10);
}

static volatile unsigned int *map_at(unsigned long at) {
    void *found = mmap((void *)at, PAGE, PROT_READ | PROT_WRITE,
                       MAP_ANONYMOUS | MAP_PRIVATE | MAP_FIXED, -1, 0);
    EXPECT(found == (void *)at);
    return found;
}

/* Thirty that have lines; a flush for what others have at one address makes them clean. */
static void clean_domains(void) {
    unsigned long before = counter(CLEAN);
    volatile unsigned int *at = map_at(0x52345000);
    struct ring ring;
    ring_make(&ring, 30);
    for (int round = 0; round < 3; round++) {
        if (ring.own != 0 || round != 0) {
            ring_wait(&ring);
        }
        if (ring.own % 5 == 0) {
            *at = ring.own;
        }
        ring_pass(&ring);
    }
    ring_finish(&ring);
    EXPECT(counter(CLEAN) > before);
}

/*
 * fork() and exit write the data cache back; instructions stay, until a slot comes to be had again.
 * Who has ended has no domain that could be taken from it.
 */
static void fork_and_exit(void) {
    if (!is_counted(OF_DATA)) {
        return;
    }
    unsigned long flushes = counter(FLUSHES), of_data = counter(OF_DATA);
    unsigned long recycled = counter(CLEAN) + counter(DIRTY);
    for (int i = 0; i < ROUNDS; i++) {
        pid_t child = fork();
        EXPECT(child >= 0);
        if (child == 0) {
            _exit(0);
        }
        EXPECT(ended_well(child));
    }
    EXPECT(counter(OF_DATA) >= of_data + 2 * ROUNDS);
    EXPECT(counter(FLUSHES) <= flushes + 2 + ROUNDS / 20);
    EXPECT(counter(CLEAN) + counter(DIRTY) <= recycled + ROUNDS / 20);
}

/* Threads that run while another is in fork(), whose TLB entries must be the new ones. */
static void threads_in_fork(void) {
    if (is_counted(OF_DATA)) {
        threads_run_in_fork();
    }
}

/*
 * Two take it from each other, and flush, until they step aside; then they flush all the same. A
 * switch either has its flush, at once or in a collision later, or is spared it.
 */
static void collide(volatile unsigned int *at, const char *counted, const char *other) {
    if (!is_counted(ASIDE)) {
        return;
    }
    enum { SWITCHED, FLUSHED, SPARED, SUMS };
    static const char *const sums[SUMS] = {SWITCHES, FLUSHES, AVOIDED};
    unsigned long asides = counter(ASIDE), others = counter(other), before[SUMS], sum[SUMS];
    unsigned long found;
    numbers_in(counters, sums, before, SUMS);
    found = around(2, at, counted);
    numbers_in(counters, sums, sum, SUMS);
    for (int i = 0; i < SUMS; i++) {
        sum[i] -= before[i];
    }
    EXPECT(found >= 3 && found <= ROUNDS / 2);
    EXPECT(counter(ASIDE) >= asides + 2);
    EXPECT(counter(other) <= others + ROUNDS / 5);
    EXPECT(sum[FLUSHED] >= 2 * ROUNDS);
    /* Who comes back to collide flushes twice. */
    EXPECT(sum[SPARED] + sum[FLUSHED] >= sum[SWITCHED]);
    EXPECT(sum[SPARED] + sum[FLUSHED] <= sum[SWITCHED] + 5);
    EXPECT(sum[SPARED] <= ROUNDS / 5);
}

/* At an address in a slot that is neither's. */
static void collisions_in_slots(void) {
    collide(map_at(0x52345000), IN_SLOTS, OF_MAPPINGS);
}

/* What a parent has mapped, its child has at the same address. */
static void collisions_of_mappings(void) {
    collide(map_at(HIGH), OF_MAPPINGS, IN_SLOTS);
}

/* Below 32 MB they do not meet: there private memory is, while there is room. */
static void private_memory(void) {
    if (!is_counted(LOW)) {
        return;
    }
    unsigned long low = counter(LOW);
    volatile unsigned int *at = fresh(PAGE, MAP_PRIVATE);
    EXPECT(counter(LOW) == low + 1);
    EXPECT(around(2, at, FLUSHES) <= 2);
    EXPECT(around(8, at, FLUSHES) <= 2);
    EXPECT(around(8, at, OF_MAPPINGS) <= 2);
}

/*
 * Who does not collide any more is back when the number of switches is a multiple of 512; of 1024,
 * if it has come back in vain.
 */
static void aside_and_back(void) {
    if (!is_counted(ASIDE)) {
        return;
    }
    enum { COLLIDING = 20, BACK = 560, LAST = 580 };
    volatile unsigned int *at = map_at(HIGH);
    unsigned long asides = counter(ASIDE), flushes = 0;
    struct ring ring;
    ring_make(&ring, 2);
    for (int round = 0; round < LAST; round++) {
        if (ring.own != 0 || round != 0) {
            ring_wait(&ring);
        }
        if (round < COLLIDING) {
            *at = round;
        }
        if (ring.own == 0 && round == BACK) {
            flushes = counter(FLUSHES);
        }
        ring_pass(&ring);
    }
    if (ring.own == 0) {
        ring_wait(&ring);
        flushes = counter(FLUSHES) - flushes;
    }
    ring_end(&ring);
    EXPECT(counter(ASIDE) >= asides + 2);
    EXPECT(flushes <= (LAST - BACK) / 4);
}

/* Where an entry went with its domain, taken by one of the many in between, its lines are still
 * there. */
static void collisions_with_ghosts(void) {
    EXPECT(around_some(30, 15, map_at(0x52345000), WITH_LEFT) > ROUNDS / 2);
}

/* What a parent and its child share is at one address: in caches and TLBs for both. */
static void shared_memory(void) {
    if (!is_counted(SHARED)) {
        return;
    }
    volatile unsigned int *at = fresh(PAGE, MAP_SHARED);
    unsigned long shared = counter(SHARED), joined = counter(JOINED), left = counter(REGIONS_LEFT);
    EXPECT(around(2, at, FLUSHES) <= 4);
    EXPECT(counter(SHARED) == shared + 1);
    EXPECT(counter(JOINED) == joined + 1);
    EXPECT(counter(REGIONS_LEFT) == left + 1);
    EXPECT(around(10, at, FLUSHES) <= 20);
    EXPECT(around(10, at, PAGES) <= 10);
    EXPECT(around(2, at, OF_MAPPINGS) <= 2);
    EXPECT(around(2, at, ENTRIES) <= ROUNDS / 5);
}

/* At more places than there are domains for it: what is taken from one place flushes no cache. */
static void shared_places(void) {
    if (!is_counted(SHARED)) {
        return;
    }
    enum { PLACES = 6, WORDS = 8 };
    volatile unsigned int *at[PLACES];
    unsigned long recycled, flushes = 0;
    struct ring ring;
    come_back();
    recycled = counter(REGIONS_RECYCLED);
    for (int place = 0; place < PLACES; place++) {
        at[place] = fresh(PAGE, MAP_SHARED);
    }
    ring_make(&ring, 2);
    for (int round = 0; round < ROUNDS; round++) {
        if (ring.own != 0 || round != 0) {
            ring_wait(&ring);
        }
        if (ring.own == 0 && round == 2) {
            flushes = counter(FLUSHES);
        }
        for (int place = 0; place < PLACES; place++) {
            EXPECT(at[place][WORDS * ring.own] == (unsigned int)round * (place + 1));
            at[place][WORDS * ring.own] = (round + 1) * (place + 1);
        }
        ring_pass(&ring);
    }
    if (ring.own == 0) {
        ring_wait(&ring);
        EXPECT(counter(FLUSHES) <= flushes + 4);
        EXPECT(counter(REGIONS_RECYCLED) >= recycled + ROUNDS);
    }
    ring_end(&ring);
}

/* How long a futex's page takes the kernel, in nanoseconds, if so many have used it just now. */
static long long futex_among(int count) {
    enum { CALLS = 100 };
    volatile int *word = fresh(PAGE, MAP_SHARED);
    long long took = 0;
    struct ring ring;
    ring_make(&ring, count);
    for (int round = 0; round < 3; round++) {
        if (ring.own != 0 || round != 0) {
            ring_wait(&ring);
        }
        *word += 1;
        /* The others have been there twice, and wait. */
        if (ring.own == 0 && round == 2) {
            took = monotonic();
            for (int i = 0; i < CALLS; i++) {
                EXPECT(futex_wake((int *)word, 1) == 0);
            }
            took = monotonic() - took;
        }
        ring_pass(&ring);
    }
    ring_finish(&ring);
    EXPECT(*word == 3 * count);
    return took / CALLS;
}

/* All have it at one address: its lines are flushed once, not once for each. */
static void futex_of_many(void) {
    if (!is_counted(SHARED)) {
        return;
    }
    long long two = futex_among(2), twelve = futex_among(12);
    printf("  futex: %d ns among 2, %d ns among 12\n", (int)two, (int)twelve);
    /* There are more mappings to look at, which is all that takes longer on QEMU: 1.4 times. */
    EXPECT(2 * twelve < 3 * two);
}

/* Who maps something in its own slot's addresses leaves it; who does in all has none. */
static void slots_are_left(void) {
    unsigned long left = counter(LEFT), without = counter(WITHOUT);
    for (int slot = 1; slot < 64; slot++) {
        *map_at(((unsigned long)slot << 25) + 0x12000) = slot;
    }
    EXPECT(counter(LEFT) > left);
    EXPECT(counter(WITHOUT) == without + 1);
    for (int slot = 1; slot < 64; slot++) {
        EXPECT(*(unsigned int *)(((unsigned long)slot << 25) + 0x12000) == (unsigned int)slot);
    }
}

/* Two map a file after the fork(), and none says where; one does so anew each time. */
static void mapped_by_each(void) {
    enum { FILE_BYTES = 4 * PAGE, TURNS_EACH = 20 };
    int fd = scratch_file(FILE_BYTES, 0);
    unsigned long flushes = 0, same = 0;
    volatile unsigned int *pages = NULL;
    struct ring ring;
    if (!is_counted(SAME)) {
        return;
    }
    come_back();
    ring_make(&ring, 2);
    for (unsigned int turn = ring.own; turn < 2 * TURNS_EACH; turn += 2) {
        if (turn != 0) {
            ring_wait(&ring);
        }
        if (turn == 2) {
            flushes = counter(FLUSHES);
            same = counter(SAME);
        }
        if (turn < 2 || ring.own != 0) {
            EXPECT(turn < 2 || munmap((void *)pages, FILE_BYTES) == 0);
            pages = mmap(NULL, FILE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
            EXPECT(pages != MAP_FAILED);
        }
        EXPECT(turn == 0 || pages[0] == turn - 1);
        pages[0] = turn;
        ring_pass(&ring);
    }
    if (ring.own == 0) {
        ring_wait(&ring);
        EXPECT(counter(SAME) - same >= TURNS_EACH - 2);
        EXPECT(counter(FLUSHES) - flushes <= 6);
    }
    ring_end(&ring);
}

/* One takes rights from what two share, and gives them back: soon they share it again. */
static void rights_given_back(void) {
    enum { SHARED_BYTES = 4 * PAGE, TURNS_EACH = 32, EACH = 8 };
    unsigned long flushes = 0, given = 0;
    volatile unsigned int *pages;
    struct ring ring;
    if (!is_counted(SHARED)) {
        return;
    }
    come_back();
    pages = fresh(SHARED_BYTES, MAP_SHARED);
    ring_make(&ring, 2);
    for (unsigned int turn = ring.own; turn < 2 * TURNS_EACH; turn += 2) {
        if (turn != 0) {
            ring_wait(&ring);
        }
        if (turn == 4) {
            flushes = counter(FLUSHES);
        }
        if (ring.own == 0 && turn % EACH == 4) {
            EXPECT(protect((void *)pages, SHARED_BYTES, PROT_READ) == 0);
            EXPECT(protect((void *)pages, SHARED_BYTES, PROT_READ | PROT_WRITE) == 0);
            given++;
        }
        EXPECT(pages[0] == turn);
        pages[0] = turn + 1;
        ring_pass(&ring);
    }
    if (ring.own == 0) {
        ring_wait(&ring);
        flushes = counter(FLUSHES) - flushes;
        printf("  rights given back %d times: %d flushes\n", (int)given, (int)flushes);
        EXPECT(flushes <= 3 * given);
    }
    ring_end(&ring);
}

const struct test fass_tests[] = {
    {"a switch flushes nothing", nothing_is_flushed},
    {"domains are recycled", domains_are_recycled},
    {"domains are recycled clean", clean_domains},
    {"fork and exit flush data", fork_and_exit},
    {"threads run in fork", threads_in_fork},
    {"collisions in slots", collisions_in_slots},
    {"collisions of mappings", collisions_of_mappings},
    {"private memory does not collide", private_memory},
    {"aside and back", aside_and_back},
    {"collisions with what was left", collisions_with_ghosts},
    {"slots are left", slots_are_left},
    {"shared memory is shared", shared_memory},
    {"shared memory at many places", shared_places},
    {"a futex of many", futex_of_many},
    {"a file that each maps", mapped_by_each},
    {"rights that are given back", rights_given_back},
    {0},
};
