/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What does a round trip cost as the number of address spaces grows, where none of them is special?
 * (bench/ipc.c asks the same with the root task as the server, which a kernel with small spaces
 * leaves large.)
 *
 * One task, the server, sends the others, its clients, empty messages, which they answer; whose
 * turn it is is drawn. For every number of the list, which counts the server's space too: a round
 * that does not count, then five in one region, numbered by that number. A round is `rounds` calls;
 * the message that asks for them, and its answer, are within it. The stream of the same number has
 * each round's cycles.
 *
 * Parameters (boot command line): spaces=2-24 rounds=1000 seed=1
 */
#include "spaces.h"

#include <lib/print.h>

#include "../measure.h"
#include "../os/os.h"
#include "../parameters.h"

#define SERVER  0u
#define SAMPLES 5u /* as pingpong.c has */

static bool start(uint32_t spaces) {
    bool good = os_partners_start(spaces);
    for (unsigned i = 1; good && i < spaces; i++) {
        os_word_t meet[OS_WORDS] = {SPACES_MEET, i - 1, os_partner_name(i), 0};
        good = os_ask(SERVER, meet) && os_tell(i, (os_word_t[OS_WORDS]){SPACES_ECHO, 0, 0, 0});
    }
    return good;
}

static bool calls(uint32_t spaces, uint32_t rounds, uint32_t *seed) {
    os_word_t words[OS_WORDS] = {SPACES_CALLS, rounds, *seed, spaces - 1};
    (void)spaces_random(seed); /* so that each round draws others */
    return os_ask(SERVER, words);
}

static bool measure(uint32_t spaces, uint32_t rounds, uint32_t seed) {
    bool good = start(spaces) && calls(spaces, rounds, &seed);
    measure_begin(spaces);
    for (unsigned i = 0; good && i < SAMPLES; i++) {
        uint32_t begin = measure_cycles();
        good = calls(spaces, rounds, &seed);
        measure_sample(measure_cycles() - begin);
    }
    measure_end(spaces);
    os_partners_end();
    return good;
}

int main(void) {
    uint32_t spaces[SPACES_MOST], rounds, seed;
    os_init();
    unsigned n = parameter_list("spaces", "2-24", spaces, SPACES_MOST);
    if (n == 0 || !parameter_number("rounds", 1000, &rounds) ||
        !parameter_number("seed", 1, &seed)) {
        os_finish(2);
    }
    for (unsigned i = 0; i < n; i++) {
        if (spaces[i] < 2 || spaces[i] > SPACES_MOST || rounds == 0 || seed == 0) {
            print("parameters: spaces 2 to %u; rounds, seed not 0\n", SPACES_MOST);
            os_finish(2);
        }
    }
    if (!os_has_probe()) {
        print("bench-spaces: no probe to measure with\n");
        os_finish(1);
    }
    for (unsigned i = 0; i < n; i++) {
        if (!measure(spaces[i], rounds, seed)) {
            print("bench-spaces: %u spaces: a call failed\n", spaces[i]);
            os_finish(1);
        }
        print("POINT spaces=%u rounds=%u\n", spaces[i], rounds);
    }
    os_finish(0);
}
