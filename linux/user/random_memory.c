/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What programs that are drawn do to memory. Of shared areas each process writes words of its own
 * alone, and reads those of others only while nobody else runs: so what it finds depends on the
 * plan, and not on the scheduler.
 */
#include "random.h"

#include <linux/mman.h>

#include "threads.h"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

enum { WORDS = PAGE / sizeof(uint32_t), STATIC_PAGES = 16, STACK_PAGES = 64 };

/* This process's mappings, which a child inherits with the memory. */
static struct mapped {
    uint32_t *at; /* NULL: it has none */
} mapped[MOST_AREAS];

static int files[MOST_AREAS], segments[MOST_AREAS];
static unsigned int displaced;
static unsigned int turns[MOST_OPS]; /* in which an op was to be done or left out */
static uint32_t data[STATIC_PAGES * WORDS];

unsigned int memory_displaced(void) {
    return displaced;
}

void memory_prepare(const struct plan *plan) {
    for (unsigned int i = 0; i < plan->area_count; i++) {
        const struct area *area = &plan->areas[i];
        if (area->kind == MAPPED_FILE) {
            files[i] = scratch_file(area->pages * PAGE, plan->seed + i);
        } else if (area->kind == SEGMENT) {
            segments[i] = shared_segment(area->pages * PAGE);
            EXPECT(segments[i] >= 0);
        }
    }
}

void memory_end(const struct plan *plan) {
    for (unsigned int i = 0; i < plan->area_count; i++) {
        if (plan->areas[i].kind == SEGMENT) {
            EXPECT(shared_remove(segments[i]) == 0);
        }
    }
}

/* A mapping where the area is to be, or, if something is there, elsewhere. */
static void *map(const struct area *area, unsigned int number, size_t bytes) {
    int flags = area->shared ? MAP_SHARED : MAP_PRIVATE;
    int fd = area->kind == MAPPED_FILE ? files[number] : -1;
    void *wanted = area->place == ANYWHERE ? NULL : (void *)(unsigned long)area->at, *at;
    flags |= fd < 0 ? MAP_ANONYMOUS : 0;
    flags |= area->place == FIXED ? MAP_FIXED_NOREPLACE : 0;
    at = mmap(wanted, bytes, PROT_READ | PROT_WRITE, flags, fd, 0);
    if (area->place == FIXED && at != wanted) {
        displaced++;
        at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags & ~MAP_FIXED_NOREPLACE, fd, 0);
    }
    EXPECT(at != MAP_FAILED);
    return at;
}

/* Its last page; it grows to the others when they are touched. */
static void *map_growing(const struct area *area) {
    char *last = (char *)(unsigned long)area->at + (area->pages - 1) * PAGE;
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN | MAP_FIXED_NOREPLACE;
    EXPECT(mmap(last, PAGE, PROT_READ | PROT_WRITE, flags, -1, 0) == last);
    return (void *)(unsigned long)area->at;
}

/* More heap; a mapping where another one is in its way, as heaps begin anywhere. */
static void *map_heap(size_t bytes) {
    char *at = (char *)(((unsigned long)heap_end(NULL) + PAGE - 1) & -PAGE);
    if (heap_end(at + bytes) != at + bytes) {
        displaced++;
        at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        EXPECT(at != MAP_FAILED);
    }
    return at;
}

void memory_map(const struct plan *plan, unsigned int number) {
    const struct area *area = &plan->areas[number];
    size_t bytes = area->pages * PAGE;
    void *at;
    switch (area->kind) {
    case HEAP:
        at = map_heap(bytes);
        break;
    case SEGMENT:
        at = shared_attach(segments[number]);
        EXPECT(at != MAP_FAILED);
        break;
    case GROWING:
        at = map_growing(area);
        break;
    default:
        at = map(area, number, bytes);
    }
    mapped[number].at = at;
}

void memory_unmap(const struct plan *plan, unsigned int number) {
    EXPECT(munmap(mapped[number].at, plan->areas[number].pages * PAGE) == 0);
    mapped[number].at = NULL;
}

