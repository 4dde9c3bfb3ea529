# SPDX-License-Identifier: Apache-2.0
"""The table of what manuals leave open, by stand-ins for hosts that nobody here has: what another
processor may answer is taken, and what none may is refused. It needs no x86 as its host.
"""

from __future__ import annotations

import random
import struct
from collections import Counter
from collections.abc import Callable
from functools import partial

import ia32_generator
import ia32_segments
import ia32_streams
import ia32_x87
import pytest
from ia32_compare import KINDS
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
    TABLE,
    UNMASKED_COMPARISON,
    Freedom,
    How,
)
from ia32_freedoms_x87 import ENTRIES, ZERO_EXPONENT, exact, freedoms, parts
from ia32_other import (
    Alter,
    OtherProcessor,
    OtherUnit,
    below_the_stack,
    scans_of_zero,
    selectors_called,
    selectors_pushed,
    undefined_flags,
)
from ia32_vectors import MachineRun, machine_command
from ia32_x87_layout import AFTER, FLAGS, OPERAND, RECORD, STACK, Operation

# ---- integer code ---------------------------------------------------------------------------


def kept(was: bytes) -> bytes:
    return was


def zero(was: bytes) -> bytes:
    return bytes(len(was))


def other(was: bytes) -> bytes:
    return bytes(byte ^ 0x11 for byte in was)


# Of the cases of a batch the first of each stream, which brings its code; how many.
EACH = {"silicon": 12, "silicon-segments": 4}
CASES = 4


def differing(kind: str, idiom: object, alter: Alter) -> tuple[int, int]:
    """How many cases of one idiom differ with a stand-in as their host, and how often it has
    answered otherwise than the machine."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ia32_streams, "INTEGER", (idiom,))
        patch.setattr(ia32_segments, "IDIOMS", (idiom,))
        cases = KINDS[kind](random.Random(kind))[:: EACH[kind]][:CASES]
    ours = MachineRun(machine_command(), cases).answers()
    stand_in = OtherProcessor(alter)
    theirs = stand_in.run_all(cases)
    pairs = zip(cases, ours, theirs, strict=True)
    wrong = sum(case.masked(a) != case.masked(b) for case, a, b in pairs)
    return wrong, stand_in.altered


# How other processors answer, the kind of streams, the idiom.
Other = tuple[Alter, str, object]
PLAIN, LIMITS = "silicon", "silicon-segments"
OTHERS: dict[str, Other] = {
    "PUSH writes 32 bits": (selectors_pushed(zero), PLAIN, ia32_generator.segments),
    "PUSH writes 32 bits, at limits": (selectors_pushed(zero), LIMITS, ia32_segments.stack),
    "CALL writes 16 bits": (selectors_called(kept), PLAIN, ia32_generator.far),
    "a CALL that fails has written": (below_the_stack, LIMITS, ia32_segments.far),
    "a PUSHA that fails has written": (below_the_stack, LIMITS, ia32_segments.stack),
    "BSF and BSR of zero": (scans_of_zero, PLAIN, ia32_generator.bit_scan),
    "flags of a division": (undefined_flags(1), PLAIN, ia32_generator.divide),
    "flags of shifts": (undefined_flags(2), PLAIN, ia32_generator.shift),
    "flags of logic": (undefined_flags(3), PLAIN, ia32_generator.arithmetic),
}
WRONG: dict[str, Other] = {
    "neither 0 nor as it was": (selectors_pushed(other), PLAIN, ia32_generator.segments),
    "the same at limits": (selectors_pushed(other), LIMITS, ia32_segments.stack),
    "nor of CS": (selectors_called(other), PLAIN, ia32_generator.far),
}


@pytest.mark.parametrize("name", OTHERS)
def test_what_another_processor_may_answer_is_taken(name: str) -> None:
    alter, kind, idiom = OTHERS[name]
    wrong, altered = differing(kind, idiom, alter)
    assert altered > 2
    assert wrong == 0


@pytest.mark.parametrize("name", WRONG)
def test_what_none_may_answer_differs(name: str) -> None:
    alter, kind, idiom = WRONG[name]
    wrong, altered = differing(kind, idiom, alter)
    assert altered > 2
    assert wrong > 0


# ---- the floating-point unit ----------------------------------------------------------------

Change = Callable[[bytearray], None]
# Control words: all masked and to nearest; others by what is changed.
NEAREST = 0x37F
DOWN = 0x400
UNDERFLOW, OVERFLOW, DENORMAL, INVALID = 0x10, 8, 2, 1
FSIN, FSINCOS, FPTAN, FPATAN, F2XM1, FYL2X = (
    Operation(0xD9, modrm) for modrm in (0xFE, 0xFB, 0xF2, 0xF3, 0xF0, 0xF1)
)
FADD, FCOM, FCOMI, FFREE = (
    Operation(opcode, modrm)
    for opcode, modrm in ((0xD8, 0xC1), (0xD8, 0xD1), (0xDB, 0xF1), (0xDD, 0xC1))
)
FPREM, FLDCW = Operation(0xD9, 0xF8), Operation(0xD9, 5, "16w")
FLD64, FNSTENV = Operation(0xDD, 0, "64r"), Operation(0xD9, 6, "28e")
FFREEP = Operation(0xDF, 0xC1)

ONE = "3fff:8000000000000000"
LEAST = "0001:8000000000000000"
BELOW_LEAST = "0000:7fffffffffffffff"


def ten(text: str) -> bytes:
    """A register, as reports show it."""
    return bytes.fromhex(text.replace(":", ""))[::-1]


def machines(op: Operation, control: int, *stack: str, operand: bytes = b"") -> bytearray:
    """A record that the machine has answered; registers that are not named are 1."""
    registers = [ten(x) for x in (*stack, *(ONE,) * (8 - len(stack)))]
    # TOP is 7 or 0, so that there is room for a push, where the last register is empty.
    state = struct.pack("<7I", control, 0, 3 << 14, 0, 0, 0, 0) + b"".join(registers)
    record = (state.ljust(OPERAND, b"\0") + operand).ljust(RECORD, b"\0")
    case = ia32_x87.case_of(op, record)
    return bytearray(MachineRun(machine_command(), [case]).answers()[0].memory)


def register(i: int, text: str, tag: int | None = None) -> Change:
    def change(record: bytearray) -> None:
        record[AFTER + STACK + 10 * i : AFTER + STACK + 10 * i + 10] = ten(text)
        if tag is not None:
            top = record[AFTER + 5] >> 3 & 7
            at = 2 * (top + i & 7)
            tags = int.from_bytes(record[AFTER + 8 : AFTER + 10], "little")
            tags = tags & ~(3 << at) | tag << at
            record[AFTER + 8 : AFTER + 10] = tags.to_bytes(2, "little")

    return change


def status(clear: int, set_: int = 0) -> Change:
    return word(4, clear, set_)


def word(at: int, clear: int, set_: int = 0) -> Change:
    """Of control (0), status (4) or tag word (8), or of what lies elsewhere in the answer."""

    def change(record: bytearray) -> None:
        value = int.from_bytes(record[AFTER + at : AFTER + at + 2], "little")
        record[AFTER + at : AFTER + at + 2] = (value & ~clear | set_).to_bytes(2, "little")

    return change


def both(*changes: Change) -> Change:
    def change(record: bytearray) -> None:
        for one in changes:
            one(record)

    return change


def plus(i: int, units: int) -> Change:
    """A register's significand, some units away."""

    def change(record: bytearray) -> None:
        at = AFTER + STACK + 10 * i
        value = int.from_bytes(record[at : at + 8], "little") + units
        record[at : at + 8] = value.to_bytes(8, "little")

    return change


