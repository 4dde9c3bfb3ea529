/* SPDX-License-Identifier: Apache-2.0 */
/* What fault.c, the pager, and its partners, who fault, know of each other. */
#ifndef BENCH_FAULT_H
#define BENCH_FAULT_H

#include <stdint.h>

/* The cases; a case is also the number of its region and stream of samples. */
enum fault_case {
    FAULT_TIMING,        /* nothing but the timing */
    FAULT_NONE,          /* a page that is there */
    FAULT_PAGE,          /* the pager maps 4 KB */
    FAULT_LARGE_PAGE,    /* 64 KB */
    FAULT_SECTION,       /* 1 MB */
    FAULT_MORE_RIGHTS,   /* a write to a page that is mapped for reading: mapped again */
    FAULT_SYNONYM_READ,  /* the pager has written the page since: no message */
    FAULT_SYNONYM_WRITE, /* likewise, and the access is a write */
    FAULT_DIRECTORY,     /* a page in a page table that is new: under fass, the entry is copied */
    FAULT_COLLISION,     /* under fass, another space's section is at the address */
    FAULT_CASES,
    FAULT_OTHER = FAULT_CASES /* that other space */
};

/* Message labels (0xffe0 is a fault's) with one word. */
#define FAULT_READY   0x0100 /* partner to pager; the answer: case, and rounds above 8 bits */
#define FAULT_PREPARE 0x0200 /* before an access; the answer may map something */
#define FAULT_DONE    0x0300

/*
 * Where partners fault: high, so that spaces can collide, at a section's beginning. Each access is
 * to the next page, so that nothing has to be unmapped in between (which would empty the
 * instruction cache, and the next fault would show nothing else).
 */
#define FAULT_AT 0x80000000u

/* Bytes from one access to the next. */
static inline uint32_t fault_step(uint32_t which) {
    return which == FAULT_SECTION      ? 0x100000
           : which == FAULT_LARGE_PAGE ? 0x10000
           : which == FAULT_DIRECTORY  ? 0x100000
           : which >= FAULT_COLLISION  ? 0
                                       : 0x1000;
}

/* Of the first accesses, which meet cold caches, this many do not count. */
#define FAULT_WARMUP 3u
/* Round trips to the pager before that: spaces that have collided while they started, and have
 * bypassed the CPD (fass), are back by then. */
#define FAULT_SETTLE 600u

#endif
