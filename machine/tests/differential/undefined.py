# SPDX-License-Identifier: Apache-2.0
"""Encodings that ARMv4 leaves undefined: what the SA-1110 must refuse.

Each row: name, the fixed bits (without condition), the bits that may be anything. The ARM ARM calls
these the undefined-instruction and extension spaces (DDI 0100, A3.15 and A3.16); later versions of
the architecture filled many of them, so rows carry the names of what was put there. The fixed bits
keep what the later instruction calls "should be zero/one", so that the row is that instruction.
"""

from __future__ import annotations

import random
from typing import NamedTuple


class Row(NamedTuple):
    name: str
    bits: int
    free: int


REGS_D = 0x0000F000
REGS_N = 0x000F0000
ARITHMETIC = (
    Row("umaal", 0x00400090, 0x000FFF0F),
    Row("multiply space 0101", 0x00500090, 0x000FFF0F),
    Row("mls", 0x00600090, 0x000FFF0F),
    Row("multiply space 0111", 0x00700090, 0x000FFF0F),
)
CONTROL = (
    Row("bx", 0x012FFF10, 0x0000000F),
    Row("bxj", 0x012FFF20, 0x0000000F),
    Row("blx register", 0x012FFF30, 0x0000000F),
    Row("clz", 0x016F0F10, 0x0000F00F),
    Row("qadd", 0x01000050, 0x000FF00F),
    Row("qsub", 0x01200050, 0x000FF00F),
    Row("qdadd", 0x01400050, 0x000FF00F),
    Row("qdsub", 0x01600050, 0x000FF00F),
    Row("smlaxy", 0x01000080, 0x000FFF6F),
    Row("smlawy", 0x01200080, 0x000FFF4F),
    Row("smulwy", 0x012000A0, 0x000F0F4F),
    Row("smlalxy", 0x01400080, 0x000FFF6F),
    Row("smulxy", 0x01600080, 0x000F0F6F),
    Row("movw", 0x03000000, 0x000FFFFF),
    Row("movt", 0x03400000, 0x000FFFFF),
)
TRANSFER = (
    Row("ldrd register", 0x000000D0, 0x018FE00F),
    Row("ldrd immediate", 0x004000D0, 0x018FEF0F),
    Row("strd register", 0x000000F0, 0x018FE00F),
    Row("strd immediate", 0x004000F0, 0x018FEF0F),
    Row("ldrex", 0x01900F9F, 0x000FF000),
    Row("strex", 0x01800F90, 0x000FF00F),
    Row("swap space 0010", 0x01200090, 0x000FF00F),
    Row("swap space 0110", 0x01600090, 0x000FF00F),
)
UNDEFINED_SPACE = (
    Row("undefined space", 0x06000010, 0x01FFFFEF),
    Row("udf", 0x07F000F0, 0x000FFF0F),
)
# Coprocessors 0 to 14 do not exist on the SA-1110. Rd is no pc: MRC to pc means flags.
COPROCESSOR = tuple(
    row
    for cp in range(15)
    for row in (
        Row(f"cdp p{cp}", 0x0E000000 | cp << 8, 0x00FFF0EF),
        Row(f"mcr p{cp}", 0x0E000010 | cp << 8, 0x00EF70EF),
        Row(f"mrc p{cp}", 0x0E100010 | cp << 8, 0x00EF70EF),
        Row(f"ldc p{cp}", 0x0D100000 | cp << 8, 0x008FF0FF),
        Row(f"stc p{cp}", 0x0D000000 | cp << 8, 0x008FF0FF),
    )
)
# MRRC and MCRR fill what is LDC/STC with P = U = W = 0.
TWO_WORDS = tuple(
    row
    for cp in range(15)
    for row in (
        Row(f"mcrr p{cp}", 0x0C400000 | cp << 8, 0x000FF0FF),
        Row(f"mrrc p{cp}", 0x0C500000 | cp << 8, 0x000FF0FF),
    )
)
# The system control coprocessor belongs to privileged modes.
USER_ONLY = (
    Row("mrc p15 user", 0x0E100F10, 0x000F70EF),
    Row("mcr p15 user", 0x0E000F10, 0x000F70EF),
)
GROUPS = {
    "arithmetic space": ARITHMETIC,
    "control space": CONTROL,
    "transfer space": TRANSFER,
    "undefined space": UNDEFINED_SPACE,
    "coprocessor": COPROCESSOR,
    "coprocessor two words": TWO_WORDS,
    "p15 in User mode": USER_ONLY,
}
_ALWAYS = tuple(rows for name, rows in GROUPS.items() if rows is not USER_ONLY)


def make(row: Row, rng: random.Random, cond: int) -> int:
    return cond << 28 | row.bits | (rng.getrandbits(32) & row.free)


def random_undefined(rng: random.Random, cond: int, user: bool) -> int:
    if user and rng.getrandbits(2) == 0:
        rows: tuple[Row, ...] = USER_ONLY
    else:
        rows = rng.choice(_ALWAYS)
    return make(rng.choice(rows), rng, cond)
