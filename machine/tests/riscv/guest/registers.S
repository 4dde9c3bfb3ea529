# SPDX-License-Identifier: Apache-2.0
# Registers of the system whose rules are easily got wrong (privileged manual, "Machine-Level ISA"; debug
# specification, "Trigger Module"). Ends with the number of the check that failed, or with success.

  .equ FINISHER, 0x100000
  .option norvc
  .option norelax

  # Check `number`: `register` is `value`.
  .macro check number, register, value
  li gp, \number
  li t6, \value
  bne \register, t6, failed
  .endm

  .section .text.start, "ax"
  .globl _start
_start:
  la t0, failed
  csrw mtvec, t0

  # What is written to a counter wins over that instruction's own increment.
  csrwi minstret, 0
  csrr a0, minstret
  check 1, a0, 0
  csrwi minstret, 10
  nop
  nop
  csrr a0, minstret
  check 2, a0, 12
  csrsi mcountinhibit, 4
  csrr a0, minstret
  nop
  csrr a1, minstret
  sub a0, a0, a1
  check 3, a0, 0
  csrci mcountinhibit, 4

  # There is a trigger to select, of type none.
  li t0, 1 << 63
  csrw tselect, t0
  csrr a0, tselect
  check 4, a0, 0
  csrw tdata1, t0
  csrr a0, tdata1
  check 5, a0, 0
  csrr a0, tinfo
  check 6, a0, 1

  # A mode of translation that there is not leaves all of satp.
  csrw satp, zero
  li t0, 9 << 60 | 5
  csrw satp, t0
  csrr a0, satp
  check 7, a0, 0

  # A jump to where nothing is has been done when the fetch faults; a load from there has not.
  la t0, caught
  csrw mtvec, t0
  la s0, _start
  li t0, 1 << 63
  xor s0, s0, t0
  la s1, 1f
  li ra, 0
  jalr ra, s0
1:
  check 8, a0, 1
  sub a1, ra, s1
  check 9, a1, 0
  sub a2, a2, s0
  check 10, a2, 0
  la s1, 1f
  li a3, 77
  lb a3, (s0)
1:
  check 11, a0, 5
  check 12, a3, 77
  la s1, 1f
  amoadd.w a3, zero, (s0)
1:
  check 13, a0, 7

  # No bits of a program counter below 2, no delegation of calls from machine mode.
  li t0, -1
  csrw mepc, t0
  csrr a0, mepc
  check 14, a0, -2
  csrw medeleg, t0
  csrr a0, medeleg
  srli a0, a0, 11
  andi a0, a0, 1
  check 15, a0, 0
  csrw mideleg, t0
  csrr a0, mideleg
  check 16, a0, 0x222

  # Trailing zeros of a word whose lower half is 0.
  li t0, 43 << 40
  .insn r 0x1b, 1, 0x30, a0, t0, x1
  check 17, a0, 32

  # Of physical memory protection there are the registers of sixteen entries, whatever they do.
  csrw pmpaddr15, zero
  csrw pmpcfg2, zero
  csrr a0, pmpcfg2
  check 18, a0, 0

  li t0, 0x5555
  j end
failed:
  slli t0, gp, 16
  li t1, 0x3333
  or t0, t0, t1
end:
  li t1, FINISHER
  sw t0, (t1)
  j end

  # Goes on at s1; cause and value are in a0 and a2.
  .balign 4
caught:
  csrr a0, mcause
  csrr a2, mtval
  csrw mepc, s1
  mret
