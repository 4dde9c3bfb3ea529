# SPDX-License-Identifier: Apache-2.0
"""ELF files of 32-bit ARM: relocatable ones read, changed and written, linked ones read.

Linked ones of IA-32 are read, too, for their symbols.

Relocations refer to symbols as objects and not by their numbers, so that symbols can be added:
the numbers are given anew when a file is written. Sections keep theirs; new ones come after
them. ARM's relocations have their addends in the words that they change (SHT_REL), which are left
there.
"""

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from switchyard.errors import InputError

# ELF for the ARM architecture (IHI 0044), and the generic ABI.
RELOCATABLE, EXECUTABLE, MACHINE_386, MACHINE_ARM, MACHINE_RISCV = 1, 2, 3, 40, 243
SYMTAB, STRTAB, NOBITS, REL, GROUP, EXIDX = 2, 3, 8, 9, 17, 0x7000_0001
WRITE, ALLOC, EXECINSTR, LINK_ORDER = 1, 2, 4, 0x80
LOCAL, NOTYPE, FUNC, SECTION, FILE = 0, 0, 2, 3, 4
R_NONE, R_ABS32, R_REL32, R_CALL, R_JUMP24, R_TARGET1, R_V4BX, R_PREL31 = (
    0,
    2,
    3,
    28,
    29,
    38,
    40,
    42,
)
# A distance from the program counter that several instructions add up.
PC_GROUPS = (4, *range(57, 64))

HEADER = struct.Struct("<16sHHIIIIIHHHHHH")
SECTION_HEADER = struct.Struct("<10I")
SYMBOL = struct.Struct("<IIIBBH")
# Of 64 bits; only RISC-V's, and only read. A symbol's members are in another order.
WIDE_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
WIDE_SECTION_HEADER = struct.Struct("<IIQQQQIIQQ")
WIDE_SYMBOL = struct.Struct("<IBBHQQ")
RELOCATION = struct.Struct("<II")
WORD = struct.Struct("<I")


@dataclass(eq=False)
class Symbol:
    """A symbol: `section` is a section's number, or one of ELF's special ones."""

    name: str
    value: int
    size: int
    info: int
    other: int
    section: int

    @property
    def kind(self) -> int:
        """What it names: a function, a section, a file."""
        return self.info & 15

    @property
    def is_local(self) -> bool:
        """Whether other files do not see it."""
        return self.info >> 4 == LOCAL


@dataclass
class Relocation:
    """A word that the linker changes."""

    offset: int
    kind: int
    symbol: Symbol


@dataclass
class Section:
    """A section with its relocations; `signature` is the symbol of a group."""

    name: str
    kind: int
    flags: int
    address: int
    data: bytearray
    size: int  # of its contents; what data has, unless there is none in the file
    link: int
    info: int
    align: int
    entry_size: int
    relocations: list[Relocation] = field(default_factory=list)
    signature: Symbol | None = None

    @property
    def is_code(self) -> bool:
        """Whether it holds instructions that get into memory."""
        return self.flags & (ALLOC | EXECINSTR) == ALLOC | EXECINSTR and self.kind != NOBITS

    def word(self, offset: int) -> int:
        """The word there."""
        return int(WORD.unpack_from(self.data, offset)[0])

    def put(self, offset: int, word: int) -> None:
        """Writes the word there."""
        WORD.pack_into(self.data, offset, word & 0xFFFF_FFFF)


