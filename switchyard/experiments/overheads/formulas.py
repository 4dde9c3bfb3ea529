# SPDX-License-Identifier: Apache-2.0
"""The formulas, from cycles of runs to records."""

import itertools
import math
import statistics
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

from switchyard.data.summary import Interval
from switchyard.experiments.repeats import uncertain
from switchyard.run.experiment import Case, Parameter, RunError

PAPER = "David et al., ExpCS 2007"
PACKAGE = __name__.rpartition(".")[0]  # what is published stands beside this
CLOCK_MHZ = 120

TASKS = ("sort", "deflate", "aes", "crc")
NAMES = {"sort": "bubble sort", "deflate": "deflate", "aes": "AES", "crc": "CRC"}

Pair = tuple[str, str]  # in the order in which they run
# Figs. 2 and 3, by the order of Fig. 3.
PAIRS: tuple[Pair, ...] = (
    ("sort", "deflate"),
    ("sort", "crc"),
    ("aes", "crc"),
    ("crc", "deflate"),
    ("aes", "deflate"),
    ("aes", "sort"),
)
MOST_SWITCHES = 99
MOST_INTERRUPTS = 49
INVOCATIONS = 100  # of the interrupt whose mean is D (section 4.1)
RUNS = 5  # a point (section 3.1)


def name_of(pair: Pair) -> str:
    """A pair as records and jobs have it."""
    return "-".join(pair)


@dataclass(frozen=True)
class PairRun:
    """One run of a pair, in cycles: each task's slices together, and every switch between them."""

    first: int
    second: int
    switches: Sequence[int]

    @property
    def total(self) -> int:
        """The running time of both with their switches: R'_total, or R_total with one switch."""
        return self.first + self.second + sum(self.switches)

    @classmethod
    def of_stamps(cls, stamps: Sequence[int], where: str) -> "PairRun":
        """From the counts (of 32 bits) at which slices began and ended, in turns: b e b e ...

        The first task has the slices 0, 2, 4, ..., the second those between.
        """
        if len(stamps) < 4 or len(stamps) % 2 != 0:
            raise RunError(f"{where}: {len(stamps)} time stamps; expected two for each slice")
        gaps = [(b - a) % 2**32 for a, b in itertools.pairwise(stamps)]
        return cls(sum(gaps[0::4]), sum(gaps[2::4]), gaps[1::2])


@dataclass(frozen=True)
class Indirect:
    """The indirect overhead and its three components (Fig. 3), in cycles."""

    first: float  # what the first task takes longer
    second: float
    inflation: float  # what the switches take longer, for they find dirty lines

    @property
    def total(self) -> float:
        """I = R'_total - (R_total - C) - n C; the components are its terms, ordered by where."""
        return self.first + self.second + self.inflation


Subject = TypeVar("Subject", Pair, str)
Run = TypeVar("Run", PairRun, int)


@dataclass(frozen=True)
class Points(ABC, Generic[Subject, Run]):
    """Runs of subjects to which something happens n times. Means over the runs of a point."""

    clock_hz: int
    direct: float  # what one such thing takes by itself, in cycles
    runs: Mapping[tuple[Subject, int], Sequence[Run]]

    least: ClassVar[int]  # times, in the runs that others stand beside
    every: ClassVar[Sequence[Any]]  # subjects, in the paper's order

    @abstractmethod
    def cases(self, machine: str, scheme: str) -> Iterator[Case]:
        """What follows from the runs, by the formulas."""

    @property
    def subjects(self) -> list[Subject]:
        """Those measured."""
        return [subject for subject in self.every if (subject, self.least) in self.runs]

    def counts(self, subject: Subject) -> list[int]:
        """The numbers of times that there are runs with."""
        return sorted(n for of, n in self.runs if of == subject)

    def us(self, cycles: float) -> float:
        """Cycles as time."""
        return cycles * 1e6 / self.clock_hz

    def totals(self, subject: Subject, n: int) -> list[int]:
        """The running times of a point's runs."""
        return [run if isinstance(run, int) else run.total for run in self.runs[subject, n]]

    def total(self, subject: Subject, n: int) -> float:
        """R'; R with the least n."""
        return statistics.fmean(self.totals(subject, n))

    def added(self, subject: Subject, n: int) -> float:
        """I, the indirect overhead, in cycles: R' - R less the direct ones."""
        least = self.least
        direct = (n - least) * self.direct
        return self.total(subject, n) - self.total(subject, least) - direct

    def indirect_percent(self, subject: Subject, n: int) -> float:
        """I, of R."""
        return 100 * self.added(subject, n) / self.total(subject, self.least)

    def altogether_percent(self, subject: Subject, n: int) -> float:
        """Direct and indirect, of R: what R' has more than R without its direct ones."""
        alone = self.total(subject, self.least)
        return 100 * (self.total(subject, n) - (alone - self.least * self.direct)) / alone

    def interval(self, subject: Subject, n: int) -> Interval:
        """Of the running time, over the runs."""
        return Interval.of(self.totals(subject, n))

    def indirect_interval(self, subject: Subject, n: int) -> Interval:
        """Of the indirect overhead: each run beside its own with the least n."""
        alone = self.totals(subject, self.least)
        beside = [run - (n - self.least) * self.direct for run in self.totals(subject, n)]
        if len(beside) != len(alone):  # runs without a partner
            return Interval(statistics.fmean(beside) - statistics.fmean(alone), math.inf)
        return Interval.of([run - base for base, run in zip(alone, beside, strict=True)])

    def max_cv(self) -> float:
        """The largest coefficient of variation of a point's running times."""
        return max(variation(self.totals(*point)) for point in self.runs)


