# SPDX-License-Identifier: Apache-2.0
"""The experiment linux-entry: what it asks of the guest, and what comes of a run."""

import re
from pathlib import Path

import pytest

from switchyard.data.suite import STREAMS
from switchyard.experiments import EXPERIMENTS
from switchyard.experiments.linux_entry import measure
from switchyard.experiments.linux_entry.measure import LinuxEntry
from switchyard.experiments.linux_entry.view import CASES
from switchyard.run import build, runner
from switchyard.run.build_linux import I386_BENCH
from switchyard.run.experiment import Settings
from switchyard.tests.runs import Silent


def test_cases_are_the_guests() -> None:
    text = Path(build.root(), "bench", "unix", "entry.c").read_text()
    table = text.split("cases[] = {", 1)[1]
    assert re.findall(r'^    \{"([\w-]+)",', table, re.M) == list(STREAMS["entry"].values())
    measured = [name for question in measure.ROUNDS for name in measure.cases(question).values()]
    assert sorted(measured) == sorted(CASES)


def test_jobs() -> None:
    for quick, boots in ((True, 2), (False, 5)):
        jobs = LinuxEntry().jobs(Settings(quick=quick))
        assert {job.guest for job in jobs} == {I386_BENCH}
        assert len({(job.name, job.append) for job in jobs}) == len(jobs) == 3 * boots
        assert {job.machine for job in jobs} == {"p4-willamette"}


@pytest.mark.linux
@pytest.mark.long
def test_on_the_machine(tmp_path: Path) -> None:
    records = runner.run(
        EXPERIMENTS["linux-entry"], Settings(quick=True), tmp_path, 2, Silent()
    ).outcome.records
    values = {(r.parameters["case"], r.metric): r.value for r in records}
    for call in ("getpid", "getppid"):
        assert values[f"{call}-sysenter", "cycles"] < 0.8 * values[f"{call}-int80", "cycles"]
    assert values["pipe", "cr3_loads"] == pytest.approx(2, abs=0.1)
    assert values["pipe", "traces_built"] > 100
    assert values["getpid-int80", "cr3_loads"] < 0.01
