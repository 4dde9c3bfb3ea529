# SPDX-License-Identifier: Apache-2.0
"""`switchyard demo`: what the guest says is read, drawn, and comes from two machines in step."""

import errno
import os
import re
import subprocess
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from switchyard.cli import execute
from switchyard.errors import RunError
from switchyard.run import machine
from switchyard.tools import demo, demo_show
from switchyard.tools.demo import Step

LINE = (
    "turns: step=3 processes=4 kb=2 rounds=30 switches=120 cycles=20000000 fills=12000000 "
    "walks=2000000 buffer=1000000 idle=1000000 flushes=121"
)


def step(**changed: int) -> Step:
    values = {field.name: 0 for field in fields(Step)}
    return Step(**{**values, "step": 3, "cycles": 20_000_000, "processes": 4, **changed})


def test_a_step_is_read_and_other_lines_are_not() -> None:
    read = Step.read(LINE)
    assert read is not None
    assert (read.rounds, read.switches, read.flushes, read.busy) == (30, 120, 121, 4_000_000)
    assert Step.read("init: user space after 250 ms") is None
    assert Step.read(LINE.replace(" walks=2000000", "")) is None


def test_what_a_switch_takes_leaves_idle_time_out() -> None:
    assert demo_show.switch_us(step(switches=100)) == 1000
    assert demo_show.switch_us(step(switches=100, idle=15_000_000)) == 250
    assert demo_show.switch_us(step(switches=0)) > 0


@pytest.mark.parametrize("width", [80, 100])
def test_the_screen_fits(width: int) -> None:
    console = Console(width=width, record=True, force_terminal=False)
    both = step(rounds=10, switches=40, fills=15_000_000), step(rounds=25, switches=100)
    console.print(demo_show.screen(both))
    text = console.export_text()
    assert "2.5 times as fast" in text
    assert re.search(r"computing +25% .* computing +100% ", text)
    assert "…" not in text
    assert all(len(line) <= width for line in text.splitlines())


def test_a_machine_that_has_no_two_kernels(capsys: pytest.CaptureFixture[str]) -> None:
    assert execute(["demo", "--machine", "omap1610"]) == 2
    said = capsys.readouterr().err
    assert said == "switchyard: --machine omap1610: expected sa1110 or versatilepb\n"


def test_the_first_machine_ends_if_the_second_does_not_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "machine"
    program.write_text("#!/bin/sh\nexec sleep 60\n")
    program.chmod(0o755)
    monkeypatch.setenv(machine.OVERRIDE, str(program))
    begun: list[subprocess.Popen[str]] = []
    begin = subprocess.Popen

    def once(*arguments: Any, **options: Any) -> subprocess.Popen[str]:
        if begun:
            raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))
        begun.append(begin(*arguments, **options))
        return begun[0]

    monkeypatch.setattr(subprocess, "Popen", once)
    expected = f"linux-sa1110-fass: cannot be started: {os.strerror(errno.EAGAIN)}"
    with pytest.raises(RunError, match=expected), demo.running(demo.kernels("sa1110"), ""):
        pass
    assert begun[0].poll() is not None


@pytest.mark.linux
@pytest.mark.parametrize("name", list(demo.MACHINES))
def test_the_fast_kernel_is_faster(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert execute(["demo", "--machine", name, "--steps", "2"]) == 0
    lines = capfd.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["0.1", "0.2"]
    for line in lines:
        match = re.search(r"([0-9.]+) times$", line)
        assert match is not None
        assert float(match[1]) > 1.5
