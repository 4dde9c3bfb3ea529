# SPDX-License-Identifier: Apache-2.0
"""The experiments linux-l4-pipe and linux-l4-wc: what they ask of the guest, what comes of runs."""

from pathlib import Path

import pytest

from switchyard.experiments import EXPERIMENTS
from switchyard.experiments.linux_servers import (
    ALL,
    BOUND,
    GROUPED,
    LARGE,
    MACHINE,
    NATIVE,
    ON,
    SMALL,
)
from switchyard.run import runner
from switchyard.run.experiment import Settings
from switchyard.tests.runs import Silent

QUICK = Settings(quick=True)


@pytest.mark.parametrize("name", ["linux-l4-pipe", "linux-l4-wc"])
def test_jobs(name: str) -> None:
    for quick in (True, False):
        jobs = EXPERIMENTS[name].jobs(Settings(quick=quick))
        assert len({job.name for job in jobs}) == len(jobs)
        by = {on: [job for job in jobs if job.parameters["on"] == on] for on in ON}
        assert len({len(some) for some in by.values()}) == 1
        assert by[NATIVE]
        assert {job.machine for job in by[BOUND]} == {f"{MACHINE}-tags"}
        small = {SMALL, ALL, GROUPED}
        assert all(
            ("l4.small=programs" in job.append) == (job.parameters["on"] in small) for job in jobs
        )


@pytest.mark.linux
@pytest.mark.long
def test_pipe_on_the_machine(tmp_path: Path) -> None:
    records = runner.run(EXPERIMENTS["linux-l4-pipe"], QUICK, tmp_path, 2, Silent()).outcome.records
    values = {
        (r.parameters.get("on"), r.parameters.get("kind"), r.parameters.get("size"), r.metric): (
            r.value
        )
        for r in records
    }
    for kind in ("trace-cache", "itlb", "dtlb"):
        native, large, small, tags = (values[on, kind, 0, "cycles"] for on in ON)
        assert tags * 0.95 < small < native < large
        assert values[NATIVE, kind, 0, "cr3_loads"] == pytest.approx(2, abs=0.1)
        assert values[LARGE, kind, 0, "cr3_loads"] == pytest.approx(8, abs=0.2)
        assert values[SMALL, kind, 0, "cr3_loads"] < 0.1


@pytest.mark.linux
@pytest.mark.long
def test_wc_on_the_machine(tmp_path: Path) -> None:
    records = runner.run(EXPERIMENTS["linux-l4-wc"], QUICK, tmp_path, 2, Silent()).outcome.records
    values = {
        (r.parameters["on"], r.metric): r.value for r in records if r.parameters["chunk"] == 4096
    }
    assert values[SMALL, "cycles"] < values[LARGE, "cycles"]
    assert values[SMALL, "cr3_loads"] < values[LARGE, "cr3_loads"] / 4
    assert 0 < values[SMALL, "cycles_saved"] < 1
