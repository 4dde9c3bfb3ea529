# SPDX-License-Identifier: Apache-2.0
"""Where a figure's series carry their names: beside a mark of theirs, off the lines.

Every place that a name could have is given a cost, how much of lines, marks and other names it
would cover, and the cheapest is taken, a series after the other. Where a name would cover too much
even so, all names stand in the margin, each at the height of its series' end or near it. Vega has a
transform for names at lines, but it leaves out those that it finds no room for, and Vega-Lite, in
which figures are kept, lacks it.
"""

import itertools
import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from switchyard.show.figure import Figure, Series

Align = Literal["left", "center", "right"]
ALIGNS: tuple[Align, ...] = ("right", "left", "center")

# Pixels: how far a name's middle may stand from its line, its height, and a character's mean width
# in the fonts of `plot` (measured in DejaVu Sans of 13 pixels: bold 7.4, italic 6.5, rounded up).
DISTANCES = (-15, 16, -32, 33)
CLOSEST = 16
TALL = 16
BOLD, ITALIC = 7.6, 6.8
STEP = 4  # between the points that stand for a line
GAP = 8  # between two names in a row
NEAR = 6  # a line of another series that near would seem to be the one that is named
TRIED = 16  # places along a series that are tried, evenly over it

# Costs, in points of lines that are covered.
LINE, BAR, CLOSE, MARK, NAME, OUTSIDE, RULE, FAR = 1.0, 0.5, 0.4, 3.0, 400.0, 1000.0, 3.0, 20.0
TOO_MUCH = 16.0  # covered by one name: more than one line across


@dataclass(frozen=True)
class Place:
    """Beside which point of its line a name stands, and how far below (pixels; less: above)."""

    x: float
    y: float
    dy: int
    align: Align


@dataclass(frozen=True)
class Margin:
    """In the right margin, that many pixels below the figure's upper edge."""

    y: float


@dataclass(frozen=True)
class Box:
    """What a name covers, in pixels from the upper left corner."""

    left: float
    top: float
    right: float
    bottom: float

    def overlaps(self, other: "Box") -> bool:
        """Whether two names would run into each other."""
        return (
            self.left < other.right + GAP
            and other.left < self.right + GAP
            and self.top < other.bottom
            and other.top < self.bottom
        )


class Points:
    """Points of a line or marks, in pixels."""

    def __init__(self, points: Iterable[tuple[float, float]]) -> None:
        ordered = sorted(points)
        self.xs = [x for x, _ in ordered]
        self.ys = [y for _, y in ordered]

    def within(self, box: Box, more: float = 0) -> int:
        """How many are in a box, or `more` pixels around it."""
        first = bisect_left(self.xs, box.left - more)
        last = bisect_right(self.xs, box.right + more)
        top, bottom = box.top - more, box.bottom + more
        return sum([top <= y <= bottom for y in self.ys[first:last]])


def named(figure: Figure, width: int, height: int, padding: int) -> list[tuple[int, Series]]:
    """What carries a name: each series, and each band that is high enough to be seen.

    A band stands here as a series along its upper edge. The number is that of the series in the
    figure to which it belongs.
    """
    seen = _Canvas(figure, width, height, padding)
    names = []
    for number, series in enumerate(figure.series):
        edge = [replace(m, y=m.high) for m in series.marks if m.high is not None]
        names.append((number, series if series.line else replace(series, marks=edge)))
        if series.band and edge and seen.highest(series) >= TALL:
            name = f"{series.whose}: {series.band}"
            names.append((number, Series(series.kind, name, edge, series.published)))
    return names


def places(figure: Figure, width: int, height: int, padding: int) -> list[Place] | list[Margin]:
    """A place for each series' name in a figure that is as large as given, in pixels.

    `padding` is what the x axis leaves at both ends.
    """
    seen = _Canvas(figure, width, height, padding)
    chosen: list[Place] = []
    boxes = seen.rule_names()
    for number, series in enumerate(figure.series):
        costs = {place: seen.cost(number, place, boxes) for place in seen.candidates(series)}
        best = min(costs, key=lambda place: costs[place])
        if costs[best] - _of_distance(best) > TOO_MUCH:
            return [Margin(y) for y in _apart(seen.last_heights(), TALL)]
        chosen.append(best)
        boxes.append(seen.box(series, best))
    return chosen


