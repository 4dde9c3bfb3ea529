/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CPU operations of the ARM920T: CP15 (S3C2410A User's Manual, appendix 2; ARM922T Technical
 * Reference Manual DDI 0184B, chapter 2, which has the same), the caches (appendix 4) and the TLBs
 * (appendix 3). What it shares with others is in ../common/cp15.h; what has loops, with the
 * ARM926EJ-S in ../arm9/cpu.c.
 */
#ifndef CPU_H
#define CPU_H

#include "cp15.h"

/* Bytes that are cleaned line by line; a longer range is cheaper by a flush of everything. Assumed:
 * as for the SA-1110, by twice the cache's size: a line takes some cycles, a flush makes others
 * miss. */
#define CPU_CLEAN_MAX 0x8000u

/* Slots of the process-ID register: seven bits (p. 2-23), in the last of which are the kernel's own
 * addresses (layout.h), so no space can have that. */
#define CPU_PID_SLOTS 127u

/* The data cache is cleaned line by line, by segment (bits 7..5) and index (bits 31..26): eight
 * segments of 64 lines (p. 4-9). */
#define CPU_DCACHE_SEGMENTS 8u
#define CPU_DCACHE_INDEXES  64u

static inline void cpu_clean_invalidate_dcache(void) {
    for (uint32_t segment = 0; segment < CPU_DCACHE_SEGMENTS; segment++) {
        for (uint32_t index = 0; index < CPU_DCACHE_INDEXES; index++) {
            CP15_WRITE(c7, c14, 2, index << 26 | segment << 5);
        }
    }
}

/* DDI 0184B, table 2.17. */
static inline void cpu_invalidate_itlb(void) {
    CP15_WRITE(c8, c5, 0, 0);
}

static inline void cpu_invalidate_dtlb_entry(uint32_t mva) {
    CP15_WRITE(c8, c6, 1, mva);
}

/* There is none. */
static inline void cpu_flush_read_buffer(void) {
}

#endif
