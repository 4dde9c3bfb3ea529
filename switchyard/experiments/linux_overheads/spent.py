# SPDX-License-Identifier: Apache-2.0
"""What runs of `linux-overheads` spent their cycles on: regions of one run, and all together."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from switchyard.experiments import linux_suite as suite
from switchyard.experiments.overheads.formulas import (
    PAIRS,
    TASKS,
    Interrupting,
    Pair,
    PairRun,
    Switching,
)
from switchyard.run.machine import Stats

# linux/overheads/overheads.h: regions of a point (two tasks, their switches), and of single ones.
REGIONS = 3
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
PARTS = (suite.FLUSH, suite.IFILL, suite.DFILL, suite.WALKS, suite.BUFFER, suite.KERNEL)


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
            sum(function.fetch_fill_cycles for function in functions),
        )


@dataclass(frozen=True)
class Sample:
    """One run: a pair's switches or a task's interrupts, by how many there were.

    A pair's case is its first task, its second, and all switches between them; `single` is all the
    single switches with empty caches, or interrupts with warm ones, `singles` how many.
    """

    scheme: str
    machine: str
    clock_hz: int
    single: Spent
    singles: int
    cold: Spent | None  # interrupts with empty caches
    colds: int
    cases: Mapping[int, Sequence[Spent]]


@dataclass(frozen=True)
class Single:
    """One of many: its cycles, and what was counted."""

    cycles: float
    counts: Mapping[str, float]

    @classmethod
    def of(cls, several: Sequence[tuple[Spent, int]]) -> "Single":
        """The mean of several regions, each with so many in it."""
        number = sum(count for _, count in several)
        return cls(
            sum(spent.cycles for spent, _ in several) / number,
            {name: sum(spent.counts[name] for spent, _ in several) / number for name in COUNTERS},
        )


# A region at the least number of switches or interrupts, and at the largest.
Ends = tuple[Spent, Spent]


@dataclass(frozen=True)
class Runs:
    """All runs of a scheme, by their jobs' names without it."""

    samples: Mapping[str, Sample]

    def of_pair(self, pair: Pair) -> list[Sample]:
        """A pair's, without those with a profile."""
        return self._runs(f"switch-{'-'.join(pair)}-")

    def of_task(self, task: str) -> list[Sample]:
        """A task's."""
        return self._runs(f"interrupt-{task}-")

    def _runs(self, begun: str) -> list[Sample]:
        return [
            sample
            for name, sample in self.samples.items()
            if name.startswith(begun) and name.removeprefix(begun).isdecimal()
        ]

    def profiled(self, pair: Pair) -> list[Sample]:
        """A pair's runs with a profile."""
        return self._runs(f"switch-{'-'.join(pair)}-profile-")

    @property
    def machine(self) -> str:
        """The machine's name."""
        return next(iter(self.samples.values())).machine

    @property
    def clock_hz(self) -> int:
        """The machine's clock."""
        return next(iter(self.samples.values())).clock_hz

    def us(self, cycles: float) -> float:
        """Cycles as time."""
        return cycles * 1e6 / self.clock_hz

    def told(self, metric: str, parts: Mapping[str, float]) -> list[tuple[str, float, str]]:
        """Parts as records have them."""
        return [(f"{metric}: {part}", self.us(cycles), "us") for part, cycles in parts.items()]

    # ---- what the formulas ask for ----

    @property
    def switching(self) -> Switching:
        """The pairs' runs; C is the mean of all single switches."""
        runs: dict[tuple[Pair, int], list[PairRun]] = {}
        for pair in PAIRS:
            for sample in self.of_pair(pair):
                for count, (first, second, between) in sample.cases.items():
                    run = PairRun(first.cycles, second.cycles, [between.cycles])
                    runs.setdefault((pair, count), []).append(run)
        return Switching(self.clock_hz, self.switch.cycles, runs)

    @property
    def interrupting(self) -> Interrupting:
        """The tasks' runs; D is the mean of all single interrupts with warm caches."""
        runs: dict[tuple[str, int], list[int]] = {}
        for task in TASKS:
            for sample in self.of_task(task):
                for count, (spent,) in sample.cases.items():
                    runs.setdefault((task, count), []).append(spent.cycles)
        return Interrupting(self.clock_hz, self.interrupt.cycles, runs)

    # ---- single ones ----

    @property
    def switch(self) -> Single:
        """A single switch with empty caches."""
        return Single.of([(s.single, s.singles) for pair in PAIRS for s in self.of_pair(pair)])

    @property
    def interrupt(self) -> Single:
        """A single interrupt with warm caches."""
        return Single.of([(s.single, s.singles) for task in TASKS for s in self.of_task(task)])

    @property
    def cold_interrupt(self) -> Single:
        """A single interrupt with empty caches."""
        samples = [sample for task in TASKS for sample in self.of_task(task)]
        return Single.of([(s.cold, s.colds) for s in samples if s.cold])

    def after_task(self, pair: Pair) -> tuple[float, float]:
        """A switch after the whole first task: microseconds, and halves of lines written back."""
        switches = [sample.cases[1][2] for sample in self.of_pair(pair)]
        return (
            self.us(fmean(spent.cycles for spent in switches)),
            fmean(spent.counts["dcache_writebacks"] for spent in switches),
        )

    # ---- where cycles go ----

    @property
    def line(self) -> float:
        """Cycles that a line of instructions takes: profiles have its fills alone."""
        regions = [
            region
            for pair in PAIRS
            for sample in self.profiled(pair)
            for regions in sample.cases.values()
            for region in regions
        ]
        lines = sum(region.counts["icache_misses"] for region in regions)
        return sum(region.fetch_fill for region in regions) / lines

    def refilled(self, task: str, misses: str) -> float:
        """Lines that a task fills again each time that it goes on after a switch."""
        pair = next(pair for pair in PAIRS if task in pair)
        part = pair.index(task)
        samples = self.of_pair(pair)
        most = max(samples[0].cases)
        again = (most // 2 + 1 if part == 0 else (most + 1) // 2) - 1
        return _more([_ends(sample, part) for sample in samples], _counted(misses)) / again

    def switch_parts(self, pair: Pair) -> dict[str, float]:
        """What a switch adds, in cycles, by where it goes: in itself, and in both tasks after it.

        Means over the runs of full length. What only a profile tells comes from the profiled runs:
        the parts of a switch but the one that depends on what the tasks have left in the caches,
        and what a line of instructions takes. That one is flushing or, where nothing is flushed,
        filling the data cache.
        """
        samples, profiled = self.of_pair(pair), self.profiled(pair)
        most = max(samples[0].cases)
        between = [sample.cases[most][2].parts for sample in profiled]
        parts = {part: fmean(spent[part] for spent in between) / most for part in PARTS}
        flushes = samples[0].scheme in (suite.SCHEME, suite.OFF)
        depends = suite.FLUSH if flushes else suite.DFILL
        parts[depends] = 0
        whole = fmean(sample.cases[most][2].cycles for sample in samples) / most
        parts[depends] = whole - sum(parts.values())
        for part in range(2):
            for name, cycles in self._waits([_ends(s, part) for s in samples]).items():
                parts[name] += cycles / most
        return parts

    def interrupt_parts(self, task: str) -> dict[str, float]:
        """What an interrupt adds, in cycles, by where it goes; means over the runs."""
        samples = self.of_task(task)
        most = max(samples[0].cases)
        waits = self._waits([_ends(sample, 0) for sample in samples])
        return {suite.FLUSH: 0.0} | {name: cycles / most for name, cycles in waits.items()}

    def single_parts(self, single: Single) -> dict[str, float]:
        """What a single interrupt takes, in cycles, by where it goes."""
        return {suite.FLUSH: 0.0} | self._split(single.cycles, single.counts)

    def single_switch_parts(self) -> dict[str, float]:
        """What a single switch takes, in cycles, by where it goes."""
        samples = [sample for pair in PAIRS for sample in self.profiled(pair)]
        number = sum(sample.singles for sample in samples)
        return {part: sum(s.single.parts[part] for s in samples) / number for part in PARTS}

    def _waits(self, ends: Sequence[Ends]) -> dict[str, float]:
        """What regions wait longer at their second ends than at their first."""
        cycles = _more(ends, lambda spent: spent.cycles)
        return self._split(cycles, {name: _more(ends, _counted(name)) for name in COUNTERS})

    def _split(self, cycles: float, counts: Mapping[str, float]) -> dict[str, float]:
        """Cycles of code that does not flush: the counters have fills of both caches as one."""
        instructions = counts["icache_misses"] * self.line
        waits = {
            suite.IFILL: instructions,
            suite.DFILL: counts["fill_stall_cycles"] - instructions,
            suite.WALKS: counts["walk_stall_cycles"],
            suite.BUFFER: counts["write_buffer_stall_cycles"],
        }
        return waits | {suite.KERNEL: cycles - sum(waits.values())}


def _ends(sample: Sample, part: int) -> Ends:
    return sample.cases[min(sample.cases)][part], sample.cases[max(sample.cases)][part]


def _counted(name: str) -> Callable[[Spent], int]:
    return lambda spent: spent.counts[name]


def _more(ends: Sequence[Ends], count: Callable[[Spent], int]) -> float:
    return sum(count(much) - count(few) for few, much in ends) / len(ends)
