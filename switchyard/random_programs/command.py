# SPDX-License-Identifier: Apache-2.0
"""The command `switchyard random-programs`: whether fast switching is slower, or loses data.

A program that takes longer than the limit allows in one boot is asked again in several, with both
kernels linked elsewhere and other pages taken: which pages and lines meet in a set decides over a
few per cent. What it takes is then what it takes in these, without the boot that chose it. Where
these say that it is slower, many more are asked: the mean of three is still known to a few per
cent only, of a program whose code does not fit into the caches.
"""

import hashlib
import json
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from rich.console import Console

from switchyard.data import files
from switchyard.data.fields import Fields, parse
from switchyard.errors import InputError, RunError, StoppedError
from switchyard.random_programs import trial
from switchyard.random_programs.trial import Board, Taken
from switchyard.run import build_linux, machine
from switchyard.run.store import readable, sha256
from switchyard.show import terminal

LIMIT = 1.02  # of the unmodified kernel's time
PLACES = 3  # in so many links and boots a program is asked again,
MOST_PLACES = 12  # and in so many if it is slower in these
BATCH = 25  # programs in a boot, after which they are kept

Pair = tuple[Taken, Taken]  # on the unmodified kernel, and switching fast


@dataclass(frozen=True)
class Wish:
    """What a command asks for."""

    board: str
    seeds: Sequence[int]
    kernel: Path | None = None  # the fast one, if not the board's; it is linked in one place alone
    linked: bool = True  # whether kernels are linked elsewhere, or boots differ by pages alone
    check: str | None = None  # who watches the fast kernel, whose times that does not change
    fresh: bool = False


@dataclass(frozen=True)
class Compared:
    """A program on both kernels: the first boot, and those in which it was asked again."""

    seed: int
    pairs: Sequence[Pair]

    def _ratio(self, what: str, pairs: Sequence[Pair]) -> float:
        plain, fast = (sum(getattr(pair[i], what) for pair in pairs) for i in (0, 1))
        return fast / plain if plain else 1.0

    @property
    def first(self) -> float:
        """By how much it takes longer in the boot that all have."""
        return self._ratio("time", self.pairs[:1])

    @property
    def ratio(self) -> float:
        """By how much it takes longer."""
        return self._ratio("time", self.pairs[1:] or self.pairs)

    @property
    def whole(self) -> float:
        """Fast over unmodified, with beginning and end of the programs."""
        return self._ratio("whole", self.pairs[1:] or self.pairs)

    @property
    def wrong(self) -> str:
        """What is wrong with its data, if anything."""
        for plain, fast in self.pairs:
            if plain.failed or fast.failed:
                return f"unmodified: {plain.failed or 'ends'}; fast: {fast.failed or 'ends'}"
            if plain.sum != fast.sum:
                return f"data differ: {plain.sum}, and {fast.sum} when switching fast"
        return ""

    @property
    def suspect(self) -> bool:
        """Whether it must be asked again."""
        return self.first > LIMIT and not self.wrong

    @property
    def over(self) -> bool:
        """Whether fast switching is slower."""
        return self.ratio > LIMIT and not self.wrong

    @property
    def places(self) -> int:
        """In how many places it is to be asked again: all of them count, whatever the first say."""
        if not self.suspect:
            return 0
        first = replace(self, pairs=self.pairs[: 1 + PLACES])
        return MOST_PLACES if len(self.pairs) > PLACES and first.over else PLACES


def kept(name: str) -> Path:
    """Where results of a board go unless told otherwise."""
    return Path("results") / f"random-programs-{name}.json"


def made_of(board: Board, kernel: Path | None) -> str:
    """What results depend on, as a hash."""
    images = (board.plain.kernel, kernel or board.fast.kernel, board.plain.initrd, machine.binary())
    return hashlib.sha256(" ".join(map(sha256, images)).encode()).hexdigest()


def load(path: Path, key: str) -> dict[int, Compared]:
    """Results that are kept, if they are of these kernels and programs."""
    if not path.exists():
        return {}
    entries = Fields(parse(readable(path).read_bytes(), str(path)), str(path))
    if entries.text("of") != key:
        return {}
    seeds = entries.inner("seeds")
    return {int(name): Compared(int(name), seeds.items(name, _pair)) for name in seeds.names()}


def _pair(value: object, where: str) -> Pair:
    pair = Fields(value, where)
    return _taken(pair.inner("plain")), _taken(pair.inner("fast"))


def _taken(entry: Fields) -> Taken:
    return Taken.of(entry.whole, entry.text("counts"), entry.text("failed"))


