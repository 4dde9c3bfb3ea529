# SPDX-License-Identifier: Apache-2.0
"""linux-off, from statistics whose answers are known; no Linux is booted."""

import re
from dataclasses import replace

import pytest

from switchyard.data.suite import ALONE, STREAMS
from switchyard.experiments.linux_off.measure import BOOTS, COUNTS, CTX, KERNELS, LinuxOff
from switchyard.run.experiment import Outcome, Settings
from switchyard.show import plot, views
from switchyard.tests.linux_experiments_test import stats

PLAIN = 100_000  # cycles of everything on the unmodified kernel


def outcome() -> Outcome:
    """Off, pipes of sa1110 take 0.5 % longer, forks 3 %; fifos in every second boot.

    Of both machines forks execute 2 % more, exec 3 % more with 10 % more switches.
    """
    experiment = LinuxOff()
    samples = {}
    for job in experiment.jobs(Settings()):
        question = str(job.parameters["question"])
        if question == CTX:
            cases = {n: (PLAIN * n, 1.0) for n in COUNTS}
            cases |= {ALONE + n: (PLAIN // 2 * n, 0.0) for n in COUNTS}
        else:
            cases = dict.fromkeys(STREAMS[question], (PLAIN, 2.0))
        if job.machine == "sa1110" and job.parameters["scheme"] == "fass-off":
            boot = int(job.parameters["boot"])
            if question == "potato":
                cases[2] = (PLAIN + 25_000 * (boot % 5 == 0), 2.0)
                cases[3] = (PLAIN + 500, 2.0)
            if question == "process":
                cases[1] = (PLAIN + 3_000, 2.0)
        run = experiment.measure(job, stats(job.machine, cases))
        if job.parameters["scheme"] == "fass-off" and question == "process":
            fork, program = run.cases[1], run.cases[2]
            longer = {**fork.rates, "instructions": 1.02 * fork.rates["instructions"]}
            often = {
                **program.rates,
                "instructions": 1.03 * program.rates["instructions"],
                "address_space_switches": 1.1 * program.rates["address_space_switches"],
            }
            changed = {1: replace(fork, rates=longer), 2: replace(program, rates=often)}
            run = replace(run, cases={**run.cases, **changed})
        samples[job.name] = run
    return views.of_runs(experiment, samples)


@pytest.fixture(scope="module")
def results() -> Outcome:
    return outcome()


def test_jobs_are_of_two_kernels_of_which_one_is_told_off() -> None:
    jobs = LinuxOff().jobs(Settings())
    assert len({job.name for job in jobs}) == len(jobs) == len(KERNELS) * 8 * BOOTS
    off = [job for job in jobs if job.parameters["scheme"] == "fass-off"]
    assert len(off) == len(jobs) // 2
    for job in jobs:
        assert ("fass=off " in job.append) == (job in off)
        assert ("-fass" in job.guest.name) == (job in off)
    assert {job.machine for job in jobs} == {"sa1110", "versatilepb"}


def test_each_is_told_by_what_the_boots_tell(results: Outcome) -> None:
    rows = {row[0]: list(row[1:]) for row in results.tables[0].rows}
    assert rows["pipe"] == ["µs", "500", "502", "+0.5%", "0.0%", "yes", "+0.0%"]
    assert rows["fork"] == ["µs", "500", "515", "+3.0%", "0.0%", "no", "+2.0%"]
    assert rows["fifo"][3] == "+5.0%"
    assert rows["fifo"][5] == "cannot be told"
    assert rows["bw-pipe"] == ["MB/s", "2097", "2097", "+0.0%", "0.0%", "yes", "+0.0%"]
    assert rows["2 processes, 16 KB"][3:] == ["+0.0%", "0.0%", "yes", "+0.0%"]
    other = {row[0]: row[6] for row in results.tables[1].rows}
    assert set(other) == set(rows)
    assert set(other.values()) == {"yes"}


def test_the_text_counts_them_and_names_the_worst(results: Outcome) -> None:
    text = " ".join(results.notes)
    both = 2 * len(results.tables[0].rows)
    assert f"Of {both} benchmarks on two machines {both - 2} take at most 1% longer" in text
    assert "1 take more (fork +3.0% on sa1110)" in text
    assert f"{both - 4} take at most 1% more, the other 4 up to +3.0% (exec on sa1110)" in text
    assert "Of these exec on sa1110 (+3.0%) switches address spaces more often (+10.0%)" in text
    assert "of the others fork on sa1110 takes most more, +2.0%" in text
    assert re.search(r"On sa1110 the largest difference is that of fifo, \+5\.0% \(± \d", text)


def test_the_figure_is_drawn(results: Outcome) -> None:
    drawn = plot.svg(results.figure)
    assert "fass=off" in drawn
    assert "fork" in drawn
