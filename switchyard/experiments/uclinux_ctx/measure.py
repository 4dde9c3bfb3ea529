# SPDX-License-Identifier: Apache-2.0
"""Runs of the suite's `ctx`, each of which measures every number of processes."""

from collections.abc import Mapping

from switchyard.data.records import Record, of_case
from switchyard.data.suite import ALONE
from switchyard.experiments import linux_suite as suite
from switchyard.experiments import rings, uclinux
from switchyard.experiments.experiment import Experiment, Job, Settings
from switchyard.experiments.linux_suite import Run
from switchyard.experiments.uclinux import FASTER, KERNELS, WITH, WITHOUT
from switchyard.run.machine import Stats

SIZES = (0, 1, 16)  # KB
COUNTS = tuple(range(2, 17))
QUICK_COUNTS = (2, 4, 8, 16)
ROUNDS, QUICK_ROUNDS = 15, 10  # of each boot
# What of a switch is the kernel's own path: what the token takes without one is off here, too.
OWN = f"net_part: {suite.KERNEL}"


class UclinuxCtx(Experiment[Run]):
    """Figs. 4 and 5: context switching time."""

    name = "uclinux-ctx"
    question = "What does a switch cost with an MMU, and without one, as processes and memory grow?"
    source = f"{uclinux.PAPER}, Figs. 4 and 5"

    def jobs(self, settings: Settings) -> list[Job]:
        """One run a kernel, size and boot, which measures every number of processes."""
        counts = ",".join(str(n) for n in QUICK_COUNTS) if settings.quick else "2-16"
        rounds = settings.times(ROUNDS, QUICK_ROUNDS)
        cases = []
        for size in SIZES:
            words = f"ctx processes={counts} size={size} channel=fifo rounds={rounds}"
            cases.append((f"{size:02}k", words, {"size_kb": size, "quick": settings.quick}))
        return uclinux.jobs(cases, settings)

    def measure(self, job: Job, stats: Stats) -> Run:
        """Each number of processes in the ring, and alone."""
        return rings.measure(job, stats, QUICK_COUNTS if job.parameters["quick"] else COUNTS)

    def records(self, samples: Mapping[str, Run]) -> list[Record]:
        """Every switch, how much faster it is without an MMU, and what more processes add."""
        runs = suite.together(samples)
        records = []
        for size in SIZES:
            by = {kernel: runs[f"{kernel.scheme}-{size:02}k"] for kernel in KERNELS}
            for n in rings.counts(by[WITHOUT]):
                for kernel, run in by.items():
                    records += rings.records(self.name, run, n, {"size_kb": size}, kernel.scheme)
                us = {kernel: rings.us(run, n) for kernel, run in by.items()}
                records += self._without(
                    by[WITHOUT],
                    {"processes": n, "size_kb": size},
                    [
                        ("gain", us[WITH] / us[WITHOUT], "1"),
                        ("gain_over_fass", us[FASTER] / us[WITHOUT], "1"),
                    ],
                )
        for kernel in KERNELS:
            run = runs[f"{kernel.scheme}-{SIZES[0]:02}k"]
            records += rings.grown(self.name, run, {"size_kb": SIZES[0]}, kernel.scheme)
        run = runs[f"{WITHOUT.scheme}-{SIZES[0]:02}k"]
        for n in (min(rings.counts(run)), max(rings.counts(run))):
            around, alone = (run.cases[stream].parts[suite.KERNEL] for stream in (n, ALONE + n))
            where = {"processes": n, "size_kb": SIZES[0]}
            records += self._without(
                run, where, [(f"switch_{OWN}", run.us(around - alone) / n, "us")], digits=1
            )
        return records

    def _without(
        self,
        run: Run,
        where: Mapping[str, int],
        values: list[tuple[str, float, str]],
        digits: int = 6,
    ) -> list[Record]:
        on = (self.name, run.machine, suite.SYSTEM, WITHOUT.scheme)
        return of_case(*on, where, values, digits)
