# SPDX-License-Identifier: Apache-2.0
"""Code for streams in an address space: blocks of 1 KB, and the handlers at the vectors.

Whatever a block does, it goes on: the data abort handler returns to the next instruction, the one
of undefined instructions too, SWI changes the mode to what r7 says, and a prefetch abort goes on at
the next 1 KB of the code area (whose first instruction is always ARM code). So any access may
fault, and each idiom loads the addresses that it needs itself. r7 is kept for SWI.
"""

from __future__ import annotations

import random
from collections.abc import Callable

import encode as e
from encode import ADD, AL, AND, BIC, MOV, ORR, SUB, TST
from pages import BACK, CODE_SIZE, FRONT, MEGABYTE, Space, domains
from vectors import ABT, FIQ, IRQ, MODES, SVC, SYS, UND, USR

BLOCK = 0x400
# Code ends here, at the latest; literals follow.
CODE_MOST = 0x2C0
LITERALS = (BLOCK - CODE_MOST) // 4 - 8
EDGES = (0x400, 0x1000, 0x4000, 0x8000, 0xC000, 0x10000)
FREE = (0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 14)
LOW = (0, 1, 2, 3, 4, 5, 6)
CONTROL_S, CONTROL_R, CONTROL_X = 1 << 8, 1 << 9, 1 << 13


class BlockWriter:
    """Writes one block."""

    def __init__(
        self, rng: random.Random, space: Space, v5: bool, control: int, misaligned: bool
    ) -> None:
        self.rng = rng
        self.bits = rng.getrandbits
        self.space = space
        self.v5 = v5
        self.control = control
        self.misaligned = misaligned
        self.code = bytearray()
        self.literals: list[int] = []
        self.fixes: list[tuple[int, int, int]] = []  # (place, literal, register)
        self.thumb = False

    def write(self) -> bytes:
        while len(self.code) < CODE_MOST - 0x60 and len(self.literals) < LITERALS:
            table = _THUMB if self.thumb else _ARM
            table[self.rng.randrange(len(table))](self)
        if self.thumb:
            to_arm(self)
        # To the end of the block, over the literals.
        self.emit(e.branch(AL, 0, len(self.code), BLOCK))
        pool = len(self.code)
        for place, literal, register in self.fixes:
            at = pool + 4 * literal
            if register < 0:
                offset = at - (place + 4 & ~3)
                half = 0x4800 | (~register) << 8 | offset >> 2
                self.code[place : place + 2] = half.to_bytes(2, "little")
            else:
                word = e.ldst(AL, 1, 0, 1, 1, 0, register, 15, at - place - 8)
                self.code[place : place + 4] = word.to_bytes(4, "little")
        for value in self.literals:
            self.emit(value)
        assert len(self.code) <= BLOCK
        return bytes(self.code) + bytes(BLOCK - len(self.code))

    def emit(self, word: int) -> None:
        self.code += word.to_bytes(4, "little")

    def half(self, half: int) -> None:
        self.code += half.to_bytes(2, "little")

    def load(self, register: int, value: int) -> None:
        """The register gets a constant, from the literals."""
        self.literals.append(value & 0xFFFFFFFF)
        number = len(self.literals) - 1
        if self.thumb:
            self.fixes.append((len(self.code), number, ~register))
            self.half(0)
        else:
            self.fixes.append((len(self.code), number, register))
            self.emit(0)

    def registers(self, count: int) -> list[int]:
        return self.rng.sample(LOW if self.thumb else FREE, count)

    def address(self, size: int, span: int = 0) -> int:
        """A virtual address in the data: near the edges of pages, as often as not.

        span: so many bytes more are accessed after it, which may be on the next page.
        """
        rng = self.rng
        base = rng.choice(self.space.data)
        kind = rng.getrandbits(3)
        if kind < 4:
            offset = rng.choice(EDGES) + rng.choice((-64, -32, -16, -8, -4, -4, 0, 0, 4))
        elif kind == 4:
            # The end of the megabyte, and what lies after it.
            offset = MEGABYTE - rng.choice((4, 8, 16, 32, BACK))
        elif kind == 5:
            offset = rng.randrange(16)
        else:
            offset = rng.randrange(FRONT - span)
        if offset >= FRONT and offset + span > MEGABYTE and base == self.space.data[-1]:
            offset -= 64
        offset &= -size
        if self.misaligned and size > 1 and rng.getrandbits(3) == 0:
            # Within 1 KB: space_reference.py takes back what was stored, in one piece.
            offset = offset & ~0x3FF | 0x100 + 4 * rng.randrange(8)
            offset += rng.randrange(1, min(size, 4))
        return base + offset


