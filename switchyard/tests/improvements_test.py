# SPDX-License-Identifier: Apache-2.0
"""What small spaces gain of all applications: how it is worked out, and that the book has it."""

import pytest

from switchyard.data.rows import Row, Rows
from switchyard.experiments import EXPERIMENTS
from switchyard.show import book, improvements
from switchyard.show.improvements import (
    APPLICATIONS,
    LARGE_SERVER,
    NATIVE_TAGS,
    SMALL_SERVER,
    Application,
)


def rows(**cycles: float) -> Rows:
    """Of one case, by the system: `on` and cycles."""
    return Rows([Row({"on": on, "case": "a"}, {"cycles": value}) for on, value in cycles.items()])


def test_a_gain_is_how_much_longer_large_spaces_take() -> None:
    one = Application("a", "1", "any", ("case",))
    some = rows(server=110.0, all=100.0, native=90.0)
    assert improvements.gains(some, one, SMALL_SERVER) == [pytest.approx(0.1)]
    # only one of the two was measured
    assert improvements.gains(some, one, LARGE_SERVER) == []
    assert improvements.gains(some, one, NATIVE_TAGS) == []


def test_what_does_not_count_is_left_out() -> None:
    one = Application("a", "1", "any", ("chunk",), (("chunk", 1),))
    some = Rows(
        [
            Row({"on": on, "chunk": chunk}, {"cycles": value * chunk})
            for on, value in (("large", 30.0), ("small", 20.0))
            for chunk in (1, 2)
        ]
    )
    assert improvements.gains(some, one, LARGE_SERVER) == [pytest.approx(0.5)]


def test_percent() -> None:
    assert improvements.percent([]) == ""
    assert improvements.percent([0.101, -0.004, 0.05]) == "0 to 10"
    assert improvements.percent([-0.021]) == "-2"


def test_the_book_has_a_line_of_each() -> None:
    text = book.renew(f"{book.IMPROVEMENTS}\nold\n{book.END}\n", "page")
    assert "old" not in text
    assert "Native Linux" in text
    for one in APPLICATIONS:
        (line,) = [
            line
            for line in text.splitlines()
            if line.startswith(f"| {one.name} |".replace("cat | wc", "cat \\| wc"))
        ]
        assert one.experiment in EXPERIMENTS or "not measured" in line
        assert (one.experiment == "") == ("not measured" in line)
    # a chapter that is about one experiment alone leaves it
    assert "old" in book.renew(f"{book.IMPROVEMENTS}\nold\n{book.END}\n", "page", ["l4-ipc"])