class _Canvas:
    """A figure's lines and marks in pixels."""

    def __init__(self, figure: Figure, width: int, height: int, padding: int) -> None:
        self.figure, self.width, self.height, self.padding = figure, width, height, padding
        marks = [mark for series in figure.series for mark in series.marks]
        reach = list(figure.x_ticks) or [mark.x for mark in marks]
        self.xs = _ends(min(reach), max(reach), figure.log_x)
        low, high = figure.y_range or _nice([mark.y for mark in marks], figure.log_y)
        self.ys = _ends(low, high, figure.log_y)
        places = [[self._at(m.x, m.y) for m in series.marks] for series in figure.series]
        self.marks = [Points(marks) for marks in places]
        self.lines = [Points(_points(marks)) for marks in places]
        self.bars = [Points(self._bars(series)) for series in figure.series]
        self.rules = [self._x(knee.x) for knee in figure.knees]

    def _x(self, value: float) -> float:
        room = self.width - 2 * self.padding
        return self.padding + room * _share(value, self.xs, self.figure.log_x)

    def _at(self, x: float, y: float) -> tuple[float, float]:
        return self._x(x), self.height * (1 - _share(y, self.ys, self.figure.log_y))

    def _bars(self, series: Series) -> Iterator[tuple[float, float]]:
        """Points of the confidence intervals of a series' marks."""
        for mark in series.marks:
            if mark.half is not None:
                ends = [self._at(mark.x, mark.y + half) for half in (-mark.half, mark.half)]
                yield from (*_points(ends), ends[1])

    def highest(self, series: Series) -> float:
        """How high a series' band is where it is highest."""
        ends = [
            [self._at(mark.x, end)[1] for end in (mark.low, mark.high)]
            for mark in series.marks
            if mark.low is not None and mark.high is not None
        ]
        return max((low - high for low, high in ends), default=0.0)

    def last_heights(self) -> list[float]:
        """Where each series ends, below the upper edge."""
        return [self._at(mark.x, mark.y)[1] for mark in (s.marks[-1] for s in self.figure.series)]

    def rule_names(self) -> list[Box]:
        """What the names of vertical lines cover: left of them, as `plot` puts them."""
        return [
            Box(
                x - 8 - ITALIC * len(knee.label),
                self.height * knee.label_at - TALL / 2,
                x - 8,
                self.height * knee.label_at + TALL / 2,
            )
            for x, knee in zip(self.rules, self.figure.knees, strict=True)
        ]

    def candidates(self, series: Series) -> Iterator[Place]:
        """The last first, as the first of equals is taken: a reader looks for names there."""
        last = len(series.marks) - 1
        for tried in range(TRIED, -1, -1) if last else [0]:
            at = last * tried / TRIED
            before, after = series.marks[math.floor(at)], series.marks[math.ceil(at)]
            x = _between(before.x, after.x, at % 1, self.figure.log_x)
            y = _between(before.y, after.y, at % 1, self.figure.log_y)
            for dy in DISTANCES:
                for align in ALIGNS:
                    yield Place(x, y, dy, align)

    def box(self, series: Series, place: Place) -> Box:
        """What the name covers there."""
        x, y = self._at(place.x, place.y)
        long = (ITALIC if series.published else BOLD) * len(series.label)
        left = {"left": x, "center": x - long / 2, "right": x - long}[place.align]
        middle = y + place.dy
        return Box(left, middle - TALL / 2, left + long, middle + TALL / 2)

    def cost(self, number: int, place: Place, names: Sequence[Box]) -> float:
        """Of the name of the series `number` there, beside other names."""
        box = self.box(self.figure.series[number], place)
        cost = _of_distance(place)
        cost += NAME * sum(box.overlaps(name) for name in names)
        if box.left < 0 or box.right > self.width or box.top < -TALL or box.bottom > self.height:
            cost += OUTSIDE
        cost += RULE * sum(box.left < x < box.right for x in self.rules)
        for other, line in enumerate(self.lines):
            cost += LINE * line.within(box) + BAR * self.bars[other].within(box)
            cost += MARK * self.marks[other].within(box, NEAR)
            if other != number:
                cost += CLOSE * line.within(box, NEAR)
        return cost


def _of_distance(place: Place) -> float:
    """What a name's place costs for how far from its line it is."""
    return FAR * (abs(place.dy) > CLOSEST)


def _apart(wanted: Sequence[float], least: float) -> list[float]:
    """Heights in the order of those wanted and near them, each that far from the next at least.

    Those that are too close become a block, which stands so that its heights are off by nothing in
    the mean; blocks that then touch become one.
    """
    order = sorted(range(len(wanted)), key=lambda number: wanted[number])
    blocks: list[tuple[float, list[int]]] = []  # where the first of a block stands, and its numbers
    for number in order:
        block = [number]
        top = wanted[number]
        while blocks and blocks[-1][0] + len(blocks[-1][1]) * least > top:
            block = blocks.pop()[1] + block
            top = sum(wanted[label] - at * least for at, label in enumerate(block)) / len(block)
        blocks.append((top, block))
    heights = dict.fromkeys(order, 0.0)
    for top, block in blocks:
        heights |= {label: top + at * least for at, label in enumerate(block)}
    return [heights[number] for number in range(len(wanted))]


def _ends(low: float, high: float, log: bool) -> tuple[float, float]:
    return (math.log(low), math.log(high)) if log else (low, high)


def _between(low: float, high: float, share: float, log: bool) -> float:
    """What stands that far from one to the other on its axis."""
    if log and low > 0 and high > 0:
        return math.exp(math.log(low) + share * (math.log(high) - math.log(low)))
    return low + share * (high - low)


def _share(value: float, ends: tuple[float, float], log: bool) -> float:
    low, high = ends
    at = math.log(value) if log and value > 0 else low if log else value
    return (at - low) / (high - low) if high > low else 0.5


def _nice(values: Sequence[float], log: bool) -> tuple[float, float]:
    """About the range that Vega chooses: from zero, or whole powers of ten."""
    if not log:
        return min(0.0, *values), max(0.0, *values) * 1.05
    some = [value for value in values if value > 0]
    low, high = math.floor(math.log10(min(some))), math.ceil(math.log10(max(some)))
    return 10.0**low, 10.0**high


def _points(marks: Sequence[tuple[float, float]]) -> Iterator[tuple[float, float]]:
    """Points along a line, some pixels apart."""
    for (x, y), (to_x, to_y) in itertools.pairwise(marks):
        steps = max(1, round(math.hypot(to_x - x, to_y - y) / STEP))
        for step in range(steps):
            yield x + (to_x - x) * step / steps, y + (to_y - y) * step / steps
