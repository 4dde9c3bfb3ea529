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
from switchyard.tools import student_code
from switchyard.tools.layout.elf import EXECUTABLE, MACHINE_ARM, Elf

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
# Of an exercise in C: a quarter of a second, of which a solution needs the hundredth part.
PROGRAM_CYCLES = 50_000_000
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
    if not folder.is_dir():
        raise InputError(f"{folder}: no such folder; expected that of an exercise")
    name = folder.resolve().name
    if name == SOLUTION:
        name = folder.resolve().parent.name
    if name not in GRADERS:
        expected = one_of(name, names())
        raise InputError(f"{folder}: not named as an exercise; {expected}")
    return GRADERS[name](folder)


# ---- programs ---------------------------------------------------------------------------------

# What of a template is the student's: a function's body, or the value of a macro.
BODY = r"(?<=static void {}\(void\) \{{\n).*?(?=^\}})"
VALUE = r"(?<=#define {} ).*?$"
# What one of the student's parts may not do: answer in place of the program, or end it.
ANSWERS = re.compile(r"\bsay|\bprobe\b|\basm\b|__asm__|^\s*#", re.M)
# Values of a name that are shown.
SHOWN = 4


def _compiled(source: Path) -> Path:
    """The image of an exercise in C."""
    if not source.is_file():
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
    symbols = {symbol.name for symbol in Elf(image, EXECUTABLE, (MACHINE_ARM,)).symbols}
    if not {"exercise", "begin"} <= symbols:
        raise InputError(
            f"{source}: no function exercise; expected the template, and in it a change"
        )
    return image


def _text(file: Path) -> str:
    """A file's lines without comments."""
    try:
        text = file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{file}: {error}; expected the exercise's file") from None
    return re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.S)


def _only(source: Path, *parts: str) -> Point:
    """Whether nothing but these parts of the template was changed."""
    template = BOOK / _exercise_of(source) / "exercise.c"

    def without(code: str) -> list[str]:
        for part in parts:
            code = re.sub(part, "", code, flags=re.S | re.M)
        return code.split()

    code = _text(source)
    own = [found for part in parts for found in re.findall(part, code, re.S | re.M)]
    if without(code) != without(_text(template)):
        seen = "the rest of exercise.c was, too"
    elif any(ANSWERS.search(part) for part in own):
        seen = "it says or ends what the rest of exercise.c should"
    else:
        return Point("only what is yours was changed", True, "the rest is as it was")
    return Point("only what is yours was changed", False, seen)


def _exercise_of(source: Path) -> str:
    folder = source.resolve().parent
    return folder.parent.name if folder.name == SOLUTION else folder.name


def _ran(image: Path, on: str = BOARD) -> Run:
    boot = Boot(machine.described_in(on), image, max_cycles=PROGRAM_CYCLES, check="coherence")
    return machine.run(boot, must_succeed=False)


def _said(run: Run) -> dict[str, list[int]]:
    """The numbers that it has said, by their names."""
    said: dict[str, list[int]] = {}
    for name, value in re.findall(r"^(\w+)=([0-9a-f]{8})\r?$", run.console, re.M):
        said.setdefault(name, []).append(int(value, 16))
    return said


def _shown(said: dict[str, list[int]]) -> str:
    """What it has said, in a line of bearable length."""
    parts = []
    for name, values in list(said.items())[:SHOWN]:
        more = ", …" if len(values) > SHOWN else ""
        parts.append(f"{name} {', '.join(str(value) for value in values[:SHOWN])}{more}")
    return "; ".join(parts) + ("; …" if len(said) > SHOWN else "") or "it said nothing"


def _clean(run: Run) -> Point:
    """Whether the checker has found something, and where in the exercise."""
    seen: dict[str, None] = {}
    for finding in run.stats.findings:
        line = re.search(r"\bexercise\.c:\d+", finding.line)
        seen[f"{finding.cause} at {line[0]}" if line else finding.cause] = None
    return Point("the coherence checker is silent", not seen, ", ".join(seen) or "it found nothing")


def _graded(run: Run, only: Point, points: Callable[[], list[Point]]) -> list[Point]:
    """These points, if it is the template's program and comes to its end; else none holds."""
    end = run.stats.end
    fault = re.search(r"^fault: (.*) at\s+pc=(\w+)(?:\s+address=(\w+))?", run.console, re.M)
    if not only.good:
        return [only]
    if not end.good:
        seen = end.message or end.kind
        if fault:
            address = f", address 0x{fault[3]}" if fault[3] else ""
            seen = f"a fault: {fault[1]} at 0x{fault[2]}{address}"
        return [Point("the program comes to its end", False, seen)]
    return [*points(), only]


