# SPDX-License-Identifier: Apache-2.0
"""The floating-point unit against the host's own: the same machine code on both, record by record.

A record is a state of the unit (as FRSTOR loads it), an operand, and room for what an instruction
makes of them: the state (as FNSAVE stores it), the flags, AX. A loop of machine code goes through
the records; one instruction is tried on many of them.
"""

from __future__ import annotations

import random
import struct
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ia32_freedoms import SECOND_ENCODINGS, Freedom
from ia32_freedoms_x87 import freedoms, second_encodings
from ia32_host import Host
from ia32_vectors import Case, MachineRun
from ia32_x87_layout import (
    AFTER,
    AX,
    FLAGS,
    LAST,
    LAST_IN,
    OPERAND,
    RECORD,
    STACK,
    Operation,
)

RECORDS = 250
CODE, DATA = 0x10000, 0x100000
GDT = 0x1000
STATUS_FLAGS = 0x8D5

INVALID, ALL_MASKED = 1, 0x3F
ZERO_EXPONENT, SPECIAL = 16383, 0x7FFF
INTEGER = 1 << 63


def arithmetic() -> list[Operation]:
    """Of ST(0) with memory, with a register, into a register, with a pop."""
    memory = [(0xD8, "32r"), (0xDA, "32s"), (0xDC, "64r"), (0xDE, "16s")]
    operations = [Operation(op, reg, form) for op, form in memory for reg in range(8)]
    for opcode in (0xD8, 0xDC, 0xDE):
        for reg in range(8):
            for i in (0, 1, 5):
                if opcode == 0xDE and reg == 3 and i != 1:
                    continue
                operations.append(Operation(opcode, 0xC0 | reg << 3 | i))
    return operations


def plain(*modrms: int) -> list[Operation]:
    return [Operation(0xD9, modrm) for modrm in modrms]


# What must be the same to the bit.
EXACT = [
    *arithmetic(),
    # Loads and stores.
    *(Operation(0xD9, reg, "32r") for reg in (0, 2, 3)),
    *(Operation(0xDD, reg, "64r") for reg in (0, 2, 3)),
    *(Operation(0xDB, reg, "32s") for reg in (0, 2, 3)),
    *(Operation(0xDF, reg, "16s") for reg in (0, 2, 3)),
    *(Operation(0xDF, reg, "64s") for reg in (5, 7)),
    *(Operation(0xDB, reg, "80r") for reg in (5, 7)),
    *(Operation(0xDF, reg, "80d") for reg in (4, 6)),
    # Registers: load, exchange, nothing, store and pop.
    *(Operation(0xD9, 0xC0 | n) for n in (0, 1, 7, 8, 9, 15, 16)),
    *(Operation(0xDD, 0xC0 | n) for n in (0, 3, 0x10, 0x12, 0x18, 0x19, 0x20, 0x21, 0x28, 0x29)),
    # Signs, FTST, FXAM, constants, FXTRACT, remainders, TOP, FSQRT, FRNDINT, FSCALE.
    *plain(0xE0, 0xE1, 0xE4, 0xE5, *range(0xE8, 0xEF), *range(0xF4, 0xF9), 0xFA, 0xFC, 0xFD),
    # Conditional moves, comparisons that set flags.
    *(Operation(op, reg << 3 | 0xC1) for op in (0xDA, 0xDB) for reg in range(4)),
    *(Operation(op, reg | i) for op in (0xDB, 0xDF) for reg in (0xE8, 0xF0) for i in (0, 1, 3)),
    Operation(0xDA, 0xE9),
    # Control: FNCLEX, FNINIT, FLDCW, FNSTCW, FNSTSW, FLDENV, FNSTENV, and what does nothing.
    *(Operation(0xDB, modrm) for modrm in (0xE0, 0xE1, 0xE2, 0xE3, 0xE4)),
    *(Operation(0xD9, reg, "16w") for reg in (5, 7)),
    Operation(0xDD, 7, "16w"),
    Operation(0xDF, 0xE0),
    *(Operation(0xD9, reg, "28e") for reg in (4, 6)),
    *(Operation(0xD9, reg, "14e", b"\x66") for reg in (4, 6)),
    # Second encodings.
    *(Operation(op, modrm) for op, modrm in ((0xD9, 0xD9), (0xDC, 0xD1), (0xDC, 0xD9))),
    *(Operation(op, modrm) for op, modrm in ((0xDD, 0xC9), (0xDE, 0xD1), (0xDF, 0xC1))),
    *(Operation(0xDF, modrm) for modrm in (0xC9, 0xD1, 0xD9)),
]
# What is right to a unit of the last place.
TRANSCENDENTAL = plain(0xF0, 0xF1, 0xF2, 0xF3, 0xF9, 0xFB, 0xFE, 0xFF)


