# SPDX-License-Identifier: Apache-2.0
"""The experiment l4-pagefault on statistics whose answers are known."""

import json

import pytest

from switchyard.errors import RunError
from switchyard.experiments.l4 import EVENTS
from switchyard.experiments.l4_pagefault.measure import CASES, SCHEMES, L4PageFault
from switchyard.run import build, machine
from switchyard.run.experiment import Outcome, Settings
from switchyard.run.machine import Stats
from switchyard.show import plot, views
from switchyard.tests import fake_machine as fake

ROUNDS = 8


def statistics_of(scheme: str, page: int = 800) -> Stats:
    """Case n takes n times 1000 cycles, a page `page` and 10000 more under flush; one tick each."""
    regions, samples = [], {"0": [fake.TIMING] * ROUNDS}
    for name, number in CASES.items():
        cycles = (page if name == "page_4k" else 1000 * number) + (
            10_000 if scheme == "flush" else 0
        )
        samples[str(number)] = [cycles + fake.TIMING] * (ROUNDS - 1) + [90_000]
        events = {"1": 2 * ROUNDS} if name == "collision" else {}
        counted = fake.counters(cycles * ROUNDS, ROUNDS, 3, 0)
        regions.append({"id": number, "entries": ROUNDS, "counters": counted, "events": events})
    return Stats.parse(json.dumps(fake.stats(1_000_000, regions, samples)), "stats")


def outcome(page: int = 800) -> Outcome:
    experiment = L4PageFault()
    jobs = experiment.jobs(Settings(rounds=ROUNDS))
    samples = {job.name: experiment.measure(job, statistics_of(job.name, page)) for job in jobs}
    return views.of_runs(experiment, samples)


def test_every_kind_and_scheme_has_its_record() -> None:
    values = {
        (r.scheme, r.parameters["kind"]): r.value
        for r in outcome().records
        if r.metric == "page_fault"
    }
    assert set(values) == {(scheme, kind) for scheme in SCHEMES for kind in CASES}
    assert values["fass", "page_4k"] == 800
    assert values["flush", "page_4k"] == 10_800
    assert values["fass-shared", "collision"] == 9_000, "the tick's sample is not the median"


def test_the_notes_say_what_was_found() -> None:
    notes = "\n".join(outcome().notes)
    assert "a collision 9000: spaces that collide at every switch step aside" in notes


def test_the_first_table_sets_the_limit_beside_what_was_measured() -> None:
    for page, ratio in ((800, "0.89"), (950, "1.06")):
        (row,) = outcome(page).tables[0].rows
        assert row[1:4] == ["900 cycles", f"{page} cycles", ratio]


def test_the_figure_can_be_drawn() -> None:
    drawn = plot.svg(outcome().figure)
    assert "section of 1 MB" in drawn
    assert "page_1m" not in drawn


def test_a_case_without_samples_is_no_result() -> None:
    experiment = L4PageFault()
    job = experiment.jobs(Settings(rounds=ROUNDS))[0]
    empty = Stats.parse(json.dumps(fake.stats(1, [], {"0": [fake.TIMING]})), "stats")
    with pytest.raises(RunError, match="0 samples in stream 1"):
        experiment.measure(job, empty)


def test_a_row_has_the_cycles_of_each_kind() -> None:
    """Not how many rounds there were, which is known by the same names."""
    experiment = L4PageFault()
    (job, *_) = experiment.jobs(Settings())
    point = experiment.measure(job, statistics_of("flush", page=800))
    assert experiment.row(job, point) == {
        "scheme": "flush",
        **{case.where["kind"]: next(iter(case.values))[1] for case in point},
    }


@pytest.mark.guests
def test_programs_that_collide_while_they_start_are_switched_to_fast_afterwards() -> None:
    """Their first faults collide, and then nothing does: nobody steps aside for that."""
    (job,) = [job for job in L4PageFault().jobs(Settings(rounds=50)) if job.name == "fass"]
    assert isinstance(job.guest, build.Guest)
    build.ensure([job.guest])
    stats = machine.run(job.boot(job.guest.images)).stats
    cases = {CASES[name] for name in ("page_4k", "more_rights", "directory")}
    flushes = {
        region.id: region.event(EVENTS["cache_flushes"])
        for region in stats.regions
        if region.id in cases
    }
    assert flushes == dict.fromkeys(cases, 0)
