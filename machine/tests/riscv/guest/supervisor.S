# SPDX-License-Identifier: Apache-2.0
# What OpenSBI starts in supervisor mode: looks at what it is given and told, says a line, and asks to be switched off
# (RISC-V SBI: base, legacy and system reset extensions).

  .equ BASE, 0x10
  .equ RESET, 0x53525354
  .option norvc
  .option norelax
  .section .text.start, "ax"
  .globl _start
_start:
  mv s0, a0
  bnez s0, failed            # the hart's number
  lw t0, 0(a1)               # a device tree begins so, in the other byte order
  li t1, 0xedfe0dd0 - (1 << 32)
  bne t0, t1, failed
  li a7, BASE
  li a6, 0                   # the specification's version: at least 0.2
  ecall
  bnez a0, failed
  li t0, 2
  bltu a1, t0, failed
  la s1, text
1:
  lbu a0, 0(s1)
  beqz a0, 2f
  li a7, 1                   # the legacy putchar, which every version has
  ecall
  addi s1, s1, 1
  j 1b
2:
  li a7, RESET
  li a6, 0
  li a0, 0                   # shutdown
  li a1, 0                   # no reason
  ecall
failed:
  li a7, RESET
  li a6, 0
  li a0, 0
  li a1, 1                   # system failure
  ecall
  j failed

  .section .rodata
text:
  .string "in supervisor mode\n"
