# SPDX-License-Identifier: Apache-2.0
"""The formulas for overheads on runs whose parts are known."""

from typing import Any

import pytest

from switchyard.data import published
from switchyard.data.published import Statement
from switchyard.data.records import Record
from switchyard.data.rows import Rows
from switchyard.errors import RunError
from switchyard.experiments import EXPERIMENTS
from switchyard.experiments.overheads.formulas import (
    PAIRS,
    TASKS,
    Interrupting,
    Pair,
    PairRun,
    Points,
    Switching,
    name_of,
)
from switchyard.experiments.overheads.view import Overheads
from switchyard.show import plot
from switchyard.show.views import Results

CLOCK_HZ = 120_000_000
C, D = 5_760, 600  # a switch with cold, clean caches; an interrupt with warm ones
WORK = {"sort": 436_800_000, "deflate": 422_280_000, "aes": 400_000_000, "crc": 392_000_000}
# What a task has to fetch again after each switch away, and what its dirty lines cost a switch.
REFILL = {"sort": 3_000, "deflate": 9_000, "aes": 8_000, "crc": 1_500}
DIRTY = {"sort": 700, "deflate": 400, "aes": 300, "crc": 0}


def records_of(points: Points[Any, Any]) -> list[Record]:
    cases = points.cases("omap1610", "flush")
    return [record for case in cases for record in case.records("x-overheads", "none")]


def pair_run(pair: Pair, n: int, shift: int = 0) -> PairRun:
    """With n switches (odd) each task has (n + 1) / 2 slices; the first of each starts cold."""
    again = (n + 1) // 2 - 1
    first, second = (WORK[task] + REFILL[task] * again for task in pair)
    switches = [C + DIRTY[pair[i % 2]] for i in range(n)]
    return PairRun(first + shift, second, switches)


def switching(counts: tuple[int, ...] = (1, 49, 99), shifts: tuple[int, ...] = (0,)) -> Switching:
    return Switching(
        CLOCK_HZ,
        C,
        {(pair, n): [pair_run(pair, n, s) for s in shifts] for pair in PAIRS for n in counts},
    )


