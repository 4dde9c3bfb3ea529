# SPDX-License-Identifier: Apache-2.0
"""Runs of the suite's `ctx`, each of which measures every number of processes."""

from collections.abc import Iterator, Mapping

from switchyard.data.suite import ALONE
from switchyard.experiments import linux_suite as suite
from switchyard.experiments import rings, uclinux
from switchyard.experiments.linux_suite import Run
from switchyard.experiments.uclinux import KERNELS, WITHOUT
from switchyard.run.experiment import Case, Experiment, Job, Settings
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
    system = suite.SYSTEM

    def jobs(self, settings: Settings) -> list[Job]:
        """A run measures every number of processes."""
        counts = ",".join(map(str, QUICK_COUNTS)) if settings.quick else "2-16"
        rounds = settings.times(ROUNDS, QUICK_ROUNDS)
        cases = []
        for size in SIZES:
            words = f"ctx processes={counts} size={size} channel=fifo rounds={rounds}"
            cases.append((f"{size:02}k", words, {"size_kb": size, "quick": settings.quick}))
        return uclinux.jobs(cases, settings)

    def measure(self, job: Job, stats: Stats) -> Run:
        return rings.measure(job, stats)

    def cases(self, samples: Mapping[str, Run]) -> Iterator[Case]:
        """Every switch, how much faster it is without an MMU, and what more processes add."""
        runs = suite.together(samples)
        for size in SIZES:
            by = {kernel: runs[f"{kernel.scheme}-{size:02}k"] for kernel in KERNELS}
            for n in rings.counts(by[WITHOUT]):
                for kernel, run in by.items():
                    yield rings.case(run, n, {"size_kb": size}, kernel.scheme)
                gains = uclinux.gains({kernel: rings.us(run, n) for kernel, run in by.items()})
                where = {"processes": n, "size_kb": size}
                yield Case(by[WITHOUT].machine, WITHOUT.scheme, where, gains)
        smallest = {"size_kb": SIZES[0]}
        for kernel in KERNELS:
            run = runs[f"{kernel.scheme}-{SIZES[0]:02}k"]
            yield rings.grown(run, smallest, kernel.scheme)
        run = runs[f"{WITHOUT.scheme}-{SIZES[0]:02}k"]
        for n in (min(rings.counts(run)), max(rings.counts(run))):
            around, alone = (run.cases[stream].parts[suite.KERNEL] for stream in (n, ALONE + n))
            own = [(f"switch_{OWN}", run.us(around - alone) / n, "us")]
            yield Case(run.machine, WITHOUT.scheme, {"processes": n, **smallest}, own, digits=1)
