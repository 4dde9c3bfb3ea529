# SPDX-License-Identifier: Apache-2.0
"""Runs of bench/p4: one a machine, every case and series."""

import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from switchyard.errors import RunError
from switchyard.experiments.p4_microbench.cases import CASES, STAMPED, Stream, streams
from switchyard.run.build import BARE, GUESTS, PC
from switchyard.run.experiment import BandPlan, Case, Experiment, Job, Settings
from switchyard.run.machine import Region, Stats

MACHINES = ("p4-willamette", "p4-northwood")

PAIRS, QUICK_PAIRS = 9, 3
LEAST, QUICK_LEAST = 16_384, 2048  # steps of a sample in a series
MOST_CYCLES = 20_000_000_000

# The points of the series, by the names of the guest's lists: KB, KB, pages, µops, entries.
K = 1024
LISTS = {
    "load": (
        *(2, 4, 6, 8, 10, 12, 16, 24, 32, 48, 64, 96, 128, 160, 192, 224, 256, 288, 320, 384),
        *(512, 768, 1024, 1536, 2048, 3072, 4096),
    ),
    "store": (4, 16, 64, 256, 1024, 4096),
    "pages": (8, 16, 24, 32, 40, 48, 56, 60, 64, 68, 72, 80, 96, 128, 192, 256, 384, 512),
    "uops": tuple(n * K for n in (1, 2, 4, 6, 8, 9, 10, 11, 12, 14, 16, 20, 24)),
    "entries": (1, 2, 4, 8, 16, 24, 32, 40, 48, 56, 60),
}
QUICK_LISTS = {
    "load": (2, 4, 8, 16, 64, 128, 512, 4096),
    "store": (4, 64, 4096),
    "pages": (8, 32, 56, 64, 80, 128, 512),
    "uops": tuple(n * K for n in (1, 4, 8, 12, 16, 24)),
    "entries": (1, 8, 32, 60),
}

TLB_ENTRIES = 64
TRACE_UOPS = 12 * K
# Of the trace cache so much is filled without that one set takes lines from itself: the share of
# the whole that is measured.
TRACE_MEASURED = 8 * K
# A TLB reaches as far as less than so many of the steps walk. Some of its entries are the loop's.
REACHED = 0.1
BUILT = 0.01  # as far reaches the trace cache: a trace is of six µops


@dataclass(frozen=True)
class Turn:
    """A point: the cycles of a turn of its loop, and what was counted."""

    cycles: float
    steps: int
    turns: int  # in all of the region
    region: Region

    @property
    def step(self) -> float:
        """Cycles of a step."""
        return self.cycles / self.steps

    def counted(self, name: str) -> float:
        """What a counter says of each step."""
        return self.region.counters.total(name) / (self.turns * self.steps)


@dataclass(frozen=True)
class Sample:
    """A machine: cycles by case, and values by the place in a series."""

    machine: str
    cycles: Mapping[str, float] = field(hash=False)
    series: Mapping[tuple[str, int], Mapping[str, float]] = field(hash=False)


class P4Microbench(Experiment[Sample]):
    """The machine beside the processor."""

    name = "p4-microbench"
    question = "What do the Pentium 4's caches, TLBs, trace cache and ways into the kernel cost?"
    source = "manuals, the paper on small spaces and mails, named at each value"
    digits = 3
    # What rests most on what is assumed, on the paper's machine.
    band = BandPlan("int80", "cycles", MACHINES[:1], label="INT 80h and IRET, {machine}")

    def jobs(self, settings: Settings) -> list[Job]:
        lists = QUICK_LISTS if settings.quick or settings.rounds else LISTS
        words = {
            "pairs": settings.times(PAIRS, QUICK_PAIRS),
            "least": QUICK_LEAST if settings.quick or settings.rounds else LEAST,
            **{name: ",".join(map(str, some)) for name, some in lists.items()},
        }
        return [
            Job(
                name=machine,
                guest=GUESTS[f"{PC}-{BARE}-bench-p4"],
                machine=machine,
                append=" ".join(f"{name}={value}" for name, value in words.items()),
                max_cycles=MOST_CYCLES,
                parameters={"machine": machine},
            )
            for machine in MACHINES
        ]

    def measure(self, job: Job, stats: Stats) -> Sample:
        """Every point by its stream, then what follows from several."""
        lists = {name: job.numbers(name) for name in LISTS}
        pairs = job.number("pairs")
        turns = {
            stream: turn(stats, number, pairs, stream)
            for number, stream in enumerate(streams(lists))
        }
        cycles = _cases(turns)
        series = _series(turns, lists, cycles["cr3_load_global"])
        return Sample(job.name, cycles | _whole(series), series)

    def cases(self, samples: Mapping[str, Sample]) -> Iterator[Case]:
        for machine, sample in samples.items():
            series = [({name: at}, values) for (name, at), values in sample.series.items()]
            for where, values in [({}, sample.cycles), *series]:
                told = [(metric, value, unit(metric)) for metric, value in values.items()]
                yield Case(machine, "none", where, told)


