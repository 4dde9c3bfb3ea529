/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a Pentium 4's caches, TLBs, trace cache, branches and ways into the kernel cost, by loops.
 *
 * Without an operating system. Each point has a stream and a region of its own, numbered as they
 * are measured: first the cases below, then the series, whose points the command line lists (main,
 * at the end). A stream has the turns and the steps of a turn, then pairs of samples: so many
 * turns, and twice as many; what the second takes more is that of so many, without call and clock.
 * Pairs before them warm up; the first may still be off, as branches before it were others.
 *
 * Cycles are the processor's own, by RDTSC. Parameters (boot command line): pairs=3 least=2048
 * load=4,... store=4,... (KB) pages=8,... entries=1,... uops=1024,...
 */
#include <lib/print.h>

#include "../measure.h"
#include "../os/bare_ia32.h"
#include "../os/os.h"
#include "../parameters.h"
#include "p4.h"

#define STREAMS 256u
#define POINTS  32u /* of a list */
#define PAIRS   64u /* at most */

/* How often a loop goes round, and the steps of a turn; where it runs, and with what. */
enum way {
    PLAIN,   /* at level 0, in pages that are not global */
    GLOBAL,  /* the same, in global ones */
    CODE,    /* on code that may be written */
    LEVEL_3, /* at level 3 */
    ENTRY,   /* there, and the loop takes the time: of entries to level 0, */
    RETURN   /* of returns */
};

/* The host knows them by their order (switchyard/experiments/p4_microbench/cases.py). */
/* clang-format off */
#define CASES(_) \
    _(empty, 256, 1, PLAIN) _(add, 64, UNROLLED, PLAIN) _(add_dependent, 64, UNROLLED, PLAIN) \
    _(load, 64, UNROLLED, PLAIN) _(store, 64, UNROLLED, PLAIN) \
    _(branch_predictable, 4096, 1, PLAIN) _(branch_random, 4096, 1, PLAIN) \
    _(load_ds, 16, 16, PLAIN) _(load_es, 16, 16, PLAIN) _(load_fs, 16, 16, PLAIN) \
    _(load_gs, 16, 16, PLAIN) _(load_ss, 16, 16, PLAIN) _(switch_segments, 64, 1, PLAIN) \
    _(sysenter, 64, 1, LEVEL_3) _(int80, 64, 1, LEVEL_3) _(call_gate, 64, 1, LEVEL_3) \
    _(int80_entry, 64, 1, ENTRY) _(int80_return, 64, 1, RETURN) \
    _(interrupt_entry, 16, 1, ENTRY) _(interrupt_return, 16, 1, RETURN) \
    _(cr3_load, 64, 1, PLAIN) _(cr3_load_global, 64, 1, GLOBAL) _(toggle_pge, 64, 1, GLOBAL) \
    _(invlpg, 64, 1, PLAIN) _(lock_xadd, 64, 1, PLAIN) _(cpuid, 64, 1, PLAIN) \
    _(rdtsc, 64, 1, PLAIN) _(in_80, 64, 1, PLAIN) _(in_61, 64, 1, PLAIN) \
    _(store_and_call, 64, 1, CODE) _(self_modifying, 64, 1, CODE) _(wbinvd, 64, 1, PLAIN)
/* clang-format on */

#define DECLARED(name, times, steps, way) loop p4_##name;
CASES(DECLARED)

static const struct one {
    loop *body;
    uint32_t times, steps;
    enum way way;
} cases[] = {
#define LISTED(name, times, steps, way) {p4_##name, times, steps, way},
    CASES(LISTED)};

static uint32_t pairs, least;
static uint32_t point;
static uint32_t took[2 * PAIRS];

/* Nothing overtakes the clock: CPUID waits for all before it. */
static uint32_t now(void) {
    uint32_t low = 0;
    __asm__ volatile("cpuid\n\trdtsc" : "+a"(low) : : "ebx", "ecx", "edx", "memory");
    return low;
}

static void run(const struct one *one, uint32_t times, const void *from) {
    if (one->way >= LEVEL_3) {
        p4_at_level_3(one->body, times, from);
    } else {
        one->body(times, from);
    }
}

/* Runs so many pairs. Nothing else is done between them, and the processor sees each alike. */
static __attribute__((noinline)) void run_pairs(const struct one *one, const void *from,
                                                uint32_t n) {
    for (uint32_t i = 0; i < 2 * n; i++) {
        uint32_t times = i % 2 == 0 ? one->times : 2 * one->times;
        uint32_t begin = now();
        run(one, times, from);
        took[i] = now() - begin;
        if (one->way >= ENTRY) {
            took[i] = p4_stamps[one->way == RETURN];
        }
    }
}

