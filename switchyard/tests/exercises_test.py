# SPDX-License-Identifier: Apache-2.0
"""The exercise book: what one begins with fails, the solution passes, and both are run."""

import shutil
from pathlib import Path

import pytest

from switchyard import cli
from switchyard.errors import InputError
from switchyard.tools import exercises, student_code


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
        (["grade", "nothing"], "no such folder; expected that of an exercise"),
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


def handed_in(name: str, folder: Path, file: str, text: str | None) -> Path:
    """An exercise with a file in place of the template's; None: a folder in its place."""
    exercises.begin(name, folder)
    home = folder / name
    (home / file).unlink()
    if text is None:
        (home / file).mkdir()
    else:
        (home / file).write_text(text, encoding="utf-8")
    return home


def moving(body: str) -> str:
    """The template of missing-flush with a body for `move`."""
    template = (exercises.BOOK / "missing-flush" / "exercise.c").read_text("utf-8")
    return template.replace("    map(WINDOW, OTHER, CACHED);\n", body)


MOVED = "map(WINDOW, OTHER, CACHED);"
CHEAT = f'{MOVED} say_number("other", 2); say_number("first", 1); probe[PROBE_EXIT / 4] = 0;'


@pytest.mark.slow
@pytest.mark.guests
@pytest.mark.parametrize(
    ("body", "good", "seen"),
    [
        ("*(volatile uint32_t *)0xf0000000u = 1;", 0, "a fault"),
        ("for (;;) { }", 0, "hangs"),
        (f"{MOVED} for (uint32_t n = 0;; n++) store(OTHER + 8 * (n & 7), n);", 0, "still ran"),
        (CHEAT, 0, "says or ends"),
        (
            f'{MOVED} }} static void more(void) {{ say_number("other", 2);',
            0,
            "the rest of exercise.c",
        ),
    ],
    ids=["crash", "hang", "endless", "cheat", "more"],
)
def test_what_does_not_do_its_task_gets_no_point_and_is_told_why(
    body: str, good: int, seen: str, tmp_path: Path
) -> None:
    home = handed_in("missing-flush", tmp_path, "exercise.c", moving(body))
    points = exercises.grade(home)
    assert sum(point.good for point in points) <= good, points
    assert seen in "; ".join(point.seen for point in points)
    assert max(len(point.seen) for point in points) < 300


@pytest.mark.slow
@pytest.mark.guests
def test_a_finding_names_the_students_line(tmp_path: Path) -> None:
    exercises.begin("missing-flush", tmp_path)
    silent = exercises.grade(tmp_path / "missing-flush")[0]
    lines = (tmp_path / "missing-flush" / "exercise.c").read_text("utf-8").splitlines()
    number = next(n for n, line in enumerate(lines, 1) if "load(WINDOW));" in line)
    assert f"stale-translation at exercise.c:{number}" in silent.seen


@pytest.mark.slow
@pytest.mark.guests
@pytest.mark.parametrize(
    ("name", "file", "text", "said"),
    [
        ("missing-flush", "exercise.c", "", "exercise.c: no function exercise"),
        ("missing-flush", "exercise.c", None, "exercise.c: not found; expected the exercise"),
        ("missing-flush", "exercise.c", "int x = y;\n", "does not compile: "),
        ("lose-to-the-tlb", "answer.toml", "entries = 7\n", "entries = 7: expected a power of two"),
        ("lose-to-the-tlb", "answer.toml", "entries = true\n", "entries = true: expected"),
        ("lose-to-the-tlb", "answer.toml", "entires = 8\n", "entires: unknown; expected `entries"),
        ("domains-run-out", "answer.toml", "clients = 65\n", "from 2 to 64"),
        ("small-space", "break_out.py", "def break_out(r):\n    raise ValueError('x')\n",
         "break_out.py:2: ValueError: x"),
        ("small-space", "break_out.py", "def break_out(r):\n    r['eax'] = 's'\n", "32 bits"),
        ("small-space", "break_out.py", "import os\nos._exit(3)\n", "it ended the program"),
        ("small-space", "break_out.py", "x = 1\n", "no 'break_out'"),
        ("small-space", "break_out.py", "def break_out(:\n", "break_out.py:1: SyntaxError"),
    ],
)  # fmt: skip
def test_what_is_handed_in_and_cannot_be_graded_is_one_line(
    name: str,
    file: str,
    text: str | None,
    said: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    home = handed_in(name, tmp_path, file, text)
    assert cli.execute(["grade", str(home)]) == 2
    shown = capsys.readouterr().err
    assert said in shown
    assert shown.count("\n") == 1


def test_a_function_that_does_not_return_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(student_code, "MOST_SECONDS", 1)
    file = tmp_path / "break_out.py"
    file.write_text("def break_out(registers):\n    while True:\n        pass\n")
    with pytest.raises(InputError, match="runs for 1 s; expected a function"):
        student_code.changed_by(file, {"eax": 0})
