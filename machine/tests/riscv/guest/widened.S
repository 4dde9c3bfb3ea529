# SPDX-License-Identifier: Apache-2.0
# A page becomes writable without a fence, which may be: the store faults by what the TLB has, and the handler, in
# machine mode, fences and returns to it. With SKIPS it returns after the store, and fences nothing.

  .equ FINISHER, 0x100000
  .equ PAGE, 0x40000000
  .option norvc
  .option norelax
  .section .text.start, "ax"
  .globl _start
_start:
  la t0, handler
  csrw mtvec, t0
  li t0, -1
  csrw pmpaddr0, t0
  li t0, 0x1f
  csrw pmpcfg0, t0
  la t0, root
  li t2, 0xcf
  sd t2, 0(t0)
  li t2, (0x80000000 >> 2) | 0xcf
  sd t2, 16(t0)
  la t2, middle
  srli t2, t2, 2
  ori t2, t2, 1
  sd t2, 8(t0)
  la t3, leaf
  srli t2, t3, 2
  ori t2, t2, 1
  la t4, middle
  sd t2, 0(t4)
  la s1, page
  srli s1, s1, 2
  ori t2, s1, 0xc3
  sd t2, 0(t3)
  srli t0, t0, 12
  li t1, 8
  slli t1, t1, 60
  or t0, t0, t1
  csrw satp, t0
  sfence.vma
  la t0, supervisor
  csrw mepc, t0
  li t0, 0x1800
  csrc mstatus, t0
  li t0, 0x800
  csrs mstatus, t0
  mret

supervisor:
  li s0, PAGE
  ld t0, 0(s0)
  ori t2, s1, 0xc7
  la t3, leaf
  sd t2, 0(t3)
  sd s0, 0(s0)
  nop
  li t0, FINISHER
  li t1, 0x5555
  sw t1, 0(t0)
1:
  j 1b

  .balign 4
handler:
.if SKIPS
  csrr t5, mepc
  addi t5, t5, 4
  csrw mepc, t5
.else
  sfence.vma s0
.endif
  mret

  .balign 4096
root: .zero 4096
middle: .zero 4096
leaf: .zero 4096
page: .zero 4096
