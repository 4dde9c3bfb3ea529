# SPDX-License-Identifier: Apache-2.0
"""What a command does not load: by what is imported, as times depend on the computer."""

import json
import subprocess
import sys
from base64 import b64decode
from dataclasses import replace
from pathlib import Path

import pytest

from switchyard.run import store
from switchyard.show import drawings, plot, report
from switchyard.tests.figure_test import LINES

# What takes long to import, or is not there without an extra.
HEAVY = ("altair", "distributed", "jinja2", "polars", "rich", "vl_convert", "ziglang")
EXTRAS = {"distributed", "polars", "ziglang"}


def loaded(code: str) -> set[str]:
    """Which of these modules a new Python has after `code`."""
    tell = f"import sys; print([m for m in {HEAVY!r} if m in sys.modules], file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\n{tell}"], capture_output=True, text=True, check=True
    )
    told = done.stderr.splitlines()[-1]
    return {name for name in HEAVY if repr(name) in told}


def test_the_version_loads_nothing_and_listings_little() -> None:
    command = "from switchyard import cli; cli.execute(['{}'])"
    assert loaded(command.format("--version")) == set()
    assert loaded(command.format("--help")) == set()
    assert loaded(command.format("experiments")) == {"rich"}


def test_a_run_needs_no_extra() -> None:
    assert (
        loaded("import switchyard.run.runner, switchyard.show.plot, switchyard.show.report")
        & EXTRAS
        == set()
    )


def test_a_run_draws_only_what_is_new() -> None:
    assert loaded("import switchyard.run.runner, switchyard.show.terminal") == {"jinja2", "rich"}


def test_a_figure_is_drawn_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(store.OVERRIDE, str(tmp_path / "store"))
    first = list(drawings.pictures(LINES, tmp_path / "a").values())

    def drawn_again(*_arguments: object) -> None:
        raise AssertionError("drawn once more")

    monkeypatch.setattr(plot, "pictures", drawn_again)
    again = drawings.pictures(LINES, tmp_path / "b")
    assert [path.name for path in again] == ["b.svg", "b.png"]
    assert list(again.values()) == first
    with pytest.raises(AssertionError):
        drawings.pictures(replace(LINES, title="Another title"), tmp_path / "c")


def test_a_report_shows_what_was_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(store.OVERRIDE, str(tmp_path / "store"))
    (picture, _) = drawings.pictures(LINES, tmp_path / "a").values()
    page = plot.spec(LINES, page=True)
    assert drawings.on_page(LINES) == json.loads(json.dumps(page))

    def drawn_again(*_arguments: object, **_more: object) -> None:
        raise AssertionError("drawn once more")

    monkeypatch.setattr(plot, "spec", drawn_again)
    shown = report.drawing("a", LINES, LINES.title)
    assert shown.spec == drawings.on_page(LINES)
    assert b64decode(shown.picture.partition(",")[2]) == picture
    with pytest.raises(AssertionError):
        report.drawing("a", replace(LINES, title="Another title"), LINES.title)


@pytest.mark.parametrize(
    ("module", "arguments", "said"),
    [
        ("polars", ["sweep", "l4-ipc", "--grid", "clients=1"], "switchyard[sweep]"),
        (
            "distributed",
            ["sweep", "l4-ipc", "--grid", "clients=1", "--scheduler", "tcp://localhost:1"],
            "switchyard[sweep]",
        ),
        ("ziglang", ["build", "assabet-flush-test"], "switchyard[build]"),
    ],
)
def test_an_extra_that_is_missing_is_one_line(module: str, arguments: list[str], said: str) -> None:
    code = (
        f"import sys; sys.modules[{module!r}] = None; "
        f"from switchyard import cli; sys.exit(cli.execute({arguments!r}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert f"needs {module}; expected it installed: pip install '{said}'" in done.stderr
