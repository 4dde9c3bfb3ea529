# SPDX-License-Identifier: Apache-2.0
"""What the experiments with lmbench's lat_ctx share: rings of processes that pass a token.

One run measures every number of processes with one size of memory. What is compared, machines or
kernels, is each experiment's.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from switchyard.experiments import linux_suite as suite
from switchyard.experiments.experiment import Job
from switchyard.experiments.linux_suite import Measured, Run
from switchyard.machine import Stats
from switchyard.suite import ALONE
from switchyard.summary import Interval

On = TypeVar("On")


def measure(job: Job, stats: Stats, counts: Sequence[int]) -> Run:
    """Each number of processes in the ring, and alone."""
    return suite.measure(job, stats, [*counts, *(ALONE + n for n in counts)])


@dataclass(frozen=True)
class Rings(ABC, Generic[On]):
    """The runs, by what they ran on, size and number of processes."""

    runs: Mapping[str, Run]

    @abstractmethod
    def prefix(self, on: On) -> str:
        """How the names of its runs begin."""

    def run(self, on: On, size: int) -> Run:
        """The run with that size."""
        return self.runs[f"{self.prefix(on)}-{size:02}k"]

    @property
    def counts(self) -> list[int]:
        """The numbers of processes."""
        return [stream for stream in next(iter(self.runs.values())).cases if stream < ALONE]

    def ring(self, on: On, size: int, n: int) -> Measured:
        """The token's way around."""
        return self.run(on, size).cases[n]

    def us(self, on: On, size: int, n: int) -> float:
        """A switch: a part of the way around, less what it takes without switching."""
        return self.switch(on, size, n)(self.ring(on, size, n).timed.summary.mean)

    def switch(self, on: On, size: int, n: int) -> Callable[[float], float]:
        """What so many cycles of a way around are for a switch, in microseconds."""
        run = self.run(on, size)
        alone = run.cases[ALONE + n].timed.summary.mean
        return lambda cycles: run.us(cycles - alone) / n

    def interval(self, on: On, size: int, n: int) -> Interval:
        """Of a switch: over the boots, each beside its own process alone."""
        run = self.run(on, size)
        around, alone = run.cases[n].timed.means, run.cases[ALONE + n].timed.means
        return Interval.of(
            [run.us(one - other) / n for one, other in zip(around, alone, strict=True)]
        )

    def shown(self, on: On, size: int, n: int) -> str:
        """A switch with the spread of the ways around."""
        return suite.shown(
            self.switch(on, size, n), self.ring(on, size, n).timed, self.interval(on, size, n)
        )
