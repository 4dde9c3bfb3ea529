# SPDX-License-Identifier: Apache-2.0
"""Guests whose hot instructions run as host code: statistics, console and the saved machine are
those of a run that interprets all, wherever in the run one looks."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from switchyard.run import machine

IMAGES = Path(__file__).resolve().parents[3] / "build" / "guests"
# Cycles at which the whole machine is compared: not at an event, nor at a multiple of anything.
LOOKS = (1_234_567, 20_000_001)


def run(name: str, image: Path, cycles: int, out: Path, *more: str) -> tuple[bytes, ...]:
    """Console, statistics and the saved machine after so many cycles."""
    stats, saved = out / "stats.json", out / "saved"
    command = [str(machine.binary()), "boot", "--machine", name, "--kernel", str(image)]
    command += ["--append", "clients=1-17 rounds=20 warmup=2 seed=1"]
    if name.startswith("virt-"):
        command += ["--bios", "none"]
    command += ["--max-cycles", str(cycles), "--stats", str(stats), "--save", str(saved), *more]
    done = subprocess.run(command, check=False, capture_output=True, stdin=subprocess.DEVNULL)
    return done.stdout, done.stderr, stats.read_bytes(), saved.read_bytes()


@pytest.mark.guests
@pytest.mark.parametrize(
    ("name", "image"),
    [
        ("sa1110", "assabet-flush-test"),
        ("sa1110", "assabet-fass-test"),
        ("sa1110", "assabet-fass-bench-ipc"),
        ("sa1110", "assabet-bare-bench-compute"),
        ("versatilepb", "versatile-fass-test"),
        ("omap1610-two-tlbs", "versatile-fass-bench-overheads"),
        ("sa1110-tags", "assabet-flush-test"),
        ("versatilepb-tags", "versatile-flush-test"),
        ("virt-u74", "virt-flush-test"),
        ("virt-u74-asid", "virt-tags-test"),
        ("virt-rv64", "virt-flush-bench-ipc"),
        ("virt-u74", "virt-bare-bench-silicon"),
    ],
)
def test_translated_and_interpreted_are_equal(name: str, image: str, tmp_path: Path) -> None:
    path = IMAGES / f"{image}.elf"
    if not path.exists():
        pytest.fail(f"{path} is missing; `switchyard build` builds it")
    for cycles in LOOKS:
        translated = run(name, path, cycles, tmp_path)
        interpreted = run(name, path, cycles, tmp_path, "--no-translation")
        assert translated == interpreted, f"after {cycles} cycles"
