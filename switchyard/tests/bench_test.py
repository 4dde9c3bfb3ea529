# SPDX-License-Identifier: Apache-2.0
"""The benchmark of the simulator: its arithmetic, and QEMU as its yardstick."""

import subprocess
from pathlib import Path

import pytest

from switchyard import bench, build, build_linux, qemu
from switchyard.bench import WORKLOADS, Rival, Speed
from switchyard.build_linux import SYSTEMS
from switchyard.errors import RunError

LINUX = SYSTEMS["linux-versatilepb"]


def test_ratios_are_of_instructions_a_second() -> None:
    alone = Rival("ratio_to_qemu", "QEMU", (100, 100, 100), (0.5, 0.1, 0.25))
    slow = Rival("ratio_to_qemu_cache_plugin", "QEMU with plugin", (110, 90, 100), (1.1, 1.0, 1.0))
    speed = Speed(WORKLOADS["linux-boot"], 600, 300, (2.0, 1.0, 1.5), (alone, slow))
    found = {record.metric: record.value for record in bench.records([speed])}
    assert found == {
        "cycles_per_second": 400,
        "instructions_per_second": 200,
        "ratio_to_qemu": 0.5,
        "ratio_to_qemu_cache_plugin": 2,
    }


def test_without_qemu_the_rest_is_measured(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    rivals = bench._Rivals(LINUX, "end")
    rivals.run()
    assert rivals.found() == ()
    assert rivals.notes == ["qemu-system-arm: not found; nothing to compare with"]


def test_a_qemu_that_fails_becomes_a_note(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program = tmp_path / "qemu-system-arm"
    program.write_text(
        '#!/bin/sh\n[ "$1" = --version ] && echo QEMU emulator version 7.2.0 && exit\n'
        "echo no such option >&2\nexit 1\n"
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    rivals = bench._Rivals(LINUX, "end")
    rivals.run()
    rivals.run()
    assert rivals.found() == ()
    assert [note.splitlines()[0] for note in rivals.notes] == [
        "no QEMU with plugin to compare with: qemu-system-arm: status 1",
        "no QEMU to compare with: qemu-system-arm: status 1",
    ]
    assert all("no such option" in note for note in rivals.notes)


def test_the_plugins_caches_are_caches() -> None:
    """Two million accesses by the plugin's cache and by a naive one agree, for both plugins."""
    done = subprocess.run(
        ["make", "-s", "-C", "bench/qemu-plugin", "test"],
        cwd=build.root(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    first, second = done.stdout.splitlines()
    assert first == second
    assert first.startswith("2000000 accesses, ")


@pytest.mark.linux
@pytest.mark.slow
@pytest.mark.guests
@pytest.mark.qemu
def test_the_plugin_sees_every_instruction() -> None:
    """All counts agree, but for what timer ticks add to a slower guest."""
    build_linux.ensure([LINUX])
    word = WORKLOADS["linux-boot"].append
    runs = [
        qemu.run_with_plugin(LINUX.qemu_command(word), LINUX.last_line, lookups, shortcuts)
        for lookups, shortcuts in ((False, False), (True, False), (True, True))
    ]
    assert all("init: user space after" in run.console for run in runs)
    counts = [run.instructions or 0 for run in runs]
    assert counts[0] > 50_000_000
    assert counts[1:] == pytest.approx([counts[0]] * 2, rel=0.05)
    with pytest.raises(RunError, match="status"):
        qemu.run(["qemu-system-arm", "-M", "toaster"], "")
