# SPDX-License-Identifier: Apache-2.0
"""Bochs, given the same cases as the machine, for what a system is made of: segments, gates, tasks.

Bochs starts with a ROM of ours for a BIOS and no disk (bochs/); a batch of cases is in that ROM,
too. Its debugger stops where the driver is done, and writes the answers, which lie in memory, to a
file. Cases whose faults are delivered only (README.md).
"""

from __future__ import annotations

import fcntl
import functools
import os
import pty
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

from ia32_vectors import STATE_WORDS, Answer, Case, decode_answer
from patience import SECONDS
from simulator import ROOT

from switchyard.tools import doctor

VERSION = "2.7"
FOLDER = Path(__file__).resolve().parent / "bochs"
GUESTS = ROOT / "build" / "guests"
# As in bochs/driver.c.
ANSWERS = 0x1000000
MEGABYTES = 64
# The ROM, of which the driver is the end.
ROM_BYTES = 2 << 20
# Words of an answer without its memory, and with a shutdown.
ANSWER_WORDS = 3 + STATE_WORDS + 1 + 4 + 1

SETTINGS = """\
romimage: file={rom}
vgaromimage: file={no_vga}
megs: {megabytes}
cpu: model=p4_willamette, count=1, ips=100000000, reset_on_triple_fault=1, ignore_bad_msrs=0
display_library: term
magic_break: enabled=1
log: {log}
panic: action=fatal
error: action=ignore
info: action=ignore
debug: action=ignore
sound: driver=dummy
"""
# The debugger stops at the end and at each shutdown, and for a case without an end: no batch has so
# many instructions.
CONTINUE = "step 20000000\n"
COMMANDS = """\
writemem "{answers}" {address:#x} {size}
quit
"""


@functools.cache
def build() -> Path:
    """Builds what runs in Bochs, and the handlers of streams; their folder."""
    environment = dict(os.environ)
    environment["CC"] = f"{sys.executable} -m ziglang cc"
    environment["OBJCOPY"] = f"{sys.executable} -m ziglang objcopy"
    command = ["make", "-s", "-C", str(FOLDER)]
    GUESTS.mkdir(parents=True, exist_ok=True)
    # Another process may be at it.
    with (GUESTS / "test-bochs.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
    return GUESTS


def why_not() -> str | None:
    """Why cases cannot run in Bochs."""
    finding = doctor.bochs()
    if not finding.good:
        return f"Bochs is not installed: {finding.command}"
    if finding.found != VERSION:
        return f"Bochs is {finding.found}; the streams know what {VERSION} does otherwise"
    return None


class Bochs:
    """Bochs' model of a Willamette, in a process per batch."""

    def run(self, case: Case, count: int = 0) -> Answer:  # noqa: ARG002
        """One case; the time that it may take is limited, not its instructions."""
        (answer,) = self.run_all([case])
        return answer

    def run_all(self, cases: list[Case]) -> list[Answer]:
        with tempfile.TemporaryDirectory() as folder:
            answers = run(Path(folder), cases)
            with answers.open("rb") as stream:
                return [decode_answer(stream, case) for case in cases]


def run(folder: Path, cases: list[Case]) -> Path:
    """Runs a batch; the file with the answers."""
    files = {name: folder / name for name in ("rom", "no_vga", "log", "answers")}
    driver = (build() / "test-bochs.rom").read_bytes()
    encoded = b"".join(case.encode() for case in cases)
    size = sum(4 * ANSWER_WORDS + sum(length for _, length in case.ranges) for case in cases)
    room = ROM_BYTES - len(driver) - len(encoded)
    # After the cases is a word that is no magic.
    if room < 4 or ANSWERS + size > MEGABYTES << 20:
        raise ValueError(f"{len(cases)} cases are too many for Bochs' memory")
    files["rom"].write_bytes(encoded + bytes(room) + driver)
    # A ROM that is no extension.
    files["no_vga"].write_bytes(bytes(512))
    settings, commands = folder / "settings", folder / "commands"
    settings.write_text(SETTINGS.format(megabytes=MEGABYTES, **files))
    last = COMMANDS.format(address=ANSWERS, size=size, **files)
    commands.write_text(CONTINUE * (len(cases) + 1) + last)
    shown = on_terminal(["bochs", "-q", "-f", str(settings), "-rc", str(commands)])
    if not files["answers"].exists() or files["answers"].stat().st_size != size:
        raise RuntimeError(f"Bochs gave no answers: {shown[-2000:]}")
    return files["answers"]


def on_terminal(command: list[str]) -> str:
    """Runs it in a pseudo-terminal, which its display wants; what it showed there."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm"}
    process = subprocess.Popen(
        command,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=environment,
        start_new_session=True,
    )
    os.close(theirs)
    shown = bytearray()

    def read() -> None:
        try:
            while data := os.read(ours, 1 << 16):
                shown.extend(data)
        except OSError:
            pass  # the other end was closed

    reader = threading.Thread(target=read)
    reader.start()
    try:
        process.wait(SECONDS)
    except subprocess.TimeoutExpired:
        shown.extend(b"\nkilled: it did not come to an end")
    finally:
        process.kill()
        process.wait()
        reader.join()
        os.close(ours)
    return shown.decode(errors="replace")
