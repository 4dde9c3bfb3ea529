# SPDX-License-Identifier: Apache-2.0
# A page moves to another place twice, once by its leaf and once with its table, and back. FORGETS says what is
# left out: 0 nothing; 1 SFENCE.W.INVAL, 2 SFENCE.INVAL.IR around SINVAL.VMA after the leaf was changed; 3 that the
# fence after the table was changed has no address. USES is 0 for the fences of Svinval, 1 for SFENCE.VMA. It ends
# well if the page is each time where it should be.

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
  # The devices and memory where they are, the page's tables, and the table that it will have.
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
  la t2, first
  srli t2, t2, 2
  ori t2, t2, 0xcf
  sd t2, 0(t3)
  la t3, other_leaf
  sd t2, 0(t3)
  li t1, 1
  la t2, first
  sd t1, 0(t2)
  li t1, 2
  la t2, second
  sd t1, 0(t2)
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

  # Fences the page at s0, by its address.
  .macro fence_page
.if USES == 1
  sfence.vma s0
.else
.if FORGETS != 1
  .4byte 0x18000073                     # sfence.w.inval
.endif
  .4byte 0x16040073                     # sinval.vma s0
.if FORGETS != 2
  .4byte 0x18100073                     # sfence.inval.ir
.endif
.endif
  .endm

supervisor:
  li s0, PAGE
  ld s1, 0(s0)
  # The leaf changes.
  la t2, second
  srli t2, t2, 2
  ori t2, t2, 0xcf
  la t3, leaf
  sd t2, 0(t3)
  fence_page
  ld s2, 0(s0)
  sfence.vma
  # The table changes: in the other one the page is the first again.
  ld t0, 0(s0)
  la t3, other_leaf
  srli t2, t3, 2
  ori t2, t2, 1
  la t4, middle
  sd t2, 0(t4)
.if FORGETS == 3
  sfence.vma s0
.else
  sfence.vma
.endif
  ld s3, 0(s0)
  # 1, 2, 1
  slli s2, s2, 4
  slli s3, s3, 8
  or s1, s1, s2
  or s1, s1, s3
  li t1, 0x121
  bne s1, t1, failed
  li t0, FINISHER
  li t1, 0x5555
  sw t1, 0(t0)
1:
  j 1b

  .balign 4
failed:
  li t0, FINISHER
  li t1, 0x13333
  sw t1, 0(t0)
1:
  j 1b

  .balign 4096
root: .zero 4096
middle: .zero 4096
leaf: .zero 4096
other_leaf: .zero 4096
first: .zero 4096
second: .zero 4096
