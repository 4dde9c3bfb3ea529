/* SPDX-License-Identifier: Apache-2.0 */
/*
 * System-call stubs: C's arguments to the binding's registers and back.
 *
 * The kernel's own stub is at KIP base + the KIP's word; l4_startup keeps the sums in l4_syscalls,
 * in the order of the KIP's words. Ipc and Lipc keep sp, gp and tp only, so what C expects to live
 * on is saved here; other calls keep all but their results, and t0.
 */
#include <binding.h>
#include <l4/syscall_list.h>

#define FRAME 112 /* ra, s0 to s11, one word more */

    .macro  syscall name
    lla     t1, l4_syscalls + (.Lkip_\name - L4_KIP_SYSTEM_CALLS) * 2
    ld      t1, (t1)
    jalr    t1
    .endm

    .macro  function name
    .global \name
    .type   \name, %function
\name:
    .endm

    .macro  end name
    .size   \name, . - \name
    .endm

    /* Calls that keep registers: nothing is saved but where they return to and a0 or a pointer. */
    .macro  open pointer
    addi    sp, sp, -16
    sd      ra, (sp)
    sd      \pointer, 8(sp)
    .endm

    .macro  close
    ld      ra, (sp)
    addi    sp, sp, 16
    ret
    .endm

    .text

    /* L4_MsgTag_t L4_Ipc(to, from_specifier, timeouts, *from): MR 0 to 4 travel in a3 to a7. */
    .macro  ipc name, call
    function \name
    addi    sp, sp, -FRAME
    sd      ra, 0(sp)
    sd      s0, 8(sp)
    sd      s1, 16(sp)
    sd      s2, 24(sp)
    sd      s3, 32(sp)
    sd      s4, 40(sp)
    sd      s5, 48(sp)
    sd      s6, 56(sp)
    sd      s7, 64(sp)
    sd      s8, 72(sp)
    sd      s9, 80(sp)
    sd      s10, 88(sp)
    sd      s11, 96(sp)
    sd      a3, 104(sp)
    ld      a3, L4_UTCB_MR(tp)
    ld      a4, L4_UTCB_MR + 8(tp)
    ld      a5, L4_UTCB_MR + 16(tp)
    ld      a6, L4_UTCB_MR + 24(tp)
    ld      a7, L4_UTCB_MR + 32(tp)
    syscall \call
    ld      t0, 104(sp)
    sd      a3, L4_UTCB_MR(tp)
    sd      a4, L4_UTCB_MR + 8(tp)
    sd      a5, L4_UTCB_MR + 16(tp)
    sd      a6, L4_UTCB_MR + 24(tp)
    sd      a7, L4_UTCB_MR + 32(tp)
    sd      a0, (t0)
    mv      a0, a3
    ld      ra, 0(sp)
    ld      s0, 8(sp)
    ld      s1, 16(sp)
    ld      s2, 24(sp)
    ld      s3, 32(sp)
    ld      s4, 40(sp)
    ld      s5, 48(sp)
    ld      s6, 56(sp)
    ld      s7, 64(sp)
    ld      s8, 72(sp)
    ld      s9, 80(sp)
    ld      s10, 88(sp)
    ld      s11, 96(sp)
    addi    sp, sp, FRAME
    ret
    end     \name
    .endm

    ipc     L4_Ipc, ipc
    ipc     L4_Lipc, lipc

    /* void L4_Unmap(control): MR 0 to 4 in a3 to a7, both ways. */
    function L4_Unmap
    open    a0
    ld      a3, L4_UTCB_MR(tp)
    ld      a4, L4_UTCB_MR + 8(tp)
    ld      a5, L4_UTCB_MR + 16(tp)
    ld      a6, L4_UTCB_MR + 24(tp)
    ld      a7, L4_UTCB_MR + 32(tp)
    syscall unmap
    sd      a3, L4_UTCB_MR(tp)
    sd      a4, L4_UTCB_MR + 8(tp)
    sd      a5, L4_UTCB_MR + 16(tp)
    sd      a6, L4_UTCB_MR + 24(tp)
    sd      a7, L4_UTCB_MR + 32(tp)
    close
    end     L4_Unmap

    /* void L4_ThreadSwitch(dest) */
    function L4_ThreadSwitch
    open    a0
    syscall thread_switch
    close
    end     L4_ThreadSwitch

    /* l4_system_clock(words[2]): the lower and the upper half, each of 32 bits. */
    function l4_system_clock
    open    a0
    syscall system_clock
    ld      t0, 8(sp)
    slli    t1, a0, 32
    srli    t1, t1, 32
    srli    a0, a0, 32
    sd      t1, (t0)
    sd      a0, 8(t0)
    close
    end     l4_system_clock

    /* L4_Word_t L4_ThreadControl(dest, space, scheduler, pager, utcb) */
    function L4_ThreadControl
    open    a0
    syscall thread_control
    close
    end     L4_ThreadControl

    /* L4_Word_t L4_SpaceControl(space, control, kip, utcb, redirector, *old_control) */
    function L4_SpaceControl
    open    a5
    syscall space_control
    ld      t0, 8(sp)
    sd      a1, (t0)
    close
    end     L4_SpaceControl

    /* L4_Word_t L4_ProcessorControl(processor, internal, external, voltage) */
    function L4_ProcessorControl
    open    a0
    syscall processor_control
    close
    end     L4_ProcessorControl

    /* L4_Word_t L4_MemoryControl(control, attributes[4]); fpages in MR 0 on, read from the UTCB. */
    function L4_MemoryControl
    open    a1
    ld      t0, 8(sp)
    ld      a1, (t0)
    ld      a2, 8(t0)
    ld      a3, 16(t0)
    ld      a4, 24(t0)
    syscall memory_control
    close
    end     L4_MemoryControl

    /* l4_exchange_registers(words[7]): the seven registers of the binding, in and out. */
    function l4_exchange_registers
    open    a0
    ld      a1, 8(a0)
    ld      a2, 16(a0)
    ld      a3, 24(a0)
    ld      a4, 32(a0)
    ld      a5, 40(a0)
    ld      a6, 48(a0)
    ld      a0, (a0)
    syscall exchange_registers
    ld      t0, 8(sp)
    sd      a0, (t0)
    sd      a1, 8(t0)
    sd      a2, 16(t0)
    sd      a3, 24(t0)
    sd      a4, 32(t0)
    sd      a5, 40(t0)
    sd      a6, 48(t0)
    close
    end     l4_exchange_registers

    /* L4_Word_t L4_Schedule(dest, time, processor, priority, preemption, *old_time) */
    function L4_Schedule
    open    a5
    syscall schedule
    ld      t0, 8(sp)
    sd      a1, (t0)
    close
    end     L4_Schedule

    /* l4_kernel_interface(words[4]): base, API version, API flags, kernel id. */
    function l4_kernel_interface
    mv      t1, a0
    li      t0, L4_TRAP_KERNEL_INTERFACE
    ecall
    sd      a0, (t1)
    sd      a1, 8(t1)
    sd      a2, 16(t1)
    sd      a3, 24(t1)
    ret
    end     l4_kernel_interface

    /* Debug calls: no argument or one, a result or none. */
    .macro  debug name, call
    function \name
    li      t0, \call
    ecall
    ret
    end     \name
    .endm

    debug   L4_KDB_PrintChar, L4_TRAP_PUTC
    debug   L4_KDB_ReadChar_Blocked, L4_TRAP_GETC
    debug   L4_KDB_ReadChar, L4_TRAP_GETC_NB
    debug   l4_kdb_enter, L4_TRAP_ENTER_KDEBUG
    debug   L4_KDB_Statistic, L4_TRAP_STATISTICS
