/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel, in the order in which it comes up. From boot.S, with the MMU on; leaves to the first
 * thread through kernel_exit.
 */
#include "board.h"
#include "bootinfo.h"
#include "cpu.h"
#include "events.h"
#include "fault.h"
#include "kdb.h"
#include "kip.h"
#include "kmem.h"
#include "ptab.h"
#include "ready.h"
#include "spaces.h"
#include "switch.h"
#include "thread.h"
#include "timer.h"

volatile uint32_t *probe;
uint32_t event_counts[EVENTS];

static void find_probe(void) {
    uint32_t id = 0;
    if (kernel_probe_load(PROBE_VA + PROBE_ID, &id) && id == PROBE_ID_VALUE) {
        probe = (volatile uint32_t *)PROBE_VA;
    }
}

/* So that the simulator's checker knows which space runs: it reads along, at no cost to anybody. */
static void announce_spaces(void) {
    /* (The probe's registers have 32 bits. Where addresses have more, the register by which the
     * processor finds a space's tables tells which it is.) */
    if (SWITCH_PROTECTS && sizeof(word_t) == sizeof(uint32_t)) {
        /* Not hot.space, which the paths in assembly leave as it was (thread_entered_kernel). */
        probe_write(PROBE_SPACE_WORD, (uint32_t)(word_t)&hot.current);
        probe_write(PROBE_SPACE_THREAD, offsetof(struct tcb, space));
        probe_write(PROBE_SPACE_DIRECTORY, offsetof(struct space, directory));
        probe_write(PROBE_SPACE_KERNEL, (uint32_t)KERNEL_AREA);
    }
}

void kernel_main(word_t tags);
void kernel_main(word_t tags) {
    cpu_init();                    /* clock, read buffer */
    kmem_init();                   /* heap: pages and objects */
    ptab_init();                   /* the kernel's page directory, completed */
    board_init();                  /* console, interrupt controller, timer */
    find_probe();                  /* are we on the simulator? */
    kip_init(bootinfo_init(tags)); /* what programs are told */
    switch_init();                 /* the switching scheme */
    announce_spaces();             /* ... to the coherence checker */
    thread_init();                 /* thread numbers, interrupts */
    ready_init();                  /* ready queues, the idle thread */
    timer_init();                  /* clock, tick, timeouts */
    kdb_printf("Switchyard L4 X.2, scheme %s, %u KB heap free\n", SWITCH_NAME,
               kmem_free_pages() * (PAGE_SIZE / 1024));
    thread_start_servers(); /* sigma0 and the root task */
}
