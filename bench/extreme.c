/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is the most that shared TLB entries can save? (Wiggins et al., ACSAC 2003, section 4.1: "a
 * synthetic benchmark, which we call extreme, designed to establish the maximum performance gain
 * from TLB entry sharing", Fig. 4.)
 *
 * `processes` partners see the same `pages` pages, with `shared=1` all at one address, with
 * `shared=0` each in a megabyte of its own (as the paper's kernel places private mappings). Each
 * reads a byte of each page and yields, `rounds` times. Region 1 and one sample of stream 1 hold
 * all of it, after a first run that does not count.
 *
 * Parameters (boot command line): processes=2 pages=16 shared=1 rounds=1000
 */
#include <lib/print.h>

#include "measure.h"
#include "os/os.h"
#include "parameters.h"
#include "peer.h"

#define MAX_PAGES     48u
#define MAX_PROCESSES 16u
#define WARM_ROUNDS   20u
#define SHARED_AT     0x90000000u
#define PRIVATE_AT    0xa0000000u /* and a megabyte for each */

static uint8_t pages_of_all[MAX_PAGES][4096] __attribute__((section(".pool"), aligned(4096)));

static uintptr_t seen_at[MAX_PROCESSES]; /* the first page, by each */

static bool run(uint32_t processes, uint32_t pages, uint32_t rounds) {
    os_word_t words[OS_WORDS];
    for (uint32_t i = 0; i < processes; i++) {
        words[0] = PEER_TOUCH;
        words[1] = seen_at[i];
        words[2] = pages;
        words[3] = rounds;
        if (!os_tell(i, words)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < processes; i++) {
        if (!os_hear(words)) {
            return false;
        }
    }
    return true;
}

int main(void) {
    uint32_t processes, pages, shared, rounds;
    os_init();
    if (!parameter_number("processes", 2, &processes) || !parameter_number("pages", 16, &pages) ||
        !parameter_number("shared", 1, &shared) || !parameter_number("rounds", 1000, &rounds)) {
        os_finish(2);
    }
    if (processes < 1 || processes > MAX_PROCESSES || pages > MAX_PAGES || rounds == 0) {
        print("parameters: processes 1 to %u, pages up to %u, rounds not 0\n", MAX_PROCESSES,
              MAX_PAGES);
        os_finish(2);
    }
    bool good = os_partners_start(processes);
    for (uint32_t i = 0; good && i < processes; i++) {
        for (uint32_t page = 0; page < pages; page++) {
            uintptr_t at = (shared != 0 ? SHARED_AT : PRIVATE_AT + i * 0x100000) + page * 4096;
            at = os_show(i, at, pages_of_all[page]);
            seen_at[i] = page == 0 ? at : seen_at[i];
            good &= at != 0;
        }
    }
    if (!good || !os_has_probe() || !run(processes, pages, WARM_ROUNDS)) {
        print("bench-extreme: the processes could not be started\n");
        os_finish(1);
    }
    measure_begin(1);
    uint32_t start = measure_cycles();
    good = run(processes, pages, rounds);
    uint32_t cycles = measure_cycles() - start;
    measure_sample(cycles);
    measure_end(1);
    print("POINT processes=%u pages=%u shared=%u rounds=%u cycles=%u\n", processes, pages, shared,
          rounds, cycles);
    os_finish(good ? 0 : 1);
}
