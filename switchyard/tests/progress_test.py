# SPDX-License-Identifier: Apache-2.0
"""Progress: what is being done, and how long it will still take."""

import io
import os
import time
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console

from switchyard.run import build
from switchyard.show import terminal
from switchyard.show.progress import Progress
from switchyard.show.terminal import duration
from switchyard.tools import bench
from switchyard.tools.bench import WORKLOADS, Speed


class Clock:
    """A clock that a test sets."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1000.0
        monkeypatch.setattr(time, "monotonic", lambda: self.now)


def job(name: str) -> Any:
    return SimpleNamespace(name=name)


@pytest.mark.parametrize("terminal", [False, True])
def test_what_was_kept_says_nothing_of_the_time_that_is_left(
    monkeypatch: pytest.MonkeyPatch, terminal: bool
) -> None:
    clock = Clock(monkeypatch)
    console = Console(file=io.StringIO(), force_terminal=terminal, width=80)
    progress = Progress(console, "x")
    progress.started(20, kept=10)
    for _ in range(10):
        clock.now += 0.01
        progress.tick("kept")
        assert progress._left() == ""
    for n in range(1, 10):
        clock.now += 60
        progress.tick("new")
        assert progress._left() == f"{10 - n} min left"
    progress.tick("new")
    assert progress._left() == ""


@pytest.mark.parametrize("width", [80, 50])
def test_a_terminal_shows_what_is_being_done(width: int) -> None:
    console = Console(file=io.StringIO(), force_terminal=True, width=width, color_system=None)
    with console.capture() as capture, Progress(console, "l4-ipc") as progress:
        progress.started(48)
        progress.doing([job("flush-01"), job("flush-[02]")])
        progress.finished(job("flush-01"))
        progress._bar.refresh()
    text = capture.get()
    assert "l4-ipc: flush-01" in text
    assert "1/48" in text


def test_a_log_shows_what_was_done(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    out = io.StringIO()
    with Progress(Console(file=out, width=80), "x") as progress:
        progress.started(4, kept=2)
        for name in ("a", "b", "c", "d"):
            clock.now += 90
            progress.finished(job(name))
    assert out.getvalue().splitlines() == [
        "x: 4 runs, 2 of them kept from before",
        "x: 1 of 4 runs done (a)",
        "x: 2 of 4 runs done (b)",
        "x: 3 of 4 runs done (c, 2 min left)",
        "x: 4 of 4 runs done (d)",
    ]


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.2, "1 s"), (59.4, "59 s"), (90, "2 min"), (3725, "1 h 2 min")]
)
def test_durations(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_what_others_take_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two processors for ten seconds: we took four seconds of theirs, others eight."""
    times = iter([1000.0, 1010.0])
    monkeypatch.setattr(time, "monotonic", lambda: next(times))
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    busy, own = iter([50.0, 62.0]), iter([3.0, 7.0])
    monkeypatch.setattr(bench, "_busy_seconds", lambda: next(busy))
    monkeypatch.setattr(bench, "_own_seconds", lambda: next(own))
    assert bench.Host().others() == pytest.approx(0.4)


@pytest.mark.parametrize("others", [0.0, 0.4])
def test_a_busy_computer_is_said(others: float) -> None:
    speed = Speed(
        WORKLOADS["compute"],
        cycles=10**8,
        instructions=10**7,
        seconds=(2.0, 1.0, 1.5),
        processor=(1.0, 0.9, 0.8),
        others=others,
    )
    console = Console(file=io.StringIO(), force_terminal=True, width=80, color_system=None)
    with console.capture() as capture:
        terminal.speeds(console, [speed])
    text = capture.get()
    assert f"{others:.0%}" in text
    assert "0.900" in text
    assert ("busy with other programs" in text) == (others > 0)
    table = text.split("The computer")[0]
    assert max(map(len, table.splitlines())) <= 80


def test_a_first_look_says_once_that_it_builds() -> None:
    out = io.StringIO()
    guests = [build.find("assabet-flush-test"), build.find("assabet-fass-test")]
    with Progress(Console(file=out, width=80), "x", brief=True) as progress:
        for guest in guests:
            progress.building(guest)
    assert out.getvalue() == "x: building what it runs\n"