# ---- numbers --------------------------------------------------------------------------------


def extended(negative: int, exponent: int, significand: int) -> bytes:
    return struct.pack("<QH", significand, negative << 15 | exponent)


SPECIALS = [
    (exponent, significand)
    for exponent in (0, 1, SPECIAL)
    for significand in (
        *(0, 1, INTEGER - 1, INTEGER, INTEGER | 1, 3 << 62, 3 << 62 | 1, (1 << 64) - 1),
        *(1 << 62, 1 << 62 | 5, INTEGER | 1 << 61),
    )
]
# Exponents at which something changes: those of 1, of integers, of the ends of each format.
CENTRES = [
    ZERO_EXPONENT + distance
    for distance in (0, 0, 0, 0, 1, 15, 31, 53, 59, 63, 64, 127, -126, -149, 1023, -1022, -1074)
]


def significand(rng: random.Random) -> int:
    """With an integer bit."""
    kind = rng.getrandbits(3)
    if kind < 3:
        value = rng.getrandbits(64)
    elif kind < 5:
        # Few bits: ties, exact results.
        value = rng.getrandbits(rng.choice((1, 4, 12, 24, 32, 53))) << rng.randrange(64)
    elif kind == 5:
        value = -1 << rng.randrange(64)
    else:
        # After 24 or 53 bits a half, or nearly.
        half = 1 << (64 - rng.choice((24, 53)) - 1)
        value = (rng.getrandbits(64) & -half) + rng.choice((-1, 0, 0, 1)) | half
    return value & (1 << 64) - 1 | INTEGER


def number(rng: random.Random) -> bytes:
    kind = rng.getrandbits(4)
    negative = rng.getrandbits(1)
    if kind == 0:
        return extended(negative, *rng.choice(SPECIALS))
    if kind == 1:
        # Any bits at all: unnormals, too.
        return extended(negative, rng.getrandbits(15), rng.getrandbits(64))
    if kind == 2:
        return extended(negative, 0, rng.getrandbits(64) >> rng.randrange(64))
    if kind == 3:
        edge = rng.choice((0, SPECIAL)) + rng.randrange(-70, 70)
        return extended(negative, min(max(edge, 1), SPECIAL - 1), significand(rng))
    if kind == 4:
        return extended(negative, rng.randrange(1, SPECIAL), significand(rng))
    exponent = rng.choice(CENTRES) + rng.randrange(-3, 4)
    return extended(negative, exponent, significand(rng))


def beside(rng: random.Random, value: bytes) -> bytes:
    """A number near another: nearly as large, and perhaps of the other sign."""
    bits, sign_exponent = struct.unpack("<QH", value)
    exponent = sign_exponent & SPECIAL
    if not 100 < exponent < SPECIAL - 100:
        return value
    exponent += rng.choice((0, 0, 0, 1, -1, rng.randrange(-70, 71)))
    if rng.getrandbits(1):
        bits = max(INTEGER, min(bits + rng.randrange(-3, 4), (1 << 64) - 1))
    else:
        bits = significand(rng)
    return extended(rng.getrandbits(1), exponent, bits)


def angle(rng: random.Random) -> bytes:
    """An argument of what is transcendental."""
    kind = rng.getrandbits(3)
    if kind == 0:
        return number(rng)
    exponent = ZERO_EXPONENT + rng.choice((rng.randrange(-4, 3), rng.randrange(-66, 66)))
    return extended(rng.getrandbits(1), exponent, rng.getrandbits(64) | INTEGER)


