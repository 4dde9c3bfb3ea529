/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CPU operations of the Pentium 4 (SDM vol. 3): control registers, TLBs. Caches are physically
 * tagged and the page walker reads through them, so what ARM's processors need for theirs is
 * nothing here.
 */
#ifndef CPU_H
#define CPU_H

#include <stdbool.h>
#include <stdint.h>

#define CACHE_LINE 64u

/* pa of the page directory. Empties the TLBs but for global pages; slow (480 cycles). */
static inline void cpu_set_directory(uint32_t pa) {
    __asm__ volatile("movl %0, %%cr3" : : "r"(pa) : "memory");
}

static inline void cpu_invalidate_page(uint32_t va) {
    __asm__ volatile("invlpg (%0)" : : "r"(va) : "memory");
}

/* Empties the TLBs, of global pages too: by a change of CR4.PGE (SDM vol. 3, 3.12). */
static inline void cpu_flush_tlbs(void) {
    uint32_t cr4;
    __asm__ volatile("movl %%cr4, %0" : "=r"(cr4));
    __asm__ volatile("movl %0, %%cr4" : : "r"(cr4 & ~0x80u) : "memory");
    __asm__ volatile("movl %0, %%cr4" : : "r"(cr4) : "memory");
}

static inline void cpu_write_msr(uint32_t number, uint32_t value) {
    __asm__ volatile("wrmsr" : : "c"(number), "a"(value), "d"(0));
}

/* Where SYSENTER goes (SDM vol. 3, 4.8.7). */
static inline void cpu_set_sysenter(const char *entry) {
    cpu_write_msr(0x176, (uint32_t)entry);
}

static inline uint32_t cpu_fault_address(void) {
    uint32_t va;
    __asm__ volatile("movl %%cr2, %0" : "=r"(va));
    return va;
}

static inline uint64_t cpu_time_stamp(void) {
    uint64_t value;
    __asm__ volatile("rdtsc" : "=A"(value));
    return value;
}

static inline void cpu_out(uint16_t port, uint8_t value) {
    __asm__ volatile("outb %0, %1" : : "a"(value), "Nd"(port) : "memory");
}

static inline uint8_t cpu_in(uint16_t port) {
    uint8_t value;
    __asm__ volatile("inb %1, %0" : "=a"(value) : "Nd"(port) : "memory");
    return value;
}

/* What generic code says of caches that are not coherent by themselves. Stores become visible in
 * their order; the compiler has to keep it. */
static inline void cpu_drain_write_buffer(void) {
    __asm__ volatile("" : : : "memory");
}

static inline void cpu_clean_dcache_range(uint32_t va, uint32_t size, int invalidate) {
    (void)va;
    (void)size;
    (void)invalidate;
}

/* The task state, with the map of ports (segments.h). */
extern uint32_t task_state[];

/* Processor set up once: segments, vectors, SYSENTER. Paging is on already. */
void cpu_init(void);

#endif
