# SPDX-License-Identifier: Apache-2.0
"""linux-tlb-sharing, from statistics whose answers are known; no Linux is booted."""

import pytest

from switchyard.data.suite import ALONE
from switchyard.experiments import EXPERIMENTS
from switchyard.experiments.linux_tlb_sharing.measure import QUICK_COUNTS, LinuxTlbSharing
from switchyard.run.experiment import Outcome, Settings
from switchyard.show import plot, views
from switchyard.tests.linux_experiments_test import stats

# Cycles of a switch by scheme, and of each page that is read, by how it is mapped.
SWITCH = {"flush": 60_000, "fass": 20_000, "fass-shared": 20_000, "tags": 19_000}
PAGE = {"private": 500, "shared": 100}
TOKEN = 4_000


def outcome() -> Outcome:
    experiment = LinuxTlbSharing()
    points = {}
    for job in experiment.jobs(Settings(quick=True)):
        scheme, mapped = str(job.parameters["scheme"]), str(job.parameters["mapped"])
        switch = SWITCH[scheme] + PAGE[mapped] * int(job.parameters["pages"])
        if (scheme, mapped) == ("fass", "shared"):
            switch = 62_000
        cases = {}
        for n in QUICK_COUNTS:
            cases[n] = ((switch + TOKEN + 1000 * n) * n, float(n))
            cases[ALONE + n] = (TOKEN * n, 0.0)
        points[job.name] = experiment.measure(job, stats(job.machine, cases))
    return views.of_runs(experiment, points)


@pytest.fixture(scope="module")
def results() -> Outcome:
    return outcome()


def value(results: Outcome, metric: str, scheme: str, **parameters: object) -> float:
    wanted = {"workload": "file", **parameters}
    (record,) = [
        r
        for r in results.records
        if (r.machine.removesuffix("-tags"), r.metric, r.scheme) == ("sa1110", metric, scheme)
        and dict(r.parameters) == wanted
    ]
    return record.value


def test_a_switch_is_the_ring_less_what_one_process_takes(results: Outcome) -> None:
    where = {"processes": 8, "pages": 16}
    # 20,000 cycles, 16 pages and what grows with the processes, at 200 MHz
    assert value(results, "switch", "fass", mapped="private", **where) == pytest.approx(180)
    assert value(results, "switch", "fass-shared", mapped="shared", **where) == pytest.approx(148)
    assert value(results, "switch", "fass", mapped="shared", **where) == pytest.approx(350)
    assert value(results, "saved_by_sharing", "fass-shared", **where) == pytest.approx(
        32 / 180, abs=1e-6
    )


def test_the_range_stands_beside_the_papers(results: Outcome) -> None:
    least = 4 * 400 / (20_000 + 4 * 500 + 24 * 1000)
    most = 16 * 400 / (20_000 + 16 * 500 + 2 * 1000)
    assert value(results, "saved_at_least", "fass-shared") == pytest.approx(least, abs=1e-6)
    assert value(results, "saved_at_most", "fass-shared") == pytest.approx(most, abs=1e-6)
    published = {
        (r.machine, r.metric): r.published.value for r in results.records if r.published is not None
    }
    assert published == {("sa1110", "saved_at_least"): 0.0, ("sa1110", "saved_at_most"): 0.23}
    # a share of nothing is no ratio
    assert [row[1:4] for row in results.tables[0].rows] == [
        ["0", "0.035", ""],
        ["0.23", "0.21", "0.93"],
    ]
    text = "\n".join(results.notes)
    assert "from 3% shorter (4 pages, 24 processes) to 21% shorter (16 pages, 2 processes)" in text
    assert "the two kernels differ by up to 0%" in text
    assert "320 µs a switch with 2 processes" in text


def test_it_is_drawn_as_the_paper_draws_it(results: Outcome) -> None:
    drawn = results.figure
    assert [curve.label for curve in drawn.series] == [  # type: ignore[union-attr]
        "flushing",
        "fast",
        "fast, TLB entries shared",
        "hardware tags",
    ]
    figures = results.figures("linux-tlb-sharing")
    assert len(figures) == 6
    for figure in figures.values():
        assert plot.svg(figure).startswith("<svg")


def test_only_what_is_compared_is_run() -> None:
    for quick in (True, False):
        jobs = EXPERIMENTS["linux-tlb-sharing"].jobs(Settings(quick=quick))
        runs = {(job.machine, job.guest, job.append) for job in jobs}
        assert len({job.name for job in jobs}) == len(runs) == len(jobs)
        ways = {(str(job.parameters["scheme"]), str(job.parameters["mapped"])) for job in jobs}
        assert ways == {
            ("flush", "private"),
            ("fass", "private"),
            ("fass", "shared"),
            ("fass-shared", "shared"),
            ("tags", "private"),
        }
        for job in jobs:
            assert ("fass=private" in job.append) == (job.parameters["scheme"] == "fass")
            assert f"mapped={job.parameters['mapped']} " in job.append