class Elf:
    """A file, all of it."""

    def __init__(self, file: Path, kind: int, machines: Sequence[int] = (MACHINE_ARM,)) -> None:
        """Reads a file of that kind, for one of the machines."""
        wanted = "a relocatable" if kind == RELOCATABLE else "a linked"
        names = ["ARM" if machine == MACHINE_ARM else "IA-32" for machine in machines[:2]]
        wanted += f" 32-bit {' or '.join(names)} ELF file"
        try:
            image = file.read_bytes()
        except OSError as error:
            raise InputError(f"{file}: {error.strerror}") from None
        try:
            head = HEADER.unpack_from(image)
            wide = head[2] == MACHINE_RISCV
            if wide:
                head = WIDE_HEADER.unpack_from(image)
            mark = b"\x7fELF\x02\x01" if wide else b"\x7fELF\x01\x01"
            if (head[0][:6], head[1]) != (mark, kind) or head[2] not in machines:
                raise InputError(f"{file}: expected {wanted}")
            self.flags: int = head[7]
            self.sections: list[Section] = []
            self.symbols: list[Symbol] = []
            self._read(image, head[6], head[12], head[13], wide)
        except (struct.error, IndexError, ValueError):
            raise InputError(f"{file}: broken; expected {wanted}") from None

    def _read(self, image: bytes, start: int, count: int, names: int, wide: bool) -> None:
        form = WIDE_SECTION_HEADER if wide else SECTION_HEADER
        heads = [form.unpack_from(image, start + i * form.size) for i in range(count)]
        texts = heads[names]
        for name, kind, flags, address, offset, size, link, info, align, entry in heads:
            held = b"" if kind == NOBITS else image[offset : offset + size]
            if kind != NOBITS and len(held) != size:
                raise ValueError
            title = _string(image, texts[4] + name)
            self.sections.append(
                Section(
                    title, kind, flags, address, bytearray(held), size, link, info, align, entry
                )
            )
        for section in self.sections:
            if section.kind == SYMTAB:
                strings = heads[section.link][4]
                for name, value, size, info, other, shndx in _symbols(section.data, wide):
                    text = _string(image, strings + name)
                    self.symbols.append(Symbol(text, value, size, info, other, shndx))
        for section in self.sections:
            if section.kind == REL and self.symbols:
                target = self.sections[section.info]
                for offset, info in RELOCATION.iter_unpack(section.data):
                    relocation = Relocation(offset, info & 255, self.symbols[info >> 8])
                    target.relocations.append(relocation)
            elif section.kind == GROUP:
                section.signature = self.symbols[section.info]

    def functions(self) -> Iterator[Symbol]:
        """The symbols of functions that have code here."""
        for symbol in self.symbols:
            if symbol.kind == FUNC and symbol.size and 0 < symbol.section < len(self.sections):
                yield symbol

    def add(self, section: Section) -> int:
        """Adds a section; gives its number."""
        self.sections.append(section)
        return len(self.sections) - 1

    def write(self, file: Path) -> None:
        """Writes a relocatable file."""
        image = self._image()
        try:
            file.write_bytes(image)
        except OSError as error:
            raise InputError(f"{file}: {error.strerror}") from None

    def _image(self) -> bytes:
        # the first symbol is ELF's own, and local ones come before all others
        self.symbols.sort(key=lambda symbol: not symbol.is_local)
        numbers = {id(symbol): number for number, symbol in enumerate(self.symbols)}
        locals_ = sum(symbol.is_local for symbol in self.symbols)
        symtab = next(i for i, s in enumerate(self.sections) if s.kind == SYMTAB)
        table, texts = bytearray(), _Strings()
        for symbol in self.symbols:
            name = texts.add(symbol.name)
            fields = (name, symbol.value, symbol.size, symbol.info, symbol.other, symbol.section)
            table += SYMBOL.pack(*fields)
        self.sections[symtab].data, self.sections[symtab].info = table, locals_
        self.sections[self.sections[symtab].link].data = texts.data
        self._pack_relocations(symtab, numbers)

        image = bytearray(HEADER.size)
        heads = bytearray()
        titles = _Strings()
        names = [titles.add(section.name) for section in self.sections]
        last = titles.add(".shstrtab")
        for name, section in zip(names, self.sections, strict=True):
            image += bytes(-len(image) % max(section.align, 1))
            if section.kind == GROUP and section.signature is not None:
                section.info = numbers[id(section.signature)]
            size = section.size if section.kind == NOBITS else len(section.data)
            heads += SECTION_HEADER.pack(
                *(name, section.kind, section.flags, section.address, len(image)),
                *(size, section.link, section.info, section.align, section.entry_size),
            )
            if section.kind != NOBITS:
                image += section.data
        # The old table of the sections' names stays, unused: sections keep their numbers.
        heads += SECTION_HEADER.pack(last, STRTAB, 0, 0, len(image), len(titles.data), 0, 0, 1, 0)
        image += titles.data
        image += bytes(-len(image) % 4)
        HEADER.pack_into(
            image,
            0,
            *(b"\x7fELF\x01\x01\x01".ljust(16, b"\0"), RELOCATABLE, MACHINE_ARM, 1, 0, 0),
            *(len(image), self.flags, HEADER.size, 0, 0, SECTION_HEADER.size),
            *(len(self.sections) + 1, len(self.sections)),
        )
        return bytes(image + heads)

    def _pack_relocations(self, symtab: int, numbers: dict[int, int]) -> None:
        packed = {s.info: s for s in self.sections if s.kind == REL}
        for number, section in enumerate(list(self.sections)):
            if not section.relocations:
                continue
            table = packed.get(number)
            if table is None:
                title = f".rel{section.name}"
                table = Section(title, REL, 0x40, 0, bytearray(), 0, symtab, number, 4, 8)
                self.add(table)
            section.relocations.sort(key=lambda relocation: relocation.offset)
            table.data = bytearray(
                b"".join(
                    RELOCATION.pack(r.offset, r.kind | numbers[id(r.symbol)] << 8)
                    for r in section.relocations
                )
            )


class _Strings:
    """A table of strings."""

    def __init__(self) -> None:
        self.data = bytearray(1)
        self._known = {"": 0}

    def add(self, text: str) -> int:
        if text not in self._known:
            self._known[text] = len(self.data)
            self.data += text.encode() + b"\0"
        return self._known[text]


def _symbols(table: bytearray, wide: bool) -> Iterator[tuple[int, ...]]:
    """Name, value, size, info, other, section of each."""
    if not wide:
        yield from SYMBOL.iter_unpack(table)
        return
    for name, info, other, section, value, size in WIDE_SYMBOL.iter_unpack(table):
        yield name, value, size, info, other, section


def _string(image: bytes, start: int) -> str:
    return image[start : image.index(b"\0", start)].decode()
