/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A task of pingpong.c: goes through its working set, sends an empty message to the other and waits
 * for the empty answer; or is the other one.
 */
#include "pingpong.h"

#include <l4/l4.h>

#include "../measure.h"
#include "raw.h"
#include "../working_set.h"

#define WARMUP  4u
#define BATCHES 5u /* a sample each: a timer tick falls into one */

static volatile uint32_t *probe;

static void say(L4_Word_t label, L4_Word_t order[PINGPONG_WORDS]) {
    L4_LoadMR(0, L4_MakeMsgTag(label, 0, 0).raw);
    (void)L4_Call(L4_Pager());
    L4_StoreMRs(1, PINGPONG_WORDS, order);
}

static uint32_t rounds(const L4_Word_t *order, uint32_t n) {
    uint32_t reads = (uint32_t)order[PINGPONG_READS], stride = (uint32_t)order[PINGPONG_STRIDE];
    L4_Word_t stub = raw_stub_ipc();
    uint32_t start = CLOCK_CYCLES(probe);
    for (uint32_t i = 0; i < n; i++) {
        ((void (*)(void))(uintptr_t)order[PINGPONG_CODE])();
        working_set_read(order[PINGPONG_DATA], reads, stride);
        (void)raw_call(order[PINGPONG_PARTNER], 0, stub);
    }
    return CLOCK_CYCLES(probe) - start;
}

static void measure(const L4_Word_t *order) {
    uint32_t region = (uint32_t)order[PINGPONG_REGION], n = (uint32_t)order[PINGPONG_ROUNDS];
    probe = (volatile uint32_t *)order[PINGPONG_PROBE];
    (void)rounds(order, WARMUP);
    probe[PROBE_STREAM / 4] = region;
    probe[PROBE_REGION_BEGIN / 4] = region;
    for (unsigned i = 0; i < BATCHES; i++) {
        probe[PROBE_SAMPLE / 4] = rounds(order, n);
    }
    probe[PROBE_REGION_END / 4] = region;
}

int main(void) {
    L4_Word_t order[PINGPONG_WORDS];
    (void)*(const volatile uint32_t *)(uintptr_t)raw_echo; /* later nobody gives it pages */
    say(PINGPONG_READY, order);
    while (order[PINGPONG_ORDER] == PINGPONG_MEASURE) {
        measure(order);
        say(PINGPONG_DONE, order);
    }
    raw_echo(raw_stub_ipc());
}
