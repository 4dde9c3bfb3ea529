# SPDX-License-Identifier: Apache-2.0
"""Linux programs drawn from seeds: equal data on both kernels, and how their times are judged."""

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from switchyard import cli
from switchyard.errors import InputError, RunError
from switchyard.random_programs import command, trial
from switchyard.random_programs.command import Compared, Wish
from switchyard.random_programs.trial import NOTHING, Taken
from switchyard.run import build_linux

# Such as have been slower, each for a reason of its own: private memory after a fork(), the same
# with messages in it, memory that grows in slots beside a futex of 18, members that give up rights,
# a futex of 12 in a chain, a file at the same address below 32 MB in 18, a file that is mapped anew
# each time.
FEW = (2, 4, 25, 83, 89, 141, 224)
BOARDS = ["sa1110", "versatilepb"]
TICK = 10_000_000  # nanoseconds
CONSOLE = """init: user space after 183 ms\r
RANDOM seed=7 sum=11 rounds=5 time=1000 median=200 whole=1500 displaced=1\r
COUNTS 12 switches, 3 flushes\r
  random_memory.c:99: expected at != MAP_FAILED (error 12)\r
FAIL seed=8\r
RANDOM seed=9 sum=12 rounds=6 time=3000 median=500 whole=3100 displaced=0\r
RESULT seeds=3 failed=1\r
"""


def taken(time: int, total: int = 1) -> Taken:
    return replace(NOTHING, sum=total, time=time, whole=time + 10)


def compared(*times: tuple[int, int], seed: int = 1) -> Compared:
    return Compared(seed, [(taken(plain), taken(fast)) for plain, fast in times])


def judged(found: Sequence[Compared], form: str = "table") -> str:
    console = Console(width=110)
    with console.capture() as capture:
        command.listed(console, "a-board", found, form)
    return capture.get()


@pytest.mark.linux
@pytest.mark.slow
@pytest.mark.guests
@pytest.mark.parametrize("name", BOARDS)
def test_few_programs_find_the_same_data_and_are_not_slower(name: str, tmp_path: Path) -> None:
    """And the checker finds nothing."""
    wish = Wish(name, FEW, linked=False, check="coherence")
    found = command.compare(wish, tmp_path / "results.json", Console(stderr=True))
    command.listed(Console(), name, found, "table")  # raises
    pairs = [one.pairs[0] for one in found]
    assert all(plain.rounds == fast.rounds > 0 for plain, fast in pairs)
    assert len({plain.sum for plain, _ in pairs}) == len(FEW)
    switches = [re.match(r"\d+", fast.counts) for _, fast in pairs]
    assert sum(int(match[0]) for match in switches if match) > 100 * len(FEW)


@pytest.mark.linux
@pytest.mark.slow
@pytest.mark.guests
def test_rounds_shorter_than_a_tick_have_one_on_neither_kernel() -> None:
    """A tick takes several of its rounds, and once was in those of the fast kernel alone."""
    board = trial.board("sa1110")
    build_linux.ensure([board.plain, board.fast])
    plain, fast = (trial.boot(one, None, [446], 0)[446] for one in (board.plain, board.fast))
    assert plain.sum == fast.sum
    assert plain.time < TICK
    assert fast.time == pytest.approx(plain.time, rel=command.LIMIT - 1)


@pytest.mark.linux
@pytest.mark.slow
@pytest.mark.guests
def test_all_kinds_are_drawn() -> None:
    board = trial.board("sa1110")
    build_linux.ensure([board.plain])
    text = trial.shapes(board.plain, range(1, 61))
    assert text.count("PLAN") == 60
    words = set(re.findall(r"[a-z]+", text))
    assert words >= {"private", "shared", "anonymous", "file", "segment", "heap", "growing"}
    assert words >= {"anywhere", "hinted", "fixed", "together"}
    assert words >= {"pipe", "fifo", "socket", "futex", "data", "stack", "mapped"}
    assert words >= {"touch", "static", "compute", "calls", "thread", "files", "signals"}
    assert words >= {"protect", "renew", "resize", "grow", "discard", "fork", "execute"}


@pytest.mark.long
@pytest.mark.linux
@pytest.mark.guests
@pytest.mark.parametrize("name", BOARDS)
def test_no_program_of_500_is_slower(name: str, tmp_path: Path) -> None:
    wish = Wish(name, trial.numbers("1-500"))
    found = command.compare(wish, tmp_path / "results.json", Console(stderr=True))
    command.listed(Console(), name, found, "table")


def test_a_console_is_read() -> None:
    found = trial.read(CONSOLE)
    assert found == {
        7: Taken(11, 5, 1000, 200, 1500, 1, "12 switches, 3 flushes"),
        8: replace(NOTHING, failed="random_memory.c:99: expected at != MAP_FAILED (error 12)"),
        9: Taken(12, 6, 3000, 500, 3100, 0),
    }