def single(b: BlockWriter) -> None:
    """LDR, STR, LDRB, STRB, the halves, and the T forms."""
    rd, rn, rm = b.registers(3)
    load, up, writeback = b.bits(1), b.bits(1), b.bits(1)
    kind = b.rng.randrange(5)
    size = (4, 1, 2, 1, 4)[kind]
    offset = b.bits(5) & -4
    pre = b.bits(1)
    target = b.address(size)
    if pre:
        target += -offset if up else offset
    b.load(rn, target)
    if kind < 2 or kind == 4:
        # kind 4: LDRT, STRT and those of bytes, with the rights of User mode.
        byte = kind == 1 or (kind == 4 and b.bits(1))
        if kind == 4:
            pre, writeback = 0, 1
            b.code[-4:] = b""
            b.fixes.pop()
            b.literals.pop()
            b.load(rn, b.address(4))
        else:
            writeback &= pre
        register = b.bits(1)
        if register:
            b.emit(e.dp(AL, MOV, 0, rm, 0, e.imm(offset)))
        field = 1 << 25 | e.shifted(rm) if register else offset
        b.emit(e.ldst(AL, load, int(byte), pre, up, writeback, rd, rn, field))
    else:
        sh = 1 if kind == 2 and not (load and b.bits(1)) else 3 if kind == 2 else 2
        if sh == 2:
            load = 1
        b.emit(e.ldst_half(AL, load, sh, pre, up, writeback & pre, rd, rn, offset, 1))


def multiple(b: BlockWriter) -> None:
    """LDM and STM, across the edges of pages."""
    rn = b.rng.choice(FREE)
    load, p, up, w = (b.bits(1) for _ in range(4))
    chosen = [r for r in b.registers(b.rng.randrange(1, 9)) if r != rn] or [(rn + 1) % 7]
    mask = sum(1 << r for r in set(chosen))
    b.load(rn, b.address(4, 64))
    b.emit(e.ldm(AL, load, p, up, 0, w, rn, mask))
    if load:
        # If it aborts, what these hold is UNPREDICTABLE (A4.1.20).
        for r in sorted(set(chosen)):
            b.emit(e.dp(AL, MOV, 0, r, 0, e.imm(r)))


def swap(b: BlockWriter) -> None:
    rd, rm, rn = b.registers(3)
    byte = b.bits(1)
    b.load(rn, b.address(1 if byte else 4))
    b.emit(e.swp(AL, byte, rd, rm, rn))


def double(b: BlockWriter) -> None:
    if not b.v5:
        return
    rd = b.rng.choice((0, 2, 4, 8, 10))
    rn = b.rng.choice([r for r in FREE if r not in (rd, rd + 1)])
    was, b.misaligned = b.misaligned, False
    b.load(rn, b.address(8, 8))
    b.misaligned = was
    load = b.bits(1)
    b.emit(AL << 28 | 0x014000D0 | 1 << 23 | (1 - load) << 5 | rn << 16 | rd << 12)
    if load:
        for r in (rd, rd + 1):
            b.emit(e.dp(AL, ORR, 1, r, r, e.imm(0)))


def plain(b: BlockWriter) -> None:
    """Data processing, so that registers change."""
    for _ in range(1 + b.bits(1)):
        rd, rn, rm = b.registers(3)
        op = b.rng.choice((AND, ORR, ADD, SUB, BIC, MOV))
        kind, amount = b.bits(2), b.bits(5)
        operand = e.shifted(rm, kind, amount)
        b.emit(e.dp(b.rng.randrange(15), op, b.bits(1), rd, 0 if op == MOV else rn, operand))


def mode(b: BlockWriter) -> None:
    """Another mode, by MSR or by SWI; I and F stay set."""
    to = b.rng.choice((USR, USR, SVC, SYS, FIQ, IRQ, ABT, UND))
    if b.bits(1):
        b.emit(e.msr_imm(AL, 0, 1, 0xC0 | to))
    else:
        b.emit(e.dp(AL, MOV, 0, 7, 0, e.imm(to)))
        b.emit(e.swi(AL, b.bits(24)))


