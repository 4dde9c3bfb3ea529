# SPDX-License-Identifier: Apache-2.0
"""Comparing: cycles are exact, what varies has noise, and the counters say why."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from switchyard import cli
from switchyard.data import records
from switchyard.data.records import Record
from switchyard.tools import compare


def measured(value: float, uncertainty: float, misses: float) -> list[Record]:
    base = Record("e", "sa1110", "l4", "fass", "us", value, "us", {"clients": 2})
    return [
        base,
        replace(base, metric="us_uncertainty", value=uncertainty, unit="1"),
        replace(base, metric="dtlb_misses", value=misses, unit="per_round_trip"),
    ]


@pytest.mark.parametrize(
    ("before", "after", "arguments", "status"),
    [
        (measured(100, 0.0, 1), measured(100, 0.0, 1), [], 0),
        (measured(100, 0.0, 1), measured(101, 0.0, 3), [], 1),
        (measured(100, 0.01, 1), measured(101, 0.01, 3), [], 0),
        (measured(100, 0.0, 1), measured(101, 0.0, 3), ["--within", "2"], 0),
        (measured(101, 0.0, 3), measured(100, 0.0, 1), [], 1),
        (measured(101, 0.0, 3), measured(100, 0.0, 1), ["--allow-faster"], 0),
    ],
)
def test_a_change_beyond_noise_is_told_by_the_status(
    before: list[Record],
    after: list[Record],
    arguments: list[str],
    status: int,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    files = [str(tmp_path / "e.json"), str(tmp_path / "f.json")]
    for file, side in zip(files, (before, after), strict=True):
        records.save(side, Path(file))
    assert cli.execute(["compare", *files, *arguments]) == status
    said = capsys.readouterr().out
    if status or "--allow-faster" in arguments:
        assert "e: sa1110 fass clients=2" in said
        assert "dtlb_misses +2" in said or "dtlb_misses -2" in said
    else:
        assert said == "0 of 1 changed, 1 did not\n"


def test_stalls_come_first_and_then_what_moved_most() -> None:
    before = compare.Case("cycles", 100, "cycles", 0, {"fill_stall_cycles": 10, "dtlb_misses": 1})
    after = compare.Case("cycles", 150, "cycles", 0, {"fill_stall_cycles": 60, "dtlb_misses": 901})
    change = compare.Change("run", before, after)
    assert change.reasons() == ["fill_stall_cycles +50", "dtlb_misses +900"]
    assert change.beyond(0.49)
    assert not change.beyond(0.5)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["nothing", "nothing"], "nothing: not found; expected records"),
        ([".", "."], "no records; expected a folder"),
        (["a.toml", "a.toml"], "--kernel: missing"),
        (["HEAD", "HEAD", "--build", "true"], "--kernel: missing"),
        (["HEAD", "HEAD", "--build", "true", "-k", "k"], "expected a commit"),
    ],
)
def test_what_cannot_be_compared_is_one_line(
    given: list[str],
    said: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.toml").write_text("")
    assert cli.execute(["compare", *given]) == 2
    shown = capsys.readouterr().err
    assert said in shown
    assert shown.count("\n") == 1


def test_as_json_it_says_all(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    records.save(measured(100, 0.0, 1), tmp_path / "e.json")
    records.save(measured(110, 0.0, 5), tmp_path / "f.json")
    given = ["compare", str(tmp_path / "e.json"), str(tmp_path / "f.json"), "--json"]
    assert cli.execute(given) == 1
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["before"], row["after"], row["why"]) == (100, 110, ["dtlb_misses +4"])
