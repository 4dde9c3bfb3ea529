/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CPU operations of the SA-1110 that are more than one instruction.
 */
#include "cpu.h"

#include "events.h"
#include "kernel.h"

/*
 * The data cache has no operation that cleans all of it: its lines, 256 of them, are replaced by
 * lines of the zeros bank, which cost no memory access, and the mini data cache's 16 lines likewise
 * through a mapping with C=1, B=0 (manual 6.2.3). Replacement is round robin, so as many addresses
 * that are not in the cache replace every line; they never are, since an invalidate always follows.
 *
 * All in one piece of assembly: a store to a cached line between the last read and the invalidate
 * would be lost.
 */
void cpu_flush_caches(void) {
    uint32_t at = ZEROS_VA;
    uint32_t mini = ZEROS_MINI_VA;
    uint32_t scratch;
    count_event(EVENT_CACHE_FLUSH); /* before, so that it is no miss */
    __asm__ volatile("1: ldr %2, [%0], #32\n"
                     "   tst %0, %3\n"
                     "   beq 1b\n"
                     "2: ldr %2, [%1], #32\n"
                     "   tst %1, #0x200\n"
                     "   beq 2b\n"
                     "   mov %2, #0\n"
                     "   mcr p15, 0, %2, c7, c10, 4\n" /* drain */
                     "   mcr p15, 0, %2, c7, c7, 0\n"  /* invalidate I and D */
                     "   mcr p15, 0, %2, c9, c0, 0\n"  /* read buffer */
                     : "+r"(at), "+r"(mini), "=&r"(scratch)
                     : "i"(CPU_DCACHE_BYTES)
                     : "memory", "cc");
}
_Static_assert((CPU_DCACHE_BYTES & (CPU_DCACHE_BYTES - 1)) == 0 && CPU_DCACHE_BYTES < 0x100000,
               "a power of two, within the section that maps the zeros bank");
_Static_assert((ZEROS_VA & (2 * CPU_DCACHE_BYTES - 1)) == 0 && (ZEROS_MINI_VA & 0x3ff) == 0,
               "loop ends by address bit");

void cpu_flush_tlbs(void) {
    cpu_invalidate_tlbs();
    count_event(EVENT_TLB_FLUSH);
}

void cpu_clean_dcache_range(uint32_t mva, uint32_t size, int invalidate) {
    uint32_t end = mva + size;
    for (mva &= ~(CACHE_LINE - 1); mva < end; mva += CACHE_LINE) {
        cpu_clean_dcache_line(mva);
        if (invalidate) {
            cpu_invalidate_dcache_line(mva);
        }
    }
}

/* Clock switching is off after reset (manual 5.2.13): the core would stay at the memory clock.
 * Programs may use the read buffer. */
void cpu_init(void) {
    CP15_WRITE(c15, c1, 2, 0);
    CP15_WRITE(c9, c0, 5, 0);
}

/* Wait for interrupt needs the clock switched to the memory clock (manual 5.2.13, 9.5.2). */
void cpu_idle(void) {
    CP15_WRITE(c15, c2, 2, 0);
    CP15_WRITE(c15, c8, 2, 0);
    CP15_WRITE(c15, c1, 2, 0);
}

int cpu_insn_writes(uint32_t insn, int thumb) {
    (void)thumb; /* there is no such state */
    return arm_insn_writes(insn);
}
