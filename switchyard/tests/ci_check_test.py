# SPDX-License-Identifier: Apache-2.0
"""The runner of all suites: what is begun early runs beside the others and counts like them."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from switchyard.run import build
from switchyard.tests.patience import SECONDS

FILE = Path(__file__).parents[2] / ".ci" / "check.py"


@pytest.fixture
def check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    spec = importlib.util.spec_from_file_location("check", FILE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "check", module)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "LOGS", tmp_path / "logs")
    return module


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


@pytest.mark.parametrize("begins", ["first", "after setup"])
@pytest.mark.parametrize("status", [0, 3])
def test_what_is_begun_early_runs_beside_the_others(
    check: ModuleType,
    status: int,
    begins: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    # each waits for the other: one after the other, neither would end
    here, there = tmp_path / "here", tmp_path / "there"
    meet = (
        "import pathlib, sys, time; pathlib.Path({!r}).touch()\n"
        f"end = time.monotonic() + {SECONDS}\n"
        "while not pathlib.Path({!r}).exists():\n"
        "    assert time.monotonic() < end; time.sleep(0.01)\n"
        "print('met'); sys.exit({})"
    )
    suites = [
        check.Suite("setup", python("pass"), ("all",), vital=True),
        check.Suite("first", python(meet.format(str(here), str(there), 0)), ("all",)),
        check.Suite("not asked for", python("1 / 0"), ("quick",), begins="first"),
        check.Suite(
            "images", python(meet.format(str(there), str(here), status)), ("all",), begins=begins
        ),
    ]
    monkeypatch.setattr(check, "suites", lambda: suites)
    assert check.main(["all"]) == (1 if status else 0)
    said = capsys.readouterr().out
    assert said.index("== first") < said.index("== images")
    assert said.count("met\n") == 2
    assert (tmp_path / "logs" / "images.log").read_text() == "met\n"
    assert said.endswith("2 passed, 1 failed\n" if status else "3 passed, 0 failed\n")


def test_nothing_follows_what_all_need_where_it_failed(
    check: ModuleType,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    suites = [
        check.Suite("setup", python("raise SystemExit(2)"), ("all",), vital=True),
        check.Suite("tests", python("print('came here')"), ("all",)),
        check.Suite("cargo", python("print('came here')"), ("all",), begins="after setup"),
    ]
    monkeypatch.setattr(check, "suites", lambda: suites)
    assert check.main(["all"]) == 1
    said = capsys.readouterr().out
    assert "came here" not in said
    assert not (tmp_path / "logs" / "cargo.log").exists()
    assert said.endswith("0 passed, 1 failed\n")


def test_what_is_missing_for_a_suite_is_told(
    check: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    suites = [check.Suite("linux", python("1 / 0"), ("all", "ci"), needs="linux", begins="first")]
    monkeypatch.setattr(check, "suites", lambda: suites)
    monkeypatch.setenv("PATH", "/nowhere")  # not even make is found
    assert check.main(["all"]) == 0  # left out
    assert "make: " in capsys.readouterr().out
    assert check.main(["ci"]) == 1


def test_a_build_elsewhere_does_not_keep_others_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Linux takes minutes, under locks of its own."""
    monkeypatch.setattr(build, "root", lambda: tmp_path)
    with (
        build.only_builder(tmp_path / "build" / "linux") as lock,
        build.only_builder(tmp_path / "build"),
    ):
        build.make("a kernel", ["true"], [], lock)
