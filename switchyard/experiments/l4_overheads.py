# SPDX-License-Identifier: Apache-2.0
"""Direct and indirect overheads of a context switch and of an interrupt, on the microkernel.

After David et al. (ExpCS 2007; `overheads` has its formulas and values), on their processor: two
tasks in spaces of their own hand over to each other by ThreadSwitch, or one is interrupted
(bench/l4/overheads.c). Scheme `flush` is what the paper's Linux does at a switch, the others are
what there is to save. Every run is from power-on; the runs of a point differ in how many lines the
tasks have read before, which moves the generator by which the caches choose what to replace.
"""

import dataclasses
import re
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from switchyard.build import GUESTS, VERSATILE, schemes_on
from switchyard.errors import RunError
from switchyard.experiments import overheads
from switchyard.experiments.experiment import FromRuns, Job, Outcome, Settings
from switchyard.experiments.l4_overheads_notes import Found, Parts, figures, notes, tables
from switchyard.experiments.overheads import (
    INVOCATIONS,
    MOST_INTERRUPTS,
    MOST_SWITCHES,
    PAIRS,
    RUNS,
    TASKS,
    Interrupting,
    Origin,
    Pair,
    PairRun,
    Switching,
    name_of,
)
from switchyard.machine import Function, Region, Stats
from switchyard.records import Parameter, Record

NAME = "l4-overheads"
MACHINE = "omap1610"
SYSTEM = "switchyard-l4"
PROGRAM = "bench-overheads"
SCHEMES = schemes_on(VERSATILE)
PUBLISHED = "flush"  # the scheme that is measured as often as the paper did, and set beside it

# The tasks' work (bench/l4/overheads.c): bytes of the data set and how often it is gone through, in
# the order of TASKS. In full each takes the 3 to 4 seconds of section 3.1; bubble sort's data set
# has the size of the data cache.
FULL = "size=8192,589824,1048576,1048576 passes=1,2,5,32"
QUICK = "size=2048,65536,65536,65536 passes=1,1,1,1"
TINY = "size=2048,4096,4096,4096 passes=1,1,1,1"  # where no work is done

COUNTS, QUICK_COUNTS = (1, 25, 49, 75, MOST_SWITCHES), (1, 9, 19)
INTERRUPTS, QUICK_INTERRUPTS = (0, 9, 19, 29, 39, MOST_INTERRUPTS), (0, 9)
QUICK_RUNS = 2
OTHER_RUNS = 3  # a point of the other schemes, at the ends only
DIRECT_TIMES = 20  # switches from cold caches, whose mean is C
HANDLERS = {"own": 1, "other": 2}  # in the interrupted task's space, or in one of its own
# Lines that tasks read before run 0, 1, ...: no multiple of the generator's period of 2^16 - 1.
LINES_A_RUN = 997
MAX_CYCLES = 4_000_000_000

# bench/l4/overheads.h
FIRST, SECOND, SWITCHES = 1, 2, 3
TIMING, STAMPS, RESULTS, INVOKED = 0, 1, 2, 3

# The kernel's functions that empty caches and TLBs.
FLUSHING = re.compile(r"cpu_flush_caches|flush_and_load")


@dataclass(frozen=True)
class Counted:
    """What was counted in regions together, which took so many cycles."""

    cycles: int
    icache_misses: int
    dcache_misses: int
    fill: int  # cycles
    walk: int
    buffer: int

    @classmethod
    def of(cls, regions: Sequence[Region], cycles: int) -> "Counted":
        """The sum."""

        def sum_of(*names: str) -> int:
            return sum(region.counters.total(*names) for region in regions)

        return cls(
            cycles,
            sum_of("icache_misses"),
            sum_of("dcache_read_misses"),
            sum_of("fill_stall_cycles"),
            sum_of("walk_stall_cycles"),
            sum_of("write_buffer_stall_cycles"),
        )


@dataclass(frozen=True)
class Point:
    """What one run said; which fields there are depends on what it was asked."""

    mode: str
    scheme: str
    machine: str
    clock_hz: int
    subject: str  # a pair, a task, or the handler's place
    n: int
    results: tuple[int, ...] = ()
    pair: PairRun | None = field(default=None, hash=False)
    tasks: Counted | None = None
    switches: tuple[int, ...] = ()  # direct: from cold caches
    timing: int = 0
    cycles: int = 0  # of an interrupted task, or of INVOCATIONS interrupts
    parts: Mapping[str, float] = field(default_factory=dict, hash=False)  # of a switch


