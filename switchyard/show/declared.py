# SPDX-License-Identifier: Apache-2.0
"""What a view declares: a table, lines over an axis, bars; each from rows, in a few lines.

    spaces = {f"{n}": across(rows, "scheme", SCHEMES, spaces=n) for n in (2, 4, 8)}
    table("A hop, cycles", "spaces", spaces, {s: under(s, ("cycles", 0)) for s in SCHEMES})

A table has a line for each case and a column for each thing that is said of a case: a metric with
so many digits, or a function's text. Lines and bars know what follows from what they show: that a
logarithmic axis says so, where it ends, and which ticks it has. A subtitle is
text of one line or more.
"""

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from switchyard.data.records import Parameter
from switchyard.data.rows import Row, Rows, number, unsteady
from switchyard.data.summary import SPREAD
from switchyard.errors import InputError
from switchyard.show.figure import (
    LOG,
    Bar,
    Bars,
    Edge,
    Figure,
    Graph,
    Knee,
    Mark,
    Panels,
    Series,
    Table,
    log_axis,
)
from switchyard.show.views import Results, View

# A view imports this module alone.
__all__ = [
    "SPREAD", "Axes", "Bar", "Bars", "Column", "Columns", "Figure", "Knee", "Mark", "Panels",
    "Parameter", "Results", "Row", "Rows", "Series", "Table", "View", "across", "approx", "bars",
    "compared", "each", "graph", "line", "lines", "log_axis", "named", "number", "over", "plain",
    "published", "spread", "steps", "table", "under", "unsteady", "value_of",
]  # fmt: skip

# A metric with so many digits after the point, or what a function says of the case.
Column = tuple[str, int] | Callable[[Any], str]
Columns = Mapping[str, Column]


def table(
    title: str,
    head: str,
    lines: Mapping[str, Any] | Iterable[tuple[str, Any]],
    columns: Columns,
    caption: str = "",
    words: Sequence[str] = (),
) -> Table:
    """A line for each case, by its name; `head` is over the names, `words` no column of numbers."""
    cases = lines.items() if isinstance(lines, Mapping) else lines
    rows = [[name, *(_cell(case, column) for column in columns.values())] for name, case in cases]
    return Table(title, [head, *columns], rows, caption, words)


def _cell(case: Any, column: Column) -> str:
    if callable(column):
        return column(case)
    metric, digits = column
    if metric not in case:
        raise InputError(f"a line of a table has no {metric}; it has {', '.join(map(str, case))}")
    return f"{case[metric]:.{digits}f}"


def plain(metric: str) -> Column:
    """A column with three digits that count."""
    return lambda row: number(row[metric])


def spread(metric: str, digits: int | None = None) -> Column:
    """A column of means with their percentiles."""
    form = number if digits is None else f"{{:.{digits}f}}".format
    return lambda row: row.spread(metric, form)


def approx(metric: str, digits: int) -> Column:
    """A column of means, with a sign in front of those that are not known well."""
    return lambda row: row.approx(metric, f"{{:.{digits}f}}".format)


def under(key: Any, column: Column) -> Column:
    """A column of one of a case's rows, where a case is rows by scheme, or by machine."""
    return lambda by: _cell(by[key], column)


def each(keys: Iterable[str], columns: Columns) -> Columns:
    """The columns of each of a case's rows, after one another; heads say whose they are."""
    return {
        f"{key}: {name}": under(key, column) for key in keys for name, column in columns.items()
    }


def value_of(row: Mapping[str, float], digits: int = 0) -> Column:
    """A column of one row, where the lines are its metrics: empty where it has none."""
    return lambda metric: f"{row[metric]:.{digits}f}" if metric in row else ""


def named(rows: Iterable[Row], parameter: str) -> list[tuple[str, Row]]:
    """Rows as a table's lines, each called by a parameter."""
    return [(f"{row.where[parameter]}", row) for row in rows]


def across(
    rows: Rows, name: str, values: Iterable[Parameter], **where: Parameter
) -> dict[Any, Row]:
    """One case's rows by a parameter: by scheme, or by machine."""
    return {value: rows.find(**{name: value}, **where) for value in values}


def line(
    label: str, rows: Iterable[Row], x: str, y: str, *, kind: str = "", spread: bool = False
) -> Series:
    """A metric over a parameter. Series of a kind share a colour; by itself each is one."""
    return Series(kind or label, label, [row.mark(x, y, spread=spread) for row in rows])


def over(curves: Mapping[str, Iterable[Row]], x: str, y: str) -> list[Series]:
    """A metric of curves by their names, over a parameter."""
    return [line(name, rows, x, y) for name, rows in curves.items()]


def published(
    kind: str, label: str, marks: Mapping[Any, float | None] | Iterable[tuple[float, float]]
) -> list[Series]:
    """A series of what is published, beside the measured one of its kind: none if nothing is."""
    pairs = marks.items() if isinstance(marks, Mapping) else marks
    known = [Mark(x, y) for x, y in pairs if y is not None]
    return [Series(kind, label, known, published=True)] if known else []


