# SPDX-License-Identifier: Apache-2.0
# Forgets what FORGETS says: 1 SFENCE.VMA after a page was moved, 2 FENCE.I after code was changed, 3 SFENCE.VMA
# after the root was changed, 4 SFENCE.VMA after the dirty bit was cleared, 5 that a global page is in no ASID,
# 6 SFENCE.VMA after PMP was changed, 7 the same where a part of a gigabyte's page is denied; 0 nothing. It runs in machine mode,
# goes to supervisor mode with the first gigabyte of memory where it is, and a page at 0x40000000.

  .equ FINISHER, 0x100000
  .equ PAGE, 0x40000000
  .option norvc
  .option norelax
  .section .text.start, "ax"
  .globl _start
_start:
  la t0, failed
  csrw mtvec, t0
  li t0, -1
  csrw pmpaddr0, t0
  li t0, 0x1f
  csrw pmpcfg0, t0
  # Root and its twin: a gigabyte at 0, where the devices are, and one at 0x80000000 where they are; the page's
  # tables at 0x40000000.
  la t0, root
  la t1, twin
  li t2, 0xcf
  sd t2, 0(t0)
  sd t2, 0(t1)
  li t2, (0x80000000 >> 2) | 0xcf
  sd t2, 16(t0)
  sd t2, 16(t1)
  la t2, middle
  srli t2, t2, 2
  ori t2, t2, 1
  sd t2, 8(t0)
  la t2, middle_twin
  srli t2, t2, 2
  ori t2, t2, 1
  sd t2, 8(t1)
  la t3, leaf
  srli t2, t3, 2
  ori t2, t2, 1
  la t4, middle
  sd t2, 0(t4)
  la t3, leaf_twin
  srli t2, t3, 2
  ori t2, t2, 1
  la t4, middle_twin
  sd t2, 0(t4)
  la t2, first
  srli t2, t2, 2
  ori t2, t2, 0xcf
  la t3, leaf
  sd t2, 0(t3)
  la t2, second
  srli t2, t2, 2
  ori t2, t2, 0xcf
  la t3, leaf_twin
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
  sd t0, 8(s0)
  # The page moves.
  la t2, second
  srli t2, t2, 2
  ori t2, t2, 0xcf
  la t3, leaf
  sd t2, 0(t3)
.if FORGETS != 1
  sfence.vma s0
.endif
  ld t0, 0(s0)
  sfence.vma
  # Code changes.
  call changed
  la t2, changed
  li t3, 0x00200513
  sw t3, 0(t2)
.if FORGETS != 2
  fence.i
.endif
  call changed
  fence.i
  # The root changes.
  ld t0, 0(s0)
  la t0, twin
  srli t0, t0, 12
  li t1, 8
  slli t1, t1, 60
  or t0, t0, t1
  la t2, first
  srli t2, t2, 2
  ori t2, t2, 0xcf
  la t3, leaf_twin
  sd t2, 0(t3)
  csrw satp, t0
.if FORGETS != 3
  sfence.vma
.endif
  ld t0, 0(s0)
  sfence.vma
  # The dirty bit goes.
  sd t0, 8(s0)
  la t3, leaf_twin
  ld t2, 0(t3)
  andi t2, t2, -129
  sd t2, 0(t3)
.if FORGETS != 4
  sfence.vma
  ori t2, t2, 128
  sd t2, 0(t3)
  sfence.vma
.endif
  sd t0, 8(s0)
  # A global page moves.
  la t2, second
  srli t2, t2, 2
  ori t2, t2, 0xef
  sd t2, 0(t3)
  sfence.vma
  ld t0, 0(s0)
  la t2, first
  srli t2, t2, 2
  ori t2, t2, 0xef
  sd t2, 0(t3)
.if FORGETS == 5
  li t1, 0
  sfence.vma zero, t1
.else
  sfence.vma
.endif
  ld t0, 0(s0)
  sfence.vma
  # PMP denies the page, in machine mode; that it is denied comes there, too.
.if FORGETS == 7
  la s0, first
.endif
  ld t0, 0(s0)
  ecall
  ld t0, 0(s0)
  li t0, FINISHER
  li t1, 0x5555
  sw t1, 0(t0)
1:
  j 1b

  .balign 64
changed:
  li a0, 1
  ret

  .balign 4
failed:
  csrr t4, mcause
  csrr t5, mepc
  addi t5, t5, 4
  csrw mepc, t5
  addi t5, t4, -9                       # ECALL
  beqz t5, 2f
  addi t5, t4, -5                       # a load that was denied
  beqz t5, 3f
  li t0, FINISHER
  li t1, 0x13333
  sw t1, 0(t0)
1:
  j 1b
2:
  li t5, -1
  csrw pmpaddr1, t5
  la t5, first
  srli t5, t5, 2
  ori t5, t5, 0x1ff
  csrw pmpaddr0, t5
  li t5, 0x1f18
  csrw pmpcfg0, t5
.if FORGETS < 6
  sfence.vma
.endif
3:
  mret

  .balign 4096
root: .zero 4096
twin: .zero 4096
middle: .zero 4096
middle_twin: .zero 4096
leaf: .zero 4096
leaf_twin: .zero 4096
first: .zero 4096
second: .zero 4096