/* One point, warm. */
static void measure(const struct one *one, const void *from) {
    if (point == STREAMS) {
        print("P4 more than %u points\n", STREAMS);
        os_finish(1);
    }
    run_pairs(one, from, 2);
    measure_begin(point);
    run_pairs(one, from, pairs);
    measure_end(point++);
    measure_sample(one->times);
    measure_sample(one->steps);
    for (uint32_t i = 0; i < 2 * pairs; i++) {
        measure_sample(took[i]);
    }
}

/* A point of a series: at least so many steps, and all of what they go through. */
static void series(loop *body, uint32_t steps, uint32_t whole, const void *from) {
    uint32_t all = whole > least ? whole : least;
    struct one one = {body, (all + steps - 1) / steps, steps, PLAIN};
    measure(&one, from);
}

static void run_cases(void) {
    for (unsigned n = 0; n < sizeof cases / sizeof *cases; n++) {
        memory_global(cases[n].way == GLOBAL);
        measure(&cases[n], cases[n].way == CODE ? memory_written() : memory_block());
    }
    memory_global(false);
}

/* Latency of a load by how much is gone through, in one large page. */
static void run_loads(const uint32_t *kilobytes, unsigned n) {
    for (unsigned i = 0; i < n; i++) {
        uint32_t lines = kilobytes[i] * 16;
        series(p4_chase, CHAIN, lines, memory_chain(LARGE, lines));
    }
}

/* Stores one after the other, by how much is gone through: a power of two. */
static void run_stores(const uint32_t *kilobytes, unsigned n) {
    for (unsigned i = 0; i < n; i++) {
        p4_count = kilobytes[i] * 1024;
        series(p4_store_through, STORES, p4_count / 4, memory_block());
    }
}

/* A line a page, and the same lines in one page; a jump a page, and the same in one. */
static void run_pages(const uint32_t *pages, unsigned n) {
    for (unsigned i = 0; i < n; i++) {
        series(p4_chase, CHAIN, pages[i], memory_chain(SMALL, pages[i]));
        series(p4_chase, CHAIN, pages[i], memory_chain(LARGE, pages[i]));
    }
    for (unsigned i = 0; i < n; i++) {
        series(p4_call, pages[i], pages[i], memory_jumps(SMALL, pages[i]));
        series(p4_call, pages[i], pages[i], memory_jumps(LARGE, pages[i]));
    }
}

/* Code that is gone through over and over; and after a load of CR3. */
static void run_straight(const uint32_t *uops, unsigned n) {
    for (unsigned i = 0; i < n; i++) {
        const void *code = memory_straight(uops[i]);
        series(p4_call, uops[i], uops[i], code);
        series(p4_cr3_call, uops[i], uops[i], code);
    }
}

/* What is used again after a load of CR3: lines, and jumps, a page each, which it takes away or,
 * as they are global, does not. */
static void run_refills(const uint32_t *entries, unsigned n) {
    for (unsigned i = 0; i < n; i++) {
        p4_count = entries[i];
        series(p4_cr3_chase, p4_count, p4_count, memory_chain(SMALL, p4_count));
        series(p4_cr3_chase, p4_count, p4_count, memory_chain(SMALL_GLOBAL, p4_count));
        series(p4_chase_again, p4_count, p4_count, memory_chain(SMALL, p4_count));
    }
    for (unsigned i = 0; i < n; i++) {
        series(p4_cr3_call, entries[i], entries[i], memory_jumps(SMALL, entries[i]));
        series(p4_cr3_call, entries[i], entries[i], memory_jumps(SMALL_GLOBAL, entries[i]));
        series(p4_call, entries[i], entries[i], memory_jumps(SMALL, entries[i]));
    }
}

/* A list of the command line, none of whose numbers is 0 or above `most`. */
static unsigned list(const char *name, const char *otherwise, uint32_t *values, uint32_t most) {
    unsigned n = parameter_list(name, otherwise, values, POINTS);
    for (unsigned i = 0; i < n; i++) {
        if (values[i] == 0 || values[i] > most) {
            print("parameter %s: expected 1 to %u\n", name, most);
            n = 0;
        }
    }
    if (n == 0) {
        os_finish(1);
    }
    return n;
}

int main(void) {
    uint32_t values[POINTS];
    os_init();
    if (!os_has_probe() || !parameter_number("pairs", 3, &pairs) ||
        !parameter_number("least", 2048, &least) || pairs == 0 || pairs > PAIRS) {
        os_finish(1);
    }
    memory_map();
    p4_levels();
    run_cases();
    run_loads(values, list("load", "4,64,1024", values, CHAIN_LINES / 16));
    run_stores(values, list("store", "4,64,1024", values, CHAIN_LINES / 16));
    run_pages(values, list("pages", "16,256", values, CHAIN_PAGES));
    memory_global(true);
    run_straight(values, list("uops", "1024,16384", values, STRAIGHT_MOST));
    run_refills(values, list("entries", "1,60", values, CHAIN_PAGES));
    print("P4 points=%u pairs=%u\n", point, pairs);
    os_finish(0);
}
