/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CPU operations of the SA-1110: CP15 (Developer's Manual, chapter 5) and the caches (chapter 6).
 * What it shares with others is in ../common/cp15.h; the flushes that are loops are in cpu.c.
 */
#ifndef CPU_H
#define CPU_H

#include "cp15.h"

/* CPU_DCACHE_BYTES comes from the Makefile: 8 KB (chapter 6.2), unless the kernel is built for a
 * machine that differs from the processor in this. */

/* Bytes that are cleaned line by line; a longer range is cheaper by a flush of everything. A line
 * takes 7 cycles, a flush 256 reads of 18 and what it makes others miss: half a cache of lines at
 * 71, say. */
#define CPU_CLEAN_MAX 0x8000u

/* Slots of the PID register (chapter 5.2.10). */
#define CPU_PID_SLOTS 64u

static inline void cpu_invalidate_itlb(void) {
    CP15_WRITE(c8, c5, 0, 0);
}

static inline void cpu_invalidate_dtlb_entry(uint32_t mva) {
    CP15_WRITE(c8, c6, 1, mva);
}

/* Programs may load the read buffer (cpu_init). It is tagged by mva and follows no change of
 * memory, so it must not outlive what it was loaded through. */
static inline void cpu_flush_read_buffer(void) {
    CP15_WRITE(c9, c0, 0, 0);
}

#endif
