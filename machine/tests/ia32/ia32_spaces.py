# SPDX-License-Identifier: Apache-2.0
"""Streams in address spaces: random page tables, levels 0 and 3, and faults after which they go
on.

Code is in blocks of `STRIDE` bytes, each of which begins by giving every flag a meaning; a fault
goes on at the next block. What an instruction leaves in memory when it fails half-way is defined by
no manual, so a few things are kept apart from that (see the README).
"""

from __future__ import annotations

import random
import struct

from ia32_generator import EVERY
from ia32_streams import GDT, GDT_LIMIT, LIMIT, descriptors
from ia32_vectors import Case
from ia32_writer import ALL, Window, Writer, random_value

PAGE = 0x1000
P, RW, US, A, D, PS, G = 1, 2, 4, 0x20, 0x40, 0x80, 0x100
PG, WP, PSE, PGE = 1 << 31, 1 << 16, 0x10, 0x80
STRIDE = 0x100
# They fill whole pages; one of their own has the end.
BLOCKS = 48
CASES = 12
# Bytes of a jump.
JUMP = 5

# Physical memory.
DIRECTORY = 0x3000
TABLES = 0x4000
TABLE_PAGES = 5
CODE = 0x10000
DATA = 0x100000
DATA_PAGES = 64
# Linear addresses: code, data in small pages (low enough for 16-bit addresses, and across the end
# of a table), and a large page, which has all of memory.
CODE_AT = (0x00040000, 0x08048000, 0xC0100000)
DATA_AT = (Window(0x8000, 0x6000), Window(0x403FC000, 0x8000))
LARGE_AT = 0x80000000


class PagedWriter(Writer):
    """One whose operands are near the edges of pages, as often as not."""

    paged = True

    def target(self, size: int, aligned: bool = False) -> int:
        if self.bits(1):
            return super().target(size, aligned)
        window = self.rng.choice(self.windows)
        edges = range(window.start + PAGE, window.start + window.size, PAGE)
        at = self.rng.choice(edges) - self.rng.randrange(size + 3)
        return at & -size if aligned else at


def attributes(rng: random.Random) -> int:
    """Those of a page. One that cannot be written was accessed before (here, and where its
    directory does not let it be written): Unicorn notes the read with which an instruction that
    changes memory begins, the machine only the write that is refused."""
    value = (
        rng.choice((P, P, P, P, P, P, 0)) | rng.choice((RW, RW, 0)) | rng.choice((US, US, US, 0))
    )
    value |= rng.choice((0, G)) | rng.choice((0, A, A | D))
    return value if value & RW else value | A