class L4Overheads(FromRuns[Point]):
    """Figs. 2, 3 and 5, and what other schemes save."""

    name = NAME
    question = "What do a context switch and an interrupt cost directly, and what indirectly?"
    source = f"{overheads.PAPER}, Figs. 2, 3, 5"

    band_metric = ("direct_us", "us")
    band_system = SYSTEM
    band_label = "{scheme}-{mode}"
    band_published: Mapping[str, float] = {"flush-direct": overheads.DIRECT.value}

    def band_jobs(self, settings: Settings) -> list[Job]:
        """C, a switch from cold caches, by the paper's way and the fast one."""
        del settings
        return [_direct(scheme) for scheme in ("flush", "fass")]

    def row(self, job: Job, point: Point) -> dict[str, Parameter]:
        """With C, where the run has measured it."""
        found = super().row(job, point)
        if point.switches:
            found["direct_us"] = _direct_cycles(point) * 1e6 / point.clock_hz
        return found

    def jobs(self, settings: Settings) -> list[Job]:
        """Pairs, single tasks and the direct costs, for each scheme."""
        size = QUICK if settings.quick else FULL
        counts = QUICK_COUNTS if settings.quick else COUNTS
        interrupts = QUICK_INTERRUPTS if settings.quick else INTERRUPTS
        most = settings.rounds or (QUICK_RUNS if settings.quick else RUNS)
        made = []
        for scheme in SCHEMES:
            full = scheme == PUBLISHED
            runs = range(most if full else min(most, OTHER_RUNS))
            made.append(_direct(scheme))
            made += [_invoke(scheme, handler) for handler in HANDLERS]
            for pair in PAIRS:
                for n in counts if full else (counts[0], counts[-1]):
                    made += [_pair(scheme, pair, n, run, size) for run in runs]
            for task in TASKS:
                for n in interrupts if full else (interrupts[0], interrupts[-1]):
                    made += [_alone(scheme, task, n, run, size) for run in runs]
        return made

    def measure(self, job: Job, stats: Stats) -> Point:
        """Stamps become cycles; a run with interrupts that were not asked for is none."""
        mode, scheme = str(job.parameters["mode"]), str(job.parameters["scheme"])
        n = int(job.parameters.get("n", 0))
        subject = str(job.parameters["subject"])
        results = tuple(_samples(job, stats, RESULTS))
        point = Point(mode, scheme, stats.machine, stats.clock_hz, subject, n, results)
        regions = [region for region in stats.regions if region.id in (FIRST, SECOND, SWITCHES)]
        interrupted = sum(region.counters.total("exception_irq") for region in regions)
        expected = {"alone": n, "invoke": INVOCATIONS}.get(mode, 0)
        if interrupted != expected:
            raise RunError(f"{job.name}: {interrupted} interrupts; expected {expected}")
        if mode == "direct":
            return _measured_direct(job, stats, point)
        if mode == "invoke":
            (cycles,) = _samples(job, stats, INVOKED)
            return dataclasses.replace(point, cycles=cycles)
        stamps = _samples(job, stats, STAMPS)
        if mode == "alone":
            if len(stamps) != 2:
                raise RunError(f"{job.name}: {len(stamps)} time stamps; expected 2")
            return dataclasses.replace(point, cycles=(stamps[1] - stamps[0]) % 2**32)
        pair = PairRun.of_stamps(stamps, job.name)
        if len(pair.switches) != n:
            raise RunError(f"{job.name}: {len(pair.switches)} switches; expected {n}")
        _in_turns(job, stats, pair)
        # the regions have the accesses in them with which slices end; the stamps do not
        tasks = Counted.of([stats.region(FIRST), stats.region(SECOND)], pair.first + pair.second)
        return dataclasses.replace(point, pair=pair, tasks=tasks)

    def outcome(self, points: Mapping[str, Point]) -> Outcome:
        """Records, the paper's figures again, and the schemes beside each other."""
        schemes = {
            scheme: _found([point for point in points.values() if point.scheme == scheme])
            for scheme in SCHEMES
        }
        drawn = figures(schemes)
        return Outcome(
            records=_records(schemes),
            tables=tables(schemes),
            figure=drawn.pop(""),
            notes=notes(schemes),
            more=drawn,
        )


