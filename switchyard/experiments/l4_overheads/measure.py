# SPDX-License-Identifier: Apache-2.0
"""Runs of bench/l4/overheads.c: a pair's switches, a task's interrupts, and single ones."""

import dataclasses
import re
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from switchyard.data.records import Parameter
from switchyard.errors import RunError
from switchyard.experiments import l4
from switchyard.experiments import linux_suite as suite
from switchyard.experiments.overheads import formulas
from switchyard.experiments.overheads.formulas import (
    INVOCATIONS,
    MOST_INTERRUPTS,
    MOST_SWITCHES,
    PAIRS,
    PAPER,
    RUNS,
    TASKS,
    Interrupting,
    Pair,
    PairRun,
    Switching,
    name_of,
)
from switchyard.run.build import BOUNDS, GUESTS, VERSATILE, schemes_on
from switchyard.run.experiment import BandPlan, Case, Experiment, Job, Settings
from switchyard.run.machine import Region, Stats

MACHINE = "omap1610"
PROGRAM = "bench-overheads"
SCHEMES = (*schemes_on(VERSATILE), *BOUNDS)
PAPERS = "flush"  # the scheme that is measured as often as the paper did, and set beside it

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
HANDLERS = {"own": 1, "other": 2}  # in the interrupted task's space, or in another
# Lines that tasks read before run 0, 1, ...: no multiple of the generator's period of 2^16 - 1.
LINES_A_RUN = 997
MAX_CYCLES = 4_000_000_000

# bench/l4/overheads.h
FIRST, SECOND, SWITCHES = 1, 2, 3
TIMING, STAMPS, RESULTS, INVOKED = 0, 1, 2, 3

# The kernel's functions that empty caches and TLBs.
FLUSHING = re.compile(r"cpu_flush_caches|flush_and_load")
# Where cycles go, in the order in which they are drawn; and those of tasks.
EMPTYING = "emptying caches and TLBs"
PARTS = (EMPTYING, *suite.PARTS[1:])
TASK_PARTS = (suite.IFILL, suite.DFILL, suite.WALKS, suite.BUFFER, suite.PROGRAM)


@dataclass(frozen=True)
class Sample:
    """What one run said; which fields there are depends on what it was asked."""

    mode: str
    scheme: str
    machine: str
    clock_hz: int
    subject: str  # a pair, a task, or the handler's place
    n: int
    results: tuple[int, ...] = ()
    pair: PairRun | None = field(default=None, hash=False)
    tasks: tuple[float, ...] = ()  # what both waited for, as TASK_PARTS
    switches: tuple[int, ...] = ()  # direct: from cold caches
    timing: int = 0
    cycles: int = 0  # of an interrupted task, or of INVOCATIONS interrupts
    parts: Mapping[str, float] = field(default_factory=dict, hash=False)  # of a switch


