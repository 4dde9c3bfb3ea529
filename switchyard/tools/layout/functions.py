# SPDX-License-Identifier: Apache-2.0
"""The functions of a relocatable file, cut into blocks, each with how often it was executed.

A function is known by its place there; counts come by addresses of the linked program. The two
are put together by name and size: functions that have both in common stand in the same order in
both files. The instructions that were executed must be those of the file.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, field

from switchyard.errors import InputError
from switchyard.tools.layout import arm
from switchyard.tools.layout.arm import Use
from switchyard.tools.layout.counts import Count
from switchyard.tools.layout.elf import PC_GROUPS, Elf, Relocation, Section, Symbol


@dataclass
class Block:
    """Instructions that are executed one after another: from `start` to `end`, in the section."""

    start: int
    end: int
    count: float = 0
    target: int | None = None  # where its last instruction, a branch, goes in the function
    others: tuple[int, ...] = ()  # where else it goes, by a table
    falls: bool = True  # whether what stands after it may be executed after it
    taken: float = 0  # how often the branch was


@dataclass
class Function:
    """A function in its section; `why` says why it cannot be taken apart, if so."""

    symbol: Symbol
    start: int
    end: int
    blocks: dict[int, Block] = field(default_factory=dict)
    why: str = ""

    @property
    def name(self) -> str:
        """Its name."""
        return self.symbol.name


class Code:
    """A section with code: what in it is data, what the linker changes, where symbols are."""

    def __init__(self, elf: Elf, number: int) -> None:
        self.section: Section = elf.sections[number]
        self.relocations: dict[int, list[Relocation]] = defaultdict(list)
        for relocation in self.section.relocations:
            self.relocations[relocation.offset].append(relocation)
        marks = {}
        for symbol in elf.symbols:
            if symbol.section == number and symbol.name[:2] in ("$a", "$d", "$t"):
                marks[symbol.value] = symbol.name[1]
        self._marks = sorted(marks.items())
        self._starts = [start for start, _ in self._marks]

    def kind(self, offset: int) -> str:
        """What lies there: `a` ARM instructions, `t` Thumb instructions, `d` data."""
        place = bisect_right(self._starts, offset) - 1
        return self._marks[place][1] if place >= 0 else "d"

    def instructions(self) -> Iterator[tuple[int, int]]:
        """All ARM instructions, with their places."""
        ends = [*self._starts[1:], len(self.section.data)]
        for (start, kind), end in zip(self._marks, ends, strict=True):
            if kind == "a":
                for offset in range(start, end - 3, 4):
                    yield offset, self.section.word(offset)


def places(
    elf: Elf, linked: Elf, counts: Mapping[int, Count], patched: Set[tuple[int, int]]
) -> dict[int, tuple[int, int]]:
    """Where counted instructions of a linked program are in its file: section and place there.

    They must be those of the file, but for what the linker has changed and what is `patched` later.
    """
    there: dict[tuple[str, int], list[Symbol]] = defaultdict(list)
    for symbol in sorted(linked.functions(), key=lambda s: s.value):
        there[symbol.name, symbol.size].append(symbol)
    here: dict[tuple[str, int], list[Symbol]] = defaultdict(list)
    for symbol in sorted(elf.functions(), key=lambda s: (s.section, s.value)):
        here[symbol.name, symbol.size].append(symbol)
    changed = [{r.offset for r in section.relocations} for section in elf.sections]
    by_address = {}
    for key, symbols in here.items():
        if len(symbols) != len(there.get(key, ())):
            continue
        for symbol, other in zip(symbols, there[key], strict=True):
            section = elf.sections[symbol.section]
            if not section.is_code or other.value % 4:
                continue
            for offset in range(0, symbol.size - 3, 4):
                count = counts.get(other.value + offset)
                if count is None:
                    continue
                place = symbol.value + offset
                known = place in changed[symbol.section] or (symbol.section, place) in patched
                if not known and section.word(place) != count.encoding:
                    _refuse(f"{symbol.name}+{offset:#x}", count.encoding, section.word(place))
                by_address[other.value + offset] = (symbol.section, place)
    return by_address


def _refuse(where: str, executed: int, there: int) -> None:
    raise InputError(
        f"counts: {executed:#010x} was executed at {where}, where there is {there:#010x}; "
        "expected counts of this program"
    )


def find(code: Code, symbols: list[Symbol], counts: Mapping[int, Count]) -> list[Function]:
    """The functions of a section that were executed, by their places; `counts` by place there."""
    starts: dict[int, Symbol] = {}
    for symbol in symbols:
        known = starts.setdefault(symbol.value, symbol)
        # of several names the one that other files know
        if known.is_local and not symbol.is_local:
            starts[symbol.value] = symbol
    functions = []
    for start, symbol in sorted(starts.items()):
        function = Function(symbol, start, start + symbol.size)
        if any(place in counts for place in range(start, function.end, 4)):
            function.why = _cut(code, function, counts)
            functions.append(function)
    return functions


def _cut(code: Code, function: Function, counts: Mapping[int, Count]) -> str:
    """Finds the function's blocks; says why there are none."""
    start, end = function.start, function.end
    if start % 4 or end > len(code.section.data):
        return "no ARM code"
    ends: dict[int, Block] = {}  # blocks by where they end, their starts not known yet
    leaders = {start}
    place = start
    while place < end:
        kind = code.kind(place)
        if kind == "t":
            return "no ARM code"
        if kind == "d":
            place += 4
            leaders.add(place)
            continue
        ended, why = _end(code, function, place)
        if why:
            return why
        if ended is not None:
            ends[ended.end] = ended
            leaders.add(ended.end)
            leaders |= {at for at in (ended.target, *ended.others) if at is not None}
        place = ended.end if ended is not None else place + 4
    _join(code, function, leaders, ends, counts)
    return ""


