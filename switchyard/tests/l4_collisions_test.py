# SPDX-License-Identifier: Apache-2.0
"""The experiment l4-collisions on the stand-in of the simulator, whose answers are known."""

import json

import pytest

from switchyard.errors import RunError
from switchyard.experiments import EXPERIMENTS
from switchyard.experiments.l4_collisions.measure import COLLIDING, SPACES, L4Collisions
from switchyard.run import runner
from switchyard.run.experiment import Settings
from switchyard.run.machine import Stats
from switchyard.run.runner import Written
from switchyard.show import plot
from switchyard.show.figure import Figure
from switchyard.tests import fake_machine as fake
from switchyard.tests.conftest import faked
from switchyard.tests.runs import Silent


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Written:
    with faked(tmp_path_factory.mktemp("fake")):
        out = tmp_path_factory.mktemp("out")
        return runner.run(EXPERIMENTS["l4-collisions"], Settings(rounds=10), out, 2, Silent())


def test_the_jobs_cover_schemes_megabytes_and_spaces() -> None:
    jobs = L4Collisions().jobs(Settings())
    assert len({job.name for job in jobs}) == len(jobs)
    assert len(jobs) == (3 * len(COLLIDING) + 1 + 2) * len(SPACES)


def test_records_are_for_a_hop(written: Written) -> None:
    values = {
        (r.scheme, r.metric, r.parameters["colliding"], r.parameters["spaces"]): r.value
        for r in written.outcome.records
    }
    assert values["flush", "cycles", 0, 2] == 10_000
    assert values["fass", "cycles", 0, 64] == 200
    assert values["fass", "cycles", 3, 8] == 10_300
    assert values["fass", "cache_flushes", 3, 8] == 1
    assert ("single-space", "cycles", 1, 2) not in values
    assert values["tags", "cycles", 4, 64] == values["tags", "cycles", 0, 64] == 200
    (table, _) = written.outcome.tables
    assert table.columns[-2:] == ["flush", "hardware tags"]
    assert table.rows[0][-2:] == ["10000", "200"]


def test_notes_compare_with_flush(written: Written) -> None:
    text = "\n".join(written.outcome.notes)
    assert "fass takes at most 1.04 times what flush does" in text
    assert "at most 1.00 flushes of the caches a hop" in text
    assert "under fass takes 300 more cycles than under flush" in text
    assert "200 with 64 spaces (200 where nothing collides, fass 10400 and 200)" in text


def test_no_more_lines_than_colours(written: Written) -> None:
    figure = written.outcome.figure
    assert isinstance(figure, Figure)
    assert len(figure.series) <= len(plot.COLOURS)
    assert "hardware tags, 4 MB collide" in [curve.label for curve in figure.series]


def test_no_sample_is_no_result() -> None:
    (job, *_) = L4Collisions().jobs(Settings(rounds=10))
    answer = fake.bench_collisions("assabet-fass-bench-collisions", job.append)
    answer["samples"] = {}
    with pytest.raises(RunError, match="stream 2"):
        L4Collisions().measure(job, Stats.parse(json.dumps(answer), "f"))
