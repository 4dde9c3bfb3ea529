# SPDX-License-Identifier: Apache-2.0
"""The lines of lmbench's tables: each a case of the suite, and the unit in which it is shown."""

from collections.abc import Callable
from dataclasses import dataclass

from switchyard.experiments.linux_suite import Run
from switchyard.suite import STREAMS

MEGABYTE = 1 << 20  # of a bandwidth's sample; MB/s are lmbench's, of 1,000,000 bytes


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

    def of(self, run: Run) -> Callable[[float], float]:
        """What cycles of a run are in the line's unit."""
        return (lambda cycles: MEGABYTE / run.us(cycles)) if self.unit == "MB/s" else run.us

    @property
    def stream(self) -> int:
        """The stream of its samples."""
        return {case: stream for stream, case in STREAMS[self.question].items()}[self.case]
