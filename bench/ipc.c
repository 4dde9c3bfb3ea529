/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What does a round-trip IPC cost as the number of address spaces grows?
 * (Wiggins et al., ACSAC 2003, section 4.1, Fig. 5.)
 *
 * A server starts a number of clients, each in an address space of its own; each sends it one
 * message to say that it is there and waits. The server then calls clients at random, which answer
 * at once. For every number of clients: `warmup` round trips that do not count, then `rounds` in
 * region and sample stream number `clients`, one raw sample (cycles) a round trip.
 *
 * A sample contains the timing itself: two uncached reads of the probe. Stream 0 has samples of
 * that alone, the same loop without the call; the host takes it off. Samples go straight to the
 * probe: an uncached store disturbs the caches less than an array of samples would.
 *
 * Parameters (boot command line): clients=1-24 rounds=5000 warmup=200 seed=1
 */
#include <lib/print.h>

#include "measure.h"
#include "os/os.h"
#include "parameters.h"

#define MAX_CLIENTS      64u
#define OVERHEAD_SAMPLES 200u

struct run {
    uint32_t rounds;
    uint32_t warmup;
    uint32_t seed;
};

/* Marsaglia's xorshift32; the state is never 0. */
static uint32_t random_state;

static uint32_t random_below(uint32_t n) {
    uint32_t x = random_state;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    random_state = x;
    return (uint32_t)((uint64_t)x * n >> 32); /* a multiply instead of a remainder */
}

/* The timing loop without a round trip. It must not vary, or samples mean nothing. */
static bool measure_overhead(void) {
    uint32_t least = ~0u;
    uint32_t samples[OVERHEAD_SAMPLES];
    measure_begin(0);
    for (uint32_t i = 0; i < OVERHEAD_SAMPLES; i++) {
        (void)random_below(1);
        uint32_t start = measure_cycles();
        uint32_t cycles = measure_cycles() - start;
        measure_sample(cycles);
        samples[i] = cycles;
        least = cycles < least ? cycles : least;
    }
    measure_end(0);
    uint32_t same = 0;
    for (uint32_t i = 0; i < OVERHEAD_SAMPLES; i++) {
        same += samples[i] - least <= CLOCK_GRAIN;
    }
    print("OVERHEAD cycles=%u same=%u of=%u\n", least, same, OVERHEAD_SAMPLES);
    return same >= OVERHEAD_SAMPLES * 9 / 10; /* a timer tick may fall into a few */
}

static bool round_trips(uint32_t clients, uint32_t rounds) {
    bool good = true;
    for (uint32_t i = 0; i < rounds; i++) {
        good &= os_call(random_below(clients));
    }
    return good;
}

/* The measured round trips; their cycles with a probe, else their microseconds. */
static bool timed_round_trips(uint32_t clients, uint32_t rounds, uint64_t *total) {
    if (!os_has_probe()) {
        uint64_t start = os_microseconds();
        bool good = round_trips(clients, rounds);
        *total = os_microseconds() - start;
        return good;
    }
    bool good = true;
    *total = 0;
    measure_begin(clients);
    for (uint32_t i = 0; i < rounds; i++) {
        uint32_t client = random_below(clients);
        uint32_t start = measure_cycles();
        good &= os_call(client);
        uint32_t cycles = measure_cycles() - start;
        measure_sample(cycles);
        *total += cycles;
    }
    measure_end(clients);
    return good;
}

static bool measure_point(const struct run *run, uint32_t clients) {
    uint64_t total;
    random_state = run->seed;
    if (!os_partners_start(clients) || !round_trips(clients, run->warmup) ||
        !timed_round_trips(clients, run->rounds, &total)) {
        print("bench-ipc: %u clients: an IPC failed\n", clients);
        return false;
    }
    os_partners_end();
    print("POINT clients=%u rounds=%u %s=%llu\n", clients, run->rounds,
          os_has_probe() ? "cycles" : "microseconds", total);
    return true;
}

int main(void) {
    uint32_t clients[MAX_CLIENTS];
    struct run run;
    os_init();
    unsigned n = parameter_list("clients", "1-24", clients, MAX_CLIENTS);
    if (n == 0 || !parameter_number("rounds", 5000, &run.rounds) ||
        !parameter_number("warmup", 200, &run.warmup) || !parameter_number("seed", 1, &run.seed)) {
        os_finish(2);
    }
    for (unsigned i = 0; i < n; i++) {
        if (clients[i] < 1 || clients[i] > MAX_CLIENTS) {
            print("parameter clients: %u; expected 1 to %u\n", clients[i], MAX_CLIENTS);
            os_finish(2);
        }
    }
    if (run.seed == 0 || run.rounds == 0) {
        print("parameters seed, rounds: 0; expected at least 1\n");
        os_finish(2);
    }
    if (os_has_probe() && !measure_overhead()) {
        print("bench-ipc: the timing itself is not stable\n");
        os_finish(1);
    }
    for (unsigned i = 0; i < n; i++) {
        if (!measure_point(&run, clients[i])) {
            os_finish(1);
        }
    }
    os_finish(0);
}
