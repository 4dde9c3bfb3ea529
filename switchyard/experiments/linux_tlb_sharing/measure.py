# SPDX-License-Identifier: Apache-2.0
"""Runs of the suite's `sharing`, each of which measures every number of processes."""

from collections.abc import Mapping
from dataclasses import dataclass

from switchyard.data.records import Parameter, Record, of_case
from switchyard.experiments import linux_suite as suite
from switchyard.experiments import rings
from switchyard.experiments.experiment import Experiment, Job, Settings
from switchyard.experiments.linux_suite import BOARDS, Kernel, Run
from switchyard.run.machine import Stats

WORKLOAD = "file"  # what the processes have in common: pages of a file
PAGES = (0, 4, 8, 16)  # that each reads at its turn
COUNTS = (2, 3, 4, 6, 8, 10, 12, 13, 14, 16, 20, 24, 32)
QUICK_COUNTS = (2, 4, 8, 12, 16, 24)
ROUNDS, QUICK_ROUNDS = 15, 10  # of each boot


@dataclass(frozen=True)
class Way:
    """A kernel, and how the processes' common pages are mapped there."""

    kernel: Kernel
    mapped: str  # "private" or "shared"

    def __str__(self) -> str:
        """As the names of runs call it."""
        return f"{self.kernel}-{self.mapped}"

    @property
    def where(self) -> dict[str, Parameter]:
        """What its records are of."""
        return {**self.kernel.where, "mapped": self.mapped}


@dataclass(frozen=True)
class Ways:
    """What is compared on a machine."""

    original: Way
    fast: Way
    sharing: Way
    apart: Way  # what is shared, on the fast kernel that shares no entries
    bound: Way

    @property
    def drawn(self) -> tuple[Way, ...]:
        """The three lines of the paper's figure, and the bound."""
        return (self.original, self.fast, self.sharing, self.bound)

    @property
    def every(self) -> tuple[Way, ...]:
        """All."""
        return (self.original, self.fast, self.sharing, self.apart, self.bound)

    @property
    def board(self) -> str:
        """The machine."""
        return self.original.kernel.board


def _ways(original: Kernel, faster: Kernel, sharer: Kernel, bound: Kernel) -> Ways:
    return Ways(
        Way(original, "private"),
        Way(faster, "private"),
        Way(sharer, "shared"),
        Way(faster, "shared"),
        Way(bound, "private"),
    )


MACHINES = tuple(_ways(*board) for board in BOARDS)
WAYS = tuple(way for ways in MACHINES for way in ways.every)


class LinuxTlbSharing(Experiment[Run]):
    """Fig. 3: lat_ctx with and without sharing of TLB entries."""

    name = "linux-tlb-sharing"
    question = "What does a switch save where TLB entries of common memory are shared?"
    source = "Wiggins et al., ACSAC 2003, Fig. 3"

    def jobs(self, settings: Settings) -> list[Job]:
        """One run a way, number of pages and boot, which measures every number of processes."""
        counts = ",".join(str(n) for n in (QUICK_COUNTS if settings.quick else COUNTS))
        rounds = settings.times(ROUNDS, QUICK_ROUNDS)
        return [
            job
            for way in WAYS
            for pages in PAGES
            for job in suite.jobs(
                way.kernel,
                f"{way.mapped}-{pages:02}p",
                f"sharing processes={counts} pages={pages} mapped={way.mapped} rounds={rounds}",
                {
                    "workload": WORKLOAD,
                    "mapped": way.mapped,
                    "pages": pages,
                    "quick": settings.quick,
                },
                settings,
            )
        ]

    def measure(self, job: Job, stats: Stats) -> Run:
        """Each number of processes in the ring, and alone."""
        return rings.measure(job, stats, QUICK_COUNTS if job.parameters["quick"] else COUNTS)

    def records(self, samples: Mapping[str, Run]) -> list[Record]:
        """Every switch, and what sharing saves of its time."""
        runs = suite.together(samples)
        records = []
        for way in WAYS:
            for pages in PAGES:
                run = runs[f"{way}-{pages:02}p"]
                where: dict[str, Parameter] = {
                    "workload": WORKLOAD,
                    "pages": pages,
                    "mapped": way.mapped,
                }
                for n in rings.counts(run):
                    records += rings.records(self.name, run, n, where, way.kernel.scheme)
        for ways in MACHINES:
            # where no page is read nothing is shared
            saved = {
                (pages, n): 1 - rings.us(shared, n) / rings.us(private, n)
                for pages in PAGES[1:]
                for shared, private in [
                    [runs[f"{way}-{pages:02}p"] for way in (ways.sharing, ways.fast)]
                ]
                for n in rings.counts(shared)
            }
            sharer = ways.sharing.kernel
            on = (self.name, sharer.machine, suite.SYSTEM, sharer.scheme)
            for (pages, n), share in saved.items():
                where = {"workload": WORKLOAD, "processes": n, "pages": pages}
                records += of_case(*on, where, [("saved_by_sharing", share, "1")])
            ends = [
                ("saved_at_least", min(saved.values()), "1"),
                ("saved_at_most", max(saved.values()), "1"),
            ]
            records += of_case(*on, {"workload": WORKLOAD}, ends)
        return records
