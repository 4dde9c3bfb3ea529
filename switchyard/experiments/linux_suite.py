# SPDX-License-Identifier: Apache-2.0
"""What the experiments on Linux share: runs of the suite, and where their cycles went.

A job is one question of `bench/unix` on one machine, from power-on. Each case is a region of
interest there and a stream of samples; the statistics' profile says what each function took in the
region.

Every question is asked in several boots, which lie differently in memory: init takes another
number of pages before the suite begins (`hold` in linux/user/init.c), and Linux draws other places
for stacks and mappings. Which of the kernel's pages and a program's share a set of the ARM926's
TLB, and so whether a system call walks, is drawn with them; one boot has one answer. Boots also go
through several links of the kernel, as the linker draws which lines of its code meet in a cache.
"""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Protocol

from switchyard.data.records import Parameter
from switchyard.data.rows import Row, number
from switchyard.data.suite import STREAMS, TIMING, Timed, pooled, timed
from switchyard.data.summary import Interval
from switchyard.errors import RunError
from switchyard.experiments import l4, repeats
from switchyard.run.build import TAGS
from switchyard.run.build_linux import BENCHES, Linux
from switchyard.run.experiment import Case, Job, Settings
from switchyard.run.machine import Function, Stats
from switchyard.show.figure import Bar, Bars, Table

SYSTEM = "linux"
SCHEME = "flush"  # what unmodified Linux does at each switch of address spaces
FAST = "fass"  # what it does with linux/6.12/fass, each process by itself
SHARED = "fass-shared"  # as FAST, but memory that processes share is in the TLBs once
OFF = "fass-off"  # a kernel that could, and is told not to
WORDS = {FAST: "fass=private ", OFF: "fass=off "}  # what tells the kernel so
# The machines, and of whose name the Linux is that runs on each.
MACHINES = ("sa1110", "versatilepb")
MHZ = {"sa1110": 200, "versatilepb": 210}
ABOUT = {"sa1110": "StrongARM SA-1110, 200 MHz", "versatilepb": "ARM926EJ-S, 210 MHz"}


@dataclass(frozen=True)
class Kernel:
    """A Linux on a machine, by how it switches address spaces."""

    board: str  # one of MACHINES
    scheme: str

    def __str__(self) -> str:
        """As tables, figures and the names of runs call it."""
        return self.board if self.scheme == SCHEME else f"{self.board}-{self.scheme}"

    @property
    def machine(self) -> str:
        """What it runs on."""
        return l4.machine(self.scheme, self.board)

    @property
    def where(self) -> dict[str, Parameter]:
        """What its records are of."""
        return {"machine": self.machine, "scheme": self.scheme}

    @property
    def linux(self) -> Linux:
        """Its build, with the suite on its RAM disk."""
        fast = self.scheme in (FAST, SHARED, OFF)
        return BENCHES[f"{self.board}-{FAST}" if fast else self.board]

    @property
    def word(self) -> str:
        """What its command line begins with: one kernel shares, unless it is told not to."""
        return WORDS.get(self.scheme, "")

    @property
    def about(self) -> str:
        """Machine, version and way to switch, for figures."""
        return f"{ABOUT[self.board]}, Linux {Linux.version}{HOW[self.scheme]}"

    @property
    def short(self) -> str:
        """The way it switches, where the machine is said elsewhere."""
        return SHORT[self.scheme]

    @property
    def does(self) -> str:
        """What it does when address spaces are switched."""
        return DOES[self.scheme]


# How each switches: after the machine's name, where that is said elsewhere, and as a verb.
CALLED = {
    SCHEME: ("", "flushing", "flushes at each switch"),
    FAST: (", fast switching", "fast", "switches fast"),
    SHARED: (
        ", fast switching, shared TLB entries",
        "fast, TLB entries shared",
        "switches fast and shares TLB entries",
    ),
    OFF: (
        ", fast switching turned off",
        "fass=off",
        "could switch fast and flushes at each switch",
    ),
    TAGS: (", hardware tags", "hardware tags", "has hardware tags and nothing to flush"),
}
HOW, SHORT, DOES = ({scheme: words[i] for scheme, words in CALLED.items()} for i in range(3))
# The kernels of each machine, and all. The one with tags is unmodified, on the machine that has
# them (docs/machine-tags.md): no way of switching could do better.
BOARDS = tuple(
    tuple(Kernel(machine, scheme) for scheme in (SCHEME, FAST, SHARED, TAGS))
    for machine in MACHINES
)
KERNELS = tuple(kernel for board in BOARDS for kernel in board)
# The paper's processor with the paper's three kernels.
ORIGINAL, FASTER, SHARER = KERNELS[:3]


