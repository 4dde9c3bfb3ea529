/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Scenes of one process and its memory: an arena of pages that are mapped, unmapped, moved,
 * protected, thrown away, forked, and looked at, beside a model of them; memory past 32 MB; the
 * heap.
 */
#include "stress.h"

enum { PAGES = 40, WORDS = PAGE / sizeof(unsigned int), PIECE = 64 };

enum { SLOT = 32 << 20, AREA = 16 << 20 }; /* as the kernel with fast switching divides space */

/* mmap() only where nothing is (<linux/mman.h> has it; nolibc's own constants get in its way). */
enum { FIXED_NOREPLACE = 0x100000, DONTNEED = 4, MAYMOVE = 1, FIXED = 2 };

static struct page {
    unsigned char mapped;
    unsigned char protection;
    unsigned int seed;    /* what it holds: filled from this; 0: zeros */
    unsigned int backing; /* what it holds after it was thrown away, in the same way */
} model[PAGES];

static char *arena;
static int probe[2]; /* a pipe: whether the kernel can read a page */

static char *at(unsigned int page) {
    return arena + page * PAGE;
}

/* Where the arena is: where the kernel puts it, in slots, in areas of others. */
static void make_arena(struct random *random) {
    for (;;) {
        unsigned long place = 0;
        unsigned int kind = draw(random, 4);
        if (kind == 1) {
            place = (1 + draw(random, 63)) * (unsigned long)SLOT + draw(random, 8000) * PAGE;
        } else if (kind == 2) {
            place =
                0x80000000ul + draw(random, 60) * (unsigned long)AREA + draw(random, 4000) * PAGE;
        } else if (kind == 3) {
            /* Below 32 MB, and below where a stack there may grow to: 8 MB for where it begins,
             * drawn, and 8 MB for itself. A page between would be mapped by the access that must
             * fail. */
            place = 0x00800000ul + draw(random, 1000) * PAGE;
        }
        arena = mmap((void *)place, PAGES * PAGE, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | (place ? FIXED_NOREPLACE : 0), -1, 0);
        if (arena != MAP_FAILED) {
            EXPECT(place == 0 || arena == (char *)place);
            break;
        }
        /* There are no addresses after the stack: they may end early (docs/linux-l4.md). */
        EXPECT(errno == (place > (unsigned long)&place ? ENOMEM : EEXIST) && place != 0);
    }
    for (unsigned int i = 0; i < PAGES; i++) {
        model[i] = (struct page){.mapped = 1, .protection = PROT_NONE};
    }
    EXPECT(pipe(probe) == 0);
}

static int readable(const struct page *page) {
    return page->mapped && page->protection != PROT_NONE;
}

static int writable(const struct page *page) {
    return page->mapped && page->protection & PROT_WRITE;
}

/* Some of a page, or all of it. */
static void check(struct random *random, unsigned int page) {
    unsigned int first = draw(random, WORDS - PIECE);
    unsigned int count = draw(random, 8) == 0 ? WORDS - first : PIECE;
    unsigned int *words = (unsigned int *)at(page) + first;
    if (!readable(&model[page])) {
        EXPECT(write(probe[1], words, 1) == -1 && errno == EFAULT);
    } else if (model[page].seed) {
        EXPECT(filled(words, count * sizeof(*words), model[page].seed + first));
    } else {
        for (unsigned int i = 0; i < count; i++) {
            EXPECT(words[i] == 0);
        }
    }
}

static void write_page(struct random *random, unsigned int page) {
    if (writable(&model[page])) {
        model[page].seed = 1 + draw(random, 1 << 20) * 1024;
        fill(at(page), PAGE, model[page].seed);
    }
}

/* A range of pages: its first; the number of them to `count`. */
static unsigned int range(struct random *random, unsigned int *count) {
    unsigned int first = draw(random, PAGES);
    *count = 1 + draw(random, PAGES - first > 12 ? 12 : PAGES - first);
    return first;
}

static int draw_protection(struct random *random) {
    static const int all[] = {PROT_NONE, PROT_READ, PROT_READ | PROT_WRITE, PROT_READ | PROT_WRITE,
                              PROT_READ | PROT_WRITE | PROT_EXEC};
    return all[draw(random, LENGTH(all))];
}

static void map_range(struct random *random, int file, unsigned int file_seed) {
    unsigned int count, first = range(random, &count);
    int protection = draw_protection(random);
    int of_file = draw(random, 3) == 0;
    int flags = MAP_PRIVATE | MAP_FIXED | (of_file ? 0 : MAP_ANONYMOUS);
    EXPECT(mmap(at(first), count * PAGE, protection, flags, of_file ? file : -1, 0) == at(first));
    for (unsigned int i = 0; i < count; i++) {
        unsigned int seed = of_file ? file_seed + i * WORDS : 0;
        model[first + i] =
            (struct page){.mapped = 1, .protection = protection, .seed = seed, .backing = seed};
    }
}