class L4Overheads(Experiment[Sample]):
    """Figs. 2, 3 and 5, and what other schemes save."""

    name = "l4-overheads"
    question = "What do a context switch and an interrupt cost directly, and what indirectly?"
    source = f"{PAPER}, Figs. 2, 3, 5"
    system = l4.SYSTEM
    published_in = formulas.PACKAGE
    # C, a switch from cold caches, by the paper's way and the fast one
    band = BandPlan("direct_us", "us", ("flush-direct", "fass-direct"), label="{scheme}, {mode}")

    def row(self, job: Job, sample: Sample) -> dict[str, Parameter]:
        """With C, where the run has measured it."""
        row = super().row(job, sample)
        if sample.switches:
            row["direct_us"] = _direct_cycles(sample) * 1e6 / sample.clock_hz
        return row

    def jobs(self, settings: Settings) -> list[Job]:
        """Pairs, single tasks and the direct costs, for each scheme."""
        size = QUICK if settings.quick else FULL
        counts = QUICK_COUNTS if settings.quick else COUNTS
        interrupts = QUICK_INTERRUPTS if settings.quick else INTERRUPTS
        most = settings.times(RUNS, QUICK_RUNS)
        points = [
            *(
                ("pair", name_of(pair), "first={} second={} switches", name_of(pair), counts)
                for pair in PAIRS
            ),
            *(("alone", t, "first={} interrupts", f"{t}-interrupted", interrupts) for t in TASKS),
        ]
        jobs = []
        for scheme in SCHEMES:
            full = scheme == PAPERS
            runs = range(most if full else min(most, OTHER_RUNS))
            direct = f"times={DIRECT_TIMES} first=3 second=3 {TINY}"
            jobs.append(_job(scheme, "direct", "switch", direct, "direct"))
            for handler, place in HANDLERS.items():
                invoke = f"times={INVOCATIONS} handler={place} first=3 {TINY}"
                jobs.append(_job(scheme, "invoke", handler, invoke, f"invoke-{handler}"))
            for mode, subject, asked, name, every in points:
                for n in every if full else (every[0], every[-1]):
                    for run in runs:
                        tasks = [TASKS.index(task) for task in subject.split("-")]
                        words = f"{asked.format(*tasks)}={n} warm={LINES_A_RUN * run} {size}"
                        of = (scheme, mode, subject, words, f"{name}-{n}-{run}")
                        jobs.append(_job(*of, n=n, run=run))
        return jobs

    def measure(self, job: Job, stats: Stats) -> Sample:
        """Stamps become cycles; a run with interrupts that were not asked for is none."""
        mode, scheme = str(job.parameters["mode"]), str(job.parameters["scheme"])
        n = int(job.parameters.get("n", 0))
        subject = str(job.parameters["subject"])
        results = tuple(l4.samples(job, stats, RESULTS))
        sample = Sample(mode, scheme, stats.machine, stats.clock_hz, subject, n, results)
        regions = [region for region in stats.regions if region.id in (FIRST, SECOND, SWITCHES)]
        interrupted = sum(region.counters.total("exception_irq") for region in regions)
        expected = {"alone": n, "invoke": INVOCATIONS}.get(mode, 0)
        if interrupted != expected:
            raise RunError(f"{job.name}: {interrupted} interrupts; expected {expected}")
        if mode == "direct":
            return _measured_direct(job, stats, sample)
        if mode == "invoke":
            (cycles,) = l4.samples(job, stats, INVOKED)
            return dataclasses.replace(sample, cycles=cycles)
        stamps = l4.samples(job, stats, STAMPS)
        if mode == "alone":
            if len(stamps) != 2:
                raise RunError(f"{job.name}: {len(stamps)} time stamps; expected 2")
            return dataclasses.replace(sample, cycles=(stamps[1] - stamps[0]) % 2**32)
        pair = PairRun.of_stamps(stamps, job.name)
        if len(pair.switches) != n:
            raise RunError(f"{job.name}: {len(pair.switches)} switches; expected {n}")
        _in_turns(job, stats, pair)
        # the regions have the accesses in them with which slices end; the stamps do not
        tasks = _waits([stats.region(FIRST), stats.region(SECOND)], pair.first + pair.second)
        return dataclasses.replace(sample, pair=pair, tasks=tasks)

    def cases(self, samples: Mapping[str, Sample]) -> Iterator[Case]:
        """Each scheme's, by the formulas and by where cycles went."""
        for scheme in SCHEMES:
            yield from _cases([sample for sample in samples.values() if sample.scheme == scheme])


# ---- jobs ----


def _job(scheme: str, mode: str, subject: str, words: str, name: str, **more: Parameter) -> Job:
    return Job(
        name=f"{scheme}-{name}",
        guest=GUESTS[f"{VERSATILE}-{scheme}-{PROGRAM}"],
        machine=l4.machine(scheme, MACHINE),
        append=f"mode={mode} {words}",
        max_cycles=MAX_CYCLES,
        parameters={"scheme": scheme, "mode": mode, "subject": subject, **more},
        profile=mode == "direct",
    )


# ---- runs ----


def _in_turns(job: Job, stats: Stats, pair: PairRun) -> None:
    """The stamps do not say whose they are, the regions do: each task's own slices, and all."""
    for number, cycles in ((FIRST, pair.first), (SECOND, pair.second)):
        region = stats.region(number)
        # the two accesses with which a slice ends are in the region
        extra = region.counters.total("cycles") - cycles
        if not 0 <= extra <= 200 * region.entries:
            raise RunError(f"{job.name}: region {number} and the time stamps differ by {extra}")


