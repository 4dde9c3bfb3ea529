# SPDX-License-Identifier: Apache-2.0
"""The guest for the Versatile's devices on QEMU and on the machine: the two outputs."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from patience import SECONDS
from simulator import machine_binary

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
BUILD = ROOT / "build"
MACHINES = ("versatilepb", "s3c24a0", "omap1610")


@pytest.fixture(scope="module")
def guest() -> Path:
    environment = dict(os.environ)
    environment.setdefault("CC", f"{sys.executable} -m ziglang cc")
    subprocess.run(["make", "-s", "-C", HERE, f"BUILD={BUILD}"], check=True, env=environment)
    return BUILD / "guests" / "test-versatile.elf"


def output(command: list[str]) -> list[str]:
    """What the guest printed; its last line but one says that it came to its end."""
    environment = {**os.environ, "QEMU_AUDIO_DRV": "none"}
    result = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        env=environment,
        check=False,
    )
    lines = result.stdout.splitlines()
    assert result.returncode == 0, f"{result.stderr}\nlast line: {lines[-1:]}"
    assert "END" in lines, f"the guest stopped after: {lines[-1:]}"
    return lines


@pytest.fixture(scope="module")
def on_qemu(guest: Path) -> list[str]:
    qemu = shutil.which("qemu-system-arm")
    if qemu is None:
        pytest.skip("qemu-system-arm is not installed")
    command = [qemu, "-M", "versatilepb", "-display", "none", "-monitor", "none", "-no-reboot"]
    # Its time is the instructions', not the host's: timers must not run on while that is busy.
    command += ["-icount", "shift=5,sleep=off"]
    return output([*command, "-serial", "stdio", "-kernel", str(guest)])


@pytest.mark.guests
@pytest.mark.qemu
@pytest.mark.parametrize("machine", MACHINES)
def test_every_line_agrees(guest: Path, on_qemu: list[str], machine: str) -> None:
    command = [machine_binary(), "boot", "--machine", machine, "--kernel", str(guest)]
    ours = output([*command, "--max-cycles", "4000000000"])
    wrong = [
        f"line {i}: machine {a!r}, QEMU {b!r}"
        for i, (a, b) in enumerate(zip(ours, on_qemu, strict=False), 1)
        if a != b
    ]
    assert not wrong, "\n".join(wrong[:20])
    assert len(ours) == len(on_qemu) > 400


@pytest.mark.guests
@pytest.mark.qemu
def test_the_guest_did_what_it_says(on_qemu: list[str]) -> None:
    """The lines that matter most, against the manuals instead of another machine."""
    for line in (
        "24 MHz counts: 00000001",
        "fires: 00000001",
        "rtc rings: 00000001",
        "later is more urgent: 00001000",
        "by the timer: 00000001",
        "enabled: 80000000",
        "passed: 00400000",
        "second source: 00000001",
        "unlocked: 0000a05f",
    ):
        assert line in on_qemu, line
