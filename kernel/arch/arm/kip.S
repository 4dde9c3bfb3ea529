/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The page that every space sees as its KIP: data, written once at boot by kip.c, then the
 * system-call stubs. A stub only says which call it is: r12 is free (l4/arch/arm/binding.h), and
 * a number in a register spares the kernel from reading the SWI instruction through the data
 * cache. Each lies in a cache line of its own, Ipc behind Ipc.
 */
#include "offsets.h"

    .section .kip, "aw"
    .global kip_page
kip_page:
    .space  0x800

    .macro  stub name, number
    .balign 32
    .global kip_stub_\name
kip_stub_\name:
    mvn     r12, #\number
    swi     #\number
    mov     pc, lr
    .endm

    stub    ipc, SYSCALL_IPC
/* Lipc's number is another one, which one comparison tells from Ipc's and all others (ipc_path.S). */
    .balign 32
    .global kip_stub_lipc
kip_stub_lipc:
    mvn     r12, #~LIPC_MARK
    swi     #SYSCALL_LIPC
    mov     pc, lr

    stub    thread_switch, SYSCALL_THREAD_SWITCH
    stub    thread_control, SYSCALL_THREAD_CONTROL
    stub    exchange_registers, SYSCALL_EXCHANGE_REGISTERS
    stub    schedule, SYSCALL_SCHEDULE
    stub    unmap, SYSCALL_UNMAP
    stub    space_control, SYSCALL_SPACE_CONTROL
    stub    processor_control, SYSCALL_PROCESSOR_CONTROL
    stub    memory_control, SYSCALL_MEMORY_CONTROL
    stub    system_clock, SYSCALL_SYSTEM_CLOCK
    .balign 4096
