# SPDX-License-Identifier: Apache-2.0
"""What figures show: series of values, bars, graphs, or several figures; as JSON too. And tables.

How they are drawn is `plot`'s business, which is why nothing here knows a drawing library. Who
cannot see a figure reads its description, which is made of what it shows.
"""

import csv
import dataclasses
import io
import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from switchyard.data.fields import Fields

LOG = " (log scale)"  # what titles of logarithmic axes end in
# A description has each value of so many bars, and half as many wholes; of more the least and the
# greatest.
DESCRIBED = 24


@dataclass(frozen=True)
class Table:
    """A table for people; its cells are text already."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    caption: str = ""
    words: Sequence[str] = ()  # the columns, beside the first, whose cells are words

    def left(self, place: int) -> bool:
        """Whether a column stands to the left: numbers do not."""
        return place == 0 or self.columns[place] in self.words

    @property
    def folded(self) -> list[list[str]]:
        """Its rows, those below each other that differ in their name alone as one."""
        rows = []
        for cells, group in itertools.groupby(self.rows, key=lambda row: tuple(row[1:])):
            names = [row[0] for row in group]
            if any(cells):
                rows.append([several(names), *cells])
            else:  # rows of a name alone are headings
                rows += [[name, *cells] for name in names]
        return rows


def several(values: Sequence[str]) -> str:
    """Names of cases that are shown as one: numbers by the first and the last."""
    if len(values) > 2 and all(value.isdigit() for value in values):
        return f"{values[0]} to {values[-1]}"
    return ", ".join(values)


@dataclass(frozen=True)
class Mark:
    """A value of a series; `low` and `high` bound its spread.

    `half` is half the confidence interval of `y`, if anything is known of it.
    """

    x: float
    y: float
    low: float | None = None
    high: float | None = None
    half: float | None = None

    def __post_init__(self) -> None:
        """Of a single run nothing is known, and an infinite bar is not to be drawn."""
        if self.half == math.inf:
            object.__setattr__(self, "half", None)

    @property
    def top(self) -> float:
        """The highest of what is drawn of it: the value, its interval, its band."""
        return max(self.y + (self.half or 0), self.y if self.high is None else self.high)


@dataclass(frozen=True)
class Series:
    """Values that belong together. Series of the same `kind` share a colour and a shape."""

    kind: str
    label: str
    marks: Sequence[Mark]
    published: bool = False
    band: str = ""  # what lies between `low` and `high` of its marks
    line: bool = True  # without, the band is all of it

    @property
    def whose(self) -> str:
        """Whose values they are: what stands before the comma in `flush, measured`."""
        return self.label.partition(",")[0]


@dataclass(frozen=True)
class Knee:
    """A place on the x axis that is marked by a vertical line, its label left of it."""

    x: float
    label: str
    label_at: float = 0.5  # how far down, as a share of the height
    published: bool = False


@dataclass(frozen=True)
class Figure:
    """Series over a common x axis."""

    title: str
    subtitle: Sequence[str]  # its lines
    x_title: str
    y_title: str
    series: Sequence[Series]
    knees: Sequence[Knee] = ()
    log_y: bool = False
    y_range: tuple[float, float] | None = None
    y_ticks: Sequence[float] = ()
    x_ticks: Sequence[float] = ()
    log_x: bool = False

    @property
    def description(self) -> str:
        """The text alternative: where each line begins and ends."""
        y_title, x_title = (title.removesuffix(LOG) for title in (self.y_title, self.x_title))
        return f"Line chart of {y_title} over {x_title}{self.reach}: {self.told}."

    @property
    def reach(self) -> str:
        """From where to where the measured lines go."""
        xs = [mark.x for series in self.series if not series.published for mark in series.marks]
        return f", {min(xs):g} to {max(xs):g}" if xs else ""

    @property
    def told(self) -> str:
        """The lines in words; of those that are published, their names."""
        lines = [f"{s.label} {_ends(s.marks)}" for s in self.series if not s.published and s.line]
        beside = [series.label for series in self.series if series.published]
        return "; ".join([*lines, *([f"beside {', '.join(beside)}"] if beside else [])])


@dataclass(frozen=True)
class Panels:
    """Small figures in rows, to be compared: each kind of series is the same in all of them.

    They share their y axis, and those of a column their x axis. A title heads a row.
    """

    title: str
    subtitle: Sequence[str]
    panels: Sequence[Figure]
    columns: int

    @property
    def description(self) -> str:
        """The text alternative: that of each panel."""
        told = [f"{one.title}, over {one.x_title}{one.reach}: {one.told}" for one in self.panels]
        return f"Line charts of {self.panels[0].y_title}. {'. '.join(told)}."

    @property
    def names(self) -> dict[str, str]:
        """What each kind of series is called, in the order in which they first appear."""
        every = (series for panel in self.panels for series in panel.series if not series.published)
        return {series.kind: series.label for series in every}


def log_axis(
    ticks: Sequence[float], values: Sequence[float], below: float = 1, above: float = 1
) -> tuple[tuple[float, float], list[float]]:
    """The range of a logarithmic axis that ends at ticks around the values, and its ticks.

    `below` and `above` are how far the ends stand off, as a factor.
    """
    low = max((t for t in ticks if t <= min(values) * below), default=ticks[0])
    high = min((t for t in ticks if t >= max(values) * above), default=ticks[-1])
    return (low, high), [t for t in ticks if low <= t <= high]


@dataclass(frozen=True)
class Bar:
    """A value: what it belongs to, and which part or series it is."""

    case: str
    part: str
    value: float
    published: bool = False


@dataclass(frozen=True)
class Bars:
    """Bars from a common zero, a row for each case: parts end to end, or beside each other.

    `stacked` is for a whole that is broken down into its parts; without it the parts are series
    that are compared. On a logarithmic axis, which has no zero for bars to begin at, they are dots
    with their values beside them. Cases and parts keep the order in which they first appear.
    """

    title: str
    subtitle: Sequence[str]
    value_title: str
    bars: Sequence[Bar]
    stacked: bool = True
    log: bool = False  # only where bars are not stacked
    # By part, why some cases have no value of it: shown in their places.
    empty: Mapping[str, str] = field(default_factory=dict, hash=False)

    @property
    def description(self) -> str:
        """The text alternative: the values; of a whole, how much it is and its largest part."""
        kind = "Stacked bars" if self.stacked else "Bars"
        told = self._wholes() if self.stacked else self._values()
        return f"{kind} of {self.value_title.removesuffix(LOG)}: {'; '.join(told)}."

    def _values(self) -> Iterable[str]:
        if len(self.bars) > DESCRIBED:
            for part in self.parts:
                by = {bar.case: bar.value for bar in self.bars if bar.part == part}
                yield _least_to_most(by, f"{part} from ")
            return
        several = len(self.parts) > 1
        for case in self.cases:
            values = [
                f"{bar.part} {_short(bar.value)}" if several else _short(bar.value)
                for bar in self.bars
                if bar.case == case
            ]
            yield f"{case}{':' * several} {', '.join(values)}"

    def _wholes(self) -> Iterable[str]:
        by: dict[str, dict[str, float]] = {case: {} for case in self.cases}
        for bar in self.bars:
            if not bar.published:
                by[bar.case][bar.part] = bar.value
        sums = {case: sum(parts.values()) for case, parts in by.items()}
        if len(sums) > DESCRIBED // 2:
            yield _least_to_most(sums, "from ")
            return
        for case, parts in by.items():
            most = max(parts, key=lambda part: parts[part])
            share = f", of it {parts[most] / sums[case]:.0%} {most}" if sums[case] > 0 else ""
            yield f"{case} {_short(sums[case])}{share}"

    @property
    def cases(self) -> list[str]:
        """Each case once."""
        return list(dict.fromkeys(bar.case for bar in self.bars))

    @property
    def parts(self) -> list[str]:
        """Each part once."""
        return list(dict.fromkeys(bar.part for bar in self.bars))

    @property
    def gaps(self) -> list[tuple[str, str]]:
        """Cases and parts beside each other of which there is no value."""
        if self.stacked:
            return []
        known = {(bar.case, bar.part) for bar in self.bars}
        pairs = [(case, part) for case in self.cases for part in self.parts]
        return [pair for pair in pairs if pair not in known]


@dataclass(frozen=True)
class Edge:
    """How often one node is followed by another."""

    source: str
    target: str
    count: float


@dataclass(frozen=True)
class Graph:
    """Nodes in a circle, in their order, and who is followed by whom: broader is more often.

    A node's name may have a second line: what follows its last space.
    """

    title: str
    subtitle: Sequence[str]
    nodes: Sequence[str]
    edges: Sequence[Edge]

    @property
    def description(self) -> str:
        """The text alternative: the edges, those of the largest counts first."""
        ordered = sorted(self.edges, key=lambda edge: -edge.count)[:DESCRIBED]
        told = [f"{edge.source} to {edge.target} {_short(edge.count)}" for edge in ordered]
        return f"Graph of {len(self.nodes)} nodes: {'; '.join(told)}."


Drawn = Figure | Bars | Panels | Graph


def _short(value: float) -> str:
    """A value with three digits that count."""
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"


def _ends(marks: Sequence[Mark]) -> str:
    """Where a line begins and ends."""
    return " to ".join(dict.fromkeys(_short(mark.y) for mark in (marks[0], marks[-1])))


def _least_to_most(by: Mapping[str, float], head: str) -> str:
    """The least and the greatest of some cases."""
    ends = (min(by, key=lambda case: by[case]), max(by, key=lambda case: by[case]))
    return head + " to ".join(f"{_short(by[case])} ({case})" for case in dict.fromkeys(ends))


def to_json(figure: Drawn) -> dict[str, Any]:
    """What a figure shows, as JSON."""
    kinds = {Bars: "bars", Panels: "panels", Graph: "graph", Figure: "series"}
    kind, told = kinds[type(figure)], figure.description
    return {"kind": kind, "description": told, **dataclasses.asdict(figure)}


def from_json(value: object, where: str) -> Drawn:
    """The figure again; `where` names it in errors."""
    entries = Fields(value, where)
    if entries.text("kind") == "panels":
        return Panels(
            title=entries.text("title"),
            subtitle=entries.texts("subtitle"),
            panels=entries.items("panels", lambda value, where: _lines(Fields(value, where))),
            columns=entries.whole("columns"),
        )
    if entries.text("kind") == "graph":
        return Graph(
            title=entries.text("title"),
            subtitle=entries.texts("subtitle"),
            nodes=entries.texts("nodes"),
            edges=entries.items("edges", _edge),
        )
    if entries.text("kind") == "bars":
        return Bars(
            title=entries.text("title"),
            subtitle=entries.texts("subtitle"),
            value_title=entries.text("value_title"),
            bars=entries.items("bars", _bar),
            stacked=entries.truth("stacked"),
            log=entries.truth("log"),
            empty=_reasons(entries),
        )
    return _lines(entries)


def _lines(entries: Fields) -> Figure:
    y_range = entries.numbers("y_range") if entries.raw("y_range") is not None else None
    if y_range is not None and len(y_range) != 2:
        raise entries.wrong("y_range", "a least and a greatest number")
    series = entries.items("series", _series)
    if not any(curve.marks for curve in series):
        raise entries.wrong("series", "a list with a mark at least")
    return Figure(
        title=entries.text("title"),
        subtitle=entries.texts("subtitle"),
        x_title=entries.text("x_title"),
        y_title=entries.text("y_title"),
        series=series,
        knees=entries.items("knees", _knee),
        log_y=entries.truth("log_y"),
        y_range=(y_range[0], y_range[1]) if y_range else None,
        y_ticks=entries.numbers("y_ticks"),
        x_ticks=entries.numbers("x_ticks"),
        log_x=entries.truth("log_x"),
    )


def to_csv(figure: Drawn) -> str:
    """The values that a figure shows, a line each, for other programs."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    if isinstance(figure, Panels):
        writer.writerow(["panel", "over", "at", "series", figure.panels[0].y_title, "published"])
        writer.writerows(
            [panel.title, panel.x_title, mark.x, series.label, mark.y, int(series.published)]
            for panel in figure.panels
            for series in panel.series
            for mark in series.marks
        )
        return text.getvalue()
    if isinstance(figure, Graph):
        writer.writerow(["from", "to", "count"])
        writer.writerows([edge.source, edge.target, edge.count] for edge in figure.edges)
        return text.getvalue()
    if isinstance(figure, Bars):
        writer.writerow(["case", "part", figure.value_title, "published"])
        writer.writerows([bar.case, bar.part, bar.value, int(bar.published)] for bar in figure.bars)
        return text.getvalue()
    titles = [figure.x_title, figure.y_title]
    writer.writerow(["series", *titles, "from", "to", "half of the interval", "published"])
    writer.writerows(
        [series.label, mark.x, mark.y, mark.low, mark.high, mark.half, int(series.published)]
        for series in figure.series
        for mark in series.marks
    )
    return text.getvalue()


