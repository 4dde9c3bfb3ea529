# SPDX-License-Identifier: Apache-2.0
"""What the experiments with lmbench's tables share: lines, each a case of the suite on each kernel.

What is compared, and what is published of it, is each experiment's.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from switchyard.experiments import linux_suite as suite
from switchyard.experiments.linux_suite import Measured, Point
from switchyard.suite import STREAMS

MEGABYTE = 1 << 20  # of a bandwidth's sample; MB/s are lmbench's, of 1,000,000 bytes

On = TypeVar("On")


@dataclass(frozen=True)
class Case:
    """A case of the suite, by its question, and the unit in which it is shown."""

    question: str
    case: str
    unit: str = "us"

    @property
    def name(self) -> str:
        """What the line is called."""
        return f"bw-{self.case}" if self.question == "bandwidth" else self.case

    @property
    def metric(self) -> str:
        """What its records are called."""
        return "bandwidth" if self.unit == "MB/s" else "latency"

    def of(self, point: Point) -> Callable[[float], float]:
        """What cycles of a run are in the line's unit."""
        return (lambda cycles: MEGABYTE / point.us(cycles)) if self.unit == "MB/s" else point.us

    @property
    def stream(self) -> int:
        """The stream of its samples."""
        return {case: stream for stream, case in STREAMS[self.question].items()}[self.case]


Of = TypeVar("Of", bound=Case)


@dataclass(frozen=True)
class Lines(ABC, Generic[On, Of]):
    """The points, by what they ran on and line."""

    points: Mapping[str, Point]

    @abstractmethod
    def run(self, on: On, line: Of) -> str:
        """The name of the run that a line is in."""

    def point(self, on: On, line: Of) -> Point:
        """The run that a line is in."""
        return self.points[self.run(on, line)]

    def case(self, on: On, line: Of) -> Measured:
        """A line's case."""
        return self.point(on, line).cases[line.stream]

    def value(self, on: On, line: Of) -> float:
        """A line's value in its unit."""
        return self.unit(on, line)(self.case(on, line).timed.summary.mean)

    def unit(self, on: On, line: Of) -> Callable[[float], float]:
        """What cycles are in the line's unit."""
        return line.of(self.point(on, line))

    def shown(self, on: On, line: Of) -> str:
        """The value with the spread of its samples."""
        return suite.shown(self.unit(on, line), self.case(on, line).timed)