static void unmap_range(struct random *random) {
    unsigned int count, first = range(random, &count);
    EXPECT(munmap(at(first), count * PAGE) == 0);
    memset(&model[first], 0, count * sizeof(model[0]));
}

static void protect_range(struct random *random) {
    unsigned int count, first = range(random, &count);
    int protection = draw_protection(random);
    for (unsigned int i = 0; i < count; i++) {
        /* One after the other: a hole would end it half done. */
        if (model[first + i].mapped) {
            EXPECT(protect(at(first + i), PAGE, protection) == 0);
            model[first + i].protection = protection;
        }
    }
}

static void throw_away(struct random *random) {
    unsigned int count, first = range(random, &count);
    int whole = 1;
    for (unsigned int i = 0; i < count; i++) {
        whole &= model[first + i].mapped;
        model[first + i].seed = model[first + i].backing;
    }
    EXPECT(syscall(__NR_madvise, at(first), count * PAGE, DONTNEED) == (whole ? 0 : -1));
}

static void move_page(struct random *random) {
    unsigned int from = draw(random, PAGES), to = draw(random, PAGES);
    if (from != to && model[from].mapped) {
        EXPECT(remap(at(from), PAGE, PAGE, MAYMOVE | FIXED, at(to)) == at(to));
        model[to] = model[from];
        memset(&model[from], 0, sizeof(model[from]));
    }
}

/* A copy of all: the child looks at its own and changes some, while the parent changes others. */
static void copy(struct random *random) {
    pid_t child = forked();
    for (unsigned int i = 0; child == 0 && i < PAGES; i++) {
        check(random, i);
    }
    for (unsigned int i = 0; i < 6; i++) {
        unsigned int page = draw(random, PAGES);
        write_page(random, page);
        check(random, page);
        sched_yield();
    }
    for (unsigned int i = 0; i < PAGES; i++) {
        check(random, i);
    }
    if (child == 0) {
        _exit(0);
    }
    EXPECT(ended_well(child));
}

static void mappings(struct random *random) {
    unsigned int file_seed = 1 + draw(random, 1 << 20) * 1024;
    int file = scratch_file(12 * PAGE, file_seed);
    make_arena(random);
    for (unsigned int step = 0; step < 150; step++) {
        switch (draw(random, 16)) {
        case 0:
        case 1:
            map_range(random, file, file_seed);
            break;
        case 2:
            unmap_range(random);
            break;
        case 3:
            protect_range(random);
            break;
        case 4:
            throw_away(random);
            break;
        case 5:
            move_page(random);
            break;
        case 6:
            if (draw(random, 3) == 0) {
                copy(random);
            }
            break;
        case 7:
            sched_yield();
            break;
        default:
            write_page(random, draw(random, PAGES));
            check(random, draw(random, PAGES));
            break;
        }
    }
    for (unsigned int i = 0; i < PAGES; i++) {
        check(random, i);
    }
}

/* More memory than a slot has, of which some pages are used, before and after a fork(). */
static void large(struct random *random) {
    enum { MEGABYTES = 40, STEP = 1 << 20 };
    char *memory = fresh(MEGABYTES * STEP, MAP_PRIVATE);
    unsigned int offset = draw(random, STEP / PAGE) * PAGE;
    unsigned int seed = draw(random, 1 << 30);
    pid_t child;
    for (unsigned int i = 0; i < MEGABYTES; i++) {
        fill(memory + i * STEP + offset, 256, seed + i);
    }
    child = forked();
    for (unsigned int i = 0; i < MEGABYTES; i++) {
        EXPECT(filled(memory + i * STEP + offset, 256, seed + i));
        fill(memory + i * STEP + offset, 256, seed + i + (child != 0));
        sched_yield();
        EXPECT(filled(memory + i * STEP + offset, 256, seed + i + (child != 0)));
    }
    if (child == 0) {
        _exit(0);
    }
    EXPECT(ended_well(child));
}

/* The heap grows and shrinks; what comes anew is empty. */
static void heap(struct random *random) {
    enum { MOST = 64 };
    char *begin = heap_end(NULL);
    unsigned int pages = 0;
    unsigned int seeds[MOST];
    for (unsigned int step = 0; step < 40; step++) {
        unsigned int now = draw(random, MOST);
        EXPECT(heap_end(begin + now * PAGE) == begin + now * PAGE);
        for (unsigned int i = pages; i < now; i++) {
            EXPECT(*(unsigned int *)(begin + i * PAGE) == 0);
            EXPECT(*(unsigned int *)(begin + i * PAGE + 2048) == 0);
            seeds[i] = draw(random, 1 << 30);
            fill(begin + i * PAGE, 512, seeds[i]);
        }
        pages = now;
        for (unsigned int i = 0; i < pages; i++) {
            EXPECT(filled(begin + i * PAGE, 512, seeds[i]));
        }
        sched_yield();
    }
}

const struct scene memory_scenes[] = {
    {"mappings", mappings, 8},
    {"large", large, 2},
    {"heap", heap, 2},
    {0},
};
