# SPDX-License-Identifier: Apache-2.0
"""The tutorial, followed step by step in a copy of the sources: what it shows is what one sees."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from switchyard import build

pytestmark = [pytest.mark.slow, pytest.mark.guests]

TUTORIAL = build.root() / "docs" / "tutorial.md"
FOLDERS = ("include", "kernel", "l4", "user", "bench", "switchyard", "machine/machines")
FENCE = re.compile(r"^```(console|diff)\n(.*?)^```$", re.M | re.S)
SECONDS = 600


@dataclass(frozen=True)
class Step:
    """A change of the sources, or a command with what it prints."""

    line: int
    command: str = ""
    output: str = ""
    diff: str = ""


def steps(text: str) -> Iterator[Step]:
    """The steps of a page, in order."""
    for fence in FENCE.finditer(text):
        line = text.count("\n", 0, fence.start()) + 2
        if fence[1] == "diff":
            yield Step(line, diff=fence[2])
            continue
        for part in re.split(r"^\$ ", fence[2], flags=re.M)[1:]:
            command, _, output = part.partition("\n")
            yield Step(line, command, output)


def pattern(output: str) -> re.Pattern[str]:
    """What an output must match: numbers may be others, as they change with the kernel.

    `...` stands for any lines, and at a line's end for the rest of it.
    """
    lines = []
    for line in output.splitlines():
        masked = re.split(r"0x[0-9a-f]+|\d+", line.removesuffix(" ..."))
        words = r"(?:0x[0-9a-f]+|\d+)".join(re.escape(part) for part in masked)
        rest = ".*" if line.endswith(" ...") else ""
        lines.append(r"(?:.*\n)*?" if line == "..." else words + rest + r"\n")
    return re.compile("".join(lines))


def changed(tree: Path, diff: str) -> None:
    """Applies a diff whose places have no line numbers: its old lines stand once in the file."""
    lines = diff.splitlines(keepends=True)
    file = tree / lines[1].removeprefix("+++ b/").strip()
    old = "".join(line[1:] for line in lines[3:] if line[0] in " -")
    new = "".join(line[1:] for line in lines[3:] if line[0] in " +")
    text = file.read_text()
    assert text.count(old) == 1, f"{file.name} has not these lines once:\n{old}"
    file.write_text(text.replace(old, new))


def test_the_tutorial_shows_what_one_sees(tmp_path: Path) -> None:
    for folder in FOLDERS:
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(build.root() / folder, tmp_path / folder, ignore=ignored)
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "switchyard").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m switchyard "$@"\n')
    (programs / "switchyard").chmod(0o755)
    path = os.pathsep.join([str(programs), str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "PATH": path}
    cycles = []
    for step in steps(TUTORIAL.read_text(encoding="utf-8")):
        if step.diff:
            changed(tmp_path, step.diff)
            continue
        done = subprocess.run(
            ["timeout", str(SECONDS), "sh", "-c", step.command],  # and all that it has started
            cwd=tmp_path,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            check=False,
        )
        shown = done.stdout.replace("\r", "")
        where = f"{TUTORIAL.name}:{step.line}: {step.command}"
        assert pattern(step.output).fullmatch(shown), f"{where}\n{shown}"
        cycles += [int(n) for n in re.findall(r"^POINT .* cycles=(\d+)$", shown, re.M)]
    # what the text says of the times: flush, fass, without the flush, and once more, checked
    flush, fass, forgotten, checked = cycles
    assert flush > 50 * fass
    assert 10 * forgotten < flush < 16 * forgotten
    assert checked == forgotten


def test_a_step_that_shows_something_else_is_seen() -> None:
    shown = "a 17 0xff\nb\nc\n"
    assert pattern("a 1 0x1\n...\nc\n").fullmatch(shown)
    assert not pattern("a 1 0x1\nc\n").fullmatch(shown)
    assert not pattern("a 1 0x1\nb\n").fullmatch(shown)
