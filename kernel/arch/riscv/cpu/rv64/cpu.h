/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CPU operations of an RV64 with Sv39 (Privileged Architecture, "Supervisor-Level ISA"): satp, the
 * fences. Caches are physically tagged and page tables are read through them, so what ARM's
 * processors need for theirs is nothing here.
 */
#ifndef CPU_H
#define CPU_H

#include <stdint.h>

#include "word.h"

#define CACHE_LINE 64u

/* satp: mode, 16 bits of ASID, the page number of the root. */
#define SATP_SV39     ((word_t)8 << 60)
#define SATP_ASID_LOG 44
#define SATP_ASIDS    ((word_t)0xffff << SATP_ASID_LOG)

static inline word_t cpu_satp(void) {
    word_t satp;
    __asm__ volatile("csrr %0, satp" : "=r"(satp));
    return satp;
}

static inline void cpu_set_satp(word_t satp) {
    __asm__ volatile("csrw satp, %0" : : "r"(satp) : "memory");
}

/* What the TLBs have of one page, or of all pages but the global ones, under an ASID. (The register
 * that names the ASID must not be x0, though it may hold 0: that would mean all of them.) */
static inline void cpu_fence_page(word_t va, word_t asid) {
    register word_t named __asm__("a0") = asid;
    __asm__ volatile("sfence.vma %0, %1" : : "r"(va), "r"(named) : "memory");
}

static inline void cpu_fence_asid(word_t asid) {
    register word_t named __asm__("a0") = asid;
    __asm__ volatile("sfence.vma zero, %0" : : "r"(named) : "memory");
}

static inline void cpu_fence_all(void) {
    __asm__ volatile("sfence.vma" : : : "memory");
}

/* What was stored is what is fetched. */
static inline void cpu_fence_code(void) {
    __asm__ volatile("fence.i" : : : "memory");
}

/* What generic code says of caches that are not coherent by themselves. The page walker sees stores
 * that came before a fence; the compiler has to keep their order. */
static inline void cpu_drain_write_buffer(void) {
    __asm__ volatile("" : : : "memory");
}

static inline void cpu_clean_dcache_range(word_t va, word_t size, int invalidate) {
    (void)va;
    (void)size;
    (void)invalidate;
}

/* The processor is set up where it starts (boot.S). */
static inline void cpu_init(void) {
}

#endif
