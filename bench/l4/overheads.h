/* SPDX-License-Identifier: Apache-2.0 */
/* What overheads.c, the root task, and its tasks (overheads_task.c) know of each other. */
#ifndef BENCH_OVERHEADS_H
#define BENCH_OVERHEADS_H

#include <stdint.h>

/* Labels of messages to the root task; it answers each when the task may go on. */
#define OVERHEADS_READY 0x0100 /* the answer is an order */
#define OVERHEADS_COLD  0x0200 /* caches and TLBs shall be empty when the answer comes */
#define OVERHEADS_DONE  0x0300 /* word 1: the result; the answer is an order */

/* Words of an order; [0] is one of enum overheads_order. */
#define OVERHEADS_WORDS 6u

enum overheads_order {
    OVERHEADS_PREPARE, /* kind, size, passes, memory, warm-up lines: the data set */
    OVERHEADS_FIRST,   /* partner, slices: begins, hands over after each slice */
    OVERHEADS_SECOND,  /* partner, slices: the other one */
    OVERHEADS_DIRECT,  /* partner, times: hands over with cold caches, without any work */
    OVERHEADS_BACK,    /* partner, times: the other one, which hands back */
    OVERHEADS_ALONE,   /* interrupts: the whole work, interrupted so many times */
    OVERHEADS_INVOKE,  /* times: raises the interrupt so many times in a loop */
    OVERHEADS_THREAD,  /* result: where a second thread, the interrupt's handler, begins; its stack
                        */
    OVERHEADS_HANDLE,  /* interrupt: this thread becomes its handler */
};

/*
 * A task's memory: the data set in the first section; in the second its state, from
 * OVERHEADS_OUT on deflate's output. Sections, as the paper's tasks ran in kernel memory, which
 * Linux maps by sections.
 */
#define OVERHEADS_SECTION 0x100000u
#define OVERHEADS_OUT     0x80000u

/*
 * The devices' pages in a task: low in its space, where each has a place of its own in the caches
 * and TLBs (under fass, devices at their own address would make the spaces collide). Where all
 * share one space they are at their physical addresses.
 */
#define OVERHEADS_PROBE_VA 0x000e0000u
#define OVERHEADS_VIC_VA   0x000e1000u
#define OVERHEADS_VIC_PA   0x10140000u

/* PL190 (DDI 0181, 3.3), as words */
#define VIC_ENABLE_CLEAR (0x14 / 4)
#define VIC_SOFT         (0x18 / 4)
#define VIC_SOFT_CLEAR   (0x1c / 4)

/* Sources on the Versatile (DUI 0225, 4.10): one that is for software, and the kernel's timers. */
#define SOFTWARE_INTERRUPT 1u
#define TIMER_INTERRUPT    4u

/* Regions of interest, and streams of samples. */
#define REGION_FIRST    1u
#define REGION_SECOND   2u
#define REGION_SWITCHES 3u
#define STREAM_TIMING   0u /* cycles of taking the stamps of a switch, in which nothing happens */
#define STREAM_STAMPS   1u /* when slices began and ended: two a slice */
#define STREAM_RESULTS  2u /* each task's result */
#define STREAM_INVOKED  3u /* cycles of all interrupts that were raised in a loop */

#endif
