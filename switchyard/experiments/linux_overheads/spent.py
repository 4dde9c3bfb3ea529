# SPDX-License-Identifier: Apache-2.0
"""What runs of `linux-overheads` spent their cycles on: regions of one run, and all together."""

from collections.abc import Iterable, Mapping, Sequence
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
from switchyard.run.experiment import Stats, Value

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
WRITTEN = "dcache_writebacks"
# Where cycles went; the tasks' own instructions are the kernel's here.
PARTS = (suite.FLUSH, suite.IFILL, suite.DFILL, suite.WALKS, suite.BUFFER, suite.KERNEL)


# What a region took: cycles and what was counted, and, where it was profiled, cycles by part and
# those of filling instructions, by functions that flush too.
Spent = Mapping[str, float]
FETCHED = "fetch_fill_cycles"


def spent(stats: Stats, number: int) -> Spent:
    """Of a region of a run."""
    counters = stats.region(number).counters
    found: dict[str, float] = {"cycles": counters.total("cycles")}
    found |= {name: counters.total(*names) for name, names in COUNTERS.items()}
    if functions := stats.profile.get(number, ()):
        found |= suite.parts(functions)
        found[FETCHED] = sum(function.fetch_fill_cycles for function in functions)
    return found


@dataclass(frozen=True)
class Sample:
    """One run: a pair's switches or a task's interrupts, by how many there were.

    A pair's case is its first task, its second, and all switches between them; `single` is all the
    single switches with empty caches, or interrupts with warm ones, `singles` how many.
    """

    scheme: str
    machine: str
    clock_hz: int
    tasks: tuple[str, ...]
    profiled: bool
    single: Spent
    singles: int
    cold: Spent | None  # interrupts with empty caches
    colds: int
    cases: Mapping[int, Sequence[Spent]]

    @property
    def most(self) -> int:
        """The largest number."""
        return max(self.cases)


def _single(several: Iterable[tuple[Spent, int]]) -> Spent:
    """One of many: the mean of several regions, each with so many in it."""
    regions, counts = zip(*several, strict=True)
    names = ("cycles", *COUNTERS)
    return {name: sum(region[name] for region in regions) / sum(counts) for name in names}


