# SPDX-License-Identifier: Apache-2.0
"""Figs. 2, 3 and 5 of David et al. 2007: what switches and interrupts cost inside Linux.

The measurement is code of ours in the kernel (linux/overheads, which tells how tasks switch and
interrupt themselves). Each run is a boot of its own that measures every number of switches of one
pair, or of interrupts of one task; five runs make a point. Runs differ in the pages that the data
are in and in the state of the caches' pseudo-random replacement when the point begins.

Counters say where the cycles go. Two things only a profile tells, which takes the simulator five
times as long: how much of a switch is flushing, and what a line of instructions takes. They are
asked once a pair, of shorter tasks, on whose length neither depends.
"""

from collections.abc import Mapping, Sequence

from switchyard.build_linux import OVERHEADS
from switchyard.experiments import linux_suite as suite
from switchyard.experiments import overheads as formulas
from switchyard.experiments import overheads_show as show
from switchyard.experiments.experiment import FromRuns, Job, Outcome, Settings
from switchyard.experiments.linux_overheads_point import (
    COLD_INTERRUPT,
    PARTS,
    SINGLE_INTERRUPT,
    SINGLE_SWITCH,
    Found,
    Point,
    Spent,
    interrupt_parts,
    switch_parts,
)
from switchyard.experiments.linux_overheads_show import (
    ABOUT,
    interrupt_bars,
    reasons,
    switch_bars,
)
from switchyard.experiments.overheads import INVOCATIONS, PAIRS, RUNS, TASKS, Origin, name_of
from switchyard.figure import Bars, Figure
from switchyard.machine import Stats
from switchyard.records import Parameter, Record

MACHINE = "omap1610"
ORIGIN = Origin("linux-overheads", MACHINE, suite.SYSTEM, suite.SCHEME)
MAX_CYCLES = 20_000_000_000

SWITCHES = (1, 20, 40, 60, 80, 99)
INTERRUPTS = (0, 10, 20, 30, 40, 49)
QUICK_RUNS = 2
WHOLE = 1000  # thousandths of the tasks' length
PROFILED = 100  # the same of the runs with a profile


class LinuxOverheads(FromRuns[Point]):
    """Figs. 2, 3 and 5: direct and indirect overheads."""

    name = "linux-overheads"
    question = "What do context switches and interrupts cost tasks inside Linux?"
    source = "David et al., ExpCS 2007, Figs. 2, 3 and 5"

    def jobs(self, settings: Settings) -> list[Job]:
        """A run for each pair and task, five times, and for pairs one with a profile."""
        runs = settings.rounds or (QUICK_RUNS if settings.quick else RUNS)
        found = []
        for pair in PAIRS:
            counts = (1, SWITCHES[-1]) if settings.quick else SWITCHES
            for run in range(runs):
                found.append(_job("switch", pair, counts, run))
            found.append(_job("switch", pair, (1, SWITCHES[-1]), 0, profile=True))
        for task in TASKS:
            counts = (0, INTERRUPTS[-1]) if settings.quick else INTERRUPTS
            for run in range(runs):
                found.append(_job("interrupt", (task,), counts, run))
        return found

    def measure(self, job: Job, stats: Stats) -> Point:
        """The regions of one run."""
        switching = job.parameters["what"] == "switch"
        counts = [int(word) for word in str(job.parameters["counts"]).split(",")]
        cases = {
            count: [
                Spent.of(stats, 1 + PARTS * i + part) for part in range(PARTS if switching else 1)
            ]
            for i, count in enumerate(counts)
        }
        number = SINGLE_SWITCH if switching else SINGLE_INTERRUPT
        return Point(
            machine=stats.machine,
            clock_hz=stats.clock_hz,
            single=Spent.of(stats, number),
            singles=stats.region(number).entries if switching else INVOCATIONS,
            cold=None if switching else Spent.of(stats, COLD_INTERRUPT),
            colds=0 if switching else stats.region(COLD_INTERRUPT).entries,
            cases=cases,
        )

    def row(self, job: Job, point: Point) -> dict[str, Parameter]:
        """A run's times in cycles, by how many switches or interrupts there were."""
        names = ("first", "second", "switches") if point.cold is None else ("task",)
        found: dict[str, Parameter] = dict(job.parameters)
        found["direct"] = point.single.cycles / point.singles
        for count, parts in point.cases.items():
            for name, spent in zip(names, parts, strict=True):
                found[f"{name}_{count}"] = spent.cycles
        return found

    def outcome(self, points: Mapping[str, Point]) -> Outcome:
        """Records, tables, figures and what they say."""
        found = Found(points)
        switching, interrupting = found.switching, found.interrupting
        about = f"{ABOUT}; max CV {switching.max_cv():.2g}"
        more: dict[str, Figure | Bars] = {
            f"tasks-{name_of(pair)}": show.figure_3(switching, pair, about)
            for pair in switching.pairs
        }
        more["interrupts"] = show.figure_5(
            interrupting, f"{ABOUT}; max CV {interrupting.max_cv():.2g}"
        )
        more["breakdown"] = switch_bars(found)
        more["breakdown-interrupts"] = interrupt_bars(found)
        return Outcome(
            records=records(found),
            tables=[
                show.switch_table(switching, ABOUT),
                show.interrupt_table(interrupting, ABOUT),
            ],
            figure=show.figure_2(switching, about),
            notes=[
                *show.switch_notes(switching, ABOUT),
                *show.interrupt_notes(interrupting, ABOUT),
                *reasons(found),
            ],
            more=more,
        )


def _job(
    what: str,
    tasks: Sequence[str],
    counts: Sequence[int],
    run: int,
    profile: bool = False,
) -> Job:
    listed = ",".join(str(count) for count in counts)
    words: dict[str, Parameter] = {
        "what": what,
        "tasks": ",".join(tasks),
        "counts": listed,
        "run": run,
        "scale": PROFILED if profile else WHOLE,
    }
    asked = " ".join(f"overheads.{word}={value}" for word, value in words.items())
    return Job(
        name=f"{what}-{'-'.join(tasks)}-{'profile' if profile else run}",
        guest=OVERHEADS,
        machine=MACHINE,
        append=OVERHEADS.append(f"quiet {asked}"),
        max_cycles=MAX_CYCLES,
        parameters={**words, "profile": profile},
        profile=profile,
    )


def records(found: Found) -> list[Record]:
    """The formulas' values, then what was counted and where cycles went."""
    made = formulas.switch_records(ORIGIN, found.switching)
    made += formulas.interrupt_records(ORIGIN, found.interrupting)
    made.append(
        ORIGIN.record("interrupt_direct_cold", found.us(found.cold_interrupt.cycles), "us", {})
    )
    for name, single in (("switch_direct", found.switch), ("interrupt_direct", found.interrupt)):
        made += [
            ORIGIN.record(f"{name}_{counter}", value, "per_operation", {})
            for counter, value in single.counts.items()
        ]
    for pair in PAIRS:
        made += [
            ORIGIN.record(f"switch_part: {part}", found.us(cycles), "us", {"pair": name_of(pair)})
            for part, cycles in switch_parts(found, pair).items()
        ]
    for task in TASKS:
        made += [
            ORIGIN.record(f"interrupt_part: {part}", found.us(cycles), "us", {"task": task})
            for part, cycles in interrupt_parts(found, task).items()
        ]
    return made
