# SPDX-License-Identifier: Apache-2.0
"""Names of series: beside their lines, not over lines, nor over each other."""

from dataclasses import replace
from itertools import combinations, pairwise, product

import pytest

from switchyard.show.figure import Figure, Knee, Mark, Series
from switchyard.show.labels import Margin, Place, places

WIDTH, HEIGHT = 760, 440


def lines(*ys: list[float], names: list[str] | None = None, log: bool = False) -> Figure:
    """Series over x = 1, 2, 3, ..."""
    names = names or [f"the line number {n}" for n in range(len(ys))]
    return Figure(
        title="",
        subtitle=[],
        x_title="x",
        y_title="y",
        series=[
            Series(name, name, [Mark(x + 1, y) for x, y in enumerate(some)])
            for name, some in zip(names, ys, strict=True)
        ],
        y_range=(1, 100) if log else (0, 100),
        log_y=log,
    )


def beside(figure: Figure) -> list[Place]:
    """The places of the names, which all are at their lines."""
    placed = places(figure, WIDTH, HEIGHT, 12)
    assert all(isinstance(place, Place) for place in placed)
    return [place for place in placed if isinstance(place, Place)]


def boxes(figure: Figure, placed: list[Place]) -> list[tuple[float, float, float, float]]:
    """Left, top, right and bottom of each name, by the sizes that plots were measured to have."""
    count = len(figure.series[0].marks)
    result = []
    for series, place in zip(figure.series, placed, strict=True):
        x = 12 + (WIDTH - 24) * (place.x - 1) / (count - 1)
        y = HEIGHT * (1 - place.y / 100) + place.dy
        long = 7.4 * len(series.label)
        left = x - {"left": 0, "center": long / 2, "right": long}[place.align]
        result.append((left, y - 7, left + long, y + 7))
    return result


def inside(box: tuple[float, float, float, float], x: float, y: float) -> bool:
    return box[0] <= x <= box[2] and box[1] <= y <= box[3]


@pytest.mark.parametrize(
    "ys",
    [
        [[50.0] * 9, [60.0] * 9, [40.0] * 9],  # closer than two names are high
        [[10.0 * n for n in range(10)], [90.0 - 10 * n for n in range(10)]],  # they cross
        [[90.0] * 9, [95.0] * 9, [5.0] * 9, [2.0] * 9],  # at the edges
        [[20, 20, 20, 80, 80, 80.0], [20, 20, 80, 80, 80, 80.0]],  # partly the same
    ],
)
def test_names_cover_no_line_and_no_name(ys: list[list[float]]) -> None:
    figure = lines(*ys)
    taken = boxes(figure, beside(figure))
    for box in taken:
        assert box[0] >= 0
        assert box[2] <= WIDTH
        for some in ys:
            for n in range(1000):
                at = n / 1000 * (len(some) - 1)
                low, share = int(at), at % 1
                y = some[low] + share * (some[low + 1] - some[low])
                assert not inside(
                    box, 12 + (WIDTH - 24) * at / (len(some) - 1), HEIGHT * (1 - y / 100)
                )
    for first, second in combinations(taken, 2):
        apart = (
            first[2] < second[0]
            or second[2] < first[0]
            or first[3] < second[1]
            or second[3] < first[1]
        )
        assert apart


def test_a_name_covers_no_confidence_interval() -> None:
    """The last marks, where names stand otherwise, have bars of 26 to 70 pixels to both sides."""
    figure = lines([50.0] * 9, [80.0] * 9)
    halves = {5: 8.0, 6: 12.0, 7: 16.0, 8: 6.0, 9: 10.0}
    series = [
        replace(some, marks=[replace(mark, half=halves.get(int(mark.x))) for mark in some.marks])
        for some in figure.series
    ]
    figure = replace(figure, series=series)
    for box in boxes(figure, beside(figure)):
        for y, (n, half) in product((50, 80), halves.items()):
            x = 12 + (WIDTH - 24) * (n - 1) / 8
            top, bottom = HEIGHT * (1 - (y + half) / 100), HEIGHT * (1 - (y - half) / 100)
            assert not (box[0] <= x <= box[2] and box[1] <= bottom and top <= box[3])


def test_a_name_stands_at_its_own_line() -> None:
    """Not between it and a closer one."""
    figure = lines([50.0] * 9, [56.0] * 9, names=["lower", "upper"])
    lower, upper = beside(figure)
    assert lower.dy > 0
    assert upper.dy < 0
    assert (lower.y, upper.y) == (50, 56)


def test_places_of_logarithmic_axes_are_on_the_line() -> None:
    (place,) = beside(lines([10.0, 10.0, 10.0], log=True))
    assert place.y == pytest.approx(10)


def test_one_mark_and_the_name_of_a_rule() -> None:
    figure = lines([50.0])
    knee = Knee(1, "a rule with a long name", 0.5)
    with_knee = Figure(**{**vars(figure), "knees": [knee], "x_ticks": [0, 2]})
    (place,) = beside(with_knee)
    assert (place.x, place.y) == (1, 50)
    assert place.align == "left" or abs(place.dy) > 16


def test_names_without_room_stand_in_the_margin() -> None:
    """Twelve lines that cross each other everywhere; some end at almost the same height."""
    ends = [5.0, 10.0, 20.0, 30.0, 31.0, 32.0, 50.0, 50.1, 70.0, 80.0, 90.0, 95.0]
    zigzags = [[100 * ((7 * n + 5 * at) % 12) / 12 for at in range(30)] for n in range(12)]
    figure = lines(*([*some, end] for some, end in zip(zigzags, ends, strict=True)))
    margins = places(figure, WIDTH, HEIGHT, 12)
    heights = [place.y for place in margins if isinstance(place, Margin)]
    assert len(heights) == 12
    assert heights == sorted(heights, reverse=True)  # in the order of the lines' ends
    assert all(upper - lower >= 16 - 1e-9 for upper, lower in pairwise(heights))
    for height, end in zip(heights, ends, strict=True):
        assert height == pytest.approx(HEIGHT * (1 - end / 100), abs=40)
