# SPDX-License-Identifier: Apache-2.0
"""What looks at a machine, on a RISC-V with a kernel above 2^63: debugger, log, profile, timeline,
window, saved machines, recordings; and what is refused."""

from __future__ import annotations

import json
import re
import struct
import subprocess
import sys
from pathlib import Path

import pytest
from debugger import debug
from simulator import machine_binary

GUEST = Path(__file__).parent / "guest"
TOP = 0xFFFF_FFFF_8000_0000


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    image = tmp_path_factory.mktemp("high") / "high.elf"
    command = [sys.executable, "-m", "ziglang", "cc", "-target", "riscv64-freestanding-none"]
    command += ["-mcpu=generic_rv64+m+a+f+d+c+zicsr-relax", "-mcmodel=medany", "-mabi=lp64d", "-O1"]
    command += ["-g", "-ffreestanding", "-nostdlib", "-fno-sanitize=undefined"]
    command += ["-T", str(GUEST / "high.lds"), "-o", str(image), str(GUEST / "high.c")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return image


def boot(*options: str | Path, machine: str = "virt-u74") -> subprocess.CompletedProcess[str]:
    command = [machine_binary(), "boot", "--machine", machine, *map(str, options)]
    return subprocess.run(
        command, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False
    )


def started(kernel: Path) -> list[str | Path]:
    return ["--bios", "none", "--kernel", kernel]


def test_a_debugger_above_2_to_the_63(kernel: Path) -> None:
    def shown(name: str, what: str) -> str:
        return f'printf "{name}=%lx\\n", {what}'

    session = debug(
        "\n".join(
            [
                "break step if number == 2",
                "continue",
                shown("pc", "$pc"),
                shown("satp", "$satp"),
                shown("priv", "$priv"),
                "finish",
                "x/i $pc",
                shown("sum", "(long)(sum * 2)"),
                shown("fa", "(long)($fa5 * 2)"),
                "delete",
                "watch counter",
                "continue",
                shown("counter", "counter"),
                "reverse-continue",
                shown("counter", "counter"),
                shown("behind", "$pc"),
                "reverse-stepi",
                "stepi",
                shown("behind", "$pc"),
                "monitor tlb",
                f"monitor translate {TOP:#x}",
                "set var $sscratch = 0x123456789abcdef0",
                shown("sscratch", "$sscratch"),
                "x/gx 0x7fffffff80000000",
                "info registers pmpcfg0 pmpaddr0 fcsr",
                "kill",
            ]
        ),
        symbols=kernel,
        run=["boot", "--machine", "virt-u74", *map(str, started(kernel))],
    )
    said, values = session.said, session.shown
    assert "step (number=number@entry=2)" in said, said
    assert TOP < values["pc"][0] < TOP + 0x1000
    assert values["satp"][0] >> 60 == 8
    assert values["priv"] == [1]
    assert re.search(r"=> 0xffffffff800\w+ <high\+\d+>:\tli\ta0,3", said), said
    assert values["sum"] == [9]
    assert values["counter"] == [6, 3]
    assert values["behind"][0] == values["behind"][1]
    assert f"{TOP:016x} -> 080000000 1G da--xwrv asid 0" in said, said
    assert "pa 80000000" in said, said
    assert values["sscratch"] == [0x1234_5678_9ABC_DEF0]
    assert "Cannot access memory at address 0x7fffffff80000000" in said, said
    for name in ("pmpcfg0 +0x1f", "pmpaddr0 +0x3fff", "fcsr +0x0"):
        assert re.search(name, said), said


def test_log_profile_and_timeline(kernel: Path, tmp_path: Path) -> None:
    files = {name: tmp_path / name for name in ("log", "trace", "stats", "callgrind")}
    options = [word for name, file in files.items() for word in (f"--{name}", file)]
    done = boot(*started(kernel), *options, "--symbols", kernel, "--check", "coherence")
    assert (done.returncode, done.stderr) == (0, "")
    log = files["log"].read_text()
    # an address above 2^63, an integer and a floating-point register, the function
    assert " ffffffff800000" in log
    assert " a0=0000000000000009 <high+0x" in log
    assert "=402e000000000000 <step+0x" in log  # 15.0
    stats = json.loads(files["stats"].read_text())
    assert stats["machine"] == "virt-u74"
    assert stats["instructions"] == len(log.splitlines())
    trace = files["trace"].read_bytes()
    assert b"satp" in trace
    assert b"itlb_invalidate_all" in trace
    calls = files["callgrind"].read_text()
    # `high` has called `step`, and returning is no call, whatever t0 has
    assert calls.count("cfn=") == 1, calls
    assert "cfn=step\ncalls=10 " in calls


def test_a_window(kernel: Path, tmp_path: Path) -> None:
    file = tmp_path / "window"
    done = boot(*started(kernel), "--window", file, "--from", "high", "--to", "step*3")
    assert done.returncode == 0, done.stderr
    window = json.loads(file.read_text())
    assert window["complete"]
    assert window["steps"][0]["pc"] > TOP
    first = dict(zip(window["system"], window["start"]["system"], strict=True))
    assert first["satp"] >> 60 == 8
    assert window["registers"][32:34] == ["ft0", "ft1"]


def test_saved_and_recorded(kernel: Path, tmp_path: Path) -> None:
    saved, record = tmp_path / "saved", tmp_path / "record"
    ends = [tmp_path / "end", tmp_path / "again", tmp_path / "replayed"]
    assert boot(*started(kernel), "--stats", ends[0], "--record", record).returncode == 0
    assert boot(*started(kernel), "--max-cycles", "1500", "--save", saved).returncode == 0
    assert boot("--restore", saved, "--stats", ends[1]).returncode == 0
    assert boot(*started(kernel), "--replay", record, "--stats", ends[2]).returncode == 0
    cycles = [json.loads(end.read_text())["cycles"] for end in ends]
    assert len(set(cycles)) == 1
    wrong = boot("--restore", saved, machine="virt-u74-asid")
    assert wrong.returncode == 2
    assert "is of another machine than virt-u74-asid" in wrong.stderr


# Of an ELF64 file's head: what is written where.
@pytest.mark.parametrize(
    ("change", "at", "said"),
    [
        ("", 20, "is a truncated or damaged ELF file"),
        ("<B", 4, "is an ELF file of 32 bits"),
        ("<H", 18, "is an ELF file for"),
        ("<Q", 32, "is a truncated or damaged ELF file"),
        ("<Q", 64 + 24, "of memory at 0xffffffffffffffff"),
        ("<Q", 64 + 32, "is a truncated ELF file"),
        ("<Q", 64 + 40, "needs 18446744073709551615 bytes of memory"),
    ],
)
def test_a_damaged_kernel(change: str, at: int, said: str, kernel: Path, tmp_path: Path) -> None:
    image = bytearray(kernel.read_bytes())
    if change:
        value = {"<B": 1, "<H": 62}.get(change, 2**64 - 1)
        struct.pack_into(change, image, at, value)
    else:
        del image[at:]
    file = tmp_path / "damaged.elf"
    file.write_bytes(image)
    done = boot("--bios", "none", "--kernel", file, "--max-cycles", "1000")
    assert done.returncode == 2, done.stderr
    assert done.stderr.count("\n") == 1
    assert said in done.stderr