# ---- jobs ----


def _job(
    scheme: str, name: str, append: str, parameters: Mapping[str, Parameter], profile: bool = False
) -> Job:
    return Job(
        name=f"{scheme}-{name}",
        guest=GUESTS[f"{VERSATILE}-{scheme}-{PROGRAM}"],
        machine=MACHINE,
        append=append,
        max_cycles=MAX_CYCLES,
        parameters={"scheme": scheme, **parameters},
        profile=profile,
    )


def _direct(scheme: str) -> Job:
    append = f"mode=direct times={DIRECT_TIMES} first=3 second=3 {TINY}"
    return _job(scheme, "direct", append, {"mode": "direct", "subject": "switch"}, profile=True)


def _invoke(scheme: str, handler: str) -> Job:
    append = f"mode=invoke times={INVOCATIONS} handler={HANDLERS[handler]} first=3 {TINY}"
    return _job(scheme, f"invoke-{handler}", append, {"mode": "invoke", "subject": handler})


def _pair(scheme: str, pair: Pair, n: int, run: int, size: str) -> Job:
    first, second = (TASKS.index(task) for task in pair)
    return _job(
        scheme,
        f"{name_of(pair)}-{n}-{run}",
        f"mode=pair first={first} second={second} switches={n} warm={LINES_A_RUN * run} {size}",
        {"mode": "pair", "subject": name_of(pair), "n": n, "run": run},
    )


def _alone(scheme: str, task: str, n: int, run: int, size: str) -> Job:
    return _job(
        scheme,
        f"{task}-interrupted-{n}-{run}",
        f"mode=alone first={TASKS.index(task)} interrupts={n} warm={LINES_A_RUN * run} {size}",
        {"mode": "alone", "subject": task, "n": n, "run": run},
    )


# ---- runs ----


def _samples(job: Job, stats: Stats, stream: int) -> list[int]:
    found = stats.samples.get(stream)
    if not found:
        raise RunError(f"{job.name}: no samples in stream {stream}")
    return list(found)


def _in_turns(job: Job, stats: Stats, pair: PairRun) -> None:
    """The stamps do not say whose they are, the regions do: each task's own slices, and all."""
    for number, cycles in ((FIRST, pair.first), (SECOND, pair.second)):
        region = stats.region(number)
        # the two accesses with which a slice ends are in the region
        extra = region.counters.total("cycles") - cycles
        if not 0 <= extra <= 200 * region.entries:
            raise RunError(f"{job.name}: region {number} and the time stamps differ by {extra}")


def _measured_direct(job: Job, stats: Stats, point: Point) -> Point:
    """Stamps are b e b e: of the first task, the second, the first, ...: a switch every second."""
    stamps = _samples(job, stats, STAMPS)
    if len(stamps) != 4 * DIRECT_TIMES:
        raise RunError(f"{job.name}: {len(stamps)} time stamps; expected {4 * DIRECT_TIMES}")
    switches = [(stamps[i + 2] - stamps[i + 1]) % 2**32 for i in range(0, len(stamps), 4)]
    if SWITCHES not in stats.profile:
        raise RunError(f"{job.name}: no profile of the switches in the statistics")
    return dataclasses.replace(
        point,
        switches=tuple(switches),
        timing=statistics.median_low(_samples(job, stats, TIMING)),
        parts=_parts(stats.profile[SWITCHES]),
    )


def _parts(functions: Sequence[Function]) -> dict[str, float]:
    """Where the cycles of a switch went; the few of taking the time stamps are in it."""
    found = dict.fromkeys(Parts.ALL, 0.0)
    for one in functions:
        waited = {
            Parts.IFILL: one.fetch_fill_cycles,
            Parts.DFILL: one.data_fill_cycles,
            Parts.WALKS: one.fetch_walk_cycles + one.data_walk_cycles,
        }
        if one.kernel and FLUSHING.fullmatch(one.name):
            found[Parts.FLUSH] += one.cycles - sum(waited.values())
        else:
            waited[Parts.BUFFER] = one.write_buffer_cycles
            own = Parts.KERNEL if one.kernel else Parts.PROGRAM
            found[own] += one.cycles - sum(waited.values())
        for part, cycles in waited.items():
            found[part] += cycles
    return {part: cycles / DIRECT_TIMES for part, cycles in found.items()}


