# SPDX-License-Identifier: Apache-2.0
"""What the runs of `linux-overheads` measured: regions of one run, and what all say together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from switchyard.experiments import linux_suite as suite
from switchyard.experiments.overheads import (
    PAIRS,
    TASKS,
    Interrupting,
    Pair,
    PairRun,
    Switching,
)
from switchyard.machine import Stats

# linux/overheads/overheads.h: regions of a point (two tasks, their switches), and of single ones.
PARTS = 3
SINGLE_SWITCH, SINGLE_INTERRUPT, COLD_INTERRUPT = 250, 251, 252

# Counted in each region.
COUNTERS = {
    "instructions": ("instructions",),
    "icache_misses": ("icache_misses",),
    "dcache_misses": ("dcache_read_misses",),
    "dcache_writebacks": ("dcache_writebacks",),
    "table_walk_reads": ("table_walk_reads",),
    "itlb_misses": ("itlb_misses",),
    "dtlb_misses": ("dtlb_misses",),
    "fill_stall_cycles": ("fill_stall_cycles",),
    "walk_stall_cycles": ("walk_stall_cycles",),
    "write_buffer_stall_cycles": ("write_buffer_stall_cycles",),
    "address_space_switches": ("ttb_writes",),
    "interrupts": ("exception_irq",),
}
# Where cycles went; the tasks' own instructions are the kernel's here.
WHERE = (suite.FLUSH, suite.IFILL, suite.DFILL, suite.WALKS, suite.BUFFER, suite.KERNEL)


@dataclass(frozen=True)
class Spent:
    """What a region took: in all, what was counted, and, where it was profiled, on what."""

    cycles: int
    counts: Mapping[str, int]
    parts: Mapping[str, int]
    fetch_fill: int  # cycles of its functions, those that flush included; 0 without a profile

    @classmethod
    def of(cls, stats: Stats, number: int) -> "Spent":
        """From a run."""
        counters = stats.region(number).counters
        functions = stats.profile.get(number, ())
        return cls(
            counters.total("cycles"),
            {name: counters.total(*names) for name, names in COUNTERS.items()},
            suite.parts(functions) if functions else {},
            sum(one.fetch_fill_cycles for one in functions),
        )


@dataclass(frozen=True)
class Point:
    """One run: a pair's switches or a task's interrupts, by how many there were.

    A pair's case is its first task, its second, and all switches between them; `single` is all the
    single switches with empty caches, or interrupts with warm ones, `singles` how many.
    """

    machine: str
    clock_hz: int
    single: Spent
    singles: int
    cold: Spent | None  # interrupts with empty caches
    colds: int
    cases: Mapping[int, Sequence[Spent]]


@dataclass(frozen=True)
class Found:
    """The points by their jobs' names."""

    points: Mapping[str, Point]

    def runs(self, what: str, tasks: Sequence[str]) -> list[Point]:
        """Those of a pair or task, without the one with a profile."""
        name = f"{what}-{'-'.join(tasks)}-"
        return [
            point
            for job, point in self.points.items()
            if job.startswith(name) and job.removeprefix(name).isdecimal()
        ]

    def profiled(self, what: str, tasks: Sequence[str]) -> Point:
        """The one with a profile."""
        return self.points[f"{what}-{'-'.join(tasks)}-profile"]

    @property
    def clock_hz(self) -> int:
        """The machine's clock."""
        return next(iter(self.points.values())).clock_hz

    def us(self, cycles: float) -> float:
        """Cycles as time."""
        return cycles * 1e6 / self.clock_hz

    @property
    def switching(self) -> Switching:
        """The pairs' runs; C is the mean of all single switches."""
        runs: dict[tuple[Pair, int], list[PairRun]] = {}
        singles = [one for pair in PAIRS for one in self.runs("switch", pair)]
        for pair in PAIRS:
            for one in self.runs("switch", pair):
                for count, (first, second, between) in one.cases.items():
                    run = PairRun(first.cycles, second.cycles, [between.cycles])
                    runs.setdefault((pair, count), []).append(run)
        return Switching(self.clock_hz, _mean(singles).cycles, runs)

    @property
    def interrupting(self) -> Interrupting:
        """The tasks' runs; D is the mean of all single interrupts with warm caches."""
        runs: dict[tuple[str, int], list[int]] = {}
        singles = [one for task in TASKS for one in self.runs("interrupt", (task,))]
        for task in TASKS:
            for one in self.runs("interrupt", (task,)):
                for count, (spent,) in one.cases.items():
                    runs.setdefault((task, count), []).append(spent.cycles)
        return Interrupting(self.clock_hz, _mean(singles).cycles, runs)

    @property
    def line(self) -> float:
        """Cycles that a line of instructions takes: profiles have its fills alone."""
        found = [
            region
            for pair in PAIRS
            for one in self.profiled("switch", pair).cases.values()
            for region in one
        ]
        lines = sum(region.counts["icache_misses"] for region in found)
        return sum(region.fetch_fill for region in found) / lines

    @property
    def switch(self) -> "Single":
        """A single switch with empty caches."""
        return _mean([one for pair in PAIRS for one in self.runs("switch", pair)])

    @property
    def interrupt(self) -> "Single":
        """A single interrupt with warm caches."""
        return _mean([one for task in TASKS for one in self.runs("interrupt", (task,))])

    @property
    def cold_interrupt(self) -> "Single":
        """A single interrupt with empty caches."""
        found = [one for task in TASKS for one in self.runs("interrupt", (task,))]
        return _each([(one.cold, one.colds) for one in found if one.cold])

    def more(self, pair: Pair, part: int, counter: str) -> float:
        """What a task of a pair counts more with the most switches than with one, in the mean."""
        return _more([_pick(one.cases, 1, part) for one in self.runs("switch", pair)], counter)

    def added(self, pair: Pair, part: int, counter: str) -> float:
        """The same for each time that it goes on after a switch."""
        most = max(self.runs("switch", pair)[0].cases)
        again = (most // 2 + 1 if part == 0 else (most + 1) // 2) - 1
        return self.more(pair, part, counter) / again


def _pick(cases: Mapping[int, Sequence["Spent"]], least: int, part: int) -> tuple["Spent", "Spent"]:
    """A region at the least number of switches or interrupts, and at the largest."""
    return cases[least][part], cases[max(cases)][part]


def _more(found: Sequence[tuple["Spent", "Spent"]], counter: str) -> float:
    return sum(much.counts[counter] - one.counts[counter] for one, much in found) / len(found)


@dataclass(frozen=True)
class Single:
    """One of many: its cycles, and what was counted."""

    cycles: float
    counts: Mapping[str, float]

    @property
    def waits(self) -> float:
        """Cycles that waited for lines and for page tables."""
        return self.counts["fill_stall_cycles"] + self.counts["walk_stall_cycles"]

    @property
    def reads(self) -> float:
        """How often it had to wait for memory: lines, and words of page tables."""
        names = ("icache_misses", "dcache_misses", "table_walk_reads")
        return sum(self.counts[name] for name in names)


def _mean(points: Sequence[Point]) -> Single:
    return _each([(one.single, one.singles) for one in points])


def _each(found: Sequence[tuple[Spent, int]]) -> Single:
    number = sum(count for _, count in found)
    return Single(
        sum(spent.cycles for spent, _ in found) / number,
        {name: sum(spent.counts[name] for spent, _ in found) / number for name in COUNTERS},
    )


def switch_parts(found: Found, pair: Pair) -> dict[str, float]:
    """What a switch adds, in cycles, by where it goes: in itself, and in both tasks after it.

    Means over the runs of full length. What only a profile tells comes from the profiled run: which
    part of a switch is not flushing (that depends on no task), and what a line of instructions
    takes.
    """
    runs, profiled = found.runs("switch", pair), found.profiled("switch", pair)
    most = max(runs[0].cases)
    between = profiled.cases[max(profiled.cases)][2].parts
    parts = {part: between[part] / max(profiled.cases) for part in WHERE}
    parts[suite.FLUSH] = 0
    whole = sum(one.cases[most][2].cycles for one in runs) / len(runs) / most
    parts[suite.FLUSH] = whole - sum(parts.values())
    for part in range(2):
        ends = [_pick(one.cases, 1, part) for one in runs]
        for name, cycles in _waits(found, ends).items():
            parts[name] += cycles / most
    return parts


def interrupt_parts(found: Found, task: str) -> dict[str, float]:
    """What an interrupt adds, in cycles, by where it goes; means over the runs."""
    runs = found.runs("interrupt", (task,))
    ends = [_pick(one.cases, 0, 0) for one in runs]
    none = {suite.FLUSH: 0.0}
    return none | {
        name: cycles / max(runs[0].cases) for name, cycles in _waits(found, ends).items()
    }


def single_parts(found: Found, single: Single) -> dict[str, float]:
    """What a single interrupt takes, in cycles, by where it goes."""
    return {suite.FLUSH: 0.0} | _split(found, single.cycles, single.counts)


def single_switch_parts(found: Found) -> dict[str, float]:
    """What a single switch takes, in cycles, by where it goes."""
    points = [found.profiled("switch", pair) for pair in PAIRS]
    number = sum(one.singles for one in points)
    return {part: sum(one.single.parts[part] for one in points) / number for part in WHERE}


def _waits(found: Found, ends: Sequence[tuple[Spent, Spent]]) -> dict[str, float]:
    """What regions wait longer at their second ends than at their first."""
    cycles = sum(much.cycles - one.cycles for one, much in ends) / len(ends)
    return _split(found, cycles, {name: _more(ends, name) for name in COUNTERS})


def _split(found: Found, cycles: float, counts: Mapping[str, float]) -> dict[str, float]:
    """Cycles of code that does not flush: the counters have fills of both caches as one."""
    instructions = counts["icache_misses"] * found.line
    waits = {
        suite.IFILL: instructions,
        suite.DFILL: counts["fill_stall_cycles"] - instructions,
        suite.WALKS: counts["walk_stall_cycles"],
        suite.BUFFER: counts["write_buffer_stall_cycles"],
    }
    return waits | {suite.KERNEL: cycles - sum(waits.values())}
