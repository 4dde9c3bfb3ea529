/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CPU operations of the ARM926EJ-S: CP15 (Technical Reference Manual DDI 0198, chapter 2), the
 * caches (chapter 4) and the TLB (chapter 3), which is one for both kinds of accesses.
 *
 * Addresses that these take are mva. Nothing here knows of spaces or schemes. The flushes that are
 * loops are in cpu.c.
 */
#ifndef CPU_H
#define CPU_H

#include <stdint.h>

#define CACHE_LINE 32u

/* Lines of the data cache: per-line operations on more than these do not pay (16 KB, TRM 4.1;
 * the implementer chooses the size). */
#define CPU_DCACHE_LINES 512u

/* Bytes that are cleaned line by line; a longer range is cheaper by a flush of everything. Assumed:
 * as for the SA-1110, by twice the cache's size: a line takes some cycles, a flush makes others
 * miss. */
#define CPU_CLEAN_MAX 0x8000u

/* FCSE PID register: 128 slots of 32 MB (TRM 2.3.13); addresses below 32 MB are relocated. In the
 * last of them are the kernel's own addresses (layout.h), so no space can have that. */
#define CPU_PID_SLOTS      127u
#define CPU_PID_SLOT_SHIFT 25
#define CPU_PID_SLOT_SIZE  (1u << CPU_PID_SLOT_SHIFT)

/* Fault status, bits 3..0 (TRM 2.3.5 and 3.2). The fault address is an mva. */
#define FSR_STATUS(fsr)         ((fsr) & 0xf)
#define FSR_ALIGNMENT           0x1 /* and 3 */
#define FSR_TRANSLATION_SECTION 0x5
#define FSR_TRANSLATION_PAGE    0x7
#define FSR_DOMAIN_SECTION      0x9
#define FSR_DOMAIN_PAGE         0xb
#define FSR_PERMISSION_SECTION  0xd
#define FSR_PERMISSION_PAGE     0xf

#define CP15_WRITE(crn, crm, op2, value)                                                           \
    __asm__ volatile("mcr p15, 0, %0, " #crn ", " #crm ", " #op2 : : "r"(value) : "memory")

static inline void cpu_set_ttb(uint32_t pa) {
    CP15_WRITE(c2, c0, 0, pa);
}

static inline void cpu_set_dacr(uint32_t value) {
    CP15_WRITE(c3, c0, 0, value);
}

/* `slot` shifted to its place: the mva of address 0. */
static inline void cpu_set_pid(uint32_t mva_base) {
    CP15_WRITE(c13, c0, 0, mva_base);
}

static inline uint32_t cpu_fault_status(void) {
    uint32_t value;
    __asm__ volatile("mrc p15, 0, %0, c5, c0, 0" : "=r"(value));
    return value;
}

static inline uint32_t cpu_fault_address(void) {
    uint32_t value;
    __asm__ volatile("mrc p15, 0, %0, c6, c0, 0" : "=r"(value));
    return value;
}

static inline void cpu_drain_write_buffer(void) {
    CP15_WRITE(c7, c10, 4, 0);
}

static inline void cpu_clean_dcache_line(uint32_t mva) {
    CP15_WRITE(c7, c10, 1, mva);
}

static inline void cpu_invalidate_dcache_line(uint32_t mva) {
    CP15_WRITE(c7, c6, 1, mva);
}

static inline void cpu_invalidate_icache(void) {
    CP15_WRITE(c7, c5, 0, 0);
}

static inline void cpu_invalidate_tlbs(void) {
    CP15_WRITE(c8, c7, 0, 0);
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

/* Cleans and invalidates the data cache, invalidates the instruction cache, drains the write
 * buffer. No TLB. Counts the event. */
void cpu_flush_caches(void);

/* Cleans, and with `invalidate` drops, the data lines of [mva, mva + size). Not drained. */
void cpu_clean_dcache_range(uint32_t mva, uint32_t size, int invalidate);

/* Processor set up once; the MMU is on already. */
void cpu_init(void);

/* Until the next interrupt; interrupts are on. */
void cpu_idle(void);

/* From the status and the instruction that faulted: did it mean to write? ARMv5 does not tell. */
int cpu_insn_writes(uint32_t insn, int thumb);

#endif
