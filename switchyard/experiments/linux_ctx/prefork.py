# SPDX-License-Identifier: Apache-2.0
"""A server that maps its buffers and then forks: its processes have them at equal addresses.

That is what lat_ctx leaves out, each of whose processes maps its own memory. A run measures a ring
of such processes, and requests to each by a Unix socket, for every number of them; nothing is taken
off.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from switchyard.data.records import Parameter
from switchyard.data.rows import Rows, number
from switchyard.data.suite import SERVED
from switchyard.experiments import linux_suite as suite
from switchyard.experiments.linux_suite import KERNELS, Kernel, Operation, Run
from switchyard.run.experiment import Case, Job, Settings
from switchyard.show.figure import Table

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


class Preforked:
    """What there are records of."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows.select(METRIC)

    @property
    def measured(self) -> bool:
        """Whether there are any: the book's results are of before."""
        return len(self._rows) > 0

    def _of(self, kernel: Kernel, buffers: Buffers, case: str, n: int) -> Operation:
        where = {**kernel.where, **buffers.where, "case": case, "processes": n}
        return Operation.of(self._rows.find(**where), METRIC)

    def table(self, kernels: Sequence[Kernel]) -> Table:
        """A machine's kernels side by side; the first is the unmodified one."""
        original, *others = kernels
        rows = []
        for buffers in BUFFERS:
            for case in CASES:
                for n in COUNTS:
                    usual = self._of(original, buffers, case, n)
                    found = [self._of(kernel, buffers, case, n) for kernel in others]
                    rows.append(
                        [
                            f"{case}, {n} processes, {buffers.used_kb} of {_size(buffers)}",
                            usual.approx("value"),
                            *(
                                f"{each.approx('value')} ({each['value'] / usual['value']:.2f})"
                                for each in found
                            ),
                            *(number(each["flushes"]) for each in (usual, *found[:1])),
                        ]
                    )
        names = [kernel.short for kernel in kernels]
        return Table(
            title=f"{original.board}: a process's part of a round, µs (and of the unmodified "
            "kernel's), where a server forked it after it had mapped its buffers",
            columns=["case", *names, *(f"flushes, {name}" for name in names[:2])],
            rows=rows,
        )

    def most(self, kernels: Sequence[Kernel]) -> tuple[float, float]:
        """The least and the most that the fast kernel takes of the unmodified one's time."""
        original, faster = kernels[:2]
        ratios = [
            self._of(faster, buffers, case, n)["value"]
            / self._of(original, buffers, case, n)["value"]
            for buffers in BUFFERS
            for case in CASES
            for n in COUNTS
        ]
        return min(ratios), max(ratios)


def _size(buffers: Buffers) -> str:
    whole = buffers.mapped_kb
    return f"{whole // 1024} MB" if whole >= 1024 else f"{whole} KB"
