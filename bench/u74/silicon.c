/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What can be compared with measurements of SiFive's U74: loops of single instructions, chains of
 * pointers through memory of several sizes, bytes at random in pages of 4 KB and of 2 MB, blocks.
 *
 * Without an operating system, in machine mode; loads and stores are translated as supervisor's
 * (mstatus.MPRV). Samples are as those of ../silicon.c. Cases of memory go on where the sample
 * before ended, so that what is larger than the caches is not in them.
 *
 * Parameters (boot command line): times=64 pairs=3
 */
#include <lib/print.h>
#include <stddef.h>

#include "../measure.h"
#include "../os/os.h"
#include "../parameters.h"

#define LINE  64u
#define STEPS 16u /* UNROLLED of cases.S */
#define LEAST 16u
/* So many lines of a pair, and those before, are in a half of memory. */
#define MOST ((MEMORY / 2 - BEFORE) / (3 * STEPS * LINE))

#define KB     1024u
#define MB     (1024u * KB)
#define MEMORY (16u * MB)
#define WARM   16u
#define BEFORE (4u * MB) /* bytes of a block that fill the caches before it is measured */

/* Sv39 (privileged manual, "Page-Based 39-bit Virtual-Memory System"): entries that may do all, and
 * have been accessed and written. */
#define PAGE          4096u
#define LARGE_PAGE    (2u * MB)
#define ENTRIES       512u
#define ENTRY(pa)     ((uint64_t)(pa) >> 12 << 10)
#define TABLE         1u
#define LEAF          0xcfu
#define SV39          (8ull << 60)
#define MPRV_AS_S     (1u << 17 | 1u << 11)
#define GIGABYTE_LOG2 30
/* Where the memory is seen in pages of 4 KB, and of 2 MB: two gigabytes above all else. */
#define SMALL_PAGES (16ull << GIGABYTE_LOG2)
#define LARGE_PAGES (17ull << GIGABYTE_LOG2)

typedef uint64_t loop(uint64_t times, uint64_t at, uint64_t to, uint64_t mask);

/* clang-format off */
#define LOOPS(_) \
    _(empty) _(alu) _(alu_chain) _(mul) _(mul_chain) _(load) _(store) _(load_alu) _(branch_not) \
    _(fadd_s) _(fmul_s) _(fmadd_s) _(fmin_s) _(fadd_d) _(fmul_d) _(fmadd_d) _(fmin_d) \
    _(convert_s) _(convert_d) _(move_d) _(widen)
/* clang-format on */

#define DECLARED(name) loop u74_##name;
LOOPS(DECLARED)
loop u74_chase, u74_random, u74_fill, u74_copy;

/* The host knows cases by their order (switchyard/experiments/silicon/u74.py). */
#define NUMBERED(name) CASE_##name,
enum { LOOPS(NUMBERED) INSTRUCTIONS };
#define LISTED(name) [CASE_##name] = u74_##name,
static loop *const instructions[INSTRUCTIONS] = {LOOPS(LISTED)};

/* Chains of pointers, in large pages; bytes at random, in small ones and then in large ones. */
static const uint32_t chains[] = {16 * KB, 256 * KB, 2 * MB, 8 * MB};
static const uint32_t random[] = {16 * KB, 256 * KB, 512 * KB, 1 * MB, 2 * MB, 16 * MB};
#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static uint64_t memory[MEMORY / 8] __attribute__((aligned(LARGE_PAGE)));
static uint64_t root[ENTRIES] __attribute__((aligned(PAGE)));
static uint64_t large[ENTRIES] __attribute__((aligned(PAGE)));
static uint64_t middle[ENTRIES] __attribute__((aligned(PAGE)));
static uint64_t small[MEMORY / LARGE_PAGE][ENTRIES] __attribute__((aligned(PAGE)));