def _bar(value: object, where: str) -> Bar:
    entries = Fields(value, where)
    return Bar(
        entries.text("case"),
        entries.text("part"),
        entries.number("value"),
        entries.truth("published"),
    )


def _edge(value: object, where: str) -> Edge:
    entries = Fields(value, where)
    return Edge(entries.text("source"), entries.text("target"), entries.number("count"))


def _reasons(entries: Fields) -> dict[str, str]:
    """Why places are empty; figures of before had no reasons."""
    if "empty" not in entries:
        return {}
    reasons = entries.inner("empty")
    return {part: reasons.text(part) for part in reasons.names()}


def _series(value: object, where: str) -> Series:
    entries = Fields(value, where)
    return Series(
        kind=entries.text("kind"),
        label=entries.text("label"),
        marks=entries.items("marks", _mark),
        published=entries.truth("published"),
        band=entries.text("band") if "band" in entries else "",
        line=entries.truth("line") if "line" in entries else True,
    )


def _mark(value: object, where: str) -> Mark:
    entries = Fields(value, where)
    names = ("low", "high", "half")
    bounds = [
        entries.number(n) if n in entries and entries.raw(n) is not None else None for n in names
    ]
    return Mark(entries.number("x"), entries.number("y"), *bounds)


def _knee(value: object, where: str) -> Knee:
    entries = Fields(value, where)
    return Knee(
        x=entries.number("x"),
        label=entries.text("label"),
        label_at=entries.number("label_at"),
        published=entries.truth("published"),
    )
