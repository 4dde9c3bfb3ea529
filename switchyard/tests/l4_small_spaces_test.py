# SPDX-License-Identifier: Apache-2.0
"""The experiment l4-small-spaces on the stand-in of the simulator, whose answers are known."""

import json

import pytest

from switchyard.errors import RunError
from switchyard.experiments import EXPERIMENTS, l4_pc
from switchyard.experiments.l4_small_spaces.measure import KINDS, L4SmallSpaces
from switchyard.run import runner
from switchyard.run.experiment import Settings
from switchyard.run.machine import Stats
from switchyard.run.runner import Written
from switchyard.show.figure import Figure
from switchyard.tests import fake_machine as fake
from switchyard.tests.conftest import faked
from switchyard.tests.runs import Silent
from switchyard.tools import sweep


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Written:
    with faked(tmp_path_factory.mktemp("fake")):
        out = tmp_path_factory.mktemp("out")
        return runner.run(EXPERIMENTS["l4-small-spaces"], Settings(), out, 2, Silent())


def test_a_run_a_scheme_and_kind() -> None:
    jobs = L4SmallSpaces().jobs(Settings())
    assert len({job.name for job in jobs}) == len(jobs) == len(KINDS) * len(l4_pc.SCHEMES)
    assert all(l4_pc.is_on(job) for job in jobs)
    quick = L4SmallSpaces().jobs(Settings(quick=True))
    assert [job.append for job in quick if job.name == "flush-itlb"] == [
        "kind=1 sizes=0,8,14,50 step=4 rounds=20"
    ]
    # where the paper says something there is a point
    assert {8192, 14848} < {*KINDS["trace-cache"].sizes}
    assert KINDS["itlb"].sizes[-1] == 200
    assert KINDS["dtlb"].sizes[-1] == 120


def test_rounds_and_what_they_met(written: Written) -> None:
    found = {
        (r.scheme, r.parameters["kind"], r.parameters.get("size"), r.metric): r.value
        for r in written.outcome.records
    }
    for kind, of in KINDS.items():
        for size in of.sizes:
            assert found["flush", kind, size, "round"] == 2500 + (30 if size <= 8192 else 10) * size
            assert found["flush", kind, size, "traces_built"] == size
            for scheme in l4_pc.SCHEMES[1:]:
                assert found[scheme, kind, size, "round"] == 500 + 10 * size
                faster = found["flush", kind, size, "round"] / (500 + 10 * size)
                assert found[scheme, kind, size, "speedup"] == pytest.approx(faster, abs=1e-3)


def test_each_structure_has_a_figure_and_a_table(written: Written) -> None:
    figures = written.outcome.figures("l4-small-spaces")
    assert set(figures) == {
        "l4-small-spaces", "l4-small-spaces-trace-cache", "l4-small-spaces-dtlb"
    }  # fmt: skip
    for figure in figures.values():
        assert isinstance(figure, Figure)
        assert [s.kind for s in figure.series if not s.published] == list(l4_pc.SCHEMES)
    text = "\n".join(written.outcome.notes)
    assert "trace cache, large spaces: 2500 cycles a round without a working set" in text
    titles = [table.title for table in written.outcome.tables]
    assert sum(title.startswith("Ping-pong with a working set in the ") for title in titles) == 3


def test_a_sweep_chooses_single_sizes(tmp_path_factory: pytest.TempPathFactory) -> None:
    jobs = {job.name: job for job in L4SmallSpaces().choices(Settings(rounds=7))}
    job = jobs["flush-itlb-64"]
    assert job.append == "kind=1 sizes=16 step=4 rounds=7"
    assert job.parameters == {"scheme": "flush", "kind": "itlb", "size": 64}
    answer = fake.bench_pingpong("isa-pc-flush-bench-pingpong", job.append)
    sample = L4SmallSpaces().measure(job, Stats.parse(json.dumps(answer), "f"))
    row = L4SmallSpaces().row(job, sample)
    assert (row["size"], row["round"], row["traces_built"]) == (64, 2500 + 30 * 64, 64)
    grid = [
        sweep.Axis.parse(text)
        for text in ("kind=itlb", "size=64,200", "itlb.entries=32,64", "scheme=flush")
    ]
    folder = tmp_path_factory.mktemp("machines")
    found = sweep.points(L4SmallSpaces(), Settings(), grid, None, folder)
    assert len(found) == 4


def test_a_size_without_its_sample_is_no_result() -> None:
    job = L4SmallSpaces().jobs(Settings(quick=True))[0]
    answer = fake.bench_pingpong("isa-pc-flush-bench-pingpong", job.append)
    answer["samples"].pop("1")  # type: ignore[attr-defined]
    with pytest.raises(RunError, match="0 samples in stream 1"):
        L4SmallSpaces().measure(job, Stats.parse(json.dumps(answer), "f"))
