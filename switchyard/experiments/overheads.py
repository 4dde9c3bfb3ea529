# SPDX-License-Identifier: Apache-2.0
"""Direct and indirect overheads of context switches and of interrupts: formulas, published values.

After F. David, J. Carlyle, R. Campbell, "Context Switch Overheads for Linux on ARM Platforms"
(ExpCS 2007), whose method and words are used: two tasks hand over to each other n times, a task is
interrupted n times, and what the running time grows by beyond the price of a switch (C) or of an
interrupt (D) is the indirect overhead. Nothing here knows an operating system: an experiment
measures cycles of runs, this file says what they mean, `overheads_show` shows it.
"""

import itertools
import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from switchyard.errors import RunError
from switchyard.records import Parameter, Published, Record
from switchyard.summary import Interval

PAPER = "David et al., ExpCS 2007"

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


def _published(value: float, where: str) -> Published:
    return Published(value, f"{PAPER}, {where}")


# Section 3.2.
DIRECT = _published(48.0, "section 3.2")  # µs
DIRECT_ALL = _published(4.75, "section 3.2")  # ms, of 99 switches
RUNNING = {  # seconds of both tasks, n = 1
    ("sort", "deflate"): _published(7.159, "section 3.2"),
    ("aes", "crc"): _published(6.6, "section 3.2"),
}
INDIRECT = {  # ms at 99 switches
    ("sort", "deflate"): _published(10.3, "section 3.2"),
    ("aes", "crc"): _published(6.9, "section 3.2"),
}
INDIRECT_PERCENT = {
    ("sort", "deflate"): _published(0.14, "section 3.2"),
    ("aes", "crc"): _published(0.10, "section 3.2"),
    ("aes", "deflate"): _published(0.18, "section 3.2, the largest of all pairs"),
}
ALTOGETHER_PERCENT = (0.17, 0.25)  # direct and indirect, over the pairs
# Of one task at 99 switches, ms: "below 2", "2.5", "between 6 and 8".
OF_TASK = {"crc": (0.0, 2.0), "sort": (2.5, 2.5), "aes": (6.0, 8.0), "deflate": (6.0, 8.0)}

# Section 4.2.
INTERRUPT_RUNNING = {"sort": _published(3.64, "section 4.2")}  # seconds
INTERRUPT_PERCENT = {  # indirect, at 49 interrupts
    "sort": _published(0.01, "section 4.2"),
    "deflate": _published(0.02, "section 4.2"),
    "aes": _published(0.09, "section 4.2"),
    "crc": _published(0.05, "section 4.2"),
}
INTERRUPT_ALTOGETHER_PERCENT = (0.28, 0.38)


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


@dataclass(frozen=True)
class Switching:
    """Runs of pairs on one system, and what follows from them. Means over the runs of a point."""

    clock_hz: int
    direct: float  # C, in cycles
    runs: Mapping[tuple[Pair, int], Sequence[PairRun]]

    @property
    def pairs(self) -> list[Pair]:
        """Those measured, in the paper's order."""
        return [pair for pair in PAIRS if (pair, 1) in self.runs]

    def counts(self, pair: Pair) -> list[int]:
        """The numbers of switches that there are runs with."""
        return sorted(n for one, n in self.runs if one == pair)

    @property
    def most(self) -> int:
        """The largest number of switches that all pairs have: 99, or fewer in a quick run."""
        return min(self.counts(pair)[-1] for pair in self.pairs)

    def ms(self, cycles: float) -> float:
        """Cycles as time."""
        return cycles * 1e3 / self.clock_hz

    def total(self, pair: Pair, n: int) -> float:
        """R'_total; R_total with n = 1."""
        return statistics.fmean(run.total for run in self.runs[pair, n])

    def direct_of(self, n: int) -> float:
        """Of n switches: n C."""
        return n * self.direct

    def indirect(self, pair: Pair, n: int) -> Indirect:
        """I and its components. With n = 1 all are 0."""
        alone, runs = self.runs[pair, 1], self.runs[pair, n]
        switching = statistics.fmean(sum(run.switches) for run in runs)
        once = statistics.fmean(sum(run.switches) for run in alone)
        return Indirect(
            _mean(run.first for run in runs) - _mean(run.first for run in alone),
            _mean(run.second for run in runs) - _mean(run.second for run in alone),
            switching - n * self.direct - (once - self.direct),
        )

    def interval(self, pair: Pair, n: int) -> Interval:
        """Of the running time, over the runs."""
        return Interval.of([run.total for run in self.runs[pair, n]])

    def indirect_interval(self, pair: Pair, n: int) -> Interval:
        """Of the indirect overhead: each run beside its own with a single switch."""
        between = [run.total - (n - 1) * self.direct for run in self.runs[pair, n]]
        return _beside(between, [run.total for run in self.runs[pair, 1]])

    def work(self, pair: Pair) -> float:
        """R_total - C: both tasks without the one switch's direct overhead."""
        return self.total(pair, 1) - self.direct

    def indirect_percent(self, pair: Pair, n: int) -> float:
        """I, of R_total."""
        return 100 * self.indirect(pair, n).total / self.total(pair, 1)

    def altogether_percent(self, pair: Pair, n: int) -> float:
        """R'_total - (R_total - C), direct and indirect, of R_total."""
        return 100 * (self.total(pair, n) - self.work(pair)) / self.total(pair, 1)

    def max_cv(self) -> float:
        """The largest coefficient of variation of a point's running times."""
        return max(variation([run.total for run in runs]) for runs in self.runs.values())

    def max_deviation(self) -> float:
        """The largest standard deviation of a point's running times, in cycles."""
        return max(
            statistics.stdev([run.total for run in runs]) if len(runs) > 1 else 0.0
            for runs in self.runs.values()
        )


