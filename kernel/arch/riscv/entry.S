/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernel entry and exit.
 *
 * The kernel has one stack, which is empty outside of it. A thread's registers are saved in its TCB,
 * which sscratch points to while a program runs; in the kernel it is 0. Interrupts are on in programs
 * only: the idle thread waits with them off, which WFI ends all the same.
 */
#include "offsets.h"
#include "switch_asm.h"

#include <l4/syscall_list.h>

/* All registers of the frame at sp but sp itself, with `op` a load or a store. */
    .macro  registers op
    \op     ra, TCB_RA(sp)
    \op     gp, TCB_GP(sp)
    \op     tp, TCB_TP(sp)
    .irp    n, 0, 1, 2, 3, 4, 5, 6
    \op     t\n, TCB_T + 8 * \n(sp)
    .endr
    .irp    n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
    \op     s\n, TCB_S + 8 * \n(sp)
    .endr
    .irp    n, 0, 1, 2, 3, 4, 5, 6, 7
    \op     a\n, TCB_A + 8 * \n(sp)
    .endr
    .endm

    .text
    .balign 64
    .global trap_entry
trap_entry:
    csrrw   sp, sscratch, sp
    beqz    sp, kernel_trap
    sd      t1, TCB_T + 8(sp)
    csrr    t1, scause
    addi    t1, t1, -CAUSE_ECALL_ASM
    or      t1, t1, t0                  # 0: a system call, and Ipc, whose number that is
    beqz    t1, ipc_path
    addi    t1, t1, -.Lsyscall_lipc
    beqz    t1, lipc_path
    ld      t1, TCB_T + 8(sp)
/* (From the paths, too: of Ipc and Lipc, in which t1 is free.) */
    .global trap_slow
trap_slow:
    registers sd
    csrrw   t0, sscratch, zero
    csrr    t1, sepc
    csrr    a1, scause
    csrr    a2, stval
    li      t2, STATE_READY_ASM
    sd      t0, TCB_SP(sp)
    sd      t1, TCB_PC(sp)
    sb      t2, TCB_STATE(sp)
    mv      a0, sp
    lla     sp, kernel_stack_top
    switch_entry_hook
    call    trap
    /* On to kernel_exit. */

/* The way out of every entry, and the first way out: hot.current's frame. */
    .global kernel_exit
kernel_exit:
    lla     sp, kernel_stack_top
    call    sched_finish
    lla     t0, hot
    ld      sp, HOT_CURRENT(t0)
    li      t1, STATE_RECEIVING_ASM
    ld      t2, TCB_STATUS(sp)
    sb      t1, TCB_STATE(sp)
    beqz    t2, idle                    # FRAME_STATUS_IDLE
    switch_exit_hook
    ld      t1, TCB_PC(sp)
    csrw    sscratch, sp
    sc.d    zero, t1, (sp)              # another thread's reservation ends; TCB_PC is at 0
    csrw    sepc, t1
    registers ld
    ld      sp, TCB_SP(sp)
    sret

idle:
    li      t1, STATE_READY_ASM
    sb      t1, TCB_STATE(sp)
    lla     sp, kernel_stack_top
    wfi
    call    irq_handle
    j       kernel_exit

/* The kernel's own access where it may fail goes on after it, with t0 for nobody's use; all else is a
 * broken kernel. */
kernel_trap:
    csrrw   sp, sscratch, sp
    csrr    a1, sepc
    lla     t0, guarded_load_at
    beq     a1, t0, 1f
    lla     t0, lipc_path_load
    beq     a1, t0, 2f
    csrr    a0, scause
    csrr    a2, stval
    lla     sp, kernel_stack_top
    tail    fault_kernel
1:  lla     t0, guarded_load_failed
    csrw    sepc, t0
    sret
2:  lla     t0, lipc_path_failed
    csrw    sepc, t0
    sret

/* bool guarded_load(word_t va, uint32_t *value) */
    .global guarded_load
guarded_load:
guarded_load_at:
    lwu     t1, (a0)
    sw      t1, (a1)
    li      a0, 1
    ret
guarded_load_failed:
    li      a0, 0
    ret

    .bss
    .balign 4096
    .space  KERNEL_STACK_SIZE
    .global kernel_stack_top
    .global hot
kernel_stack_top:
hot:
    .space  HOT_SIZE
    .global tcbs
tcbs:
    .space  THREAD_COUNT_ASM * TCB_SIZE
    .global idle_loop, idle_stack_top   # the scheduler's names of what this thread has not
idle_loop:
idle_stack_top:
