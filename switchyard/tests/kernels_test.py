# SPDX-License-Identifier: Apache-2.0
"""What a kernel can be built of is found by its folders, here and by make."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from switchyard.errors import InputError
from switchyard.run import build, kernels

ARM = build.root() / "kernel" / "arch" / "arm"
# In a copy of the sources: what Python draws of l4-ipc, from the stand-in's round trips.
DRAWN = """
import json
from switchyard.show import views
from switchyard.run.build import GUESTS
from switchyard.run.experiment import Settings
from switchyard.experiments.l4_ipc.measure import L4Ipc
from switchyard.run.machine import Stats
from switchyard.tests import fake_machine as fake

l4_ipc = L4Ipc()
samples = {}
for job in l4_ipc.jobs(Settings(rounds=8)):
    stats = fake.bench_ipc(str(job.parameters["scheme"]), job.append) | {"machine": job.machine}
    samples[job.name] = l4_ipc.measure(job, Stats.parse(json.dumps(stats), job.name))
shown = views.of_runs(l4_ipc, samples)
print(*(series.label for series in shown.figure.series), sep="\\n")
print(*(column for table in shown.tables for column in table.columns), sep="\\n")
print(*GUESTS, sep="\\n")
"""


def folders(kind: str, file: str) -> set[str]:
    return {path.parent.name for path in (ARM / kind).glob(f"*/{file}")}


def test_every_folder_is_found() -> None:
    assert {scheme.name for scheme in build.KERNELS.schemes} == folders("switch", "switch_impl.c")
    assert {policy.name for policy in build.KERNELS.policies} == folders("policy", "policy.h")
    assert {board.name for board in build.KERNELS.boards} == folders("board", "board.c")
    processors = folders("cpu", "cpu.h")
    named = [scheme.cpus for scheme in build.KERNELS.schemes]
    named += [board.cpus for board in build.KERNELS.boards]
    assert processors == {cpu for cpus in named for cpu in cpus}
    sizes = {processor.name: processor.dcache_bytes for processor in build.KERNELS.processors}
    assert sizes == {**dict.fromkeys(processors, 0), "sa1110": 8192}


def test_what_experiments_are_relative_to_comes_first() -> None:
    assert build.SCHEMES[:2] == ("flush", "fass")
    assert build.BOUNDS == (build.TAGS,)
    assert [scheme for scheme in build.SCHEMES if not build.protects(scheme)] == ["single-space"]
    (usual,) = re.findall(r"^POLICY_DEFAULT := (\S+)$", (ARM / "arch.mk").read_text(), re.M)
    assert build.POLICIES[0] == usual


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("SWITCH_CPUS = sa1110", r"facts\.mk:3: found 'SWITCH_CPUS = sa1110'; expected NAME :="),
        ("SWITCH_CPUS :=", "no SWITCH_CPUS"),
        ("SWITCH_ORDER := first", "SWITCH_ORDER: found 'first'; expected a whole number"),
    ],
)
def test_a_fact_that_is_none_is_refused(tmp_path: Path, line: str, said: str) -> None:
    (tmp_path / "switch" / "mine").mkdir(parents=True)
    lines = ["SWITCH_ORDER := 1", "SWITCH_PROTECTS := 1", line]
    (tmp_path / "switch" / "mine" / "facts.mk").write_text("\n".join(lines) + "\n")
    with pytest.raises(InputError, match=said):
        kernels.of_architecture(tmp_path)


def test_a_new_architecture_is_found(tmp_path: Path) -> None:
    for folder, file, text in [
        ("mine", "arch.mk", "BOARD ?= pc\n"),
        ("mine/board/pc", "facts.mk", "BOARD_CPUS := p4\n"),
        ("none/board/pc", "facts.mk", "BOARD_CPUS := p4\n"),
    ]:
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        (tmp_path / folder / file).write_text(text)
    pc = kernels.Kernels(boards=(kernels.Board("pc", ("p4",)),))
    assert kernels.architectures(tmp_path) == {"mine": pc}
    assert build.ARCHITECTURES["arm"] == build.KERNELS


@pytest.mark.slow
def test_a_new_folder_is_enough(tmp_path: Path) -> None:
    """A scheme, a policy and a board, each a copy of another: no file names them."""
    for folder in ("include", "kernel", "l4", "user", "bench", "switchyard"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(build.root() / folder, tmp_path / folder, ignore=ignored)
    arm = tmp_path / "kernel" / "arch" / "arm"
    for kind, old in (("switch", "flush"), ("policy", "lru"), ("board", "versatile")):
        shutil.copytree(arm / kind / old, arm / kind / "mine")
    facts = arm / "switch" / "mine" / "facts.mk"
    text = facts.read_text().replace("SWITCH_ORDER := 1", "SWITCH_ORDER := 7")
    facts.write_text(text)
    shutil.copytree(arm / "switch" / "mine", arm / "switch" / "other")
    only = re.sub(r"SWITCH_CPUS := .*", "SWITCH_CPUS := sa1110", text)
    (arm / "switch" / "other" / "facts.mk").write_text(only)

    done = subprocess.run(
        [sys.executable, "-c", DRAWN],
        cwd=tmp_path,
        env={"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    shown = done.stdout.splitlines()
    assert "mine, measured" in shown
    assert "mine" in shown
    assert "assabet-other-test" in shown
    assert "versatile-other-test" not in shown
    guests = ["assabet-mine-test", "assabet-mine-bench-ipc", "assabet-fass-mine-bench-policy"]
    guests += ["versatile-mine-test", "versatile-mine-bench-overheads", "mine-mine-test"]
    assert set(shown).issuperset(guests)

    printed = subprocess.run(
        ["make", "-C", "kernel", "-n", "BOARD=mine", "SWITCH=mine", "POLICY=mine"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert printed.returncode == 0, printed.stderr
    for part in ("board/mine/board.c", "switch/mine/switch_impl.c"):
        assert f"-c arch/arm/{part}" in printed.stdout
    assert "build/guests/mine-mine-mine-test.elf" in printed.stdout
