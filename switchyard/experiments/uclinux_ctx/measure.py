# SPDX-License-Identifier: Apache-2.0
"""Runs of the suite's `ctx`, each of which measures every number of processes."""

from collections.abc import Iterator, Mapping

from switchyard.data.suite import ALONE
from switchyard.experiments import linux_suite as suite
from switchyard.experiments import on_linux, rings, uclinux
from switchyard.experiments.linux_suite import Run
from switchyard.experiments.on_linux import OnLinux
from switchyard.experiments.uclinux import KERNELS, SPAWN, WITHOUT
from switchyard.run.experiment import Case, Job, Settings

SIZES = (0, 1, 16)  # KB
COUNTS = tuple(range(2, 17))
QUICK_COUNTS = (2, 4, 8, 16)
ROUNDS, QUICK_ROUNDS = 15, 10  # of each boot
# What of a switch is the kernel's own path: what the token takes without one is off here, too.
OWN = f"net_part: {suite.KERNEL}"


class UclinuxCtx(OnLinux):
    """Figs. 4 and 5: context switching time."""

    name = "uclinux-ctx"
    question = "What does a switch cost with an MMU, and without one, as processes and memory grow?"
    source = f"{uclinux.PAPER}, Figs. 4 and 5"

    def jobs(self, settings: Settings) -> list[Job]:
        """A run measures every number of processes."""
        counts = ",".join(map(str, QUICK_COUNTS)) if settings.quick else "2-16"
        rounds = settings.times(ROUNDS, QUICK_ROUNDS)
        words = f"processes={counts} size={{}} channel=fifo rounds={rounds} {SPAWN}"
        asked = on_linux.rings(SIZES, words, {"quick": settings.quick})
        return suite.jobs(KERNELS, asked, settings)

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