@dataclass(frozen=True)
class Axes:
    """A figure's axes, of which `told` says "round trip, µs over spaces": y over x.

    `log` names those that are logarithmic: "x", "y" or "xy". A logarithmic y axis ends at 1, 2 or 5
    times a power of ten, as far from the least and the greatest value as `margins`, two factors,
    say; with None the drawing decides. A linear one with a `step` begins at 0 and ends above all
    that is drawn. `y_ticks` or `y_range`, where they are given, are taken as they are; ticks alone
    are the ends as well.
    """

    told: str
    log: str = ""
    margins: tuple[float, float] | None = (1, 1)
    step: float = 0
    x_ticks: Sequence[float] = ()
    y_range: tuple[float, float] | None = None
    y_ticks: Sequence[float] = ()

    @property
    def titles(self) -> tuple[str, str]:
        """Of x and y."""
        y_title, _, x_title = self.told.partition(" over ")
        if not x_title:
            raise ValueError(
                f"{self.told}: expected what is on the y axis, ` over `, what on the x"
            )
        return x_title + LOG * ("x" in self.log), y_title + LOG * ("y" in self.log)

    def ends(self, series: Sequence[Series]) -> tuple[tuple[float, float] | None, Sequence[float]]:
        """The y axis' range and its ticks."""
        values = [mark.y for curve in series for mark in curve.marks]
        if self.y_range or self.y_ticks:
            return self.y_range or (self.y_ticks[0], self.y_ticks[-1]), list(self.y_ticks)
        if "y" in self.log and self.margins:
            return log_axis(steps(values), values, *self.margins)
        if self.step:
            count = int(max(mark.top for curve in series for mark in curve.marks) / self.step) + 1
            return (0.0, count * self.step), [self.step * n for n in range(count + 1)]
        return None, ()


def lines(
    title: str,
    subtitle: str,
    axes: Axes | str,
    series: Sequence[Series],
    knees: Sequence[Knee] = (),
) -> Figure:
    """Series over an axis; axes are `Axes`, or what these are told by alone."""
    if isinstance(axes, str):
        axes = Axes(axes)
    y_range, y_ticks = axes.ends(series)
    return Figure(
        title,
        subtitle.split("\n"),
        *axes.titles,
        series,
        knees,
        log_y="y" in axes.log,
        y_range=y_range,
        y_ticks=y_ticks,
        x_ticks=axes.x_ticks,
        log_x="x" in axes.log,
    )


def bars(
    title: str,
    subtitle: str,
    value_title: str,
    values: Mapping[str, Mapping[str, float]] | Sequence[Bar],
    *,
    published: Collection[str] = (),
    beside: Mapping[str, Mapping[str, float]] | None = None,
    log: bool = False,
    **more: Any,
) -> Bars:
    """Bars beside each other: values by part for each case; `published` are parts by name.

    `beside` are published parts that stand after all others: by part, then by case. `more` are
    fields of `Bars`: `stacked`, and why places are `empty`.
    """
    if isinstance(values, Mapping):
        values = [
            Bar(case, part, value, part in published)
            for case, parts in values.items()
            for part, value in parts.items()
        ]
    last = [
        Bar(case, part, value, published=True)
        for part, cases in (beside or {}).items()
        for case, value in cases.items()
    ]
    more = {"stacked": False, "log": log, **more}
    return Bars(title, subtitle.split("\n"), value_title + LOG * log, [*values, *last], **more)


def graph(title: str, subtitle: str, edges: Mapping[tuple[str, str], float]) -> Graph:
    """Who is followed by whom, and how often; nodes in the order in which edges name them."""
    nodes = list(dict.fromkeys(name for pair in edges for name in pair))
    drawn = [Edge(source, target, count) for (source, target), count in edges.items()]
    return Graph(title, subtitle.split("\n"), nodes, drawn)


def compared(
    title: str,
    subtitle: str,
    unit: str,
    cases: Mapping[str, tuple[float | None, float]],
    there: str,
    here: str,
) -> Bars:
    """What is published of each case, if something is, beside what is measured.

    `there` and `here` are what the two are called.
    """
    values = {
        case: ({there: paper} if paper else {}) | {here: value}
        for case, (paper, value) in cases.items()
    }
    why = {there: "nothing is published"}
    return bars(title, subtitle, unit, values, published=[there], empty=why)


def steps(values: Iterable[float]) -> list[float]:
    """1, 2 and 5 times the powers of ten around some values, and beyond them."""
    some = list(values)
    low, high = math.floor(math.log10(min(some))) - 1, math.ceil(math.log10(max(some))) + 1
    powers = range(low, high + 1)
    return [n * 10**p if p >= 0 else n / 10**-p for p in powers for n in (1, 2, 5)]
