# SPDX-License-Identifier: Apache-2.0
"""Random Thumb code (DDI 0100, chapter A7): one function per group of the 19 formats of A6."""

from __future__ import annotations

from builder import Builder, Known

# A nop: mov r8, r8.
NOP = 0x46C0
SP = 13


def shifts_and_sums(b: Builder) -> None:
    """Formats 1 to 3: shift by a constant, add and subtract, constants of eight bits."""
    rd = b.low_dest()
    kind = b.bits(2)
    if kind == 0:
        amount = b.bits(5) if b.bits(2) else 0
        b.emit_half(b.rng.randrange(3) << 11 | amount << 6 | b.low() << 3 | rd)
    elif kind == 1:
        b.emit_half(0x1800 | b.bits(2) << 9 | b.low() << 6 | b.low() << 3 | rd)
    else:
        op = b.bits(2)
        b.emit_half(0x2000 | op << 11 | rd << 8 | b.bits(8))
        if op == 1:
            return  # CMP
    b.wrote(rd)


def arithmetic(b: Builder) -> None:
    """Format 4."""
    op, rd, rm = b.bits(4), b.low_dest(), b.low()
    if op in (2, 3, 4, 7) and b.bits(1):
        # An amount near 32; only the low byte counts.
        rm = b.scratch()
        b.emit_half(0x2000 | rm << 8 | b.rng.choice((0, 1, 2, 8, 31, 32, 33, 64, 255)))
        b.wrote(rm)
    while op == 13 and rm == rd:  # MUL
        rm = b.low()
    b.emit_half(0x4000 | op << 6 | rm << 3 | rd)
    if op not in (8, 10, 11):
        b.wrote(rd)


def high_registers(b: Builder) -> None:
    """Format 5 without BX and BLX: ADD, CMP, MOV with at least one of r8 to r15."""
    op = b.rng.randrange(3)
    rd, rm = b.dest(), 15 if b.bits(3) == 0 else b.any()
    if op == 1:
        rd = b.any()
    while rd < 8 and rm < 8:
        rm = 8 + b.bits(3)
    if op == 1 and rm == 15:
        rm = 14
    if rd < 8 and rm < 8:
        rd = 8
    b.emit_half(0x4400 | op << 8 | (rd & 8) << 4 | rm << 3 | rd & 7)
    if op != 1:
        b.wrote(rd)


def literal(b: Builder) -> None:
    """Format 6, and format 12 with pc."""
    rd = b.low_dest()
    if b.bits(1):
        b.load_literal(rd, b.literal(b.bits(32)))
    else:
        b.emit_half(0xA000 | rd << 8 | b.bits(8))
        b.wrote(rd)


def transfer(b: Builder) -> None:
    """Formats 7 to 10: words, halves, bytes, by a register or a constant."""
    rd = b.low_dest()
    if b.bits(1):
        # Offset in a register: STR STRH STRB LDRSB LDR LDRH LDRB LDRSH.
        op = b.bits(3)
        align = (4, 2, 1, 1, 4, 2, 1, 2)[op]
        index = b.scratch()
        b.emit_half(0x2000 | index << 8 | b.bits(8) & -align)
        if b.bits(1):
            b.emit_half(0x4240 | index << 3 | index)  # NEG
        b.wrote(index)
        rn, _ = b.base(0x100, 0x104)
        load = op >= 3
        b.emit_half(0x5000 | op << 9 | index << 6 | rn << 3 | rd)
    else:
        rn, _ = b.base(0, 4 * 31 + 4)
        op = b.rng.choice((0x6000, 0x6800, 0x7000, 0x7800, 0x8000, 0x8800))
        load = bool(op & 0x800)
        b.emit_half(op | b.bits(5) << 6 | rn << 3 | rd)
    if load:
        b.wrote(rd)


def _stack(b: Builder) -> tuple[int, int]:
    """sp becomes a base; its range."""
    rn, known = b.base(0x200, 0x404)
    b.emit_half(0x4600 | 1 << 7 | rn << 3 | SP & 7)
    b.wrote(SP, known)
    return known


def stack(b: Builder) -> None:
    """Formats 11, 12 with sp, 13, 14: loads, stores and sums with sp, PUSH and POP without pc."""
    kind = b.rng.randrange(5)
    low, high = _stack(b)
    if kind == 0:
        rd, load = b.low_dest(), b.bits(1)
        b.emit_half(0x9000 | load << 11 | rd << 8 | b.bits(8))
        if load:
            b.wrote(rd)
    elif kind == 1:
        rd = b.low_dest()
        b.emit_half(0xA800 | rd << 8 | b.bits(8))
        b.wrote(rd)
    elif kind == 2:
        down, amount = b.bits(1), b.bits(7)
        b.emit_half(0xB000 | down << 7 | amount)
        shift = -4 * amount if down else 4 * amount
        b.wrote(SP, (low + shift, high + shift))
    else:
        load = kind - 3
        registers = b.bits(8)
        if load:
            registers &= ~sum(1 << r for r in b.protected if r < 8)
        link = 0 if load else b.bits(1)
        if not registers | link:
            registers = 1 << b.free[0]
        b.emit_half(0xB400 | load << 11 | link << 8 | registers)
        shift = 4 * (registers.bit_count() + link) * (1 if load else -1)
        b.wrote(SP, (low + shift, high + shift))
        for r in range(8):
            if load and registers >> r & 1:
                b.wrote(r)


