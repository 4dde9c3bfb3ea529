# SPDX-License-Identifier: Apache-2.0
"""What every experiment has: jobs to run, a measurement of each, and an outcome of them all.

`runner` does the rest: it builds the images, runs the jobs side by side, keeps the raw results and
writes records and figures. A job is a run of its own machine from power-on, so its result depends
neither on the other jobs nor on how many run at once.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from switchyard.build import Guest, Images
from switchyard.build_linux import Linux
from switchyard.machine import Boot, Stats
from switchyard.plot import Figure
from switchyard.records import Record

Point = TypeVar("Point")


@dataclass(frozen=True)
class Settings:
    """How much to measure. `rounds` overrides what full and quick runs take (for tests)."""

    quick: bool = False
    rounds: int | None = None


@dataclass(frozen=True)
class Job:
    """One run of one guest."""

    name: str
    guest: Guest | Linux
    machine: str
    append: str
    max_cycles: int

    def boot(self, images: Images) -> Boot:
        """The run, with copies of the guest's images."""
        return Boot(
            self.machine, images.kernel, self.append, self.max_cycles, images.initrd, dtb=images.dtb
        )


@dataclass(frozen=True)
class Table:
    """A table for people; its cells are text already."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    caption: str = ""


@dataclass(frozen=True)
class Outcome:
    """What an experiment found: values, and the same for people."""

    records: Sequence[Record]
    tables: Sequence[Table]
    figure: Figure
    notes: Sequence[str]


class Experiment(ABC, Generic[Point]):
    """A published table or figure that can be measured again. `Point` is one job's measurement."""

    name: str
    question: str
    source: str

    @abstractmethod
    def jobs(self, settings: Settings) -> list[Job]:
        """The runs to make."""

    @abstractmethod
    def measure(self, job: Job, stats: Stats) -> Point:
        """What one run says; called as soon as it ends, so that its raw samples need not stay."""

    @abstractmethod
    def outcome(self, points: Mapping[str, Point]) -> Outcome:
        """What the points say together, by the names of their jobs."""
