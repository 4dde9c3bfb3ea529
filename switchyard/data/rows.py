# SPDX-License-Identifier: Apache-2.0
"""Records as rows: all that was measured of one case, by metric, and how it is shown.

Every table, figure and sentence is made of rows, so that a spread, a confidence interval and a mean
that is not known well look the same in all of them. A metric's `_p5`, `_p95` and `_uncertainty`
are metrics beside it, in the same row.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, overload

from switchyard.data import summary
from switchyard.data.records import Parameter, Record
from switchyard.data.summary import Interval, spread
from switchyard.errors import InputError
from switchyard.show.figure import Mark

ASSUMED = "assumed"  # the parameter of a band's records, which are no rows of the result's


def number(value: float) -> str:
    """A value with three digits that count."""
    if abs(value) >= 100:
        return f"{value:.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def times(value: float, published: float) -> str:
    """How many times a published value a value is."""
    ratio = value / published
    if 0.95 <= ratio <= 1.05:
        return "as published"
    return f"{ratio:.2f} times" if ratio < 10 else f"{ratio:.0f} times"


@dataclass(frozen=True)
class Row(Mapping[str, float]):
    """One case: what it is, and its values by metric."""

    where: Mapping[str, Parameter]  # machine, system, scheme, and the parameters
    metrics: Mapping[str, float] = field(hash=False)

    def __getitem__(self, metric: str) -> float:
        return self.metrics[metric]

    def __iter__(self) -> Iterator[str]:
        return iter(self.metrics)

    def __len__(self) -> int:
        return len(self.metrics)

    def interval(self, metric: str) -> Interval:
        """The metric's mean with its confidence interval: infinite where nothing is known."""
        mean = self[metric]
        known = self.get(f"{metric}_uncertainty", math.inf)
        return Interval(mean, known * abs(mean) if mean else math.inf)

    def approx(self, metric: str, form: Callable[[float], str] = number) -> str:
        """The mean, with a sign in front if it is not known well."""
        return f"{'' if self.interval(metric).stable else '≈ '}{form(self[metric])}"

    def spread(self, metric: str, form: Callable[[float], str] = number) -> str:
        """The mean with the 5th and 95th percentile of its samples."""
        ends = form(self[f"{metric}_p5"]), form(self[f"{metric}_p95"])
        return spread(form(self[metric]), ends, self.interval(metric))

    def mark(self, x: str, metric: str, *, spread: bool = False) -> Mark:
        """The metric over a parameter, with its interval, for a figure."""
        low, high = (self[f"{metric}_{end}"] if spread else None for end in ("p5", "p95"))
        return Mark(float(self.where[x]), self[metric], low, high, self.interval(metric).half)


class Rows(Sequence[Row]):
    """Rows in the order of their records."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self._rows = list(rows)
        # by the names that are asked for, then by their values: a view asks thousands of times
        self._by: dict[tuple[str, ...], dict[tuple[Parameter | None, ...], list[Row]]] = {}

    @classmethod
    def of(cls, records: Iterable[Record]) -> "Rows":
        """The rows of an experiment's records, but for those of its band."""
        cases: dict[frozenset[object], tuple[dict[str, Parameter], dict[str, float]]] = {}
        for record in records:
            if ASSUMED in record.parameters:
                continue
            where = record.case
            _, metrics = cases.setdefault(frozenset(where.items()), (where, {}))
            metrics[record.metric] = record.value
        return cls(Row(where, metrics) for where, metrics in cases.values())

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, place: int) -> Row: ...
    @overload
    def __getitem__(self, place: slice) -> list[Row]: ...
    def __getitem__(self, place: int | slice) -> Row | list[Row]:
        return self._rows[place]

    def select(self, *metrics: str, **where: Parameter) -> "Rows":
        """Those of these cases that have these metrics."""
        names = tuple(where)
        if names not in self._by:
            by = self._by[names] = {}
            for row in self._rows:
                by.setdefault(tuple(row.where.get(name) for name in names), []).append(row)
        rows = self._by[names].get(tuple(where.values()), [])
        return Rows([row for row in rows if all(metric in row for metric in metrics)])

    def find(self, *metrics: str, **where: Parameter) -> Row:
        """The one row of this case."""
        rows = self.select(*metrics, **where)
        if len(rows) != 1:
            said = ", ".join([*metrics, *(f"{name} {value}" for name, value in where.items())])
            raise InputError(f"{len(rows)} rows of {said}; expected one, as a whole run makes it")
        return rows[0]

    def by(self, *names: str) -> Callable[..., Row]:
        """What finds the row of a case by the values of these parameters."""
        return lambda *values: self.find(**dict(zip(names, values, strict=True)))


class Placed(Protocol):
    """What records may be of: a kernel, a way to use it."""

    @property
    def where(self) -> Mapping[str, Parameter]:
        """What its records have in common."""


def unsteady(rows: Iterable[tuple[str, Row]], metric: str) -> list[str]:
    """A paragraph that names the rows whose means are not to be trusted; none if there is none."""
    return summary.unsteady((name, row.interval(metric)) for name, row in rows)
