/* SPDX-License-Identifier: Apache-2.0 */
/* A space that faults (fault.c): one access at a time, timed. */
#include "fault.h"

#include <l4/l4.h>

#include "../measure.h"

static L4_Word_t ask(L4_Word_t label) {
    L4_Word_t word;
    L4_Accept(L4_MapGrantItems(L4_CompleteAddressSpace));
    L4_LoadMR(0, L4_MakeMsgTag(label, 0, 0).raw);
    (void)L4_Call(L4_Pager());
    L4_StoreMR(1, &word);
    return word;
}

static uint32_t access(L4_Word_t which, L4_Word_t va) {
    volatile L4_Word_t *at = (volatile L4_Word_t *)va;
    uint32_t start = measure_cycles();
    switch (which) {
    case FAULT_TIMING:
        break;
    case FAULT_PAGE:
    case FAULT_LARGE_PAGE:
    case FAULT_SECTION:
    case FAULT_MORE_RIGHTS:
    case FAULT_SYNONYM_WRITE:
        *at = 1;
        break;
    default:
        (void)*at;
        break;
    }
    return measure_cycles() - start;
}

int main(void) {
    L4_Word_t order = ask(FAULT_READY);
    L4_Word_t which = order & 0xff, rounds = order >> 8;
    for (unsigned i = 0; i < FAULT_SETTLE && which != FAULT_OTHER; i++) {
        (void)ask(FAULT_READY);
    }
    for (L4_Word_t i = 0; i < FAULT_WARMUP + rounds || which == FAULT_OTHER; i++) {
        L4_Word_t va = FAULT_AT + i * fault_step(which);
        (void)ask(FAULT_PREPARE);
        if (i < FAULT_WARMUP || which == FAULT_OTHER) {
            (void)access(which, va);
        } else {
            measure_begin(which);
            uint32_t cycles = access(which, va);
            measure_end(which);
            measure_sample(cycles);
        }
    }
    (void)ask(FAULT_DONE);
    return 0;
}
