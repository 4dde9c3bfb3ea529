# SPDX-License-Identifier: Apache-2.0
"""A machine under gdb-multiarch, for tests: a script of GDB's commands, and what came of it."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from patience import SECONDS
from simulator import machine_binary

ROOT = Path(__file__).resolve().parents[3]
IMAGE = ROOT / "build" / "guests" / "assabet-fass-test.elf"
PROGRAM = ROOT / "build" / "user" / "assabet" / "test.elf"
# Both the kernel's start and one of its tests: some 7 million cycles.
RUN = ["boot", "--machine", "sa1110", "--kernel", str(IMAGE), "--append", "only=thread_kip"]


def debugger() -> str:
    program = shutil.which("gdb-multiarch")
    if program is None:
        pytest.fail("gdb-multiarch: not found; install it with: apt-get install gdb-multiarch")
    return program


@contextmanager
def waiting(
    *options: str, run: list[str] | None = None, address: str = ":0"
) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A machine that waits for a debugger, and at which port."""
    if not IMAGE.exists() or not PROGRAM.exists():
        pytest.fail(f"{IMAGE} is missing; `switchyard build` builds it")
    process = subprocess.Popen(
        [machine_binary(), *(run or RUN), "--gdb", address, *options],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process, port_said_by(process)
    finally:
        process.kill()
        process.communicate()


def port_said_by(process: subprocess.Popen[str]) -> int:
    assert process.stderr is not None
    said = process.stderr.readline()
    port = re.search(r"waiting for a debugger at [\d.]+:(\d+)$", said)
    assert port, said
    return int(port[1])


@dataclass
class Session:
    """What a debugger has shown, and how the machine ended."""

    said: str
    console: str
    status: int
    # the lines of the script's printf, NAME=VALUE
    shown: dict[str, list[int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, value in re.findall(r"^(\w+)=([0-9a-f]+)$", self.said, re.M):
            self.shown.setdefault(name, []).append(int(value, 16))


def debug(
    script: str,
    *options: str,
    symbols: Path | None = IMAGE,
    run: list[str] | None = None,
) -> Session:
    """Runs a script of the debugger's commands, and the machine to its end."""
    commands = ["set pagination off", "set confirm off"]
    if run is None:
        commands.append("set architecture armv4")
    arguments = [debugger(), "-nx", "--batch"]
    with waiting(*options, run=run) as (process, port):
        for command in [*commands, f"target remote :{port}", *script.strip().splitlines()]:
            arguments += ["-ex", command]
        done = subprocess.run(
            [*arguments, *([str(symbols)] if symbols else [])],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        console, _ = process.communicate(timeout=SECONDS)
    return Session(done.stdout, console, process.returncode)


def show(*registers: str) -> str:
    return "\n".join(f'printf "{name}=%x\\n", (unsigned)${name}' for name in registers)