/* Every gigabyte of the board where it is, and the memory twice more. */
static void translate(void) {
    for (uint64_t n = 0; n < 3; n++) {
        root[n] = ENTRY(n << GIGABYTE_LOG2) | LEAF;
    }
    root[SMALL_PAGES >> GIGABYTE_LOG2] = ENTRY((uintptr_t)middle) | TABLE;
    root[LARGE_PAGES >> GIGABYTE_LOG2] = ENTRY((uintptr_t)large) | TABLE;
    for (uint32_t n = 0; n < COUNT(small); n++) {
        uintptr_t at = (uintptr_t)memory + n * LARGE_PAGE;
        large[n] = ENTRY(at) | LEAF;
        middle[n] = ENTRY((uintptr_t)small[n]) | TABLE;
        for (uint32_t page = 0; page < ENTRIES; page++) {
            small[n][page] = ENTRY(at + page * PAGE) | LEAF;
        }
    }
    uint64_t satp = SV39 | (uintptr_t)root >> 12;
    __asm__ volatile("csrw satp, %0\n sfence.vma" ::"r"(satp) : "memory");
    __asm__ volatile("csrs mstatus, %0" ::"r"((uint64_t)MPRV_AS_S) : "memory");
}

/* A ring through all lines of so many bytes: a generator's factor and an odd addend, so that every
 * line comes once (Knuth, 3.2.1.2). */
static void chain(uint32_t bytes) {
    uint32_t lines = bytes / LINE, place = 0;
    for (uint32_t i = 0; i < lines; i++) {
        uint32_t next = (place * 1664525u + 1013904223u) % lines;
        memory[place * (LINE / 8)] = LARGE_PAGES + (uint64_t)next * LINE;
        place = next;
    }
}

static void clear(void) {
    for (size_t i = 0; i < COUNT(memory); i++) {
        memory[i] = 0;
    }
}

/* Reads every line of so many bytes, so often that what fits into a cache whose victims are drawn
 * is in it. */
static void warm(uint64_t at, uint32_t bytes) {
    for (uint32_t turn = 0; turn < (bytes > 2 * MB ? 1 : WARM); turn++) {
        for (uint32_t n = 0; n < bytes; n += LINE) {
            (void)*(volatile uint64_t *)(at + n);
        }
    }
}

static uint32_t times, pairs;

/* What a case has done before it is measured: so many steps. */
static void measure(uint32_t number, loop *run, uint64_t at, uint64_t to, uint64_t mask,
                    uint64_t before) {
    uint64_t end = run(before / STEPS + 1, at, to, mask);
    measure_begin(number);
    for (uint32_t i = 0; i < 2 * pairs; i++) {
        if (run == u74_copy) {
            to += end - at;
        }
        at = end;
        uint32_t begin = measure_cycles();
        end = run(i % 2 == 0 ? times : 2 * times, at, to, mask);
        measure_sample(measure_cycles() - begin);
    }
    measure_end(number);
}

int main(void) {
    os_init();
    if (!os_has_probe() || !parameter_number("times", 64, &times) ||
        !parameter_number("pairs", 3, &pairs) || times < LEAST || pairs == 0 ||
        times > MOST / pairs) {
        os_finish(2);
    }
    translate();
    uint32_t number = 0;
    for (; number < INSTRUCTIONS; number++) {
        measure(number, instructions[number], (uintptr_t)memory, 0, 0, 2 * STEPS);
    }
    for (size_t i = 0; i < COUNT(chains); i++) {
        chain(chains[i]);
        warm(LARGE_PAGES, chains[i]);
        measure(number++, u74_chase, LARGE_PAGES, 0, 0, chains[i] / LINE);
    }
    clear();
    for (size_t i = 0; i < COUNT(random); i++) {
        uint64_t mask = random[i] - 1;
        warm(LARGE_PAGES, random[i]);
        measure(number++, u74_random, 1, SMALL_PAGES, mask, random[i] / LINE);
        measure(number++, u74_random, 1, LARGE_PAGES, mask, random[i] / LINE);
    }
    /* Blocks: one half of memory, and to the other. */
    uint64_t to = LARGE_PAGES + MEMORY / 2;
    measure(number++, u74_fill, LARGE_PAGES, to, 0, BEFORE / LINE);
    measure(number++, u74_copy, LARGE_PAGES, to, 0, BEFORE / LINE);
    print("SILICON times=%u pairs=%u\n", times, pairs);
    os_finish(0);
}
