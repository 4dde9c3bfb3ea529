# SPDX-License-Identifier: Apache-2.0
"""Random page tables, and where in the address space an access is worth its while.

A `Space` is a page directory with its tables, as bytes in physical memory. Virtual memory has
these parts: vectors at 0 (in every process slot that is used) and at 0xFFFF0000; 64 KB of code;
data in the first 32 MB (again in every slot) and in one high stretch. Everything else is not
mapped. Data never maps code, tables or vectors, so no store changes what is fetched or walked.

With `coherent` no physical address has two virtual ones (but for code, which nobody writes), and
pages may be cacheable in any way: caches must then change no result.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

RAM = 0xC0000000
DIRECTORY = RAM + 0x100000
TABLES = DIRECTORY + 0x4000
VECTORS = RAM + 0x1F0000
CODE = RAM + 0x200000
CODE_SIZE = 0x10000
SECTIONS = RAM + 0x400000
SECTION_COUNT = 3
POOL = RAM + 0x800000
POOL_UNITS = 4  # of 64 KB
# The stretches of a megabyte that are mapped by pages, and accessed in sections.
FRONT, BACK = 0x14000, 0x1000
MEGABYTE = 0x100000
VECTOR_DOMAIN = 15
SLOT = 1 << 25

# What is compared after a stream.
RANGES = tuple(
    [(SECTIONS + i * MEGABYTE, FRONT) for i in range(SECTION_COUNT)]
    + [(SECTIONS + (i + 1) * MEGABYTE - BACK, BACK) for i in range(SECTION_COUNT)]
    + [(POOL, POOL_UNITS << 16)]
)


@dataclass
class Space:
    """Page tables, and the parts of virtual memory."""

    blocks: list[tuple[int, bytes]]
    code: int  # virtual address of the 64 KB of code
    slots: tuple[int, ...]  # values of the process ID register
    data: tuple[int, ...]  # virtual megabytes of data, neighbours in order
    tables: dict[int, int] = field(default_factory=dict)


class PageTables:
    """Writes a `Space`."""

    def __init__(self, rng: random.Random, v5: bool, coherent: bool) -> None:
        self.rng = rng
        self.v5 = v5
        self.coherent = coherent
        self.directory = [0] * 4096
        self.next_table = TABLES
        self.blocks: list[tuple[int, bytes]] = []
        self.sections = list(range(SECTION_COUNT))
        self.units = {size: list[int]() for size in (0x400, 0x1000, 0x10000)}
        self.units[0x10000] = [POOL + (i << 16) for i in range(POOL_UNITS)]

    def space(self) -> Space:
        rng = self.rng
        used = rng.sample(range(1, 128 if self.v5 else 64), 2)
        slots = tuple(i << 25 for i in (0, *used))
        vectors = self.page_table({0: self.vector_page()})
        high = self.page_table({0xF0: self.vector_page()})
        self.directory[0xFFF] = high | VECTOR_DOMAIN << 5 | 0x11
        code_entry = self.code_megabyte()
        low_code = rng.getrandbits(1)
        # The first megabytes of each 32 are some process's slot.
        code = 8 * MEGABYTE if low_code else (rng.randrange(0x20, 0x28) * 32 + 24) * MEGABYTE
        if not low_code:
            self.directory[code >> 20] = code_entry
        low_data = range(1, 6)
        for slot in slots:
            at = slot >> 20
            self.directory[at] = vectors | VECTOR_DOMAIN << 5 | 0x11
            for i in low_data:
                self.directory[at + i] = self.data_megabyte()
            if low_code:
                self.directory[at + 8] = code_entry
        first = rng.randrange(0x28, 0x60) * 32 + rng.randrange(10, 24)
        for i in range(first, first + 6):
            self.directory[i] = self.data_megabyte()
        data = (
            *(i * MEGABYTE for i in low_data),
            *(i * MEGABYTE for i in range(first, first + 6)),
            *((slots[1] | i * MEGABYTE) for i in (1, 2)),
        )
        self.blocks.append((DIRECTORY, _bytes(self.directory)))
        return Space(self.blocks, code, slots, data)

    def page_table(self, entries: dict[int, int], count: int = 256) -> int:
        """A second-level table; its address."""
        at = self.next_table
        self.next_table += 4 * count
        words = [0] * count
        for index, entry in entries.items():
            words[index] = entry
        self.blocks.append((at, _bytes(words)))
        return at

    def vector_page(self) -> int:
        # Its domain is always client or manager; privileged modes can read it.
        return VECTORS | self.rng.choice((0x552, 0x55A, 0xFF2, 0xFFE, 0xAA2))

    def attributes(self) -> int:
        return self.rng.getrandbits(2) << 2

    def domain(self) -> int:
        return self.rng.randrange(15)

    def invalid(self) -> int:
        return self.rng.getrandbits(30) << 2 & 0xFFFFFFFC

    def code_megabyte(self) -> int:
        """First-level descriptor of the code: the page tables may leave holes."""
        rng = self.rng
        domain = rng.choice((12, 13, 14, 15)) << 5
        kind = rng.randrange(3 if self.v5 else 2)
        rights = (3, 3, 3, 3, 2, 1)
        if kind == 0:
            ap = rng.choice((3, 2, 1, 0))
            return CODE & 0xFFF00000 | ap << 10 | domain | 0x12 | self.attributes()
        entries: dict[int, int] = {}
        step = 1 if kind == 1 else 4
        page = 0
        while page < 16:
            choice = rng.getrandbits(4)
            if page == 0 and choice < 3:
                ap = sum(rng.choice(rights) << 4 + 2 * i for i in range(4))
                large = CODE | ap | 1 | self.attributes()
                entries.update((i, large) for i in range(16 * step))
                break
            if choice == 3:
                entries.update((page * step + i, self.invalid()) for i in range(step))
            elif choice > 11 and kind == 2:
                for i in range(4):
                    tiny = CODE | rng.randrange(64) << 10
                    entries[4 * page + i] = tiny | rng.choice(rights) << 4 | 3 | self.attributes()
            else:
                ap = sum(rng.choice(rights) << 4 + 2 * i for i in range(4))
                small = CODE | rng.randrange(16) << 12 | ap | 2 | self.attributes()
                entries.update((page * step + i, small) for i in range(step))
            page += 1
        if kind == 1:
            return self.page_table(entries) | domain | 0x11
        self.next_table = self.next_table + 0xFFF & ~0xFFF
        return self.page_table(entries, 1024) | domain | 0x13

    def data_megabyte(self) -> int:
        """A first-level descriptor."""
        rng = self.rng
        domain = self.domain() << 5
        kind = rng.getrandbits(3)
        if kind == 0:
            return self.invalid()
        if kind < 3:
            place = self.section()
            if place is None:
                return self.invalid()
            return place | rng.getrandbits(2) << 10 | domain | 0x12 | self.attributes()
        if kind < 6 or not self.v5:
            return self.page_table(self.pages(1)) | domain | 0x11
        self.next_table = self.next_table + 0xFFF & ~0xFFF
        return self.page_table(self.pages(4), 1024) | domain | 0x13

    def pages(self, step: int) -> dict[int, int]:
        """Descriptors of the front and the back of a megabyte, `step` to 4 KB."""
        rng = self.rng
        entries: dict[int, int] = {}
        page = 0
        while page < 256:
            if page == 20:
                page = 255
            choice = rng.getrandbits(4)
            if page == 0 and choice < 5:
                large = self.page(0x10000, rng.getrandbits(8) << 4 | 1)
                entries.update((i, large) for i in range(16 * step))
                page = 16
                continue
            if choice > 10 and step == 4:
                for i in range(4):
                    entries[4 * page + i] = self.page(0x400, rng.getrandbits(2) << 4 | 3)
            elif choice == 5:
                entries.update((page * step + i, self.invalid()) for i in range(step))
            else:
                small = self.page(0x1000, rng.getrandbits(8) << 4 | 2)
                entries.update((page * step + i, small) for i in range(step))
            page += 1
        return entries

    def section(self) -> int | None:
        """A megabyte of physical memory."""
        if not self.coherent:
            return SECTIONS + self.rng.randrange(SECTION_COUNT) * MEGABYTE
        if not self.sections:
            return None
        return SECTIONS + self.sections.pop() * MEGABYTE

    def page(self, size: int, low_bits: int) -> int:
        """A descriptor of a page; an invalid one when no memory is left for it."""
        if not self.coherent:
            at = POOL + self.rng.randrange(POOL_UNITS << 16) // size * size
        else:
            free = self.take(size)
            if free is None:
                return self.invalid()
            at = free
        return at | low_bits | self.attributes()

    def take(self, size: int) -> int | None:
        """Physical memory that nothing maps yet; a larger piece is broken up."""
        free = self.units[size]
        if not free:
            if size == 0x10000:
                return None
            larger = 0x1000 if size == 0x400 else 0x10000
            whole = self.take(larger)
            if whole is None:
                return None
            free += range(whole, whole + larger, size)
        return free.pop(self.rng.randrange(len(free)))


def _bytes(words: list[int]) -> bytes:
    return b"".join(w.to_bytes(4, "little") for w in words)


def domains(rng: random.Random) -> int:
    """A DACR: no access, client, manager; code's domains seldom closed, that of vectors never."""
    value = 0
    for i in range(15):
        choices = (0, 1, 1, 1, 3) if i < 12 else (0, 1, 1, 1, 1, 1, 1, 3)
        value |= rng.choice(choices) << 2 * i
    return value | rng.choice((1, 3)) << 30