class Tables:
    """A page directory and its tables, which are made as they are needed."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.words = [0] * (1024 * (1 + TABLE_PAGES))
        self.used = 0

    def map(self, linear: int, entry: int, directory: int) -> None:
        at = linear >> 22
        if self.words[at] == 0:
            assert self.used < TABLE_PAGES
            self.words[at] = TABLES + self.used * PAGE | directory
            self.used += 1
        self.words[self.place(linear)] = entry

    def place(self, linear: int) -> int:
        """The number of the word that maps a page."""
        table = (self.words[linear >> 22] & ~0xFFF) - DIRECTORY
        return table // 4 + (linear >> 12 & 0x3FF)

    def encode(self) -> bytes:
        return struct.pack(f"<{len(self.words)}I", *self.words)


def invalidate(w: Writer) -> None:
    """INVLPG, or a load of CR3."""
    if w.bits(1):
        operand = w.operand(1, memory=True)
        w.insn(operand.prefixes, 0x0F, 0x01, operand.with_reg(7))
    else:
        w.insn(0x0F, 0x20, 0xD8)
        w.insn(0x0F, 0x22, 0xD8)


class Remapper:
    """Gives a page another frame; it is looked at before, while the old one is still in the TLB,
    and after INVLPG."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables

    def __call__(self, w: Writer) -> None:
        """Not at level 3, where INVLPG faults: how long the old translation were used then would
        depend on the TLBs' sizes."""
        if w.level == 3:
            return
        window = w.rng.choice(DATA_AT)
        page = window.start + w.rng.randrange(window.size // PAGE) * PAGE
        place = self.tables.place(page)
        frame = DATA + w.rng.randrange(DATA_PAGES) * PAGE
        bits = self.tables.words[place] & 0xFFF
        offset = w.rng.randrange(PAGE // 4) * 4
        entry = LARGE_AT + DIRECTORY + 4 * place
        w.insn(0xA1, struct.pack("<I", page + offset))
        w.insn(0xC7, 0x05, struct.pack("<2I", entry, frame | bits | A))
        w.insn(0x33, 0x05, struct.pack("<I", page + offset))
        w.insn(0x0F, 0x01, 0x3D, struct.pack("<I", page))
        w.insn(0x03, 0x05, struct.pack("<I", page + offset))
        w.define()


def system(w: Writer) -> None:
    """What level 3 may not do, and what level 0 may."""
    insns = (b"\xfa", b"\x0f\x20\xd1", b"\x0f\x20\xe2", b"\x0f\x06", b"\x0f\x20\xc3")
    w.insn(w.rng.choice(insns))


def begin(w: Writer) -> None:
    """What each block begins with: flags that are known."""
    w.define()
    w.raw(0xFC)


def write_block(w: Writer, idioms: tuple[object, ...]) -> None:
    end = len(w.code) + STRIDE
    begin(w)
    while True:
        before = len(w.code), w.undefined
        idiom = w.rng.choice(idioms)
        assert callable(idiom)
        idiom(w)
        if len(w.code) > end - JUMP:
            del w.code[before[0] :]
            w.undefined = before[1]
            break
    # A jump and no NOPs: code that runs on from one page to the next Unicorn looks up too early.
    left = end - len(w.code) - JUMP
    w.raw(0xE9, struct.pack("<I", left), b"\x90" * left)


def space_cases(rng: random.Random) -> list[Case]:
    """One address space; streams in it begin at both levels, each with fresh tables and code."""
    tables = Tables(rng)
    code_at = rng.choice(CODE_AT)
    anyone = P | RW | US
    tables.map(GDT, GDT | P | RW | A | D, anyone)
    for window in DATA_AT:
        directory = rng.choice((anyone, anyone, anyone, P | US, P | RW)) | rng.choice((0, A))
        for page in range(window.start, window.start + window.size, PAGE):
            frame = DATA + rng.randrange(DATA_PAGES) * PAGE
            bits = attributes(rng) | (0 if directory & RW else A)
            tables.map(page, frame | bits, directory | A)
    tables.words[LARGE_AT >> 22] = P | RW | PS | rng.choice((0, US)) | rng.choice((0, G))
    windows = [*DATA_AT, *DATA_AT, Window(LARGE_AT + DATA, DATA_PAGES * PAGE)]
    pages = BLOCKS * STRIDE // PAGE + 1
    for n in range(pages):
        bits = rng.choice((anyone, anyone, anyone, anyone, P | US, P | RW, 0))
        if n == pages - 1:
            bits = anyone
        tables.map(code_at + n * PAGE, CODE + n * PAGE | bits | rng.choice((0, A, G)), anyone)
    idioms = (*EVERY, *EVERY, invalidate, invalidate, system, *(Remapper(tables),) * 4)
    cases = []
    for n in range(CASES):
        level = rng.choice((0, 3))
        w = PagedWriter(rng, code_at, windows)
        w.level = level
        for _ in range(BLOCKS):
            write_block(w, idioms)
        # The last fault may go on here.
        begin(w)
        w.raw(b"\x90" * (STRIDE - 3))
        end = w.here()
        code = bytes(w.code) + b"\x90" * 16
        registers = [random_value(rng) for _ in range(8)]
        flags = rng.getrandbits(32) & ALL | 2
        selectors = [s | level for s in (0x10, 0x08, 0x10, 0x10, 0x18, 0x20)]
        data = rng.randbytes(DATA_PAGES * PAGE) if n == 0 else b""
        blocks = [(CODE, code), (GDT, descriptors(level)), (DIRECTORY, tables.encode())]
        if data:
            blocks.append((DATA, data))
        cases.append(
            Case(
                ident=n,
                limit=LIMIT,
                end=end,
                stride=STRIDE,
                state=(*registers, w.address, flags, *selectors),
                control=(1 | PG | rng.choice((0, WP)), DIRECTORY, PSE | rng.choice((0, PGE))),
                table=(GDT, GDT_LIMIT),
                blocks=tuple(blocks),
                ranges=((DATA, DATA_PAGES * PAGE), (DIRECTORY, (1 + TABLE_PAGES) * PAGE)),
                first=w.address,
                changes=frozenset(w.changes),
            )
        )
    return cases
