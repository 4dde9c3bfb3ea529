# SPDX-License-Identifier: Apache-2.0
"""Runs of the suite's `ctx`, each of which measures every number of processes."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from switchyard.data.records import Parameter
from switchyard.experiments import linux_suite as suite
from switchyard.experiments import rings
from switchyard.experiments.linux_ctx import prefork
from switchyard.experiments.linux_suite import BOARDS, KERNELS, ORIGINAL, Run
from switchyard.run.experiment import BandPlan, Case, Experiment, Job, Settings
from switchyard.run.machine import Stats

SIZES = (0, 1, 4, 8, 16)  # KB
COUNTS = (*range(2, 13), 14, 16, 20, 24, 28, 32, 36, 40)
QUICK_COUNTS = (2, 4, 8, 16, 24, 32, 40)
ROUNDS, QUICK_ROUNDS = 15, 10  # of each boot
BAND_ROUNDS = 40


def _band_jobs(settings: Settings) -> list[Job]:
    """The paper's machine, two processes that touch nothing: one boot, the same at all ends."""
    words = f"ctx processes={COUNTS[0]} size=0 rounds={settings.rounds or BAND_ROUNDS}"
    parameters = {"size_kb": 0, "processes": COUNTS[0]}
    (job,) = suite.jobs([ORIGINAL], [("00k", words, parameters)], settings, boots=1)
    return [replace(job, name=f"{ORIGINAL}-00k")]


class LinuxCtx(Experiment[Run]):
    """Fig. 2: lmbench context switching latency."""

    name = "linux-ctx"
    question = "What does a switch cost as processes and the memory that they touch grow?"
    source = "Wiggins et al., ACSAC 2003, Fig. 2"
    system = suite.SYSTEM
    band = BandPlan(
        f"switch_{COUNTS[0]}_us",
        "us",
        _band_jobs,
        scheme=suite.SCHEME,
        label="{machine}, {size_kb} KB",
    )

    def row(self, job: Job, sample: Run) -> dict[str, Parameter]:
        """A switch by the number of processes, in microseconds."""
        times = {f"switch_{n}_us": rings.us(sample, n) for n in rings.counts(sample)}
        return {**job.parameters, **times}

    def jobs(self, settings: Settings) -> list[Job]:
        """Rings for themselves, and those of a server that forks them."""
        counts = ",".join(map(str, QUICK_COUNTS if settings.quick else COUNTS))
        rounds = settings.times(ROUNDS, QUICK_ROUNDS)
        alone = [
            (
                f"{size:02}k",
                f"ctx processes={counts} size={size} rounds={rounds}",
                {"size_kb": size, "quick": settings.quick},
            )
            for size in SIZES
        ]
        return suite.jobs(KERNELS, alone, settings) + prefork.jobs(settings)

    def measure(self, job: Job, stats: Stats) -> Run:
        """Each number of processes in the ring, and alone; or what a server's take."""
        if prefork.is_one(job):
            return prefork.measure(job, stats)
        return rings.measure(job, stats)

    def cases(self, samples: Mapping[str, Run]) -> Iterator[Case]:
        """Every switch; then what each kernel takes at most, and how many times less than flushing.

        The last two where nothing is touched, as is what more processes add.
        """
        runs = suite.together(samples)
        by = {kernel: {size: runs[f"{kernel}-{size:02}k"] for size in SIZES} for kernel in KERNELS}
        for kernel, sizes in by.items():
            for size, run in sizes.items():
                yield from rings.cases(run, {"size_kb": size}, kernel.scheme)
        for board in BOARDS:
            original = by[board[0]][0]
            for kernel in board:
                run, on = by[kernel][0], (kernel.machine, kernel.scheme)
                every = by[kernel].values()
                most = max(rings.us(other, n) for other in every for n in rings.counts(other))
                yield Case(*on, {}, [("switch_at_most", most, "us")])
                for n in rings.counts(run) if kernel != board[0] else ():
                    gain = rings.us(original, n) / rings.us(run, n)
                    yield Case(*on, {"processes": n, "size_kb": 0}, [("gain", gain, "1")])
                yield rings.grown(run, {"size_kb": 0}, kernel.scheme)
        yield from prefork.cases(runs)