def _measured_direct(job: Job, stats: Stats, sample: Sample) -> Sample:
    """Stamps are b e b e: of the first task, the second, the first, ...: a switch every second."""
    stamps = l4.samples(job, stats, STAMPS)
    if len(stamps) != 4 * DIRECT_TIMES:
        raise RunError(f"{job.name}: {len(stamps)} time stamps; expected {4 * DIRECT_TIMES}")
    switches = [(stamps[i + 2] - stamps[i + 1]) % 2**32 for i in range(0, len(stamps), 4)]
    if SWITCHES not in stats.profile:
        raise RunError(f"{job.name}: no profile of the switches in the statistics")
    # the few of taking the time stamps are in it
    spent = suite.parts(stats.profile[SWITCHES], FLUSHING, TASK_PARTS[:3]).values()
    return dataclasses.replace(
        sample,
        switches=tuple(switches),
        timing=statistics.median_low(l4.samples(job, stats, TIMING)),
        parts={part: cycles / DIRECT_TIMES for part, cycles in zip(PARTS, spent, strict=True)},
    )


# ---- runs together ----


def _direct_cycles(direct: Sample) -> float:
    """C, without what taking its stamps takes."""
    return statistics.fmean(direct.switches) - direct.timing


def _cases(samples: Sequence[Sample]) -> Iterator[Case]:
    """What one scheme's runs say. Taking stamps is taken off every switch."""
    _same_results(samples)
    (direct,) = (sample for sample in samples if sample.mode == "direct")
    runs: dict[tuple[Pair, int], list[PairRun]] = {}
    tasks: dict[tuple[Pair, int], list[tuple[float, ...]]] = {}
    alone: dict[tuple[str, int], list[int]] = {}
    pairs = {name_of(pair): pair for pair in PAIRS}
    for sample in samples:
        if sample.pair is not None:
            key = (pairs[sample.subject], sample.n)
            switches = [cycles - direct.timing for cycles in sample.pair.switches]
            run = dataclasses.replace(sample.pair, switches=switches)
            runs.setdefault(key, []).append(run)
            tasks.setdefault(key, []).append(sample.tasks)
        elif sample.mode == "alone":
            alone.setdefault((sample.subject, sample.n), []).append(sample.cycles)
    invoked = {s.subject: s.cycles / INVOCATIONS for s in samples if s.mode == "invoke"}
    switching = Switching(direct.clock_hz, _direct_cycles(direct), runs)
    interrupting = Interrupting(direct.clock_hz, invoked["own"], alone)
    on = (direct.machine, direct.scheme)
    us, ms = interrupting.us, switching.ms
    yield from switching.cases(*on)
    yield from interrupting.cases(*on)
    yield Case(*on, {"handler": "other"}, [("interrupt_direct", us(invoked["other"]), "us")])
    parts = [(f"switch_part: {part}", us(cycles), "us") for part, cycles in direct.parts.items()]
    yield Case(*on, {}, parts)
    for pair in switching.subjects:
        causes = _causes(tasks[pair, 1], tasks[pair, switching.counts(pair)[-1]])
        parts = [(f"tasks_part: {part}", ms(cycles), "ms") for part, cycles in causes.items()]
        yield Case(*on, {"pair": name_of(pair), "switches": switching.most}, parts)


def _same_results(samples: Sequence[Sample]) -> None:
    """What a task computes depends on nothing that is varied here."""
    seen: dict[str, int] = {}
    for sample in samples:
        if sample.mode not in ("pair", "alone"):
            continue
        for task, result in zip(sample.subject.split("-"), sample.results, strict=True):
            if result == 0 or seen.setdefault(task, result) != result:
                raise RunError(f"{sample.scheme}, {sample.subject}: {task} computed something else")


def _causes(few: Sequence[Sequence[float]], many: Sequence[Sequence[float]]) -> dict[str, float]:
    """What the tasks' own indirect overhead waits for: cycles beyond those with one switch."""
    less, more = (
        [statistics.fmean(values) for values in zip(*runs, strict=True)] for runs in (few, many)
    )
    return {part: b - a for part, a, b in zip(TASK_PARTS, less, more, strict=True)}


def _waits(regions: Sequence[Region], cycles: int) -> tuple[float, ...]:
    """As `TASK_PARTS`. A line costs the same for both caches: fills are shared by their numbers."""
    fetched, read, fill, walk, buffer = (
        sum(region.counters.total(name) for region in regions)
        for name in ("icache_misses", "dcache_read_misses", *l4.STALLS)
    )
    line = fill / max(1, fetched + read)
    return (fetched * line, read * line, walk, buffer, cycles - fill - walk - buffer)
