/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the boot loader to C: MMU and caches off, SVC mode, running at physical addresses.
 *
 * Makes the kernel's page directory from a table of sections, with one more for the page that
 * runs while the MMU goes on (ptab_init takes it away), then jumps to the kernel's own addresses.
 */
#include "cpu_asm.h"
#include "layout.h"
#include "offsets.h"

/* Section descriptors, domain 0 (ARM ARM B3.3; bit 4 is to be set on this processor). */
#define SECTION_KERNEL   0x412 /* kernel reads and writes; uncached */
#define SECTION_BUFFERED 0x416
#define SECTION_MINI     0x41a
#define SECTION_CACHED   0x41e

/* Control register: MMU, alignment faults, caches, write buffer, the bits that are always one,
 * instruction cache, vectors at FFFF0000 (manual 5.2.2). */
#define CONTROL 0x307f

    .section .boot, "ax"
    .global _start
_start:
    msr     cpsr_c, #0xd3
    mov     r11, r2                     @ the loader's tags, for kernel_main
    mov     r0, #0
    mcr     p15, 0, r0, c7, c7, 0       @ caches
    mcr     p15, 0, r0, c7, c10, 4      @ write buffer
    mcr     p15, 0, r0, c8, c7, 0       @ TLBs
    mcr     p15, 0, r0, c13, c0, 0      @ no relocation

    ldr     r4, =BOOT_DIRECTORY_PA
    mov     r1, #0x4000
1:  subs    r1, r1, #4
    str     r0, [r4, r1]
    bne     1b

    adr     r5, sections
2:  ldmia   r5!, {r0, r1, r2}           @ va, pa | attributes, number
    cmp     r2, #0
    beq     4f
    mov     r0, r0, lsr #20
3:  str     r1, [r4, r0, lsl #2]
    add     r0, r0, #1
    add     r1, r1, #0x100000
    subs    r2, r2, #1
    bne     3b
    b       2b

4:  mcr     p15, 0, r4, c2, c0, 0
    mov     r0, #1                      @ domain 0: client
    mcr     p15, 0, r0, c3, c0, 0
    ldr     r0, =CONTROL
    ldr     r1, =high
    mcr     p15, 0, r0, c1, c0, 0
    mov     r0, r0
    mov     r0, r0
    mov     r0, r0
    mov     pc, r1

sections:
    .word   HEAP_VA,            HEAP_PA + SECTION_CACHED,     HEAP_SIZE >> 20
    .word   HEAP_UNCACHED_VA,   HEAP_PA + SECTION_BUFFERED,   HEAP_SIZE >> 20
    .word   UART_VA,            UART_PA + SECTION_KERNEL,     1
    .word   SYSTEM_VA,          SYSTEM_PA + SECTION_KERNEL,   1
    .word   PROBE_VA,           PROBE_PA + SECTION_KERNEL,    1
    cpu_boot_sections
    .word   BOOT_WINDOW_VA,     SDRAM_PA + SDRAM_SIZE - 0x100000 + SECTION_KERNEL, 1
    .word   KERNEL_VA,          KERNEL_PA + SECTION_CACHED,   1
    .word   KERNEL_PA,          KERNEL_PA + SECTION_CACHED,   1
    .word   0, 0, 0
    .ltorg

    .text
high:
    ldr     r0, =kernel_bss_start
    ldr     r1, =kernel_bss_end
    mov     r2, #0
1:  cmp     r0, r1
    strlo   r2, [r0], #4
    blo     1b

    @ Each mode's stack. IRQ, abort and undefined need three words (entry.S); aborts inside the
    @ kernel run on the abort stack.
    msr     cpsr_c, #0xd2
    ldr     sp, =irq_scratch
    msr     cpsr_c, #0xd7
    ldr     sp, =abort_scratch
    msr     cpsr_c, #0xdb
    ldr     sp, =undefined_scratch
    msr     cpsr_c, #0xd3
    ldr     sp, =kernel_stack_top
    mov     r0, r11
    bl      kernel_main
    b       kernel_exit
    .ltorg