def jump(b: BlockWriter) -> None:
    """To the start of some block, sometimes to where nothing can be fetched."""
    rx = b.rng.choice(FREE)
    to = b.space.code + b.rng.randrange(CODE_SIZE // BLOCK) * BLOCK
    if b.bits(3) == 0:
        # Where a fetch finds something it must be code: this is mapped nowhere.
        to = b.rng.choice((0x3F000000, 0xF0000000, 0xFFFE0000)) | b.bits(10) << 2
    kind = b.bits(2)
    if kind == 0 and b.v5:
        b.load(rx, to)
        b.emit(AL << 28 | 0x012FFF10 | b.bits(1) << 5 | rx)
    elif kind == 1:
        b.emit(e.dp(AL, MOV, 0, 14, 0, e.shifted(15)))
        b.load(15, to)
    else:
        b.load(rx, to)
        b.emit(e.dp(AL, MOV, 0, 15, 0, e.shifted(rx)))


def skip(b: BlockWriter) -> None:
    """A conditional branch over a few instructions."""
    at = len(b.code)
    b.emit(0)
    for _ in range(1 + b.bits(1)):
        plain(b)
    word = e.branch(b.rng.randrange(14), b.bits(1), at, len(b.code))
    b.code[at : at + 4] = word.to_bytes(4, "little")


def _move(load: int, rd: int, crn: int, crm: int = 0, op2: int = 0) -> int:
    return AL << 28 | 0x0E000F10 | load << 20 | crn << 16 | rd << 12 | op2 << 5 | crm


def system(b: BlockWriter) -> None:
    """CP15: rights change, translations and status are looked at. Undefined in User mode."""
    rd = b.rng.choice(FREE)
    kind = b.rng.randrange(8)
    if kind < 2:
        b.load(rd, domains(b.rng))
        b.emit(_move(0, rd, 3))
    elif kind == 2:
        rights = b.rng.choice((0, CONTROL_S, CONTROL_R))
        b.load(rd, b.control & ~(CONTROL_S | CONTROL_R) | rights)
        b.emit(_move(0, rd, 1))
    elif kind == 3:
        b.load(rd, b.rng.choice(b.space.slots))
        b.emit(_move(0, rd, 13))
    elif kind == 4:
        b.emit(_move(0, rd, 8, b.rng.choice((5, 6, 7)), 0))
    elif kind == 5:
        b.load(rd, b.address(4) & ~0x3FF)
        b.emit(_move(0, rd, 8, b.rng.choice((5, 6) if b.v5 else (6,)), 1))
    else:
        b.emit(_move(1, rd, b.rng.choice((5, 6, 3))))


def undefined(b: BlockWriter) -> None:
    b.emit(0xE6000010 | b.bits(20))


def breakpoint_(b: BlockWriter) -> None:
    if b.v5 and b.bits(2) == 0:
        b.emit(0xE1200070 | b.bits(4))


def to_thumb(b: BlockWriter) -> None:
    if b.v5:
        rx = b.rng.choice(FREE)
        b.emit(e.dp(AL, ADD, 0, rx, 15, e.imm(1)))
        b.emit(AL << 28 | 0x012FFF10 | rx)
        b.thumb = True


def to_arm(b: BlockWriter) -> None:
    if len(b.code) & 2:
        b.half(0x46C0)
    b.half(0x4778)
    b.half(0x46C0)
    b.thumb = False


def thumb_plain(b: BlockWriter) -> None:
    rd, rm, _ = b.registers(3)
    op = b.rng.choice([i for i in range(16) if i != 13])
    b.half(0x4000 | op << 6 | rm << 3 | rd)


def thumb_single(b: BlockWriter) -> None:
    rd, rn, rm = b.registers(3)
    if b.bits(1):
        op = b.bits(3)
        b.load(rn, b.address((4, 2, 1, 1, 4, 2, 1, 2)[op]))
        b.half(0x2000 | rm << 8)
        b.half(0x5000 | op << 9 | rm << 6 | rn << 3 | rd)
    else:
        form = b.rng.randrange(6)
        base = (0x6000, 0x6800, 0x7000, 0x7800, 0x8000, 0x8800)[form]
        size = (4, 1, 2)[form >> 1]
        number = b.bits(2)
        b.load(rn, b.address(size) - size * number)
        b.half(base | number << 6 | rn << 3 | rd)


def thumb_multiple(b: BlockWriter) -> None:
    """LDMIA, STMIA, PUSH, POP, loads and stores through sp."""
    rn = b.rng.choice(LOW)
    chosen = [r for r in b.registers(b.rng.randrange(1, 6)) if r != rn] or [(rn + 1) % 7]
    mask = sum(1 << r for r in set(chosen))
    kind = b.rng.randrange(3)
    load = b.bits(1)
    b.load(rn, b.address(4, 64))
    if kind == 0:
        b.half(0xC000 | load << 11 | rn << 8 | mask)
    else:
        b.half(0x4685 | rn << 3)  # mov sp, rn
        if kind == 1:
            b.half(0xB400 | load << 11 | mask)
        else:
            b.half(0x9000 | load << 11 | chosen[0] << 8 | b.bits(2))
    if load and kind < 2:
        for r in sorted(set(chosen)):
            b.half(0x2000 | r << 8 | r)


def thumb_swi(b: BlockWriter) -> None:
    b.half(0x2700 | b.rng.choice(MODES))
    b.half(0xDF00 | b.bits(8))


def thumb_jump(b: BlockWriter) -> None:
    rx = b.rng.choice(LOW)
    b.load(rx, b.space.code + b.rng.randrange(CODE_SIZE // BLOCK) * BLOCK)
    b.half(0x4700 | b.bits(1) << 7 | rx << 3)


def thumb_call(b: BlockWriter) -> None:
    """BL to the next instruction."""
    b.half(0xF000)
    b.half(0xF800)


def _weighted(*rows: tuple[Callable[[BlockWriter], None], int]) -> list[Callable[..., None]]:
    return [function for function, weight in rows for _ in range(weight)]


_ARM = _weighted(
    (single, 40),
    (multiple, 16),
    (swap, 6),
    (double, 6),
    (plain, 12),
    (skip, 6),
    (mode, 8),
    (system, 8),
    (jump, 3),
    (undefined, 1),
    (breakpoint_, 1),
    (to_thumb, 6),
)
_THUMB = _weighted(
    (thumb_single, 30),
    (thumb_multiple, 14),
    (thumb_plain, 12),
    (thumb_swi, 5),
    (thumb_jump, 2),
    (thumb_call, 3),
    (lambda b: b.half(0xDE00), 1),
    (to_arm, 8),
)


def handlers(code: int) -> bytes:
    """The page at the vectors."""
    lr, scratch = 14, 13
    undefined_, swi, prefetch, data = 0x40, 0x60, 0x80, 0xC0
    words = {0x20: code}

    def put(at: int, *instructions: int) -> None:
        words.update((at + 4 * i, word) for i, word in enumerate(instructions))

    for vector in range(0, 0x20, 4):
        put(vector, e.branch(AL, 0, vector, prefetch))
    put(4, e.branch(AL, 0, 4, undefined_))
    put(8, e.branch(AL, 0, 8, swi))
    put(0x10, e.branch(AL, 0, 0x10, data))
    put(undefined_, e.dp(AL, MOV, 1, 15, 0, e.shifted(lr)))
    put(
        swi,
        e.mrs(AL, 1, scratch),
        e.dp(AL, BIC, 0, scratch, scratch, e.imm(0x1F)),
        e.dp(AL, ORR, 0, scratch, scratch, e.shifted(7)),
        e.msr_reg(AL, 1, 1, scratch),
        e.dp(AL, MOV, 1, 15, 0, e.shifted(lr)),
    )
    put(
        prefetch,
        e.mrs(AL, 1, scratch),
        e.dp(AL, BIC, 0, scratch, scratch, e.imm(0x20)),
        e.msr_reg(AL, 1, 1, scratch),
        e.dp(AL, SUB, 0, lr, lr, e.imm(4)),
        e.dp(AL, ADD, 0, lr, lr, e.imm(BLOCK)),
        e.dp(AL, AND, 0, lr, lr, e.imm(0xFC00)),
        e.ldst(AL, 1, 0, 1, 0, 0, scratch, 15, prefetch + 24 + 8 - 0x20),
        e.dp(AL, ORR, 0, lr, lr, e.shifted(scratch)),
        e.dp(AL, MOV, 1, 15, 0, e.shifted(lr)),
    )
    put(
        data,
        e.mrs(AL, 1, scratch),
        e.dp(AL, TST, 1, 0, scratch, e.imm(0x20)),
        _move(1, scratch, 6),
        e.dp(1, SUB, 0, lr, lr, e.imm(2)),  # NE: Thumb
        e.dp(AL, SUB, 1, 15, lr, e.imm(4)),
    )
    return b"".join(words.get(at, 0).to_bytes(4, "little") for at in range(0, 0x100, 4))
