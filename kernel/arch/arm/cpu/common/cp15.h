/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the ARM processors with virtually tagged caches have in common: CP15 as version 4 of the
 * architecture has it (ARM ARM B3; SA-1110 Developer's Manual, chapter 5; ARM926EJ-S Technical
 * Reference Manual DDI 0198, chapter 2), and the operations that each has in its cpu.c.
 * A processor's cpu.h includes this, and has what is only its own.
 *
 * Addresses that these take are mva. Nothing here knows of spaces or schemes.
 */
#ifndef CP15_H
#define CP15_H

#include <stdbool.h>
#include <stdint.h>

#define CACHE_LINE 32u

/* PID register (FCSE): slots of 32 MB; addresses below 32 MB are relocated (SA-1110 5.2.10,
 * ARM926EJ-S 2.3.13). How many there are, each cpu.h says. */
#define CPU_PID_SLOT_SHIFT 25
#define CPU_PID_SLOT_SIZE  (1u << CPU_PID_SLOT_SHIFT)

/* Fault status, bits 3..0 (ARM ARM B3.6.1; SA-1110 5.2.5; ARM926EJ-S 2.3.5 and 3.2). The fault
 * address is an mva. */
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

/* Cleans and invalidates all data caches, invalidates the instruction cache, drains the write
 * buffer. No TLB. Counts the event. */
void cpu_flush_caches(void);

/* Invalidates all of the TLBs. Counts the event. */
void cpu_flush_tlbs(void);

/* Cleans, and with `invalidate` drops, the data lines of [mva, mva + size). Not drained. */
void cpu_clean_dcache_range(uint32_t mva, uint32_t size, int invalidate);

/* Processor set up once; the MMU is on already. */
void cpu_init(void);

/* Until the next interrupt; interrupts are on. */
void cpu_idle(void);

/* From the instruction that faulted: did it mean to write? ARMv4 and v5 do not tell. */
int cpu_insn_writes(uint32_t insn, int thumb);

/* Does an instruction of ARM state store? Loads and stores by their encoding (ARM ARM A3); SWP
 * reads and writes. LDRD and STRD, of version 5TE, are coded among the loads; earlier ones have
 * nothing there. */
static inline bool arm_insn_writes(uint32_t insn) {
    bool load = (insn >> 20 & 1) != 0;
    switch (insn >> 25 & 7) {
    case 0: /* halfword, signed and double transfers, SWP */
        if ((insn & 0x0fb00ff0) == 0x01000090) {
            return true;
        }
        return !load && (insn & 0xb0) == 0xb0;
    case 2: /* LDR, STR */
    case 3:
    case 4: /* LDM, STM */
    case 6: /* LDC, STC */
        return !load;
    default:
        return false;
    }
}

/* ARM ARM A7: Thumb's loads and stores by their encoding. */
static inline bool thumb_insn_writes(uint32_t insn) {
    switch (insn >> 12) {
    case 5: /* register offset: STR, STRH, STRB before the loads */
        return (insn >> 9 & 7) < 3;
    case 6: /* immediate offset, also relative to sp; STMIA */
    case 7:
    case 8:
    case 9:
    case 12:
        return (insn >> 11 & 1) == 0;
    case 11:
        return (insn & 0xfe00) == 0xb400; /* PUSH */
    default:
        return false;
    }
}

#endif
