/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CPU operations of the ARM926EJ-S: CP15 (Technical Reference Manual DDI 0198, chapter 2), the
 * caches (chapter 4) and the TLB (chapter 3), which is one for both kinds of accesses.
 * What it shares with others is in ../common/cp15.h; what has loops, with the ARM920T in
 * ../arm9/cpu.c.
 */
#ifndef CPU_H
#define CPU_H

#include "cp15.h"

/* Bytes that are cleaned line by line; a longer range is cheaper by a flush of everything. Assumed:
 * as for the SA-1110, by twice the cache's size: a line takes some cycles, a flush makes others
 * miss. */
#define CPU_CLEAN_MAX 0x8000u

/* Slots of the FCSE PID register: 128 (TRM 2.3.13), in the last of which are the kernel's own
 * addresses (layout.h), so no space can have that. */
#define CPU_PID_SLOTS 127u

/* "Test, clean and invalidate" takes one dirty line at a time and says in the flags when there is
 * none left (TRM 2.3.8). */
static inline void cpu_clean_invalidate_dcache(void) {
    __asm__ volatile("1: mrc p15, 0, apsr_nzcv, c7, c14, 3\n"
                     "   bne 1b\n"
                     :
                     :
                     : "memory", "cc");
}

/* There is no instruction TLB by itself: what was invalidated by address is gone for both kinds of
 * accesses, so nothing is left to do. */
static inline void cpu_invalidate_itlb(void) {
}

static inline void cpu_invalidate_dtlb_entry(uint32_t mva) {
    CP15_WRITE(c8, c7, 1, mva);
}

/* There is none. */
static inline void cpu_flush_read_buffer(void) {
}

#endif