SIN_OF_LEAST = partial(machines, FSIN, NEAREST | DOWN, LEAST)
SIN_UNMASKED = partial(machines, FSIN, NEAREST & ~UNDERFLOW | DOWN, LEAST)
# Its logarithm times that is between the largest number and the power of two above it.
NEARLY_INFINITE = ("4000:8000000000000001", "7ffe:fffffffffffffffd")
LOG = partial(machines, FYL2X, NEAREST, *NEARLY_INFINITE)
LOG_UNMASKED = partial(machines, FYL2X, NEAREST & ~OVERFLOW, *NEARLY_INFINITE)
# 2^-16382 / 2^64
TINY_ANGLE = partial(machines, FPATAN, NEAREST, "403f:8000000000000000", LEAST)
SIN_OF_ONE = partial(machines, FSIN, NEAREST, ONE)
SIN_OF_ONE_DOWN = partial(machines, FSIN, NEAREST | DOWN, ONE)
APART = ("4080:8765432187654321", "3fff:c000000000000000")
FAR_APART = partial(machines, FPREM, NEAREST, *APART)


def less(dividend: str, divisor: str, bits: int) -> str:
    """What FPREM leaves if it reduces the exponents' difference by so many bits."""
    x, y = (exact(ten(number)) for number in (dividend, divisor))
    step = y * 2 ** (parts(ten(dividend))[1] - parts(ten(divisor))[1] - bits)
    left = x % step
    power = left.numerator.bit_length() - 64
    significand = int(left / 2**power) if power >= 0 else int(left * 2**-power)
    return f"{ZERO_EXPONENT + 63 + power:04x}:{significand:016x}"