def _missing_flush(folder: Path) -> list[Point]:
    source = folder / "exercise.c"
    run = _ran(_compiled(source))

    def points() -> list[Point]:
        said = _said(run)
        values = (said.get("other"), said.get("first"))
        total = run.stats.region(1).counters.total
        flushed = total("dcache_invalidate_all", "dtlb_invalidate_all")
        return [
            _clean(run),
            Point("the program reads 2, and 1 is not lost", values == ([2], [1]), _shown(said)),
            Point("by lines and entries, not all", flushed == 0, f"{flushed} operations on all"),
        ]

    return _graded(run, _only(source, BODY.format("move")), points)


def _clean_line(folder: Path) -> list[Point]:
    source = folder / "exercise.c"
    run = _ran(_compiled(source))

    def points() -> list[Point]:
        said = _said(run)
        # that of the page table is not the student's
        cleaned = run.stats.region(1).counters.total("dcache_clean_line") - 1
        return [
            _clean(run),
            Point("memory has the 7", said.get("written") == [7], _shown(said)),
            Point("no line is cleaned that need not be", cleaned <= 1, f"{cleaned} cleaned"),
        ]

    macros = [VALUE.format(f"CLEAN_{line}") for line in ("READ", "WRITTEN", "ABSENT")]
    return _graded(run, _only(source, *macros), points)


def _two_aliases(folder: Path) -> list[Point]:
    source = folder / "exercise.c"
    image = _compiled(source)
    with files.scratch() as scratch:
        described = (tree.sources() / "machine" / "machines" / f"{BOARD}.toml").read_text("utf-8")
        head, _, tail = described.partition("[dcache]")
        one_way = tail.replace("ways = 4", "ways = 1", 1)
        file = scratch / "one-way.toml"
        file.write_text(f"{head}[dcache]{one_way}", encoding="utf-8")
        run = _ran(image, str(file))

    def points() -> list[Point]:
        said = _said(run)
        right = said.get("second") == [*range(1, 9)] and said.get("first") == [
            16 * n for n in range(1, 9)
        ]
        return [
            _clean(run),
            Point("each reads what the other wrote", right, _shown(said)),
        ]

    return _graded(run, _only(source, VALUE.format("SECOND")), points)


# ---- answers ----------------------------------------------------------------------------------


def _answer(folder: Path, key: str, expected: str, fits: Callable[[int], bool]) -> int:
    """The number that `answer.toml` has."""
    file = folder / "answer.toml"
    try:
        answers: dict[str, Any] = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"{file}: {error}; expected `{key} = NUMBER`") from None
    for name in answers:
        if name != key:
            raise InputError(f"{file}: {name}: unknown; expected `{key} = NUMBER`")
    value = answers.get(key)
    if not isinstance(value, int) or isinstance(value, bool) or not fits(value):
        raise InputError(f"{file}: {key} = {json.dumps(value, default=str)}: expected {expected}")
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
    expected = "a whole number from 2 to 64, which the benchmark takes"
    clients = _answer(folder, "clients", expected, lambda n: 2 <= n <= 64)
    here, before = (_round_trips("fass", n)["recycled"] for n in (clients, clients - 1))
    return [
        Point("with so many, domains are recycled", here > 0.01, f"{here:.2f} a round trip"),
        Point("with one less, none is", before <= 0.01, f"{before:.2f} a round trip"),
    ]


def _lose_to_the_tlb(folder: Path) -> list[Point]:
    expected = "a power of two from 1 to 16: half of what the processor has"
    entries = _answer(folder, "entries", expected, lambda n: n in (1, 2, 4, 8, 16))

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
    if not file.is_file():
        raise InputError(f"{file}: not found; expected the exercise's file")
    (image,) = build.ensure([build.find("isa-pc-small-spaces-bench-ipc")])
    with Machine("p4-willamette").boot(image, append="clients=2 rounds=1000") as system:
        system.run_until(console="OVERHEAD")
        # to a program in a small space that has its stack, between two instructions
        while not (system["ds_base"] and system["cs"] & 3 == 3 and system["esp"]):
            system.run(2_003)
        changed = student_code.changed_by(file, dict(system.registers))
        for name, value in changed.items():
            system.registers[name] = value
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
