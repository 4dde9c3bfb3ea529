# SPDX-License-Identifier: Apache-2.0
"""The experiment silicon: on the machines themselves, which it takes a second to run."""

import re
from pathlib import Path

import pytest

from switchyard.data import published, records
from switchyard.errors import RunError
from switchyard.experiments import EXPERIMENTS
from switchyard.experiments.silicon import measure as silicon
from switchyard.experiments.silicon import u74
from switchyard.experiments.silicon.measure import CASES, HAWKBOARD, JORNADA, Sample, Silicon
from switchyard.experiments.silicon.view import INSTRUCTIONS
from switchyard.run import build, runner
from switchyard.run.experiment import Settings
from switchyard.run.runner import Written
from switchyard.show import report, views
from switchyard.tests.runs import Silent

GUEST = Path(build.root(), "bench")


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Written:
    return runner.run(
        EXPERIMENTS["silicon"], Settings(rounds=4), tmp_path_factory.mktemp("out"), 2, Silent()
    )


def value(written: Written, machine: str, metric: str) -> float:
    (record,) = (r for r in written.outcome.records if r.machine == machine and r.metric == metric)
    return record.value


STATEMENTS = published.statements(Silicon(), [])


def paper(machine: str, metric: str) -> float | None:
    statement = published.find(STATEMENTS, metric, machine=machine)
    return statement.value if statement else None


def said(**changed: float) -> str:
    """The notes where every case takes what is published, but for these on the first machine."""
    samples = {}
    for machine in silicon.MACHINES:
        cycles = {name: paper(machine, name) or 1.0 for name in CASES}
        cycles |= changed if machine == "sa1110" else {}
        samples[machine] = Sample(machine, 200_000_000, cycles)
    samples[u74.MACHINE] = Sample(u74.MACHINE, 1_500_000_000, dict.fromkeys(u74.CASES, 1.0))
    return "\n".join(views.of_runs(Silicon(), samples).notes)


def test_cases_are_the_guests() -> None:
    text = (GUEST / "silicon.c").read_text()
    loops = re.search(r"#define LOOPS\(_\)(.*?)/\*", text, re.S)
    assert loops is not None
    assert re.findall(r"_\((\w+)\)", loops[1]) == list(CASES)
    unrolled = re.search(r"#define UNROLLED (\d+)", (GUEST / "silicon_cases.S").read_text())
    assert unrolled is not None
    assert int(unrolled[1]) == silicon.STEPS


def test_the_u74s_cases_are_its_guests() -> None:
    text = (GUEST / "u74" / "silicon.c").read_text()
    loops = re.search(r"#define LOOPS\(_\)(.*?)/\*", text, re.S)
    assert loops is not None
    assert re.findall(r"_\((\w+)\)", loops[1]) == list(u74.INSTRUCTIONS)

    def sizes(name: str) -> list[str]:
        listed = re.search(rf"{name}\[\] = \{{(.*?)\}}", text)
        assert listed is not None
        return re.sub(r" \* ([KM])B", lambda unit: unit[1].lower(), listed[1]).split(", ")

    assert [f"chase_{size}" for size in sizes("chains")] == list(u74.CHAINS)
    assert sizes("random") == list(u74.SIZES)
    unrolled = re.search(r"#define UNROLLED (\d+)", (GUEST / "u74" / "cases.S").read_text())
    assert unrolled is not None
    assert int(unrolled[1]) == silicon.STEPS


def test_the_u74_is_near_what_was_measured_of_one(written: Written) -> None:
    """How often TLBs and caches miss was not fitted. Nothing is fetched ahead: blocks differ."""
    for metric, most in (("chase_2m", 0.1), ("over_1m_small", 0.1), ("over_2m_small", 0.1)):
        expected = paper(u74.MACHINE, metric)
        assert value(written, u74.MACHINE, metric) == pytest.approx(expected, rel=most)
    for metric in ("tlb_512k", "tlb_1m", "tlb_2m"):
        expected = paper(u74.MACHINE, metric)
        assert value(written, u74.MACHINE, metric) == pytest.approx(expected, abs=2)
    assert value(written, u74.MACHINE, "copy") > 2 * (paper(u74.MACHINE, "copy") or 0)


def test_instructions_take_what_the_strongarms_manual_says(written: Written) -> None:
    for machine in silicon.STRONGARM:
        known = {name: paper(machine, name) for name in INSTRUCTIONS}
        assert len([value for value in known.values() if value is not None]) == 20
        for name, expected in known.items():
            if expected is not None:
                assert value(written, machine, name) == pytest.approx(expected, abs=0.01), name


def test_the_delay_loop_is_the_boards(written: Written) -> None:
    for machine in silicon.BOARDS:
        for metric in ("loops_per_jiffy", "delay"):
            expected = paper(machine, metric)
            assert value(written, machine, metric) == pytest.approx(expected, rel=0.01)


def test_boards_have_the_bogomips_of_their_logs() -> None:
    boards = (("sa1110", JORNADA, 136.60), ("versatilepb", HAWKBOARD, 149.50))
    for machine, board, bogomips in boards:
        loops, cycles = paper(machine, "loops_per_jiffy"), paper(machine, "delay")
        assert loops is not None
        assert loops * board.hz / 500_000 == pytest.approx(bogomips, abs=0.006)
        assert cycles == board.clock_hz / loops / board.hz


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
    assert len(written.outcome.tables) == 9
    assert len(written.outcome.tables[0].rows) == 25


def test_a_turn_is_the_middle_of_what_the_second_of_a_pair_takes_more() -> None:
    samples = [100, 164, 100, 228, 100, 1000]
    assert silicon.turn(samples, 3, "x") == 128 / silicon.TIMES
    with pytest.raises(RunError, match="x: 6 samples, expected 4"):
        silicon.turn(samples, 2, "x")
    with pytest.raises(RunError, match="expected some"):
        silicon.turn([5, 5], 1, "x")


def test_sentences_say_what_differs() -> None:
    assert "sa1110: 21 of 21 instructions" in said()
    assert "versatilepb: 20 of 20 instructions" in said()
    assert "sa1110: 20 of 21 instructions" in said(branch=5.0)
    assert "That makes 516,000 loops, -24.5%" in said(delay=4.0)
    assert "+100% and -50%" in said(chase=138.0, words=10.0)
    assert said().count("Nothing is published for such memory") == 2


def test_it_is_the_first_behind_the_one_of_all_machines() -> None:
    assert list(EXPERIMENTS)[:2] == ["switching", Silicon.name]


def test_it_is_first_in_a_report(written: Written, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("[]")
    for name in ("l4-ipc", "silicon"):
        (tmp_path / f"{name}.json").write_bytes(written.records.read_bytes())
    assert [section.name for section in report.collect([tmp_path])] == ["silicon", "l4-ipc", "a"]