DENORMAL_DOUBLE = partial(
    machines, FLD64, NEAREST & ~DENORMAL, operand=(0x000F << 48 | 5).to_bytes(8, "little")
)
DENORMAL_NUMBER = "0000:0000000000000001"
NAN = "7fff:c000000000000005"


def untouched(record: bytearray) -> None:
    """As where FLD has pushed nothing: the state before, but for the status."""
    record[AFTER + 8 : AFTER + 10] = machine_tags(record)
    record[AFTER + 5] &= ~0x38 & 0xFF
    record[AFTER + STACK : AFTER + STACK + 80] = record[STACK : STACK + 80]


def machine_tags(record: bytearray) -> bytes:
    return bytes(record[8:10])


def machine_operation(machine: Callable[[], bytearray]) -> Operation:
    assert isinstance(machine, partial)
    operation = machine.args[0]
    assert isinstance(operation, Operation)
    return operation


# What the machine makes of something; another processor's answer; the entry that allows it.
ALLOWED: dict[str, tuple[Callable[[], bytearray], Change, Freedom]] = {
    "sine at the border to denormal numbers": (
        SIN_OF_LEAST,
        both(register(0, LEAST, 0), status(UNDERFLOW, 0x200)),
        LAST_PLACE,
    ),
    "the same, underflow unmasked": (
        SIN_UNMASKED,
        both(register(0, LEAST, 0), status(UNDERFLOW | 0x8080, 0x200)),
        LAST_PLACE,
    ),
    "a logarithm below infinity": (
        LOG,
        both(register(0, "7ffe:ffffffffffffffff", 0), status(OVERFLOW | 0x200)),
        LAST_PLACE,
    ),
    "the same, overflow unmasked": (
        LOG_UNMASKED,
        both(register(0, "7ffe:ffffffffffffffff", 0), status(OVERFLOW | 0x8280)),
        LAST_PLACE,
    ),
    "an angle that is nearly zero": (
        TINY_ANGLE,
        both(register(0, "0000:0000000000000001", 2), status(0, 0x200)),
        LAST_PLACE,
    ),
    "a sine's last bit": (SIN_OF_ONE, both(plus(0, 1), status(0, 0x200)), LAST_PLACE),
    "two units, rounding down": (SIN_OF_ONE_DOWN, plus(0, 2), LAST_PLACE),
    "a tangent": (partial(machines, FPTAN, NEAREST, ONE), plus(1, -1), LAST_PLACE),
    "C1 of FSINCOS": (partial(machines, FSINCOS, NEAREST, ONE), status(0x200), SINE_OR_COSINE),
    "2^x - 1 of 5": (
        partial(machines, F2XM1, NEAREST, "4001:a000000000000000"),
        both(register(0, "4003:f800000000000000"), status(0, 0x20)),
        OUT_OF_RANGE,
    ),
    "a remainder by fewer bits": (
        FAR_APART,
        register(0, less(*APART, 40), 0),
        PARTIAL_REMAINDER,
    ),
    "C1 of FCOMI": (partial(machines, FCOMI, NEAREST, ONE, ONE), status(0, 0x200), COMPARISON_C1),
    "flags stay as an exception is pending": (
        partial(machines, FCOMI, NEAREST & ~DENORMAL, DENORMAL_NUMBER, ONE),
        word(FLAGS - AFTER, 0, 0x45),
        UNMASKED_COMPARISON,
    ),
    "codes stay as an exception is pending": (
        partial(machines, FCOM, NEAREST & ~INVALID, NAN, ONE),
        status(0x4500),
        UNMASKED_COMPARISON,
    ),
    "a denormal number is not pushed": (DENORMAL_DOUBLE, untouched, DENORMAL_LOAD),
    "C0 of FADD": (partial(machines, FADD, NEAREST), status(0, 0x100), CONDITION_CODES),
    "C1 of FFREE": (partial(machines, FFREE, NEAREST), status(0, 0x200), CONDITION_CODES),
    "reserved bits are kept": (
        partial(machines, FLDCW, NEAREST, operand=b"\x7f\xf3"),
        word(0, 0xF000, 0x2000),
        CONTROL_BITS,
    ),
    "an image's reserved halves": (
        partial(machines, FNSTENV, NEAREST),
        word(OPERAND - AFTER + 2, 0xFFFF),
        RESERVED_HALVES,
    ),
    "FFREEP does nothing": (
        partial(machines, FFREEP, NEAREST),
        both(register(0, ONE, 0), status(0x3800)),
        SECOND_ENCODINGS,
    ),
}
# What no manual permits.
REFUSED: dict[str, tuple[Callable[[], bytearray], Change]] = {
    "the border without its tag": (
        SIN_OF_LEAST,
        both(register(0, LEAST), status(UNDERFLOW)),
    ),
    "underflow of what is not tiny": (SIN_OF_LEAST, register(0, "0001:8000000000000001", 0)),
    "no underflow of what is": (SIN_OF_LEAST, status(UNDERFLOW)),
    "the border without the summary": (
        SIN_UNMASKED,
        both(register(0, LEAST, 0), status(UNDERFLOW)),
    ),
    "an exponent that is not moved": (SIN_UNMASKED, register(0, BELOW_LEAST, 2)),
    "infinity without overflow": (LOG, status(OVERFLOW)),
    "overflow of a number": (LOG, register(0, "7ffe:fffffffffffffffe", 0)),
    "two units, to nearest": (SIN_OF_ONE, plus(0, 2)),
    "three units, rounding down": (SIN_OF_ONE_DOWN, plus(0, 3)),
    "another sign": (SIN_OF_ONE, word(STACK + 8, 0, 0x8000)),
    "another register": (SIN_OF_ONE, plus(1, 1)),
    "another TOP": (SIN_OF_ONE, status(0, 0x3800)),
    "C2 of a sine": (SIN_OF_ONE, status(0, 0x400)),
    "another rounding": (SIN_OF_ONE, word(0, 0, 0x800)),
    "FPTAN's 1": (partial(machines, FPTAN, NEAREST, ONE), plus(0, 1)),
    "another NaN": (partial(machines, FSIN, NEAREST, NAN), plus(0, 1)),
    "2^x - 1 of a half": (partial(machines, F2XM1, NEAREST, "3ffe:8000000000000000"), plus(0, 9)),
    "a sum's last bit": (
        partial(machines, FADD, NEAREST, ONE, "3fff:8000000000000001"),
        plus(0, 1),
    ),
    "a remainder that is none": (FAR_APART, plus(0, 1)),
    "ZF of FCOMI": (partial(machines, FCOMI, NEAREST), word(FLAGS - AFTER, 0x40)),
    "C3 of FCOM": (partial(machines, FCOM, NEAREST), status(0x4000)),
    "precision control": (
        partial(machines, FLDCW, NEAREST, operand=b"\x7f\x03"),
        word(0, 0x300),
    ),
}


