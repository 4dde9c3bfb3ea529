# SPDX-License-Identifier: Apache-2.0
import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchyard.data import records
from switchyard.data.records import Published, Record
from switchyard.errors import InputError

numbers = st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
texts = st.text(max_size=12)
any_record = st.builds(
    Record,
    experiment=texts,
    machine=texts,
    system=texts,
    scheme=texts,
    metric=texts,
    value=numbers,
    unit=texts,
    parameters=st.dictionaries(texts, numbers | texts | st.booleans(), max_size=4),
    published=st.none() | st.builds(Published, numbers, texts),
)

GOOD = {
    "experiment": "e",
    "machine": "m",
    "system": "s",
    "scheme": "flush",
    "metric": "round_trip",
    "parameters": {"clients": 3},
    "value": 1.5,
    "unit": "us",
    "published": {"value": 2, "source": "a paper"},
}


@given(st.lists(any_record, max_size=5))
def test_what_is_written_is_read(written: list[Record]) -> None:
    text = records.dumps(written)
    again = records.loads(text, "f")
    assert again == written
    assert records.dumps(again) == text


def test_the_form_is_the_documented_one() -> None:
    (record,) = records.loads(json.dumps([GOOD]), "f")
    (line,) = json.loads(records.dumps([record]))
    assert line == GOOD
    assert list(line) == list(records.NAMES)


def test_the_order_of_parameters_does_not_show() -> None:
    first = Record("e", "m", "s", "", "x", 1, "us", {"a": 1, "b": 2})
    second = Record("e", "m", "s", "", "x", 1, "us", {"b": 2, "a": 1})
    assert records.dumps([first]) == records.dumps([second])


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"value": "fast"}, "value"),
        ({"value": True}, "value"),
        ({"value": float("nan")}, "value"),
        ({"value": 10**400}, "value"),
        ({"unit": None}, "unit"),
        ({"parameters": []}, "parameters"),
        ({"parameters": {"clients": None}}, "clients"),
        ({"published": 3}, "published"),
        ({"published": {"value": 1}}, "source"),
        ({"extra": 1}, "extra"),
    ],
)
def test_a_wrong_field_is_named(change: dict[str, object], field: str) -> None:
    with pytest.raises(InputError) as caught:
        records.loads(json.dumps([GOOD, GOOD | change]), "some.json")
    message = str(caught.value)
    assert message.startswith("some.json: record 1")
    assert f"{field}:" in message
    assert "expected" in message
    assert "\n" not in message


@pytest.mark.parametrize("field", records.NAMES)
def test_a_missing_field_is_named(field: str) -> None:
    with pytest.raises(InputError, match=f"{field}: missing"):
        records.loads(json.dumps([{k: v for k, v in GOOD.items() if k != field}]), "f")


@given(st.binary(max_size=60) | st.text(max_size=60).map(str.encode))
def test_no_text_makes_more_than_one_line_of_error(text: bytes) -> None:
    try:
        records.loads(text, "f")
    except InputError as error:
        assert "\n" not in str(error)  # noqa: PT017


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "r.json"
    records.save(records.loads(json.dumps([GOOD]), "f"), path)
    assert len(records.load(path)) == 1
    with pytest.raises(InputError, match="expected a record file"):
        records.load(tmp_path)
    with pytest.raises(InputError, match="can be written"):
        records.save([], path / "below-a-file.json")


def test_the_guides_example_is_a_record() -> None:
    guide = Path(__file__).parents[2] / "docs" / "guide.md"
    (example,) = re.findall(r"```json\n(.*?)```", guide.read_text(encoding="utf-8"), re.DOTALL)
    (record,) = records.loads(f"[{example}]", "guide.md")
    assert record.metric == "round_trip"
    assert list(json.loads(example)) == list(records.NAMES)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1" * 5000, "too many digits"),
        ("1" * 400, "a finite number"),
        ("1e999", "a finite number"),
        ('"\\ud800"', "surrogate pair"),
        ("[" * 100_000, "nested too deeply"),
        ('"\xff"', "no UTF-8"),
    ],
)
@pytest.mark.parametrize("place", ["value", "parameter"])
def test_what_python_alone_would_read_or_stumble_over_is_refused(
    text: str, said: str, place: str
) -> None:
    bad = GOOD | ({"value": "HERE"} if place == "value" else {"parameters": {"clients": "HERE"}})
    whole = json.dumps([bad]).replace('"HERE"', text).encode("latin-1")
    with pytest.raises(InputError, match=said) as error:
        records.loads(whole, "f.json")
    assert str(error.value).startswith("f.json: ")
    assert "expected" in str(error.value)
