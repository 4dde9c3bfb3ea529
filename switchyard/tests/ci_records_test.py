# SPDX-License-Identifier: Apache-2.0
"""The comparison of two commits' records: what differs is found, and said by its place."""

import gzip
import importlib.util
import json
from pathlib import Path
from types import ModuleType

import pytest

FILE = Path(__file__).parents[2] / ".ci" / "records.py"


@pytest.fixture
def ci(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    spec = importlib.util.spec_from_file_location("ci_records", FILE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "commit", lambda name: name)
    monkeypatch.setattr(module, "checkout", Path)
    monkeypatch.setattr(module, "known", lambda folder: ["a", "b", f"only-{folder}"])
    return module


def packed(value: object) -> bytes:
    return gzip.compress(json.dumps(value).encode(), mtime=0)


def test_a_difference_is_told_by_its_place(ci: ModuleType) -> None:
    before = {"regions": [{"id": 1, "cycles": 5}], "end": "exit"}
    after = {"regions": [{"id": 1, "cycles": 6}], "end": "exit"}
    assert ci.told(packed(before), packed(before)) == ""
    assert ci.told(packed(before), packed(after)) == ".regions[0].cycles: 5 is 6"
    assert ci.told(packed([1]), packed([1, 2])) == ": [1] is [1, 2]"
    assert ci.told(b"[1]", b"[1 ]") == "other bytes, equal values"
    assert ci.told(None, b"[]") == "is there only now"
    assert ci.told(b"[]", None) == "is there only before"


@pytest.mark.parametrize(
    ("now", "status", "said"),
    [
        ([1], 0, "2 experiments: 2 files equal, 0 differ\n"),
        ([2], 1, "b.json: [0]: 1 is 2\n2 experiments: 1 files equal, 1 differ\n"),
    ],
)
def test_experiments_of_both_are_compared(
    ci: ModuleType,
    now: object,
    status: int,
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def measured(folder: Path, names: list[str]) -> dict[str, bytes]:
        contents = {"a": [1], "b": now if folder == Path("new") else [1]}
        return {f"{name}.json": json.dumps(contents[name]).encode() for name in names}

    monkeypatch.setattr(ci, "measured", measured)
    assert ci.main(["old", "new"]) == status
    assert capsys.readouterr().out == said


def test_nothing_to_compare_is_no_success(ci: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ci, "measured", lambda _folder, _names: {})
    assert ci.main(["old"]) == 1
    assert ci.main([]) == 2