def kernel(job: Job) -> Kernel:
    """What a job runs."""
    return Kernel(job.machine.removesuffix(f"-{TAGS}"), str(job.parameters["scheme"]))


def named(figure: str, kernel: Kernel) -> str:
    """What a figure of a kernel is called: the first kernel's has the plain name."""
    return figure if kernel == ORIGINAL else f"{figure}-{kernel}"


MAX_CYCLES = 40_000_000_000
# By how many pages boots differ: odd, so that over some boots the sets of a TLB (32 of the
# ARM926's) and of the caches are met evenly.
HELD = 37

# Links of a kernel through which boots go: as the linker has it, and with pads between its objects,
# other ones in each (linux/shift). In links moved as a whole, 1 to 3, a line of code meets the same
# others in a cache. What a pipe needs fills a StrongARM's: a quarter of its time is a link's luck.
# Pads are of words, not lines: where in a line functions begin would else be the same in all links.
LINKS = (0, 4, 5, 6, 7)

# The functions that write back and invalidate caches and TLBs (arch/arm/mm: cache-*.S, tlb-*.S,
# proc-*.S), whose every cycle is one for flushing; what is refilled afterwards is counted
# elsewhere.
FLUSHING = re.compile(
    r"__flush_whole_cache|cpu_\w+_(switch_mm|dcache_clean_area)"
    r"|(v4wbi?|v4|arm926|fa)_(flush|coherent|dma)\w*"
)

# The parts of a case's cycles, in the order in which they are drawn.
FLUSH = "flushing caches and TLBs"
IFILL = "filling the instruction cache"
DFILL = "filling the data cache"
WALKS = "filling the TLBs"
BUFFER = "waiting for the write buffer"
KERNEL = "the kernel's instructions"
PROGRAM = "the programs' instructions"
PARTS = (FLUSH, IFILL, DFILL, WALKS, BUFFER, KERNEL, PROGRAM)

# Counted for one operation, by the names of their records.
RATES = {
    "cycles": ("cycles",),
    "instructions": ("instructions",),
    # by the page directory or, fast, by the process ID
    "address_space_switches": ("ttb_writes", "pid_writes"),
    "flushes": ("icache_invalidate_all",),
    "icache_misses": ("icache_misses",),
    "dcache_misses": ("dcache_read_misses", "minicache_read_misses"),
    "itlb_misses": ("itlb_misses",),
    "dtlb_misses": ("dtlb_misses",),
    "interrupts": ("exception_irq",),
    "aborts": ("exception_data_abort", "exception_prefetch_abort"),
}
MISSES = ("icache_misses", "dcache_misses")


@dataclass(frozen=True)
class Measured:
    """One case: its times in cycles, and what was counted for each operation."""

    timed: Timed
    rates: Mapping[str, float]
    parts: Mapping[str, float]  # cycles
    functions: Mapping[str, float]  # instructions of each function of the kernel


@dataclass(frozen=True)
class Run:
    """One job: its cases by their streams."""

    machine: str
    clock_hz: int
    cases: Mapping[int, Measured]

    def us(self, cycles: float) -> float:
        """Cycles as time."""
        return cycles * 1e6 / self.clock_hz


Question = tuple[str, str, Mapping[str, Parameter]]  # of a job: name, what is asked, parameters


class Booted(Protocol):
    """A kernel as `jobs` knows it; what it is as text begins the jobs' names."""

    @property
    def linux(self) -> Linux:
        """Its build."""

    @property
    def machine(self) -> str:
        """What it runs on."""

    @property
    def scheme(self) -> str:
        """How it switches."""

    @property
    def word(self) -> str:
        """What its command line begins with; empty for nothing."""


def jobs(
    kernels: Iterable[Booted],
    questions: Sequence[Question],
    settings: Settings,
    boots: int | None = None,
    places: int = len(LINKS),
) -> list[Job]:
    """Jobs that ask each kernel's suite each question, one a boot; `places` as in `booted`."""
    return [
        job
        for kernel in kernels
        for name, words, parameters in questions
        for job in booted(
            kernel.linux,
            kernel.machine,
            f"{kernel}-{name}",
            words,
            {**parameters, "scheme": kernel.scheme},
            settings,
            boots,
            kernel.word,
            places,
        )
    ]


