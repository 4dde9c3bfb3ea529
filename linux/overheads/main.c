// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the command line asks for, before there is any process:
 *
 *   overheads.what=switch|interrupt  nothing is measured without it
 *   overheads.tasks=sort,deflate     a pair to switch, one to interrupt
 *   overheads.counts=1,9,99          switches or interrupts, a point each
 *   overheads.run=0                  which run it is; runs differ as vary() has it
 *   overheads.scale=1000             thousandths of the tasks' full length
 *   overheads.probe=1                whether there is a probe (include/probe.h)
 */
#include "overheads.h"

#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/moduleparam.h>
#include <linux/sizes.h>
#include <asm/cacheflush.h>
#include <asm/tlbflush.h>

#define MAX_POINTS ((REGION_SWITCH - 1) / PARTS)
/* Lines filled before a point, by which runs differ. A prime, and not one of 65535, the period of
 * a generator of 16 bits. */
#define FILLS      37u
#define LINE_BYTES 32u

static char *what = "", *names[2];
static unsigned counts[MAX_POINTS], run, scale = 1000;
static int points, tasks_named;
static bool with_probe = true;
module_param(what, charp, 0);
module_param_array_named(tasks, names, charp, &tasks_named, 0);
module_param_array(counts, uint, &points, 0);
module_param(run, uint, 0);
module_param(scale, uint, 0);
module_param_named(probe, with_probe, bool, 0);

void pace_set(struct pace *pace, unsigned units, unsigned slices, void (*due)(void)) {
    pace->done = 0;
    pace->slice = 0;
    pace->total = units;
    pace->due = due;
    for (unsigned i = 0; i < slices; i++) {
        pace->at[i] = i + 1 < slices ? div_u64((u64)units * (i + 1), slices) : UINT_MAX;
    }
    pace->next = pace->at[0];
}

void cold(void) {
    flush_cache_all(); /* writes back and invalidates both caches */
    local_flush_tlb_all();
    dsb();         /* drains the write buffer */
    marks_empty(); /* with ideal tags the above does nothing; else this function is left */
}

void vary(unsigned number) {
    static u8 lines[SZ_16K] __aligned(LINE_BYTES);
    for (unsigned i = 0; i < number; i++) {
        cold(); /* what runs after it fills the instruction cache anew */
        for (unsigned n = 0; n < FILLS; n++) {
            (void)READ_ONCE(lines[n * LINE_BYTES]);
        }
    }
}

static bool __init measure(void) {
    const struct task *task[2];
    bool pair = strcmp(what, "switch") == 0;
    if (!pair && strcmp(what, "interrupt") != 0) {
        pr_err("overheads.what=%s: expected switch or interrupt\n", what);
        return false;
    }
    if (tasks_named != (pair ? 2 : 1)) {
        pr_err("overheads.tasks: expected %s\n", pair ? "two of them" : "one");
        return false;
    }
    for (int i = 0; i < tasks_named; i++) {
        task[i] = task_named(names[i]);
        if (!task[i]) {
            pr_err("overheads.tasks: %s: expected sort, deflate, aes or crc\n", names[i]);
            return false;
        }
    }
    if (points == 0 || scale == 0 || scale > 1000) {
        pr_err("overheads: expected overheads.counts, and a scale of 1 to 1000\n");
        return false;
    }
    for (int i = 0; i < points; i++) {
        if (counts[i] + 1 > MAX_SLICES || (pair && counts[i] == 0)) {
            pr_err("overheads.counts: %u: expected at most %u, and 1 switch at least\n", counts[i],
                   MAX_SLICES - 1);
            return false;
        }
    }
    if (tasks_allocate()) {
        pr_err("overheads: no memory for the tasks' data\n");
        return false;
    }
    bool good = pair ? switches_prepare(task[0], task[1]) : interrupts_prepare(task[0]);
    good = good && (pair ? switches_direct() : interrupts_direct());
    for (int i = 0; i < points && good; i++) {
        unsigned region = 1 + PARTS * i;
        good = pair ? switches_measure(counts[i], scale, run, region)
                    : interrupts_measure(counts[i], scale, run, region);
    }
    return good;
}

static int __init overheads_init(void) {
    if (*what == '\0') {
        return 0;
    }
    if (marks_open(with_probe)) {
        pr_err("overheads: no probe; go without with overheads.probe=0\n");
        marks_exit(false);
    }
    if (controller_open()) {
        pr_err("overheads: no interrupt controller of a Versatile\n");
        marks_exit(false);
    }
    bool good = measure();
    marks_show();
    pr_info("overheads: %s\n", good ? "done" : "failed");
    marks_exit(good);
}
late_initcall_sync(overheads_init);
