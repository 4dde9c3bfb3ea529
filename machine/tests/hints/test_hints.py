# SPDX-License-Identifier: Apache-2.0
"""Speed aids are hints that the model checks: the machine without remembered ways, TLB entries and
fetch lines (cargo feature `no-hints`) counts the same, to the last cycle.

The one without is built here, without the link-time optimisation that only speed needs.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from switchyard.run import machine

ROOT = Path(__file__).resolve().parents[3]
COPIES = ROOT / "target" / "hints"
IMAGES = ROOT / "build" / "guests"


def build(feature: str) -> Path:
    """The simulator with that cargo feature, under a name of its own. The test profile shares what
    `cargo test` has built."""
    command = ["cargo", "build", "--profile", "test", "--quiet", "--bin", machine.BINARY]
    command += ["--features", f"switchyard-machine/{feature}"]
    subprocess.run(command, cwd=ROOT, check=True)
    COPIES.mkdir(parents=True, exist_ok=True)
    binary = COPIES / feature
    shutil.copy2(ROOT / "target" / "debug" / machine.BINARY, binary)
    return binary


def stats(binary: Path, name: str, image: Path, cycles: int, out: Path) -> bytes:
    subprocess.run(
        [
            *(binary, "boot", "--machine", name, "--kernel", image),
            *("--append", "clients=1-17 rounds=20 warmup=2 seed=1"),
            *("--max-cycles", str(cycles), "--stats", out),
        ],
        check=False,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    return out.read_bytes()


@pytest.fixture(scope="module")
def binaries() -> tuple[Path, Path]:
    return machine.binary(), build("no-hints")


@pytest.mark.long
@pytest.mark.guests
@pytest.mark.parametrize(
    ("name", "image"),
    [
        ("sa1110", "assabet-flush-test"),
        ("sa1110", "assabet-fass-test"),
        ("sa1110", "assabet-fass-bench-ipc"),
        ("sa1110", "assabet-bare-bench-compute"),
        ("sa1110-sdram", "assabet-fass-bench-ipc"),
        # One TLB: what data accesses bring replaces translations of code that runs.
        ("versatilepb", "versatile-flush-test"),
        ("versatilepb", "versatile-fass-test"),
        ("versatilepb", "versatile-flush-bench-overheads"),
        ("omap1610", "versatile-fass-bench-overheads"),
        ("omap1610-two-tlbs", "versatile-fass-bench-overheads"),
        # Stores into code and descriptors must not go by hints.
        ("sa1110-tags", "assabet-flush-test"),
        ("versatilepb-tags", "versatile-flush-test"),
        ("p4-willamette", "isa-pc-flush-test"),
        ("p4-willamette", "isa-pc-small-spaces-test"),
        ("p4-willamette-tags", "isa-pc-flush-test"),
        ("p4-willamette", "isa-pc-bare-bench-compute"),
    ],
)
def test_counts_are_equal_without_hints(
    binaries: tuple[Path, Path], name: str, image: str, tmp_path: Path
) -> None:
    path = IMAGES / f"{image}.elf"
    if not path.exists():
        pytest.fail(f"{path} is missing; `switchyard build` builds it")
    with_hints, without = (
        stats(binary, name, path, 20_000_000, tmp_path / f"{n}.json")
        for n, binary in enumerate(binaries)
    )
    assert with_hints == without