def test_seeds_are_numbers_and_ranges() -> None:
    assert trial.numbers("3,7-9,8") == [3, 7, 8, 9]
    assert trial.packed([3, 7, 8, 9, 11]) == "3,7-9,11"
    assert trial.numbers(trial.packed(range(1, 501))) == list(range(1, 501))


@pytest.mark.parametrize("seeds", ["", "0", "5-3", "1,", "a", "1-2-3", "-1", "1234567890"])
def test_other_seeds_are_refused(seeds: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.execute(["random-programs", "sa1110", f"--seeds={seeds}"]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert f"--seeds {seeds}: expected numbers above 0 and ranges" in " ".join(said.split())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["i386"], "board i386: unknown; expected one of sa1110, versatilepb, versatile920"),
        (["sa1110", "--kernel", "no/kernel"], "--kernel no/kernel: expected a file"),
    ],
)
def test_other_words_are_refused(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.execute(["random-programs", *arguments]) == 2
    text = capsys.readouterr().err
    assert text.count("\n") == 1
    assert said in text


def test_what_is_slower_in_one_boot_is_asked_again() -> None:
    once = compared((1000, 1030))
    assert once.suspect
    assert once.over
    again = compared((1000, 1030), (1000, 1010), (2000, 2010))
    assert again.suspect
    assert not again.over
    assert again.ratio == pytest.approx(3020 / 3000)  # without the boot that chose it
    assert compared((1000, 1030), (1000, 1010), (2000, 2120)).over
    assert not compared((1000, 1020)).suspect


def test_what_is_slower_in_a_few_places_is_asked_in_many() -> None:
    """In all of them, though the mean may fall below the limit sooner: that would choose places."""
    slow, even = (1000, 1040), (1000, 990)
    assert compared((1000, 1000)).places == 0
    assert compared(slow).places == command.PLACES
    assert compared(slow, even, even, even).places == command.PLACES
    assert compared(slow, slow, slow, slow).places == command.MOST_PLACES
    many = compared(slow, slow, slow, slow, *[even] * 6)
    assert many.places == command.MOST_PLACES
    assert not many.over


def test_what_is_slower_is_an_error() -> None:
    good, slow = compared((1000, 900)), compared((1000, 1100), (1000, 1090), seed=5)
    text = judged([good, replace(good, seed=2)])
    assert "2 programs take 0.900 to 0.900" in text
    with pytest.raises(RunError, match=r"a-board: 1 programs over 1.02: 5 \(1.090\)$"):
        judged([good, slow])


@pytest.mark.parametrize("fast", [taken(900, 2), replace(NOTHING, failed="a fault")])
def test_other_data_are_an_error(fast: Taken) -> None:
    wrong = Compared(6, [(taken(1000, 1), fast)])
    assert not wrong.suspect
    with pytest.raises(RunError, match=r"a-board: seeds with wrong data.*: 6$"):
        judged([compared((1000, 900)), wrong])


def test_all_programs_are_listed_for_programs() -> None:
    found = [compared((1000, 900)), compared((1000, 1015), seed=2)]
    whole = json.loads(judged(found, "json"))
    assert [entry["seed"] for entry in whole] == [1, 2]
    assert whole[1]["ratio"] == pytest.approx(1.015)


def test_results_are_kept_for_the_same_kernels(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    assert command.load(path, "these") == {}
    found = {1: compared((1000, 900)), 2: compared((1000, 1030), (1000, 1000), seed=2)}
    command.save(path, "these", found)
    assert command.load(path, "these") == found
    assert command.load(path, "others") == {}
    path.write_text("[]")
    with pytest.raises(InputError, match="expected an object"):
        command.load(path, "these")


def test_a_run_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs that are kept are not run again, nor asked again more often than in all places."""
    asked: list[tuple[str, list[int], int]] = []

    def boot(
        system: build_linux.Linux, _kernel: object, seeds: Sequence[int], number: int, *_: object
    ) -> dict[int, Taken]:
        asked.append((system.name, list(seeds), number))
        slower = 50 if system.name.endswith("fass") else 0
        return {seed: taken(1000 + (slower if seed == 3 else 0)) for seed in seeds}

    monkeypatch.setattr(trial, "boot", boot)
    monkeypatch.setattr(command, "made_of", lambda *_: "these")
    monkeypatch.setattr(build_linux, "ensure", lambda _: [])
    wish = Wish("sa1110", [1, 2, 3], linked=False)
    found = command.compare(wish, tmp_path / "results.json", Console(quiet=True))
    assert [one.over for one in found] == [False, False, True]
    assert len(found[2].pairs) == 1 + command.MOST_PLACES
    plain, fast = "linux-sa1110", "linux-sa1110-fass"
    places = range(1, command.MOST_PLACES + 1)
    again = [(name, [3], number) for number in places for name in (plain, fast)]
    assert asked == [(plain, [1, 2, 3], 0), (fast, [1, 2, 3], 0), *again]
    asked.clear()
    more = replace(wish, seeds=[2, 3, 4])
    command.compare(more, tmp_path / "results.json", Console(quiet=True))
    assert asked == [(plain, [4], 0), (fast, [4], 0)]