@dataclass(frozen=True)
class Interrupting:
    """Runs of single tasks that are interrupted n times; cycles. Means over the runs of a point."""

    clock_hz: int
    direct: float  # D, in cycles
    runs: Mapping[tuple[str, int], Sequence[int]]

    @property
    def tasks(self) -> list[str]:
        """Those measured, in the order of `TASKS`."""
        return [task for task in TASKS if (task, 0) in self.runs]

    def counts(self, task: str) -> list[int]:
        """The numbers of interrupts that there are runs with."""
        return sorted(n for one, n in self.runs if one == task)

    @property
    def most(self) -> int:
        """The largest number of interrupts that all tasks have."""
        return min(self.counts(task)[-1] for task in self.tasks)

    def us(self, cycles: float) -> float:
        """Cycles as time."""
        return cycles * 1e6 / self.clock_hz

    def total(self, task: str, n: int) -> float:
        """R'_task; R_task with n = 0."""
        return statistics.fmean(self.runs[task, n])

    def indirect(self, task: str, n: int) -> float:
        """I = R'_task - R_task - n D."""
        return self.total(task, n) - self.total(task, 0) - n * self.direct

    def interval(self, task: str, n: int) -> Interval:
        """Of the running time, over the runs."""
        return Interval.of(self.runs[task, n])

    def indirect_interval(self, task: str, n: int) -> Interval:
        """Of the indirect overhead: each run beside its own without interrupts."""
        return _beside([run - n * self.direct for run in self.runs[task, n]], self.runs[task, 0])

    def indirect_spread(self, task: str, n: int) -> tuple[float, float] | None:
        """The least and the largest I of single runs, each beside its own without interrupts."""
        alone, runs = self.runs[task, 0], self.runs[task, n]
        if len(alone) != len(runs) or len(runs) < 2:
            return None
        each = [run - base - n * self.direct for base, run in zip(alone, runs, strict=True)]
        return min(each), max(each)

    def indirect_percent(self, task: str, n: int) -> float:
        """I, of R_task."""
        return 100 * self.indirect(task, n) / self.total(task, 0)

    def altogether_percent(self, task: str, n: int) -> float:
        """Direct and indirect, of R_task."""
        return 100 * (self.total(task, n) / self.total(task, 0) - 1)

    def max_cv(self) -> float:
        """The largest coefficient of variation of a point's running times."""
        return max(variation(runs) for runs in self.runs.values())


def variation(values: Sequence[float]) -> float:
    """The coefficient of variation, standard deviation over mean; 0 of a single value."""
    if len(values) < 2:
        return 0.0
    return statistics.stdev(values) / statistics.fmean(values)


def _beside(runs: Sequence[float], alone: Sequence[float]) -> Interval:
    """Of the differences of runs; unknown where they are not as many, and have no partners."""
    if len(runs) != len(alone):
        return Interval(statistics.fmean(runs) - statistics.fmean(alone), math.inf)
    return Interval.of([run - base for base, run in zip(alone, runs, strict=True)])


def _mean(values: Iterable[int]) -> float:
    return statistics.fmean(values)


