# SPDX-License-Identifier: Apache-2.0
"""The experiment l4-revocation on the stand-in of the simulator, whose answers are known."""

import json

import pytest

from switchyard.errors import RunError
from switchyard.experiments import EXPERIMENTS
from switchyard.experiments.l4_revocation.measure import SCHEMES, SPACES, L4Revocation
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
        return runner.run(EXPERIMENTS["l4-revocation"], Settings(), out, 2, Silent())


def test_a_run_a_scheme_with_small_spaces() -> None:
    jobs = L4Revocation().jobs(Settings())
    assert [job.name for job in jobs] == list(SCHEMES)
    assert "flush" not in SCHEMES
    assert all(len(job.append.split(",")) == len(SPACES) for job in jobs)


def test_records(written: Written) -> None:
    found = {
        (r.scheme, r.metric, r.parameters["large_spaces"]): r.value for r in written.outcome.records
    }
    for scheme in SCHEMES:
        for n in SPACES:
            assert found[scheme, "taken", n] == 5000 + 100 * n
            assert found[scheme, "taken_cold", n] == 3 * (5000 + 100 * n)
            assert found[scheme, "given", n] == 4000
            assert found[scheme, "taken_instructions", n] == 300


def test_the_notes_say_what_a_directory_costs(written: Written) -> None:
    text = "\n".join(written.outcome.notes)
    for scheme in SCHEMES:
        assert f"{scheme}: to take its part from a space takes 5100 cycles" in text
    assert "if 1 large space calls it, and 11000 if 60 do" in text
    assert "it takes 15300 to 33000 cycles, 300 for each" in text


def test_one_figure_has_all_schemes(written: Written) -> None:
    (figure,) = written.outcome.figures("l4-revocation").values()
    assert isinstance(figure, Figure)
    assert len(figure.series) == 2 * len(SCHEMES)


def test_a_number_without_its_samples_is_no_result() -> None:
    job = L4Revocation().jobs(Settings(quick=True))[0]
    answer = fake.bench_revocation(job.append)
    answer["samples"].pop("72")  # type: ignore[attr-defined]
    with pytest.raises(RunError, match="0 samples in stream 72"):
        L4Revocation().measure(job, Stats.parse(json.dumps(answer), "f"))
