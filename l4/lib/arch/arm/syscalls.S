/* SPDX-License-Identifier: Apache-2.0 */
/*
 * System-call stubs: C's argument registers to the binding's and back (binding.h names them).
 *
 * The kernel's own stub is at KIP base + the KIP's word; l4_startup keeps the sums in l4_syscalls,
 * whose fields are at the KIP word's offset - L4_KIP_SYSTEM_CALLS. A call keeps sp and r11
 * only, so whatever else C expects to live on is saved here. `to` and the others stay in the
 * registers where AAPCS passed them wherever the binding allows.
 */
#include <l4/arch/arm/binding.h>
#include <l4/syscall_list.h>

    /* Calls the stub of a system call, by its name in the list; takes ip and lr. */
    .macro  syscall name
    ldr     ip, =l4_syscalls
    ldr     ip, [ip, #.Lkip_\name - L4_KIP_SYSTEM_CALLS]
    mov     lr, pc
    mov     pc, ip
    .endm

    /* `reg` = the running thread's UTCB. */
    .macro  utcb reg
    mov     \reg, #L4_ARM_UTCB_POINTER
    ldr     \reg, [\reg]
    .endm

    .macro  function name
    .global \name
    .type   \name, %function
\name:
    .endm

    .macro  end name
    .ltorg
    .size   \name, . - \name
    .endm

    .text

    /* L4_MsgTag_t L4_Ipc(to, from_specifier, timeouts, *from): MR 0-4 travel in r3-r7. */
    .macro  ipc name, call
    function \name
    stmfd   sp!, {r3-r10, lr}
    utcb    ip
    add     ip, ip, #L4_UTCB_MR
    ldmia   ip, {r3-r7}
    syscall \call
    utcb    ip
    add     ip, ip, #L4_UTCB_MR
    stmia   ip, {r3-r7}
    ldr     r1, [sp], #4
    str     r0, [r1]
    mov     r0, r3
    ldmfd   sp!, {r4-r10, pc}
    end     \name
    .endm

    ipc     L4_Ipc, ipc
    ipc     L4_Lipc, lipc

    /* void L4_Unmap(control): MR 0-4 in r3-r7, both ways. */
    function L4_Unmap
    stmfd   sp!, {r4-r10, lr}
    utcb    ip
    add     ip, ip, #L4_UTCB_MR
    ldmia   ip, {r3-r7}
    syscall unmap
    utcb    ip
    add     ip, ip, #L4_UTCB_MR
    stmia   ip, {r3-r7}
    ldmfd   sp!, {r4-r10, pc}
    end     L4_Unmap

    /* void L4_ThreadSwitch(dest) */
    function L4_ThreadSwitch
    stmfd   sp!, {r4-r10, lr}
    syscall thread_switch
    ldmfd   sp!, {r4-r10, pc}
    end     L4_ThreadSwitch

    /* l4_system_clock(uint32_t words[2]): the result is in two registers, as C cannot say portably. */
    function l4_system_clock
    stmfd   sp!, {r0, r4-r10, lr}
    syscall system_clock
    ldr     r2, [sp], #4
    stmia   r2, {r0, r1}
    ldmfd   sp!, {r4-r10, pc}
    end     l4_system_clock

    /* L4_Word_t L4_ThreadControl(dest, space, scheduler, pager, utcb): the fifth is on the stack. */
    function L4_ThreadControl
    stmfd   sp!, {r4-r10, lr}
    ldr     r4, [sp, #32]
    syscall thread_control
    ldmfd   sp!, {r4-r10, pc}
    end     L4_ThreadControl

    /* L4_Word_t L4_SpaceControl(space, control, kip, utcb, redirector, *old_control) */
    function L4_SpaceControl
    stmfd   sp!, {r4-r10, lr}
    ldr     r4, [sp, #32]
    syscall space_control
    ldr     r2, [sp, #36]
    str     r1, [r2]
    ldmfd   sp!, {r4-r10, pc}
    end     L4_SpaceControl

    /* L4_Word_t L4_ProcessorControl(processor, internal, external, voltage) */
    function L4_ProcessorControl
    stmfd   sp!, {r4-r10, lr}
    syscall processor_control
    ldmfd   sp!, {r4-r10, pc}
    end     L4_ProcessorControl

    /* L4_Word_t L4_MemoryControl(control, attributes[4]); fpages in MR 0 on, read from the UTCB. */
    function L4_MemoryControl
    stmfd   sp!, {r4-r10, lr}
    mov     ip, r1
    ldmia   ip, {r1-r4}
    syscall memory_control
    ldmfd   sp!, {r4-r10, pc}
    end     L4_MemoryControl

    /*
     * l4_exchange_registers(words[7]): the seven registers of the binding, in and out.
     */
    function l4_exchange_registers
    stmfd   sp!, {r0, r4-r10, lr}
    ldmia   r0, {r0-r6}
    syscall exchange_registers
    ldr     ip, [sp], #4
    stmia   ip, {r0-r6}
    ldmfd   sp!, {r4-r10, pc}
    end     l4_exchange_registers

    /* L4_Word_t L4_Schedule(dest, time, processor, priority, preemption, *old_time) */
    function L4_Schedule
    stmfd   sp!, {r4-r10, lr}
    ldr     r4, [sp, #32]
    syscall schedule
    ldr     r2, [sp, #36]
    str     r1, [r2]
    ldmfd   sp!, {r4-r10, pc}
    end     L4_Schedule

    /* ---- jump targets: a branch to an address in the last kilobytes, decoded by the kernel ---- */

    .macro  trap address
    mvn     ip, #~\address & 0xff
    mov     lr, pc
    mov     pc, ip
    .endm

    /* l4_kernel_interface(words[4]): KIP base, API version, API flags, kernel id. */
    function l4_kernel_interface
    stmfd   sp!, {r0, r4-r10, lr}
    trap    L4_TRAP_KERNEL_INTERFACE
    ldr     ip, [sp], #4
    stmia   ip, {r0-r3}
    ldmfd   sp!, {r4-r10, pc}
    end     l4_kernel_interface

    function L4_KDB_PrintChar
    stmfd   sp!, {r4-r10, lr}
    trap    L4_TRAP_PUTC
    ldmfd   sp!, {r4-r10, pc}
    end     L4_KDB_PrintChar

    function L4_KDB_ReadChar_Blocked
    stmfd   sp!, {r4-r10, lr}
    trap    L4_TRAP_GETC
    ldmfd   sp!, {r4-r10, pc}
    end     L4_KDB_ReadChar_Blocked

    function L4_KDB_ReadChar
    stmfd   sp!, {r4-r10, lr}
    trap    L4_TRAP_GETC_NB
    ldmfd   sp!, {r4-r10, pc}
    end     L4_KDB_ReadChar

    function l4_kdb_enter
    stmfd   sp!, {r4-r10, lr}
    trap    L4_TRAP_ENTER_KDEBUG
    ldmfd   sp!, {r4-r10, pc}
    end     l4_kdb_enter

    function L4_KDB_Statistic
    stmfd   sp!, {r4-r10, lr}
    trap    L4_TRAP_STATISTICS
    ldmfd   sp!, {r4-r10, pc}
    end     L4_KDB_Statistic