/* ---- touching ---- */

struct touch {
    uint32_t *at;
    unsigned int pages, words, lane;
    bool reads, writes, shared, alone;
    uint32_t sum;
};

/* Word after word, evenly over each page. */
static void touch(struct touch *touch) {
    uint32_t sum = touch->sum;
    unsigned int step = WORDS / touch->words;
    for (unsigned int page = 0; page < touch->pages; page++) {
        uint32_t *words = touch->at + page * WORDS;
        for (unsigned int i = 0; i < touch->words; i++) {
            unsigned int own = i * step, other = own;
            if (touch->shared) {
                own = (own & -LANES) + touch->lane;
                other = touch->alone ? (own & -LANES) + (touch->lane + i + 1) % LANES : own;
            }
            if (touch->reads) {
                sum = (sum << 5 | sum >> 27) ^ ((volatile uint32_t *)words)[other];
            }
            if (touch->writes) {
                words[own] = sum + page * WORDS + own;
                sum += 0x9e3779b9;
            }
        }
    }
    touch->sum = sum;
}

static __attribute__((noinline)) uint32_t touch_stack(unsigned int pages, uint32_t sum) {
    volatile uint32_t frame[WORDS];
    frame[0] = sum;
    frame[WORDS / 2] = pages;
    if (pages > 1) {
        sum = touch_stack(pages - 1, sum + 1);
    }
    return sum ^ frame[0] ^ frame[WORDS / 2];
}

/* ---- another thread, of each process that has use for one ---- */

static struct {
    struct thread thread;
    int asked, done; /* how often: futexes */
    struct touch touch;
} helper;

static void help(struct thread *thread) {
    (void)thread;
    for (int done = 0;; done++) {
        while (*(volatile int *)&helper.asked == done) {
            futex_wait(&helper.asked, done);
        }
        touch(&helper.touch);
        *(volatile int *)&helper.done = done + 1;
        futex_wake(&helper.done, 1);
    }
}

/* A child of fork() has its parent's numbers, and no thread: it begins anew. */
static pid_t helped;

static void touch_by_thread(struct touch *touch) {
    if (helped != getpid()) {
        helped = getpid();
        helper.asked = helper.done = 0;
        EXPECT(thread_begin(&helper.thread, help));
    }
    int asked = helper.asked + 1;
    helper.touch = *touch;
    *(volatile int *)&helper.asked = asked;
    futex_wake(&helper.asked, 1);
    while (*(volatile int *)&helper.done != asked) {
        futex_wait(&helper.done, asked - 1);
    }
    *touch = helper.touch;
}

/* ---- what changes mappings ---- */

static void protect_and_touch(struct touch *t, size_t bytes) {
    bool writes = t->writes;
    EXPECT(protect(t->at, bytes, PROT_READ) == 0);
    t->reads = true;
    t->writes = false;
    touch(t);
    EXPECT(protect(t->at, bytes, PROT_READ | PROT_WRITE) == 0);
    t->writes = writes;
    touch(t);
}

/* Half as many pages more, and as many as before, wherever that is then. */
static void resize_and_touch(struct mapped *area, struct touch *t, unsigned int pages) {
    unsigned int more = pages + pages / 2 + 1;
    area->at = remap(area->at, pages * PAGE, more * PAGE, MREMAP_MAYMOVE, NULL);
    EXPECT(area->at != MAP_FAILED);
    t->at = area->at;
    touch(t);
    t->at += pages * WORDS;
    t->pages = more - pages;
    t->writes = true;
    touch(t);
    EXPECT(remap(area->at, more * PAGE, pages * PAGE, 0, NULL) == area->at);
}

static void grow_and_touch(struct touch *t) {
    void *end = heap_end(NULL);
    unsigned int before = displaced;
    t->at = map_heap(t->pages * PAGE);
    t->writes = true;
    t->shared = false;
    void *at = t->at;
    touch(t);
    EXPECT(displaced == before ? heap_end(end) == end : munmap(at, t->pages * PAGE) == 0);
}

