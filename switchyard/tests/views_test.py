# SPDX-License-Identifier: Apache-2.0
"""Views of records: rows, what is published of them, the text; and that kept records are enough."""

from dataclasses import replace
from importlib.resources import files

import pytest

from switchyard.data import published, results
from switchyard.data.published import Statement
from switchyard.data.records import Record
from switchyard.data.rows import Rows, unsteady
from switchyard.errors import InputError
from switchyard.experiments import EXPERIMENTS
from switchyard.show import book, outcomes, views

KEPT = sorted(name for name in EXPERIMENTS if (book.kept() / f"{name}{results.CASES}").exists())


def record(metric: str, value: float, n: int, scheme: str = "fass") -> Record:
    return Record("x", "m", "s", scheme, metric, value, "us", {"n": n})


RECORDS = [
    record("trip", 2.0, 1),
    record("trip_p5", 1.5, 1),
    record("trip_p95", 2.5, 1),
    record("trip_uncertainty", 0.01, 1),
    record("trip", 400.0, 2),
    record("trip_p5", 100.0, 2),
    record("trip_p95", 500.0, 2),
    record("trip_uncertainty", 0.5, 2),
    replace(record("band_trip", 9.0, 1), parameters={"n": 1, "assumed": "nominal"}),
]


def test_a_row_is_a_case_with_all_its_metrics_and_a_band_is_none() -> None:
    rows = Rows.of(RECORDS)
    assert [row.where["n"] for row in rows] == [1, 2]
    row = rows.find(scheme="fass", n=1)
    assert row["trip"] == 2
    assert row.spread("trip") == "2.00 (1.50–2.50)"
    assert rows.find(n=2).spread("trip") == "≈ 400 (100–500)"
    mark = row.mark("n", "trip", spread=True)
    assert (mark.x, mark.y, mark.low, mark.high, mark.half) == (1, 2, 1.5, 2.5, 0.02)
    assert unsteady([(f"{row.where['n']}", row) for row in rows], "trip")[0].endswith(
        ": 2 (± 50%)."
    )
    with pytest.raises(InputError, match="0 rows of n 3; expected one"):
        rows.find(n=3)
    with pytest.raises(InputError, match="2 rows of scheme fass"):
        rows.find(scheme="fass")


def test_what_is_published_stands_beside_its_records_and_in_the_first_table() -> None:
    known = [
        Statement("trip", 100, "us", "paper: 100", "both", "why", where={"n": [1, 2]}),
        Statement("trip", 1, "us", "paper", "other", where={"n": 3}),
        Statement("trip_p5", 1, "us", "ours", "limit", limit=True, where={"n": 1}),
    ]
    beside = published.beside(RECORDS, known)
    assert [record.published.value for record in beside if record.published] == [100, 100]
    (table,) = published.table(known, Rows.of(RECORDS))
    assert table.columns[1] == "published"
    assert table.rows == [
        ["both", "100 µs", "≈ 2.00 to 400 µs", "2.01", "why"],
        ["limit", "1 µs", "1.50 µs", "1.50", ""],
    ]
    assert [table.left(place) for place in range(5)] == [True, False, False, False, True]
    assert book.markdown(table)[3] == "|---|---:|---:|---:|---|"
    assert published.table(known[1:2], Rows.of(RECORDS)) == []


@pytest.mark.parametrize("name", KEPT)
def test_published_values_stand_beside_kept_records(name: str) -> None:
    kept = results.read(book.kept() / f"{name}{results.CASES}").records
    for statement in published.statements(EXPERIMENTS[name], kept):
        found = [record for record in kept if statement.about(record.metric, record.case)]
        assert found, statement
        if not (statement.limit or statement.input or statement.to is not None):
            assert all(record.published is not None for record in found), statement


def test_every_experiment_is_a_folder_with_its_views() -> None:
    for experiment in EXPERIMENTS.values():
        has = {file.name for file in files(experiment.package()).iterdir()}
        assert {"measure.py", "view.py", "text.md"} <= has, experiment.name
    assert sorted(KEPT) == sorted(EXPERIMENTS)
    assert not list(book.kept().glob("*.outcome.json"))


def test_records_that_are_not_enough_are_refused_in_one_line() -> None:
    file = book.kept() / f"l4-ipc{results.CASES}"
    some = [
        record for record in results.read(file).records if record.metric != "round_trip_samples"
    ]
    with pytest.raises(InputError) as caught:
        outcomes.of(file, some)
    assert "round_trip_samples" in str(caught.value)
    assert str(caught.value).endswith("expected the records of: switchyard run l4-ipc")
    assert "\n" not in str(caught.value)
    assert outcomes.of(file, [replace(record, experiment="x") for record in some[:1]]) is None


def test_a_sentence_tells_how_a_value_lies_to_the_published_one() -> None:
    said = [views.against(value, 100) for value in (100.5, 140, 60)]
    assert said == ["equal to", "40% above", "40% below"]
