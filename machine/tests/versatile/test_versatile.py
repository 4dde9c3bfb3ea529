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
CARD_BYTES = 64 << 20
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


def card(file: Path, size: int = CARD_BYTES) -> Path:
    """An image of a memory card; its first words differ all."""
    words = (n * 0x9E3779B1 & 0xFFFF_FFFF for n in range(1 << 16))
    file.write_bytes(b"".join(word.to_bytes(4, "little") for word in words))
    os.truncate(file, size)
    return file


@pytest.fixture(scope="module")
def qemus_card(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return card(tmp_path_factory.mktemp("qemu") / "card")


@pytest.fixture(scope="module")
def on_qemu(guest: Path, qemus_card: Path) -> list[str]:
    qemu = shutil.which("qemu-system-arm")
    if qemu is None:
        pytest.skip("qemu-system-arm is not installed")
    command = [qemu, "-M", "versatilepb", "-display", "none", "-monitor", "none", "-no-reboot"]
    # Its time is the instructions', not the host's: timers must not run on while that is busy.
    command += ["-icount", "shift=5,sleep=off"]
    command += ["-drive", f"if=sd,file={qemus_card},format=raw"]
    return output([*command, "-serial", "stdio", "-kernel", str(guest)])


@pytest.mark.guests
@pytest.mark.qemu
@pytest.mark.parametrize("machine", MACHINES)
def test_every_line_agrees(
    guest: Path, on_qemu: list[str], qemus_card: Path, machine: str, tmp_path: Path
) -> None:
    command = [machine_binary(), "boot", "--machine", machine, "--kernel", str(guest)]
    command += ["--drive", str(card(tmp_path / "card"))]
    ours = output([*command, "--max-cycles", "4000000000"])
    wrong = [
        f"line {i}: machine {a!r}, QEMU {b!r}"
        for i, (a, b) in enumerate(zip(ours, on_qemu, strict=False), 1)
        if a != b
    ]
    assert not wrong, "\n".join(wrong[:20])
    assert len(ours) == len(on_qemu) > 400
    assert (tmp_path / "card").read_bytes() == qemus_card.read_bytes(), "what was written"


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


def boot(guest: Path, *more: str) -> subprocess.CompletedProcess[str]:
    command = [machine_binary(), "boot", "--machine", "versatilepb", "--kernel", str(guest)]
    return subprocess.run(
        [*command, *more],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )


@pytest.mark.guests
def test_a_snapshot_is_not_written(guest: Path, tmp_path: Path) -> None:
    """And a saved machine and a recording want theirs."""
    image = card(tmp_path / "a, card", 1 << 20)
    before = image.stat().st_mtime_ns
    spec = f"if=sd,file={str(image).replace(',', ',,')},format=raw,snapshot=on"
    record = tmp_path / "record"
    saved = tmp_path / "saved"
    done = boot(guest, "--drive", spec, "--record", str(record), "--save", str(saved))
    assert "END" in done.stdout, done.stderr
    assert image.stat().st_mtime_ns == before
    again = boot(guest, "--drive", spec, "--replay", str(record))
    assert again.stdout == done.stdout
    with image.open("r+b") as file:
        file.write(b"else")
    other = boot(guest, "--drive", spec, "--replay", str(record))
    assert (other.returncode, other.stderr.count("\n")) == (2, 1), other.stderr
    restore = [machine_binary(), "boot", "--restore", str(saved)]
    without = subprocess.run(restore, capture_output=True, text=True, check=False)
    assert without.returncode == 2
    assert "--drive is to give" in without.stderr


@pytest.mark.guests
def test_high_capacity_counts_in_blocks(guest: Path, on_qemu: list[str], tmp_path: Path) -> None:
    image = card(tmp_path / "card", (2 << 30) + (512 << 10))
    done = boot(guest, "--drive", f"file={image},snapshot=on").stdout.splitlines()
    assert "high capacity: 00000001" in done
    assert [line for line in done if "sum" in line] == [line for line in on_qemu if "sum" in line]


@pytest.mark.guests
@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("missing", "cannot be read: No such file"),
        ("{dir}", "expected an image of a memory card"),
        ("{odd}", "has 1000 bytes; expected a multiple of 2048 bytes"),
        ("{empty}", "has 0 bytes; expected 2048 to"),
        ("if=ide,file={good}", "expected if=sd"),
        ("file={good},format=qcow2", "expected format=raw"),
        ("file={good},snapshot=maybe", "expected snapshot=on or snapshot=off"),
        ("file={good},foo=1", "`foo=1` is not known"),
    ],
)
def test_a_wrong_drive_is_one_line(guest: Path, tmp_path: Path, spec: str, expected: str) -> None:
    names = {"dir": tmp_path}
    for name, size in (("odd", 1000), ("empty", 0), ("good", 1 << 20)):
        names[name] = card(tmp_path / name, size)
    done = boot(guest, "--drive", spec.format(**names))
    assert done.returncode == 2
    assert expected in done.stderr
    assert done.stderr.count("\n") == 1, done.stderr


@pytest.mark.guests
def test_no_more_cards_than_slots(guest: Path, tmp_path: Path) -> None:
    cards = [card(tmp_path / str(n), 1 << 20) for n in range(3)]
    drives = [word for one in cards for word in ("--drive", str(one))]
    done = boot(guest, *drives)
    assert done.returncode == 2
    assert "2 slots" in done.stderr
    done = boot(guest, *drives[:2], *drives[:2])
    assert done.returncode == 2
    assert "another slot" in done.stderr
