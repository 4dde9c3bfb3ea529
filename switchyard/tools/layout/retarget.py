# SPDX-License-Identifier: Apache-2.0
"""What the rest of a file must know of code that was copied: symbols, branches, tables."""

from collections import defaultdict
from collections.abc import Iterable

from switchyard.tools.layout import arm
from switchyard.tools.layout.arm import Use
from switchyard.tools.layout.elf import (
    ALLOC,
    EXIDX,
    FUNC,
    LINK_ORDER,
    LOCAL,
    NOTYPE,
    R_ABS32,
    R_CALL,
    R_JUMP24,
    R_PREL31,
    R_REL32,
    R_TARGET1,
    SECTION,
    WORD,
    Elf,
    Relocation,
    Section,
    Symbol,
)
from switchyard.tools.layout.functions import Code, Function
from switchyard.tools.layout.rewrite import Piece

# Tables of places of instructions in Linux 6.12, and the size of their entries: which of them may
# fault (asm/assembler.h, asm/uaccess.h), which are patched at boot (asm/memory.h).
TABLES = {"__ex_table": 8, ".pv_table": 4, ".init.pv_table": 4}

# Those whose instructions are not executed as they are in the file.
PATCHED = (".pv_table", ".init.pv_table")

BRANCHES = (R_CALL, R_JUMP24)
WORDS = (R_ABS32, R_REL32, R_TARGET1)


def addend(section: Section, relocation: Relocation) -> int:
    """What is added to the symbol."""
    word = section.word(relocation.offset)
    if relocation.kind in BRANCHES:
        return arm.branch_target(word, 0)
    return word


def section_symbol(elf: Elf, number: int) -> Symbol:
    """The symbol of a section, which is added if there is none."""
    for symbol in elf.symbols:
        if symbol.kind == SECTION and symbol.section == number:
            return symbol
    symbol = Symbol("", 0, 0, SECTION, 0, number)
    elf.symbols.append(symbol)
    return symbol


def places_named(elf: Elf, numbers: Iterable[int]) -> dict[tuple[int, int], str]:
    """Places in those sections that data names, by a name of theirs: whose code must stay whole.

    Not those that are named by code, which may jump to the old place, by tables that can be
    extended, and for debuggers.
    """
    watched = set(numbers)
    named: dict[tuple[int, int], str] = {}
    for section in elf.sections:
        known = section.name in TABLES or section.kind == EXIDX or section.is_code
        if known or not section.flags & ALLOC:
            continue
        for relocation in section.relocations:
            symbol = relocation.symbol
            if symbol.section in watched and relocation.kind in WORDS:
                place = symbol.value + section.word(relocation.offset)
                named[symbol.section, place] = section.name
    return named


def places_patched(elf: Elf) -> set[tuple[int, int]]:
    """Instructions that are others when they are executed: section, place."""
    return {
        (relocation.symbol.section, relocation.symbol.value + section.word(relocation.offset))
        for section in elf.sections
        if section.name in PATCHED
        for relocation in section.relocations
        if relocation.kind in WORDS
    }


