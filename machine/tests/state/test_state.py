# SPDX-License-Identifier: Apache-2.0
"""`--save` and `--restore` on whole systems: a run in two parts is the run in one part, in each
byte of its statistics and of its console; and a debugger can go back."""

from __future__ import annotations

import shutil
import subprocess
import time
from pathlib import Path

import pytest
from patience import SECONDS
from simulator import machine_binary

ROOT = Path(__file__).resolve().parents[3]
GUESTS = ROOT / "build" / "guests"

pytestmark = pytest.mark.guests

KERNEL = [
    *("--machine", "sa1110", "--kernel", str(GUESTS / "assabet-fass-test.elf")),
    *("--append", "only=thread"),
]
LINUX = [
    *("--machine", "collie", "--kernel", str(GUESTS / "linux-sa1110.zImage")),
    *("--initrd", str(GUESTS / "linux-sa1110.cpio")),
    *("--append", "console=ttySA1,115200 panic=-1"),
]
LINUX_ARM926 = [
    *("--machine", "versatilepb", "--kernel", str(GUESTS / "linux-versatilepb.zImage")),
    *("--initrd", str(GUESTS / "linux-versatilepb.cpio")),
    *("--dtb", str(GUESTS / "linux-versatilepb.dtb")),
    *("--append", "console=ttyAMA0,115200 panic=-1"),
]
LINUX_I386 = [
    *("--machine", "p4-willamette", "--kernel", str(GUESTS / "linux-i386.vmlinux")),
    *("--initrd", str(GUESTS / "linux-i386.cpio")),
    *("--append", "console=ttyS0,115200 panic=-1"),
]


def boot(*options: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [machine_binary(), "boot", *options],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=SECONDS,
        check=False,
    )


def in_parts(folder: Path, system: list[str], stops: list[int]) -> tuple[bytes, bytes]:
    """Statistics and console of a run that is saved at these cycles."""
    state, stats = str(folder / "machine.state"), folder / "stats.json"
    console = b""
    begin = system
    for stop in stops:
        done = boot(*begin, "--max-cycles", str(stop), "--save", state)
        assert done.returncode == 0, done.stderr
        assert f"saved in {state}" in done.stderr.decode()
        console += done.stdout
        begin = ["--restore", state]
    done = boot(*begin, "--stats", str(stats))
    assert done.returncode == 0, done.stderr
    return stats.read_bytes(), console + done.stdout


@pytest.mark.parametrize(
    ("system", "stops"),
    [
        # while it boots, and odd cycles in its tests
        pytest.param(KERNEL, [1, 1_000_003, 2_345_677, 5_000_011], id="kernel"),
        # unpacking itself, starting, in its self-test; the third with the console busy
        pytest.param(
            LINUX,
            [50_000_021, 200_000_033, 251_234_567, 400_000_009],
            id="linux",
            marks=[pytest.mark.linux, pytest.mark.long],
        ),
        pytest.param(
            LINUX_ARM926,
            [30_000_007, 150_000_001, 345_678_901, 700_000_001],
            id="linux-arm926",
            marks=[pytest.mark.linux, pytest.mark.long],
        ),
        pytest.param(
            LINUX_I386,
            [1, 300_000_007, 712_345_678, 1_900_000_001],
            id="linux-i386",
            marks=[pytest.mark.linux, pytest.mark.long],
        ),
    ],
)
def test_a_run_in_parts_is_the_run(tmp_path: Path, system: list[str], stops: list[int]) -> None:
    if not Path(system[3]).exists():
        pytest.fail(f"{system[3]} is missing; `switchyard build` builds it")
    assert in_parts(tmp_path, system, stops) == in_parts(tmp_path, system, [])


def test_the_checker_goes_on_from_a_saved_machine(tmp_path: Path) -> None:
    """Dirty lines and buffered writes of before are what memory ought to be, no finding."""
    state = str(tmp_path / "machine.state")
    boot(*KERNEL, "--max-cycles", "3000001", "--save", state)
    done = boot("--restore", state, "--check", "coherence")
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_debugger_goes_back(tmp_path: Path) -> None:
    """Saved at a breakpoint, run to another, restored there: everything is as it was, the guest
    takes the same way again, and its end is the one that it has without a debugger."""
    debugger = shutil.which("gdb-multiarch")
    if debugger is None:
        pytest.fail("gdb-multiarch: not found; install it with: apt-get install gdb-multiarch")
    stats, state = tmp_path / "stats.json", tmp_path / "machine.state"
    said = (tmp_path / "said").open("w")
    process = subprocess.Popen(
        [machine_binary(), "boot", *KERNEL, "--gdb", ":0", "--stats", str(stats)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=said,
    )
    try:
        port = port_said_in(tmp_path / "said", process)
        where = 'printf "at=%x %x %x\\n", $pc, $sp, $cpsr'
        commands = [
            *("set confirm off", f"target remote :{port}", "break kernel_main", "continue"),
            *(where, "monitor cycles", f"monitor save {state}", "delete"),
            *("stepi 1000", where, f"monitor restore {tmp_path / 'said'}"),
            *(f"monitor restore {state}", "maintenance flush register-cache"),
            *(where, "monitor cycles", "stepi 1000", where, "continue"),
        ]
        arguments = [part for command in commands for part in ("-ex", command)]
        done = subprocess.run(
            [debugger, "-nx", "--batch", *arguments, KERNEL[3]],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        process.communicate(timeout=SECONDS)
    finally:
        process.kill()
        process.wait()
    shown = [line for line in done.stdout.splitlines() if line.startswith("at=")]
    assert len(shown) == 4, done.stdout
    assert shown[:2] == shown[2:]
    assert shown[0] != shown[1]
    assert "said: is no saved machine; expected a saved machine" in done.stdout
    cycles = [line for line in done.stdout.splitlines() if " cycles, " in line]
    assert len(cycles) == 2
    assert cycles[0] == cycles[1]
    assert stats.read_bytes() == in_parts(tmp_path, KERNEL, [])[0]


def port_said_in(file: Path, process: subprocess.Popen[bytes]) -> int:
    while "waiting for a debugger at " not in file.read_text():
        assert process.poll() is None, file.read_text()
        time.sleep(0.02)
    return int(file.read_text().strip().rsplit(":", 1)[1])
