# SPDX-License-Identifier: Apache-2.0
"""Runs of linux/overheads: a pair's switches or a task's interrupts, as often as asked."""

from collections.abc import Mapping, Sequence

from switchyard.build_linux import OVERHEADS
from switchyard.experiments import linux_suite as suite
from switchyard.experiments.experiment import Experiment, Job, Settings
from switchyard.experiments.linux_overheads.spent import (
    COLD_INTERRUPT,
    REGIONS,
    SINGLE_INTERRUPT,
    SINGLE_SWITCH,
    Runs,
    Sample,
    Spent,
)
from switchyard.experiments.overheads import formulas
from switchyard.experiments.overheads.formulas import (
    INVOCATIONS,
    PAIRS,
    RUNS,
    TASKS,
    Origin,
    name_of,
)
from switchyard.machine import Stats
from switchyard.records import Parameter, Record, of_case

MACHINE = "omap1610"
MAX_CYCLES = 20_000_000_000
SWITCHES = (1, 20, 40, 60, 80, 99)
INTERRUPTS = (0, 10, 20, 30, 40, 49)
QUICK_RUNS = 2
WHOLE = 1000  # thousandths of the tasks' length
PROFILED = 100  # the same of the runs with a profile


class LinuxOverheads(Experiment[Sample]):
    """Figs. 2, 3 and 5: direct and indirect overheads."""

    name = "linux-overheads"
    question = "What do context switches and interrupts cost tasks inside Linux?"
    source = "David et al., ExpCS 2007, Figs. 2, 3 and 5"
    published_in = formulas.PACKAGE

    def jobs(self, settings: Settings) -> list[Job]:
        """A run for each pair and task, five times, and for pairs one with a profile."""
        runs = range(settings.times(RUNS, QUICK_RUNS))
        switches, interrupts = (
            (counts[0], counts[-1]) if settings.quick else counts
            for counts in (SWITCHES, INTERRUPTS)
        )
        jobs = []
        for pair in PAIRS:
            jobs += [_job("switch", pair, switches, run) for run in runs]
            jobs.append(_job("switch", pair, (1, SWITCHES[-1]), 0, profile=True))
        for task in TASKS:
            jobs += [_job("interrupt", (task,), interrupts, run) for run in runs]
        return jobs

    def measure(self, job: Job, stats: Stats) -> Sample:
        """The regions of one run."""
        switching = job.parameters["what"] == "switch"
        counts = [int(word) for word in str(job.parameters["counts"]).split(",")]
        regions = REGIONS if switching else 1
        number = SINGLE_SWITCH if switching else SINGLE_INTERRUPT
        return Sample(
            machine=stats.machine,
            clock_hz=stats.clock_hz,
            single=Spent.of(stats, number),
            singles=stats.region(number).entries if switching else INVOCATIONS,
            cold=None if switching else Spent.of(stats, COLD_INTERRUPT),
            colds=0 if switching else stats.region(COLD_INTERRUPT).entries,
            cases={
                count: [Spent.of(stats, 1 + REGIONS * i + region) for region in range(regions)]
                for i, count in enumerate(counts)
            },
        )

    def row(self, job: Job, sample: Sample) -> dict[str, Parameter]:
        """A run's times in cycles, by how many switches or interrupts there were."""
        names = ("first", "second", "switches") if sample.cold is None else ("task",)
        times = {
            f"{name}_{count}": spent.cycles
            for count, regions in sample.cases.items()
            for name, spent in zip(names, regions, strict=True)
        }
        return {**job.parameters, "direct": sample.single.cycles / sample.singles, **times}

    def records(self, samples: Mapping[str, Sample]) -> list[Record]:
        """The formulas' values, then what was counted and where cycles went."""
        runs = Runs(samples)
        on = Origin(self.name, MACHINE, suite.SYSTEM, suite.SCHEME)
        cold = [("interrupt_direct_cold", runs.us(runs.cold_interrupt.cycles), "us")]
        records = runs.switching.records(on)
        records += runs.interrupting.records(on)
        records += of_case(*on, {}, cold)
        for name, single in (("switch", runs.switch), ("interrupt", runs.interrupt)):
            counted = [(f"{name}_direct_{c}", n, "per_operation") for c, n in single.counts.items()]
            records += of_case(*on, {}, counted)
        for pair in PAIRS:
            parts = runs.told("switch_part", runs.switch_parts(pair))
            records += of_case(*on, {"pair": name_of(pair)}, parts)
        for task in TASKS:
            parts = runs.told("interrupt_part", runs.interrupt_parts(task))
            records += of_case(*on, {"task": task}, parts)
        singles = {
            "switch_direct_part": runs.single_switch_parts(),
            "interrupt_direct_part": runs.single_parts(runs.interrupt),
            "interrupt_direct_cold_part": runs.single_parts(runs.cold_interrupt),
        }
        for metric, cycles in singles.items():
            records += of_case(*on, {}, runs.told(metric, cycles))
        records += of_case(*on, {}, [("line_fill", runs.line, "cycles")], digits=0)
        for task in TASKS:
            lines = [(f"refilled_{misses}", runs.refilled(task, misses), "1") for misses in MISSES]
            records += of_case(*on, {"task": task}, lines, digits=0)
        behind, written = runs.behind(PAIRS[0])
        where: dict[str, Parameter] = {"pair": name_of(PAIRS[0]), "switches": 1}
        records += of_case(*on, where, [("switch_behind_task", behind, "us")], digits=1)
        writebacks = [("switch_behind_task_dcache_writebacks", written, "per_operation")]
        return records + of_case(*on, where, writebacks, digits=0)


MISSES = ("dcache_misses", "icache_misses")


def _job(
    what: str,
    tasks: Sequence[str],
    counts: Sequence[int],
    run: int,
    profile: bool = False,
) -> Job:
    words: dict[str, Parameter] = {
        "what": what,
        "tasks": ",".join(tasks),
        "counts": ",".join(str(count) for count in counts),
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
