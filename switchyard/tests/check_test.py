# SPDX-License-Identifier: Apache-2.0
"""From a path to the tests that judge it, and what `switchyard check` says of them."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from switchyard import cli
from switchyard.run import build
from switchyard.tools import check

# What no test of ours can judge, or every one does.
BARE = re.compile(
    r"(.*/)?(LICENSE|\.gitignore)|\.clang-format|CITATION\.cff|rust-toolchain\.toml|machine/fuzz/.*"
    r"|docs/site/.*|bench/qemu-plugin/Makefile"
)


@pytest.fixture(scope="module")
def files() -> list[str]:
    listed = subprocess.run(
        ["git", "ls-files"], cwd=build.root(), capture_output=True, text=True, check=False
    )
    if listed.returncode != 0:
        pytest.skip("not a checkout")
    return [name for name in listed.stdout.splitlines() if (build.root() / name).exists()]


def test_every_file_has_a_judge(files: list[str]) -> None:
    assert [name for name in files if not check.of([name]) and not BARE.fullmatch(name)] == []


def test_tests_that_judge_exist(files: list[str]) -> None:
    guests = (build.root() / check.GUESTS).read_text()
    for judge in check.of(files):
        for word in judge.command:
            path, _, test = word.partition("::")
            if re.match(r"\w+/", path):
                assert (build.root() / path).exists(), f"{judge}: {path}"
            if test and path == check.GUESTS:
                assert f"def {test.partition('[')[0]}(" in guests


def commands(*names: str) -> str:
    return "\n".join(str(judge) for judge in check.of(names))


def test_a_device_has_its_unit_tests() -> None:
    for name in ("rtc.rs", "pl011_tests.rs", "smc91c111/phy.rs", "smc91c111/mod.rs"):
        module = re.sub(r"(_tests|/mod)?\.rs", "", name).replace("/", "::")
        assert f"--lib dev::{module}\n" in commands(f"machine/src/dev/{name}")


def test_a_scheme_is_booted_under_the_checker() -> None:
    said = commands("kernel/arch/arm/switch/fass/switch_impl.c")
    assert "test_no_stale_state_is_ever_used[fass]" in said
    assert "test_kernel_on_the_simulator[fass-]" in said
    assert "flush" not in said


def test_what_schemes_share_is_booted_under_each() -> None:
    said = commands("kernel/arch/arm/switch/common/own_directory.h")
    for scheme in build.SCHEMES:
        assert f"test_kernel_on_the_simulator[{scheme}-]" in said


def test_a_view_has_its_page() -> None:
    said = commands("switchyard/experiments/l4_ipc/text.md")
    assert "switchyard/tests/l4_ipc_test.py" in said
    assert "-m switchyard docs --check" in said


def test_files_of_one_kind_are_one_command() -> None:
    said = commands("switchyard/cli.py", "switchyard/errors.py")
    assert "ruff check switchyard/cli.py switchyard/errors.py\n" in said
    assert said.count("mypy") == 1


def rules(monkeypatch: pytest.MonkeyPatch, *codes: str) -> None:
    """Has README.md be judged by programs in Python."""
    table = [
        ("README.md", check.one(f"number {n}", sys.executable, "-c", code))
        for n, code in enumerate(codes)
    ]
    monkeypatch.setattr(check, "RULES", tuple(table))


def test_a_verdict(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    rules(monkeypatch, "print('quiet')", "print('[why]'); exit(3)", "print('not reached')")
    readme = str(build.root() / "README.md")
    assert cli.execute(["check", readme]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r"ok +\d+\.\d s  number 0: .*", lines[0])
    assert re.fullmatch(r"FAILED +\d+\.\d s  number 1: .*", lines[1])
    assert lines[2:] == ["[why]", "1 passed, 1 failed, 1 not run"]
    assert cli.execute(["check", readme, "--keep-going"]) == 1
    assert capsys.readouterr().out.endswith("\n2 passed, 1 failed\n")


def test_a_program_that_is_missing_has_failed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(check, "RULES", (("README.md", check.one("x", "no-such-program")),))
    assert cli.execute(["check", str(build.root() / "README.md")]) == 1
    assert "\nno-such-program: not found\n" in capsys.readouterr().out


def test_what_is_no_file_of_the_checkout(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for path in (tmp_path, tmp_path / "none", build.root() / "kernel" / "none.c"):
        assert cli.execute(["check", str(path)]) == 2
        said = capsys.readouterr().err
        assert re.fullmatch(r"switchyard: .*: expected a file or folder of .*\n", said)


def test_what_nothing_judges(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.execute(["check", str(build.root() / "LICENSE")]) == 2
    assert re.fullmatch(r"switchyard: LICENSE: no rule .*\n", capsys.readouterr().err)
