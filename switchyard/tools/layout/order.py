# SPDX-License-Identifier: Apache-2.0
"""In which order code is to lie: blocks in a function, functions, and the set that they begin at.

What lies densely and in one piece is spread evenly over a cache's sets by itself. What remains is
to begin with the set that holds least of what cannot be moved.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from switchyard.tools.layout.functions import Block, Function


@dataclass(frozen=True)
class Cache:
    """An instruction cache; sets are chosen by the low bits of an address."""

    size: int
    ways: int
    line: int

    @property
    def sets(self) -> int:
        """How many sets it has."""
        return self.size // self.ways // self.line

    @property
    def way(self) -> int:
        """Bytes from one line of a set to the next."""
        return self.sets * self.line


def chain(function: Function) -> list[Block]:
    """The hot blocks of a function, those one after another that are executed one after another.

    The most frequent way from block to block becomes a fall-through, then the next that still can
    (Pettis and Hansen 1990). The function's entry comes first, then the other chains as they stood.
    """
    hot = {b.start: b for b in function.blocks.values() if b.count}
    hot.setdefault(function.start, function.blocks[function.start])
    ways: list[tuple[float, int, int]] = []
    for block in hot.values():
        if block.falls and block.end in hot:
            ways.append((block.taken - block.count, block.start, block.end))
        if block.target in hot and not block.others:
            taken = block.taken if block.falls else block.count
            ways.append((-taken, block.start, block.target))
    chains = {start: [start] for start in hot}  # by their first blocks
    heads = {start: start for start in hot}  # the first block of the chain that a block is in
    for _, before, behind in sorted(ways):
        head = heads[before]
        if (
            behind in (function.start, head)
            or heads[behind] != behind
            or chains[head][-1] != before
        ):
            continue
        for start in chains.pop(behind):
            heads[start] = head
            chains[head].append(start)
    first = chains.pop(function.start)
    rest = [start for _, chained in sorted(chains.items()) for start in chained]
    return [hot[start] for start in (*first, *rest)]


def by_workloads(
    functions: Sequence[Function], users: Mapping[int, Iterable[int]]
) -> list[Function]:
    """Functions by the workloads that go through them (`users`, by place): those of all come first.

    So what one workload needs lies in as few lines as can be. Within that they stay as they were.
    """
    key = {start: sorted(set(names)) for start, names in users.items()}
    return sorted(functions, key=lambda f: (-len(key[f.start]), key[f.start], f.start))


def with_lines(cache: Cache, held: Sequence[int], first: int, lines: int) -> list[int]:
    """How full the sets are with so many lines more, one after the other, from that set on."""
    filled = list(held)
    for line in range(first, first + lines):
        filled[line % cache.sets] += 1
    return filled


def first_set(cache: Cache, lines: int, held: Sequence[int]) -> int:
    """The set at which a piece of that many lines begins best, given how full the sets are."""

    def fullness(first: int) -> list[int]:
        return sorted(with_lines(cache, held, first, lines), reverse=True)

    return min(range(cache.sets), key=lambda first: (fullness(first), first))


def occupied(cache: Cache, lines: Iterable[int]) -> list[int]:
    """How many of those lines (addresses by the size of a line) each set would have to hold."""
    held = [0] * cache.sets
    for line in set(lines):
        held[line % cache.sets] += 1
    return held
