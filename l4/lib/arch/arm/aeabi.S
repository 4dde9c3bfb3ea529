/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The __aeabi_* functions that the compiler calls (Run-time ABI for the ARM Architecture, ARM
 * IHI 0043, sections 4.2 and 4.3): division results in r0/r1 or r0:r1/r2:r3, memory functions
 * with memset's arguments swapped.
 */
    .macro  function name
    .global \name
    .type   \name, %function
\name:
    .endm

    .text

    function __aeabi_uidiv
    function __aeabi_uidivmod
    stmfd   sp!, {r4, lr}
    sub     sp, sp, #8
    mov     r2, sp
    bl      l4_divide32
    ldr     r1, [sp], #8
    ldmfd   sp!, {r4, pc}

    /* Signed: divide magnitudes; quotient negative if signs differ, remainder as the numerator. */
    function __aeabi_idiv
    function __aeabi_idivmod
    stmfd   sp!, {r4, lr}
    sub     sp, sp, #8
    eor     r4, r0, r1
    mov     r4, r4, lsr #31         /* bit 0: the quotient's sign */
    cmp     r0, #0
    orrlt   r4, r4, #2              /* bit 1: the remainder's */
    rsblt   r0, r0, #0
    cmp     r1, #0
    rsblt   r1, r1, #0
    mov     r2, sp
    bl      l4_divide32
    ldr     r1, [sp], #8
    tst     r4, #1
    rsbne   r0, r0, #0
    tst     r4, #2
    rsbne   r1, r1, #0
    ldmfd   sp!, {r4, pc}

    function __aeabi_uldivmod
    stmfd   sp!, {r4, lr}
    sub     sp, sp, #16
    add     ip, sp, #8
    str     ip, [sp]
    bl      l4_divide64
    add     sp, sp, #8
    ldmfd   sp!, {r2, r3}
    ldmfd   sp!, {r4, pc}

    function __aeabi_memcpy
    function __aeabi_memcpy4
    function __aeabi_memcpy8
    b       memcpy

    function __aeabi_memmove
    function __aeabi_memmove4
    function __aeabi_memmove8
    b       memmove

    function __aeabi_memclr
    function __aeabi_memclr4
    function __aeabi_memclr8
    mov     r2, r1
    mov     r1, #0
    b       memset

    function __aeabi_memset
    function __aeabi_memset4
    function __aeabi_memset8
    mov     r3, r1
    mov     r1, r2
    mov     r2, r3
    b       memset