def booted(
    linux: Linux,
    machine: str,
    name: str,
    words: str,
    parameters: Mapping[str, Parameter],
    settings: Settings,
    boots: int | None = None,
    word: str = "",
    places: int = len(LINKS),
    profile: bool = True,
) -> list[Job]:
    """Such jobs of any Linux; `word` is for its kernel.

    Its boots go through so many of a kernel's links; 1 where there is only one. A run with a
    profile takes four times as long.
    """
    return [
        Job(
            name=repeats.run_name(name, boot),
            guest=replace(linux, shift=LINKS[boot % places]),
            machine=machine,
            append=linux.append(f"{word}quiet -- hold={1 + HELD * boot} bench {words} clock=probe"),
            max_cycles=MAX_CYCLES,
            parameters={**parameters, "boot": boot},
            profile=profile,
        )
        for boot in range(boots or repeats.boots(settings))
    ]


def means(job: Job, sample: Run) -> dict[str, Parameter]:
    """A run's row: the mean of each case of the question, in microseconds."""
    names = STREAMS[str(job.parameters["question"])]
    times = {
        f"{names[stream]}_us": sample.us(case.timed.summary.mean)
        for stream, case in sample.cases.items()
    }
    return {**job.parameters, **times}


def measure(
    job: Job,
    stats: Stats,
    streams: Sequence[int],
    counted: Mapping[str, Sequence[str]] = RATES,
    flushing: re.Pattern[str] = FLUSHING,
    batches: Mapping[int, int] = MappingProxyType({}),
    events: Mapping[str, int] = MappingProxyType({}),
) -> Run:
    """What a run says of these streams; without a profile, nothing of functions and parts.

    `counted`: which counters stand for what, and `events` which of the guest's; `flushing`: the
    functions that do nothing else; `batches`: of how many operations a sample is, where that is not
    one.
    """
    cases = {}
    for stream in streams:
        where = f"{job.name}: stream {stream}"
        batch = batches.get(stream, 1)
        once = timed(stats.samples.get(stream, []), stats.samples.get(TIMING, []), batch, where)
        region = stats.region(stream)
        counters = region.counters
        count = once.summary.count * batch
        if job.profile and stream not in stats.profile:
            raise RunError(f"{where}: no profile in the statistics")
        functions = stats.profile.get(stream, ())
        cases[stream] = Measured(
            timed=once,
            rates={name: counters.total(*names) / count for name, names in counted.items()}
            | {name: region.event(number) / count for name, number in events.items()},
            functions={f.name: f.instructions / count for f in functions if f.kernel},
            parts={part: taken / count for part, taken in parts(functions, flushing).items()},
        )
    return Run(stats.machine, stats.clock_hz, cases)


def together(runs: Mapping[str, Run]) -> dict[str, Run]:
    """The boots of each question as one: samples pooled, the counted in the mean over the boots."""
    return {
        name: Run(
            boots[0].machine,
            boots[0].clock_hz,
            {stream: _pooled([boot.cases[stream] for boot in boots]) for stream in boots[0].cases},
        )
        for name, boots in repeats.grouped(runs).items()
    }


def _pooled(boots: Sequence[Measured]) -> Measured:
    return Measured(
        pooled([boot.timed for boot in boots]),
        *(
            repeats.means([getattr(boot, counted) for boot in boots])
            for counted in ("rates", "parts", "functions")
        ),
    )


def parts(
    functions: Sequence[Function],
    flushing: re.Pattern[str] = FLUSHING,
    apart: Sequence[str] = (),
) -> dict[str, int]:
    """Where the cycles of a region went; of functions that flush, what is counted `apart`."""
    cycles = dict.fromkeys(PARTS, 0)
    for function in functions:
        waits = {
            IFILL: function.fetch_fill_cycles,
            DFILL: function.data_fill_cycles,
            WALKS: function.fetch_walk_cycles + function.data_walk_cycles,
            BUFFER: function.write_buffer_cycles,
        }
        own = KERNEL if function.kernel else PROGRAM
        if function.kernel and flushing.fullmatch(function.name):
            own = FLUSH
            waits = {part: waits[part] for part in apart}
        for part, waited in waits.items():
            cycles[part] += waited
        cycles[own] += function.cycles - sum(waits.values())
    return cycles


