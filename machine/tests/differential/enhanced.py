# SPDX-License-Identifier: Apache-2.0
"""What ARMv5TE adds to ARM state (DDI 0100, A4 and A10): one function per group of instructions.

Each writes one instruction, with what must stand before it, as those of generator.py do.
"""

from __future__ import annotations

import random

import encode as e
from builder import Builder
from encode import ADD, AL, AND, BIC
from undefined import ARITHMETIC, COPROCESSOR, TWO_WORDS, UNDEFINED_SPACE, USER_ONLY, Row, make


def _registers(b: Builder, count: int) -> list[int]:
    return [b.any() for _ in range(count)]


def dsp(b: Builder) -> None:
    """CLZ, saturating arithmetic, multiplies of halves."""
    kind, cond = b.bits(4), b.cond()
    rd = b.dest()
    rn, rs, rm = _registers(b, 3)
    if kind < 3:
        b.emit(cond << 28 | 0x016F0F10 | rd << 12 | rm)
    elif kind < 8:
        b.emit(cond << 28 | 0x01000050 | b.bits(2) << 21 | rn << 16 | rd << 12 | rm)
    else:
        halves = b.bits(2) << 5
        if kind < 10:
            word = 0x01000080 | rn << 12 | halves  # SMLAxy
        elif kind < 12:
            word = 0x01200080 | rn << 12 | halves & 0x40  # SMLAWy
        elif kind == 12:
            word = 0x012000A0 | halves & 0x40  # SMULWy
        elif kind == 13:
            word = 0x01600080 | halves  # SMULxy
        else:
            low = b.dest()
            while low == rd:
                low = b.dest()
            word = 0x01400080 | low << 12 | halves  # SMLALxy
            b.wrote(low)
        b.emit(cond << 28 | word | rd << 16 | rs << 8 | rm)
    b.wrote(rd)


def double(b: Builder) -> None:
    """LDRD and STRD, at a multiple of eight."""
    store, up, is_imm = b.bits(1), b.bits(1), b.bits(1)
    p, w = b.rng.choice(((1, 0), (1, 0), (1, 1), (0, 0)))
    base, known = b.base(0x108, 0x110)
    rd = b.rng.choice((0, 2, 4, 6, 8, 10, 12))
    rn = b.scratch()
    while rn in (rd, rd + 1):
        rn = b.scratch()
    b.emit(e.dp(AL, BIC, 0, rn, base, e.imm(7)))
    b.wrote(rn, (known[0] & ~7, known[1] & ~7))
    if is_imm:
        offset = b.bits(8) & 0xF8
        low = high = offset
        field = 1 << 22 | (offset & 0xF0) << 4 | offset & 15
    else:
        rm = b.scratch(rn)
        while rm in (rd, rd + 1):
            rm = b.scratch(rn)
        b.emit(e.dp(AL, AND, 0, rm, b.any(), e.imm(0xF8)))
        b.wrote(rm)
        low, high = 0, 0xF8
        field = rm
    if not up:
        low, high = -high, -low
    cond = b.cond()
    bits = p << 24 | up << 23 | w << 21 | store << 5
    b.emit(cond << 28 | 0xD0 | bits | rn << 16 | rd << 12 | field)
    if w or not p:
        b.wrote(rn, (known[0] - 7 + low, known[1] + high), cond)
        b.wrote(rn)  # a multiple of eight before, any offset after: no base any more
    if not store:
        b.wrote(rd)
        b.wrote(rd + 1)


def preload(b: Builder) -> None:
    """PLD of any address: a hint, it changes nothing and never aborts."""
    if b.bits(1):
        b.emit(0xF550F000 | b.bits(1) << 23 | b.any() << 16 | b.bits(12))
    else:
        shift = b.bits(7) << 5 & 0xFE0
        b.emit(0xF750F000 | b.bits(1) << 23 | b.any() << 16 | shift | b.any())


def exchange(b: Builder) -> None:
    """BX, BLX, BXJ (which the processor treats as BX: no Jazelle state) and BLX to Thumb code."""
    kind, cond = b.bits(2), b.cond()
    flip = cond == AL and b.bits(2) > 0
    if kind == 0:
        # Only this form has no condition, and it always arrives in Thumb state.
        b.land()
        at, index = b.here(), len(b.code)
        b.emit(0)
        b.wrote(14)

        def patch_branch(target: int) -> None:
            offset = target - at - 8
            b.patch_word(index, 0xFA000000 | (offset & 2) << 23 | offset >> 2 & 0xFFFFFF)

        b.jump(patch_branch, thumb=1)
        b.flip()
        return
    if flip:
        b.land()
    rx = b.scratch()
    x = b.literal()
    b.load_literal(rx, x)
    form = b.rng.choice((0x012FFF10, 0x012FFF10, 0x012FFF30, 0x012FFF20))
    b.emit(cond << 28 | form | rx)
    if form & 0x30 == 0x30:
        b.wrote(14)

    def patch(target: int) -> None:
        b.pool[x] = target

    b.jump(patch, exchange=True)
    if flip:
        b.flip()


def breakpoint_(b: Builder) -> None:
    """BKPT has no condition: a branch jumps over it, or not."""
    cond, at, index = b.rng.randrange(14), b.here(), len(b.code)
    b.emit(0)

    def patch(target: int) -> None:
        b.patch_word(index, e.branch(cond, 0, at, target))

    b.jump(patch)
    b.emit(0xE1200070 | b.bits(12) << 8 | b.bits(4))


# Encodings that ARMv5TE leaves undefined. Coprocessors 10 and 11 are left out: a floating-point
# unit may be there, and Unicorn switches one on.
_NOT_FLOATING = tuple(row for row in COPROCESSOR if row.bits >> 8 & 15 not in (10, 11))
_TWO_WORDS = tuple(row for row in TWO_WORDS if row.bits >> 8 & 15 not in (10, 11))
_MOVW = (Row("movw", 0x03000000, 0x000FFFFF), Row("movt", 0x03400000, 0x000FFFFF))
_EXCLUSIVE = (
    Row("ldrex", 0x01900F9F, 0x000FF000),
    Row("strex", 0x01800F90, 0x000FF00F),
    Row("swap space 0010", 0x01200090, 0x000FF00F),
    Row("swap space 0110", 0x01600090, 0x000FF00F),
)
_ROWS = (ARITHMETIC, UNDEFINED_SPACE, _NOT_FLOATING, _TWO_WORDS, _MOVW, _EXCLUSIVE)


def random_undefined(rng: random.Random, cond: int, user: bool) -> int:
    if user and rng.getrandbits(2) == 0:
        return make(rng.choice(USER_ONLY), rng, cond)
    rows = rng.choice(_ROWS)
    if rows is _NOT_FLOATING and rng.getrandbits(1):
        cond = 15  # CDP2, MCR2, MRC2, LDC2, STC2
    return make(rng.choice(rows), rng, cond)


def thumb_from_pc(b: Builder) -> None:
    """add rx, pc, #1; bx rx: the usual way into Thumb code."""
    b.land()
    rx = b.scratch()
    b.emit(e.dp(AL, ADD, 0, rx, 15, e.imm(1)))
    b.emit(AL << 28 | 0x012FFF10 | rx)
    b.wrote(rx)
    b.thumb = 1
