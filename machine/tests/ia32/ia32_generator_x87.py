# SPDX-License-Identifier: Apache-2.0
"""Floating-point instructions in random streams: all forms of memory operands, and arithmetic
where Unicorn has it right (README.md). Their results show in memory, in AX and in the flags."""

from __future__ import annotations

import struct

from ia32_writer import AF, ALL, CF, OF, PF, SF, ZF, Operand, Writer
from ia32_x87 import in_memory

# The formats of memory operands: bytes, name, opcode and `reg` of load and of store with a pop.
FORMATS = (
    (4, "32r", (0xD9, 0), (0xD9, 3)),
    (8, "64r", (0xDD, 0), (0xDD, 3)),
    (10, "80r", (0xDB, 5), (0xDB, 7)),
    (2, "16s", (0xDF, 0), (0xDF, 3)),
    (4, "32s", (0xDB, 0), (0xDB, 3)),
    (8, "64s", (0xDF, 5), (0xDF, 7)),
)
# Those that arithmetic takes.
SHORT = {0xD8: (4, "32r"), 0xDA: (4, "32s"), 0xDC: (8, "64r"), 0xDE: (2, "16s")}
# Of the status word C0, C2, C3 and TOP are compared.
STATUS = 0x7D00
DEEPEST = 5


# By format, the bits of exponent, and the bit that tells a quiet NaN.
QUIET = {
    "32r": (0x7F800000, 1 << 22),
    "64r": (0x7FF << 52, 1 << 51),
    "80r": (0x7FFF << 64, 1 << 62),
}


def quieted(data: bytes, form: str) -> bytes:
    """Not a signaling NaN, which Unicorn takes for a quiet one."""
    exponent, quiet = QUIET.get(form, (0, 0))
    value = int.from_bytes(data, "little")
    if exponent and value & exponent == exponent and value & (quiet - 1):
        value |= quiet
    return value.to_bytes(len(data), "little")


def placed(w: Writer, size: int, form: str, keep: tuple[int, ...] = ()) -> Operand:
    """A memory operand with a number of this format in it."""
    target = w.target(12, aligned=w.paged)
    data = quieted(in_memory(w.rng, form), form) + b"\0\0"
    for at in range(0, size - 1, 4):
        (word,) = struct.unpack_from("<I", data.ljust(12, b"\0"), at)
        w.raw(0xC7, 0x05, struct.pack("<2I", target + at, word))
    return w.memory_at(target, keep)


def load(w: Writer) -> None:
    size, form, (opcode, reg), _ = w.rng.choice(FORMATS)
    operand = placed(w, size, form)
    w.insn(operand.prefixes, opcode, operand.with_reg(reg))


def store(w: Writer) -> None:
    """A store that pops."""
    # What crosses into a page that cannot be written Unicorn has written in part.
    formats = [f for f in FORMATS if f[0] < 10] if w.paged else FORMATS
    size, _, _, (opcode, reg) = w.rng.choice(formats)
    operand = w.memory_at(w.target(size, aligned=w.paged))
    w.insn(operand.prefixes, opcode, operand.with_reg(reg))


def compute(w: Writer, depth: int) -> None:
    """Arithmetic of ST(0) with memory or another register, or of ST(0) alone."""
    kind = w.bits(2)
    # Not the comparisons.
    reg = w.rng.choice((0, 1, 4, 5, 6, 7))
    if kind == 0:
        opcode = w.rng.choice(tuple(SHORT))
        operand = placed(w, *SHORT[opcode])
        w.insn(operand.prefixes, opcode, operand.with_reg(reg))
    elif kind == 1:
        w.insn(w.rng.choice((0xD8, 0xDC)), 0xC0 | reg << 3 | w.rng.randrange(depth))
    elif kind == 2:
        # FCHS, FABS, FRNDINT; FSQRT of what is not negative, for which Unicorn sets C2
        w.insn(*w.rng.choice(((0xD9, 0xE0), (0xD9, 0xE1), (0xD9, 0xFC), (0xD9, 0xE1, 0xD9, 0xFA))))
    else:
        # FXCH, or FCMOVcc of which the flags are known.
        other = w.rng.randrange(depth)
        if w.bits(1):
            w.insn(0xD9, 0xC8 | other)
        else:
            reads = CF | ZF | PF
            w.insn(w.rng.choice((0xDA, 0xDB)), 0xC0 | w.bits(2) << 3 | other, reads=reads)


def compare(w: Writer, depth: int) -> None:
    other = w.rng.randrange(depth)
    if w.bits(1):
        w.insn(0xDB, w.rng.choice((0xE8, 0xF0)) | other, defines=ALL, undefines=OF | SF | AF)
        return
    # FCOM, FUCOM, FTST, then FNSTSW
    w.insn(*w.rng.choice(((0xD8, 0xD0 | other), (0xDD, 0xE0 | other), (0xD9, 0xE4))))
    status(w)


def status(w: Writer) -> None:
    w.insn(0xDF, 0xE0)
    w.insn(0x66, 0x25, struct.pack("<H", STATUS), defines=ALL, undefines=AF)


def floating_point(w: Writer) -> None:
    """From FNINIT to an empty stack."""
    w.insn(0xDB, 0xE3)
    if w.bits(1):
        # All exceptions masked, any rounding, any precision but the reserved one.
        control = 0x7F | w.bits(2) << 10 | w.rng.choice((0, 2, 3)) << 8
        target = w.target(4, aligned=w.paged)
        w.raw(0xC7, 0x05, struct.pack("<2I", target, control))
        operand = w.memory_at(target)
        w.insn(operand.prefixes, 0xD9, operand.with_reg(5))
    depth = 1 + w.rng.randrange(DEEPEST)
    for _ in range(depth):
        load(w)
    for _ in range(1 + w.bits(2)):
        w.rng.choice((compute, compute, compare))(w, depth)
    for _ in range(depth):
        store(w)
    status(w)