@pytest.mark.parametrize("name", ALLOWED)
def test_what_another_unit_may_answer_is_taken(name: str) -> None:
    machine, change, entry = ALLOWED[name]
    ours = machine()
    theirs = bytearray(ours)
    change(theirs)
    assert theirs != ours
    assert entry in freedoms(machine_operation(machine), bytes(ours), bytes(theirs))


@pytest.mark.parametrize("name", REFUSED)
def test_what_no_unit_may_answer_is_refused(name: str) -> None:
    machine, change = REFUSED[name]
    ours = machine()
    theirs = bytearray(ours)
    change(theirs)
    assert theirs != ours
    assert freedoms(machine_operation(machine), bytes(ours), bytes(theirs)) == []


def test_the_machine_is_at_the_border() -> None:
    """What the first of these rests on: the sine is a denormal number, and not exact."""
    ours = SIN_OF_LEAST()
    assert ours[AFTER + STACK : AFTER + STACK + 10] == ten(BELOW_LEAST)
    assert ours[AFTER + 4] & 0x30 == 0x30


def test_each_entry_of_the_unit_is_tried() -> None:
    tried = {entry for _, _, entry in ALLOWED.values()}
    assert tried == {entry for entry, _ in ENTRIES} == {x for x in TABLE if x.how == How.ALLOWED}


@pytest.mark.parametrize(("units", "differences"), [(2, 0), (4, 1)])
def test_a_comparison_counts_what_it_met_and_shows_what_is_outside(
    units: int, differences: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a host of which each sine is so many units larger."""
    before = bytes(SIN_OF_ONE_DOWN()[:AFTER]).ljust(RECORD, b"\0")
    monkeypatch.setattr(ia32_x87, "Host", lambda _: OtherUnit(FSIN, plus(0, units)))
    monkeypatch.setattr(ia32_x87, "cases", lambda *_: [ia32_x87.case_of(FSIN, before)])
    met: Counter[ia32_x87.Met] = Counter()
    found = list(ia32_x87.compare(machine_command(), [FSIN], 1, 1, met=met))
    assert len(found) == differences
    assert met.total() == 1 - differences
    assert all("outside any documented freedom" in x.report() for x in found)
