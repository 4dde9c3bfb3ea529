# SPDX-License-Identifier: Apache-2.0
"""Writes random IA-32 code: what instructions do to the flags, and operands in all their forms.

Whatever a stream does stays defined: while writing it, `Writer` knows which flags are undefined (by
the manual's appendix A, "EFLAGS cross-reference", and the instruction pages), and before an
instruction that reads one of these it writes a comparison, which defines all. Each instruction with
a memory operand is preceded by moves that give the address its registers.
"""

from __future__ import annotations

import random
import struct
from dataclasses import dataclass

CF, PF, AF, ZF, SF, DF, OF = 1, 4, 0x10, 0x40, 0x80, 0x400, 0x800
ALL = CF | PF | AF | ZF | SF | OF

EAX, ECX, EDX, EBX, ESP, EBP, ESI, EDI = range(8)
ES, CS, SS, DS, FS, GS = range(6)
OVERRIDE = {ES: 0x26, CS: 0x2E, SS: 0x36, DS: 0x3E, FS: 0x64, GS: 0x65}

# What a condition reads, by bits 3 to 1 of its number.
CONDITION_READS = (OF, CF, ZF, CF | ZF, SF, PF, SF | OF, ZF | SF | OF)

# Bases of the segments; those of FS and GS are no multiples of anything.
BASES = {ES: 0, CS: 0, SS: 0, DS: 0, FS: 0x6123, GS: 0xFFFFF801}
# Selectors of the table that streams have (ia32_streams.py), at level 0.
CODE_SELECTOR, DATA_SELECTOR, READ_ONLY_SELECTOR = 0x08, 0x10, 0x28
SELECTORS = {ES: 0x10, CS: 0x08, SS: 0x10, DS: 0x10, FS: 0x18, GS: 0x20}
# The table is the LDT, too.
LOCAL = 4
INTERESTING = (
    *(0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 0x7F, 0x80, 0xFF, 0x100, 0x7FFF, 0x8000, 0xFFFF),
    *(0x10000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFE, 0xFFFFFFFF, 0x99, 0x9A, 0x0909),
)


# The upper half of a word that a selector is pushed to.
LEFT = 0xA5A5 << 16


@dataclass(frozen=True)
class Window:
    """Where memory operands lie."""

    start: int
    size: int


@dataclass(frozen=True)
class Operand:
    """A ModRM operand without its `reg` field, and the prefixes that it needs."""

    prefixes: bytes
    modrm: int
    rest: bytes
    memory: bool

    def with_reg(self, reg: int) -> bytes:
        return bytes([self.modrm | reg << 3]) + self.rest


def random_value(rng: random.Random) -> int:
    if rng.getrandbits(1):
        return rng.choice(INTERESTING)
    return rng.getrandbits(32)


