/* SPDX-License-Identifier: Apache-2.0 */
/* What pingpong.c, the root task, and its two tasks (pingpong_task.c) know of each other. */
#ifndef BENCH_PINGPONG_H
#define BENCH_PINGPONG_H

#include "working_set.h"

/* Labels of messages to the root task, which answers each with an order. */
#define PINGPONG_READY 0x0100
#define PINGPONG_DONE  0x0200

/* Words of an order; [0] is one of enum pingpong_order. */
#define PINGPONG_WORDS 6u

enum pingpong_order {
    PINGPONG_ECHO,    /* answers messages from now on, and does nothing else */
    PINGPONG_MEASURE, /* partner, kind, size, rounds of a sample, region and stream */
};

/* What is gone through before each message. */
enum pingpong_kind { PINGPONG_NOPS, PINGPONG_JUMPS, PINGPONG_READS, PINGPONG_KINDS };

/* The tasks' memory, and the probe: low, so that all of a task lies in its first 4 MB. */
#define PINGPONG_MEMORY      0x00100000u
#define PINGPONG_MEMORY_LOG2 20u
#define PINGPONG_PROBE       0x000e0000u

/* The largest working set: its return lies behind it. */
#define PINGPONG_MOST_PAGES ((1u << PINGPONG_MEMORY_LOG2) / WORKING_SET_STEP - 1)
#define PINGPONG_MOST_NOPS  ((1u << PINGPONG_MEMORY_LOG2) - 1)

#endif
