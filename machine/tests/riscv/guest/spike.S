# SPDX-License-Identifier: Apache-2.0
# A program made for Spike: it writes by a system call, a character by the terminal, and ends with STATUS.

  .equ WRITE, 64
  .equ WRITES_CHARACTER, 0x0101 << 48
  .option norelax
  .section .text.start, "ax"
  .globl _start
_start:
  la s0, tohost
  la s1, fromhost
  la s2, block
  li t0, WRITE
  sd t0, 0(s2)
  li t0, 1
  sd t0, 8(s2)
  la t0, text
  sd t0, 16(s2)
  li t0, text_end - text
  sd t0, 24(s2)
  fence
  sd s2, (s0)
1:
  ld t0, (s1)
  beqz t0, 1b
  sd zero, (s1)
  # What it returned is the number of bytes.
  ld t0, 0(s2)
  addi t0, t0, '0'
  li t1, WRITES_CHARACTER
  or t0, t0, t1
  sd t0, (s0)
1:
  ld t0, (s0)
  bnez t0, 1b
  li t0, STATUS << 1 | 1
  sd t0, (s0)
1:
  wfi
  j 1b

  .data
text:
  .ascii "spike\n"
text_end:
  .balign 64
  .globl tohost
tohost:
  .dword 0
  .balign 64
  .globl fromhost
fromhost:
  .dword 0
  .balign 64
block:
  .fill 8, 8, 0
