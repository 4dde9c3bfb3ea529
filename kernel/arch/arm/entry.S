/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernel entry and exit.
 *
 * Outside the kernel sp_svc is always the top of the one kernel stack, and struct hot lies right
 * there, so [sp, #HOT_CURRENT] is the running thread; after it the table of TCBs. A thread's
 * registers are saved in its TCB.
 * Interrupts are on in programs and in the idle thread (System mode) only.
 *
 * The vectors branch here directly: they lie in the kernel's own section.
 */
#include "path_asm.h"

/* Fault status: translation fault of a section, domain fault of a section or of a page. */
#define STATUS_TRANSLATION_SECTION 0x5
#define STATUS_DOMAIN              0x9
#define STATUS_PAGE                0x2

    .section .vectors, "ax"
    b       reset_entry
    b       undefined_entry
    b       swi_entry
    b       prefetch_abort_entry
    b       data_abort_entry
    b       reset_entry
    b       irq_entry
    b       fiq_entry

    .text

/*
 * The program's registers into its TCB; leaves r0 = the TCB. C finds the thread READY. For SWI, in
 * SVC mode with lr = where the program goes on.
 */
    .macro  save_frame_swi
    str     lr, [sp, #-4]
    ldr     lr, [sp, #HOT_CURRENT]
    add     lr, lr, #TCB_R0
    stmia   lr, {r0-r10, r12}
    sub     r0, lr, #TCB_R0
    ldr     r1, [sp, #-4]
    mrs     r2, spsr
    stmia   r0, {r11, sp, lr}^
    mov     r3, #STATE_READY_ASM        @ no banked register right after a user-bank transfer
    str     r1, [r0, #TCB_PC]
    str     r2, [r0, #TCB_CPSR]
    strb    r3, [r0, #TCB_STATE]
    .endm

/* For the other modes, which have a scratch of three words at their sp: begins in that mode with
 * lr = where the program goes on, ends in SVC mode. */
    .macro  save_frame_scratch
    stmia   sp, {r0, lr}
    mrs     r0, spsr
    str     r0, [sp, #8]
    mov     r0, sp
    msr     cpsr_c, #0xd3
    ldr     lr, [sp, #HOT_CURRENT]
    add     lr, lr, #TCB_R0
    stmia   lr, {r0-r10, r12}
    ldmia   r0, {r1, r2, r3}            @ r0, pc, cpsr
    str     r1, [lr]
    sub     r0, lr, #TCB_R0
    str     r2, [r0, #TCB_PC]
    stmia   r0, {r11, sp, lr}^
    mov     r1, #STATE_READY_ASM        @ (see save_frame_swi)
    str     r3, [r0, #TCB_CPSR]
    .endm

/* C finds the thread READY. */
    .macro  mark_ready
    strb    r1, [r0, #TCB_STATE]
    .endm

/*
 * System calls and programs' own SWIs, as far as the IPC path (ipc_path.S) leaves them. r12 is the
 * complement of the call's number (kip.S); any other value is a program's own SWI.
 */
    .global swi_entry_slow
swi_entry_slow:
    switch_entry_hook
    save_frame_swi
    mvn     r1, r12
    bl      syscall
    b       kernel_exit

/* The way out of every slow path, and the first way out: hot.current's frame. */
    .global kernel_exit
kernel_exit:
    bl      sched_finish
    .global resume_current
resume_current:
    ldr     lr, [sp, #HOT_CURRENT]
    mov     r1, #STATE_RECEIVING_ASM
    ldr     r0, [lr, #TCB_CPSR]
    strb    r1, [lr, #TCB_STATE]
    switch_exit_hook
    msr     spsr_cxsf, r0
    load_user_bank lr
    add     lr, lr, #TCB_R0
    leave_frame

irq_entry:
    sub     lr, lr, #4
    save_frame_scratch
    mark_ready
    bl      irq_handle
    b       kernel_exit

undefined_entry:
    save_frame_scratch                  @ pc: after the instruction
    mark_ready
    bl      fault_undefined
    b       kernel_exit

/*
 * The scheme comes first, for it has many faults soon after a space has got its domain: on the abort
 * stack, with no more registers saved than C changes. (The frame's lines are cold by then.)
 */
prefetch_abort_entry:
    sub     lr, lr, #4
    stmfd   sp!, {r0-r3, r12, lr}
    mov     r0, lr
    bl      fault_scheme_prefetch
    teq     r0, #0
    ldmfd   sp!, {r0-r3, r12, lr}
    movsne  pc, lr
    save_frame_scratch
    b       fault_path_prefetch

data_abort_entry:
    sub     lr, lr, #8
    stmia   sp, {r0, lr}
    mrs     r0, spsr
    tst     r0, #0xf
    bne     3f
    mrc     p15, 0, r0, c5, c0, 0
    and     r0, r0, #0xf
    teq     r0, #STATUS_TRANSLATION_SECTION
    bicne   r0, r0, #STATUS_PAGE
    teqne   r0, #STATUS_DOMAIN
    ldr     r0, [sp]
    beq     2f
1:  save_frame_scratch
    b       fault_path_data

2:  stmfd   sp!, {r0-r3, r12, lr}
    bl      fault_scheme_data
    teq     r0, #0
    ldmfd   sp!, {r0-r3, r12, lr}
    movsne  pc, lr
    b       1b

/*
 * The kernel's own access to a program's memory faulted: the translation was not loaded yet. Stays
 * in abort mode, on its stack; the kernel's registers wait in their banks. fault_kernel returns 0
 * to repeat the instruction, 4 to go on after it.
 */
3:  ldr     r0, [sp]
    stmfd   sp!, {r0-r3, r12, lr}
    mov     r0, lr
    bl      fault_kernel
    ldr     lr, [sp, #20]
    add     lr, lr, r0
    str     lr, [sp, #20]
    ldmfd   sp!, {r0-r3, r12, lr}
    movs    pc, lr

reset_entry:
fiq_entry:
    mov     r0, lr
    bl      fault_unexpected

/* The idle thread, in System mode with interrupts on. */
    .global idle_loop
idle_loop:
    bl      cpu_idle
    b       idle_loop

    .bss
    .balign HOT_SIZE
    .space  KERNEL_STACK_SIZE
    .global kernel_stack_top
    .global hot
kernel_stack_top:
hot:
    .space  HOT_SIZE                    @ the IPC path finds TCBs from sp
    .global tcbs
tcbs:
    .space  THREAD_COUNT_ASM << TCB_SIZE_LOG2
    .space  1024                        @ the abort stack: a scheme may recycle on it
    .global abort_scratch
abort_scratch:
    .space  16
    .global irq_scratch
irq_scratch:
    .space  16
    .global undefined_scratch
undefined_scratch:
    .space  16
    .space  128
    .global idle_stack_top
idle_stack_top:
    .space  16