def save(path: Path, key: str, results: Mapping[int, Compared]) -> None:
    """All results, by seed."""
    seeds = {
        str(seed): [{"plain": asdict(plain), "fast": asdict(fast)} for plain, fast in found.pairs]
        for seed, found in sorted(results.items())
    }
    files.write(path, json.dumps({"of": key, "seeds": seeds}, indent=1) + "\n")


def ask(board: Board, wish: Wish, seeds: Sequence[int], number: int) -> dict[int, Pair]:
    """One boot of each kernel."""
    plain = trial.boot(board.plain, None, seeds, number)
    fast = trial.boot(board.fast, wish.kernel, seeds, number, wish.check)
    return {seed: (plain[seed], fast[seed]) for seed in seeds}


def compare(wish: Wish, file: Path, err: Console) -> list[Compared]:
    """Runs what is not known yet; keeps it after each boot."""
    board = trial.board(wish.board)
    if wish.kernel is not None and not wish.kernel.is_file():
        raise InputError(f"--kernel {wish.kernel}: expected a file: a zImage")
    files.writable(file)
    build_linux.ensure([board.plain, board.fast])
    key = made_of(board, wish.kernel)
    results = {} if wish.fresh else load(file, key)
    try:
        left = [seed for seed in wish.seeds if seed not in results]
        for at in range(0, len(left), BATCH):
            batch = left[at : at + BATCH]
            err.print(
                f"random-programs: {at + len(batch)} of {len(left)} on {wish.board}",
                soft_wrap=True,
            )
            for seed, pair in ask(board, wish, batch, 0).items():
                results[seed] = Compared(seed, [pair])
            save(file, key, results)
        for number in range(1, MOST_PLACES + 1):
            again = [
                seed
                for seed in wish.seeds
                if len(results[seed].pairs) <= number <= results[seed].places
            ]
            if not again:
                continue
            most = max(results[seed].places for seed in again)
            err.print(f"random-programs: {len(again)} again, {number} of {most}", soft_wrap=True)
            linked = wish.linked and wish.kernel is None
            moved = trial.elsewhere(board, number) if linked else board
            for seed, pair in ask(moved, wish, again, number).items():
                results[seed] = Compared(seed, [*results[seed].pairs, pair])
            save(file, key, results)
    except KeyboardInterrupt as cause:
        message = f"interrupted; {len(results)} programs are kept in {file}, and not run again"
        raise StoppedError(message, cause) from None
    return [results[seed] for seed in wish.seeds]


def listed(out: Console, name: str, found: Sequence[Compared], form: str) -> None:
    """Shows what stands out, and the distribution; `RunError` if it is slower or wrong."""
    shown = [one for one in found if one.suspect or one.wrong]
    shown.sort(key=lambda one: (bool(one.wrong), one.ratio), reverse=True)
    rows = [
        [
            str(one.seed),
            f"{one.ratio:.3f}",
            f"{one.first:.3f}",
            f"{one.whole:.3f}",
            one.wrong or one.pairs[-1][1].counts,
        ]
        for one in shown
    ]
    columns = ["seed", "again", "first boot", "from first to last", "counted, or what is wrong"]
    whole = [
        {
            "seed": one.seed,
            "ratio": one.ratio,
            "ratio_first_boot": one.first,
            "ratio_whole": one.whole,
            "wrong": one.wrong,
            "displaced": [pair.displaced for pair in one.pairs[0]],
            "counts": one.pairs[-1][1].counts,
        }
        for one in found
    ]
    table = terminal.Shown(f"Random programs on {name} that stood out in one boot", columns, rows)
    terminal.listing(out, table, form, whole)
    if form == "table":
        out.print(distribution(name, found), soft_wrap=True)
    wrong = [str(one.seed) for one in found if one.wrong]
    if wrong:
        raise RunError(f"{name}: seeds with wrong data, or that do not end: {', '.join(wrong)}")
    over = [f"{one.seed} ({one.ratio:.3f})" for one in found if one.over]
    if over:
        raise RunError(f"{name}: {len(over)} programs over {LIMIT}: {', '.join(over)}")


def distribution(name: str, found: Sequence[Compared]) -> str:
    """Of all programs, in a line."""
    ratios = [one.ratio for one in found if not one.wrong]
    if not ratios:
        return f"{name}: no program without a fault"
    return (
        f"{name}: {len(ratios)} programs take {min(ratios):.3f} to {max(ratios):.3f} of the "
        f"unmodified kernel's time, in the median {statistics.median(ratios):.3f}; "
        f"{sum(one.over for one in found)} over {LIMIT}"
    )


def print_shapes(out: Console, wish: Wish) -> None:
    """What programs do."""
    board = trial.board(wish.board)
    build_linux.ensure([board.plain])
    out.out(trial.shapes(board.plain, wish.seeds), end="", highlight=False)