class Writer:
    """A growing piece of code at `address`."""

    # Whether operands may be in pages that cannot be accessed.
    paged = False
    # The privilege level.
    level = 0
    # What is added to selectors: a level, and `LOCAL`; none in streams that no host runs.
    rights = 0

    def __init__(self, rng: random.Random, address: int, windows: list[Window]) -> None:
        self.rng = rng
        self.bits = rng.getrandbits
        self.address = address
        self.windows = windows
        self.code = bytearray()
        self.undefined = ALL
        self.undefined_at: dict[int, int] = {}
        # Where memory is read, changed and written by one instruction.
        self.changes: set[int] = set()

    # ---- bytes ------------------------------------------------------------------------------

    def here(self) -> int:
        return self.address + len(self.code)

    def raw(self, *parts: bytes | int) -> None:
        """What changes no flags; it may fault, too."""
        self.undefined_at.setdefault(self.here(), self.undefined)
        for part in parts:
            self.code += bytes([part]) if isinstance(part, int) else part

    def insn(
        self,
        *parts: bytes | int,
        reads: int = 0,
        defines: int = 0,
        undefines: int = 0,
        changes: bool = False,
    ) -> None:
        """An instruction, and what it does to the flags; `changes`: it reads, changes and writes
        memory."""
        if reads & self.undefined:
            self.define()
        if changes:
            self.changes.add(self.here())
        self.undefined_at[self.here()] = self.undefined
        self.raw(*parts)
        self.undefined = self.undefined & ~defines | undefines

    def define(self) -> None:
        """All flags get a meaning: CMP of two registers."""
        self.raw(0x39, 0xC0 | self.bits(6))
        self.undefined = 0

    def load(self, register: int, value: int) -> None:
        self.raw(0xB8 + register, struct.pack("<I", value & 0xFFFFFFFF))

    def constant(self, size: int) -> bytes:
        return (random_value(self.rng) & ((1 << 8 * size) - 1)).to_bytes(size, "little")

    # ---- operands ---------------------------------------------------------------------------

    def size(self) -> int:
        return self.rng.choice((1, 2, 4, 4))

    def target(self, size: int, aligned: bool = False) -> int:
        """The linear address of an operand."""
        window = self.rng.choice(self.windows)
        at = window.start + 16 + self.rng.randrange(window.size - size - 32)
        return at & -size if aligned else at

    def inside(self) -> int:
        """A stack pointer with room on both sides."""
        window = self.rng.choice(self.windows)
        return window.start + 0x100 + self.rng.randrange(window.size - 0x200)

    def register_operand(self, register: int | None = None) -> Operand:
        register = self.bits(3) if register is None else register
        return Operand(b"", 0xC0 | register, b"", memory=False)

    def operand(
        self,
        size: int,
        keep: tuple[int, ...] = (),
        memory: bool | None = None,
        changes: bool = False,
        read_only: bool = False,
    ) -> Operand:
        """`rm`: a register, or memory of `size` bytes, aligned if the instruction `changes` it (see
        ia32_spaces.py), perhaps in the code segment if it is only read. The registers of `keep`
        stay as they are."""
        if memory is None:
            memory = bool(self.bits(1))
        if not memory:
            return self.register_operand()
        return self.memory_at(self.target(size, changes), keep, read_only)

    def memory_at(
        self, target: int, keep: tuple[int, ...] = (), read_only: bool = False
    ) -> Operand:
        """A memory operand at linear address `target`."""
        seg = self.rng.choice((None, None, None, None, ES, CS, SS, DS, FS, GS))
        if seg == CS and not read_only:
            seg = None
        offset = (target - BASES[DS if seg is None else seg]) & 0xFFFFFFFF
        return self.memory_in(seg, offset, keep)

    def memory_in(self, seg: int | None, offset: int, keep: tuple[int, ...] = ()) -> Operand:
        """A memory operand at `offset` in a segment; `None`: without a prefix that says which."""
        prefixes = b"" if seg is None else bytes([OVERRIDE[seg]])
        if offset < 0x10000 and self.bits(3) == 0:
            return self._address16(prefixes + b"\x67", offset, keep)
        return self._address32(prefixes, offset, keep)

    def _address16(self, prefixes: bytes, offset: int, keep: tuple[int, ...]) -> Operand:
        rows = ((EBX, ESI), (EBX, EDI), (EBP, ESI), (EBP, EDI), (ESI,), (EDI,), (EBP,), (EBX,))
        fit = [i for i, row in enumerate(rows) if not set(row) & set(keep)]
        if not fit or self.bits(3) == 0:
            return Operand(prefixes, 6, struct.pack("<H", offset), memory=True)
        rm = self.rng.choice(fit)
        mode = self.rng.choice((0, 1, 2)) if rm != 6 else self.rng.choice((1, 2))
        displacement, rest = self._displacement(mode, 2)
        left = offset - displacement
        for register in rows[rm][:-1]:
            part = self.bits(16)
            self.load(register, self.bits(16) << 16 | part)
            left -= part
        self.load(rows[rm][-1], self.bits(16) << 16 | left & 0xFFFF)
        return Operand(prefixes, mode << 6 | rm, rest, memory=True)

    def _address32(self, prefixes: bytes, offset: int, keep: tuple[int, ...]) -> Operand:
        kind = self.bits(3)
        if kind == 0:
            return Operand(prefixes, 5, struct.pack("<I", offset), memory=True)
        mode = self.bits(2) % 3
        displacement, rest = self._displacement(mode, 4)
        if kind < 4:
            base = self.rng.choice([r for r in range(8) if r != ESP and r not in keep])
            if mode == 0 and base == EBP:
                mode, displacement, rest = 1, 0, b"\0"
            self.load(base, offset - displacement)
            return Operand(prefixes, mode << 6 | base, rest, memory=True)
        scale = self.bits(2)
        free = [r for r in range(8) if r not in keep]
        if kind == 4:
            # No base: 32 bits of displacement.
            index = self.rng.choice([r for r in free if r != ESP])
            value = random_value(self.rng)
            self.load(index, value)
            rest = struct.pack("<I", offset - (value << scale) & 0xFFFFFFFF)
            sib = scale << 6 | index << 3 | EBP
            return Operand(prefixes, 4, bytes([sib]) + rest, memory=True)
        base = self.rng.choice(free)
        index = self.rng.choice([r for r in free if r != base] + [ESP])
        if mode == 0 and base == EBP:
            mode, displacement, rest = 1, 0, b"\0"
        left = offset - displacement
        if index != ESP:
            value = random_value(self.rng)
            self.load(index, value)
            left -= value << scale
        self.load(base, left)
        sib = scale << 6 | index << 3 | base
        return Operand(prefixes, mode << 6 | 4, bytes([sib]) + rest, memory=True)

    def _displacement(self, mode: int, size: int) -> tuple[int, bytes]:
        if mode == 0:
            return 0, b""
        if mode == 1:
            value = self.bits(8) - 128
            return value, struct.pack("<b", value)
        value = self.bits(8 * size)
        return value, value.to_bytes(size, "little")

    def width(self, size: int) -> bytes:
        """The prefix for operands of 16 bits."""
        return b"\x66" if size == 2 else b""

    # ---- what manuals leave open (ia32_freedoms.py) ------------------------------------------

    def prepare_selector(self) -> None:
        """Before the push of a selector with 32 bits: the word that it goes to is `LEFT`."""
        self.raw(0x68, struct.pack("<I", LEFT | self.bits(16)), 0x58 | EAX)

    def settle_selector(self) -> None:
        """The word at the stack pointer, with a selector: an upper half of 0 or `LEFT` becomes 0,
        and any other stays. Flags are undefined after it, and EAX is that word."""
        left = struct.pack("<I", LEFT)
        self.raw(0x58 | EAX, 0x3D, left, 0x72, 5, 0x2D, left, 0x50 | EAX)
        self.undefined = ALL

    # ---- jumps ------------------------------------------------------------------------------

    def forward(self, opcode: bytes, wide: bool, reads: int = 0) -> tuple[int, int]:
        """A jump over what follows until `land`; returns what that needs."""
        self.insn(opcode, b"\0" * (4 if wide else 1), reads=reads)
        return len(self.code), self.undefined

    def land(self, jump: tuple[int, int], wide: bool) -> None:
        at, undefined = jump
        distance = len(self.code) - at
        size = 4 if wide else 1
        assert wide or distance < 128
        self.code[at - size : at] = distance.to_bytes(size, "little")
        self.undefined |= undefined
