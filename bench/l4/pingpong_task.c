/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A task of pingpong.c: goes through its working set, sends an empty message to the other and waits
 * for the empty answer; or is the other one.
 */
#include "pingpong.h"

#include <l4/l4.h>

#include "../measure.h"
#include "raw.h"

#define WARMUP  4u
#define BATCHES 5u /* a sample each: a timer tick falls into one */

static volatile uint32_t *const probe = (volatile uint32_t *)PINGPONG_PROBE;
static uint8_t *const memory = (uint8_t *)PINGPONG_MEMORY;

static void say(L4_Word_t label, L4_Word_t order[PINGPONG_WORDS]) {
    L4_LoadMR(0, L4_MakeMsgTag(label, 0, 0).raw);
    (void)L4_Call(L4_Pager());
    L4_StoreMRs(1, PINGPONG_WORDS, order);
}

/* Code is jumped to; nobody writes it while it is measured. */
static void build(enum pingpong_kind kind, uint32_t size) {
    if (kind == PINGPONG_NOPS) {
        working_set_nops(memory, size);
    } else {
        working_set_jumps(memory, kind == PINGPONG_JUMPS ? size : 0);
    }
}

static uint32_t rounds(const L4_Word_t *order, uint32_t n) {
    L4_Word_t stub = raw_stub_ipc();
    uint32_t pages = order[2] == PINGPONG_READS ? order[3] : 0;
    uint32_t start = measure_cycles();
    for (uint32_t i = 0; i < n; i++) {
        ((void (*)(void))(uintptr_t)memory)();
        working_set_read(memory, pages);
        (void)raw_call(order[1], 0, stub);
    }
    return measure_cycles() - start;
}

static void measure(const L4_Word_t *order) {
    build((enum pingpong_kind)order[2], order[3]);
    (void)rounds(order, WARMUP);
    probe[PROBE_STREAM / 4] = order[5];
    probe[PROBE_REGION_BEGIN / 4] = order[5];
    for (unsigned i = 0; i < BATCHES; i++) {
        probe[PROBE_SAMPLE / 4] = rounds(order, order[4]);
    }
    probe[PROBE_REGION_END / 4] = order[5];
}

int main(void) {
    L4_Word_t order[PINGPONG_WORDS];
    (void)probe[PROBE_ID / 4];
    (void)*(const volatile uint32_t *)(uintptr_t)raw_echo; /* later nobody gives it pages */
    say(PINGPONG_READY, order);
    while (order[0] == PINGPONG_MEASURE) {
        measure(order);
        say(PINGPONG_DONE, order);
    }
    raw_echo(raw_stub_ipc());
}
