/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CPU operations of the ARM920T and the ARM926EJ-S that are more than one instruction. How all of
 * the data cache is cleaned, each has in its cpu.h.
 */
#include "cpu.h"

#include "events.h"

void cpu_flush_caches(void) {
    count_event(EVENT_CACHE_FLUSH);
    cpu_clean_invalidate_dcache();
    CP15_WRITE(c7, c5, 0, 0);
    CP15_WRITE(c7, c10, 4, 0);
}

void cpu_flush_tlbs(void) {
    cpu_invalidate_tlbs();
    count_event(EVENT_TLB_FLUSH);
}

void cpu_clean_dcache_range(uint32_t mva, uint32_t size, int invalidate) {
    uint32_t end = mva + size;
    mva &= ~(CACHE_LINE - 1);
    if (invalidate) {
        for (; mva < end; mva += CACHE_LINE) {
            CP15_WRITE(c7, c14, 1, mva); /* clean and invalidate */
        }
    } else {
        for (; mva < end; mva += CACHE_LINE) {
            cpu_clean_dcache_line(mva);
        }
    }
}

void cpu_init(void) {
}

void cpu_idle(void) {
    CP15_WRITE(c7, c0, 4, 0); /* wait for interrupt */
}

int cpu_insn_writes(uint32_t insn, int thumb) {
    return thumb ? thumb_insn_writes(insn) : arm_insn_writes(insn);
}
