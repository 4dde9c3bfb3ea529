# SPDX-License-Identifier: Apache-2.0
"""The exercise book: `switchyard new exercise NAME` begins one, `switchyard grade` grades it.

An exercise is a folder in `switchyard/exercises`: the task, what one begins with, and a solution. A
grade is measured each time, by machines that run what was handed in; no answer is kept here.
"""

import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from switchyard.data import files
from switchyard.errors import InputError, one_of
from switchyard.run import build, machine, tree
from switchyard.run.interactive import Machine
from switchyard.run.machine import Boot, Run

BOOK = Path(__file__).parent.parent / "exercises"
COMMON = BOOK / "common"
SOLUTION = "solution"
FLAGS = [
    "--target=arm-freestanding-eabi",
    "-mcpu=arm926ej_s",
    "-O2",
    "-g",
    "-ffreestanding",
    "-nostdlib",
    "-static",
    "-fno-sanitize=undefined",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-Wno-unused-function",
]
MOST_CYCLES = 400_000_000
BOARD = "versatilepb"
# L4's events, as its kernel reports them (kernel/events.h).
RECYCLED = 3
LARGE = 14  # a small space has left its region


@dataclass(frozen=True)
class Point:
    """Something that a grade asks for, whether it holds, and what was seen."""

    asked: str
    good: bool
    seen: str


Grader = Callable[[Path], list[Point]]


def names() -> list[str]:
    """All exercises."""
    return sorted(folder.name for folder in BOOK.iterdir() if (folder / SOLUTION).is_dir())


def begin(name: str, folder: Path) -> list[Path]:
    """Writes an exercise into a folder of its name; what was written."""
    if name not in names():
        raise InputError(f"{name}: unknown exercise; {one_of(name, names())}")
    home = folder / name
    if home.exists():
        raise InputError(f"{home}: is there; expected another folder")
    written = []
    for file in sorted(file for file in (BOOK / name).iterdir() if file.is_file()):
        files.write(home / file.name, file.read_bytes())
        written.append(home / file.name)
    return written


def grade(folder: Path) -> list[Point]:
    """What holds of the exercise in a folder, which has its name."""
    name = folder.resolve().name
    if name == SOLUTION:
        name = folder.resolve().parent.name
    if name not in GRADERS:
        raise InputError(f"{folder}: no exercise; expected a folder called {one_of(name, names())}")
    return GRADERS[name](folder)


# ---- programs ---------------------------------------------------------------------------------


def _compiled(source: Path) -> Path:
    """The image of an exercise in C."""
    if not source.exists():
        raise InputError(f"{source}: not found; expected the exercise's file")
    image = source.parent / "build" / "exercise.elf"
    image.parent.mkdir(exist_ok=True)
    command = [sys.executable, "-m", "ziglang", "cc", *FLAGS, f"-I{COMMON}"]
    command += [f"-I{tree.sources() / 'include'}", f"-Wl,-T,{COMMON / 'guest.lds'}"]
    done = subprocess.run(
        [*command, str(source), "-o", str(image)], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise InputError(f"{source}: does not compile: {done.stderr.strip().splitlines()[0]}")
    return image


def _ran(image: Path, on: str = BOARD) -> Run:
    boot = Boot(machine.described_in(on), image, max_cycles=MOST_CYCLES, check="coherence")
    return machine.run(boot, must_succeed=False)


def _said(run: Run) -> dict[str, list[int]]:
    """The numbers that it has said, by their names."""
    said: dict[str, list[int]] = {}
    for name, value in re.findall(r"^(\w+)=([0-9a-f]{8})\r?$", run.console, re.M):
        said.setdefault(name, []).append(int(value, 16))
    return said


def _clean(run: Run) -> Point:
    causes = sorted({finding.cause for finding in run.stats.findings})
    return Point("the coherence checker finds nothing", not causes, ", ".join(causes) or "nothing")


def _missing_flush(folder: Path) -> list[Point]:
    run = _ran(_compiled(folder / "exercise.c"))
    said = _said(run)
    values = (said.get("other"), said.get("first"))
    flushed = run.stats.region(1).counters.total("dcache_invalidate_all", "dtlb_invalidate_all")
    return [
        _clean(run),
        Point("the program reads 2, and 1 is not lost", values == ([2], [1]), str(said)),
        Point("by lines and entries, not all", flushed == 0, f"{flushed} operations on all"),
    ]


def _clean_line(folder: Path) -> list[Point]:
    run = _ran(_compiled(folder / "exercise.c"))
    said = _said(run)
    cleaned = run.stats.region(1).counters.total("dcache_clean_line") - 1  # that of the page table
    return [
        _clean(run),
        Point("memory has the 7", said.get("written") == [7], str(said)),
        Point("no line is cleaned that need not be", cleaned <= 1, f"{cleaned} cleaned"),
    ]


def _two_aliases(folder: Path) -> list[Point]:
    source = folder / "exercise.c"
    text = re.sub(r"/\*.*?\*/", "", source.read_text("utf-8"), flags=re.S)
    own = (BOOK / "two-aliases" / "exercise.c").read_text("utf-8")
    own = re.sub(r"/\*.*?\*/", "", own, flags=re.S)

    def rest(code: str) -> list[str]:
        return re.sub(r"#define SECOND .*", "", code).split()

    image = _compiled(source)
    with files.scratch() as scratch:
        described = (tree.sources() / "machine" / "machines" / f"{BOARD}.toml").read_text("utf-8")
        head, _, tail = described.partition("[dcache]")
        one_way = tail.replace("ways = 4", "ways = 1", 1)
        file = scratch / "one-way.toml"
        file.write_text(f"{head}[dcache]{one_way}", encoding="utf-8")
        run = _ran(image, str(file))
    said = _said(run)
    right = said.get("second") == [*range(1, 9)] and said.get("first") == [
        16 * n for n in range(1, 9)
    ]
    return [
        _clean(run),
        Point("each reads what the other wrote", right, str(said)),
        Point("only SECOND was changed", rest(text) == rest(own), "the rest of exercise.c"),
    ]


# ---- answers ----------------------------------------------------------------------------------


def _answer(folder: Path, key: str) -> int:
    file = folder / "answer.toml"
    try:
        answers: dict[str, Any] = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"{file}: {error}; expected `{key} = NUMBER`") from None
    value = answers.get(key)
    if not isinstance(value, int) or not 0 < value < 2**31:
        raise InputError(f"{file}: {key}: expected a whole number")
    return value


