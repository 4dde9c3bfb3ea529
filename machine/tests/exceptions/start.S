/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Into a case and out of it. `enter` loads every register of every mode and jumps; whatever
 * exception ends the case comes to the vector page, which saves every register of every mode
 * before anything is changed, and returns to the caller of `enter`.
 */
#include "state.h"

#define FIQ 0xd1                        /* modes with IRQ and FIQ masked */
#define IRQ 0xd2
#define SVC 0xd3
#define ABT 0xd7
#define UND 0xdb
#define SYS 0xdf

    .arm
    .section .text.start, "ax"
    .global _start
_start:
    ldr     sp, =stack_top
    ldr     r0, =bss_start
    ldr     r1, =bss_end
    mov     r2, #0
1:  cmp     r0, r1
    strlo   r2, [r0], #4
    blo     1b
    bl      main
2:  b       2b
    .ltorg

    .text
/*
 * void enter(const struct state *state, const u32 *block, u32 launch)
 * Called by run() in Supervisor mode. The two instructions at `launch` (memory.c) set CPSR from r1
 * and load r0..r7 and pc from the block at r0: they lie where User mode may execute and read.
 */
    .global enter
enter:
    ldr     r3, =host
    stmia   r3, {r4-r11, sp, lr}
    msr     cpsr_c, #FIQ
    add     r3, r0, #STATE_FIQ_R8
    ldmia   r3, {r8-r14}
    ldr     r3, [r0, #STATE_FIQ_SPSR]
    msr     spsr_cxsf, r3
    msr     cpsr_c, #ABT
    ldr     r13, [r0, #STATE_ABT_R13]
    ldr     r14, [r0, #STATE_ABT_R13 + 4]
    ldr     r3, [r0, #STATE_ABT_SPSR]
    msr     spsr_cxsf, r3
    msr     cpsr_c, #UND
    ldr     r13, [r0, #STATE_UND_R13]
    ldr     r14, [r0, #STATE_UND_R13 + 4]
    ldr     r3, [r0, #STATE_UND_SPSR]
    msr     spsr_cxsf, r3
    msr     cpsr_c, #IRQ
    ldr     r13, [r0, #STATE_IRQ_R13]
    ldr     r14, [r0, #STATE_IRQ_R13 + 4]
    ldr     r3, [r0, #STATE_IRQ_SPSR]
    msr     spsr_cxsf, r3
    msr     cpsr_c, #SVC
    ldr     r13, [r0, #STATE_SVC_R13]
    ldr     r14, [r0, #STATE_SVC_R13 + 4]
    ldr     r3, [r0, #STATE_SVC_SPSR]
    msr     spsr_cxsf, r3
    msr     cpsr_c, #SYS
    add     r3, r0, #STATE_USR_R8
    ldmia   r3, {r8-r14}
    ldr     r3, [r0, #STATE_CPSR]
    mov     r0, r1
    mov     r1, r3
    mov     pc, r2
    .ltorg

/*
 * void flush_caches(void)
 * Cleans the data cache by filling it from the zeros bank (8 KB; the SA-1110 has no operation that
 * cleans all), invalidates both caches. Touches no memory of its own in between.
 */
    .global flush_caches
flush_caches:
    mov     r0, #0xe0000000
    add     r1, r0, #0x2000
1:  ldr     r2, [r0], #32
    cmp     r0, r1
    blo     1b
    mov     r0, #0
    mcr     p15, 0, r0, c7, c10, 4      /* drain the write buffer */
    mcr     p15, 0, r0, c7, c7, 0       /* invalidate both caches */
    mov     r0, r0
    mov     r0, r0
    mov     pc, lr

/*
 * The vector page: copied by memory.c, mapped at 0 and at 0xffff0000, so everything here is
 * relative to pc. The record after the code is read through another, uncached mapping.
 */
    .macro  entry number
    str     r0, saved
    mov     r0, #\number
    str     r0, saved + RESULT_VECTOR
    b       save
    .endm

    .section .vectors, "ax"
    .global vectors_start, vectors_end, vectors_saved
vectors_start:
    b       0f
    b       1f
    b       2f
    b       3f
    b       4f
    b       5f
    b       6f
    b       7f
0:  entry   0
1:  entry   1
2:  entry   2
3:  entry   3
4:  entry   4
5:  entry   5
6:  entry   6
7:  entry   7
save:
    adr     r0, saved
    stmib   r0, {r1-r7}
    mrs     r1, cpsr
    str     r1, [r0, #STATE_CPSR]
    sub     r1, r0, #(saved - vectors_start)
    str     r1, [r0, #RESULT_BASE]
    msr     cpsr_c, #SYS
    add     r3, r0, #STATE_USR_R8
    stmia   r3, {r8-r14}
    msr     cpsr_c, #FIQ
    add     r3, r0, #STATE_FIQ_R8
    stmia   r3, {r8-r14}
    mrs     r3, spsr
    str     r3, [r0, #STATE_FIQ_SPSR]
    msr     cpsr_c, #ABT
    str     r13, [r0, #STATE_ABT_R13]
    str     r14, [r0, #STATE_ABT_R13 + 4]
    mrs     r3, spsr
    str     r3, [r0, #STATE_ABT_SPSR]
    msr     cpsr_c, #UND
    str     r13, [r0, #STATE_UND_R13]
    str     r14, [r0, #STATE_UND_R13 + 4]
    mrs     r3, spsr
    str     r3, [r0, #STATE_UND_SPSR]
    msr     cpsr_c, #IRQ
    str     r13, [r0, #STATE_IRQ_R13]
    str     r14, [r0, #STATE_IRQ_R13 + 4]
    mrs     r3, spsr
    str     r3, [r0, #STATE_IRQ_SPSR]
    msr     cpsr_c, #SVC
    str     r13, [r0, #STATE_SVC_R13]
    str     r14, [r0, #STATE_SVC_R13 + 4]
    mrs     r3, spsr
    str     r3, [r0, #STATE_SVC_SPSR]
    ldr     r0, =host
    ldmia   r0, {r4-r11, sp, lr}
    mov     pc, lr
    .ltorg
    .balign 16
vectors_saved:
saved:
    .space  RESULT_SIZE
vectors_end:

    .bss
    .balign 8
host:
    .space  40                          /* r4-r11, sp, lr of the caller of enter */
    .space  8192
stack_top:
