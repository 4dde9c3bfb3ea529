# SPDX-License-Identifier: Apache-2.0
"""What every experiment has: jobs to run, a measurement of each, and records of them all.

`runner` does the rest: it builds the images, runs the jobs side by side, keeps the raw results and
writes records and figures. A job is a run of its own machine from power-on, so its result depends
neither on the other jobs nor on how many run at once, and one that was ever made is found again.
"""

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

from switchyard.data.records import Parameter, Record, of_case
from switchyard.errors import InputError, RunError
from switchyard.run.build import Guest, Images
from switchyard.run.build_linux import Linux
from switchyard.run.machine import Boot, Region, Stats, described_in
from switchyard.show.figure import Drawn, Table

# An experiment's `measure.py` imports what is common to all of them from here.
__all__ = [
    "BandPlan", "Case", "Experiment", "Job", "OfRuns", "Outcome", "Parameter", "Region", "RunError",
    "Settings", "Stats", "Value", "each",
]  # fmt: skip

Sample = TypeVar("Sample")


@dataclass(frozen=True)
class Settings:
    """How much to measure. `rounds` overrides what full and quick runs take (for tests).

    `once` makes one run of each case that quick runs repeat with another seed.
    """

    quick: bool = False
    rounds: int | None = None
    once: bool = False

    def times(self, full: int, quick: int) -> int:
        """How often something is measured."""
        return self.rounds or (quick if self.quick else full)


@dataclass(frozen=True)
class Job:
    """One run of one guest.

    `parameters` is what distinguishes the job from its neighbours, for a sweep to choose by.
    """

    name: str
    guest: Guest | Linux
    machine: str
    append: str
    max_cycles: int
    restore: Path | None = None  # a machine that `boot --save` wrote; the rest is inside it
    parameters: Mapping[str, Parameter] = field(default_factory=dict, hash=False)
    peer: Guest | None = None  # what a second machine like it runs, at the other end of its cable
    peer_append: str = ""
    profile: bool = False  # whether the statistics say what each function took in each region

    @property
    def guests(self) -> "list[Guest | Linux]":
        """All whose images it needs."""
        return [self.guest, self.peer] if self.peer else [self.guest]

    def number(self, name: str) -> int:
        """A number of its command line."""
        return int(self._words[name])

    def word(self, name: str) -> str | None:
        """What its command line says, if it does."""
        return self._words.get(name)

    def numbers(self, name: str) -> list[int]:
        """Several numbers of its command line: `1,2,3`, or `1-3`."""
        first, _, last = self._words[name].partition("-")
        return [*range(int(first), int(last) + 1)] if last else [*map(int, first.split(","))]

    @property
    def _words(self) -> dict[str, str]:
        return dict(word.split("=", 1) for word in self.append.split() if "=" in word)

    def boot(self, images: Images) -> Boot:
        """The run, with the guest's images or copies of them."""
        return Boot(
            described_in(self.machine),
            images.kernel,
            self.append,
            self.max_cycles,
            images.initrd,
            dtb=images.dtb,
            bios=images.bios,
            restore=self.restore,
            peer=self.peer.image if self.peer else None,
            peer_append=self.peer_append,
            symbols=images.symbols if self.profile else None,
        )


@dataclass(frozen=True)
class Outcome:
    """What an experiment found: values, and what people are shown of them.

    `more` are figures beside the first, by what their files' names end in (`breakdown`).
    """

    records: Sequence[Record]
    tables: Sequence[Table]
    figure: Drawn
    notes: Sequence[str]
    more: Mapping[str, Drawn] = field(default_factory=dict)
    brief: Sequence[str] = ()  # what a first look says in place of tables and notes

    def figures(self, name: str) -> dict[str, Drawn]:
        """Every figure by its file's name, for the experiment of that name."""
        return {name: self.figure, **{f"{name}-{end}": more for end, more in self.more.items()}}


Value = tuple[str, float, str]  # metric, value and unit


def each(
    values: Mapping[str, float],
    unit: str,
    names: Iterable[str] = (),
    but: Mapping[str, str] | None = None,
) -> list[Value]:
    """Values by metric, all or those named, in one unit but for some."""
    units = but or {}
    return [(name, values[name], units.get(name, unit)) for name in names or values]


