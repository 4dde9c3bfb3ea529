# SPDX-License-Identifier: Apache-2.0
"""What every experiment has: jobs to run, a measurement of each, and records of them all.

`runner` does the rest: it builds the images, runs the jobs side by side, keeps the raw results and
writes records and figures. A job is a run of its own machine from power-on, so its result depends
neither on the other jobs nor on how many run at once, and one that was ever made is found again.
"""

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, TypeVar

from switchyard.data.records import Parameter, Record
from switchyard.errors import InputError
from switchyard.run.build import Guest, Images
from switchyard.run.build_linux import Linux
from switchyard.run.machine import Boot, Stats, described_in
from switchyard.show.figure import Drawn, Table

Sample = TypeVar("Sample")


@dataclass(frozen=True)
class Settings:
    """How much to measure. `rounds` overrides what full and quick runs take (for tests)."""

    quick: bool = False
    rounds: int | None = None

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

    def boot(self, images: Images) -> Boot:
        """The run, with the guest's images or copies of them."""
        return Boot(
            described_in(self.machine),
            images.kernel,
            self.append,
            self.max_cycles,
            images.initrd,
            dtb=images.dtb,
            restore=self.restore,
            peer=self.peer.image if self.peer else None,
            peer_append=self.peer_append,
            symbols=images.symbols if self.profile else None,
        )


@dataclass(frozen=True)
class Outcome:
    """What an experiment found: values, and the same for people.

    `more` are figures beside the first, by what their files' names end in (`breakdown`).
    """

    records: Sequence[Record]
    tables: Sequence[Table]
    figure: Drawn
    notes: Sequence[str]
    more: Mapping[str, Drawn] = field(default_factory=dict)

    def figures(self, name: str) -> dict[str, Drawn]:
        """Every figure by its file's name, for the experiment of that name."""
        return {name: self.figure, **{f"{name}-{end}": more for end, more in self.more.items()}}


class Experiment(ABC, Generic[Sample]):
    """A published table or figure that can be measured again. A `Sample` is what one run says.

    Its folder has what is published (`published.toml`), and how the records are shown (`view.py`,
    `text.md`; see `views`).
    """

    name: str
    question: str
    source: str
    # The package that has what is published, if its own has not.
    published_in: str = ""
    # For `run --band`: which value of a row is shown, and its unit; none, and there is no band.
    band_metric: tuple[str, str] = ("", "")
    band_system: str = "none"  # of the band's records, and their scheme where jobs have none
    band_scheme: str = "none"
    # How a banded value is called, by what its record says.
    band_label: str = "{scheme}"
    # Ratios of two banded jobs' values, which rest on less than they do, by what they are called.
    band_ratios: Mapping[str, tuple[str, str]] = {}
    # What a sweep's pictures call parameters of jobs whose names say too little.
    called: Mapping[str, str] = {}
    # The assumed constants that it may rest on, by name; None for all of its machines'.
    rests_on: Sequence[str] | None = None
    # Constants that are moved together besides, by what that is called.
    moved_together: Mapping[str, Mapping[str, int]] = {}

    @abstractmethod
    def jobs(self, settings: Settings) -> list[Job]:
        """The runs to make."""

    @abstractmethod
    def measure(self, job: Job, stats: Stats) -> Sample:
        """What one run says; called as soon as it ends, so that its raw samples need not stay."""

    @abstractmethod
    def records(self, samples: Mapping[str, Sample]) -> list[Record]:
        """Every value that the runs give together, by the names of their jobs."""

    @classmethod
    def package(cls) -> str:
        """The folder of the experiment, as a package."""
        return cls.__module__.rpartition(".")[0]

    def banded(self, case: Mapping[str, Parameter]) -> str:
        """What a banded value is called, by what its record is of."""
        return self.band_label.format(**case)

    def choices(self, settings: Settings) -> list[Job]:
        """The runs that a sweep may choose from, where they are more than the figure's."""
        return self.jobs(settings)

    def band_jobs(self, settings: Settings) -> list[Job]:
        """The runs that are made at the ends of the assumed constants' ranges: all, or a few."""
        return self.jobs(settings)

    def short_jobs(self, settings: Settings, names: Collection[str]) -> list[Job]:
        """Quick runs of these names, for those whose band is of a few."""
        quick = self.jobs(Settings(quick=True, rounds=settings.rounds))
        return [job for job in quick if job.name in names]

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
