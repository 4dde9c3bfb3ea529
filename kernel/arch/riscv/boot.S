/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From reset to C. Without firmware (`--bios none`) the board starts this in machine mode at
 * SDRAM_PA, with the hart's number in a0 and the device tree's address in a1; it is linked for the
 * kernel's own addresses, but finds everything from where it runs. What only machine mode can do is
 * done here: memory for all (PMP), delegation, the root with the kernel's three pages; then MRET
 * goes to supervisor mode at the kernel's addresses.
 */
#include "layout.h"
#include "machine.h"

/* A page of 1 GB: valid, readable, writable, global, accessed, dirty; executable. */
#define GIGABYTE_DEVICE 0xe7
#define GIGABYTE_MEMORY 0xef
#define GIGABYTE_STEP   (1 << 28) /* from one's entry to the next: 1 GB >> 2 */

/* Exceptions that supervisor mode handles: all but its own ECALL and machine mode's. */
#define DELEGATED 0xb1ff

#define PMP_ALL       0x1f /* entry 0: NAPOT; read, write, execute */
#define MSTATUS_MPP   (3 << 11)
#define MSTATUS_MPP_S (1 << 11)
#define SATP_SV39     8

    .section .boot, "ax"
    .global _start
_start:
    csrw    mie, zero
    bnez    a0, other_hart
    li      t0, -1
    csrw    pmpaddr0, t0
    li      t0, PMP_ALL
    csrw    pmpcfg0, t0
    sfence.vma
    li      t0, DELEGATED
    csrw    medeleg, t0
    li      t0, SIP_TIMER | SIP_EXTERNAL
    csrw    mideleg, t0
    li      t0, 7                       # cycle, time, instret
    csrw    mcounteren, t0
    csrw    scounteren, t0
    lla     t0, machine_trap
    csrw    mtvec, t0
    lla     t0, machine_scratch
    csrw    mscratch, t0

    li      t0, BOOT_DIRECTORY_PA
    li      t1, 4096
    add     t1, t0, t1
1:  addi    t1, t1, -8
    sd      zero, (t1)
    bne     t0, t1, 1b
    li      t1, KERNEL_ROOT_ENTRY * 8
    add     t1, t0, t1
    li      t2, GIGABYTE_DEVICE
    sd      t2, (t1)
    li      t2, GIGABYTE_STEP + GIGABYTE_DEVICE
    sd      t2, 8(t1)
    li      t2, 2 * GIGABYTE_STEP + GIGABYTE_MEMORY
    sd      t2, 16(t1)
    srli    t0, t0, 12
    li      t1, SATP_SV39 << 60
    or      t0, t0, t1
    csrw    satp, t0
    sfence.vma

    li      t0, MSTATUS_MPP
    csrc    mstatus, t0
    li      t0, MSTATUS_MPP_S
    csrs    mstatus, t0
    lla     t0, high
    li      t1, PHYSICAL_VA
    add     t0, t0, t1
    csrw    mepc, t0
    mret

    /* There is work for one. */
other_hart:
    wfi
    j       other_hart

    .text
    .balign 4
high:
    lla     t0, kernel_bss_start
    lla     t1, kernel_bss_end
1:  bgeu    t0, t1, 2f
    sd      zero, (t0)
    addi    t0, t0, 8
    j       1b
2:  csrw    sscratch, zero              # in the kernel (entry.S)
    lla     t0, trap_entry
    csrw    stvec, t0
    li      t0, SIP_TIMER | SIP_EXTERNAL
    csrw    sie, t0
    lla     sp, kernel_stack_top
    mv      a0, a1
    call    kernel_main
    j       kernel_exit
