# SPDX-License-Identifier: Apache-2.0
"""Three people's first hour, each as commands: an engineer's, a lecturer's, a researcher's."""

import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from switchyard import cli
from switchyard.show import book
from switchyard.tools import exercises

pytestmark = [pytest.mark.slow, pytest.mark.guests]


def switchyard(*words: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "switchyard", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def waiting(*words: str) -> "tuple[subprocess.Popen[str], int]":
    """The command with a debugger's port, once it waits for one."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "switchyard", *words, "--gdb", f":{port}"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    assert "waiting for a debugger" in process.stderr.readline()
    return process, port


@pytest.mark.skipif(shutil.which("gdb-multiarch") is None, reason="no gdb-multiarch")
def test_an_engineer_comes_from_qemu_and_ends_at_the_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A kernel of one's own, QEMU's words, a finding with lines of source, and GDB at the store."""
    monkeypatch.chdir(tmp_path)
    exercises.begin("missing-flush", tmp_path)
    source = tmp_path / "missing-flush" / "exercise.c"
    image = exercises._compiled(source)
    boot = ["boot", "-M", "versatilepb", "-nographic", "-kernel", str(image)]
    done = switchyard(*boot, "--check", "coherence")
    assert done.returncode == 1
    found = done.stderr[done.stderr.index("stale-translation: ") :]
    code = source.read_text().splitlines()
    lines = re.findall(r"^    (?:at|written) .* \S*/exercise\.c:(\d+) \(", found, re.M)[:2]
    assert ["load(WINDOW)" in code[int(lines[0]) - 1], code[int(lines[1]) - 1]] == [
        True,
        "    move();",
    ]
    (way,) = re.findall(r"^    in GDB    (.*)$", found, re.M)[:1]
    process, port = waiting(*boot)
    try:
        words = ["gdb-multiarch", "-nx", "-batch", "-ex", f"target remote localhost:{port}"]
        for command in [*way.split(", "), "backtrace", "kill"]:
            words += ["-ex", command]
        said = subprocess.run(
            [*words, str(image)], capture_output=True, text=True, check=False, timeout=120
        ).stdout
    finally:
        process.kill()
        process.wait()
    # the store that is to blame: that of the new descriptor
    assert re.search(r"^#0 .*(map|exercise|clean_line)", said, re.M), said
    shutil.copy(exercises.BOOK / "missing-flush" / "solution" / "exercise.c", source)
    exercises._compiled(source)
    assert switchyard(*boot, "--check", "coherence").returncode == 0


def test_a_lecturer_shows_a_page_sets_a_task_and_grades_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.execute(["explore", "small-spaces.html", "--case", "small-spaces"]) == 0
    page = (tmp_path / "small-spaces.html").read_text("utf-8")
    for part in ('id="jumps"', "trace cache", "small space", "What to look for"):
        assert part in page
    text = (book.page().parent / "exercises.md").read_text("utf-8")
    (shown,) = re.findall(r"^```console\n(.*?)^```$", text, re.M | re.S)
    said = ""
    capsys.readouterr()
    for command in re.findall(r"^\$ switchyard (.*)$", shown, re.M):
        cli.execute(command.split())
        said += f"$ switchyard {command}\n{capsys.readouterr().out}"
    assert said == shown
    shutil.copytree(
        exercises.BOOK / "missing-flush" / "solution", "missing-flush", dirs_exist_ok=True
    )
    assert cli.execute(["grade", "missing-flush"]) == 0


def test_a_researcher_draws_a_figure_sweeps_and_compares(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.execute(["figure", "l4-pagefault.pdf", "--columns", "one", "--no-title"]) == 0
    page = (tmp_path / "l4-pagefault.pdf").read_bytes()
    assert page.startswith(b"%PDF")
    assert re.search(rb"/MediaBox \[0 0 252 ", page)
    # where results were asked for, those of the book do not stand in for them
    assert cli.execute(["figure", "l4-pagefault.pdf", "--results", "nowhere"]) == 2
    assert "nowhere/l4-pagefault.json: not found" in capsys.readouterr().err
    grid = ["--grid", "scheme=fass", "--grid", "clients=14,45"]  # the experiment lists no 45
    assert cli.execute(["sweep", "l4-ipc", "--rounds", "20", *grid, "--out", "."]) == 0
    table = (tmp_path / "l4-ipc.sweep.csv").read_text().splitlines()
    columns = table[0].split(",")
    few, many = (dict(zip(columns, row.split(","), strict=True)) for row in table[1:])
    assert (few["clients"], many["clients"]) == ("14", "45")
    assert float(many["us"]) > 2 * float(few["us"]), "domains are recycled"
    kept = book.kept() / "l4-pagefault.cases.csv"
    assert cli.execute(["compare", str(kept), str(kept)]) == 0
    assert "0 of " in capsys.readouterr().out
