# SPDX-License-Identifier: Apache-2.0
"""The experiment linux-l4-calls: what it asks of the guest, and what comes of a run."""

from pathlib import Path

import pytest

from switchyard.experiments import EXPERIMENTS
from switchyard.experiments.linux_l4_calls.measure import LinuxL4Calls
from switchyard.run import runner
from switchyard.run.experiment import Settings
from switchyard.tests.runs import Silent


def test_jobs() -> None:
    for quick, boots in ((True, 2), (False, 5)):
        jobs = LinuxL4Calls().jobs(Settings(quick=quick))
        assert len({(job.name, job.append) for job in jobs}) == len(jobs) == 5 * boots
        assert {job.machine for job in jobs} == {"p4-willamette"}
        links = {job.guest for job in jobs}
        assert len(links) == 1 + 4 * boots
        small = [job for job in jobs if "l4.small=programs" in job.append]
        assert {job.parameters["on"] for job in small} == {"small", "all"}


@pytest.mark.linux
@pytest.mark.long
def test_on_the_machine(tmp_path: Path) -> None:
    records = runner.run(
        EXPERIMENTS["linux-l4-calls"], Settings(quick=True), tmp_path, 2, Silent()
    ).outcome.records
    values = {(r.parameters["on"], r.parameters["case"], r.metric): r.value for r in records}
    for case in ("null", "read-4k", "write-4k"):
        native, large, small = (values[on, case, "cycles"] for on in ("native", "large", "small"))
        assert native < small < large
        assert values["large", case, "cr3_loads"] == pytest.approx(2, abs=0.1)
        for on in ("small", "server", "all"):
            assert values[on, case, "cr3_loads"] < 0.1