# ---- points together ----


def _direct_cycles(direct: Point) -> float:
    """C, without what taking its stamps takes."""
    return statistics.fmean(direct.switches) - direct.timing


def _found(points: Sequence[Point]) -> Found:
    """What one scheme's runs say. Taking stamps is taken off every switch."""
    (direct,) = (point for point in points if point.mode == "direct")
    runs: dict[tuple[Pair, int], list[PairRun]] = {}
    tasks: dict[tuple[Pair, int], list[Counted]] = {}
    alone: dict[tuple[str, int], list[int]] = {}
    _same_results(points)
    for point in points:
        if point.pair is not None and point.tasks is not None:
            key = (PAIRS[[name_of(pair) for pair in PAIRS].index(point.subject)], point.n)
            one = point.pair
            switches = [cycles - direct.timing for cycles in one.switches]
            runs.setdefault(key, []).append(PairRun(one.first, one.second, switches))
            tasks.setdefault(key, []).append(point.tasks)
        elif point.mode == "alone":
            alone.setdefault((point.subject, point.n), []).append(point.cycles)
    invoked = {
        point.subject: point.cycles / INVOCATIONS for point in points if point.mode == "invoke"
    }
    switching = Switching(direct.clock_hz, _direct_cycles(direct), runs)
    return Found(
        machine=direct.machine,
        scheme=direct.scheme,
        switching=switching,
        interrupting=Interrupting(direct.clock_hz, invoked["own"], alone),
        other_handler=invoked["other"],
        parts=direct.parts,
        causes={pair: _causes(switching, tasks, pair) for pair in switching.pairs},
    )


def _same_results(points: Sequence[Point]) -> None:
    """What a task computes depends on nothing that is varied here."""
    seen: dict[str, int] = {}
    for point in points:
        if point.mode not in ("pair", "alone"):
            continue
        for task, result in zip(point.subject.split("-"), point.results, strict=True):
            if result == 0 or seen.setdefault(task, result) != result:
                raise RunError(f"{point.scheme}, {point.subject}: {task} computed something else")


def _causes(
    switching: Switching, tasks: Mapping[tuple[Pair, int], Sequence[Counted]], pair: Pair
) -> dict[str, float]:
    """What the tasks' own indirect overhead waits for at most switches: cycles beyond n = 1.

    A line costs the same for both caches, so that fills are divided by their numbers.
    """
    few, many = (
        [statistics.fmean(values) for values in zip(*map(_waits, tasks[pair, n]), strict=True)]
        for n in (1, switching.counts(pair)[-1])
    )
    return {
        part: more - less
        for part, more, less in zip(
            (Parts.IFILL, Parts.DFILL, Parts.WALKS, Parts.BUFFER, Parts.PROGRAM),
            many,
            few,
            strict=True,
        )
    }


def _waits(one: Counted) -> tuple[float, ...]:
    line = one.fill / max(1, one.icache_misses + one.dcache_misses)
    return (
        one.icache_misses * line,
        one.dcache_misses * line,
        one.walk,
        one.buffer,
        one.cycles - one.fill - one.walk - one.buffer,
    )


def _records(schemes: Mapping[str, Found]) -> list[Record]:
    made = []
    for scheme, found in schemes.items():
        origin = Origin(NAME, found.machine, SYSTEM, scheme)
        some = overheads.switch_records(origin, found.switching)
        some += overheads.interrupt_records(origin, found.interrupting)
        if scheme != PUBLISHED:  # the paper's kernel flushes
            some = [dataclasses.replace(record, published=None) for record in some]
        made += some
        us = found.interrupting.us(found.other_handler)
        made.append(origin.record("interrupt_direct", us, "us", {"handler": "other"}))
        for part, cycles in found.parts.items():
            us = found.interrupting.us(cycles)
            made.append(origin.record(f"switch_part: {part}", us, "us", {}))
        for pair, causes in found.causes.items():
            for part, cycles in causes.items():
                made.append(
                    origin.record(
                        f"tasks_part: {part}",
                        found.switching.ms(cycles),
                        "ms",
                        {"pair": name_of(pair), "switches": found.switching.most},
                    )
                )
    return made
