/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The page that every space sees as its KIP: data, written once at boot by kip.c, then the
 * system-call stubs. A stub only says which call it is: t0 is free (l4/arch/riscv/binding.h). Each
 * lies in half a cache line of its own.
 */
#include <l4/syscall_list.h>

    .section .kip, "awx"
    .global kip_page
kip_page:
    .space  0x800

    .macro  stub name
    .balign 32
    .global kip_stub_\name
kip_stub_\name:
    li      t0, .Lsyscall_\name
    ecall
    ret
    .endm

#define STUB(name, Name, number, word) stub name;
    L4_SYSTEM_CALLS(STUB)
    .balign 4096

/* (kip_memory.h) */
    .section .rodata
    .balign 8
    .global boot_addresses
boot_addresses:
    .dword  boot_sigma0_ip, boot_sigma0_low, boot_sigma0_high
    .dword  boot_program_ip, boot_program_low, boot_program_high
