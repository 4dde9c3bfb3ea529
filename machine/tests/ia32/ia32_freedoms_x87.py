# SPDX-License-Identifier: Apache-2.0
"""Of a record of the floating-point unit (ia32_x87.py) of which machine and host make something
else: the entries of the table in ia32_freedoms.py within which they do, or none.

An entry gives bits that may differ, by the instruction, the state before and both results; of what
follows from a result (tags, ES and B) it is looked at whether it does follow.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from ia32_freedoms import (
    COMPARISON_C1,
    CONDITION_CODES,
    CONTROL_BITS,
    DENORMAL_LOAD,
    LAST_PLACE,
    OUT_OF_RANGE,
    PARTIAL_REMAINDER,
    RESERVED_HALVES,
    SECOND_ENCODINGS,
    SINE_OR_COSINE,
    UNMASKED_COMPARISON,
    Freedom,
)
from ia32_x87_layout import AFTER, FLAGS, OPERAND, RECORD, STACK, STATE_BYTES, Operation

IE, DE, ZE, OE, UE, PE, SF, ES = (1 << n for n in range(8))
EXCEPTIONS = 0x3F
C0, C1, C2, C3, BUSY = 0x100, 0x200, 0x400, 0x4000, 0x8000
TOP = 0x3800
EMPTY = 3
INTEGER, ZERO_EXPONENT, SPECIAL = 1 << 63, 16383, 0x7FFF
# What is added to or taken from the exponent of a result whose exception is not masked.
MOVED = 24576
LEAST_NORMAL = Fraction(1, 1 << 16382)

FSINCOS, FPTAN, F2XM1, FYL2X, FYL2XP1 = 0xFB, 0xF2, 0xF0, 0xF1, 0xF9
FPREM1, FPREM = 0xF5, 0xF8

# Which bytes may differ in which bits.
Mask = dict[int, int]


@dataclass(frozen=True)
class State:
    """A state in a record: the one before, or the one after."""

    data: bytes
    at: int = AFTER

    def word(self, n: int) -> int:
        return int.from_bytes(self.data[self.at + 4 * n : self.at + 4 * n + 2], "little")

    @property
    def control(self) -> int:
        return self.word(0)

    @property
    def status(self) -> int:
        return self.word(1)

    def register(self, i: int) -> bytes:
        at = self.at + STACK + 10 * i
        return self.data[at : at + 10]

    def tag(self, i: int) -> int:
        return self.word(2) >> 2 * ((self.status >> 11) + i & 7) & 3

    def unmasked(self) -> int:
        return self.status & ~self.control & EXCEPTIONS

    def follows(self) -> bool:
        """Whether summary and tags are what they must be."""
        pending = bool(self.unmasked())
        return (
            bool(self.status & ES) == pending
            and bool(self.status & BUSY) == pending
            and all(self.tag(i) in (EMPTY, tag_of(self.register(i))) for i in range(8))
        )


def parts(ten: bytes) -> tuple[int, int, int]:
    """Sign, exponent, significand."""
    significand, sign_exponent = struct.unpack("<QH", ten)
    return sign_exponent >> 15, sign_exponent & SPECIAL, significand


def tag_of(ten: bytes) -> int:
    """Valid, zero, special."""
    _, exponent, significand = parts(ten)
    if exponent == 0 and significand == 0:
        return 1
    return 0 if significand & INTEGER and exponent not in (0, SPECIAL) else 2


def is_nan(ten: bytes) -> bool:
    _, exponent, significand = parts(ten)
    return exponent == SPECIAL and significand != INTEGER


def exact(ten: bytes) -> Fraction:
    """The absolute value; infinity as the number after the largest."""
    _, exponent, significand = parts(ten)
    power = max(exponent, 1) - ZERO_EXPONENT - 63
    return Fraction(significand) * (Fraction(2) ** power)


def all_bits(start: int, count: int) -> Mask:
    return dict.fromkeys(range(start, start + count), 0xFF)


def in_word(n: int, bits: int) -> Mask:
    """Bits of control, status or tag word."""
    at = AFTER + 4 * n
    return {at: bits & 0xFF, at + 1: bits >> 8}


def in_register(i: int) -> Mask:
    return all_bits(AFTER + STACK + 10 * i, 10)


def of_tag(state: State, i: int) -> Mask:
    return in_word(2, 3 << 2 * ((state.status >> 11) + i & 7))


def together(*masks: Mask) -> Mask:
    result: Mask = {}
    for mask in masks:
        for at, bits in mask.items():
            result[at] = result.get(at, 0) | bits
    return result


# ---- kinds of instructions --------------------------------------------------------------------


def compares(op: Operation) -> bool:
    """FCOM and its like, FTST: what sets C0, C2, C3."""
    if op.memory:
        return op.opcode in (0xD8, 0xDA, 0xDC, 0xDE) and op.modrm in (2, 3)
    if op.opcode == 0xD9:
        return op.modrm == 0xE4
    if op.opcode == 0xDD:
        return op.modrm >= 0xE0
    return (op.opcode in (0xD8, 0xDC, 0xDE) and op.modrm & 0xF0 == 0xD0) or (
        op.opcode == 0xDA and op.modrm == 0xE9
    )


def sets_flags(op: Operation) -> bool:
    """FCOMI and its like."""
    return op.opcode in (0xDB, 0xDF) and not op.memory and op.modrm >= 0xE8


def remainder(op: Operation) -> bool:
    return op.opcode == 0xD9 and not op.memory and op.modrm in (FPREM, FPREM1)


def defines_codes(op: Operation) -> bool:
    """Whether C0, C2 and C3 are defined after it: C2 alone is after FSIN and its like."""
    loads = op.opcode == 0xD9 and op.memory in ("28e", "14e") and op.modrm == 4
    initializes = op.opcode == 0xDB and op.modrm == 0xE3 and not op.memory
    examines = op.opcode == 0xD9 and not op.memory and op.modrm == 0xE5
    return compares(op) or sets_flags(op) or remainder(op) or loads or initializes or examines


def trigonometric(op: Operation) -> bool:
    return op.opcode == 0xD9 and not op.memory and op.modrm in (FPTAN, FSINCOS, 0xFE, 0xFF)


def transcendental(op: Operation) -> bool:
    return trigonometric(op) or (
        op.opcode == 0xD9 and not op.memory and op.modrm in (F2XM1, FYL2X, 0xF3, FYL2XP1)
    )


# ---- the entries ------------------------------------------------------------------------------

Applies = Callable[[Operation, State, State, State], Mask]


def reserved_halves(op: Operation, *_: State) -> Mask:
    places = [AFTER + 4 * n + 2 for n in range(3)]
    if op.memory == "28e" and op.modrm == 6:
        places += [OPERAND + 4 * n + 2 for n in range(3)]
    return together(*(all_bits(at, 2) for at in places))


def control_bits(op: Operation, *_: State) -> Mask:
    loads = op.opcode == 0xD9 and op.memory in ("16w", "28e", "14e") and op.modrm in (4, 5)
    return in_word(0, 0xF0C0) if loads else {}


def condition_codes(op: Operation, *_: State) -> Mask:
    if defines_codes(op):
        return {}
    controls = (
        (op.opcode == 0xDD and not op.memory and op.modrm & 0xF8 == 0xC0)
        or (op.opcode == 0xD9 and (op.memory[-1:] in ("w", "e") or op.modrm == 0xD0))
        or (op.opcode == 0xDB and not op.memory and op.modrm in (0xE0, 0xE1, 0xE2, 0xE4))
        or (op.opcode == 0xDD and op.memory == "16w")
        or (op.opcode == 0xDF and not op.memory and op.modrm == 0xE0)
    )
    codes = C0 | C3 if trigonometric(op) else C0 | C2 | C3
    return in_word(1, codes | (C1 if controls else 0))


def unmasked_comparison(op: Operation, before: State, ours: State, theirs: State) -> Mask:
    if not ours.unmasked() or not theirs.unmasked():
        return {}
    if compares(op):
        codes = C0 | C2 | C3
        return in_word(1, codes) if (theirs.status ^ before.status) & codes == 0 else {}
    # The flags before are all set.
    return {FLAGS: 0x45} if sets_flags(op) and theirs.data[FLAGS] & 0x45 == 0x45 else {}


def comparison_c1(op: Operation, *_: State) -> Mask:
    return together(in_word(1, C1), {FLAGS: 0x90}) if sets_flags(op) else {}


def denormal_load(op: Operation, before: State, ours: State, theirs: State) -> Mask:
    loads = op.memory in ("32r", "64r") and op.modrm == 0 and op.opcode in (0xD9, 0xDD)
    if not loads or not ours.unmasked() & theirs.unmasked() & DE:
        return {}
    at = before.at + STACK
    registers = slice(theirs.at + STACK, theirs.at + STATE_BYTES)
    if (
        theirs.data[registers] != before.data[at : before.at + STATE_BYTES]
        or theirs.word(2) != before.word(2)
        or (theirs.status ^ before.status) & TOP
    ):
        return {}
    return together(all_bits(AFTER + STACK, 80), in_word(2, 0xFFFF), in_word(1, TOP | C1))


def partial_remainder(op: Operation, before: State, ours: State, theirs: State) -> Mask:
    if not remainder(op) or not ours.status & theirs.status & C2:
        return {}
    divisor, dividend = exact(before.register(1)), exact(before.register(0))
    a, b = exact(ours.register(0)), exact(theirs.register(0))
    if not divisor or any((dividend - x) % divisor or x * (1 << 31) > dividend for x in (a, b)):
        return {}
    if parts(ours.register(0))[0] != parts(theirs.register(0))[0]:
        return {}
    return together(in_register(0), of_tag(ours, 0), in_word(1, C0 | C1 | C3 | UE | ES | BUSY))


def second_encodings(op: Operation, *_: State) -> Mask:
    listed = (
        op.memory
        or op.opcode not in (0xD9, 0xDC, 0xDD, 0xDE, 0xDF)
        or (op.opcode == 0xD9 and op.modrm & 0xF8 != 0xD8)
        or (op.opcode == 0xDC and op.modrm & 0xF0 != 0xD0)
        or (op.opcode == 0xDD and op.modrm & 0xF8 != 0xC8)
        or (op.opcode == 0xDE and op.modrm & 0xF8 != 0xD0)
        or (op.opcode == 0xDF and not 0xC0 <= op.modrm < 0xE0)
    )
    return {} if listed else all_bits(0, RECORD)


def sine_or_cosine(op: Operation, *_: State) -> Mask:
    return in_word(1, C1) if op == Operation(0xD9, FSINCOS) else {}


def out_of_range(op: Operation, before: State, ours: State, theirs: State) -> Mask:
    """Of what is a number."""
    _, exponent, _ = parts(before.register(0))
    if op.opcode != 0xD9 or op.memory or exponent == SPECIAL:
        return {}
    x = exact(before.register(0))
    if op.modrm == F2XM1:
        outside = x > 1
    elif op.modrm == FYL2XP1:
        # 2 (1 - x)² < 1, where x is 1 - √½ at most.
        outside = x >= 1 or 2 * (1 - x) ** 2 < 1
    else:
        return {}
    if not outside or (ours.status ^ theirs.status) & (TOP | SF):
        return {}
    return together(
        in_register(0), of_tag(ours, 0), in_word(1, EXCEPTIONS | ES | BUSY | C0 | C1 | C2 | C3)
    )


def results(op: Operation) -> tuple[int, ...]:
    """The registers that get what is not exact."""
    return {FSINCOS: (0, 1), FPTAN: (1,)}.get(op.modrm, (0,))


def last_place(op: Operation, before: State, ours: State, theirs: State) -> Mask:
    """Results that are neighbours, on whatever side of a border, and what follows from each."""
    if not transcendental(op):
        return {}
    most = 1 if ours.control >> 10 & 3 == 0 else 2
    mask = in_word(1, C1 | PE | ES | BUSY)
    for i in results(op):
        # Of two results the sine or tangent alone can be tiny.
        a, b = (result(state, before, i, i == max(results(op))) for state in (ours, theirs))
        (sign, a_value, a_follows), (other, b_value, b_follows) = a, b
        if is_nan(ours.register(i)) or is_nan(theirs.register(i)):
            return {}
        larger = max(a_value, b_value)
        unit = max(power_below(larger), LEAST_NORMAL) / (1 << 63)
        if sign != other or not a_follows or not b_follows:
            return {}
        if abs(a_value - b_value) > most * unit:
            return {}
        mask = together(mask, in_register(i), of_tag(ours, i))
        if min(a_value, b_value) < LEAST_NORMAL:
            mask = together(mask, in_word(1, UE))
        if larger >= LARGEST:
            mask = together(mask, in_word(1, OE))
    return mask


def power_below(value: Fraction) -> Fraction:
    """The largest power of two that is not above it."""
    if not value:
        return Fraction(0)
    power = Fraction(2) ** (value.numerator.bit_length() - value.denominator.bit_length())
    return power if power <= value else power / 2


LARGEST = (Fraction(2) - Fraction(1, 1 << 63)) * (1 << ZERO_EXPONENT)


def result(state: State, before: State, i: int, may_move: bool) -> tuple[int, Fraction, bool]:
    """Sign and value of a result, and whether the status tells of what it is. An exception that is
    not masked has moved its exponent."""
    value = exact(state.register(i))
    flags = state.status & ~before.status
    if may_move and flags & state.unmasked() & (UE | OE):
        value = value / (1 << MOVED) if flags & UE else value * (1 << MOVED)
        tells = value < LEAST_NORMAL if flags & UE else value > LARGEST
    elif may_move:
        tiny = 0 < value < LEAST_NORMAL
        tells = (
            not (tiny and UE & ~state.control)
            # Underflow, masked: tiny (before it is rounded to what is there) and not exact.
            and (not flags & UE or value <= LEAST_NORMAL)
            and (not (tiny and flags & PE) or bool(state.status & UE))
            and (not flags & OE or value >= LARGEST)
            and (not (value > LARGEST and flags & PE) or bool(state.status & OE))
        )
    else:
        tells = True
    return parts(state.register(i))[0], value, tells


ENTRIES: tuple[tuple[Freedom, Applies], ...] = (
    (RESERVED_HALVES, reserved_halves),
    (CONTROL_BITS, control_bits),
    (CONDITION_CODES, condition_codes),
    (UNMASKED_COMPARISON, unmasked_comparison),
    (COMPARISON_C1, comparison_c1),
    (DENORMAL_LOAD, denormal_load),
    (PARTIAL_REMAINDER, partial_remainder),
    (SECOND_ENCODINGS, second_encodings),
    (SINE_OR_COSINE, sine_or_cosine),
    (LAST_PLACE, last_place),
    (OUT_OF_RANGE, out_of_range),
)


def freedoms(op: Operation, ours: bytes, theirs: bytes) -> list[Freedom]:
    """The entries within which two records differ; none: they differ in something else, too."""
    before, a, b = State(ours, 0), State(ours), State(theirs)
    left = {at: x ^ y for at, (x, y) in enumerate(zip(ours, theirs, strict=True)) if x != y}
    met = []
    if not second_encodings(op) and not b.follows():
        return []
    for freedom, applies in ENTRIES:
        mask = applies(op, before, a, b)
        if any(bits & mask.get(at, 0) for at, bits in left.items()):
            met.append(freedom)
            left = {at: bits & ~mask.get(at, 0) for at, bits in left.items()}
    return [] if any(left.values()) else met
