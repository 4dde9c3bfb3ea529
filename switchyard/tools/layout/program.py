# SPDX-License-Identifier: Apache-2.0
"""The whole way: which code is hot, what can be taken apart, what comes out."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from switchyard.errors import InputError
from switchyard.tools.layout import order
from switchyard.tools.layout.counts import Count, Counts
from switchyard.tools.layout.elf import (
    ALLOC,
    EXECINSTR,
    EXECUTABLE,
    RELOCATABLE,
    SECTION,
    Elf,
    Section,
    Symbol,
)
from switchyard.tools.layout.functions import Code, Function, find, places
from switchyard.tools.layout.order import Cache
from switchyard.tools.layout.retarget import (
    Moved,
    mark,
    places_named,
    places_patched,
    section_symbol,
)
from switchyard.tools.layout.rewrite import Piece, Writer

# Sections whose code may be moved, and where its hot parts go: sections of the same meaning,
# since a kernel asks where its scheduler begins and ends. Linkers put .text.hot before .text.
PIECES = {".text": ".text.hot", ".sched.text": ".sched.text"}

# A place in the file: section, place in it.
Place = tuple[int, int]


@dataclass(frozen=True)
class Lines:
    """Lines of the cache that hold what is hot, and how many of them the fullest set would hold."""

    count: int
    fullest: int


@dataclass
class Report:
    """What was found and done."""

    functions: int = 0  # that were copied
    instructions: int = 0  # that are in the copies
    before: list[Lines] = field(default_factory=list)  # by workload
    after: list[Lines] = field(default_factory=list)
    whole: dict[str, str] = field(default_factory=dict)  # functions that stayed: why


@dataclass(frozen=True)
class Workload:
    """A workload: how often is often enough in it, and which instructions are hot by that."""

    counts: Counts
    often: int
    hot: frozenset[int]

    @classmethod
    def of(cls, counts: Counts, rarer: int) -> "Workload":
        """The workload of those counts."""
        often = counts.often(rarer)
        both = (counts.kernel, counts.user)
        hot = frozenset(at for each in both for at, c in each.items() if c.fetched >= often)
        return cls(counts, often, hot)

    def lines(self, cache: Cache, homes: Mapping[int, int]) -> Lines:
        """Its lines, when some of its instructions are in other places."""
        held = {homes.get(at, at) // cache.line for at in self.hot}
        return Lines(len(held), max(order.occupied(cache, held), default=0))


def lay_out(
    file: Path, linked: Path, to: Path, counts: Sequence[Counts], cache: Cache, rarer: int
) -> Report:
    """Writes `file` as `to`, laid out for workloads of `linked`, which was linked from it."""
    elf, program = Elf(file, RELOCATABLE), Elf(linked, EXECUTABLE)
    loads = [Workload.of(counted, rarer) for counted in counts]
    executed = {at: count for load in loads for at, count in load.counts.kernel.items()}
    at_home = places(elf, program, executed, places_patched(elf))
    hot, report = _hot_functions(elf, loads, at_home)
    if not any(hot.values()):
        raise InputError(
            f"{file}: no hot function in {', '.join(PIECES)}; expected the file that {linked} "
            "was linked from"
        )
    pieces = _write(elf, hot, loads, at_home, cache, report)
    elf.write(to)
    report.before = [load.lines(cache, {}) for load in loads]
    moved = {
        at: home
        for at, (section, place) in at_home.items()
        if section in pieces and (home := _home(pieces[section], place)) is not None
    }
    report.after = [load.lines(cache, moved) for load in loads]
    return report


def _home(piece: Piece, place: int) -> int | None:
    """An address for where it now is: not the real one, but of the same set, and in other lines."""
    home = piece.homes.get(place)
    return None if home is None else (piece.number << 32) + home


def _hot_functions(
    elf: Elf, loads: Sequence[Workload], at_home: Mapping[int, Place]
) -> tuple[dict[int, list[Function]], Report]:
    """Functions that can be taken apart and are hot, by their section."""
    counts = _together(loads, at_home)
    report = Report()
    by_name = {s.name: n for n, s in enumerate(elf.sections) if s.is_code}
    numbers = [by_name[name] for name in PIECES if name in by_name]
    named = places_named(elf, numbers)
    symbols: dict[int, list[Symbol]] = defaultdict(list)
    for symbol in elf.functions():
        symbols[symbol.section].append(symbol)
    hot: dict[int, list[Function]] = {}
    for number in numbers:
        here = {place: count for (section, place), count in counts.items() if section == number}
        hot[number] = []
        for function in find(Code(elf, number), symbols[number], here):
            inside = (at for at in range(function.start + 4, function.end, 4) if at in here)
            by = next((named[number, at] for at in inside if (number, at) in named), None)
            if by is not None and not function.why:
                function.why = f"{by} has the address of a part of it"
            if function.why:
                report.whole[function.name] = function.why
            else:
                hot[number].append(function)
    return hot, report


def _together(loads: Sequence[Workload], at_home: Mapping[int, Place]) -> dict[Place, Count]:
    """What is hot in any workload, in units of what is often enough there."""
    counts: dict[Place, Count] = {}
    for load in loads:
        for at in load.hot:
            place = at_home.get(at)
            if place is None or at not in load.counts.kernel:
                continue
            count = load.counts.kernel[at]
            before = counts.get(place, Count(count.encoding, 0, 0))
            fetched, taken = count.fetched / load.often, count.executed / load.often
            counts[place] = Count(count.encoding, before.fetched + fetched, before.executed + taken)
    return counts


def _write(
    elf: Elf,
    hot: Mapping[int, Sequence[Function]],
    loads: Sequence[Workload],
    at_home: Mapping[int, Place],
    cache: Cache,
    report: Report,
) -> dict[int, Piece]:
    """Writes the pieces, and makes the file know them."""
    users: dict[Place, set[int]] = defaultdict(set)
    for number, load in enumerate(loads):
        for at in load.hot:
            if at in at_home:
                users[at_home[at]].add(number)
    chains = {
        number: {function.start: order.chain(function) for function in functions}
        for number, functions in hot.items()
    }
    moves = {
        (number, at)
        for number, chained in chains.items()
        for blocks in chained.values()
        for block in blocks
        for at in range(block.start, block.end, 4)
    }
    stays = {at // cache.line for load in loads for at in load.hot if at_home.get(at) not in moves}
    held = order.occupied(cache, stays)
    pieces: dict[int, Piece] = {}
    for number, functions in hot.items():
        if not functions:
            continue
        size = sum(b.end - b.start for blocks in chains[number].values() for b in blocks)
        lines = -(-size // cache.line)
        first = order.first_set(cache, lines, held)
        held = order.with_lines(cache, held, first, lines)
        piece = pieces[number] = _piece(elf, number, first * cache.line, cache.way)
        writer = Writer(Code(elf, number), section_symbol(elf, number), piece)
        for function in order.by_workloads(functions, _users(functions, number, users)):
            blocks = chains[number][function.start]
            writer.add(function, blocks)
            report.functions += 1
            report.instructions += sum((block.end - block.start) // 4 for block in blocks)
        writer.finish()
        mark(elf, piece, writer.data)
    Moved(elf, pieces).settle()
    return pieces


def _users(
    functions: Iterable[Function], number: int, users: Mapping[Place, set[int]]
) -> dict[int, set[int]]:
    """Which workloads go through each function."""
    workloads: dict[int, set[int]] = {}
    for function in functions:
        at = range(function.start, function.end, 4)
        workloads[function.start] = set().union(
            *(users.get((number, place), set()) for place in at)
        )
    return workloads


def _piece(elf: Elf, number: int, skipped: int, align: int) -> Piece:
    """An empty piece for code of that section, which begins so many bytes after a first set."""
    title = PIECES[elf.sections[number].name]
    flags = ALLOC | EXECINSTR
    code = Section(title, 1, flags, 0, bytearray(skipped), 0, 0, 0, align, 0)
    place = elf.add(code)
    symbol = Symbol("", 0, 0, SECTION, 0, place)
    elf.symbols.append(symbol)
    return Piece(place, code, symbol)
