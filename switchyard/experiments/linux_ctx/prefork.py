# SPDX-License-Identifier: Apache-2.0
"""A server that maps its buffers and then forks: its processes have them at equal addresses.

That is what lat_ctx leaves out, each of whose processes maps its own memory. A run measures a ring
of such processes, and requests to each by a Unix socket, for every number of them; nothing is taken
off.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from switchyard.data.rows import Rows
from switchyard.data.suite import SERVED
from switchyard.experiments import linux_suite as suite
from switchyard.experiments.linux_suite import KERNELS, Kernel, Operation, Run
from switchyard.run.experiment import Case, Job, Parameter, Settings

CASES = {"ring": 0, "serve": SERVED}
COUNTS = (2, 4, 8, 16)
ROUNDS, QUICK_ROUNDS = 30, 10  # of each boot
METRIC = "prefork"  # a process's part of a round: a pass of the token, or a request


@dataclass(frozen=True)
class Buffers:
    """What each process uses, and how much is mapped of which that is a part."""

    used_kb: int
    mapped_kb: int

    def __str__(self) -> str:
        """As the names of runs call it."""
        return f"prefork-{self.used_kb:02}k-of-{self.mapped_kb}k"

    @property
    def mapped(self) -> str:
        """How much is mapped, in words."""
        return f"{self.mapped_kb // 1024} MB" if self.mapped_kb >= 1024 else f"{self.mapped_kb} KB"

    @property
    def where(self) -> dict[str, Parameter]:
        """What its records are of."""
        return {"used_kb": self.used_kb, "mapped_kb": self.mapped_kb}


# As much as is used; and more than a process has room for below 32 MB, where the fast kernel keeps
# parent and child apart.
LARGE = 24 * 1024
BUFFERS = (Buffers(4, 4), Buffers(16, 16), Buffers(4, LARGE), Buffers(16, LARGE))


def jobs(settings: Settings) -> list[Job]:
    """One run a kernel, buffers and boot, which measures every number of processes."""
    counts = ",".join(str(n) for n in COUNTS)
    rounds = settings.times(ROUNDS, QUICK_ROUNDS)
    questions = [
        (
            str(buffers),
            f"prefork processes={counts} size={buffers.used_kb} mapped={buffers.mapped_kb} "
            f"rounds={rounds}",
            {**buffers.where, "quick": settings.quick},
        )
        for buffers in BUFFERS
    ]
    return suite.jobs(KERNELS, questions, settings)


def cases(runs: Mapping[str, Run]) -> Iterator[Case]:
    """A process's part of each."""
    for kernel in KERNELS:
        for buffers in BUFFERS:
            run = runs[f"{kernel}-{buffers}"]
            for case, first in CASES.items():
                for n in COUNTS:
                    where = {"case": case, "processes": n, **buffers.where}
                    measured = run.cases[first + n]
                    yield suite.case(run, measured, kernel.scheme, METRIC, where, divide=n)


def found(rows: Rows, kernels: Sequence[Kernel]) -> dict[str, dict[Kernel, Operation]]:
    """Each case, as a table calls it, on each kernel; none where there are no records of any."""
    return {
        f"{case}, {n} processes, {buffers.used_kb} of {buffers.mapped}": {
            kernel: Operation.of(
                rows.find(**kernel.where, **buffers.where, case=case, processes=n), METRIC
            )
            for kernel in kernels
        }
        for buffers in BUFFERS
        for case in CASES
        for n in COUNTS
        if rows.select(METRIC)
    }