class Operation(Row):
    """A row of an operation, by the names of its metric: its mean is `value`."""

    @classmethod
    def of(cls, row: Row, metric: str) -> "Operation":
        """From the row of its records."""
        beside = {
            name.removeprefix(f"{metric}_"): value
            for name, value in row.items()
            if name.startswith(f"{metric}_")
        }
        ends = {f"value_{name}": beside[name] for name in ENDS if name in beside}
        return cls(row.where, {"value": row[metric], **beside, **ends})

    @property
    def parts(self) -> dict[str, float]:
        """Where its time went, in microseconds."""
        return {part: self[f"part: {part}"] for part in PARTS}

    @property
    def told(self) -> str:
        """Its largest parts in words."""
        return told(self.parts)


ENDS = ("p5", "p95", "uncertainty")  # what `Row` asks for beside a mean


def costs(title: str, cases: Sequence[tuple[str, Operation]], caption: str = "") -> Table:
    """What operations met, counted; and where their time went, in microseconds."""
    return Table(
        title=title,
        columns=[
            "benchmark", "switches", "instr.", "I-miss", "D-miss",
            "flush", "I-fill", "D-fill", "walks", "buffer", "kernel", "program",
        ],
        rows=[
            [
                name,
                f"{case['address_space_switches']:.1f}",
                f"{case['instructions']:.0f}",
                f"{case['icache_misses']:.0f}",
                f"{case['dcache_misses']:.0f}",
                *(number(us) for us in case.parts.values()),
            ]
            for name, case in cases
        ],
        caption=caption,
    )  # fmt: skip


def breakdown(
    title: str,
    subtitle: str,
    value_title: str,
    cases: Iterable[tuple[str, Operation]],
    beside: Mapping[str, float] | None = None,
) -> Bars:
    """Where the time of operations went; `beside` some what is published."""
    bars = []
    for case, operation in cases:
        bars += [Bar(case, part, us) for part, us in operation.parts.items()]
        if beside and case in beside:
            bars.append(Bar(case, "published, in all", beside[case], published=True))
    return Bars(title, subtitle.split("\n"), value_title, bars)


def told(parts: Mapping[str, float]) -> str:
    """The largest parts in words."""
    total = sum(parts.values())
    ordered = sorted(parts.items(), key=lambda item: -item[1])
    return ", ".join(f"{each / total:.0%} {part}" for part, each in ordered if each > total / 50)


def case(
    run: Run,
    measured: Measured,
    scheme: str,
    metric: str,
    where: Mapping[str, Parameter],
    *,
    value: Callable[[float], float] | None = None,
    unit: str = "us",
    divide: float = 1.0,
    interval: Interval | None = None,
) -> Case:
    """A case's value, its spread, what was counted and where the cycles went.

    `value` says what cycles are in the metric's unit, where they are not a part of the time.
    `interval` is that of the boots' means, where it is not that of the case's own times.
    """
    summary = measured.timed.summary
    value = value or (lambda cycles: run.us(cycles) / divide)
    # the longest time is the least rate
    low, high = sorted([value(summary.p5), value(summary.p95)])
    known = (interval or measured.timed.interval).uncertainty
    beside = [
        ("p5", low, unit),
        ("median", value(summary.median), unit),
        ("p95", high, unit),
        ("samples", summary.count, "1"),
        ("boots", len(measured.timed.means), "1"),
        # of a single boot nothing is known
        *([("uncertainty", known, "1")] if known != math.inf else []),
        *((name, rate / divide, "per_operation") for name, rate in measured.rates.items()),
        *((f"part: {part}", run.us(each) / divide, "us") for part, each in measured.parts.items()),
    ]
    values = [(metric, value(summary.mean), unit)]
    values += [(f"{metric}_{name}", number, its_unit) for name, number, its_unit in beside]
    return Case(run.machine, scheme, where, values)


# Figures of operations say so of their bars.
BARS = "bars: 95 % confidence interval of the mean, over the boots"


def ticks(highest: float, step: float) -> tuple[tuple[float, float], list[float]]:
    """The range of an axis from 0 to above `highest`, and its ticks."""
    count = int(highest / step) + 1
    return (0.0, count * step), [step * n for n in range(count + 1)]