static uint32_t status_of(pid_t child) {
    int status;
    EXPECT(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void fork_and_touch(struct touch *t) {
    pid_t child = fork();
    if (child == 0) {
        touch(t);
        leave(t->sum & 0x7f);
    }
    t->sum ^= status_of(child);
}

static void execute(struct touch *t) {
    char number[12];
    char *arguments[] = {(char *)"/bin/random", (char *)"leaf", number, NULL};
    utoa_r(t->sum & 0xffff, number);
    pid_t child = fork();
    if (child == 0) {
        execve(arguments[0], arguments, NULL);
        leave(127);
    }
    t->sum ^= status_of(child);
}

/* ---- what leaves mappings as they are ---- */

static void use_file(struct touch *t, int fd) {
    for (unsigned int page = 0; page < t->pages; page++) {
        uint32_t word = t->sum + page;
        long at = (page * WORDS + t->lane) * sizeof(word);
        EXPECT(lseek(fd, at, SEEK_SET) == at);
        if (t->writes && t->alone) {
            EXPECT(write(fd, &word, sizeof(word)) == sizeof(word));
            EXPECT(lseek(fd, at, SEEK_SET) == at);
        }
        EXPECT(read(fd, &word, sizeof(word)) == sizeof(word));
        t->sum = (t->sum << 3 | t->sum >> 29) ^ word;
    }
}

static volatile uint32_t handled;

static void count_signal(int signal, siginfo_t *info, void *context) {
    (void)signal;
    (void)info;
    (void)context;
    handled++;
}

static uint32_t compute(unsigned int amount, uint32_t sum) {
    for (unsigned int i = 0; i < amount; i++) {
        sum = scramble(sum + i);
    }
    return sum;
}

uint32_t memory_do(const struct plan *plan, const struct op *op, unsigned int own, bool alone,
                   uint32_t sum) {
    const struct area *area = &plan->areas[op->area];
    struct mapped *where = &mapped[op->area];
    struct touch t = {.at = where->at,
                      .pages = op->pages,
                      .words = op->words,
                      .lane = own,
                      .reads = op->reads,
                      .writes = op->writes,
                      .shared = area->shared,
                      .alone = alone,
                      .sum = sum};
    unsigned int turn = turns[op - plan->processes[own].ops]++;
    if (turn % op->every != 0) {
        return sum;
    }
    switch (op->action) {
    case TOUCH:
    case ACTIONS:
        touch(&t);
        break;
    case STATIC:
        t.at = data;
        t.pages = t.pages < STATIC_PAGES ? t.pages : STATIC_PAGES;
        t.shared = false;
        touch(&t);
        break;
    case STACK:
        t.sum = touch_stack(t.pages < STACK_PAGES ? t.pages : STACK_PAGES, t.sum);
        break;
    case COMPUTE:
        t.sum = compute(op->amount, t.sum);
        break;
    case CALLS:
        for (unsigned int i = 0; i < op->amount; i++) {
            t.sum += getpid() == getpid();
        }
        break;
    case THREAD:
        touch_by_thread(&t);
        break;
    case FILES:
        use_file(&t, files[op->area]);
        break;
    case SIGNALS:
        EXPECT(handle(SIGUSR1, count_signal, 0) == 0 && kill(getpid(), SIGUSR1) == 0);
        t.sum += handled;
        break;
    case PROTECT:
        protect_and_touch(&t, t.pages * PAGE);
        break;
    case RENEW:
        memory_unmap(plan, op->area);
        memory_map(plan, op->area);
        t.at = where->at;
        touch(&t);
        break;
    case RESIZE:
        resize_and_touch(where, &t, area->pages);
        break;
    case GROW:
        grow_and_touch(&t);
        break;
    case DISCARD:
        EXPECT(syscall(__NR_madvise, t.at, t.pages * PAGE, MADV_DONTNEED) == 0);
        touch(&t);
        break;
    case FORK:
        fork_and_touch(&t);
        break;
    case EXECUTE:
        execute(&t);
        break;
    }
    return t.sum;
}
