# SPDX-License-Identifier: Apache-2.0
"""What the experiments with applications where Linux is a server on L4 share.

One run a system asks for all cases of a question. What small spaces save is that of the same server
with its programs in large ones: of a small server, as in the paper, and of a large one.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from switchyard.data.records import Parameter
from switchyard.data.suite import APPLICATIONS
from switchyard.experiments import linux_servers as servers
from switchyard.experiments import linux_suite as suite
from switchyard.experiments.linux_servers import (
    ALL,
    BOUND,
    EVERY,
    GROUPED,
    LARGE,
    NATIVE,
    NATIVE_BOUND,
    SERVER,
    SMALL,
)
from switchyard.experiments.linux_suite import Measured, Run
from switchyard.run.experiment import Case, Job, Settings
from switchyard.run.machine import Stats

# What some count as well; flips are reported by the microkernel (kernel/events.h).
BUILDING = {"trace_build_cycles": ("trace_build_cycles",)}
FLIPS = {"segment_flips": 17}
# What each is compared with: small programs with large ones of the same server, tags with none.
THAN = {SMALL: LARGE, ALL: SERVER, GROUPED: SERVER, BOUND: LARGE, NATIVE_BOUND: NATIVE}
SAVED = {"cycles": "cycles", "itlb_misses": "itlb", "dtlb_misses": "dtlb"}


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
    # In the stream that many above a case's the guest says of how many operations a sample is; 0:
    # each is of one.
    objects: int = 0
    word: str = ""  # for the kernels
    ending: str = ""  # of its jobs' names, where an experiment has several
    # Counters and events that only it has.
    counted: Mapping[str, Sequence[str]] = field(default_factory=dict)
    events: Mapping[str, int] = field(default_factory=dict)

    def jobs(
        self, settings: Settings, words: str, among: Sequence[str] = EVERY, case: str = ""
    ) -> list[Job]:
        """A run a boot of each system, with all cases or this one."""
        asked: list[suite.Question] = [(self.ending, f"{self.question} {words}", {})]
        if case:
            asked = [(f"-{case}", f"{self.question} case={case} {words}", {"case": case})]
        boots = 1 if settings.quick else self.boots
        return servers.jobs(
            self.question,
            asked,
            settings,
            among=among,
            boots=boots,
            profile=False,
            word=self.word,
        )

    def measure(self, job: Job, stats: Stats) -> Run:
        """The cases of a run."""
        cases = APPLICATIONS[self.question]
        streams = [s for s, case in cases.items() if job.parameters.get("case", case) == case]
        batches = {s: stats.samples[self.objects + s][0] for s in streams if self.objects}
        counted = {**servers.COUNTED, **self.counted}
        return suite.measure(job, stats, streams, counted, batches=batches, events=self.events)

    def together(self, samples: Mapping[str, Run]) -> dict[str, Run]:
        """Its runs, by their systems."""
        every = suite.together(samples)
        return {on: every[f"{on}{self.ending}"] for on in EVERY}

    def cases(self, samples: Mapping[str, Run]) -> Iterator[Case]:
        """Every case on every system, and what small spaces save of it."""
        runs = self.together(samples)
        for stream, case in APPLICATIONS[self.question].items():
            yield from compared(
                {on: (run, run.cases[stream]) for on, run in runs.items()},
                {self.parameter: self.value(case)},
            )