def _round_trips(scheme: str, clients: int, on: str = "sa1110") -> dict[str, float]:
    """What a round trip of the IPC benchmark takes and counts."""
    (image,) = build.ensure([build.find(f"assabet-{scheme}-bench-ipc")])
    rounds = 200
    append = f"clients={clients} rounds={rounds} warmup=200"
    boot = Boot(machine.described_in(on), image, append, max_cycles=MOST_CYCLES)
    region = machine.run(boot).stats.region(clients)
    total = region.counters.total
    return {
        "cycles": total("cycles") / rounds,
        "tlb_misses": total("itlb_misses", "dtlb_misses") / rounds,
        "recycled": region.event(RECYCLED) / rounds,
    }


def _domains_run_out(folder: Path) -> list[Point]:
    clients = _answer(folder, "clients")
    if not 2 <= clients <= 64:
        raise InputError(f"clients = {clients}: expected from 2 to 64, which the benchmark takes")
    here, before = (_round_trips("fass", n)["recycled"] for n in (clients, clients - 1))
    return [
        Point("with so many, domains are recycled", here > 0.01, f"{here:.2f} a round trip"),
        Point("with one less, none is", before <= 0.01, f"{before:.2f} a round trip"),
    ]


def _lose_to_the_tlb(folder: Path) -> list[Point]:
    entries = _answer(folder, "entries")

    def with_entries(count: int) -> dict[str, float]:
        described = (tree.sources() / "machine" / "machines" / "sa1110.toml").read_text("utf-8")
        text = re.sub(r"^entries = 32$", f"entries = {count}", described, flags=re.M)
        with files.scratch() as scratch:
            file = scratch / "small-tlb.toml"
            file.write_text(text, encoding="utf-8")
            return _round_trips("fass", 8, str(file))

    here, twice = with_entries(entries), with_entries(2 * entries)
    enough = _round_trips("fass", 8)
    return [
        Point(
            "a round trip takes twice the time of one with 32 entries",
            here["cycles"] >= 2 * enough["cycles"],
            f"{here['cycles']:.0f} cycles, {here['tlb_misses']:.1f} TLB misses, "
            f"beside {enough['cycles']:.0f}",
        ),
        Point(
            "with twice the entries it does not",
            twice["cycles"] < 2 * enough["cycles"],
            f"{twice['cycles']:.0f} cycles, {twice['tlb_misses']:.1f} TLB misses",
        ),
    ]


def _small_space(folder: Path) -> list[Point]:
    file = folder / "break_out.py"
    scope: dict[str, Any] = {}
    try:
        exec(compile(file.read_text("utf-8"), str(file), "exec"), scope)  # noqa: S102  # the user's own
        break_out = scope["break_out"]
    except (OSError, SyntaxError, KeyError) as error:
        raise InputError(f"{file}: {error}; expected a function break_out(registers)") from None
    (image,) = build.ensure([build.find("isa-pc-small-spaces-bench-ipc")])
    with Machine("p4-willamette").boot(image, append="clients=2 rounds=1000") as system:
        system.run_until(console="OVERHEAD")
        # to a program in a small space that has its stack, between two instructions
        while not (system["ds_base"] and system["cs"] & 3 == 3 and system["esp"]):
            system.run(2_003)
        before = dict(system.registers)
        break_out(system.registers)
        changed = [name for name, value in before.items() if system[name] != value]
        system.run(1_000_000)  # the programs do not come to their end
        events = json.loads(system.remote.monitor("counters"))["events"]
        large = events.get(str(LARGE), 0)
    return [
        Point("one register was changed", len(changed) == 1, ", ".join(changed) or "none"),
        Point("the space is a large one now", large == 1, f"{large} became large"),
    ]


GRADERS: dict[str, Grader] = {
    "missing-flush": _missing_flush,
    "clean-line": _clean_line,
    "two-aliases": _two_aliases,
    "lose-to-the-tlb": _lose_to_the_tlb,
    "domains-run-out": _domains_run_out,
    "small-space": _small_space,
}


def passed(points: Sequence[Point]) -> bool:
    """Whether all that is asked for holds."""
    return all(point.good for point in points)
