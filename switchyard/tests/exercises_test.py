# SPDX-License-Identifier: Apache-2.0
"""The exercise book: what one begins with fails, the solution passes, and both are run."""

import shutil
from pathlib import Path

import pytest

from switchyard import cli
from switchyard.tools import exercises


def test_each_has_a_task_a_grader_and_a_solution() -> None:
    assert exercises.names() == sorted(exercises.GRADERS)
    assert len(exercises.names()) == 6
    for name in exercises.names():
        assert (exercises.BOOK / name / "README.md").read_text("utf-8").startswith("# ")


@pytest.mark.slow
@pytest.mark.guests
@pytest.mark.parametrize("name", sorted(exercises.GRADERS))
def test_what_is_begun_fails_and_the_solution_passes(
    name: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.execute(["new", "exercise", name]) == 0
    assert cli.execute(["grade", name]) == 1
    assert "NO  " in capsys.readouterr().out
    for file in (exercises.BOOK / name / exercises.SOLUTION).iterdir():
        if file.is_file():
            shutil.copy(file, tmp_path / name)
    assert cli.execute(["grade", name]) == 0, capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["new", "exercise", "nothing"], "unknown exercise"),
        (["grade", "nothing"], "no exercise; expected a folder called"),
        (["grade", "domains-run-out"], "answer.toml"),
        (["grade", "missing-flush"], "expected the exercise's file"),
    ],
)
def test_what_cannot_be_graded_is_one_line(
    arguments: list[str],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.execute(arguments) == 2
    shown = capsys.readouterr().err
    assert said in shown
    assert shown.count("\n") == 1
