# SPDX-License-Identifier: Apache-2.0
"""The experiment l4-policy on the stand-in of the simulator, whose answers are known."""

import json
from pathlib import Path

import pytest

from switchyard.errors import RunError
from switchyard.experiments import EXPERIMENTS
from switchyard.experiments.l4_policy.measure import LINES, SHAPES, SPACES, L4Policy
from switchyard.run import runner
from switchyard.run.build import POLICIES
from switchyard.run.experiment import Settings
from switchyard.run.machine import Stats
from switchyard.run.runner import Written
from switchyard.tests import fake_machine as fake
from switchyard.tests.conftest import faked
from switchyard.tests.runs import Silent


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Written:
    with faked(tmp_path_factory.mktemp("fake")):
        out = tmp_path_factory.mktemp("out")
        return runner.run(EXPERIMENTS["l4-policy"], Settings(rounds=10), out, 2, Silent())


def test_each_policy_has_its_image() -> None:
    jobs = L4Policy().jobs(Settings(quick=True))
    points = len(LINES) * len(SHAPES) * len(SPACES)
    assert len({job.name for job in jobs}) == len({job.append for job in jobs}) * len(LINES)
    assert len(jobs) == 5 * points
    assert {job.parameters["seed"] for job in jobs} == {1, 2, 3, 4, 5}
    images = {job.parameters["policy"]: job.guest.name for job in jobs}
    assert images["clean-first"] == "assabet-fass-bench-policy"
    assert images["affinity"] == "assabet-fass-affinity-bench-policy"
    assert images["tags"] == "assabet-tags-bench-policy"
    assert {job.parameters["policy"] for job in jobs if job.machine == "sa1110-tags"} == {"tags"}
    assert {job.machine for job in jobs} == {"sa1110", "sa1110-tags"}
    assert all("size=2" in job.append for job in jobs if "spaces=2 " in job.append)


def test_records(written: Written) -> None:
    by_case = {
        (r.parameters["policy"], r.parameters["shape"], r.parameters["spaces"], r.metric): r
        for r in written.outcome.records
    }
    assert by_case["clean-first", "pairs", 2, "round_trip"].value == 400
    assert by_case["lru", "groups", 16, "round_trip"].value == 1420
    assert by_case["affinity", "groups", 16, "cache_flushes"].value == pytest.approx(100)
    assert by_case["affinity", "groups", 16, "domains_recycled"].value == pytest.approx(200)
    assert by_case["round-robin", "ring", 8, "domains_recycled"].value == 0
    assert by_case["tags", "groups", 64, "round_trip"].value == 400
    assert by_case["tags", "groups", 64, "round_trip"].scheme == "tags"
    assert {r.scheme for key, r in by_case.items() if key[0] in POLICIES} == {"fass"}
    assert all(r.published is None for r in written.outcome.records)


def test_notes_rank_the_policies(written: Written) -> None:
    text = "\n".join(written.outcome.notes)
    assert "lru +10.0" in text
    assert "round-robin +0.0" in text
    assert "The kernel's default is clean-first." in text
    assert "groups 400 (the best policy 49400)" in text


def test_a_figure_for_each_shape(written: Written) -> None:
    assert set(written.outcome.figures("l4-policy")) == {
        "l4-policy", "l4-policy-pairs", "l4-policy-ring"
    }  # fmt: skip
    assert len(list(Path(written.records.parent).glob("l4-policy*.svg"))) == 3


def test_no_number_of_messages_is_no_result() -> None:
    (job, *_) = L4Policy().jobs(Settings(rounds=10))
    answer = fake.bench_policy("assabet-fass-bench-policy", job.append)
    answer["samples"] = {"1": [5]}
    with pytest.raises(RunError, match="stream 2"):
        L4Policy().measure(job, Stats.parse(json.dumps(answer), "f"))
