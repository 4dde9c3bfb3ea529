/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What does a message cost one way between two address spaces, by its length? Message registers
 * from 0 to 63, then strings.
 *
 * A partner in a space of its own answers each message: words with as many words, a string with no
 * words. For every length: `warmup` round trips that do not count, then `rounds` in region and
 * sample stream `words`, or 64 + the string's place in the list. A raw sample is the time from one
 * round's start to the next one's, in cycles; it has the loop's user-mode instructions in it, which
 * are always the same, and which the region's counters tell apart.
 *
 * Parameters (boot command line): words=0-63 strings=0 rounds=2000 warmup=50; strings in bytes, 0
 * is none.
 */
#include <lib/print.h>
#include <lib/string.h>

#include "../measure.h"
#include "../os/l4.h"
#include "../os/os.h"
#include "../parameters.h"
#include "raw.h"

#define MAX_WORDS    63u
#define MAX_STRINGS  32u
#define STRING_MAX   65536u
#define FIRST_STRING 64u /* its region */
#define LABEL        0x0bu

static uint8_t string[STRING_MAX] __attribute__((aligned(32)));

struct run {
    L4_Word_t to, stub;
    uint32_t rounds, warmup;
};

static bool round_trips(const struct run *run, L4_Word_t tag, L4_Word_t answer, uint32_t rounds) {
    bool good = true;
    for (uint32_t i = 0; i < rounds; i++) {
        good &= raw_call(run->to, tag, run->stub) == answer;
    }
    return good;
}

/* The first sample, which has no round before it, is none. */
static bool timed_round_trips(const struct run *run, L4_Word_t tag, L4_Word_t answer,
                              uint32_t region) {
    bool good = true;
    measure_begin(region);
    uint32_t last = measure_cycles();
    for (uint32_t i = 0; i < run->rounds; i++) {
        good &= raw_call(run->to, tag, run->stub) == answer;
        uint32_t now = measure_cycles();
        measure_sample(now - last);
        last = now;
    }
    measure_end(region);
    return good;
}

static bool measure(const struct run *run, L4_Word_t tag, L4_Word_t answer, uint32_t region) {
    bool good =
        round_trips(run, tag, answer, run->warmup) && timed_round_trips(run, tag, answer, region);
    if (!good) {
        print("bench-size: tag %x: wrong answer\n", tag);
    }
    return good;
}

/* The words come back as they were sent: once, not in the time that is measured. */
static bool words_arrive(const struct run *run, uint32_t words) {
    for (uint32_t i = 1; i <= words; i++) {
        L4_LoadMR(i, i * 0x01010101u);
    }
    L4_Set_MsgTag(L4_MakeMsgTag(LABEL, words, 0));
    L4_MsgTag_t tag = L4_Call((L4_ThreadId_t){.raw = run->to});
    bool good = tag.raw == L4_MakeMsgTag(LABEL, words, 0).raw;
    for (uint32_t i = 1; i <= words; i++) {
        L4_Word_t word;
        L4_StoreMR(i, &word);
        good &= word == i * 0x01010101u;
    }
    if (!good) {
        print("bench-size: %u words: wrong answer\n", words);
    }
    return good;
}

int main(void) {
    uint32_t words[MAX_WORDS + 1], strings[MAX_STRINGS];
    struct run run;
    os_init();
    unsigned num_words = parameter_list("words", "0-63", words, MAX_WORDS + 1);
    unsigned num_strings = parameter_list("strings", "0", strings, MAX_STRINGS);
    if (num_words == 0 || num_strings == 0 || !parameter_number("rounds", 2000, &run.rounds) ||
        !parameter_number("warmup", 50, &run.warmup)) {
        os_finish(2);
    }
    for (unsigned i = 0; i < num_words; i++) {
        if (words[i] > MAX_WORDS) {
            print("parameter words: %u; expected 0 to %u\n", words[i], MAX_WORDS);
            os_finish(2);
        }
    }
    for (unsigned i = 0; i < num_strings; i++) {
        if (strings[i] > STRING_MAX) {
            print("parameter strings: %u; expected 0 to %u\n", strings[i], STRING_MAX);
            os_finish(2);
        }
    }
    if (!os_has_probe()) {
        print("bench-size: no probe; expected to run on the simulator\n");
        os_finish(2);
    }
    if (!os_partners_start(1)) {
        print("bench-size: the partner does not start\n");
        os_finish(1);
    }
    run.to = l4_partner(0).raw;
    run.stub = raw_stub_ipc();
    for (unsigned i = 0; i < num_words; i++) {
        L4_Word_t tag = L4_MakeMsgTag(LABEL, words[i], 0).raw;
        if (!words_arrive(&run, words[i]) || !measure(&run, tag, tag, words[i])) {
            os_finish(1);
        }
    }
    memset(string, 1, sizeof string);
    for (unsigned i = 0; i < num_strings && strings[i] != 0; i++) {
        L4_StringItem_t item = L4_StringItem(strings[i], string);
        L4_LoadMRs(1, 2, item.raw);
        if (!measure(&run, L4_MakeMsgTag(LABEL, 0, 2).raw, L4_MakeMsgTag(LABEL, 0, 0).raw,
                     FIRST_STRING + i)) {
            os_finish(1);
        }
    }
    os_finish(0);
}
