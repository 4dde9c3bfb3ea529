# SPDX-License-Identifier: Apache-2.0
"""Going back with gdb-multiarch: to the instruction before, to the last breakpoint, to the last
write of a word, to the beginning; and a run that went back and forth is the run that did not."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from debugger import PROGRAM, ROOT, RUN, debug, show
from patience import SECONDS
from simulator import machine_binary

pytestmark = pytest.mark.guests

PC_IMAGE = ROOT / "build" / "guests" / "isa-pc-bare-bench-compute.elf"
PC_RUN = ["boot", "--machine", "p4-willamette", "--kernel", str(PC_IMAGE), "--append", "rounds=1"]
GUESTS = ROOT / "machine" / "tests"

ARM_REGISTERS = [*(f"r{n}" for n in range(13)), "sp", "lr", "pc", "cpsr", "ttb", "dacr", "pid"]
PC_REGISTERS = ["eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi", "eflags", "eip"]


def alone(run: list[str], stats: Path) -> str:
    """What a run writes that nobody watches."""
    done = subprocess.run(
        [machine_binary(), *run, "--stats", str(stats)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    return done.stdout


@pytest.mark.parametrize(
    ("run", "symbols", "start", "registers"),
    [
        pytest.param(RUN, PROGRAM, "main", ARM_REGISTERS, id="arm"),
        pytest.param(PC_RUN, PC_IMAGE, "main", PC_REGISTERS, id="pc"),
    ],
)
def test_there_and_back(
    run: list[str], symbols: Path, start: str, registers: list[str], tmp_path: Path
) -> None:
    """Forty steps on, forty back, forty on: at each the registers are the same. Then on to the end,
    and statistics and console are those of a run that nobody watched."""
    stats = [tmp_path / name for name in ("with", "without")]
    steps, pc = 40, registers[-1] if "eip" in registers else "pc"
    script = [f"break *{start}", "continue", "delete", show(*registers)]
    script += ["stepi", show(*registers)] * steps
    script += ["reverse-stepi", show(*registers)] * steps
    script += ["stepi", show(*registers)] * steps
    script += [f"reverse-stepi {steps + 1000}", show(*registers), "stepi 1000", show(*registers)]
    script += ["continue"]
    session = debug("\n".join(script), "--stats", str(stats[0]), symbols=symbols, run=run)
    seen = [
        {name: session.shown[name][n] for name in registers} for n in range(len(session.shown[pc]))
    ]
    there = seen[: steps + 1]
    assert len({state[pc] for state in there}) > 5
    assert seen[steps : 2 * steps + 1] == there[::-1]
    assert seen[2 * steps : 3 * steps + 1] == there
    assert seen[-1] == there[0]
    assert seen[-2] != there[0]
    assert session.status == 0
    assert session.console == alone(run, stats[1])
    assert stats[0].read_bytes() == stats[1].read_bytes(), "going back changed the run"


def test_breakpoints_are_met_in_reverse(tmp_path: Path) -> None:
    """The same stops on the way back as on the way there, at the same cycles; then the beginning,
    from which the run is the same again."""
    stats = [tmp_path / name for name in ("with", "without")]
    stop = [show("pc", "sp"), "monitor cycles"]
    script = ["break *kernel_main", "hbreak *sched_init", "break *0xffff0018"]
    script += ["continue", *stop] * 3 + ["stepi 5000", *stop]
    script += ["reverse-continue", *stop] * 3 + ["reverse-continue", *stop]
    script += ["continue", *stop] * 3
    script += ["reverse-stepi", *stop, "continue", *stop, "delete", "continue"]
    session = debug("\n".join(script), "--stats", str(stats[0]))
    cycles = [int(n) for n in re.findall(r"^(\d+) cycles, ", session.said, re.M)]
    seen = list(zip(cycles, session.shown["pc"], session.shown["sp"], strict=True))
    there, later, back, beginning = seen[:3], seen[3], seen[4:7], seen[7]
    again, interrupted, vector = seen[8:11], *seen[11:]
    assert [*there, later] == sorted([*there, later]), "in the order of their cycles"
    assert back == there[::-1]
    assert beginning[0] == 0
    assert again == there
    # back from the interrupt's vector is the instruction that was interrupted
    assert interrupted[1] != vector[1] == 0xFFFF0018
    assert interrupted[0] <= vector[0]
    assert vector == there[2]
    assert session.said.count("No more reverse-execution history.") == 1
    assert session.console == alone(RUN, stats[1])
    assert stats[0].read_bytes() == stats[1].read_bytes(), "going back changed the run"


@pytest.mark.parametrize(
    ("run", "symbols", "variable", "pc", "steps"),
    [
        pytest.param(RUN, PROGRAM, "num_passed", "pc", 20_000, id="arm"),
        pytest.param(PC_RUN, PC_IMAGE, "numbers", "eip", 200, id="pc"),
    ],
)
def test_the_last_write(run: list[str], symbols: Path, variable: str, pc: str, steps: int) -> None:
    """A watchpoint leads from anywhere later back to the store, and shows both values."""
    script = f"""
        break *main
        continue
        delete
        watch *(unsigned*)&{variable}
        continue
        {show(pc)}
        monitor cycles
        delete
        stepi {steps}
        watch *(unsigned*)&{variable}
        reverse-continue
        {show(pc)}
        stepi
        {show(pc)}
        monitor cycles
        reverse-continue
        {show(pc)}
        kill
        """
    session = debug(
        "\n".join(line.strip() for line in script.splitlines()), symbols=symbols, run=run
    )
    behind, store, behind_again, store_again = session.shown[pc]
    values = re.findall(r"^Old value = (\d+)\nNew value = (\d+)", session.said, re.M)
    there, back, again = values[:3]
    assert there == back[::-1] == again, session.said
    assert store < behind == behind_again
    assert store_again == store
    before, after = re.findall(r"^(\d+) cycles, ", session.said, re.M)
    assert before == after


def test_a_change_makes_another_future() -> None:
    """What the debugger changes is there on the way back up to that point, not before, and again on
    the way there; what came later than a change in the past is gone."""
    script = f"""
        break *kernel_main
        continue
        delete
        {show("r3")}
        stepi 10
        set var $r3 = 0x1234
        stepi
        reverse-stepi
        {show("r3")}
        reverse-stepi
        {show("r3")}
        stepi
        {show("r3")}
        stepi 100
        reverse-stepi 105
        set var $r12 = 0x5678
        {show("r12")}
        reverse-stepi
        stepi
        {show("r12")}
        kill"""
    session = debug("\n".join(line.strip() for line in script.splitlines()))
    _, changed, before, again = session.shown["r3"]
    assert changed == again == 0x1234
    assert before != 0x1234
    assert session.shown["r12"] == [0x5678, 0x5678]


def built(name: str, folder: Path) -> Path:
    """One of the guests of `machine/tests`, which read no counters."""
    (folder / "counters.h").touch()
    file = folder / f"{name}.elf"
    command = ["make", "-s", "-C", str(GUESTS), f"OUT={folder}", str(file)]
    environment = dict(os.environ)
    environment.setdefault("CC", f"{sys.executable} -m ziglang cc")
    subprocess.run(command, env=environment, check=True, timeout=SECONDS)
    return file


def test_from_a_finding_to_the_store(tmp_path: Path) -> None:
    """The checker finds that code was executed which had not been cleaned from the data cache; the
    last write of it is the line of the program that a flush is missing after."""
    guest = built("memory/stale_instruction", tmp_path)
    script = f"""
        continue
        continue
        monitor findings
        watch *(unsigned*)0x0a000000
        reverse-continue
        {show("pc")}
        monitor findings
        delete
        continue
        """
    run = ["boot", "--machine", "sa1110", "--kernel", str(guest)]
    commands = "\n".join(line.strip() for line in script.splitlines())
    session = debug(commands, "--check", "coherence", symbols=guest, run=run)
    assert session.said.count("received signal SIGTRAP") == 2, "one for each kind of finding"
    assert session.said.count("code-not-cleaned: ") == 2, "it is still known in the past"
    source = GUESTS / "memory" / "stale_instruction.S"
    stops = re.findall(r"stale_instruction\.S:(\d+)\n", session.said)
    assert source.read_text().splitlines()[int(stops[-1]) - 1].split() == ["str", "r1,", "[r4]"]
    named = re.search(r"last written by pc 0x(\w+) at mva 0x0a000000", session.said)
    assert named
    assert session.shown["pc"] == [int(named[1], 16)], "the checker names it, too"
    assert "exited normally" in session.said
