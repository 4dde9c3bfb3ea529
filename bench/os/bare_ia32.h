/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What bare_ia32_start.S sets up on a PC, for programs that measure the processor itself.
 *
 * Segments are flat. DS, ES, FS and GS have BARE_USER_DATA, at level 0 too, so that nobody has to
 * reload them between levels. Pages are of 4 MB, everybody's, and each is itself: the first 64 MB
 * are memory, cached, the rest is not. Interrupts are off, and no vector has a handler.
 */
#ifndef BENCH_OS_BARE_IA32_H
#define BENCH_OS_BARE_IA32_H

/* Selectors, in the order that SYSENTER and SYSEXIT want; bare_gdt[BARE_FREE] and on are free. */
#define BARE_KERNEL_CODE 0x08
#define BARE_KERNEL_DATA 0x10
#define BARE_USER_CODE   0x1b
#define BARE_USER_DATA   0x23
#define BARE_TASK        0x28
#define BARE_FREE        6
#define BARE_SEGMENTS    16
#define BARE_VECTORS     256
#define BARE_TASK_BYTES  104

/* Entries of page tables and directories (SDM vol. 3, 3.6.4). */
#define PAGE_PRESENT  0x001
#define PAGE_WRITE    0x002
#define PAGE_USER     0x004
#define PAGE_THROUGH  0x008
#define PAGE_UNCACHED 0x010
#define PAGE_LARGE    0x080
#define PAGE_GLOBAL   0x100
#define PAGE_MINE     (PAGE_PRESENT | PAGE_WRITE | PAGE_USER)

#define CR4_PSE 0x10
#define CR4_PGE 0x80

#ifndef __ASSEMBLER__
#include <stdint.h>

extern uint64_t bare_gdt[BARE_SEGMENTS];
extern uint32_t bare_task[BARE_TASK_BYTES / 4]; /* the TSS: word 1 is the stack of level 0 */
extern uint32_t bare_directory[1024];

/* A gate of `type` (SDM vol. 3, 5.11) to a place in the kernel's code, for `level` and below. */
uint64_t bare_gate(unsigned type, void (*to)(void), unsigned level);
#define BARE_CALL_GATE      0xc
#define BARE_INTERRUPT_GATE 0xe

/* Has an interrupt or an exception go through that gate. */
void bare_handle(unsigned vector, uint64_t gate);

static inline void bare_out(uint16_t port, uint8_t value) {
    __asm__ volatile("outb %0, %1" : : "a"(value), "Nd"(port));
}

static inline uint8_t bare_in(uint16_t port) {
    uint8_t value;
    __asm__ volatile("inb %1, %0" : "=a"(value) : "Nd"(port));
    return value;
}
#endif
#endif
