# SPDX-License-Identifier: Apache-2.0
"""A relocatable file with a copy of its hot blocks in one piece.

The code that was there stays, whole: it is the cold half. A hot block that goes on to one that is
not hot branches into the old code, which then runs to its return. Who calls the function, or has
its address, now gets the copy; jumps into the middle of it from elsewhere still find the old
code. So nothing that was right becomes wrong because of what is thought to be cold, and a wrong
profile costs time alone.

What names instructions by their addresses is copied too: the kernel's table of instructions that
may fault, its table of those that are patched at boot, and the tables by which stacks are
unwound.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from switchyard.tools.layout import arm
from switchyard.tools.layout.arm import Use
from switchyard.tools.layout.elf import (
    R_ABS32,
    R_CALL,
    R_JUMP24,
    R_NONE,
    Relocation,
    Section,
    Symbol,
)
from switchyard.tools.layout.functions import Block, Code, Function

# A load reaches 4,095 bytes beyond the next instruction but one (ARM ARM, A5.2.2). Words that are
# loaded are put down where code ends anyway beyond the first distance, wherever it is beyond the
# second.
NEAR, FAR = 2400, 3000


@dataclass
class Piece:
    """Hot code of one section: `homes` has the new place of each old instruction."""

    number: int  # of its section
    section: Section
    symbol: Symbol  # of the section
    homes: dict[int, int] = field(default_factory=dict)
    spans: list[tuple[Function, int, int]] = field(default_factory=list)


class Writer:
    """Writes one piece; `symbol` is that of the section which the code comes from."""

    def __init__(self, code: Code, symbol: Symbol, piece: Piece) -> None:
        self.code = code
        self.old = symbol
        self.piece = piece
        self.out = piece.section
        self._branches: list[tuple[int, int]] = []  # place, where it goes in the old code
        self._tables: list[int] = []  # words that are old places
        self._loads: list[tuple[int, tuple[int, int, int]]] = []  # that wait for their words
        self._pool: dict[tuple[int, int, int], int] = {}  # words that were put down
        self._symbols: dict[int, Symbol] = {}
        skipped = len(self.out.data)
        # From where to where there is no code.
        self.data: list[tuple[int, int]] = [(0, skipped)] if skipped else []

    @property
    def at(self) -> int:
        """Where the next instruction comes."""
        return len(self.out.data)

    def add(self, function: Function, blocks: Sequence[Block]) -> None:
        """Writes the hot blocks of a function in their order."""
        start = self.at
        for place, block in enumerate(blocks):
            following = blocks[place + 1].start if place + 1 < len(blocks) else None
            goes_on = self._block(block, following)
            waits = self.at - self._loads[0][0] if self._loads else 0
            if waits > (FAR if goes_on else NEAR):
                self._put_words(over=goes_on)
        self.piece.spans.append((function, start, self.at))

    def finish(self) -> None:
        """Puts down what is still waited for, and sets the branches."""
        self._put_words(over=False)
        for place, target in self._branches:
            insn = self.out.word(place)
            home = self.piece.homes.get(target)
            if home is not None:
                self.out.put(place, arm.with_target(insn, place, home))
            else:
                self._branch_away(place, insn, target)
        for place in self._tables:
            target = self.out.word(place)
            home = self.piece.homes.get(target)
            symbol = self.old if home is None else self.piece.symbol
            self.out.put(place, target if home is None else home)
            self.out.relocations.append(Relocation(place, R_ABS32, symbol))

    def _emit(self, insn: int) -> None:
        self.out.data += insn.to_bytes(4, "little")

    def _block(self, block: Block, following: int | None) -> bool:
        """Writes a block; says whether it goes on to what comes after it."""
        section = self.code.section
        last = block.end - 4
        if block.others:
            self._table(block)
            return False
        for place in range(block.start, last, 4):
            self._copy(place)
        insn = section.word(last)
        self.piece.homes[last] = self.at
        branches = arm.use(insn) is Use.BRANCH and last not in self.code.relocations
        if not branches:
            self._copy(last)
            return self._go_on(block, following)
        target = arm.branch_target(insn, last)
        if not block.falls:
            if target == following:
                return True
            self._branch(insn, target)
            return False
        if following == target != block.end:
            self._branch(arm.inverted(insn), block.end)
            return True
        self._branch(insn, target)
        return self._go_on(block, following)

    def _go_on(self, block: Block, following: int | None) -> bool:
        if block.falls and block.end != following:
            self._branch(arm.branch(arm.ALWAYS), block.end)
        return block.falls and block.end == following

    def _branch(self, insn: int, target: int) -> None:
        self._branches.append((self.at, target))
        self._emit(insn)

    def _branch_away(self, place: int, insn: int, target: int) -> None:
        """A branch out of the piece: the linker knows where to."""
        kind = R_CALL if arm.use(insn) is Use.CALL and arm.condition(insn) == 14 else R_JUMP24
        self.out.put(place, arm.with_target(insn, 0, target))
        self.out.relocations.append(Relocation(place, kind, self.old))

    def _copy(self, place: int) -> None:
        """An instruction that is not its block's last branch."""
        insn = self.code.section.word(place)
        self.piece.homes[place] = self.at
        known = self.code.relocations.get(place)
        if known:
            for relocation in known:
                copied = Relocation(self.at, relocation.kind, relocation.symbol)
                self.out.relocations.append(copied)
        elif (use := arm.use(insn)) in (Use.CALL, Use.BRANCH):
            self._branches.append((self.at, arm.branch_target(insn, place)))
        elif use is Use.LITERAL:
            self._load(arm.literal_place(insn, place))
        self._emit(insn)

    def _load(self, old: int) -> None:
        changed = self.code.relocations.get(old)
        kind = changed[0].kind if changed else R_NONE
        symbol = changed[0].symbol if changed else None
        if symbol is not None:
            self._symbols[id(symbol)] = symbol
        word = (self.code.section.word(old), kind, id(symbol) if symbol else 0)
        self._loads.append((self.at, word))

    def _put_words(self, *, over: bool) -> None:
        """Puts down the words that instructions before this place load."""
        behind = [(at, word) for at, word in self._loads if not self._reach(at, word)]
        self._loads.clear()
        if not behind:
            return
        words = list(dict.fromkeys(word for _, word in behind))
        if over:
            self._emit(arm.with_target(arm.branch(arm.ALWAYS), 0, 4 + 4 * len(words)))
        start = self.at
        for word in words:
            self._pool[word] = self.at
            value, kind, symbol = word
            if kind != R_NONE:
                self.out.relocations.append(Relocation(self.at, kind, self._symbols[symbol]))
            self._emit(value)
        self.data.append((start, self.at))
        if not all(self._reach(at, word) for at, word in behind):
            raise AssertionError("a block is longer than a load reaches")

    def _reach(self, at: int, word: tuple[int, int, int]) -> bool:
        """Lets an instruction load the word from where it was put down, if that is near enough."""
        place = self._pool.get(word)
        insn = arm.with_literal(self.out.word(at), at, place) if place is not None else None
        if insn is not None:
            self.out.put(at, insn)
        return insn is not None

    def _table(self, block: Block) -> None:
        jump = block.end - 4 * len(block.others) - 8
        for place in range(block.start, jump, 4):
            self._copy(place)
        self.piece.homes[jump] = self.at
        self._emit(self.code.section.word(jump))
        self._copy(jump + 4)
        start = self.at
        for target in block.others:
            self._tables.append(self.at)
            self._emit(target)
        self.data.append((start, self.at))