def _end(code: Code, function: Function, place: int) -> tuple[Block | None, str]:
    """The block that ends at this instruction, if one does; or why that cannot be told."""
    section = code.section
    insn = section.word(place)
    use = arm.use(insn)
    behind = Block(place, place + 4)
    if arm.has_fixed_place(insn):
        return None, "it works on caches, TLB or MMU"
    if use is Use.OTHER and any(r.kind in PC_GROUPS for r in code.relocations.get(place, ())):
        return None, ""  # the linker makes it what its place needs
    if use is Use.OTHER:
        return None, f"it uses the program counter at +{place - function.start:#x}"
    if use is Use.RETURN_ADDRESS:
        jump = section.word(place + 4) if place + 4 < function.end else 0
        if arm.use(jump) is not Use.LEAVE or arm.condition(jump) != arm.condition(insn):
            return None, f"it uses the program counter at +{place - function.start:#x}"
        return None, ""
    if use is Use.LITERAL:
        at = arm.literal_place(insn, place)
        if not 0 <= at <= len(section.data) - 4 or code.kind(at) != "d" or at % 4:
            return None, f"it loads from code at +{place - function.start:#x}"
    elif use is Use.LEAVE:
        called = place > function.start and arm.use(section.word(place - 4)) is Use.RETURN_ADDRESS
        if called:
            return None, ""
        behind.falls = arm.condition(insn) != arm.ALWAYS
        return behind, ""
    elif use is Use.TABLE:
        return _table(code, function, place)
    elif use is Use.BRANCH:
        behind.falls = arm.condition(insn) != arm.ALWAYS
        if place not in code.relocations:
            target = arm.branch_target(insn, place)
            if function.start <= target < function.end:
                behind.target = target
        return behind, ""
    return None, ""


def _table(code: Code, function: Function, place: int) -> tuple[Block | None, str]:
    """A jump by a table: the jump, a branch for all other values, and the table stay together."""
    end = place + 8
    default: int | None
    other = code.section.word(place + 4) if end <= function.end else 0
    if arm.use(other) is not Use.BRANCH or arm.condition(other) != arm.ALWAYS:
        return None, f"it jumps by a table that is not understood at +{place - function.start:#x}"
    targets = []
    while end < function.end and code.kind(end) == "d" and end in code.relocations:
        target = code.section.word(end) + code.relocations[end][0].symbol.value
        if not function.start <= target < function.end:
            break
        targets.append(target)
        end += 4
    if not targets:
        return None, f"it jumps by a table that is not understood at +{place - function.start:#x}"
    default = arm.branch_target(other, place + 4)
    if place + 4 in code.relocations or not function.start <= default < function.end:
        default = None
    return Block(place, end, target=default, others=tuple(targets), falls=False), ""


def _join(
    code: Code,
    function: Function,
    leaders: set[int],
    ends: Mapping[int, Block],
    counts: Mapping[int, Count],
) -> None:
    """Blocks from leader to leader, without data."""
    bounds = sorted(leader for leader in leaders if function.start <= leader < function.end)
    for start, following in zip(bounds, [*bounds[1:], function.end], strict=True):
        if code.kind(start) == "d":
            continue
        ended = ends.get(following)
        # data after a block that ends without a branch: the block never returns
        block = ended or Block(start, following)
        count = counts.get(start)
        last = counts.get(following - 4)
        block.start = start
        block.count = count.fetched if count else 0
        if block.target is not None and last:
            block.taken = last.executed
        function.blocks[start] = block
