# SPDX-License-Identifier: Apache-2.0
"""ARMv4 encodings as words (ARM ARM, DDI 0100, chapter A3). One function per instruction class."""

from __future__ import annotations

AL = 14
AND, EOR, SUB, RSB, ADD, ADC, SBC, RSC, TST, TEQ, CMP, CMN, ORR, MOV, BIC, MVN = range(16)
LSL, LSR, ASR, ROR = range(4)


def immediate(value: int) -> int | None:
    """The 12-bit operand `imm8 ROR 2*rot` for a value, or None."""
    for rot in range(16):
        imm = (value << (2 * rot) | value >> (32 - 2 * rot)) & 0xFFFFFFFF if rot else value
        if imm < 256:
            return rot << 8 | imm
    return None


def imm(value: int) -> int:
    """Operand 2 with the immediate bit, for dp()."""
    operand = immediate(value)
    if operand is None:
        raise ValueError(f"{value:#x} is no ARM immediate")
    return 1 << 25 | operand


def shifted(rm: int, kind: int = LSL, amount: int = 0) -> int:
    """Operand 2: register shifted by a constant. LSR/ASR #32 and RRX are amount 0 (ROR 0 = RRX)."""
    return amount << 7 | kind << 5 | rm


def shifted_by(rm: int, kind: int, rs: int) -> int:
    """Operand 2: register shifted by a register."""
    return rs << 8 | kind << 5 | 1 << 4 | rm


def dp(cond: int, op: int, s: int, rd: int, rn: int, operand: int) -> int:
    return cond << 28 | op << 21 | s << 20 | rn << 16 | rd << 12 | operand


def mul(cond: int, accumulate: int, s: int, rd: int, rm: int, rs: int, rn: int) -> int:
    return cond << 28 | accumulate << 21 | s << 20 | rd << 16 | rn << 12 | rs << 8 | 0x90 | rm


def mull(
    cond: int, signed: int, accumulate: int, s: int, hi: int, lo: int, rm: int, rs: int
) -> int:
    return (
        cond << 28
        | 1 << 23
        | signed << 22
        | accumulate << 21
        | s << 20
        | hi << 16
        | lo << 12
        | rs << 8
        | 0x90
        | rm
    )


def mrs(cond: int, spsr: int, rd: int) -> int:
    return cond << 28 | 0x010F0000 | spsr << 22 | rd << 12


def msr_reg(cond: int, spsr: int, mask: int, rm: int) -> int:
    """mask: 1 control, 2 extension, 4 status, 8 flags."""
    return cond << 28 | 0x0120F000 | spsr << 22 | mask << 16 | rm


def msr_imm(cond: int, spsr: int, mask: int, value: int) -> int:
    return cond << 28 | 0x0120F000 | spsr << 22 | mask << 16 | imm(value)


def branch(cond: int, link: int, from_address: int, to: int) -> int:
    return cond << 28 | 0x0A000000 | link << 24 | (to - from_address - 8) >> 2 & 0xFFFFFF


def ldst(
    cond: int, load: int, byte: int, p: int, u: int, w: int, rd: int, rn: int, offset: int
) -> int:
    """Word and byte. offset: 12-bit immediate, or 1<<25 | shifted()."""
    return (
        cond << 28
        | 1 << 26
        | p << 24
        | u << 23
        | byte << 22
        | w << 21
        | load << 20
        | rn << 16
        | rd << 12
        | offset
    )


def ldst_half(
    cond: int, load: int, sh: int, p: int, u: int, w: int, rd: int, rn: int, offset: int, imm8: int
) -> int:
    """sh: 1 unsigned half, 2 signed byte, 3 signed half. offset: value if imm8, else register."""
    field = (offset & 0xF0) << 4 | offset & 15 if imm8 else offset
    return (
        cond << 28
        | p << 24
        | u << 23
        | imm8 << 22
        | w << 21
        | load << 20
        | rn << 16
        | rd << 12
        | 0x90
        | sh << 5
        | field
    )


def ldm(cond: int, load: int, p: int, u: int, s: int, w: int, rn: int, registers: int) -> int:
    return (
        cond << 28
        | 1 << 27
        | p << 24
        | u << 23
        | s << 22
        | w << 21
        | load << 20
        | rn << 16
        | registers
    )


def swp(cond: int, byte: int, rd: int, rm: int, rn: int) -> int:
    return cond << 28 | 0x01000090 | byte << 22 | rn << 16 | rd << 12 | rm


def swi(cond: int, comment: int) -> int:
    return cond << 28 | 0x0F000000 | comment


NOP = dp(AL, MOV, 0, 0, 0, shifted(0))