class Moved:
    """Functions that have gone into pieces, and the file that they are in."""

    def __init__(self, elf: Elf, pieces: dict[int, Piece]) -> None:
        """`pieces` by the sections that their code comes from."""
        self.elf = elf
        self.pieces = pieces
        self.symbols: dict[tuple[int, int], Symbol] = {}  # by the old place
        self.cold: dict[int, Symbol] = {}  # by the moved symbol

    def settle(self) -> None:
        """Makes the rest of the file know them."""
        for number, piece in self.pieces.items():
            for function, start, end in piece.spans:
                self._move_symbols(number, function, piece, start, end)
        for section in self.elf.sections:
            for relocation in section.relocations:
                self._retarget(section, relocation)
        for number in self.pieces:
            self._relocate_branches(number)
        for section in list(self.elf.sections):
            if section.name in TABLES:
                self._extend(section)
        for number, piece in self.pieces.items():
            self._unwind(number, piece)

    def _move_symbols(
        self, number: int, function: Function, piece: Piece, start: int, end: int
    ) -> None:
        name = f"{function.name}.cold"
        cold = Symbol(name, function.start, function.symbol.size, FUNC, 0, number)
        for symbol in self.elf.symbols:
            if symbol.section == number and symbol.value == function.start and symbol.kind == FUNC:
                symbol.section, symbol.value, symbol.size = piece.number, start, end - start
                self.cold[id(symbol)] = cold
        self.elf.symbols.append(cold)
        self.symbols[number, function.start] = function.symbol

    def _retarget(self, section: Section, relocation: Relocation) -> None:
        """One that names the section, or a label in it, and means a function that has moved."""
        symbol = relocation.symbol
        if section.kind == EXIDX or not section.flags & ALLOC:
            # tables by which stacks are unwound, and for debuggers: of the old code
            relocation.symbol = self.cold.get(id(symbol), symbol)
            return
        if symbol.section not in self.pieces or relocation.kind not in (*BRANCHES, *WORDS):
            return
        place = symbol.value + addend(section, relocation)
        moved = self.symbols.get((symbol.section, place))
        if moved is None or section.name in TABLES:
            return
        word = section.word(relocation.offset)
        is_branch = relocation.kind in BRANCHES
        section.put(relocation.offset, arm.with_target(word, 0, 0) if is_branch else 0)
        relocation.symbol = moved

    def _relocate_branches(self, number: int) -> None:
        """Branches in the old code to a function of its section, which the assembler has set."""
        code = Code(self.elf, number)
        starts = {start for section, start in self.symbols if section == number}
        for place, insn in code.instructions():
            if insn >> 25 & 7 != 5 or place in code.relocations:
                continue
            target = arm.branch_target(insn, place)
            if target in starts and arm.condition(insn) != 15:
                always = arm.use(insn) is Use.CALL and arm.condition(insn) == arm.ALWAYS
                kind = R_CALL if always else R_JUMP24
                code.section.put(place, arm.with_target(insn, 0, 0))
                symbol = self.symbols[number, target]
                code.section.relocations.append(Relocation(place, kind, symbol))

    def _extend(self, table: Section) -> None:
        """Entries for the copies, each beside what it was copied from."""
        size = TABLES[table.name]
        entries: dict[int, list[Relocation]] = defaultdict(list)
        for relocation in table.relocations:
            entries[relocation.offset // size].append(relocation)
        for number, entry in sorted(entries.items()):
            first = min(entry, key=lambda relocation: relocation.offset)
            piece = self.pieces.get(first.symbol.section)
            place = first.symbol.value + table.word(first.offset)
            home = piece.homes.get(place) if piece else None
            if piece is None or home is None:
                continue
            at = len(table.data)
            table.data += table.data[number * size : (number + 1) * size]
            table.put(at, home)
            for relocation in entry:
                symbol = piece.symbol if relocation is first else relocation.symbol
                place = at + relocation.offset - number * size
                table.relocations.append(Relocation(place, relocation.kind, symbol))

    def _unwind(self, number: int, piece: Piece) -> None:
        """The index by which stacks are unwound: each copy has what its function had."""
        old = next((s for s in self.elf.sections if s.kind == EXIDX and s.link == number), None)
        if old is None:
            return
        by_entry: dict[int, list[Relocation]] = defaultdict(list)
        starts: list[tuple[int, int]] = []
        for relocation in old.relocations:
            by_entry[relocation.offset // 8].append(relocation)
            if relocation.offset % 8 == 0 and relocation.kind == R_PREL31:
                word = old.word(relocation.offset)
                distance = word - (1 << 31) if word & 1 << 30 else word
                starts.append((relocation.symbol.value + distance, relocation.offset // 8))
        starts.sort()
        title = f".ARM.exidx{piece.section.name}"
        flags = ALLOC | LINK_ORDER
        index = Section(title, EXIDX, flags, 0, bytearray(), 0, piece.number, 0, 4, 0)
        for function, start, _ in piece.spans:
            of = max((entry for entry in starts if entry[0] <= function.start), default=None)
            if of is None:
                continue
            at = len(index.data)
            index.data += WORD.pack(start) + old.data[of[1] * 8 + 4 : of[1] * 8 + 8]
            for relocation in by_entry[of[1]]:
                is_place = relocation.offset % 8 == 0 and relocation.kind == R_PREL31
                symbol = piece.symbol if is_place else relocation.symbol
                place = at + relocation.offset % 8
                index.relocations.append(Relocation(place, relocation.kind, symbol))
        self.elf.add(index)


def mark(elf: Elf, piece: Piece, data: Iterable[tuple[int, int]]) -> None:
    """The symbols that tell a piece's instructions from its data."""
    marks = {0: "$a"}
    for start, end in data:
        marks[start] = "$d"
        if end < len(piece.section.data):
            marks.setdefault(end, "$a")
    for place, name in marks.items():
        elf.symbols.append(Symbol(name, place, 0, LOCAL << 4 | NOTYPE, 0, piece.number))
