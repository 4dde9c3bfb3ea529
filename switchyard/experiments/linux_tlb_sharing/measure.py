# SPDX-License-Identifier: Apache-2.0
"""Runs of the suite's `sharing`, each of which measures every number of processes."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from switchyard.experiments import linux_suite as suite
from switchyard.experiments import rings
from switchyard.experiments.linux_suite import BOARDS, Kernel, Run
from switchyard.experiments.on_linux import OnLinux
from switchyard.run.experiment import Case, Job, Parameter, Settings

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


# What is compared on a machine, by what it is called here.
Ways = Mapping[str, Way]


def _ways(original: Kernel, fast: Kernel, sharer: Kernel, bound: Kernel) -> Ways:
    return {
        "original": Way(original, "private"),
        "fast": Way(fast, "private"),
        "sharing": Way(sharer, "shared"),
        "apart": Way(fast, "shared"),  # what is shared, on the kernel that shares no entries
        "bound": Way(bound, "private"),
    }


MACHINES = tuple(_ways(*board) for board in BOARDS)
WAYS = tuple(way for ways in MACHINES for way in ways.values())


class LinuxTlbSharing(OnLinux):
    """Fig. 3: lat_ctx with and without sharing of TLB entries."""

    name = "linux-tlb-sharing"
    question = "What does a switch save where TLB entries of common memory are shared?"
    source = "Wiggins et al., ACSAC 2003, Fig. 3"

    def jobs(self, settings: Settings) -> list[Job]:
        """A run measures every number of processes."""
        counts = ",".join(map(str, QUICK_COUNTS if settings.quick else COUNTS))
        rounds = settings.times(ROUNDS, QUICK_ROUNDS)
        jobs: list[Job] = []
        for way in WAYS:
            for pages in PAGES:
                words = f"sharing processes={counts} pages={pages} mapped={way.mapped}"
                parameters: dict[str, Parameter] = {"workload": WORKLOAD, "mapped": way.mapped}
                parameters |= {"pages": pages, "quick": settings.quick}
                asked = (f"{way.mapped}-{pages:02}p", f"{words} rounds={rounds}", parameters)
                jobs += suite.jobs([way.kernel], [asked], settings)
        return jobs

    def cases(self, samples: Mapping[str, Run]) -> Iterator[Case]:
        """Every switch, and what sharing saves of its time."""
        runs = suite.together(samples)
        for way in WAYS:
            for pages in PAGES:
                run, scheme = runs[f"{way}-{pages:02}p"], way.kernel.scheme
                where: dict[str, Parameter] = {"workload": WORKLOAD, "pages": pages}
                yield from rings.cases(run, {**where, "mapped": way.mapped}, scheme)
        for ways in MACHINES:
            on = (ways["sharing"].kernel.machine, ways["sharing"].kernel.scheme)
            saved = []
            for pages in PAGES[1:]:  # where no page is read nothing is shared
                shared, private = (
                    runs[f"{ways[name]}-{pages:02}p"] for name in ("sharing", "fast")
                )
                for n in rings.counts(shared):
                    saved.append(1 - rings.us(shared, n) / rings.us(private, n))
                    share = [("saved_by_sharing", saved[-1], "1")]
                    yield Case(*on, {"workload": WORKLOAD, "processes": n, "pages": pages}, share)
            ends = [("saved_at_least", min(saved), "1"), ("saved_at_most", max(saved), "1")]
            yield Case(*on, {"workload": WORKLOAD}, ends)