class Switching(Points[Pair, PairRun]):
    """Pairs of tasks that switch n times; `direct` is C."""

    least, every = 1, PAIRS

    @property
    def most(self) -> int:
        """The largest number of switches that all pairs have: 99, or fewer in a quick run."""
        return min(self.counts(pair)[-1] for pair in self.subjects)

    def ms(self, cycles: float) -> float:
        """Cycles as time."""
        return cycles * 1e3 / self.clock_hz

    def indirect(self, pair: Pair, n: int) -> Indirect:
        """I and its components. With n = 1 all are 0."""
        alone, runs = self.runs[pair, 1], self.runs[pair, n]
        switching = statistics.fmean(sum(run.switches) for run in runs)
        once = statistics.fmean(sum(run.switches) for run in alone)
        first, second = (
            statistics.fmean(getattr(run, task) for run in runs)
            - statistics.fmean(getattr(run, task) for run in alone)
            for task in ("first", "second")
        )
        return Indirect(first, second, switching - n * self.direct - (once - self.direct))

    def cases(self, machine: str, scheme: str) -> Iterator[Case]:
        """C, and for each pair and n what the formulas give."""
        once = [
            ("switch_direct", self.ms(self.direct) * 1e3, "us"),
            ("switch_max_cv", self.max_cv(), "1"),
        ]
        yield Case(machine, scheme, {}, once)
        for pair in self.subjects:
            for n in self.counts(pair):
                where: dict[str, Parameter] = {"pair": name_of(pair), "switches": n}
                indirect = self.indirect(pair, n)
                values = [
                    ("running", self.ms(self.total(pair, n)) / 1e3, "s"),
                    ("running_cv", variation(self.totals(pair, n)), "1"),
                    ("runs", len(self.runs[pair, n]), "1"),
                    *uncertain("running", self.interval(pair, n)),
                    ("direct", self.ms(n * self.direct), "ms"),
                    ("indirect", self.ms(indirect.total), "ms"),
                    ("indirect_percent", self.indirect_percent(pair, n), "%"),
                    *(uncertain("indirect", self.indirect_interval(pair, n)) if n > 1 else []),
                    ("altogether_percent", self.altogether_percent(pair, n), "%"),
                    ("indirect_switches", self.ms(indirect.inflation), "ms"),
                ]
                yield Case(machine, scheme, where, values)
                for task, cycles in zip(pair, (indirect.first, indirect.second), strict=True):
                    own = [("indirect_task", self.ms(cycles), "ms")]
                    yield Case(machine, scheme, {**where, "task": task}, own)


class Interrupting(Points[str, int]):
    """Single tasks that are interrupted n times; `direct` is D."""

    least, every = 0, TASKS

    def indirect_spread(self, task: str, n: int) -> tuple[float, float] | None:
        """The least and the largest I of single runs, each beside its own without interrupts."""
        alone, runs = self.runs[task, 0], self.runs[task, n]
        if len(alone) != len(runs) or len(runs) < 2:
            return None
        each = [run - base - n * self.direct for base, run in zip(alone, runs, strict=True)]
        return min(each), max(each)

    def cases(self, machine: str, scheme: str) -> Iterator[Case]:
        """D, and for each task and n what the formulas give."""
        once = [
            ("interrupt_direct", self.us(self.direct), "us"),
            ("interrupt_max_cv", self.max_cv(), "1"),
        ]
        yield Case(machine, scheme, {}, once)
        metric = "interrupt_indirect"
        for task in self.subjects:
            for n in self.counts(task):
                values = [
                    ("task_running", self.us(self.total(task, n)) / 1e6, "s"),
                    ("task_running_cv", variation(self.totals(task, n)), "1"),
                    *uncertain("task_running", self.interval(task, n)),
                    (metric, self.us(self.added(task, n)), "us"),
                    *(uncertain(metric, self.indirect_interval(task, n)) if n > 0 else []),
                    (f"{metric}_percent", self.indirect_percent(task, n), "%"),
                    ("interrupt_altogether_percent", self.altogether_percent(task, n), "%"),
                ]
                spread = self.indirect_spread(task, n) or ()
                for end, cycles in zip(("least", "most"), spread, strict=False):
                    values.append((f"{metric}_{end}", self.us(cycles), "us"))
                yield Case(machine, scheme, {"task": task, "interrupts": n}, values)


def variation(values: Sequence[float]) -> float:
    """The coefficient of variation, standard deviation over mean; 0 of a single value."""
    if len(values) < 2:
        return 0.0
    return statistics.stdev(values) / statistics.fmean(values)
