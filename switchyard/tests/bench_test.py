# SPDX-License-Identifier: Apache-2.0
"""The benchmark of the simulator: its arithmetic, and QEMU as its yardstick."""

import json
import subprocess
from pathlib import Path

import pytest

from switchyard.data import files
from switchyard.errors import RunError
from switchyard.run import build, build_linux, qemu
from switchyard.run.build_linux import I386, SYSTEMS, Linux
from switchyard.tools import bench
from switchyard.tools.bench import WORKLOADS, Rival, Speed

LINUX = SYSTEMS["linux-versatilepb"]
PC = I386["linux-i386"]


def test_ratios_are_of_instructions_a_second() -> None:
    alone = Rival("ratio_to_qemu", "QEMU", (100, 100, 100), (0.5, 0.1, 0.25))
    slow = Rival("ratio_to_qemu_cache_plugin", "QEMU with plugin", (110, 90, 100), (1.1, 1.0, 1.0))
    speed = Speed(WORKLOADS["linux-boot"], 600, 300, (2.0, 1.0, 1.5), (alone, slow))
    values = {record.metric: record.value for record in bench.records([speed])}
    assert values == {
        "cycles_per_second": 400,
        "instructions_per_second": 200,
        "ratio_to_qemu": 0.5,
        "ratio_to_qemu_cache_plugin": 2,
    }


@pytest.mark.parametrize("linux", [LINUX, PC], ids=lambda linux: linux.config)
def test_without_qemu_the_rest_is_measured(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, linux: Linux
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    rivals = bench._Rivals(linux, "end")
    rivals.run()
    assert rivals.finished() == ()
    assert rivals.notes == [f"{linux.emulator}: not found; nothing to compare with"]


@pytest.mark.parametrize("linux", [LINUX, PC], ids=lambda linux: linux.config)
def test_a_qemu_that_fails_becomes_a_note(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, linux: Linux
) -> None:
    program = tmp_path / linux.emulator
    program.write_text(
        '#!/bin/sh\n[ "$1" = --version ] && echo QEMU emulator version 7.2.0 && exit\n'
        "echo no such option >&2\nexit 1\n"
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    rivals = bench._Rivals(linux, "end")
    rivals.run()
    rivals.run()
    assert rivals.finished() == ()
    assert [note.splitlines()[0] for note in rivals.notes] == [
        f"no QEMU with plugin to compare with: {linux.emulator}: status 1",
        f"no QEMU to compare with: {linux.emulator}: status 1",
    ]
    assert all("no such option" in note for note in rivals.notes)


def test_the_plugins_caches_are_caches() -> None:
    """Half a million accesses of each cache and TLB agree with a naive one's, for both plugins."""
    done = subprocess.run(
        ["make", "-s", "-C", "bench/qemu-plugin", "test"],
        cwd=build.root(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    shapes = ("ARM926EJ-S", "TLB", "first level", "second level", "trace cache")
    assert lines[: len(shapes)] == lines[len(shapes) :]
    for shape, line in zip(shapes, lines[: len(shapes)], strict=True):
        assert line.startswith(f"{shape}: 500000 accesses, ")


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


@pytest.mark.long  # nothing else of CI boots a PC's Linux, which would be compiled for this
@pytest.mark.linux
@pytest.mark.slow
@pytest.mark.guests
@pytest.mark.qemu
def test_the_plugin_sees_a_pc() -> None:
    """The self-test passes under the plugin, whose every cache and TLB is asked, and also hits."""
    build_linux.ensure([PC])
    with files.scratch() as folder:
        out = folder / "counts.json"
        given = f"{qemu.plugin(PC.emulator)},model=p4,out={out}"
        run = qemu.run([*PC.qemu_command("end"), "-plugin", given], PC.last_line)
        counts = json.loads(out.read_text())
    assert "init: user space after" in run.console
    assert counts["instructions"] > 50_000_000
    assert counts["instructions"] > 3 * counts["trace_cache_accesses"]
    assert counts["itlb_accesses"] == counts["trace_cache_misses"]
    for name in ("trace_cache", "itlb", "dtlb", "dcache", "l2"):
        assert 0 < counts[f"{name}_misses"] < 0.5 * counts[f"{name}_accesses"]