@dataclass(frozen=True)
class Runs:
    """All runs of a scheme."""

    samples: Sequence[Sample]

    def of(self, *tasks: str, profiled: bool = False) -> list[Sample]:
        """A pair's, or a task's."""
        return [s for s in self.samples if s.tasks == tasks and s.profiled == profiled]

    def us(self, cycles: float) -> float:
        """Cycles as time."""
        return cycles * 1e6 / self.samples[0].clock_hz

    def told(self, metric: str, parts: Mapping[str, float]) -> list[Value]:
        """Parts as records have them."""
        return [(f"{metric}: {part}", self.us(cycles), "us") for part, cycles in parts.items()]

    @property
    def _by_pair(self) -> list[Sample]:
        return [sample for pair in PAIRS for sample in self.of(*pair)]

    @property
    def _by_task(self) -> list[Sample]:
        return [sample for task in TASKS for sample in self.of(task)]

    @property
    def _profiled(self) -> list[Sample]:
        return [sample for pair in PAIRS for sample in self.of(*pair, profiled=True)]

    # ---- what the formulas ask for ----

    @property
    def switching(self) -> Switching:
        """The pairs' runs; C is the mean of all single switches."""
        runs: dict[tuple[Pair, int], list[PairRun]] = {}
        for pair in PAIRS:
            for sample in self.of(*pair):
                for count, regions in sample.cases.items():
                    first, second, between = (int(region["cycles"]) for region in regions)
                    run = PairRun(first, second, [between])
                    runs.setdefault((pair, count), []).append(run)
        return Switching(self.samples[0].clock_hz, self.switch["cycles"], runs)

    @property
    def interrupting(self) -> Interrupting:
        """The tasks' runs; D is the mean of all single interrupts with warm caches."""
        runs: dict[tuple[str, int], list[int]] = {}
        for task in TASKS:
            for sample in self.of(task):
                for count, (region,) in sample.cases.items():
                    runs.setdefault((task, count), []).append(int(region["cycles"]))
        return Interrupting(self.samples[0].clock_hz, self.interrupt["cycles"], runs)

    # ---- single ones ----

    @property
    def switch(self) -> Spent:
        """A single switch with empty caches."""
        return _single((s.single, s.singles) for s in self._by_pair)

    @property
    def interrupt(self) -> Spent:
        """A single interrupt with warm caches."""
        return _single((s.single, s.singles) for s in self._by_task)

    @property
    def cold_interrupt(self) -> Spent:
        """A single interrupt with empty caches."""
        return _single((s.cold, s.colds) for s in self._by_task if s.cold)

    def after_task(self, pair: Pair) -> tuple[float, float]:
        """A switch after the whole first task: microseconds, and halves of lines written back."""
        switches = [sample.cases[1][2] for sample in self.of(*pair)]
        cycles, written = (fmean(s[name] for s in switches) for name in ("cycles", WRITTEN))
        return self.us(cycles), written

    # ---- where cycles go ----

    @property
    def line(self) -> float:
        """Cycles that a line of instructions takes: profiles have its fills alone."""
        cases = [case for sample in self._profiled for case in sample.cases.values()]
        filled, lines = (
            sum(region.get(name, 0) for case in cases for region in case)
            for name in (FETCHED, "icache_misses")
        )
        return filled / lines

    def refilled(self, task: str, misses: str) -> float:
        """Lines that a task fills again each time that it goes on after a switch."""
        pair = next(pair for pair in PAIRS if task in pair)
        part = pair.index(task)
        samples = self.of(*pair)
        most = samples[0].most
        again = (most // 2 + 1 if part == 0 else (most + 1) // 2) - 1
        return _more(samples, part, misses) / again

    def switch_parts(self, pair: Pair) -> dict[str, float]:
        """What a switch adds, in cycles, by where it goes: in itself, and in both tasks after it.

        Means over the runs of full length. What only a profile tells comes from the profiled runs:
        the parts of a switch but the one that depends on what the tasks have left in the caches,
        and what a line of instructions takes. That one is flushing or, where nothing is flushed,
        filling the data cache.
        """
        samples = self.of(*pair)
        most = samples[0].most
        between = [sample.cases[most][2] for sample in self.of(*pair, profiled=True)]
        parts = {part: fmean(region[part] for region in between) / most for part in PARTS}
        flushes = samples[0].scheme in (suite.SCHEME, suite.OFF)
        depends = suite.FLUSH if flushes else suite.DFILL
        parts[depends] = 0
        whole = fmean(sample.cases[most][2]["cycles"] for sample in samples) / most
        parts[depends] = whole - sum(parts.values())
        for part in range(2):
            for name, cycles in self._waits(samples, part).items():
                parts[name] += cycles / most
        return parts

    def interrupt_parts(self, task: str) -> dict[str, float]:
        """What an interrupt adds, in cycles, by where it goes; means over the runs."""
        samples = self.of(task)
        waits = self._waits(samples, 0)
        return {suite.FLUSH: 0.0} | {n: cycles / samples[0].most for n, cycles in waits.items()}

    def single_parts(self, single: Spent) -> dict[str, float]:
        """What a single interrupt takes, in cycles, by where it goes."""
        return {suite.FLUSH: 0.0} | self._split(single)

    def single_switch_parts(self) -> dict[str, float]:
        """What a single switch takes, in cycles, by where it goes."""
        number = sum(sample.singles for sample in self._profiled)
        return {part: sum(s.single[part] for s in self._profiled) / number for part in PARTS}

    def _waits(self, samples: Sequence[Sample], part: int) -> dict[str, float]:
        """What regions wait longer with the largest number than with the least."""
        return self._split({name: _more(samples, part, name) for name in ("cycles", *COUNTERS)})

    def _split(self, region: Spent) -> dict[str, float]:
        """Cycles of code that does not flush: the counters have fills of both caches as one."""
        instructions = region["icache_misses"] * self.line
        waits = {
            suite.IFILL: instructions,
            suite.DFILL: region["fill_stall_cycles"] - instructions,
            suite.WALKS: region["walk_stall_cycles"],
            suite.BUFFER: region["write_buffer_stall_cycles"],
        }
        return waits | {suite.KERNEL: region["cycles"] - sum(waits.values())}


def _more(samples: Sequence[Sample], part: int, name: str) -> float:
    """How much more is in a part of a case with the largest number than with the least."""
    ends = [(s.cases[min(s.cases)][part], s.cases[s.most][part]) for s in samples]
    return sum(much[name] - few[name] for few, much in ends) / len(ends)
