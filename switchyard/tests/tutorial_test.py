# SPDX-License-Identifier: Apache-2.0
"""Pages that are followed step by step in a copy of the sources: what they show is what one sees.

Fences marked `console` are commands with what they print, `diff` changes of a file, and those with
a title new files.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from switchyard.run import build
from switchyard.tests.patience import SECONDS

pytestmark = [pytest.mark.slow, pytest.mark.guests]

DOCS = build.root() / "docs"
FOLDERS = ("include", "kernel", "l4", "user", "bench", "switchyard", "machine/machines")
FENCE = re.compile(r'^```(?:(console|diff)|\w+ title="(.*?)")\n(.*?)^```$', re.M | re.S)


@dataclass(frozen=True)
class Step:
    """A change of the sources, or a command with what it prints."""

    line: int
    command: str = ""
    output: str = ""
    diff: str = ""
    file: str = ""  # a new one, with these contents
    contents: str = ""


def steps(text: str) -> Iterator[Step]:
    """The steps of a page, in order."""
    for fence in FENCE.finditer(text):
        line = text.count("\n", 0, fence.start()) + 2
        if fence[2]:
            yield Step(line, file=fence[2], contents=fence[3])
            continue
        if fence[1] == "diff":
            yield Step(line, diff=fence[3])
            continue
        for part in re.split(r"^\$ ", fence[3], flags=re.M)[1:]:
            command = re.match(r"(?:.*\\\n)*.*\n", part)  # whose lines may go on
            assert command, part
            yield Step(line, command[0], part[command.end() :])


def pattern(output: str) -> re.Pattern[str]:
    """What an output must match, to the last digit: guests are made by a compiler that is pinned.

    `...` stands for any lines, and at a line's end for the rest of it.
    """
    lines = []
    for line in output.splitlines():
        words = re.escape(line.removesuffix("..."))
        rest = ".*" if line.endswith("...") else ""
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


def follow(page: str, text: str, tree: Path, folders: tuple[str, ...]) -> list[str]:
    """Makes the steps of a page's text in a copy of these folders; what each command has shown."""
    for folder in folders:
        ignored = shutil.ignore_patterns("__pycache__", "sources")  # which a wheel is made with
        shutil.copytree(build.root() / folder, tree / folder, ignore=ignored)
    programs = tree / "programs"
    programs.mkdir()
    (programs / "switchyard").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m switchyard "$@"\n')
    (programs / "switchyard").chmod(0o755)
    path = os.pathsep.join([str(programs), str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PYTHONPATH": str(tree), "PATH": path}
    shown = []
    for step in steps(text):
        if step.diff:
            changed(tree, step.diff)
            continue
        if step.file:
            file = tree / step.file
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(step.contents)
            continue
        done = subprocess.run(
            ["timeout", str(SECONDS), "sh", "-c", step.command],  # and all that it has started
            cwd=tree,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            check=False,
        )
        shown.append(done.stdout.replace("\r", ""))
        where = f"{page}:{step.line}: {step.command}"
        assert pattern(step.output).fullmatch(shown[-1]), f"{where}\n{shown[-1]}"
    return shown


def test_the_tutorial_shows_what_one_sees(tmp_path: Path) -> None:
    text = (DOCS / "tutorial.md").read_text(encoding="utf-8")
    shown = follow("tutorial.md", text, tmp_path, FOLDERS)
    cycles = [int(n) for n in re.findall(r"^POINT .* cycles=(\d+)$", "".join(shown), re.M)]
    # what the text says of the times: flush, fass, without the flush, and once more, checked
    flush, fass, forgotten, checked = cycles
    trips = [f"{number / 1000:,.0f}" for number in (flush, fass, forgotten)]
    microseconds = flush / 1000 / 200
    told = " ".join(text.split())
    for words in (
        f"That is {trips[0]} cycles a round trip, {microseconds:.0f} µs at 200 MHz",
        f"nothing is emptied, take {trips[1]} cycles:",
        f"{trips[2]} cycles a round trip, thirteen times as fast",
        f"see where the {trips[0]} cycles go:",
    ):
        assert words in told
    assert round(flush / forgotten) == 13
    assert checked == forgotten


def extensions() -> tuple[str, str]:
    """The page on what can be added, up to devices, and what it says of these."""
    text = (DOCS / "extend.md").read_text(encoding="utf-8")
    before, mark, device = text.partition("\n## A device\n")
    assert mark
    return before, device


def test_a_scheme_a_machine_and_an_experiment_are_added(tmp_path: Path) -> None:
    shown = "".join(follow("extend.md", extensions()[0], tmp_path, FOLDERS))
    mine, twice = re.findall(r"^POINT .* cycles=(\d+)$", shown, re.M)
    assert mine == twice


def test_a_first_guest_is_made_in_an_empty_folder(tmp_path: Path) -> None:
    text = (DOCS / "first-guest.md").read_text(encoding="utf-8")
    shown = follow("first-guest.md", text, tmp_path, ())
    assert shown.count("hello from hello\n") == 2
    assert "A hundred cycles for each of 1024 stores" in text
    assert round(int(shown[-1]) / 1024, -2) == 100


def test_a_kernel_on_riscv_leaves_a_fence_out(tmp_path: Path) -> None:
    text = (DOCS / "riscv.md").read_text(encoding="utf-8")
    shown = follow("riscv.md", text, tmp_path, ())
    assert shown[1].split() == ["space", "0", "space", "1", "program", "0", "program", "1"]


def test_a_first_change_is_judged(tmp_path: Path) -> None:
    for name in ("pyproject.toml", "conftest.py", ".clang-format"):
        shutil.copy(build.root() / name, tmp_path)
    text = (build.root() / "CONTRIBUTING.md").read_text(encoding="utf-8")
    follow("CONTRIBUTING.md", text, tmp_path, (*FOLDERS, "docs"))


def test_the_servers_answer_pings(tmp_path: Path) -> None:
    text = (DOCS / "servers.md").read_text(encoding="utf-8")
    follow("servers.md", text, tmp_path, (*FOLDERS, "servers"))


@pytest.mark.long  # it compiles the simulator
def test_a_device_is_added(tmp_path: Path) -> None:
    for name in ("Cargo.toml", "Cargo.lock"):
        shutil.copy(build.root() / name, tmp_path)
    follow("extend.md", extensions()[1], tmp_path, ("machine",))


def test_a_step_that_shows_something_else_is_seen() -> None:
    shown = "a 17 0xff\nb\nc\n"
    for good in ("a 17 0xff\n...\nc\n", "a 17 ...\nb\nc\n", "a 17 0x...\nb\n...\n"):
        assert pattern(good).fullmatch(shown)
    for bad in ("a 17 0xff\nc\n", "a 18 0xff\nb\nc\n", "a 17 0xfe\nb\nc\n", "a 17\nb\nc\n"):
        assert not pattern(bad).fullmatch(shown)
