# SPDX-License-Identifier: Apache-2.0
"""Runs of the suite's `ctx`, each of which measures every number of processes."""

from collections.abc import Mapping
from dataclasses import replace

from switchyard.data.records import Parameter, Record, of_case
from switchyard.experiments import linux_suite as suite
from switchyard.experiments import rings
from switchyard.experiments.experiment import Experiment, Job, Settings
from switchyard.experiments.linux_ctx import prefork
from switchyard.experiments.linux_suite import BOARDS, KERNELS, ORIGINAL, Run
from switchyard.run.machine import Stats

SIZES = (0, 1, 4, 8, 16)  # KB
COUNTS = (*range(2, 13), 14, 16, 20, 24, 28, 32, 36, 40)
QUICK_COUNTS = (2, 4, 8, 16, 24, 32, 40)
ROUNDS, QUICK_ROUNDS = 15, 10  # of each boot
BAND_ROUNDS = 40


class LinuxCtx(Experiment[Run]):
    """Fig. 2: lmbench context switching latency."""

    name = "linux-ctx"
    question = "What does a switch cost as processes and the memory that they touch grow?"
    source = "Wiggins et al., ACSAC 2003, Fig. 2"

    band_metric = (f"switch_{COUNTS[0]}_us", "us")
    band_system = suite.SYSTEM
    band_scheme = suite.SCHEME
    band_label = "{machine}, {size_kb} KB"

    def band_jobs(self, settings: Settings) -> list[Job]:
        """The paper's machine, two processes that touch nothing: one boot, the same at all ends."""
        rounds = settings.rounds or BAND_ROUNDS
        words = f"ctx processes={COUNTS[0]} size=0 rounds={rounds}"
        parameters = {"size_kb": 0, "processes": COUNTS[0]}
        (job,) = suite.jobs(ORIGINAL, "00k", words, parameters, settings, boots=1)
        return [replace(job, name=f"{ORIGINAL}-00k")]

    def row(self, job: Job, sample: Run) -> dict[str, Parameter]:
        """A switch by the number of processes, in microseconds."""
        times = {f"switch_{n}_us": rings.us(sample, n) for n in rings.counts(sample)}
        return {**job.parameters, **times}

    def jobs(self, settings: Settings) -> list[Job]:
        """One run a kernel, size and boot, which measures every number of processes.

        And those of a server that forks them.
        """
        counts = ",".join(str(n) for n in (QUICK_COUNTS if settings.quick else COUNTS))
        rounds = settings.times(ROUNDS, QUICK_ROUNDS)
        rings_alone = [
            job
            for kernel in KERNELS
            for size in SIZES
            for job in suite.jobs(
                kernel,
                f"{size:02}k",
                f"ctx processes={counts} size={size} rounds={rounds}",
                {"size_kb": size, "quick": settings.quick},
                settings,
            )
        ]
        return rings_alone + prefork.jobs(settings)

    def measure(self, job: Job, stats: Stats) -> Run:
        """Each number of processes in the ring, and alone; or what a server's take."""
        if prefork.is_one(job):
            return prefork.measure(job, stats)
        if "processes" in job.parameters:
            return rings.measure(job, stats, [int(job.parameters["processes"])])
        return rings.measure(job, stats, QUICK_COUNTS if job.parameters["quick"] else COUNTS)

    def records(self, samples: Mapping[str, Run]) -> list[Record]:
        """Every switch; then what each kernel takes at most, and how many times less than flushing.

        The last two where nothing is touched, as is what more processes add.
        """
        runs = suite.together(samples)
        records = []
        for kernel in KERNELS:
            for size in SIZES:
                run = runs[f"{kernel}-{size:02}k"]
                for n in rings.counts(run):
                    records += rings.records(self.name, run, n, {"size_kb": size}, kernel.scheme)
        for board in BOARDS:
            original = runs[f"{board[0]}-00k"]
            for kernel in board:
                run = runs[f"{kernel}-00k"]
                most = max(
                    rings.us(other, n)
                    for size in SIZES
                    for other in [runs[f"{kernel}-{size:02}k"]]
                    for n in rings.counts(other)
                )
                on = (self.name, run.machine, suite.SYSTEM, kernel.scheme)
                records += of_case(*on, {}, [("switch_at_most", most, "us")])
                for n in rings.counts(run) if kernel != board[0] else ():
                    gain = rings.us(original, n) / rings.us(run, n)
                    where = {"processes": n, "size_kb": 0}
                    records += of_case(*on, where, [("gain", gain, "1")])
                records += rings.grown(self.name, run, {"size_kb": 0}, kernel.scheme)
        return [*records, *prefork.records(self.name, runs)]
