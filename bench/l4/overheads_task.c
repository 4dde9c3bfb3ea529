/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A task whose overheads are measured (overheads.c): it computes in slices, and between them hands
 * over to its partner or raises an interrupt.
 *
 * All bookkeeping with the probe lies between the two stamps of a switch: `leave` takes the first,
 * `arrive` ends with the second. What it takes by itself is measured as well (stream
 * STREAM_TIMING) and taken off by the host.
 */
#include "overheads.h"

#include <l4/l4.h>

#include "../../user/common/task.h"
#include "../measure.h"
#include "../tasks/tasks.h"

#define PAGE    4096u
#define TIMINGS 16u

extern uint8_t _start[], _bss_start[], _program_end[]; /* program.lds, crt0.S */

static volatile uint32_t *probe, *vic;
static const struct task_kind *kind;
static struct task_work work;
static volatile uint32_t handled;

static uint32_t began; /* the slice that runs */

static uint8_t handler_stack[1024] __attribute__((aligned(8)));

static void say(L4_Word_t label, L4_Word_t word, L4_Word_t order[OVERHEADS_WORDS]) {
    L4_LoadMR(0, L4_MakeMsgTag(label, 1, 0).raw);
    L4_LoadMR(1, word);
    (void)L4_Call(L4_Pager());
    L4_StoreMRs(1, OVERHEADS_WORDS, order);
}

/* Once this returns, the next thing that runs finds nothing in caches and TLBs but what returning
 * has brought back. */
static void get_cold(void) {
    L4_Word_t nothing[OVERHEADS_WORDS];
    say(OVERHEADS_COLD, 0, nothing);
}

static inline uint32_t now(void) {
    return probe[PROBE_CYCLES / 4];
}

static inline void leave(uint32_t region) {
    uint32_t ended = now();
    probe[PROBE_SAMPLE / 4] = began;
    probe[PROBE_SAMPLE / 4] = ended;
    probe[PROBE_REGION_END / 4] = region;
    probe[PROBE_REGION_BEGIN / 4] = REGION_SWITCHES;
}

static inline void arrive(uint32_t region) {
    probe[PROBE_REGION_END / 4] = REGION_SWITCHES;
    probe[PROBE_REGION_BEGIN / 4] = region;
    began = now();
}

/* The first slice has no switch before it. */
static inline void begin_first(uint32_t region) {
    probe[PROBE_REGION_BEGIN / 4] = region;
    began = now();
}

/* As leave, but nobody comes after. */
static inline void end_last(uint32_t region) {
    uint32_t ended = now();
    probe[PROBE_SAMPLE / 4] = began;
    probe[PROBE_SAMPLE / 4] = ended;
    probe[PROBE_REGION_END / 4] = region;
}

/* All slices are equally long, but for less than `slices` units in the last. Nothing is divided
 * between the stamps. */
static uint32_t slice_units(uint32_t slices) {
    return kind->units(&work) / slices;
}

/* No page shall be missing later: each of the program is read, and written where it is data. */
static void touch_pages(void) {
    uintptr_t first = (uintptr_t)_start & ~(PAGE - 1), data = (uintptr_t)_bss_start & ~(PAGE - 1);
    for (uintptr_t at = first; at < (uintptr_t)_program_end; at += PAGE) {
        volatile uint32_t *word = (volatile uint32_t *)at;
        if (at >= data) {
            *word = *word;
        } else {
            (void)*word;
        }
    }
    (void)probe[PROBE_ID / 4];
    (void)vic[VIC_SOFT];
}

static void prepare(const L4_Word_t *order) {
    uint8_t *memory = (uint8_t *)(uintptr_t)order[4];
    kind = task_kind(order[1]);
    work = (struct task_work){.data = memory,
                              .size = order[2],
                              .passes = order[3],
                              .memory = memory + OVERHEADS_SECTION,
                              .out = memory + OVERHEADS_SECTION + OVERHEADS_OUT,
                              .out_size = OVERHEADS_SECTION - OVERHEADS_OUT};
    kind->begin(&work);
    /* The runs of a point differ in this: each line that is filled moves the generator by which the
     * cache chooses lines to replace. */
    const volatile uint8_t *line = memory + OVERHEADS_SECTION;
    for (uint32_t i = 0; i < order[5]; i++) {
        (void)line[i * 32];
    }
}

static void first(L4_ThreadId_t partner, uint32_t slices) {
    uint32_t units = kind->units(&work), step = slice_units(slices);
    get_cold();
    begin_first(REGION_FIRST);
    for (uint32_t slice = 1; slice < slices; slice++) {
        kind->run(&work, slice * step);
        leave(REGION_FIRST);
        (void)L4_ThreadSwitch(partner);
        arrive(REGION_FIRST);
    }
    kind->run(&work, units);
    leave(REGION_FIRST);
    (void)L4_ThreadSwitch(partner);
}

