# SPDX-License-Identifier: Apache-2.0
"""What the experiments with lmbench's lat_ctx share: rings of processes that pass a token.

One run measures every number of processes with one size of memory. What is compared, machines or
kernels, is each experiment's.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

from switchyard.data.rows import Placed, Rows, unsteady
from switchyard.data.suite import ALONE
from switchyard.data.summary import Interval
from switchyard.experiments import linux_suite as suite
from switchyard.experiments.linux_suite import Operation, Run
from switchyard.run.experiment import Case, Parameter
from switchyard.show.figure import Figure, Series

# What more processes may cost more of.
COUNTED = ("instructions", "icache_misses", "dcache_misses", "itlb_misses", "dtlb_misses")
NAMED = 4  # functions, of those that more processes make longer


def counts(run: Run) -> list[int]:
    """The numbers of processes."""
    return [stream for stream in run.cases if stream < ALONE]


def us(run: Run, n: int) -> float:
    """A switch between n processes."""
    return _switch(run, n)(run.cases[n].timed.summary.mean)


def _switch(run: Run, n: int) -> Callable[[float], float]:
    """What so many cycles of a way around are for a switch, in microseconds.

    It is a part of the way around, less what that takes without switching.
    """
    alone = run.cases[ALONE + n].timed.summary.mean
    return lambda cycles: run.us(cycles - alone) / n


def case(run: Run, n: int, where: Mapping[str, Parameter], scheme: str) -> Case:
    """A switch between n processes; what was counted is of the way around, nothing taken off."""
    around, alone = run.cases[n].timed.means, run.cases[ALONE + n].timed.means
    return suite.case(
        run,
        run.cases[n],
        scheme,
        "switch",
        {"processes": n, **where},
        value=_switch(run, n),
        # over the boots, each beside its own process alone
        interval=Interval.of(
            [run.us(ring - other) / n for ring, other in zip(around, alone, strict=True)]
        ),
        divide=n,
    )


def cases(run: Run, where: Mapping[str, Parameter], scheme: str) -> Iterator[Case]:
    """A switch between each number of processes."""
    return (case(run, n, where, scheme) for n in counts(run))


def grown(run: Run, where: Mapping[str, Parameter], scheme: str) -> Case:
    """Which functions have most more instructions with the most processes than with the fewest."""
    few, many = min(counts(run)), max(counts(run))
    before, after = (run.cases[n].functions for n in (few, many))
    more = {
        name: after.get(name, 0.0) / many - before.get(name, 0.0) / few
        for name in {**before, **after}
    }
    longest = sorted(((by, name) for name, by in more.items()), reverse=True)[:NAMED]
    values = [(f"switch_grown: {name}", by, "per_operation") for by, name in longest if by >= 1]
    return Case(run.machine, scheme, {"processes": many, **where}, values, digits=0)


class Rings:
    """The switches that there are records of, by what they ran on, size and number of processes."""

    def __init__(self, rows: Rows, size: str, unit: str) -> None:
        self._rows = rows.select("switch")
        self._size, self._unit = size, unit  # the parameter's name, and what it counts
        self.counts = sorted({int(row.where["processes"]) for row in self._rows})
        self.ends = self.counts[0], self.counts[-1]

    def switch(self, on: Placed, size: int, n: int) -> Operation:
        """A switch between n processes."""
        where = {**on.where, self._size: size}
        return Operation.of(self._rows.find(**where, processes=n), "switch")

    def us(self, on: Placed, size: int, n: int) -> float:
        """Its mean."""
        return self.switch(on, size, n)["value"]

    def every(self, on: Placed, sizes: Sequence[int]) -> Iterator[Operation]:
        """All switches with these sizes."""
        return (self.switch(on, size, n) for size in sizes for n in self.counts)

    def line(self, on: Placed, size: int, label: str) -> Series:
        """A line of a figure."""
        rows = self._rows.select(**on.where, **{self._size: size})
        return Series(label, label, [row.mark("processes", "switch") for row in rows])

    def growth(self, on: Placed, size: int) -> str:
        """What a switch between the most processes has more than one between the fewest."""
        few, many = (self.switch(on, size, n) for n in self.ends)
        more = {name.replace("_", " "): many[name] - few[name] for name in COUNTED}
        told = ", ".join(f"{by:+.0f} {name}" for name, by in more.items() if abs(by) >= 1)
        grown = [(by, name) for name, by in many.items() if name.startswith("grown: ")]
        longest = ", ".join(
            f"{name.removeprefix('grown: ')} ({by:+.0f})"
            for by, name in sorted(grown, reverse=True)
        )
        return (told or "nothing that is counted") + (
            f"; instructions grow most in {longest}" if longest else ""
        )

    def unsteady(
        self, called: Mapping[str, Placed], sizes: Sequence[int], counts: Sequence[int]
    ) -> list[str]:
        """What is not known well of some; `called` is how names tell what they ran on."""
        return unsteady(
            (
                (f"{n} processes, {size} {self._unit}{name}", self.switch(on, size, n))
                for name, on in called.items()
                for size in sizes
                for n in counts
            ),
            "value",
        )

    def figure(self, title: str, subtitle: str, lines: Sequence[Series], step: float) -> Figure:
        """Switches over the number of processes."""
        drawn = [mark.top for line in lines for mark in line.marks]
        y_range, y_ticks = suite.ticks(max(drawn), step)
        first, last = self.ends
        every = 2 if last <= 16 else 4 if last <= 32 else 5
        return Figure(
            title=title,
            subtitle=[*subtitle.split("\n"), suite.BARS],
            x_title="processes",
            y_title="a switch, µs",
            series=lines,
            y_range=y_range,
            y_ticks=y_ticks,
            x_ticks=[first, *(n for n in range(first + 1, last + 1) if n % every == 0)],
        )
