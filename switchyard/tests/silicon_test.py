# SPDX-License-Identifier: Apache-2.0
"""The experiment silicon: on the machines themselves, which it takes a second to run."""

import dataclasses
import re
from pathlib import Path

import pytest

from switchyard import build, records, report, runner
from switchyard.errors import RunError
from switchyard.experiments import EXPERIMENTS, silicon
from switchyard.experiments.experiment import Settings
from switchyard.experiments.silicon import CASES, HAWKBOARD, JORNADA, Point, Silicon
from switchyard.runner import Written
from switchyard.tests.runs import Silent

GUEST = Path(build.root(), "bench")


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Written:
    return runner.run(
        EXPERIMENTS["silicon"], Settings(rounds=4), tmp_path_factory.mktemp("out"), 2, Silent()
    )


def value(found: Written, machine: str, metric: str) -> float:
    (record,) = (r for r in found.outcome.records if r.machine == machine and r.metric == metric)
    return record.value


def point(**cycles: float) -> Point:
    return Point("sa1110", 200_000_000, 3, {**dict.fromkeys(CASES, 1.0), **cycles})


def test_cases_are_the_guests() -> None:
    text = (GUEST / "silicon.c").read_text()
    loops = re.search(r"#define LOOPS\(_\)(.*?)/\*", text, re.S)
    assert loops is not None
    assert re.findall(r"_\((\w+)\)", loops[1]) == list(CASES)
    unrolled = re.search(r"#define UNROLLED (\d+)", (GUEST / "silicon_cases.S").read_text())
    assert unrolled is not None
    assert int(unrolled[1]) == silicon.STEPS


def test_instructions_take_what_the_strongarms_manual_says(written: Written) -> None:
    for name in silicon.INSTRUCTIONS:
        expected = CASES[name].strongarm
        if expected is not None:
            for machine in silicon.STRONGARM:
                assert value(written, machine, name) == pytest.approx(expected, abs=0.01), name


def test_the_delay_loop_is_the_boards(written: Written) -> None:
    for machine, board in silicon.BOARDS.items():
        loops = value(written, machine, "loops_per_jiffy")
        assert loops == pytest.approx(board.loops_per_jiffy, rel=0.01)
        assert value(written, machine, "delay") == pytest.approx(board.cycles, rel=0.01)


def test_boards_have_the_bogomips_of_their_logs() -> None:
    for board, bogomips in ((JORNADA, 136.60), (HAWKBOARD, 149.50)):
        assert board.loops_per_jiffy * board.hz / 500_000 == pytest.approx(bogomips, abs=0.006)


def test_memory_costs_what_the_machine_says(written: Written) -> None:
    # a line at least, however much of it the load waits for: the next one waits for the bus
    for machine in silicon.MACHINES:
        line, word = value(written, machine, "chase"), value(written, machine, "words")
        assert 1 < word < line
        assert value(written, machine, "read") > line * 0.5
    assert value(written, "sa1110", "chase") > 2 * value(written, "sa1110-sdram", "chase")


def test_files(written: Written) -> None:
    assert records.load(written.records) == list(written.outcome.records)
    assert all(figure.exists() for figure in written.figures)
    assert written.outcome.tables[0].title.startswith("Linux's delay loop")


def test_a_turn_is_the_middle_of_what_the_second_of_a_pair_takes_more() -> None:
    samples = [100, 164, 100, 228, 100, 1000]
    assert silicon.turn(samples, 3, "x") == 128 / silicon.TIMES
    with pytest.raises(RunError, match="x: 6 samples, expected 4"):
        silicon.turn(samples, 2, "x")
    with pytest.raises(RunError, match="expected some"):
        silicon.turn([5, 5], 1, "x")


def test_sentences_say_what_differs() -> None:
    good = {name: case.strongarm or 1.0 for name, case in CASES.items()}
    assert "21 of 21" in silicon.instruction_note(point(**good))
    bad = silicon.instruction_note(point(**{**good, "branch": 5.0}))
    assert "20 of 21" in bad
    assert "B 5.0 (published: 2)" in bad
    assert "more than two steps" in silicon.loop_note(point(delay=4.0))
    assert ", within two steps" in silicon.loop_note(point(delay=3.0))
    line = silicon.memory_note(point(chase=138.0, words=10.0))
    assert "+100% and -50%" in line
    other = dataclasses.replace(point(), machine="sa1110-sdram")
    assert "Nothing is published" in silicon.memory_note(other)


def test_it_is_the_first_of_all() -> None:
    assert next(iter(EXPERIMENTS)) == Silicon.name


def test_it_is_first_in_a_report(written: Written, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("[]")
    for name in ("l4-ipc", "silicon"):
        (tmp_path / f"{name}.json").write_bytes(written.records.read_bytes())
    assert [section.name for section in report.collect([tmp_path])] == ["silicon", "l4-ipc", "a"]
