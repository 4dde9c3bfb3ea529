/* SPDX-License-Identifier: Apache-2.0 */
/*
 * raw.h. A stub keeps r11 and sp; ThreadSwitch also r1 to r7, as they are no arguments of it.
 */
#include <l4/arch/arm/binding.h>
#include <l4/syscall_list.h>

    .macro  function name
    .global \name
    .type   \name, %function
    .balign 32
\name:
    .endm

    .macro  call stub
    mov     lr, pc
    mov     pc, \stub
    .endm

    .macro  stub name
    function raw_stub_\name
    ldr     r0, =l4_syscalls
    ldr     r0, [r0, #.Lkip_\name - L4_KIP_SYSTEM_CALLS]
    mov     pc, lr
    .endm

    .text
    stub    ipc
    stub    lipc
    stub    thread_switch
    stub    system_clock

    function raw_call
    stmfd   sp!, {r4-r11, lr}
    mov     ip, #L4_ARM_UTCB_POINTER
    ldr     ip, [ip]
    mov     r3, r1
    add     ip, ip, #L4_UTCB_MR + 4
    ldmia   ip, {r4-r7}
    mov     ip, r2
    mov     r1, r0
    mov     r2, #0                      @ both timeouts never
    call    ip
    mov     r0, r3
    ldmfd   sp!, {r4-r11, pc}

    function raw_pass
    stmfd   sp!, {r1, r4-r11, lr}
    mov     ip, r2
    ldmia   r1, {r3-r7}
    mvn     r1, #0                      @ from any
    mov     r2, #0
    call    ip
    ldr     r1, [sp], #4
    stmia   r1, {r3-r7}
    ldmfd   sp!, {r4-r11, pc}

    function raw_syscall
    stmfd   sp!, {r4-r11, lr}
    call    r1
    ldmfd   sp!, {r4-r11, pc}

    function raw_echo
    mov     r11, r0
    mov     r0, #0                      @ first nothing is sent
1:  mvn     r1, #0                      @ from any
    mov     r2, #0
    call    r11
    bic     r3, r3, #0xfc0              @ no typed items back
    b       1b

    function raw_local_echo
    mov     r11, r0
    mov     r0, #0                      @ first nothing is sent
1:  mvn     r1, #0x3f                   @ from any local thread
    mov     r2, #0
    call    r11
    bic     r3, r3, #0xfc0              @ no typed items back
    b       1b

    function raw_yield
    mov     r4, r0
    mov     r11, r1
1:  mov     r0, r4
    call    r11
    b       1b

    function raw_pager
    str     r0, [sp, #-4]!
    mov     r11, r1
    mov     r0, #0
1:  mvn     r1, #0
    mov     r2, #0
    call    r11
    mov     r3, #2 << 6                 @ one map item: send base (the fault's page), fpage
    mov     r4, r4, lsr #12
    mov     r4, r4, lsl #12
    orr     r4, r4, #8
    ldr     r5, [sp]
    and     r6, r4, #0xf000
    add     r5, r5, r6
    b       1b
