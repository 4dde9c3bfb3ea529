/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What do different recycling policies cost, for spaces that talk in pairs, in rings and in groups?
 * (The application groups that Uhlig et al. propose in "Performance of Address-Space Multiplexing
 * on the Pentium", section 5.2, and leave open.)
 *
 * `spaces` partners, arranged by `shape`: 1, pairs; 2, one ring; 3, groups of `size`. In each of
 * `bursts` bursts one pair or group, chosen at random, is told to exchange 16 messages with answers
 * among themselves (the first of it calls the others at random); or the token goes round the ring
 * four times. Region 1 holds the bursts, after as many that do not count; stream 1 has each burst's
 * cycles and stream 2 one sample, the number of messages.
 *
 * Parameters (boot command line): shape=1 spaces=8 size=4 bursts=300 seed=1
 */
#include <lib/print.h>

#include "measure.h"
#include "os/os.h"
#include "parameters.h"
#include "peer.h"

#define MAX_SPACES 64u
#define CALLS      16u
#define LAPS       4u

enum shape { SHAPE_PAIRS = 1, SHAPE_RING, SHAPE_GROUPS };

static uint32_t shape, spaces, size;
static uint32_t random_state;

static bool meet(unsigned one, unsigned number, unsigned other) {
    os_word_t words[OS_WORDS] = {PEER_MEET, number, os_partner_name(other), 0};
    return os_ask(one, words);
}

static bool arrange(void) {
    bool good = true;
    for (unsigned i = 0; i < spaces; i++) {
        if (shape == SHAPE_RING) {
            good &= meet(i, 0, (i + 1) % spaces);
        } else if (i % size != 0) {
            good &= meet(i - i % size, i % size - 1, i);
        }
    }
    return good;
}

/* One burst; returns its messages, 0 = one failed. */
static uint32_t burst(void) {
    if (shape == SHAPE_RING) {
        os_word_t words[OS_WORDS] = {PEER_TOKEN, LAPS * spaces - 1, 0, 0};
        return os_tell(0, words) && os_hear(words) ? LAPS * spaces + 1 : 0;
    }
    unsigned first = peer_random_below(&random_state, spaces / size) * size;
    os_word_t words[OS_WORDS] = {PEER_CALLS, CALLS, random_state, size - 1};
    return os_ask(first, words) ? 2 * CALLS + 2 : 0;
}

int main(void) {
    uint32_t bursts, messages = 0;
    uint64_t cycles = 0;
    os_init();
    if (!parameter_number("shape", SHAPE_PAIRS, &shape) ||
        !parameter_number("spaces", 8, &spaces) || !parameter_number("size", 4, &size) ||
        !parameter_number("bursts", 300, &bursts) || !parameter_number("seed", 1, &random_state)) {
        os_finish(2);
    }
    size = shape == SHAPE_PAIRS ? 2 : size;
    if (shape < SHAPE_PAIRS || shape > SHAPE_GROUPS || spaces < 2 || spaces > MAX_SPACES ||
        size < 2 || spaces % size != 0 || bursts == 0 || random_state == 0) {
        print("parameters: shape 1 to 3, spaces 2 to %u, a multiple of size; bursts, seed not 0\n",
              MAX_SPACES);
        os_finish(2);
    }
    if (!os_partners_start(spaces) || !arrange()) {
        print("bench-policy: the partners could not be started\n");
        os_finish(1);
    }
    for (uint32_t i = 0; i < bursts; i++) {
        if (burst() == 0) {
            os_finish(1);
        }
    }
    if (!os_has_probe()) {
        print("bench-policy: no probe to measure with\n");
        os_finish(1);
    }
    measure_begin(1);
    for (uint32_t i = 0; i < bursts; i++) {
        uint32_t start = measure_cycles();
        uint32_t n = burst();
        uint32_t took = measure_cycles() - start;
        if (n == 0) {
            os_finish(1);
        }
        measure_sample(took);
        messages += n;
        cycles += took;
    }
    measure_end(1);
    *measure_register(PROBE_STREAM) = 2;
    measure_sample(messages);
    print("POINT shape=%u spaces=%u messages=%u cycles=%llu\n", shape, spaces, messages, cycles);
    os_finish(0);
}
