/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CPU operations of the SA-1110: CP15 (Developer's Manual, chapter 5) and the caches (chapter 6).
 *
 * Addresses that these take are mva. Nothing here knows of spaces or schemes. The flushes that are
 * loops are in cpu.c.
 */
#ifndef CPU_H
#define CPU_H

#include <stdint.h>

#define CACHE_LINE 32u

/* CPU_DCACHE_BYTES comes from the Makefile: 8 KB (chapter 6.2), unless the kernel is built for a
 * machine that differs from the processor in this. */

/* Bytes that are cleaned line by line; a longer range is cheaper by a flush of everything. A line
 * takes 7 cycles, a flush 256 reads of 18 and what it makes others miss: half a cache of lines at
 * 71, say. */
#define CPU_CLEAN_MAX 0x8000u

/* PID register: slots of 32 MB; addresses below 32 MB are relocated (chapter 5.2.10). */
#define CPU_PID_SLOTS      64u
#define CPU_PID_SLOT_SHIFT 25
#define CPU_PID_SLOT_SIZE  (1u << CPU_PID_SLOT_SHIFT)

/* Fault status, bits 3..0 (chapter 5.2.5; ARM ARM B3.6.1). */
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

/* Cleans and invalidates both data caches, invalidates instruction cache and read buffer, drains
 * the write buffer. No TLB. Counts the event. */
void cpu_flush_caches(void);

/* Cleans, and with `invalidate` drops, the data lines of [mva, mva + size). Not drained. */
void cpu_clean_dcache_range(uint32_t mva, uint32_t size, int invalidate);

/* Processor set up once; the MMU is on already. */
void cpu_init(void);

/* Until the next interrupt; interrupts are on. */
void cpu_idle(void);

/* From the status and the instruction that faulted: did it mean to write? ARMv4 does not tell. */
int cpu_insn_writes(uint32_t insn, int thumb);

#endif