def multiple(b: Builder) -> None:
    """Format 15: LDMIA, STMIA."""
    load = b.bits(1)
    rn, (low, high) = b.base(0, 32)
    registers = b.bits(8)
    if load:
        registers &= ~sum(1 << r for r in b.protected if r < 8)
    elif registers >> rn & 1 and registers & (1 << rn) - 1:
        registers &= ~(1 << rn)
    registers = registers or 1 << b.free[0]
    b.emit_half(0xC000 | load << 11 | rn << 8 | registers)
    shift = 4 * registers.bit_count()
    b.wrote(rn, (low + shift, high + shift))
    for r in range(8):
        if load and registers >> r & 1:
            b.wrote(r)


def branch(b: Builder) -> None:
    """Formats 16, 18 and 19: B with and without condition, BL and BLX to a constant."""
    kind = b.bits(3)
    if kind == 7:
        b.land()
    at, index = b.here(), len(b.code)
    if kind < 4:
        cond = b.rng.randrange(14)
        b.emit_half(0)

        def patch(target: int) -> None:
            b.patch_half(index, 0xD000 | cond << 8 | target - at - 4 >> 1 & 0xFF)

        b.jump(patch)
    elif kind == 4:
        b.emit_half(0)

        def patch(target: int) -> None:
            b.patch_half(index, 0xE000 | target - at - 4 >> 1 & 0x7FF)

        b.jump(patch)
    else:
        to_arm = kind == 7
        b.emit(0)
        b.wrote(14)

        def patch(target: int) -> None:
            offset = target - (at + 4 & ~3 if to_arm else at + 4)
            high, low = 0xF000 | offset >> 12 & 0x7FF, offset >> 1 & 0x7FF
            b.patch_half(index, high)
            b.patch_half(index + 2, (0xE800 if to_arm else 0xF800) | low)

        b.jump(patch, thumb=0 if to_arm else None)
        if to_arm:
            b.flip()


def to_register(b: Builder) -> None:
    """BX, BLX, POP with pc; MOV and ADD of pc, which stay in Thumb state."""
    kind = b.rng.randrange(6)
    flip = kind < 4 and b.bits(2) > 0
    if flip:
        b.land()
    x = b.literal()
    rx = b.scratch()
    there: Known | None = None

    def patch(target: int) -> None:
        b.pool[x] = target

    if kind < 3:
        link = b.bits(1)
        register = rx if b.bits(1) else b.rng.choice([r for r in b.free if r >= 8])
        b.load_literal(rx, x)
        if register != rx:
            b.emit_half(0x4600 | 1 << 7 | rx << 3 | register & 7)
            b.wrote(register)
        b.emit_half(0x4700 | link << 7 | register << 3)
        if link:
            b.wrote(14)
    elif kind == 3:
        low, high = _stack(b)
        registers = b.bits(8) & ~sum(1 << r for r in b.protected if r < 8)
        count = registers.bit_count()
        b.load_literal(rx, x)
        b.emit_half(0x9000 | rx << 8 | count)  # str rx, [sp, #4 * count]
        b.emit_half(0xBD00 | registers)
        shift = 4 * count + 4
        b.wrote(SP, (low + shift, high + shift))
        for r in range(8):
            if registers >> r & 1:
                b.wrote(r)
    elif kind == 4:
        b.load_literal(rx, x)
        b.emit_half(0x4687 | rx << 3)  # mov pc, rx
    else:
        b.load_literal(rx, x)
        at = b.here()
        b.emit_half(0x4487 | rx << 3)  # add pc, rx

        def patch(target: int) -> None:
            b.pool[x] = target - at - 4 & 0xFFFFFFFF

    b.jump(patch, there, exchange=kind < 4)
    if flip:
        b.flip()


def arm_from_pc(b: Builder) -> None:
    """bx pc: the usual way into ARM code; at a multiple of four."""
    b.land()
    if b.here() & 2:
        b.emit_half(NOP)
    b.emit_half(0x4778)
    b.emit_half(NOP)  # skipped
    b.thumb = 0


def exception(b: Builder) -> None:
    """Format 17, BKPT, and encodings that ARMv5TE leaves undefined. Mostly jumped over."""
    kind = b.bits(2)
    if b.bits(2):
        # Only if a condition holds.
        at, index, cond = b.here(), len(b.code), b.rng.randrange(14)
        b.emit_half(0)

        def patch(target: int) -> None:
            b.patch_half(index, 0xD000 | cond << 8 | target - at - 4 >> 1 & 0xFF)

        b.jump(patch)
    if kind < 2:
        b.emit_half(0xDF00 | b.bits(8))
    elif kind == 2:
        b.emit_half(0xBE00 | b.bits(8))
    else:
        space = b.rng.choice((0xDE00, 0xDE00, 0xB200, 0xB600, 0xB800, 0xBA00))
        b.emit_half(space | b.bits(8))


WEIGHTS = (
    (shifts_and_sums, 30),
    (arithmetic, 26),
    (high_registers, 12),
    (literal, 5),
    (transfer, 22),
    (stack, 9),
    (multiple, 6),
    (branch, 6),
    (to_register, 7),
    (arm_from_pc, 4),
    (exception, 1),
)
TABLE = [function for function, weight in WEIGHTS for _ in range(weight)]
assert len(TABLE) == 128
