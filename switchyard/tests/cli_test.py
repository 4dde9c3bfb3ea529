# SPDX-License-Identifier: Apache-2.0
"""The command line: exit statuses, one line for what is wrong, files where they were asked for."""

import dataclasses
import errno
import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import typer

from switchyard import cli, helps
from switchyard.data import records
from switchyard.experiments.l4_ipc.measure import L4Ipc
from switchyard.run import build, build_linux, machine
from switchyard.run.experiment import Job, Settings
from switchyard.tools import doctor

ROOT = Path(__file__).resolve().parents[2]


def one_line(capsys: pytest.CaptureFixture[str]) -> str:
    """What was said on standard error: exactly one line, no traceback."""
    said = capsys.readouterr().err
    assert said.endswith("\n")
    assert said.count("\n") == 1, said
    assert "Traceback" not in said
    return said


@pytest.mark.usefixtures("fake_machine")
@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["nonsense"], "nonsense"),
        (["run"], "NAME"),
        (["run", "l4-ipd"], "l4-ipc"),
        (["run", "l4-ipc", "--jobs", "0"], "--jobs"),
        (["run", "l4-ipc", "--jobs", "many"], "--jobs"),
        (["run", "l4-ipc", "--slow"], "--slow"),
        (["run", "l4-ipc", "--out", "FILE"], "FILE"),
        (["run", "l4-ipc", "--out", "FILE/below"], "Not a directory"),
        (["run", "l4-ipc", "--json", "FILE/below"], "can be written"),
        (["bench", "--repeats", "0"], "--repeats"),
        (["bench", "make-tea"], "linux-boot"),
        (["bench", "--json", "FILE/below"], "can be written"),
        (["build", "linux-on-a-toaster"], "assabet-fass-bench-ipc"),
        (["boot"], "--kernel"),
        (["boot", "--kernel", "k", "--max-cycles", "-1"], "--max-cycles"),
    ],
)
def test_bad_usage_is_one_line(
    arguments: list[str], named: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "FILE"
    file.write_text("")
    given = [word.replace("FILE", str(file)) for word in arguments]
    assert cli.execute(given) == 2
    said = one_line(capsys)
    assert said.startswith("switchyard: ")
    assert named.replace("FILE", str(file)) in said
    assert "expected" in said


NUMBERS = [
    (name, parameter)
    for name, command in typer.main.get_command(cli.app).commands.items()  # type: ignore[attr-defined]
    for parameter in command.params
    if parameter.metavar == "N"
]


@pytest.mark.parametrize("value", ["9" * 25, "-1", "many", "1.5", ""])
@pytest.mark.parametrize(
    ("command", "parameter"), NUMBERS, ids=[f"{name}-{each.name}" for name, each in NUMBERS]
)
def test_a_wrong_number_is_told_its_option_and_range(
    command: str, parameter: Any, value: str, capsys: pytest.CaptureFixture[str]
) -> None:
    option = max(parameter.opts, key=len)
    given = [command, f"{option}={value}"]
    assert cli.execute(given) == 2
    least, most = helps.between(parameter)
    range_ = f"a whole number from {least} to {most}"
    assert one_line(capsys) == f"switchyard: {option} {value}: expected {range_}\n"


@pytest.mark.usefixtures("fake_machine")
def test_a_sweep_without_a_grid_is_told_what_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.execute(["sweep", "l4-ipc"]) == 2
    said = one_line(capsys)
    assert said.startswith("switchyard: --grid: missing; expected KEY=VALUE,VALUE,... or ")
    for key in ("clients", "scheme", "dcache.size-bytes"):
        assert f", {key}" in said or f" {key}," in said


def test_nothing_asked_for_shows_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.execute([]) == 2
    assert "Commands:" in capsys.readouterr().err


@pytest.mark.usefixtures("fake_machine")
def test_listings(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.execute(["machines"]) == 0
    assert cli.execute(["experiments"]) == 0
    assert cli.execute(["build", "--list"]) == 0
    said = capsys.readouterr().out
    for word in ("sa1110", "a stand-in", "l4-ipc", "Fig. 5", "assabet-flush-test"):
        assert word in said


@pytest.mark.usefixtures("fake_machine")
def test_run_shows_tables_and_writes_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("switchyard.experiments.l4_ipc.measure.QUICK_ROUNDS", 30)
    monkeypatch.setattr("switchyard.experiments.repeats.RUNS", 1)
    out, copy = tmp_path / "out", tmp_path / "copy.json"
    given = ["run", "l4-ipc", "--quick", "--out", str(out), "--json", str(copy), "--jobs", "3"]
    assert cli.execute(given) == 0
    said = capsys.readouterr().out
    assert "flush/fass" in said
    assert str(out / "l4-ipc.svg") in said
    assert copy.read_bytes() == (out / "l4-ipc.json").read_bytes()


@pytest.mark.usefixtures("fake_machine")
def test_a_guest_that_dies_fails_the_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs = L4Ipc.jobs

    def one_dies(self: L4Ipc, settings: Settings) -> list[Job]:
        listed = jobs(self, settings)
        listed[7] = dataclasses.replace(
            listed[7], guest=build.Guest("assabet", "flush", "dies", "")
        )
        return listed

    monkeypatch.setattr(L4Ipc, "jobs", one_dies)
    assert cli.execute(["run", "l4-ipc", "--quick", "--out", str(tmp_path)]) == 1
    said = capsys.readouterr().err
    assert "assabet-flush-dies.elf on sa1110: the guest failed" in said
    assert "console line 39" in said
    assert "Traceback" not in said


@pytest.mark.usefixtures("fake_machine")
def test_bench_reports_rates(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "bench.json"
    names = ["boot", "l4-ipc-flush", "l4-ipc-fass", "compute"]  # Linux takes minutes to build
    assert cli.execute(["bench", *names, "--repeats", "3", "--json", str(path)]) == 0
    rates = records.load(path)
    assert {r.metric for r in rates} == {"cycles_per_second", "instructions_per_second"}
    compute = [r for r in rates if r.parameters == {"workload": "compute"}]
    # the stand-in's million cycles in its hundredth of a second
    assert compute[0].value == pytest.approx(1e8)
    assert compute[1].value == pytest.approx(0.5e8)
    assert {"boot", "compute"} <= {str(r.parameters["workload"]) for r in rates}
    assert "Mcycles/s" in capsys.readouterr().out


def test_boot_is_the_simulators_own(fake_machine: Path) -> None:
    command = [sys.executable, "-m", "switchyard", "boot", "--kernel"]
    good = subprocess.run(
        [*command, "k.elf"], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert (good.returncode, good.stdout) == (0, "hello from the guest\n")
    for kernel, status in (("dies", 1), ("refused", 2)):
        bad = subprocess.run([*command, kernel], capture_output=True, cwd=ROOT, check=False)
        assert bad.returncode == status
    assert fake_machine.exists()


def test_boot_hands_the_console_over(monkeypatch: pytest.MonkeyPatch) -> None:
    handed: list[list[str]] = []
    monkeypatch.setattr("switchyard.run.machine.hand_over", handed.append)
    cli.execute(["boot", "--kernel", "k.elf", "--console", "3", "--input", "keys"])
    (arguments,) = handed
    assert arguments[-4:] == ["--console", "3", "--input", "keys"]


def test_doctor_names_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert cli.execute(["doctor"]) == 1
    said = capsys.readouterr().out
    assert "qemu-system-arm" in said
    assert "apt-get install" in said


@pytest.mark.parametrize(("optional", "status"), [(True, 0), (False, 1)])
def test_doctor_fails_for_what_is_needed_only(
    optional: bool, status: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lacking = replace(doctor.bochs(), found="", fault="not found", optional=optional)
    monkeypatch.setattr(doctor, "findings", lambda _purpose: [lacking])
    assert cli.execute(["doctor"]) == status
    assert doctor.main([]) == status
    said = capsys.readouterr()
    assert "bochs" in said.out
    assert "bochs: not found" in said.err


def test_doctor_says_what_it_is_ready_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """All that a person needs is there: what only tests or Linux need is optional."""
    there = replace(doctor.bochs(), name="Rust", found="1.95.0", fault="", optional=False)
    lacking = {
        "test": replace(there, name="spin", found="", fault="not found"),
        "linux": replace(there, name="flex", found="", fault="not found"),
    }
    monkeypatch.setattr(
        doctor, "findings", lambda of: [there, *([lacking[of]] if of in lacking else [])]
    )
    assert cli.execute(["doctor"]) == 0
    said = capsys.readouterr().out
    assert re.search(r"^spin +- \(optional\) ", said, re.M)
    assert said.splitlines()[-4:] == [
        "ready to build and run",
        "not ready for make test: no spin",
        "not ready for Linux on the machines: no flex",
        "ready for make test-long",
    ]
    for purpose, status in (("setup", 0), ("test", 1), ("linux", 1), ("long", 0)):
        assert cli.execute(["doctor", purpose]) == status
        last = capsys.readouterr().out.splitlines()[-1]
        assert last.startswith("ready" if status == 0 else "not ready")
    assert cli.execute(["doctor", "--json"]) == 0
    whole = json.loads(capsys.readouterr().out)
    assert [(need["name"], need["optional"]) for need in whole] == [
        ("Rust", False), ("spin", True), ("flex", True)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "package", "said"),
    [
        ('ID=debian\nVERSION_ID="12"\n', True, "bookworm-security main"),
        ('NAME="Debian"\nVERSION_ID="13"\nID=debian\n', True, "apt-get install linux-source-6.12"),
        ('ID=ubuntu\nVERSION_ID="24.04"\n', False, "Ubuntu has no such package"),
        ("", False, "packages.debian.org"),
    ],
)
def test_doctor_knows_where_linux_comes_from(
    text: str, package: bool, said: str, tmp_path: Path
) -> None:
    (tmp_path / "os-release").write_text(text)
    packages, command = doctor.sources_from(*doctor.release(tmp_path / "os-release"))
    assert bool(packages) == package
    assert said in command
    assert doctor.release(tmp_path / "none") == ("", "")


def test_a_wheel_needs_neither_compiler_nor_tests(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(doctor, "ROOT", tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    for purpose in ("setup", "test"):
        assert [need.name for need in doctor.findings(purpose)] == ["Python", "make"]
        assert not any(need.missing for need in doctor.findings(purpose))
    names = {need.name for need in doctor.findings("linux") if need.missing}
    assert {"C compiler", "make", "arm-linux-gnueabi-gcc", "flex"} <= names
    assert not names & {"Rust", "qemu-system-arm"}


def test_the_readme_names_the_compiler_that_is_needed() -> None:
    assert f"Rust {doctor._rust_version()} or newer" in (ROOT / "README.md").read_text("utf-8")


def test_make_is_told_in_one_line_each() -> None:
    done = subprocess.run(
        [sys.executable, "-I", str(ROOT / "switchyard" / "tools" / "doctor.py"), "test"],
        env={"PATH": "/nonexistent"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    lines = done.stderr.splitlines()
    assert any(line.startswith("Rust: not found") for line in lines)
    assert all("install it with: " in line for line in lines)


def test_commands_in_the_documents_exist() -> None:
    """Every `switchyard x` and `make x` of README and docs is one that there is."""
    told = subprocess.run(
        [sys.executable, "-m", "switchyard", "--help"], capture_output=True, text=True, check=True
    ).stdout
    commands = set(re.findall(r"^  ([a-z-]+)  ", told, re.MULTILINE))
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    documents = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")]
    for document in documents:
        text = document.read_text()
        for command in re.findall(r"^(?:\.venv/bin/)?switchyard ([a-z-]+)", text, re.MULTILINE):
            assert command in commands, f"{document.name}: switchyard {command}"
        for target in re.findall(r"`make ([a-z-]+)`|^make ([a-z-]+)$", text, re.MULTILINE):
            assert "".join(target) in targets, f"{document.name}: make {''.join(target)}"


def test_links_in_the_documents_lead_somewhere() -> None:
    for document in [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]:
        for link in re.findall(r"\]\(([^)#]+)[^)]*\)", document.read_text(encoding="utf-8")):
            if "://" not in link:
                assert (document.parent / link).exists(), f"{document.name}: {link}"


def test_json_of_machines_must_be_a_list(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = tmp_path / "m"
    program.write_text(f"#!/bin/sh\necho '{json.dumps({})}'\n")
    program.chmod(0o755)
    monkeypatch.setenv(machine.OVERRIDE, str(program))
    assert cli.execute(["machines"]) == 1
    assert "expected a list" in one_line(capsys)


def test_every_linux_can_be_found(capsys: pytest.CaptureFixture[str]) -> None:
    """In the list, and among what a wrong name should have been."""
    assert cli.execute(["build", "--list"]) == 0
    listed = capsys.readouterr().out
    assert cli.execute(["build", "linux-none"]) == 2
    said = capsys.readouterr().err
    for system in build_linux.every():
        assert f"{system.name} " in listed
        assert system.name in said


PROGRAM = [sys.executable, "-m", "switchyard"]


@pytest.mark.usefixtures("fake_machine")
@pytest.mark.parametrize("arguments", [["experiments"], ["machines"], ["--version"], ["--help"]])
def test_a_full_output_is_one_line_and_a_failure(arguments: list[str]) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*PROGRAM, *arguments], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 1
    assert done.stderr == "switchyard: output: No space left on device\n"


def test_outputs_that_are_closed_or_narrow_are_no_traceback(tmp_path: Path) -> None:
    closed = subprocess.run(
        ["sh", "-c", '"$0" -m switchyard experiments >&- 2>&- <&-', sys.executable], check=False
    )
    assert closed.returncode == 0
    narrow = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run([*PROGRAM, "experiments"], env=narrow, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    # bytes that are no text, and what rich takes for the end of a style
    os.mkdir(os.fsencode(tmp_path) + b"/\xff[")
    file = os.fsencode(tmp_path) + b"/\xff[/x].json"
    named = subprocess.run([*PROGRAM, "report", file], capture_output=True, check=False)
    assert named.returncode == 2
    assert named.stderr.count(b"\n") == 1
    assert b"expected a record file" in named.stderr
    Path(os.fsdecode(file)).write_text("[]")
    page = os.fsencode(tmp_path) + b"/\xff[/x].html"
    done = subprocess.run(
        [*PROGRAM, "report", file, "--out", page], capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"[/x].html" in done.stdout
    assert os.path.exists(page)


def test_a_checkout_that_cannot_be_built_in_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "build").touch()
    monkeypatch.setattr(build, "root", lambda: tmp_path)
    assert cli.execute(["build", "assabet-flush-test"]) == 2
    assert "expected a folder that can be built in\n" in one_line(capsys)


@pytest.mark.usefixtures("fake_machine")
def test_no_room_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(_from: Path, to: Path) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(to))

    monkeypatch.setattr("shutil.copy", full)
    assert cli.execute(["run", "l4-ipc", "--quick", "--out", str(tmp_path / "out")]) == 1
    assert capsys.readouterr().err.splitlines()[-1].endswith(": No space left on device")


def test_a_place_for_records_keeps_what_it_has_until_there_are_new_ones(
    fake_machine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert fake_machine.exists()
    file = tmp_path / "records.json"
    file.write_text("of before")
    monkeypatch.setenv("FAKE_MACHINE_DEATH", "clients")
    given = ["run", "l4-ipc", "--quick", "--out", str(tmp_path / "out"), "--json", str(file)]
    assert cli.execute(given) == 1
    assert file.read_text() == "of before"


@pytest.mark.usefixtures("fake_machine")
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "name: found null; expected a string"),
        ('name = "../../x"\n', "processor.core: found null"),
        ('name = "../../x"\nprocessor = {core = "sa1110"}\n', "dcache.size-bytes"),
        ("a = " + "1" * 5000, "expected a machine file"),
        ("a = " + "[" * 50_000, "expected a machine file"),
    ],
)
def test_a_machine_file_of_anything_is_one_line(
    text: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(text)
    given = ["sweep", "l4-ipc", "--grid", "clients=1", "--quick", "--machine", str(file)]
    assert cli.execute([*given, "--out", str(tmp_path / "out")]) == 2
    assert said in one_line(capsys)


@pytest.mark.parametrize("value", ["9" * 5000, "1.." + "9" * 5000])
def test_a_grid_of_huge_numbers_is_one_line(value: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.execute(["sweep", "l4-ipc", "--grid", f"clients={value}"]) == 2
    assert "at most 18 digits" in one_line(capsys)


@pytest.mark.usefixtures("fake_machine")
@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        (["run", "l4-icp"], "l4-ipc"),
        (["build", "assabet-flush-tests"], "assabet-flush-test"),
        (["bench", "linux-bot"], "linux-boot"),
        (["sweep", "l4-ipc", "--grid", "clients=1", "--machine", "sa1100"], "sa1110"),
    ],
)
def test_a_name_that_is_nearly_right_is_guessed(
    arguments: list[str], meant: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = ["--out", str(tmp_path)] if arguments[0] in ("run", "sweep") else []
    assert cli.execute([*arguments, *out]) == 2
    assert f"did you mean {meant}? expected one of " in one_line(capsys)


@pytest.mark.parametrize("short", ["-h", "-V"])
def test_short_options_are_the_long_ones(short: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.execute([{"-h": "--help", "-V": "--version"}[short]]) == 0
    long = capsys.readouterr().out
    assert cli.execute([short]) == 0
    assert capsys.readouterr().out == long
    if short == "-h":
        assert cli.execute(["run", "-h"]) == 0
        assert "--quick" in capsys.readouterr().out


def test_the_demo_says_what_to_do_next() -> None:
    """Each command that it names is one, and each file is there."""
    done = subprocess.run(
        ["make", "-n", "-o", "setup", "demo"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    told = done.stdout.partition('echo "Next:"')[2]
    commands = re.findall(r"^echo \"  switchyard ([a-z-]+)", told, re.MULTILINE)
    assert commands
    for command in commands:
        assert cli.execute([command, "--help"]) == 0
    assert [name for name in re.findall(r"docs/\S+", told) if not (ROOT / name).exists()] == []
    assert "activate" in told


def test_the_citation_is_of_this_version() -> None:
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    version = re.search(r'^version = "(.*)"', (ROOT / "machine/Cargo.toml").read_text(), re.M)
    assert version is not None
    assert f"\nversion: {version[1]}\n" in text
    for word in ("cff-version: 1.2.0", "message:", "title:", "authors:"):
        assert word in text
