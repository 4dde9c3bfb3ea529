/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernel entry and exit.
 *
 * Outside the kernel sp_svc is always the top of the one kernel stack, and struct hot lies right
 * there, so [sp, #HOT_CURRENT] is the running thread. A thread's registers are saved in its TCB.
 * Interrupts are on in programs and in the idle thread (System mode) only.
 *
 * The vectors branch here directly: they lie in the kernel's own section.
 */
#include "offsets.h"
#include "switch_asm.h"

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
 * The program's registers into hot.current->frame; leaves r0 = the TCB. For SWI, in SVC mode with
 * lr = where the program goes on.
 */
    .macro  save_frame_swi
    str     r0, [sp, #-4]
    ldr     r0, [sp, #HOT_CURRENT]
    add     r0, r0, #TCB_FRAME
    stmib   r0, {r1-r14}^
    mov     r0, r0                      @ no banked register right after a user-bank transfer
    str     lr, [r0, #FRAME_PC]
    ldr     r1, [sp, #-4]
    mrs     r2, spsr
    str     r1, [r0]
    str     r2, [r0, #FRAME_CPSR]
    sub     r0, r0, #TCB_FRAME
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
    add     lr, lr, #TCB_FRAME
    stmib   lr, {r1-r14}^
    ldmia   r0, {r1, r2, r3}            @ r0, pc, cpsr
    str     r1, [lr]
    str     r2, [lr, #FRAME_PC]
    str     r3, [lr, #FRAME_CPSR]
    sub     r0, lr, #TCB_FRAME
    .endm

/*
 * System calls. r12 is the complement of the number (kip.S); any other value is a program's own
 * SWI. Ipc first tries the fast path: it saves of the program's registers only what the binding
 * says a system call keeps (r11, sp, and where to go on), message registers 1 to 4 stay where they
 * are, in r4 to r7, which C functions preserve.
 */
    .global swi_entry
swi_entry:
    cmn     r12, #SYSCALL_IPC + 1
    bne     1f
    switch_entry_hook
    ldr     r8, [sp, #HOT_CURRENT]
    add     r9, r8, #TCB_FRAME + FRAME_SP
    stmia   r9, {sp, lr}^
    str     r11, [r8, #TCB_FRAME + FRAME_R11]
    str     lr, [r8, #TCB_FRAME + FRAME_PC]
    stmfd   sp!, {r0-r3}
    bl      fastpath_ipc                @ r0 = who runs now, or 0
    cmp     r0, #0
    beq     2f
    ldr     r3, [sp, #12]               @ the tag goes to the receiver as it is
    add     sp, sp, #16
    add     r1, r0, #TCB_FRAME + FRAME_SP
    ldr     lr, [r0, #TCB_FRAME + FRAME_PC]
    ldr     r11, [r0, #TCB_FRAME + FRAME_R11]
    ldmia   r1, {sp, lr}^
    ldr     r0, [r8, #TCB_ID]           @ from: the thread that called
    switch_exit_hook
    movs    pc, lr                      @ spsr is the sender's: user mode, flags are not kept

2:  ldmfd   sp!, {r0-r3}
    mrs     r12, spsr
    add     r8, r8, #TCB_FRAME
    stmia   r8, {r0-r7}
    str     r12, [r8, #FRAME_CPSR]
    sub     r0, r8, #TCB_FRAME
    mov     r1, #SYSCALL_IPC
    bl      syscall
    b       kernel_exit

1:  switch_entry_hook
    save_frame_swi
    mvn     r1, r12
    bl      syscall
    b       kernel_exit

/* The way out of every slow path, and the first way out: hot.current's frame. */
    .global kernel_exit
kernel_exit:
    bl      sched_finish
    ldr     lr, [sp, #HOT_CURRENT]
    add     lr, lr, #TCB_FRAME
    ldr     r0, [lr, #FRAME_CPSR]
    switch_exit_hook
    msr     spsr_cxsf, r0
    ldmia   lr, {r0-r14}^
    mov     r0, r0                      @ as in save_frame_swi
    ldr     lr, [lr, #FRAME_PC]
    movs    pc, lr

irq_entry:
    sub     lr, lr, #4
    save_frame_scratch
    bl      irq_handle
    b       kernel_exit

undefined_entry:
    save_frame_scratch                  @ pc: after the instruction
    bl      fault_undefined
    b       kernel_exit

prefetch_abort_entry:
    sub     lr, lr, #4
    save_frame_scratch
    bl      fault_prefetch
    b       kernel_exit

data_abort_entry:
    sub     lr, lr, #8
    stmia   sp, {r0, lr}
    mrs     r0, spsr
    tst     r0, #0xf
    bne     3f
    ldr     r0, [sp]
    save_frame_scratch
    bl      fault_data
    b       kernel_exit

/*
 * The kernel's own access to a program's memory faulted: the translation was not loaded yet. Stays
 * in abort mode, on its stack; the kernel's registers wait in their banks. fault_kernel returns 0
 * to repeat the instruction, 4 to go on behind it.
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
    .balign 32
    .space  KERNEL_STACK_SIZE
    .global kernel_stack_top
    .global hot
kernel_stack_top:
hot:
    .space  64
    .space  512
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
