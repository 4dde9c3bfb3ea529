/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What does it cost to take its part of the small-space area from a space, over the number of page
 * directories? (Uhlig et al., "Performance of Address-Space Multiplexing on the Pentium", section
 * 5.1: its entries "must be purged from every single existing page table".)
 *
 * Partner 0 is small, `spaces` others are made large, and each calls it while no TLB has anything
 * of it, so that each one's directory has had copies of its entries. Then, in each round, all call
 * it again, it is made large by SpaceControl, which purges them, and small again; and once more,
 * with caches that something else has filled before.
 *
 * For each number n of the list: stream n has the cycles of taking the part away, a sample a round,
 * stream 64 + n of giving it back, and stream 128 + n of taking it away with other things in the
 * caches. Regions n and 128 + n hold the same SpaceControls, with two readings of the clock each. A
 * first round does not count.
 *
 * Parameters (boot command line): spaces=1-8 rounds=20
 */
#include <l4/l4.h>
#include <lib/print.h>
#include <small_space.h>

#include "../measure.h"
#include "../os/l4.h"
#include "../os/os.h"
#include "../parameters.h"
#include "../peer.h"

#define MAX_SPACES 60u
#define LINE       64u
#define OTHER_LOG2 20u /* of memory: more than the second level holds */

enum stream { STREAM_TAKEN = 0, STREAM_GIVEN = 64, STREAM_COLD = 128 };

static const volatile uint8_t *other;

static L4_Word_t control(unsigned partner, L4_Word_t word) {
    L4_Word_t old = 0;
    (void)L4_SpaceControl(l4_partner(partner), word, L4_Nilpage, L4_Nilpage, L4_nilthread, &old);
    return old;
}

/* False: its number is not changed. */
static bool renumber(unsigned partner, L4_Word_t number) {
    return (control(partner, L4_SMALL_SPACE_SET | number) & L4_SMALL_SPACE_DONE) != 0;
}

/* Partner `i` calls partner 0. */
static bool call(unsigned i) {
    os_word_t words[OS_WORDS] = {PEER_CALLS, 1, 1, 1};
    return os_ask(i, words);
}

static bool calls(uint32_t spaces) {
    bool good = true;
    for (unsigned i = 1; i <= spaces; i++) {
        good &= call(i);
    }
    return good;
}

/* Each large one's directory gets copies: no TLB has what they are of, when it calls. */
static bool start(uint32_t spaces) {
    bool good = os_partners_start(spaces + 1);
    L4_Word_t number = good ? control(0, 0) & L4_SMALL_SPACE_NUMBER : 0;
    for (unsigned i = 1; good && i <= spaces; i++) {
        os_word_t words[OS_WORDS] = {PEER_MEET, 0, os_partner_name(0), 0};
        good = renumber(i, L4_LargeSpace) && os_ask(i, words) && renumber(0, L4_LargeSpace) &&
               renumber(0, number) && call(i);
    }
    return good;
}

static void fill_caches(void) {
    for (uint32_t at = 0; at < 1u << OTHER_LOG2; at += LINE) {
        (void)other[at];
    }
}

/* SpaceControl, timed, in region and stream `number`. */
static bool timed(uint32_t number, L4_Word_t small, bool counts) {
    if (counts) {
        measure_begin(number);
    }
    uint32_t begin = measure_cycles();
    bool good = renumber(0, small);
    uint32_t cycles = measure_cycles() - begin;
    if (counts) {
        measure_end(number);
        measure_sample(cycles);
    }
    return good;
}

static bool measure(uint32_t spaces, uint32_t rounds) {
    bool good = start(spaces);
    L4_Word_t number = good ? control(0, 0) & L4_SMALL_SPACE_NUMBER : 0;
    if (number == 0) {
        print("bench-revocation: partners do not start, or are not small\n");
        return false;
    }
    for (uint32_t round = 0; round <= rounds; round++) {
        good &= calls(spaces) && timed(STREAM_TAKEN + spaces, L4_LargeSpace, round > 0) &&
                timed(STREAM_GIVEN + spaces, number, round > 0) && calls(spaces);
        fill_caches();
        good &= timed(STREAM_COLD + spaces, L4_LargeSpace, round > 0) && renumber(0, number);
    }
    os_partners_end();
    if (!good) {
        print("bench-revocation: %u spaces: a call or SpaceControl failed\n", spaces);
    }
    return good;
}

int main(void) {
    uint32_t spaces[MAX_SPACES], rounds;
    os_init();
    unsigned n = parameter_list("spaces", "1-8", spaces, MAX_SPACES);
    if (n == 0 || !parameter_number("rounds", 20, &rounds)) {
        os_finish(2);
    }
    for (unsigned i = 0; i < n; i++) {
        if (spaces[i] < 1 || spaces[i] > MAX_SPACES || rounds == 0) {
            print("parameters: spaces 1 to %u, rounds not 0\n", MAX_SPACES);
            os_finish(2);
        }
    }
    L4_Fpage_t got = L4_Sigma0_GetAny(L4_nilthread, OTHER_LOG2, L4_CompleteAddressSpace);
    if (!os_has_probe() || L4_IsNilFpage(got)) {
        print("bench-revocation: no probe, or no memory; expected to run on the simulator\n");
        os_finish(2);
    }
    other = (const volatile uint8_t *)(uintptr_t)L4_Address(got);
    for (unsigned i = 0; i < n; i++) {
        if (!measure(spaces[i], rounds)) {
            os_finish(1);
        }
        print("POINT spaces=%u rounds=%u\n", spaces[i], rounds);
    }
    os_finish(0);
}
