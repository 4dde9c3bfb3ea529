/* SPDX-License-Identifier: Apache-2.0 */
/*
 * System-call stubs: C's arguments on the stack to the binding's registers and back.
 *
 * The kernel's own stub is at KIP base + the KIP's word; l4_startup keeps the sums in l4_syscalls,
 * whose fields are at the KIP word's offset - L4_KIP_SYSTEM_CALLS. A call keeps ESP only, so what C
 * expects to live on is saved here: EBX, ESI, EDI, EBP. Then the first argument is at 20(%esp).
 */
#include <binding.h>
#include <l4/syscall_list.h>

    .macro  syscall name
    call    *l4_syscalls + .Lkip_\name - L4_KIP_SYSTEM_CALLS
    .endm

    .macro  function name
    .global \name
    .type   \name, %function
\name:
    pushl   %ebp
    pushl   %ebx
    pushl   %esi
    pushl   %edi
    .endm

    .macro  end name
    popl    %edi
    popl    %esi
    popl    %ebx
    popl    %ebp
    ret
    .size   \name, . - \name
    .endm

    .text

    /* L4_MsgTag_t L4_Ipc(to, from_specifier, timeouts, *from): MR 0 travels in ESI, and what arrives
     * in EBX and EBP, too. */
    .macro  ipc name, call
    function \name
    movl    %gs:0, %edi
    movl    20(%esp), %eax
    movl    24(%esp), %edx
    movl    28(%esp), %ecx
    movl    L4_UTCB_MR(%edi), %esi
    syscall \call
    movl    %gs:0, %edi
    movl    %esi, L4_UTCB_MR(%edi)
    movl    %ebx, L4_UTCB_MR + 4(%edi)
    movl    %ebp, L4_UTCB_MR + 8(%edi)
    movl    32(%esp), %ecx
    movl    %eax, (%ecx)
    movl    %esi, %eax
    end     \name
    .endm

    ipc     L4_Ipc, ipc
    ipc     L4_Lipc, lipc

    /* void L4_Unmap(control): MR 0 in ESI, both ways. */
    function L4_Unmap
    movl    %gs:0, %edi
    movl    20(%esp), %eax
    movl    L4_UTCB_MR(%edi), %esi
    syscall unmap
    movl    %gs:0, %edi
    movl    %esi, L4_UTCB_MR(%edi)
    end     L4_Unmap

    /* void L4_ThreadSwitch(dest) */
    function L4_ThreadSwitch
    movl    20(%esp), %eax
    syscall thread_switch
    end     L4_ThreadSwitch

    /* l4_system_clock(uint32_t words[2]): the result is in two registers, as C cannot say portably. */
    function l4_system_clock
    syscall system_clock
    movl    20(%esp), %ecx
    movl    %eax, (%ecx)
    movl    %edx, 4(%ecx)
    end     l4_system_clock

    /* L4_Word_t L4_ThreadControl(dest, space, scheduler, pager, utcb) */
    function L4_ThreadControl
    movl    20(%esp), %eax
    movl    24(%esp), %esi
    movl    28(%esp), %edx
    movl    32(%esp), %ecx
    movl    36(%esp), %edi
    syscall thread_control
    end     L4_ThreadControl

    /* L4_Word_t L4_SpaceControl(space, control, kip, utcb, redirector, *old_control) */
    function L4_SpaceControl
    movl    20(%esp), %eax
    movl    24(%esp), %ecx
    movl    28(%esp), %edx
    movl    32(%esp), %esi
    movl    36(%esp), %edi
    syscall space_control
    movl    40(%esp), %edx
    movl    %ecx, (%edx)
    end     L4_SpaceControl

    /* L4_Word_t L4_ProcessorControl(processor, internal, external, voltage) */
    function L4_ProcessorControl
    movl    20(%esp), %eax
    movl    24(%esp), %ecx
    movl    28(%esp), %edx
    movl    32(%esp), %esi
    syscall processor_control
    end     L4_ProcessorControl

    /* L4_Word_t L4_MemoryControl(control, attributes[4]); fpages in MR 0 on, the first in ESI. */
    function L4_MemoryControl
    movl    %gs:0, %edi
    movl    L4_UTCB_MR(%edi), %esi
    movl    20(%esp), %eax
    movl    24(%esp), %ebp
    movl    (%ebp), %ecx
    movl    4(%ebp), %edx
    movl    8(%ebp), %ebx
    movl    12(%ebp), %ebp
    syscall memory_control
    end     L4_MemoryControl

    /* l4_exchange_registers(words[7]): the seven registers of the binding, in and out. */
    function l4_exchange_registers
    movl    20(%esp), %ebp
    movl    (%ebp), %eax
    movl    4(%ebp), %ecx
    movl    8(%ebp), %edx
    movl    12(%ebp), %esi
    movl    16(%ebp), %edi
    movl    20(%ebp), %ebx
    movl    24(%ebp), %ebp
    syscall exchange_registers
    pushl   %ebp
    movl    24(%esp), %ebp
    movl    %eax, (%ebp)
    movl    %ecx, 4(%ebp)
    movl    %edx, 8(%ebp)
    movl    %esi, 12(%ebp)
    movl    %edi, 16(%ebp)
    movl    %ebx, 20(%ebp)
    popl    24(%ebp)
    end     l4_exchange_registers

    /* L4_Word_t L4_Schedule(dest, time, processor, priority, preemption, *old_time) */
    function L4_Schedule
    movl    20(%esp), %eax
    movl    24(%esp), %edx
    movl    28(%esp), %esi
    movl    32(%esp), %ecx
    movl    36(%esp), %edi
    syscall schedule
    movl    40(%esp), %ecx
    movl    %edx, (%ecx)
    end     L4_Schedule

    /* l4_kernel_interface(words[4]): base, API version, API flags, kernel id. */
    function l4_kernel_interface
    lock
    nop
    movl    20(%esp), %edi
    movl    %eax, (%edi)
    movl    %ecx, 4(%edi)
    movl    %edx, 8(%edi)
    movl    %esi, 12(%edi)
    end     l4_kernel_interface

    /* Debug calls: no argument or one, a result or none. */
    .macro  debug name, call
    .global \name
    .type   \name, %function
\name:
    movl    $\call, %eax
    movl    4(%esp), %ecx
    int     $L4_IA32_DEBUG_CALL
    ret
    .size   \name, . - \name
    .endm

    debug   L4_KDB_PrintChar, L4_TRAP_PUTC
    debug   L4_KDB_ReadChar_Blocked, L4_TRAP_GETC
    debug   L4_KDB_ReadChar, L4_TRAP_GETC_NB
    debug   l4_kdb_enter, L4_TRAP_ENTER_KDEBUG
    debug   L4_KDB_Statistic, L4_TRAP_STATISTICS
