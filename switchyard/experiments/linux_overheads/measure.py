# SPDX-License-Identifier: Apache-2.0
"""Runs of linux/overheads: a pair's switches or a task's interrupts, as often as asked."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from switchyard.experiments import l4
from switchyard.experiments import linux_suite as suite
from switchyard.experiments.linux_overheads.spent import (
    COLD_INTERRUPT,
    COUNTERS,
    REGIONS,
    SINGLE_INTERRUPT,
    SINGLE_SWITCH,
    WRITTEN,
    Runs,
    Sample,
    spent,
)  # fmt: skip
from switchyard.experiments.overheads import formulas
from switchyard.experiments.overheads.formulas import INVOCATIONS, PAIRS, RUNS, TASKS, name_of
from switchyard.run.build import TAGS
from switchyard.run.build_linux import FAST_OVERHEADS, OVERHEADS
from switchyard.run.experiment import Case, Experiment, Job, Parameter, Settings, Stats, each

MACHINE = "omap1610"
# The first one is the paper's. What the second one differs in from it is the kernel, whose code and
# data lie elsewhere; from the next two, the switch alone. Runs go through links of each kernel, as
# which pages and lines meet in a set of TLB and caches differs with where they lie.
SCHEMES = (suite.SCHEME, suite.OFF, suite.FAST, suite.SHARED, TAGS)
MAX_CYCLES = 20_000_000_000
PLACES = 4  # so many links, moved as a whole
SWITCHES = (1, 20, 40, 60, 80, 99)
INTERRUPTS = (0, 10, 20, 30, 40, 49)
QUICK_RUNS = 2
WHOLE = 1000  # thousandths of the tasks' length
PROFILED = 100  # thousandths in runs with a profile


class LinuxOverheads(Experiment[Sample]):
    """Figs. 2, 3 and 5: direct and indirect overheads, and what fast switching leaves of them."""

    name = "linux-overheads"
    question = "What do context switches and interrupts cost tasks inside Linux?"
    source = "David et al., ExpCS 2007, Figs. 2, 3 and 5"
    system = suite.SYSTEM
    published_in = formulas.PACKAGE

    def jobs(self, settings: Settings) -> list[Job]:
        """A run for each pair and task, five times, and for pairs as many with a profile.

        Other schemes than the paper's have those with the fewest and the most switches alone.
        """
        runs = range(settings.times(RUNS, QUICK_RUNS))
        jobs = []
        for scheme in SCHEMES:
            full = scheme == suite.SCHEME and not settings.quick
            switches, interrupts = (
                counts if full else (counts[0], counts[-1]) for counts in (SWITCHES, INTERRUPTS)
            )
            for pair in PAIRS:
                jobs += [_job(scheme, "switch", pair, switches, run) for run in runs]
                ends = (SWITCHES[0], SWITCHES[-1])
                jobs += [_job(scheme, "switch", pair, ends, run, profile=True) for run in runs]
            for task in TASKS:
                jobs += [_job(scheme, "interrupt", (task,), interrupts, run) for run in runs]
        return jobs

    def measure(self, job: Job, stats: Stats) -> Sample:
        """The regions of one run."""
        switching = job.parameters["what"] == "switch"
        counts = [int(word) for word in str(job.parameters["counts"]).split(",")]
        regions = REGIONS if switching else 1
        number = SINGLE_SWITCH if switching else SINGLE_INTERRUPT
        return Sample(
            scheme=str(job.parameters["scheme"]),
            machine=stats.machine,
            clock_hz=stats.clock_hz,
            tasks=tuple(str(job.parameters["tasks"]).split(",")),
            profiled=bool(job.parameters["profile"]),
            single=spent(stats, number),
            singles=stats.region(number).entries if switching else INVOCATIONS,
            cold=None if switching else spent(stats, COLD_INTERRUPT),
            colds=0 if switching else stats.region(COLD_INTERRUPT).entries,
            cases={
                count: [spent(stats, 1 + REGIONS * i + region) for region in range(regions)]
                for i, count in enumerate(counts)
            },
        )

    def row(self, job: Job, sample: Sample) -> dict[str, Parameter]:
        """A run's times in cycles, by how many switches or interrupts there were."""
        names = ("first", "second", "switches") if sample.cold is None else ("task",)
        times = {
            f"{name}_{count}": region["cycles"]
            for count, regions in sample.cases.items()
            for name, region in zip(names, regions, strict=True)
        }
        return {**job.parameters, "direct": sample.single["cycles"] / sample.singles, **times}

    def cases(self, samples: Mapping[str, Sample]) -> Iterator[Case]:
        """Of each scheme."""
        for scheme in SCHEMES:
            yield from _cases(Runs([s for s in samples.values() if s.scheme == scheme]))


def _cases(runs: Runs) -> Iterator[Case]:
    """The formulas' values, then what was counted and where cycles went."""
    on = (runs.samples[0].machine, runs.samples[0].scheme)
    yield from runs.switching.cases(*on)
    yield from runs.interrupting.cases(*on)
    yield Case(*on, {}, [("interrupt_direct_cold", runs.us(runs.cold_interrupt["cycles"]), "us")])
    for name, single in (("switch", runs.switch), ("interrupt", runs.interrupt)):
        counted = {f"{name}_direct_{counter}": single[counter] for counter in COUNTERS}
        yield Case(*on, {}, each(counted, "per_operation"))
    for pair in PAIRS:
        parts = runs.told("switch_part", runs.switch_parts(pair))
        yield Case(*on, {"pair": name_of(pair)}, parts)
    for task in TASKS:
        yield Case(*on, {"task": task}, runs.told("interrupt_part", runs.interrupt_parts(task)))
    singles = {
        "switch_direct_part": runs.single_switch_parts(),
        "interrupt_direct_part": runs.single_parts(runs.interrupt),
        "interrupt_direct_cold_part": runs.single_parts(runs.cold_interrupt),
    }
    for metric, cycles in singles.items():
        yield Case(*on, {}, runs.told(metric, cycles))
    yield Case(*on, {}, [("line_fill", runs.line, "cycles")], digits=0)
    for task in TASKS:
        lines = [(f"refilled_{misses}", runs.refilled(task, misses), "1") for misses in MISSES]
        yield Case(*on, {"task": task}, lines, digits=0)
    switch, written = runs.after_task(PAIRS[0])
    where: dict[str, Parameter] = {"pair": name_of(PAIRS[0]), "switches": 1}
    yield Case(*on, where, [("switch_behind_task", switch, "us")], digits=1)
    writebacks = [("switch_behind_task_dcache_writebacks", written, "per_operation")]
    yield Case(*on, where, writebacks, digits=0)


# Of these more each time that a task goes on; with a flush fewer lines are written back, by halves.
MISSES = ("dcache_misses", "icache_misses", WRITTEN)


def _job(
    scheme: str,
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
    linux = OVERHEADS if scheme in (suite.SCHEME, TAGS) else FAST_OVERHEADS
    return Job(
        name=f"{scheme}-{what}-{'-'.join(tasks)}-{'profile-' if profile else ''}{run}",
        guest=replace(linux, shift=run % PLACES),
        machine=l4.machine(scheme, MACHINE),
        append=linux.append(f"{suite.WORDS.get(scheme, '')}quiet {asked}"),
        max_cycles=MAX_CYCLES,
        parameters={**words, "scheme": scheme, "profile": profile},
        profile=profile,
    )
