# SPDX-License-Identifier: Apache-2.0
"""What views declare: tables, lines, bars."""

import pytest

from switchyard.data.records import Record
from switchyard.data.rows import Rows
from switchyard.errors import InputError
from switchyard.show.declared import (
    Axes,
    Columns,
    across,
    approx,
    bars,
    compared,
    each,
    line,
    lines,
    named,
    over,
    plain,
    published,
    spread,
    steps,
    table,
    under,
    value_of,
)
from switchyard.show.figure import Bar, Mark


def record(scheme: str, n: int, metric: str, value: float) -> Record:
    return Record("x", "m", "s", scheme, metric, value, "us", {"n": n})


ROWS = Rows.of(
    [
        record(scheme, n, metric, value * n)
        for scheme, factor in (("flush", 10.0), ("fass", 1.0))
        for n in (1, 2)
        for metric, value in (
            ("cycles", 30 * factor),
            ("cycles_p5", 20 * factor),
            ("cycles_p95", 40 * factor),
            ("misses", 0.25 * factor),
        )
    ]
)
CURVES = {scheme: ROWS.select(scheme=scheme) for scheme in ("flush", "fass")}


def test_a_table_has_a_line_a_case_and_a_column_a_metric() -> None:
    columns: Columns = {
        "cycles": ("cycles", 0),
        "misses": ("misses", 2),
        "n": lambda row: f"{row.where['n']}",
    }
    shown = table("A", "n", named(CURVES["fass"], "n"), columns, "told", ["n"])
    assert (shown.title, shown.columns) == ("A", ["n", "cycles", "misses", "n"])
    assert shown.rows == [["1", "30", "0.25", "1"], ["2", "60", "0.50", "2"]]
    assert (shown.caption, shown.words) == ("told", ["n"])
    forms = {"a": plain("misses"), "b": approx("cycles", 1), "c": spread("cycles", 1)}
    (first, _) = table("B", "n", named(CURVES["fass"], "n"), forms).rows
    assert first == ["1", "0.25", "≈ 30.0", "≈ 30.0 (20.0–40.0)"]


def test_a_case_may_be_rows_by_scheme() -> None:
    cases = {f"{n}": across(ROWS, "scheme", CURVES, n=n) for n in (1, 2)}
    one = table("A", "n", cases, {s: under(s, ("cycles", 0)) for s in CURVES})
    assert one.rows == [["1", "300", "30"], ["2", "600", "60"]]
    both = each(CURVES, {"cycles": ("cycles", 0), "misses": ("misses", 1)})
    assert list(both) == ["flush: cycles", "flush: misses", "fass: cycles", "fass: misses"]
    assert table("B", "n", cases, both).rows[0] == ["1", "300", "2.5", "30", "0.2"]
    with pytest.raises(InputError, match="0 rows of scheme flush, n 3"):
        across(ROWS, "scheme", CURVES, n=3)


def test_a_line_may_be_a_metric() -> None:
    row = ROWS.find(scheme="fass", n=1)
    shown = table("A", "", [("C", "cycles"), ("none", "walks")], {"fass": value_of(row, 1)})
    assert shown.rows == [["C", "30.0"], ["none", ""]]


def test_a_metric_that_a_case_lacks_is_said() -> None:
    with pytest.raises(InputError, match="a line of a table has no walks; it has cycles, "):
        table("A", "n", named(CURVES["fass"], "n"), {"walks": ("walks", 0)})


def test_a_logarithmic_axis_says_so_and_ends_at_round_values() -> None:
    axes = Axes("cycles over n", log="xy", margins=(1, 1))
    figure = lines("A", "b", axes, over(CURVES, "n", "cycles"))
    assert (figure.x_title, figure.y_title) == ("n (log scale)", "cycles (log scale)")
    assert (figure.log_x, figure.log_y, figure.subtitle) == (True, True, ["b"])
    assert figure.y_range == (20, 1000)
    assert figure.y_ticks == [20, 50, 100, 200, 500, 1000]
    assert steps([0.3, 4])[:5] == [0.01, 0.02, 0.05, 0.1, 0.2]
    far = Axes("cycles over n", log="y", margins=(0.5, 2))
    off = lines("A", "b", far, over(CURVES, "n", "cycles"))
    assert off.y_range == (10, 2000)


def test_a_linear_axis_with_a_step_begins_at_nothing_and_ends_above_all() -> None:
    axes = Axes("cycles over n", step=250)
    figure = lines("A", "b", axes, over(CURVES, "n", "cycles"))
    assert (figure.y_range, figure.y_ticks) == ((0, 750), [0, 250, 500, 750])
    assert (figure.x_title, figure.log_x, figure.log_y) == ("n", False, False)


def test_axes_are_one_over_the_other() -> None:
    with pytest.raises(ValueError, match="cycles: expected what is on the y axis, ` over `, what"):
        lines("A", "b", "cycles", over(CURVES, "n", "cycles"))


def test_lines_are_rows_over_a_parameter_and_what_is_published() -> None:
    (only,) = published("fass", "published", {1: 31.0, 2: None})
    assert (only.kind, only.published, only.marks) == ("fass", True, [Mark(1, 31.0)])
    assert published("fass", "published", {1: None}) == []
    drawn = line("measured", CURVES["fass"], "n", "cycles", kind="fass", spread=True)
    assert (drawn.kind, [mark.x for mark in drawn.marks]) == ("fass", [1, 2])
    assert (drawn.marks[0].low, drawn.marks[0].high) == (20, 40)


def test_bars_stand_beside_each_other_unless_they_are_stacked() -> None:
    values = {"a": {"paper": 2.0, "measured": 1.0}, "b": {"measured": 3.0}}
    figure = bars("A", "b", "µs", values, published=["paper"], beside={"limit": {"b": 4.0}})
    assert (figure.stacked, figure.value_title) == (False, "µs")
    assert figure.bars == [
        Bar("a", "paper", 2.0, published=True),
        Bar("a", "measured", 1.0),
        Bar("b", "measured", 3.0),
        Bar("b", "limit", 4.0, published=True),
    ]
    assert bars("A", "b", "µs", values, stacked=True).stacked
    assert bars("A", "b", "µs", values, log=True).value_title == "µs (log scale)"


def test_what_is_published_stands_beside_what_is_measured() -> None:
    cases: dict[str, tuple[float | None, float]] = {"a": (2.0, 1.5), "b": (None, 300.0)}
    figure = compared("A", "b", "µs", cases, "paper", "measured")
    assert figure.bars == [
        Bar("a", "paper", 2.0, published=True),
        Bar("a", "measured", 1.5),
        Bar("b", "measured", 300.0),
    ]
    assert figure.empty == {"paper": "nothing is published"}
