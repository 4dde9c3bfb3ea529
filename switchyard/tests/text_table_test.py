# SPDX-License-Identifier: Apache-2.0
"""Tables in narrow terminals: every view of the stored records and every list, at 80 and 50."""

import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from switchyard.data import results
from switchyard.experiments import EXPERIMENTS
from switchyard.run import build, build_linux, machine
from switchyard.show import outcomes, terminal, text_table
from switchyard.show.figure import Table

RESULTS = Path(__file__).parents[2] / "docs" / "results"
STORED = [file for file in sorted(RESULTS.iterdir()) if results.is_records(file)]
WIDTHS = (80, 50)


def printed(width: int, show_it: object, *arguments: object) -> list[str]:
    """What a terminal of that width shows."""
    console = Console(width=width, force_terminal=True, color_system=None, highlight=False)
    with console.capture() as capture:
        show_it(console, *arguments)  # type: ignore[operator]
    return [line.rstrip() for line in capture.get().splitlines()]


def whole(cell: str, lines: Sequence[str]) -> bool:
    """Whether a cell stands on a line, with nothing beside it that could be part of it."""
    return any(re.search(rf"(?<!\S){re.escape(cell)}(?!\S)", line) for line in lines)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("file", STORED, ids=results.name_of)
def test_views_of_stored_records(file: Path, width: int) -> None:
    shown = outcomes.of(file, results.read(file).records)
    assert shown is not None
    assert shown.tables
    for table in shown.tables:
        lines = printed(width, terminal.result_table, table)
        assert max(map(cell_len, lines)) <= width
        text = " ".join(lines)
        for place, column in enumerate(table.columns):
            assert all(word in text for word in re.split(r"[/\s]+", column))
            for row in table.folded:
                if not table.left(place):
                    cell = " ".join(row[place].split())
                    # what says the same throughout is said once, below
                    assert whole(cell, lines) or f"{column} {cell}" in text, cell
                else:
                    assert all(word in text for word in row[place].split())


@pytest.mark.parametrize("width", WIDTHS)
def test_lists(width: int) -> None:
    for lines in (
        printed(width, terminal.machines, machine.machines(), "table"),
        printed(width, terminal.assumed, machine.machines("p4-willamette")[0]["assumed"], "table"),
        printed(width, terminal.guests, [*build.GUESTS.values(), *build_linux.every()], "table"),
        printed(width, terminal.experiments, EXPERIMENTS.values(), "table"),
    ):
        assert len(lines) > 5
        assert max(map(cell_len, lines)) <= width


def test_a_wide_table_goes_to_pages_that_say_which_row_it_is() -> None:
    names = [f"number {n}" for n in range(6)]
    rows = [[f"row {n}", "same", *(str(10**8 * n + m) for m in range(6))] for n in range(3)]
    table = Table("Title", ["what", "of", *names], rows, words=["of"])
    lines = printed(50, terminal.result_table, table)
    assert lines[0] == "Title"
    heads = [line for line in lines if line.startswith("what")]
    assert len(heads) > 1
    assert "of" not in " ".join(heads).split()
    assert "In all rows: of same." in lines
    assert sum(line.startswith("row 2 ") for line in lines) == len(heads)


def test_on_a_narrow_terminal_published_and_measured_stand_on_one_page() -> None:
    rows = [[f"a case whose name is long, {n}", f"{n} µs", f"{n}.1 µs", "why"] for n in (1, 2)]
    lines = printed(
        50, terminal.result_table, Table("T", ["what", "published", "measured", "x"], rows)
    )
    assert any(re.search(r"1 µs +1\.1 µs", line) for line in lines)


def test_equal_rows_are_one_for_people_and_a_line_each_for_programs() -> None:
    table = Table("T", ["n", "x"], [[str(n), "7"] for n in (1, 2, 4)])
    assert "1 to 4  7" in printed(80, terminal.result_table, table)
    console = Console(force_terminal=False)
    with console.capture() as capture:
        terminal.result_table(console, table)
    assert capture.get().splitlines()[2:] == ["1  7", "2  7", "4  7", ""]


CELL = st.text("abc 123.±µ/-", max_size=30)


@given(
    st.integers(1, 6).flatmap(
        lambda count: st.tuples(
            st.lists(CELL, min_size=count, max_size=count),
            st.lists(st.lists(CELL, min_size=count, max_size=count), max_size=5),
            st.sets(st.integers(0, count - 1)),
        )
    ),
    st.integers(75, 120),
)
def test_any_table_fits(table: tuple[list[str], list[list[str]], set[int]], width: int) -> None:
    columns, rows, right = table
    lines = text_table.table("title", text_table.Grid(columns, rows, right), "", width)
    assert max(cell_len(line.text) for line in lines) <= width