/* It has its order before the other begins, and begins when that one first hands over. */
static void second(L4_ThreadId_t partner, uint32_t slices) {
    uint32_t units = kind->units(&work), step = slice_units(slices);
    for (uint32_t slice = 1; slice < slices; slice++) {
        arrive(REGION_SECOND);
        kind->run(&work, slice * step);
        leave(REGION_SECOND);
        (void)L4_ThreadSwitch(partner);
    }
    arrive(REGION_SECOND);
    kind->run(&work, units);
    end_last(REGION_SECOND);
}

static void direct(L4_ThreadId_t partner, uint32_t times) {
    for (uint32_t i = 0; i < times; i++) {
        get_cold();
        begin_first(REGION_FIRST);
        leave(REGION_FIRST);
        (void)L4_ThreadSwitch(partner);
    }
    /* Measured without a switch. The first time, some of this is not in the caches yet. */
    for (uint32_t i = 0; i <= TIMINGS; i++) {
        uint32_t start = now();
        probe[PROBE_STREAM / 4] = 255;
        probe[PROBE_STREAM / 4] = 255;
        probe[PROBE_REGION_END / 4] = REGION_SWITCHES;
        probe[PROBE_REGION_BEGIN / 4] = REGION_SWITCHES;
        probe[PROBE_REGION_END / 4] = REGION_SWITCHES;
        probe[PROBE_REGION_BEGIN / 4] = REGION_FIRST;
        began = now();
        if (i > 0) {
            probe[PROBE_STREAM / 4] = STREAM_TIMING;
            probe[PROBE_SAMPLE / 4] = began - start;
        }
        probe[PROBE_REGION_END / 4] = REGION_FIRST;
    }
}

static void back(L4_ThreadId_t partner, uint32_t times) {
    for (uint32_t i = 0; i < times; i++) {
        arrive(REGION_SECOND);
        end_last(REGION_SECOND);
        (void)L4_ThreadSwitch(partner);
    }
}

static void raise(void) {
    vic[VIC_SOFT] = 1u << SOFTWARE_INTERRUPT;
}

static void alone(uint32_t interrupts) {
    uint32_t units = kind->units(&work), step = slice_units(interrupts + 1);
    get_cold();
    begin_first(REGION_FIRST);
    for (uint32_t slice = 1; slice <= interrupts; slice++) {
        kind->run(&work, slice * step);
        raise();
    }
    kind->run(&work, units);
    end_last(REGION_FIRST);
}

/* "The caches are warmed by raising an interrupt just before" (section 4.1). */
static void invoke(uint32_t times) {
    raise();
    probe[PROBE_REGION_BEGIN / 4] = REGION_SWITCHES;
    uint32_t start = now();
    for (uint32_t i = 0; i < times; i++) {
        raise();
    }
    uint32_t cycles = now() - start;
    probe[PROBE_REGION_END / 4] = REGION_SWITCHES;
    probe[PROBE_STREAM / 4] = STREAM_INVOKED;
    probe[PROBE_SAMPLE / 4] = cycles;
}

/* "Our handler for the interrupt just increments a counter and returns"; this one also has to take
 * the interrupt back, which the paper's kernel does for it. */
static void handle(L4_ThreadId_t interrupt) {
    (void)L4_Receive(interrupt);
    for (;;) {
        vic[VIC_SOFT_CLEAR] = 1u << SOFTWARE_INTERRUPT;
        handled++;
        L4_LoadMR(0, 0);
        (void)L4_Call(interrupt);
    }
}

/* The second thread begins here. */
static void handler(void) {
    L4_Word_t order[OVERHEADS_WORDS];
    say(OVERHEADS_READY, 0, order);
    handle((L4_ThreadId_t){.raw = order[1]});
}

int main(void) {
    L4_Word_t order[OVERHEADS_WORDS], result = 0;
    bool apart = (uintptr_t)_start < OVERHEADS_PROBE_VA; /* else they are at their own addresses */
    probe = (volatile uint32_t *)(uintptr_t)(apart ? OVERHEADS_PROBE_VA : PROBE_BASE_PA);
    vic = (volatile uint32_t *)(uintptr_t)(apart ? OVERHEADS_VIC_VA : OVERHEADS_VIC_PA);
    touch_pages();
    say(OVERHEADS_READY, 0, order);
    for (;;) {
        L4_ThreadId_t partner = {.raw = order[1]};
        switch (order[0]) {
        case OVERHEADS_PREPARE:
            prepare(order);
            break;
        case OVERHEADS_FIRST:
            first(partner, order[2]);
            result = kind->result(&work);
            break;
        case OVERHEADS_SECOND:
            second(partner, order[2]);
            result = kind->result(&work);
            break;
        case OVERHEADS_DIRECT:
            direct(partner, order[2]);
            break;
        case OVERHEADS_BACK:
            back(partner, order[2]);
            break;
        case OVERHEADS_ALONE:
            alone(order[1]);
            result = kind->result(&work);
            break;
        case OVERHEADS_INVOKE:
            invoke(order[1]);
            result = handled;
            break;
        case OVERHEADS_THREAD:
            result = order[1] == 0 ? (L4_Word_t)(uintptr_t)handler
                                   : (L4_Word_t)(uintptr_t)(handler_stack + sizeof handler_stack);
            break;
        default:
            handle(partner);
        }
        say(OVERHEADS_DONE, result, order);
    }
}
