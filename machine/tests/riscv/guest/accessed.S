// SPDX-License-Identifier: Apache-2.0
// A kernel that neither sets A and D in its page tables nor has a handler, as there are: QEMU's `virt`
// sets them.
	.section .text.start, "ax"
	.globl _start
_start:
	li t0, -1
	srli t0, t0, 10
	csrw pmpaddr0, t0
	li t0, 0x1f
	csrw pmpcfg0, t0
	li t0, 0xb1ff
	csrw medeleg, t0
	csrw stvec, zero
	// Memory at 0x80000000, and the devices, as superpages: valid, readable, writable, executable.
	la t0, table
	li t1, 0xf
	sd t1, 0(t0)
	li t1, 0x80000 << 10 | 0xf
	sd t1, 16(t0)
	srli t0, t0, 12
	li t1, 8 << 60
	or t0, t0, t1
	csrw satp, t0
	sfence.vma
	li t0, 3 << 11
	csrc mstatus, t0
	li t0, 1 << 11
	csrs mstatus, t0
	la t0, supervisor
	csrw mepc, t0
	mret
supervisor:
	la t0, table
	sd zero, 8(t0)
	ld t1, 16(t0)
	andi t1, t1, 0xc0
	li t2, 0xc0
	bne t1, t2, .
	li t0, 0x100000
	li t1, 0x5555
	sw t1, 0(t0)
	j .
	.bss
	.balign 4096
table:	.zero 4096
