/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What can be compared with measurements of real processors: loops of single instructions, Linux's
 * delay loop, memory by a chain of pointers and by blocks, coprocessor 15.
 *
 * Without an operating system. Samples come in pairs: a case's loop goes around so many times, then
 * twice as many; what the second takes more is that of so many, without call and clock. Their
 * stream is the case's place in the table below. Every loop has gone around before, so that its
 * instructions are in the cache.
 *
 * Parameters (boot command line): times=64 pairs=3
 */
#include <lib/print.h>

#include "measure.h"
#include "os/os.h"
#include "parameters.h"

#define LINE     32u
#define CHAIN    4096u /* lines: 128 KB, eight times the largest data cache here */
#define BLOCK    (CHAIN * LINE)
#define STEPS    16u /* UNROLLED of silicon_cases.S: lines of a block each time */
#define LEAST    64u /* so many times pass twice as many lines as a cache here has */
#define MOST     (CHAIN / STEPS / 2)
#define UNCACHED 0x7f000000u /* where bare_start.S has the image's megabyte once more */

typedef void loop(uint32_t times, void *from, void *to);

/* clang-format off */
#define LOOPS(_) \
    _(empty) _(delay) _(alu) _(alu_dependent) _(shift_constant) _(shift_register) _(load) \
    _(load_used) _(load_byte_used) _(load_signed_used) _(load_shifted) _(store) _(load_four) \
    _(load_eight) _(store_four) _(swap) _(mul_short) _(mul_long) _(branch) _(branch_not) \
    _(mov_pc) _(mrs) _(mrc_used) _(domains) _(drain) _(dtlb_entry) _(clean_entry) _(chase) \
    _(words) _(read) _(write) _(copy)
/* clang-format on */

#define DECLARED(name) loop silicon_##name;
LOOPS(DECLARED)

/* The host knows them by their order (switchyard/experiments/silicon/measure.py). */
#define NUMBERED(name) CASE_##name,
enum { LOOPS(NUMBERED) CASES };
#define LISTED(name) [CASE_##name] = silicon_##name,
static loop *const loops[CASES] = {LOOPS(LISTED)};

static uint8_t memory[2][BLOCK] __attribute__((aligned(32)));

/* A ring through all lines: 5 is a generator's factor for any power of two with an odd addend
 * (Knuth, 3.2.1.2), so that every line comes once. */
static void chain(void) {
    uint32_t place = 0;
    for (uint32_t i = 0; i < CHAIN; i++) {
        uint32_t next = (place * 5 + 1237) % CHAIN;
        *(void **)(void *)(memory[0] + place * LINE) = memory[0] + next * LINE;
        place = next;
    }
}

static void *from_of(unsigned number) {
    if (number == CASE_words) {
        return (void *)(UNCACHED | ((uintptr_t)memory[0] & 0xfffffu));
    }
    return memory[0];
}

int main(void) {
    uint32_t times, pairs;
    os_init();
    if (!os_has_probe() || !parameter_number("times", 64, &times) ||
        !parameter_number("pairs", 3, &pairs) || times < LEAST || times > MOST) {
        os_finish(2);
    }
    for (unsigned number = 0; number < CASES; number++) {
        void *from = from_of(number);
        chain();
        loops[number](2 * times, from, memory[1]);
        measure_begin(number);
        for (uint32_t i = 0; i < 2 * pairs; i++) {
            uint32_t begin = measure_cycles();
            loops[number](i % 2 == 0 ? times : 2 * times, from, memory[1]);
            measure_sample(measure_cycles() - begin);
        }
        measure_end(number);
    }
    print("SILICON times=%u pairs=%u\n", times, pairs);
    os_finish(0);
}
