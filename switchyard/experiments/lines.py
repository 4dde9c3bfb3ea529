# SPDX-License-Identifier: Apache-2.0
"""The lines of lmbench's tables: each a case of the suite, and the unit in which it is shown."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from switchyard.data.rows import Placed, unsteady
from switchyard.data.suite import STREAMS
from switchyard.experiments import linux_suite as suite
from switchyard.experiments.linux_suite import Operation, Run
from switchyard.run.experiment import Case, Parameter

if TYPE_CHECKING:  # it knows the experiments, which know the lines
    from switchyard.show.views import Results

MEGABYTE = 1 << 20  # of a bandwidth's sample; MB/s are lmbench's, of 1,000,000 bytes


@dataclass(frozen=True)
class Line:
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

    def case_of(self, run: Run, scheme: str, where: Mapping[str, Parameter]) -> Case:
        """What a run says of it."""
        measured = run.cases[self.stream]
        value, unit = self.of(run), self.unit
        return suite.case(run, measured, scheme, self.metric, where, value=value, unit=unit)

    @property
    def stream(self) -> int:
        """The stream of its samples."""
        return {case: stream for stream, case in STREAMS[self.question].items()}[self.case]


class Lines:
    """The lines of an experiment's tables on its kernels, by name, as there are records of them."""

    def __init__(self, results: "Results", lines: Iterable[Line]) -> None:
        self.results = results
        self.lines = {line.name: line for line in lines}

    def on(self, kernel: Placed, name: str) -> Operation:
        """A line on a kernel."""
        line = self.lines[name]
        row = self.results.rows.find(line.metric, **kernel.where, case=line.case)
        return Operation.of(row, line.metric)

    def paper(self, kernel: Placed, name: str) -> float | None:
        """What is published of it, if something is."""
        line = self.lines[name]
        return self.results.paper(
            line.metric, **kernel.where, question=line.question, case=line.case
        )

    def of(self, question: str) -> list[str]:
        """The names of a question's lines."""
        return [name for name, line in self.lines.items() if line.question == question]

    def cases(self, kernels: Iterable[Placed]) -> dict[str, dict[Any, Any]]:
        """Of each line, by its name: how it is on each kernel, its name and its unit."""
        on = list(kernels)
        return {
            name: {"name": name, "unit": line.unit.replace("us", "µs")}
            | {kernel: self.on(kernel, name) for kernel in on}
            for name, line in self.lines.items()
        }

    def unsteady(self, kernels: Mapping[str, Placed]) -> list[str]:
        """What is not known well, on kernels by how they are called."""
        return unsteady(
            (
                (f"{name} {called}", self.on(kernel, name))
                for called, kernel in kernels.items()
                for name in self.lines
            ),
            "value",
        )
