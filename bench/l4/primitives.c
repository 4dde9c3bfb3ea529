/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What do the kernel's primitives cost? For each of the table's: `warmup` times unmeasured, then
 * `rounds` times in its region and sample stream. A raw sample is the time from one round's start
 * to the next one's, in cycles; the user-mode instructions in it are always the same, and the
 * region's counters tell them apart. For a primitive that has to be undone after each round it is
 * the time of the round; "nothing" has what that takes by itself.
 *
 * Parameters (boot command line): rounds=2000 warmup=50 fault=1; fault=0 leaves the page fault out,
 * for kernels that have none.
 */
#include <lib/print.h>

#include "../../user/common/frames.h"
#include "../measure.h"
#include "../os/l4.h"
#include "../os/os.h"
#include "../parameters.h"
#include "raw.h"

#define WINDOW        0x00400000u /* the pages here are the pager's to give */
#define WINDOW_LOG2   16u         /* RAW_PAGES of them */
#define OWN_PRIORITY  255u        /* the root task's */
#define LOW_PRIORITY  50u
#define WARMUP_REGION 255u

static L4_Word_t stub_ipc, stub_lipc, stub_switch, stub_clock;
static L4_ThreadId_t main_thread, yielder, echo, local_echo;

/* What a page fault's sample has in it beside the fault. */
static void nothing(void) {
}

/* ThreadSwitch to nobody, and nobody else is ready: in and out again. */
static void null_syscall(void) {
    raw_syscall(0, stub_switch);
}

static void system_clock(void) {
    raw_syscall(0, stub_clock);
}

/* To a thread of this space that is ready, and which switches back. */
static void thread_switch(void) {
    raw_syscall(yielder.raw, stub_switch);
}

static void ipc_in_space(void) {
    (void)raw_call(echo.raw, 0, stub_ipc);
}

/* A message within a space, by local ids. */
static void lipc_in_space(void) {
    (void)raw_call(local_echo.raw, 0, stub_lipc);
}

/* A load from a page that is not there, the next of a row of them: our pager is the partner. */
static unsigned next_page;

static void page_fault(void) {
    (void)*(const volatile uint32_t *)(WINDOW + next_page * FRAME_SIZE);
}

/* All of the row are unmapped at once: that invalidates the instruction cache, so that the fault
 * that follows is slow. */
static void unmap(void) {
    if (++next_page == RAW_PAGES) {
        next_page = 0;
        (void)L4_Flush(L4_FpageAddRights(L4_FpageLog2(WINDOW, WINDOW_LOG2), L4_FullyAccessible));
    }
}

static void yielder_up(void) {
    (void)L4_Set_Priority(yielder, OWN_PRIORITY);
}

static void yielder_down(void) {
    (void)L4_Set_Priority(yielder, LOW_PRIORITY);
}

static void pager_is_partner(void) {
    L4_Set_Pager(l4_partner(0));
}

static void pager_is_sigma0(void) {
    L4_Set_Pager(L4_Sigma0Id(L4_GetKernelInterface()));
}

static const struct primitive {
    const char *name;
    void (*run)(void);
    void (*undo)(void); /* after each, outside of the sample */
    void (*before)(void);
    void (*after)(void);
} primitives[] = {
    {"null_syscall", null_syscall, NULL, NULL, NULL},
    {"system_clock", system_clock, NULL, NULL, NULL},
    {"thread_switch", thread_switch, NULL, yielder_up, yielder_down},
    {"ipc_in_space", ipc_in_space, NULL, NULL, NULL},
    {"page_fault", page_fault, unmap, pager_is_partner, pager_is_sigma0},
    {"nothing", nothing, nothing, NULL, NULL},
    {"lipc_in_space", lipc_in_space, NULL, NULL, NULL},
};

/* From one round's start to the next one's. */
static void measure_rounds(const struct primitive *p, uint32_t rounds) {
    uint32_t last = measure_cycles();
    for (uint32_t i = 0; i < rounds; i++) {
        p->run();
        uint32_t now = measure_cycles();
        measure_sample(now - last);
        last = now;
    }
}

/* From one round's start to its end. */
static void measure_each(const struct primitive *p, uint32_t rounds) {
    for (uint32_t i = 0; i < rounds; i++) {
        uint32_t start = measure_cycles();
        p->run();
        uint32_t end = measure_cycles();
        measure_sample(end - start);
        p->undo();
    }
}

/* Regions are by place in the table. */
static void measure(uint32_t region, const struct primitive *p, uint32_t rounds) {
    measure_begin(region);
    if (p->undo == NULL) {
        measure_rounds(p, rounds);
    } else {
        measure_each(p, rounds);
    }
    measure_end(region);
}

static void yield_body(void) {
    raw_yield(main_thread.raw, stub_switch);
}

static void echo_body(void) {
    raw_echo(stub_ipc);
}

static void local_echo_body(void) {
    raw_local_echo(stub_lipc);
}

/* Thread number `n` of this space. */
static L4_ThreadId_t start_thread(unsigned n, void (*body)(void), L4_Word_t priority) {
    static uint8_t stacks[3][1024] __attribute__((aligned(8)));
    L4_ThreadId_t id = L4_GlobalId(L4_ThreadNo(main_thread) + 100 + n, 1);
    uintptr_t utcb = (uintptr_t)L4_MyUtcb() + (1 + n) * L4_UTCB_SIZE;
    if (!L4_ThreadControl(id, main_thread, main_thread, main_thread, (void *)utcb) ||
        L4_Set_Priority(id, priority) == L4_SCHEDULE_ERROR) {
        return L4_nilthread;
    }
    L4_LoadMR(0, L4_MakeMsgTag(0, L4_START_WORDS, 0).raw);
    L4_LoadMR(1, (L4_Word_t)(uintptr_t)body);
    L4_LoadMR(2, (L4_Word_t)(uintptr_t)stacks[n + 1]);
    return L4_IpcSucceeded(L4_Send(id)) ? id : L4_nilthread;
}

int main(void) {
    uint32_t rounds, warmup, fault;
    os_init();
    if (!parameter_number("rounds", 2000, &rounds) || !parameter_number("warmup", 50, &warmup) ||
        !parameter_number("fault", 1, &fault)) {
        os_finish(2);
    }
    if (!os_has_probe()) {
        print("bench-primitives: no probe; expected to run on the simulator\n");
        os_finish(2);
    }
    main_thread = L4_MyGlobalId();
    stub_ipc = raw_stub_ipc();
    stub_lipc = raw_stub_lipc();
    stub_switch = raw_stub_thread_switch();
    stub_clock = raw_stub_system_clock();
    yielder = start_thread(0, yield_body, LOW_PRIORITY);
    echo = start_thread(1, echo_body, OWN_PRIORITY);
    local_echo = L4_LocalIdOf(start_thread(2, local_echo_body, OWN_PRIORITY));
    if (yielder.raw == 0 || echo.raw == 0 || local_echo.raw == 0 || !os_partners_start(1)) {
        print("bench-primitives: a thread or the partner does not start\n");
        os_finish(1);
    }
    for (uint32_t i = 0; i < sizeof primitives / sizeof primitives[0]; i++) {
        const struct primitive *p = &primitives[i];
        if (p->run == page_fault && fault == 0) {
            continue;
        }
        if (p->before != NULL) {
            p->before();
        }
        measure(WARMUP_REGION, p, warmup);
        measure(i, p, rounds);
        if (p->after != NULL) {
            p->after();
        }
        print("PRIMITIVE region=%u name=%s rounds=%u\n", i, p->name, rounds);
    }
    os_finish(0);
}
