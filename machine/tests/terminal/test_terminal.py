# SPDX-License-Identifier: Apache-2.0
"""The console on a terminal: keys one by one, Ctrl-A for the simulator, and the terminal as it was
afterwards, however the run ended. Each run has a pseudo-terminal as its controlling one."""

from __future__ import annotations

import os
import pty
import select
import signal
import struct
import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from simulator import machine_binary
from terminal import SECONDS, Terminal

ROOT = Path(__file__).resolve().parents[3]

pytestmark = pytest.mark.guests

# Serial port 1 of the SA-1110: echoes each character, looking for the next all the time ...
POLLING = (
    0xE3A04102,  # mov r4, #0x80000000
    0xE3844801,  # orr r4, r4, #0x10000
    0xE3A00003,  # mov r0, #RXE | TXE
    0xE584000C,  # str r0, [r4, #UTCR3]
    0xE5941020,  # again: ldr r1, [r4, #UTSR1]
    0xE3110002,  # tst r1, #RNE
    0x0AFFFFFC,  # beq again
    0xE5940014,  # ldr r0, [r4, #UTDR]
    0xE5840014,  # str r0, [r4, #UTDR]
    0xEAFFFFF9,  # b again
)
# ... or asleep until one comes: nothing but a key can wake this machine.
WAITING = (
    0xE3A04102,  # mov r4, #0x80000000
    0xE3844801,  # orr r4, r4, #0x10000
    0xE3A0000B,  # mov r0, #RXE | TXE | RIE
    0xE584000C,  # str r0, [r4, #UTCR3]
    0xE3A02004,  # mov r2, #RID
    0xE5941020,  # again: ldr r1, [r4, #UTSR1]
    0xE3110002,  # tst r1, #RNE
    0x15940014,  # ldrne r0, [r4, #UTDR]
    0x15840014,  # strne r0, [r4, #UTDR]
    0x1AFFFFFA,  # bne again
    0xE584201C,  # str r2, [r4, #UTSR0]
    0xEE0F0F58,  # mcr p15, 0, r0, c15, c8, 2: wait for interrupt
    0xEAFFFFF7,  # b again
)
ENDING = (0xE3A01205, 0xE3A00000, 0xE5810010, 0xEAFFFFFE)  # exits with 0 through the probe


@contextmanager
def booted(
    folder: Path, image: tuple[int, ...], *options: str, wrapped: bool = False
) -> Iterator[Terminal]:
    """A machine of this image on a terminal of its own, by itself or under `switchyard boot`."""
    kernel = folder / "kernel.bin"
    kernel.write_bytes(struct.pack(f"<{len(image)}I", *image))
    program = [sys.executable, "-m", "switchyard"] if wrapped else [machine_binary()]
    os.environ["SWITCHYARD_MACHINE"] = machine_binary()
    terminal = Terminal(
        [*program, "boot", "--machine", "sa1110", "--kernel", str(kernel), *options]
    )
    try:
        yield terminal
    finally:
        terminal.close()


HINT = b"keys go to the guest; Ctrl-A x leaves, "
LEFT = b"switchyard-machine: left by Ctrl-A x after "


@pytest.mark.parametrize("image", [POLLING, WAITING], ids=["polling", "waiting"])
@pytest.mark.parametrize("wrapped", [False, True], ids=["itself", "switchyard"])
def test_keys_reach_the_guest_one_by_one(
    tmp_path: Path, image: tuple[int, ...], wrapped: bool
) -> None:
    with booted(tmp_path, image, wrapped=wrapped) as terminal:
        terminal.expect(HINT)
        terminal.expect(b"\r\n")
        assert terminal.raw()
        for key in (b"a", b"\x03", b"\x1a", b"\x04", b"\r"):
            terminal.type(key)
            terminal.expect(key)
        for keys in (b"\x01a", b"\x01\x01"):
            terminal.type(keys)
            terminal.expect(b"\x01")
        terminal.type(b"\x01h")
        terminal.expect(b"Ctrl-A x leaves")
        terminal.type(b"\x01")
        terminal.type(b"x")
        terminal.expect(LEFT)
        assert terminal.end() == 0


def test_leaving_writes_the_statistics(tmp_path: Path) -> None:
    stats = tmp_path / "stats.json"
    with booted(tmp_path, POLLING, "--stats", str(stats)) as terminal:
        terminal.type(b"\x01x")
        terminal.expect(LEFT)
        assert terminal.end() == 0
    assert '"end":{"kind":"left","status":null' in stats.read_text()


@pytest.fixture
def slave() -> Iterator[tuple[int, int]]:
    """Both sides of a terminal; the second stays open, so that it can be looked at later."""
    sides = pty.openpty()
    yield sides
    for side in sides:
        os.close(side)


@pytest.mark.parametrize(
    ("image", "kill", "status"),
    [
        (ENDING, None, 0),
        (POLLING, signal.SIGTERM, -signal.SIGTERM),
        (POLLING, signal.SIGHUP, -signal.SIGHUP),
        (POLLING, signal.SIGINT, -signal.SIGINT),
    ],
    ids=["end", "SIGTERM", "SIGHUP", "SIGINT"],
)
def test_the_terminal_is_put_back(
    tmp_path: Path,
    slave: tuple[int, int],
    image: tuple[int, ...],
    kill: signal.Signals | None,
    status: int,
) -> None:
    kernel = tmp_path / "kernel.bin"
    kernel.write_bytes(struct.pack(f"<{len(image)}I", *image))
    master, terminal = slave
    before = termios.tcgetattr(terminal)
    program = machine_binary()
    process = os.fork()
    if process == 0:
        os.login_tty(terminal)
        os.execv(program, [program, "boot", "--machine", "sa1110", "--kernel", str(kernel)])
    said = b""
    while b"keys go to the guest" not in said:
        assert select.select([master], [], [], SECONDS)[0], said
        said += os.read(master, 4096)
    if kill is not None:
        assert termios.tcgetattr(terminal) != before
        os.kill(process, kill)
    _, ended = os.waitpid(process, 0)
    assert os.waitstatus_to_exitcode(ended) == status
    assert termios.tcgetattr(terminal) == before


def test_stopped_it_gives_the_terminal_back(tmp_path: Path) -> None:
    with booted(tmp_path, POLLING) as terminal:
        terminal.expect(HINT)
        os.kill(terminal.process, signal.SIGTSTP)
        terminal.wait_until(raw=False)
        os.kill(terminal.process, signal.SIGCONT)
        terminal.wait_until(raw=True)
        terminal.type(b"on")
        terminal.expect(b"on")


def test_a_run_that_waits_for_a_debugger_can_be_left(tmp_path: Path) -> None:
    with booted(tmp_path, POLLING, "--gdb", ":0") as terminal:
        terminal.expect(b"waiting for a debugger at ")
        terminal.type(b"\x01x")
        terminal.expect(LEFT)
        assert terminal.end() == 0
