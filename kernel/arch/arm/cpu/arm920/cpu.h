/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CPU operations of the ARM920T: CP15 (S3C2410A User's Manual, appendix 2; ARM922T Technical
 * Reference Manual DDI 0184B, chapter 2, which has the same), the caches (appendix 4) and the TLBs
 * (appendix 3). What it shares with others is in ../common/cp15.h; the flushes that are loops are
 * in cpu.c.
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