def in_memory(rng: random.Random, form: str) -> bytes:
    """An operand of a format."""
    if form == "80r":
        return number(rng)
    if form == "80d":
        digits = [rng.choice((0, 9, rng.randrange(10))) for _ in range(18)]
        pairs = zip(digits[::2], digits[1::2], strict=True)
        return bytes(a << 4 | b for a, b in pairs) + bytes([rng.choice((0, 0x80))])
    if form == "16w":
        return rng.getrandbits(16).to_bytes(2, "little")
    if form == "28e":
        return environment(rng)
    if form == "14e":
        return struct.pack("<7H", *words(rng), 0, 0, 0, 0)
    size, kind = int(form[:2]), form[2]
    value = rng.getrandbits(size)
    if rng.getrandbits(1):
        # Near zero, near the ends, or near the ends of exponents.
        value = rng.choice((0, 1 << (size - 1), -1)) + rng.randrange(-3, 4)
    elif kind == "r":
        fraction = 23 if size == 32 else 52
        exponents = (1 << (size - 1 - fraction)) - 1
        exponent = rng.choice((0, 0, 1, exponents, exponents >> 1, exponents - 1))
        value &= (1 << fraction) - 1 if rng.getrandbits(2) else 3 << (fraction - 2)
        value |= exponent << fraction | rng.getrandbits(1) << (size - 1)
    return (value & (1 << size) - 1).to_bytes(size // 8, "little")


# ---- states ---------------------------------------------------------------------------------


def words(rng: random.Random) -> tuple[int, int, int]:
    """Control, status and tag word: what has occurred is masked, so that nothing is pending."""
    masks = ALL_MASKED if rng.getrandbits(1) else rng.getrandbits(6)
    precision = rng.choice((3, 3, 3, 2, 0))
    control = rng.getrandbits(2) << 10 | precision << 8 | masks | 0x40
    status = rng.getrandbits(16) & (0x7F40 | masks if rng.getrandbits(2) == 0 else 0x7F00)
    tags = 0
    for n in range(8):
        if rng.getrandbits(3) == 0:
            tags |= 3 << (2 * n)
    if rng.getrandbits(1):
        # Room for a push.
        tags |= 3 << (2 * ((status >> 11) - 1 & 7))
    return control, status, tags


def environment(rng: random.Random) -> bytes:
    control, status, tags = words(rng)
    return struct.pack("<7I", control, status, tags, 0, 0, 0, 0)


def record(rng: random.Random, operation: Operation, argument: Callable[..., bytes]) -> bytes:
    stack = [argument(rng)]
    stack.append(beside(rng, stack[0]) if rng.getrandbits(1) else argument(rng))
    stack += rng.choices([*stack, number(rng)], k=6)
    memory = in_memory(rng, operation.memory) if operation.memory else b""
    state = environment(rng) + b"".join(stack)
    return state.ljust(OPERAND, b"\0") + memory.ljust(RECORD - OPERAND, b"\0")


def loop(operation: Operation) -> bytes:
    """Tries the instruction on each of ECX records from ESI on."""
    body = bytes.fromhex("31c0 68d5080000 9d dd26") + operation.code()
    body += b"\x89\x86" + struct.pack("<I", AX)
    body += b"\x9c\x58\x89\x86" + struct.pack("<I", FLAGS)
    body += b"\xdd\xb6" + struct.pack("<I", AFTER)
    body += b"\x81\xc6" + struct.pack("<I", RECORD) + b"\x83\xe9\x01\x0f\x85"
    return body + struct.pack("<i", -(len(body) + 4))


def case_of(operation: Operation, data: bytes, ident: int = 0) -> Case:
    """The instruction on these records."""
    count = len(data) // RECORD
    code = loop(operation)
    flat = b"\xff\xff\0\0\0"
    table = bytes(8) + flat + b"\x9b\xcf\0" + flat + b"\x93\xcf\0"
    stack = 0x8000
    registers = (0, count, 0, 0, stack, 0, DATA, 0)
    return Case(
        ident=ident,
        limit=count * 20,
        end=CODE + len(code),
        stride=0,
        state=(*registers, CODE, 2, 0x10, 0x08, 0x10, 0x10, 0x10, 0x10),
        control=(0x21, 0, 0),
        table=(GDT, len(table) - 1),
        blocks=((CODE, code + bytes(-len(code) % 4)), (GDT, table), (DATA, data)),
        ranges=((DATA, len(data)),),
        first=CODE,
    )


def cases(rng: random.Random, operations: list[Operation]) -> list[Case]:
    """Records for each of these instructions."""
    batch = []
    for operation in operations:
        argument = angle if operation in TRANSCENDENTAL else number
        data = b"".join(record(rng, operation, argument) for _ in range(RECORDS))
        batch.append(case_of(operation, data, len(batch)))
    return batch


# ---- comparison -----------------------------------------------------------------------------


@dataclass
class Difference:
    """A record of which the two make something else."""

    operation: Operation
    before: bytes
    ours: bytes
    theirs: bytes
    where: str

    def report(self) -> str:
        what = "the machine and the host differ outside any documented freedom:"
        lines = [f"{self.where}: {self.operation.text()}, {what}"]
        before = (self.before, 0), (self.ours, AFTER), (self.theirs, AFTER)
        for name, (data, at) in zip(("before ", "machine", "host   "), before, strict=True):
            control, status, tags = (
                data[at + 4 * n : at + 4 * n + 2][::-1].hex() for n in range(3)
            )
            lines.append(f"  {name} control {control} status {status} tags {tags}")
            registers = [data[at + STACK + 10 * i : at + STACK + 10 * i + 10] for i in range(8)]
            shown = [f"{value[::-1].hex()[:4]}:{value[::-1].hex()[4:]}" for value in registers]
            lines += ["    " + "  ".join(shown[i : i + 4]) for i in (0, 4)]
            rest = data[OPERAND:AFTER].hex(), data[FLAGS:AX].hex(), data[AX:RECORD].hex()
            lines.append("    operand {} flags {} eax {}".format(*rest))
        return "\n".join(lines)


def comparable(operation: Operation, data: bytes) -> bytearray:
    """Without what no two processors have the same: addresses, and flags that are no status."""
    result = bytearray(data)
    count = len(data) // RECORD
    for place in LAST:
        result[AFTER + place :: RECORD] = bytes(count)
    for place in LAST_IN.get(operation.memory, ()):
        result[OPERAND + place :: RECORD] = bytes(count)
    for place in range(FLAGS, AX):
        mask = STATUS_FLAGS >> 8 * (place - FLAGS) & 0xFF
        result[place::RECORD] = bytes(byte & mask for byte in result[place::RECORD])
    return result


# An instruction, and what the manuals leave open of it.
Met = tuple[str, Freedom]


def lines_of(met: Counter[Met]) -> list[str]:
    """What was met: a line for each entry, with the instructions and how often."""
    lines = []
    for entry in dict.fromkeys(entry for _, entry in met):
        counts = ", ".join(f"{text} {n:,}" for (text, of), n in met.most_common() if of == entry)
        lines.append(f"{entry.line()}: {counts}")
    return lines


def compare(
    command: list[str],
    operations: list[Operation],
    seed: int,
    records: int,
    first_batch: int = 0,
    progress: Callable[[int, int], None] | None = None,
    met: Counter[Met] | None = None,
) -> Iterator[Difference]:
    """Tries `records` records; counts those that differ within what manuals leave open, in `met`.
    Others are differences."""
    met = Counter() if met is None else met
    host = Host(RECORDS * RECORD)
    number, done = first_batch, 0
    for operation in filter(second_encodings, operations):
        if not host.survives(loop(operation), bytes(RECORD)):
            met[operation.text(), SECOND_ENCODINGS] = RECORDS
    operations = [x for x in operations if (x.text(), SECOND_ENCODINGS) not in met]
    while done < records:
        batch = cases(random.Random(f"x87/{seed}/{number}"), operations)
        run = MachineRun(command, batch)
        expected = [
            host.run(loop(operation), case.blocks[2][1], RECORDS)
            for operation, case in zip(operations, batch, strict=True)
        ]
        for operation, case, ours, theirs in zip(
            operations, batch, run.answers(), expected, strict=True
        ):
            done += RECORDS
            a, b = comparable(operation, ours.memory), comparable(operation, theirs)
            if a == b:
                continue
            for at in range(0, len(a), RECORD):
                our_record, their_record = bytes(a[at : at + RECORD]), bytes(b[at : at + RECORD])
                if our_record == their_record:
                    continue
                entries = freedoms(operation, our_record, their_record)
                met.update((operation.text(), entry) for entry in entries)
                if entries:
                    continue
                where = f"seed {seed}, batch {number}, record {at // RECORD}"
                before = case.blocks[2][1][at : at + RECORD]
                yield Difference(operation, before, our_record, their_record, where)
        number += 1
        if progress:
            progress(number, done)