class Case(NamedTuple):
    """What was measured of one case: where it ran, its parameters, and its values."""

    machine: str
    scheme: str
    where: Mapping[str, Parameter]
    values: Iterable[Value]
    digits: int | None = None  # of the values, where not as many as the experiment's

    def records(self, experiment: str, system: str, digits: int = 6) -> list[Record]:
        """A record a value."""
        rounded = digits if self.digits is None else self.digits
        place = (self.machine, system, self.scheme)
        return of_case(experiment, *place, self.where, self.values, rounded)


@dataclass(frozen=True)
class BandPlan:
    """What `run --band` shows moving, and which runs it makes at the ends of constants' ranges."""

    metric: str  # of a row
    unit: str
    # The names of quick jobs, or a function that gives jobs; empty: those that the ratios are of.
    jobs: Collection[str] | Callable[[Settings], list[Job]] = ()
    scheme: str = "none"  # of its records, where jobs have none
    # How a banded value is called: with what its record says filled in.
    label: str | Callable[[Mapping[str, Parameter]], str] = "{scheme}"
    # Ratios of two banded jobs' values, which rest on less than they do, by what they are called.
    ratios: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    # Constants that are moved together besides, by what that is called.
    moved_together: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    def called(self, case: Mapping[str, Parameter]) -> str:
        """What a banded value is called, by what its record is of."""
        return self.label.format(**case) if isinstance(self.label, str) else self.label(case)


class Experiment(ABC, Generic[Sample]):
    """A published table or figure that can be measured again. A `Sample` is what one run says.

    Its folder has what is published (`published.toml`), and how the records are shown (`view.py`,
    `text.md`; see `views`).
    """

    name: str
    question: str
    source: str
    system: str = "none"  # of its records
    digits: int = 6  # of its values
    # The package that has what is published, if its own has not.
    published_in: str = ""
    band: BandPlan | None = None
    # What a sweep's pictures call parameters of jobs whose names say too little.
    called: Mapping[str, str] = {}

    @abstractmethod
    def jobs(self, settings: Settings) -> list[Job]:
        """The runs to make."""

    @abstractmethod
    def measure(self, job: Job, stats: Stats) -> Sample:
        """What one run says; called as soon as it ends, so that its raw samples need not stay."""

    def cases(self, samples: Mapping[str, Sample]) -> Iterable[Case]:
        """Every value that the runs give together, by the names of their jobs."""
        raise NotImplementedError

    def records(self, samples: Mapping[str, Sample]) -> list[Record]:
        """The cases as records."""
        return [
            record
            for case in self.cases(samples)
            for record in case.records(self.name, self.system, self.digits)
        ]

    def needs_linux(self) -> bool:
        """Whether one of its runs boots Linux, which must be built first."""
        runs = self.jobs(Settings(quick=True))
        return any(isinstance(guest, Linux) for job in runs for guest in job.guests)

    @classmethod
    def package(cls) -> str:
        """The folder of the experiment, as a package."""
        return cls.__module__.rpartition(".")[0]

    def choices(self, settings: Settings) -> list[Job]:
        """The runs that a sweep may choose from, where they are not the figure's."""
        return self.jobs(settings)

    def row(self, job: Job, sample: Sample) -> dict[str, Parameter]:
        """A job's sample as a row of a sweep's table: the job's parameters, then every value.

        By default the sample is a dataclass, whose fields are the values; members of a mapping are
        taken out of it.
        """
        if not dataclasses.is_dataclass(sample) or isinstance(sample, type):
            raise InputError(f"{self.name}: cannot be swept; expected samples that are dataclasses")
        row: dict[str, Parameter] = dict(job.parameters)
        for name in (entry.name for entry in dataclasses.fields(sample)):
            value = getattr(sample, name)
            several = value if isinstance(value, Mapping) else {name: value}
            row |= {str(k): v for k, v in several.items() if isinstance(v, int | float | str)}
        return row


class OfRuns(Experiment[Sequence[Case]]):
    """An experiment each of whose runs has cases of its own, which `measure` gives."""

    def cases(self, samples: Mapping[str, Sequence[Case]]) -> Iterable[Case]:
        """Those of each run."""
        return (case for cases in samples.values() for case in cases)

    def row(self, job: Job, sample: Sequence[Case]) -> dict[str, Parameter]:
        """The job's parameters, then each case's values by what sets it apart from the others."""
        row: dict[str, Parameter] = {**job.parameters, "machine": sample[0].machine}
        for case in sample:
            apart = [f"{value} " for name, value in case.where.items() if name not in row]
            row |= {"".join(apart) + metric: value for metric, value, _ in case.values}
        return row
