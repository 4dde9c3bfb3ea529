# SPDX-License-Identifier: Apache-2.0
"""What the experiments with applications where Linux is a server on L4 share.

One run a system asks for all cases of a question. What small spaces save is that of the same server
with its programs in large ones: of a small server, as in the paper, and of a large one.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from switchyard.data.records import Parameter
from switchyard.data.rows import Row
from switchyard.data.suite import APPLICATIONS
from switchyard.experiments import linux_servers as servers
from switchyard.experiments import linux_suite as suite
from switchyard.experiments.linux_servers import (
    ALL,
    BOUND,
    EVERY,
    GROUPED,
    LARGE,
    MACHINE,
    NATIVE,
    NATIVE_BOUND,
    ON_ALL,
    SERVER,
    SMALL,
)
from switchyard.experiments.linux_suite import Measured, Run
from switchyard.run.build_linux import Linux
from switchyard.run.experiment import Case, Job, Settings
from switchyard.run.machine import Stats
from switchyard.show import declared as show

# What each is compared with: small programs with large ones of the same server, tags with none.
THAN = {SMALL: LARGE, ALL: SERVER, GROUPED: SERVER, BOUND: LARGE, NATIVE_BOUND: NATIVE}
SAVED = {"cycles": "cycles", "itlb_misses": "itlb", "dtlb_misses": "dtlb"}
COLUMNS: show.Columns = {
    "cycles": ("cycles", 0), "instr.": ("instructions", 0), "traces": ("traces_built", 0),
    "I-walks": ("itlb_misses", 0), "D-walks": ("dtlb_misses", 0), "L2 misses": ("l2_misses", 0),
    "CR3": ("cr3_loads", 1),
    "saved": lambda row: f"{row['cycles_saved']:.1%}" if "cycles_saved" in row else "",
}  # fmt: skip
MEANT = (
    "traces: built anew; walks: of page tables, for an entry of the instruction TLB or of the data "
    "TLB; CR3: loads of it, which empty TLBs and trace cache; saved: of the cycles of the same "
    "server with its programs large, or of the same system without hardware tags"
)


def compared(
    measured: Mapping[str, tuple[Run, Measured]], where: Mapping[str, Parameter]
) -> Iterator[Case]:
    """A case on every system, and what is saved of it."""
    values = {on: list(servers.values(case)) for on, (_, case) in measured.items()}
    of = {on: {name: value for name, value, _ in listed} for on, listed in values.items()}
    for on, (run, _) in measured.items():
        more = [
            (f"{name}_saved", 1 - of[on][metric] / of[THAN[on]][metric], "1")
            for metric, name in SAVED.items()
            if on in THAN
        ]
        yield Case(run.machine, suite.SCHEME, {"on": on, **where}, [*values[on], *more])


@dataclass(frozen=True)
class Application:
    """A question of the suite's, on a disk of its own that is called as the question is."""

    question: str
    names: Mapping[str, str]  # its cases, and what tables call them
    boots: int  # of full runs
    parameter: str = "case"  # what its records have of a case
    value: Callable[[str], Parameter] = str

    def jobs(self, settings: Settings, words: str) -> list[Job]:
        """A run a boot of each system."""
        asked: list[suite.Question] = [("", f"{self.question} {words}", {})]
        boots = 1 if settings.quick else self.boots
        return servers.jobs(self.question, asked, settings, among=EVERY, boots=boots, profile=False)

    def measure(self, job: Job, stats: Stats) -> Run:
        """All cases of a run."""
        return suite.measure(job, stats, list(APPLICATIONS[self.question]), servers.COUNTED)

    def cases(self, samples: Mapping[str, Run]) -> Iterator[Case]:
        """Every case on every system, and what small spaces save of it."""
        runs = suite.together(samples)
        for stream, case in APPLICATIONS[self.question].items():
            yield from compared(
                {on: (runs[on], runs[on].cases[stream]) for on in EVERY},
                {self.parameter: self.value(case)},
            )

    def found(self, results: show.Results) -> dict[tuple[str, str], Row]:
        """The rows, by case and system."""
        rows = results.rows
        return {
            (case, on): rows.find("cycles", **{"on": on, self.parameter: self.value(case)})
            for case in self.names
            for on in EVERY
        }

    def tables(
        self, found: Mapping[tuple[str, str], Row], cases: Iterable[str]
    ) -> list[show.Table]:
        """A table for each of these."""
        return [
            show.table(
                f"{self.names[case]}: on {MACHINE}, Linux {Linux.version} native and as a server",
                "on",
                [(ON_ALL[on], found[case, on]) for on in EVERY],
                COLUMNS,
                MEANT,
            )
            for case in cases
        ]

    def shown(
        self, results: show.Results, title: str
    ) -> tuple[list[show.Table], dict[str, show.Bars]]:
        """A table a case, and a figure of them all in parts of native Linux' time."""
        found = self.found(results)
        times = {
            name: {
                ON_ALL[on]: found[case, on]["cycles"] / found[case, NATIVE]["cycles"]
                for on in EVERY
            }
            for case, name in self.names.items()
        }
        figure = show.bars(
            title,
            f"Linux {Linux.version}; simulated machine {MACHINE}, and the same with hardware tags",
            "times what native Linux takes",
            "Bars in times of native Linux: "
            + "; ".join(
                f"{name}: " + ", ".join(f"{on} {value:.2f}" for on, value in by.items())
                for name, by in times.items()
            )
            + ".",
            times,
        )
        return self.tables(found, self.names), {"": figure}