def unit(metric: str) -> str:
    """The unit of a metric."""
    if metric.endswith("_reach"):
        return "µops" if metric == "trace_reach" else "pages"
    return "1" if metric.endswith(("_walks", "_builds", "mispredicted")) else "cycles"


def turn(stats: Stats, number: int, pairs: int, stream: Stream) -> Turn:
    """Cycles of a turn, the middle: the second of a pair has the stream's first number more."""
    what = f"{stream.name} {stream.at or ''}".strip()
    samples = list(stats.samples.get(number, []))
    if len(samples) != 2 + 2 * pairs:
        raise RunError(f"{what}: {len(samples)} samples, expected {2 + 2 * pairs}")
    times, steps, *times_taken = samples
    more = statistics.median(
        second - first for first, second in zip(times_taken[::2], times_taken[1::2], strict=True)
    )
    if more <= 0:
        raise RunError(f"{what}: {times} turns more take {more} cycles more; expected some")
    return Turn(more / times, steps, 3 * pairs * times, stats.region(number))


def _cases(turns: Mapping[Stream, Turn]) -> dict[str, float]:
    """Cycles of each case's step, without the loop."""
    empty = turns[Stream("empty")].cycles
    cycles = {
        name: (case.cycles - (0 if name == "empty" or name in STAMPED else empty)) / case.steps
        for name in CASES
        for case in [turns[Stream(name)]]
    }
    cycles |= {name: cycles[name] - cycles["rdtsc"] for name in STAMPED}
    random, predictable = (turns[Stream(f"branch_{name}")] for name in ("random", "predictable"))
    counter = "branch_mispredictions"
    missed = random.counted(counter) - predictable.counted(counter)
    cycles["misprediction"] = (random.step - predictable.step) / missed
    cycles["mispredicted"] = missed
    cycles["self_modification"] = cycles["self_modifying"] - cycles["store_and_call"]
    return cycles


def _series(
    turns: Mapping[Stream, Turn], lists: Mapping[str, Sequence[int]], cr3_load: float
) -> dict[tuple[str, int], dict[str, float]]:
    """Values by the parameter that the records have, and its value."""
    series: dict[tuple[str, int], dict[str, float]] = {}
    for kb in lists["load"]:
        series["kb", kb] = {"load_latency": turns[Stream("load", kb)].step}
    for kb in lists["store"]:
        there = series.setdefault(("kb", kb), {})
        there["store_through"] = turns[Stream("store_through", kb)].step
    for pages in lists["pages"]:
        line, jump = turns[Stream("line", pages)], turns[Stream("jump", pages)]
        series["pages", pages] = {
            "line": line.step,
            "line_in_one_page": turns[Stream("line_in_one_page", pages)].step,
            "line_walks": line.counted("dtlb_misses"),
            "jump": jump.step,
            "jump_in_one_page": turns[Stream("jump_in_one_page", pages)].step,
            "jump_walks": jump.counted("itlb_misses"),
        }
    for uops in lists["uops"]:
        straight, refilled = (turns[Stream(name, uops)] for name in ("straight", "cr3_straight"))
        series["uops", uops] = {
            "uop": straight.step,
            "uop_builds": straight.counted("trace_cache_misses"),
            "trace_refill": refilled.cycles - straight.cycles - cr3_load,
        }
    for entries in lists["entries"]:
        at = series["entries", entries] = {}
        for tlb, what in (("dtlb", "lines"), ("itlb", "jumps")):
            lost, kept, before = (
                turns[Stream(name, entries)].cycles
                for name in (f"cr3_{what}", f"cr3_{what}_global", what)
            )
            at |= {f"{tlb}_refill": lost - kept, f"{tlb}_kept": kept - before}
    return series


def _whole(series: Mapping[tuple[str, int], Mapping[str, float]]) -> dict[str, float]:
    """What the series say of a structure as a whole."""

    def along(name: str) -> dict[int, Mapping[str, float]]:
        return {at: values for (parameter, at), values in series.items() if parameter == name}

    pages, entries = along("pages"), along("entries")
    far, most = pages[max(pages)], max(entries)
    values = {}
    for tlb, what in (("dtlb", "line"), ("itlb", "jump")):
        more = far[what] - far[f"{what}_in_one_page"]
        values[f"{tlb}_miss"] = more / far[f"{what}_walks"]
        reached = [at for at, values in pages.items() if values[f"{what}_walks"] < REACHED]
        values[f"{tlb}_reach"] = max(reached, default=0)
        values[f"{tlb}_refill_whole"] = entries[most][f"{tlb}_refill"] / most * TLB_ENTRIES
    uops = along("uops")
    built = {at: values["uop_builds"] for at, values in uops.items()}
    values["trace_reach"] = max((at for at in built if built[at] < BUILT), default=0)
    refill = uops[TRACE_MEASURED]["trace_refill"]
    values["trace_refill_whole"] = refill / TRACE_MEASURED * TRACE_UOPS
    return values
