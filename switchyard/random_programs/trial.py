# SPDX-License-Identifier: Apache-2.0
"""A boot of Linux that runs random programs (`linux/user/random.c`), and what it says of each."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from switchyard.errors import InputError, RunError, one_of
from switchyard.run import build_linux, machine
from switchyard.run.build_linux import ARM920, SYSTEMS, Linux

# Enough for the programs of a boot, of which one takes some 20 million and one that hangs is ended
# by its own clock.
MAX_CYCLES = 60_000_000_000
# By how many pages boots differ: as those of experiments do (linux_suite.py).
TOGETHER = 3  # so many links move all code alike (linux/shift)
HELD = 37

LINE = re.compile(r"RANDOM ((?:\w+=\d+ ?)+)$")
COUNTS = re.compile(r"COUNTS(?P<counts>.*)$")
FAILED = re.compile(r"FAIL seed=(?P<seed>\d+)$")
NUMBER = re.compile(r"(\w+)=(\d+)")


@dataclass(frozen=True)
class Taken:
    """What one program took on one kernel, in nanoseconds, and what it found."""

    sum: int  # of all data that it read
    rounds: int
    time: int  # of all rounds
    median: int  # of a round
    whole: int  # from its first fork() to the end of its last process
    displaced: int  # mappings whose place something else had
    counts: str = ""  # what the kernel counts of fast switching
    failed: str = ""  # what it said if it came to no end

    @staticmethod
    def of(read: Callable[[str], int], counts: str = "", failed: str = "") -> "Taken":
        """With numbers that are read by their names."""
        numbers = (read(name) for name in ("sum", "rounds", "time", "median", "whole", "displaced"))
        total, rounds, time, median, whole, displaced = numbers
        return Taken(total, rounds, time, median, whole, displaced, counts, failed)


NOTHING = Taken(0, 0, 0, 0, 0, 0)


@dataclass(frozen=True)
class Board:
    """The two kernels of a processor."""

    plain: Linux
    fast: Linux


BOARDS = {
    system.config: Board(system, (SYSTEMS | ARM920)[f"{name}-fass"])
    for name, system in (SYSTEMS | ARM920).items()
    if f"{name}-fass" in SYSTEMS | ARM920
}


def board(name: str) -> Board:
    """The board of that name."""
    if name not in BOARDS:
        raise InputError(f"board {name}: unknown; {one_of(name, BOARDS)}")
    return BOARDS[name]


def numbers(text: str) -> list[int]:
    """Seeds as they are given: `1-100,205`."""
    chosen: list[int] = []
    for part in text.split(","):
        match = re.fullmatch(r"(\d{1,9})(?:-(\d{1,9}))?", part)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
        if not 0 < first <= last:
            raise InputError(f"--seeds {text}: expected numbers above 0 and ranges, as 1-100,205")
        chosen += range(first, last + 1)
    return list(dict.fromkeys(chosen))


def packed(seeds: Sequence[int]) -> str:
    """Seeds as the program takes them: ranges keep a kernel's command line short."""
    parts: list[list[int]] = []
    for seed in seeds:
        if parts and parts[-1][-1] == seed - 1:
            parts[-1][1:] = [seed]
        else:
            parts.append([seed])
    return ",".join("-".join(map(str, part)) for part in parts)


def read(console: str) -> dict[int, Taken]:
    """What a boot's programs took, by their seeds."""
    found: dict[int, Taken] = {}
    said: list[str] = []  # since the last program
    seed = 0
    for line in console.replace("\r", "").splitlines():
        if match := LINE.match(line):
            values = {name: int(value) for name, value in NUMBER.findall(match[1])}
            seed = values["seed"]
            found[seed] = Taken.of(values.__getitem__)
        elif match := COUNTS.match(line):
            found[seed] = replace(found[seed], counts=match["counts"].strip())
        elif match := FAILED.match(line):
            found[int(match["seed"])] = replace(
                NOTHING, failed=" ".join(said[-2:]).strip() or "no end"
            )
        else:
            said.append(line.strip())
            continue
        said = []
    return found


def boot(
    system: Linux,
    kernel: Path | None,
    seeds: Sequence[int],
    number: int,
    check: str | None = None,
) -> Mapping[int, Taken]:
    """One boot, the `number`th of these seeds; `kernel` in place of the system's own.

    The coherence checker, if it is to `check`, changes no time; what it finds is a `RunError`.
    """
    words = f"quiet -- hold={1 + HELD * number} run /bin/random seeds={packed(seeds)}"
    described = system.boot(MAX_CYCLES, words)
    described = replace(described, kernel=kernel or described.kernel, check=check)
    run = machine.run(described)
    found = read(run.console)
    missing = [seed for seed in seeds if seed not in found]
    if missing:
        last = " | ".join(run.console.replace("\r", "").splitlines()[-3:])
        raise RunError(f"{system.name}: seed {missing[0]}: no result; the console ends: {last}")
    return found


def shapes(system: Linux, seeds: Sequence[int]) -> str:
    """What the programs do, as they say it themselves."""
    word = f"quiet -- run /bin/random show=1 seeds={packed(seeds)}"
    text = machine.run(system.boot(MAX_CYCLES, word)).console.replace("\r", "")
    return "".join(
        f"{line}\n" for line in text.splitlines() if line.startswith(("PLAN", "  area", "  proc"))
    )


def elsewhere(board: Board, number: int) -> Board:
    """Both kernels linked in another place, and in none of those that keep their code together."""
    shift = TOGETHER + number
    moved = Board(replace(board.plain, shift=shift), replace(board.fast, shift=shift))
    build_linux.ensure([moved.plain, moved.fast])
    return moved