def interrupting(counts: tuple[int, ...] = (0, 49)) -> Interrupting:
    runs = {
        (task, n): [WORK[task] + n * (D + REFILL[task] // 10)] for task in TASKS for n in counts
    }
    return Interrupting(CLOCK_HZ, D, runs)


def statements(records: list[Record]) -> list[Statement]:
    return published.statements(EXPERIMENTS["linux-overheads"], records)


def shown(switched: Switching, interrupted: Interrupting) -> Overheads:
    """What is shown of the records of both."""
    records = records_of(switched)
    records += records_of(interrupted)
    return Overheads(Results(Rows.of(records), statements(records), None), "flush", "here", "it")


def test_a_single_switch_has_no_indirect_overhead() -> None:
    overheads = switching()
    for pair in PAIRS:
        indirect = overheads.indirect(pair, 1)
        assert (indirect.first, indirect.second, indirect.inflation, indirect.total) == (0, 0, 0, 0)


def test_the_interval_of_a_pair_is_over_its_runs() -> None:
    """What a whole run has more, all of its numbers of switches have: not so the overhead."""
    overheads = switching(shifts=(0, 100_000, 200_000))
    pair = PAIRS[0]
    assert overheads.interval(pair, 99).half == pytest.approx(4.303 * 100_000 / 3**0.5)
    assert overheads.indirect_interval(pair, 99).half == pytest.approx(0, abs=1e-3)
    assert overheads.indirect_interval(pair, 99).mean == pytest.approx(
        overheads.indirect(pair, 99).total
    )
    metrics = {record.metric for record in records_of(overheads)}
    assert {"running_uncertainty", "indirect_uncertainty"} <= metrics
    single = {record.metric for record in records_of(switching())}
    assert not {"running_uncertainty", "indirect_uncertainty"} & single


def test_the_components_are_what_was_put_in() -> None:
    overheads = switching()
    for pair in PAIRS:
        indirect = overheads.indirect(pair, 99)
        assert indirect.first == 49 * REFILL[pair[0]]
        assert indirect.second == 49 * REFILL[pair[1]]
        assert indirect.inflation == 49 * DIRTY[pair[0]] + 49 * DIRTY[pair[1]]


def test_the_components_add_up_to_the_papers_formula() -> None:
    overheads = switching(shifts=(0, 7, -3))
    for pair in PAIRS:
        for n in (1, 49, 99):
            whole = overheads.total(pair, n) - (overheads.total(pair, 1) - C) - n * C
            assert overheads.indirect(pair, n).total == pytest.approx(whole, abs=1e-3)
            assert overheads.altogether_percent(pair, n) == pytest.approx(
                100 * (whole + n * C) / overheads.total(pair, 1)
            )


def test_interrupts() -> None:
    overheads = interrupting()
    for task in TASKS:
        assert overheads.added(task, 0) == 0
        assert overheads.added(task, 49) == 49 * (REFILL[task] // 10)
        more = 49 * (D + REFILL[task] // 10)
        assert overheads.altogether_percent(task, 49) == pytest.approx(100 * more / WORK[task])


def test_stamps_are_told_apart() -> None:
    # first 100, switch 10, second 200, switch 20, first 300, switch 30, second 400; count wraps
    gaps = [100, 10, 200, 20, 300, 30, 400]
    start = 2**32 - 150
    stamps = [(start + sum(gaps[:i])) % 2**32 for i in range(8)]
    run = PairRun.of_stamps(stamps, "here")
    assert (run.first, run.second, list(run.switches)) == (400, 600, [10, 20, 30])
    assert run.total == sum(gaps)
    for wrong in (stamps[:7], stamps[:2]):
        with pytest.raises(RunError, match=r"here: . time stamps; expected two for each slice"):
            PairRun.of_stamps(wrong, "here")


def test_the_coefficient_of_variation_is_the_largest() -> None:
    assert switching().max_cv() == 0, "one run varies by nothing"
    overheads = switching(shifts=(-1_000_000, 1_000_000))
    least = min(overheads.total(pair, 1) for pair in PAIRS)
    assert overheads.max_cv() == pytest.approx(2**0.5 * 1e6 / least)


def test_published_values_stand_at_their_number_of_switches_only() -> None:
    records = records_of(switching())
    beside = {
        (r.metric, r.parameters.get("pair"), r.parameters.get("switches")): r.published.value
        for r in published.beside(records, statements(records))
        if r.published is not None
    }
    assert beside.pop(("switch_direct", None, None)) == 48
    assert {beside.pop(("direct", name_of(pair), 99)) for pair in PAIRS} == {4.75}
    assert beside == {
        ("running", "sort-deflate", 1): 7.159,
        ("running", "aes-crc", 1): 6.6,
        ("indirect", "sort-deflate", 99): 10.3,
        ("indirect", "aes-crc", 99): 6.9,
        ("indirect_percent", "sort-deflate", 99): 0.14,
        ("indirect_percent", "aes-crc", 99): 0.10,
        ("indirect_percent", "aes-deflate", 99): 0.18,
    }
    records = records_of(interrupting())
    compared = published.beside(records, statements(records))
    assert {r.published.value for r in compared if r.published and r.unit == "%"} == {
        0.01,
        0.02,
        0.05,
        0.09,
    }
    # a shorter run's tasks are smaller
    records = records_of(switching((1, 9)))
    compared = published.beside(records, statements(records))
    assert [r.metric for r in compared if r.published] == ["switch_direct"]


def test_the_published_numbers_agree_with_each_other() -> None:
    full = shown(switching(), interrupting())
    # 99 switches of 48 µs; percentages of the running times
    assert full.paper("direct", switches=99) == pytest.approx(99 * 0.048, abs=0.005)
    for pair in ("sort-deflate", "aes-crc"):
        running = full.paper("running", pair=pair, switches=1)
        indirect = full.paper("indirect", pair=pair, switches=99)
        percent = full.paper("indirect_percent", pair=pair, switches=99)
        assert running is not None
        assert indirect is not None
        assert percent == pytest.approx(indirect / 10 / running, abs=0.005)


def test_figures_and_tables_show_what_was_found() -> None:
    view = shown(switching(), interrupting())
    two = view.figures("")[""]
    assert [curve.published for curve in two.series] == [False] * 7 + [True] * 3
    direct = next(curve for curve in two.series if curve.label == "direct")
    assert direct.marks[-1].y == pytest.approx(4.752)
    for pair in PAIRS:
        figure = view.figures("")[name_of(pair)]
        ends = [curve.marks[-1].y for curve in figure.series if not curve.published]
        assert any(curve.published for curve in figure.series) == ("sort" in pair)
        assert sum(ends) == pytest.approx(view.pair(pair)["indirect"], abs=1e-5)
        assert "AES" in plot.svg(figure) or "aes" not in pair
    assert "published: direct" in plot.svg(two)
    assert "bubble sort" in plot.svg(view.figures("")["interrupts"])
    short = shown(switching((1, 9)), interrupting((0, 9)))
    assert not any(curve.published for curve in short.figures("")[""].series)
    switches, interrupts = view.tables()
    assert switches.rows[0][:3] == ["bubble sort and deflate", "7.159", "4.75"]
    assert interrupts.rows[0][0] == "bubble sort"
    assert (view.largest, view.smaller) == (
        "AES and deflate",
        "bubble sort and CRC; AES and CRC; CRC and deflate",
    )
    assert view.of_task("crc") == pytest.approx([0.6125] * 3)


def test_the_spread_of_an_interrupted_task_is_that_of_its_runs() -> None:
    runs = {("sort", 0): [1_000_000, 2_000_000], ("sort", 9): [1_009_000, 2_018_000]}
    overheads = Interrupting(CLOCK_HZ, D, runs)
    assert overheads.indirect_spread("sort", 9) == (9_000 - 9 * D, 18_000 - 9 * D)
    assert overheads.indirect_spread("sort", 0) == (0, 0)
    records = records_of(overheads)
    row = Rows.of(records).find("interrupt_indirect_least", interrupts=9)
    assert row["interrupt_indirect_least"] == pytest.approx(overheads.us(9_000 - 9 * D))
    # and its interval that of their differences, each beside its own: 12.706 standard deviations
    # of two, over the root of two
    assert overheads.indirect_interval("sort", 9).half == pytest.approx(12.706 * 9_000 / 2)
    half = row.interval("interrupt_indirect").half
    assert half == pytest.approx(overheads.us(12.706 * 9_000 / 2), rel=1e-5)
    assert not overheads.indirect_interval("sort", 9).stable
    # nothing to spread over
    single = Interrupting(CLOCK_HZ, D, {("sort", 0): [1], ("sort", 9): [2]})
    assert single.indirect_spread("sort", 9) is None
    assert not [r for r in records_of(single) if "least" in r.metric]