@dataclass(frozen=True)
class Origin:
    """What the records of a measurement have in common."""

    experiment: str
    machine: str
    system: str
    scheme: str

    def record(
        self,
        metric: str,
        value: float,
        unit: str,
        parameters: Mapping[str, Parameter],
        published: Published | None = None,
    ) -> Record:
        """One of them."""
        return Record(
            experiment=self.experiment,
            machine=self.machine,
            system=self.system,
            scheme=self.scheme,
            metric=metric,
            value=round(value, 6),
            unit=unit,
            parameters=parameters,
            published=published,
        )


def name_of(pair: Pair) -> str:
    """A pair as records and jobs have it."""
    return "-".join(pair)


def switch_records(origin: Origin, found: Switching) -> list[Record]:
    """C, and for each pair and n what the formulas give; published values where the text has any.

    The text's values are of 99 switches: at fewer there are none.
    """
    c_us = found.ms(found.direct) * 1e3
    made = [
        origin.record("switch_direct", c_us, "us", {}, DIRECT),
        origin.record("switch_max_cv", found.max_cv(), "1", {}),
    ]
    for pair in found.pairs:
        for n in found.counts(pair):
            made += _pair_records(origin, found, pair, n)
    return made


def _pair_records(origin: Origin, found: Switching, pair: Pair, n: int) -> list[Record]:
    parameters: dict[str, Parameter] = {"pair": name_of(pair), "switches": n}
    full = n == MOST_SWITCHES
    indirect = found.indirect(pair, n)

    def record(
        metric: str, value: float, unit: str, paper: Published | None = None, **more: Parameter
    ) -> Record:
        return origin.record(metric, value, unit, {**parameters, **more}, paper)

    paper = RUNNING.get(pair) if n == 1 and found.most == MOST_SWITCHES else None
    made = [
        record("running", found.ms(found.total(pair, n)) / 1e3, "s", paper),
        record("running_cv", variation([run.total for run in found.runs[pair, n]]), "1"),
        record("runs", len(found.runs[pair, n]), "1"),
        *(record(*one) for one in _uncertain("running", found.interval(pair, n))),
        record("direct", found.ms(found.direct_of(n)), "ms", DIRECT_ALL if full else None),
        record("indirect", found.ms(indirect.total), "ms", INDIRECT.get(pair) if full else None),
        record(
            "indirect_percent",
            found.indirect_percent(pair, n),
            "%",
            INDIRECT_PERCENT.get(pair) if full else None,
        ),
        *(
            record(*one)
            for one in _uncertain("indirect", found.indirect_interval(pair, n))
            if n > 1
        ),
        record("altogether_percent", found.altogether_percent(pair, n), "%"),
        record("indirect_switches", found.ms(indirect.inflation), "ms"),
    ]
    for task, cycles in zip(pair, (indirect.first, indirect.second), strict=True):
        made.append(record("indirect_task", found.ms(cycles), "ms", task=task))
    return made


def _uncertain(metric: str, known: Interval) -> list[tuple[str, float, str, None]]:
    """Half the interval as a share of the mean, where there are runs enough to know of one."""
    if known.uncertainty == math.inf:
        return []
    return [(f"{metric}_uncertainty", known.uncertainty, "1", None)]


def interrupt_records(origin: Origin, found: Interrupting) -> list[Record]:
    """D, and for each task and n what the formulas give."""
    made = [
        origin.record("interrupt_direct", found.us(found.direct), "us", {}),
        origin.record("interrupt_max_cv", found.max_cv(), "1", {}),
    ]
    for task in found.tasks:
        for n in found.counts(task):
            parameters: dict[str, Parameter] = {"task": task, "interrupts": n}
            full = n == MOST_INTERRUPTS
            values: list[tuple[str, float, str, Published | None]] = [
                (
                    "task_running",
                    found.us(found.total(task, n)) / 1e6,
                    "s",
                    INTERRUPT_RUNNING.get(task)
                    if n == 0 and found.most == MOST_INTERRUPTS
                    else None,
                ),
                ("task_running_cv", variation(found.runs[task, n]), "1", None),
                *_uncertain("task_running", found.interval(task, n)),
                ("interrupt_indirect", found.us(found.indirect(task, n)), "us", None),
                *(
                    _uncertain("interrupt_indirect", found.indirect_interval(task, n))
                    if n > 0
                    else []
                ),
                (
                    "interrupt_indirect_percent",
                    found.indirect_percent(task, n),
                    "%",
                    INTERRUPT_PERCENT.get(task) if full else None,
                ),
                ("interrupt_altogether_percent", found.altogether_percent(task, n), "%", None),
            ]
            made += [
                origin.record(metric, value, unit, parameters, paper)
                for metric, value, unit, paper in values
            ]
    return made
