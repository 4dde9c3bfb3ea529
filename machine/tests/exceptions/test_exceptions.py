# SPDX-License-Identifier: Apache-2.0
"""The exception guest on QEMU and on the machine: the two outputs, line by line."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from patience import SECONDS
from simulator import machine_binary

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
BUILD = ROOT / "build"

# Lines on which QEMU is wrong: start of the line -> (QEMU's text, what it must be). README.md.
KNOWN = {"fault translation before domain": ("fsr=4b", "fsr=47")}


@pytest.fixture(scope="module")
def guest() -> Path:
    environment = dict(os.environ)
    environment.setdefault("CC", f"{sys.executable} -m ziglang cc")
    subprocess.run(["make", "-s", "-C", HERE, f"BUILD={BUILD}"], check=True, env=environment)
    return BUILD / "guests" / "test-exceptions.elf"


@pytest.fixture(scope="module")
def on_qemu(guest: Path) -> list[str]:
    """QEMU does not end by itself: it is ended when the guest has printed its last line."""
    qemu = shutil.which("qemu-system-arm")
    if qemu is None:
        pytest.skip("qemu-system-arm is not installed")
    command = [qemu, "-M", "collie", "-display", "none", "-monitor", "none", "-serial", "stdio"]
    # Its time is the instructions', not the host's: a match of the timer must not be over before
    # it is written.
    command += ["-icount", "shift=5,sleep=off"]
    lines: list[str] = []
    with subprocess.Popen(
        [*command, "-kernel", str(guest)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        alarm = threading.Timer(SECONDS, process.kill)
        alarm.start()
        assert process.stdout is not None
        for line in process.stdout:
            lines.append(line.rstrip())
            if line.startswith("END"):
                break
        alarm.cancel()
        process.kill()
    assert lines, "the guest printed nothing on QEMU"
    assert lines[-1] == "END status=0", f"on QEMU the guest stopped after: {lines[-1]}"
    return lines


@pytest.fixture(scope="module")
def on_machine(
    guest: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[list[str], dict[str, int]]:
    """The output, and the counters of both privileges together."""
    stats = tmp_path_factory.mktemp("exceptions") / "stats.json"
    command = [machine_binary(), "boot", "--machine", "sa1110", "--kernel", str(guest)]
    command += ["--max-cycles", "4000000000", "--stats", str(stats)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    lines = result.stdout.splitlines()
    assert result.returncode == 0, f"{result.stderr}\nlast line: {lines[-1:]}"
    counters = json.loads(stats.read_text())["counters"]
    return lines, {k: n + counters["kernel"][k] for k, n in counters["user"].items()}


def expected(line: str) -> str:
    for start, (qemu, right) in KNOWN.items():
        if line.startswith(start):
            assert qemu in line, f"QEMU no longer differs here: {line}"
            return line.replace(qemu, right)
    return line


def differences(ours: list[str], theirs: list[str]) -> list[str]:
    out = [
        f"line {i}:\n  machine {a}\n  QEMU    {b}"
        for i, (a, b) in enumerate(zip(ours, map(expected, theirs), strict=False), 1)
        if a != b
    ]
    if len(ours) != len(theirs):
        out.append(f"{len(ours)} lines on the machine, {len(theirs)} on QEMU")
    return out


@pytest.mark.guests
@pytest.mark.qemu
def test_every_line_agrees(
    on_machine: tuple[list[str], dict[str, int]], on_qemu: list[str]
) -> None:
    wrong = differences(on_machine[0], on_qemu)
    assert not wrong, f"{len(wrong)} differences:\n" + "\n".join(wrong[:20])
    assert len(on_qemu) > 5000


@pytest.mark.guests
@pytest.mark.qemu
def test_a_difference_is_seen(on_qemu: list[str]) -> None:
    ours = [expected(line) for line in on_qemu]
    assert differences(ours, on_qemu) == []
    assert len(differences(ours[:-1], on_qemu)) == 1
    ours[1000] = ours[1000].replace("0", "1", 1)
    assert len(differences(ours, on_qemu)) == 1


@pytest.mark.guests
def test_the_guest_did_what_it_says(on_machine: tuple[list[str], dict[str, int]]) -> None:
    """Every kind of exception and fault was counted by the machine, and the caches were used."""
    _, counters = on_machine
    for name in (
        "exception_undefined",
        "exception_swi",
        "exception_prefetch_abort",
        "exception_data_abort",
        "exception_irq",
        "exception_fiq",
        "fault_alignment",
        "fault_translation",
        "fault_domain",
        "fault_permission",
        "dcache_read_misses",
        "dcache_writebacks",
        "pid_writes",
    ):
        assert counters[name] > 0, name
    hits = counters["icache_accesses"] - counters["icache_misses"]
    assert hits > counters["icache_misses"]


# ARM ARM B3.6, table of access permissions: (ap, s, r) -> what privileged and user code may do.
PERMISSIONS = {
    (0, 0, 0): ("", ""),
    (0, 1, 0): ("r", ""),
    (0, 0, 1): ("r", "r"),
    **{(1, s, r): ("rw", "") for s, r in ((0, 0), (1, 0), (0, 1))},
    **{(2, s, r): ("rw", "r") for s, r in ((0, 0), (1, 0), (0, 1))},
    **{(3, s, r): ("rw", "rw") for s, r in ((0, 0), (1, 0), (0, 1))},
}
# What each access of a permission line needs; a swap needs both, execution needs reading.
NEEDS = {"r": "r", "w": "w", "s": "rw", "x": "r"}
MATRIX = re.compile(r"permission (section|large|small) ap=(\d) s=(\d) r=(\d) (\w+): (.*)")


@pytest.mark.guests
def test_permissions_are_the_manuals(on_machine: tuple[list[str], dict[str, int]]) -> None:
    """The matrix once more, against the table of the manual instead of another processor."""
    seen = 0
    for line in on_machine[0]:
        match = MATRIX.fullmatch(line)
        if not match:
            continue
        kind, ap, s, r, domain, fields = match.groups()
        page = 0 if kind == "section" else 2
        allowed = PERMISSIONS[int(ap), int(s), int(r)]
        for field in fields.split():
            access, result = field.split("=")
            what = access[1]
            may = allowed[0 if access[0] == "k" else 1]
            if domain == "manager" or (domain == "client" and set(NEEDS[what]) <= set(may)):
                want = "ok"
            elif what == "x":
                want = "abort"
            else:
                want = f"7{(13 if domain == 'client' else 9) + page:x}"
            assert result == want, (line, field)
            seen += 1
    assert seen == 2 * 3 * 4 * 3 * 3 * 10
