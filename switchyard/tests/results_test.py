# SPDX-License-Identifier: Apache-2.0
"""Results in the form that the book keeps: nothing is lost in it, and what is wrong is refused."""

import csv
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from switchyard.data import files, records, results
from switchyard.data.records import Record
from switchyard.data.results import Results
from switchyard.errors import InputError
from switchyard.show import report

RECORDS = [
    Record("x", "m", "s", "fass", "trip", 2.5, "us", {"n": 1, "kind": "a b, c"}),
    Record("x", "m", "s", "fass", "count", 7, "1", {"n": 1, "kind": "a b, c"}),
    Record("x", "m", "s", "flush", "trip", 1e-06, "us", {"ratio": 0.5, "on": True}),
    Record("x", "m", "s", "", "of: all parts", -3.0, "per_turn"),
]
META: dict[str, Any] = {
    "date": "2026-01-01",
    "quick": False,
    "images": {"a": {"files": {"kernel": "sha256:0"}}, "b": {}},
    "jobs": [
        {"name": "one", "image": "a", "machine": "m", "append": "n=1,2 \"x\"", "key": "00"},
        {"name": "two", "image": "b", "machine": "m", "append": "", "key": "01"},
    ],
}  # fmt: skip


def kept(folder: Path, found: list[Record]) -> Path:
    results.keep(Results("x", found, META), folder)
    return folder / "x.cases.csv"


def test_what_is_kept_comes_back(tmp_path: Path) -> None:
    file = kept(tmp_path, RECORDS)
    read = results.read(file)
    assert read == Results("x", RECORDS, META)
    assert [type(record.value) for record in read.records] == [float, int, float, float]
    assert report.section(file).name == "x"
    assert [section.name for section in report.collect([tmp_path])] == ["x"]


def test_a_case_is_a_row_and_a_run_is_a_line(tmp_path: Path) -> None:
    rows = list(csv.DictReader(kept(tmp_path, RECORDS).open()))
    assert len(rows) == 3
    assert rows[0] == {
        "machine": "m", "system": "s", "scheme": "fass", "kind": "a b, c", "n": "1", "on": "",
        "ratio": "", "trip [us]": "2.5", "count [1]": "7", "of: all parts [per_turn]": "",
    }  # fmt: skip
    assert len((tmp_path / "x.runs.csv").read_text().splitlines()) == 1 + len(META["jobs"])
    assert len((tmp_path / "x.meta.json").read_text().splitlines()) < 10


words = st.text(st.characters(codec="utf-8", exclude_characters="\r\0"), min_size=1)
numbers = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
found = st.builds(
    Record,
    experiment=st.just("x"), machine=words, system=words, scheme=st.just("") | words,
    metric=words, value=numbers, unit=st.sampled_from(["us", "1", "per_turn"]),
    parameters=st.dictionaries(
        st.sampled_from(["n", "kind"]),
        st.integers() | st.booleans() | st.floats(0.1, 9) | st.sampled_from(["a,b", 'x "y"', "é"]),
    ),
)  # fmt: skip


@given(found)
@example(Record("x", "m", "s", "", "\n", 0, "us"))
@example(Record("x", "a\nb", "", "f", "[a] [b]", 0.5, "per_turn", {"kind": "\n"}))
def test_any_record_comes_back(record: Record) -> None:
    with files.scratch() as folder:
        assert list(results.read(kept(folder, [record])).records) == [record]


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (replace(RECORDS[0], experiment="y"), "x: a record of y; expected those of x"),
        (replace(RECORDS[0], unit="a b"), "x: trip in a b; expected a unit without spaces"),
        (replace(RECORDS[0], parameters={"n": "1"}), "x: n = '1' would be read as 1"),
        (replace(RECORDS[0], parameters={"n": ""}), "x: n = '' would be read as"),
        (RECORDS[0], "x: trip is there twice of {'machine': 'm'"),
    ],
)
def test_what_would_be_lost_is_not_kept(tmp_path: Path, record: Record, message: str) -> None:
    with pytest.raises(InputError) as caught:
        kept(tmp_path, [RECORDS[0], record])
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected the columns machine, system, scheme first"),
        ("machine,scheme,system\n", "expected the columns machine, system, scheme first"),
        ("machine,system,scheme,t [us]\nm,s,f,x\n", ":2: t [us]: found 'x'; expected a number"),
        ("machine,system,scheme\nm,s\n", ":2: 2 cells; expected 3"),
    ],
)
def test_a_wrong_table_is_refused_in_one_line(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "x.cases.csv"
    file.write_text(text)
    with pytest.raises(InputError) as caught:
        results.read(file)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_table_that_is_no_text_or_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        results.read(tmp_path / "x.cases.csv")
    (tmp_path / "x.cases.csv").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="is not text"):
        results.read(tmp_path / "x.cases.csv")


def test_records_as_run_writes_them(tmp_path: Path) -> None:
    records.save(RECORDS, tmp_path / "x.json")
    read = results.read(tmp_path / "x.json")
    assert (read.name, list(read.records), read.meta) == ("x", RECORDS, {})
