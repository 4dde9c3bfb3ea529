# SPDX-License-Identifier: Apache-2.0
"""The experiment l4-extreme on the stand-in of the simulator, whose answers are known."""

import json

import pytest

from switchyard.errors import RunError
from switchyard.experiments import EXPERIMENTS
from switchyard.experiments.l4_extreme.measure import CASES, PAGES, PROCESSES, L4Extreme
from switchyard.run import runner
from switchyard.run.experiment import Settings
from switchyard.run.machine import Stats
from switchyard.run.runner import Written
from switchyard.show.figure import Figure
from switchyard.tests import fake_machine as fake
from switchyard.tests.conftest import faked
from switchyard.tests.runs import Silent


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Written:
    with faked(tmp_path_factory.mktemp("fake")):
        out = tmp_path_factory.mktemp("out")
        return runner.run(EXPERIMENTS["l4-extreme"], Settings(rounds=10), out, 2, Silent())


def test_the_jobs_cover_the_figure() -> None:
    jobs = L4Extreme().jobs(Settings())
    assert len({job.name for job in jobs}) == len(jobs)
    assert len(jobs) == len(CASES) * len(PROCESSES) * len(PAGES)
    assert {job.guest.name for job in jobs} == {
        "assabet-fass-bench-extreme", "assabet-fass-shared-bench-extreme",
        "assabet-tags-bench-extreme",
    }  # fmt: skip


def test_records(written: Written) -> None:
    by_case = {
        (r.scheme, r.metric, *sorted(r.parameters.items())): r for r in written.outcome.records
    }

    def value(scheme: str, metric: str, mapping: str, pages: int) -> float:
        key = (("mapping", mapping), ("pages", pages), ("processes", 2))
        return by_case[(scheme, metric, *key)].value

    assert value("fass-shared", "cycles", "private", 8) == 380
    assert value("fass-shared", "cycles", "private", 20) == 2300
    assert value("fass-shared", "cycles", "shared", 20) == 500
    assert value("fass", "cycles", "shared", 20) == 2300
    factor = by_case["fass-shared", "largest_factor", ("processes", 2)]
    assert factor.value == pytest.approx(2500 / 520, abs=1e-6)
    assert factor.published is not None
    assert factor.published.value == 9
    assert by_case["fass-shared", "largest_factor", ("processes", 4)].published is None
    assert by_case["fass-shared", "private_break", ("processes", 2)].value == 12
    assert by_case["fass-shared", "shared_break", ("processes", 2)].value == 24


def test_notes_compare_with_the_text(written: Written) -> None:
    text = "\n".join(written.outcome.notes)
    assert "2 processes: sharing is at best 4.8 times as fast (published: up to 9)" in text
    assert "slow down from 12 pages on (published: about 10)" in text
    assert "shared ones from 24 (published: about 20)" in text
    assert "1.00 (2 processes)" in text
    # an entry of a TLB with tags is one process's
    assert "2 processes 2300 cycles a turn with 2.0 misses of the data TLB, fass-shared 500" in text


def test_the_figure_shows_both_mappings(written: Written) -> None:
    assert isinstance(written.outcome.figure, Figure)
    assert [curve.label for curve in written.outcome.figure.series] == [
        f"{n} processes, {mapping}" for n in PROCESSES for mapping in ("private", "shared")
    ]


def test_shared_entries_stand_beside_hardware_tags(written: Written) -> None:
    figure = written.outcome.more["tags"]
    assert isinstance(figure, Figure)
    assert [curve.label for curve in figure.series] == [
        f"{n} processes, {kind}" for n in PROCESSES for kind in ("shared", "hardware tags")
    ]
    table = written.outcome.tables[1]
    assert table.columns[-1] == "hardware tags"
    assert table.rows[PAGES.index(20)][-1] == "2300"


def test_no_sample_is_no_result() -> None:
    (job, *_) = L4Extreme().jobs(Settings(rounds=10))
    answer = fake.bench_extreme("assabet-fass-bench-extreme", job.append)
    answer["samples"] = {}
    with pytest.raises(RunError, match="stream 1"):
        L4Extreme().measure(job, Stats.parse(json.dumps(answer), "f"))
