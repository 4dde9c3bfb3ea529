/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the server and the root task know of each other. The server runs in a space of its own, at
 * the physical addresses that it is linked for; the root task is its pager and its exception
 * handler, and does for it what takes privileges, as messages ask for it.
 */
#ifndef L4_ROOT_H
#define L4_ROOT_H

/* In the boot image, after the root task (rules.mk): the network driver's image, and the server's.
 */
#define ROOT_DRIVER 0x01120000u
#define ROOT_SERVER 0x01140000u

/* What both have below that: the frame buffer (screen.h), a KIP, their threads' UTCBs; and the
 * server a page with an instruction that raises an exception, and the probe's page. */
#define ROOT_UTCBS      0x00e00000u
#define ROOT_UTCBS_LOG2 13u
#define ROOT_KIP        0x00e10000u
#define ROOT_TRAP       0x00e20000u
#define ROOT_DEVICE     0x00e30000u

/* Threads by their numbers after the root task's: the server's main thread and, after it, those
 * that host_thread() knows and programs' (host/host.h); the network driver's two; another task's,
 * which only counts (ROOT_WITNESS). */
#define ROOT_MAIN           1u
#define ROOT_SERVER_THREADS 3u /* the timer's, the mapper's and that of the network */
#define ROOT_DRIVER_THREAD  (ROOT_MAIN + 1 + ROOT_SERVER_THREADS + HOST_TASKS)
#define ROOT_WITNESS_THREAD (ROOT_DRIVER_THREAD + 2)

/* On the command line: such a task is made, and after a crash the root task says that it goes on.
 */
#define ROOT_WITNESS "l4.witness"

/* Likewise: the server is small. */
#define ROOT_SMALL "l4.small=server"

/* Labels of the server's messages; words, and those of the answer. */
enum {
    ROOT_THREAD = 0x100, /* n, IP, SP, priority: another thread of the server's; 1 or 0 */
    ROOT_CREATE,         /* id: a space of a program's with this thread; 0 or L4's error code */
    ROOT_END,            /* id */
    ROOT_NUMBER,         /* id, small-space number; 1: it has it */
    ROOT_FIND_DEVICE,    /* 1: the probe is at ROOT_DEVICE */
    ROOT_EXIT            /* status; no answer */
};

/* Small spaces here are regions of 256 MB of the area between where programs' addresses end and
 * where it ends (kernel/arch/ia32/layout.h): so many, and the small-space number of one. What is
 * linked at 128 MB and a stack below fit, and the server with its memory. */
#define ROOT_REGION   0x10000000u
#define ROOT_AREA_END 0xf0000000u
#define ROOT_UNITS    128u

static inline unsigned long root_region_units(unsigned long address_end) {
    return ROOT_REGION / ((ROOT_AREA_END - address_end) / ROOT_UNITS);
}

/* The network driver is small where there are small spaces: at the begin of this region. */
#define ROOT_DRIVER_REGION 1u

static inline unsigned long root_region_number(unsigned long n, unsigned long address_end) {
    unsigned long units = root_region_units(address_end);

    return n * units * 2 | units;
}

/* Is the word on the line? (Neither of the two has a library for it that the other has.) */
static inline int root_has_word(const char *line, const char *word) {
    int at, end, same;

    for (at = 0; line[at] != '\0'; at = end + (line[end] == ' ')) {
        same = 1;
        for (end = at; line[end] != '\0' && line[end] != ' '; end++) {
            same = same && line[end] == word[end - at];
        }
        if (same && end != at && word[end - at] == '\0') {
            return 1;
        }
    }
    return 0;
}

#endif
