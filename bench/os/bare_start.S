/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program without an operating system: vectors, the MMU with identity sections, both caches.
 *
 * Entered by the loader with the MMU off in supervisor mode (ARM Linux registers: r2 = tag list).
 * The image begins with the vectors, on a section's boundary; that section is mapped at 0 too.
 * Register values: SA-1110 Developer's Manual, chapters 5 (CP15) and 6 (MMU, caches); the ARM926EJ-S
 * has the same (DDI 0198, chapter 2).
 */
#define CONTROL_MMU   (1 << 0)
#define CONTROL_DATA  (1 << 2)
#define CONTROL_WRITE (1 << 3)
#define CONTROL_FETCH (1 << 12)

/* First-level sections, domain 0, readable and writable; cacheable and bufferable, or neither. */
#define SECTION          0xc12
#define SECTION_CACHED   (SECTION | 0xc)

/* Where the image's first megabyte is once more, uncached (bench/silicon.c). */
#define UNCACHED 0x7f000000

    .section .text.start, "ax", %progbits
    .global _start
vectors:
    b       _start                  /* reset */
    b       .                       /* undefined instruction */
    b       .                       /* software interrupt */
    b       .                       /* prefetch abort */
    subs    pc, lr, #4              /* data abort: go on after it (bare.c looks for the probe so) */
    b       .
    b       .                       /* interrupts stay masked */
    b       .

_start:
    ldr     sp, =_stack_top
    mov     r4, r2
    ldr     r0, =_bss_start
    ldr     r1, =_bss_end
    mov     r2, #0
1:  cmp     r0, r1
    strlo   r2, [r0], #4
    blo     1b

    /* Every megabyte is itself: uncached, but for the 32 MB of memory that the image lies in. */
    ldr     r0, =bare_page_directory
    mov     r1, #0
    ldr     r2, =SECTION
    ldr     r5, =vectors
    mov     r5, r5, lsr #25
2:  mov     r3, r1, lsr #25
    cmp     r3, r5
    orr     r3, r2, r1
    orreq   r3, r3, #0xc
    str     r3, [r0], #4
    adds    r1, r1, #0x100000
    bne     2b
    ldr     r0, =bare_page_directory
    ldr     r3, =vectors
    ldr     r2, =SECTION_CACHED
    orr     r3, r3, r2
    str     r3, [r0]                /* the vectors' section, at 0 too */
    eor     r3, r3, #0xc
    add     r5, r0, #(UNCACHED >> 18)
    str     r3, [r5]                /* and uncached, where neither board has anything */
    ldr     r3, =SECTION
    str     r3, [r5, #4]            /* after it what the vectors hide: it may have the tags */

    mov     r3, #0
    mcr     p15, 0, r3, c7, c7, 0   /* invalidate both caches */
    mcr     p15, 0, r3, c7, c10, 4  /* drain the write buffer */
    mcr     p15, 0, r3, c8, c7, 0   /* invalidate both TLBs */
    mcr     p15, 0, r0, c2, c0, 0   /* translation table base */
    mov     r3, #1
    mcr     p15, 0, r3, c3, c0, 0   /* domain 0: client */
    mrc     p15, 0, r3, c1, c0, 0
    orr     r3, r3, #CONTROL_FETCH
    orr     r3, r3, #(CONTROL_MMU | CONTROL_DATA | CONTROL_WRITE)
    mcr     p15, 0, r3, c1, c0, 0
    nop
    nop
    nop

    mov     r0, r4
    cmp     r0, #0x100000
    addlo   r0, r0, #UNCACHED
    addlo   r0, r0, #0x100000
    bl      bare_main
    b       .
    .ltorg

    .section .pool, "aw", %nobits
    .p2align 14
    .global bare_page_directory
bare_page_directory:
    .space  16384
