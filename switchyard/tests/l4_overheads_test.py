# SPDX-License-Identifier: Apache-2.0
"""The experiment l4-overheads on statistics whose answers are known, and a small real run."""

import dataclasses
import json
from typing import Any

import pytest

from switchyard.errors import RunError
from switchyard.experiments.l4_overheads.measure import (
    DIRECT_TIMES,
    FULL,
    SCHEMES,
    L4Overheads,
    Sample,
)
from switchyard.experiments.overheads.formulas import PAIRS, RUNS, TASKS
from switchyard.run import build, machine
from switchyard.run.experiment import Job, Outcome, Settings
from switchyard.run.machine import Boot, Stats
from switchyard.show import plot, views
from switchyard.tests import fake_machine as fake

WORK = {"sort": 402_000_000, "deflate": 428_000_000, "aes": 388_000_000, "crc": 390_000_000}
STAMPING = 64  # cycles of taking time stamps, in every switch
COLD = {
    "flush": 2_400, "fass": 1_600, "fass-shared": 1_700, "single-space": 1_500, "tags": 1_400,
}  # fmt: skip
HANDLED = {"own": 1_800, "other": 5_000}
WORD = 10  # cycles until the asked word of a line is there, the least that a refill takes
LINES, LINE = 40, 17  # lines that a task fills again after each switch away
RESULT = dict(zip(TASKS, (11, 22, 33, 44), strict=True))


def region(number: int, entries: int, cycles: int, lines: int = 0, irqs: int = 0) -> Any:
    counted = fake.counters(cycles, 1, 0, 0)
    counted["kernel"] |= {
        "icache_misses": lines // 2,
        "dcache_read_misses": lines - lines // 2,
        "fill_stall_cycles": lines * LINE,
        "walk_stall_cycles": 0,
        "exception_irq": irqs,
    }
    counted["user"]["exception_irq"] = 0
    return {"id": number, "entries": entries, "counters": counted, "events": {}}


def stamps_of(gaps: list[int], start: int) -> list[int]:
    stamps = [start]
    for gap in gaps:
        stamps.append((stamps[-1] + gap) % 2**32)
    return stamps


def pair_stats(job: Job, scheme: str, n: int) -> tuple[list[Any], dict[str, list[int]]]:
    """Each slice but a task's first fills its lines; each switch finds 100 cycles of dirty ones."""
    slices = (n + 1) // 2
    pair = str(job.parameters["subject"]).split("-")
    gaps: list[int] = []
    for i in range(2 * slices):
        task = pair[i % 2]
        gaps.append(WORK[task] // slices + (0 if i < 2 else LINES * LINE))
        gaps.append(COLD[scheme] + 100 + STAMPING)
    gaps.pop()
    own = [sum(gaps[0::4]), sum(gaps[2::4])]
    regions = [region(1 + i, slices, own[i] + 30 * slices, (slices - 1) * LINES) for i in range(2)]
    regions.append(region(3, n, sum(gaps[1::2])))
    return regions, {"1": stamps_of(gaps, 2**32 - 5), "2": [RESULT[task] for task in pair]}


def direct_stats(scheme: str) -> tuple[list[Any], dict[str, list[int]]]:
    gaps = [26, COLD[scheme] + STAMPING, 9, 500_000] * DIRECT_TIMES
    samples = {"0": [STAMPING] * 16, "1": stamps_of(gaps, 77)[:-1], "2": [0, 0]}
    return [region(3, DIRECT_TIMES, 0)], samples


def statistics_of(job: Job, irqs: int | None = None) -> Stats:
    scheme, mode = str(job.parameters["scheme"]), job.parameters["mode"]
    n, subject = int(job.parameters.get("n", 0)), str(job.parameters["subject"])
    if mode == "pair":
        regions, samples = pair_stats(job, scheme, n)
    elif mode == "direct":
        regions, samples = direct_stats(scheme)
    elif mode == "invoke":
        samples = {"2": [101], "3": [100 * HANDLED[subject]]}
        regions = [region(3, 1, 0, irqs=100)]
    else:
        cycles = WORK[subject] + n * (HANDLED["own"] + 300)
        samples = {"1": [2**32 - 9, cycles - 9], "2": [RESULT[subject]]}
        regions = [region(1, 1, cycles, irqs=n if irqs is None else irqs)]
    written = fake.stats(1_000_000, regions, samples) | {"clock_hz": 120_000_000}
    function = {
        "name": "cpu_flush_caches", "kernel": True, "cycles": 20 * 900, "instructions": 20 * 150,
        "fetch_fill_cycles": 20 * 100, "fetch_walk_cycles": 0, "data_fill_cycles": 20 * 60,
        "data_walk_cycles": 20 * 40, "write_buffer_cycles": 20 * 200,
    }  # fmt: skip
    other = function | {"name": "sched_yield"}
    written["profile"] = [{"region": 3, "functions": [function, other]}]
    return Stats.parse(json.dumps(written), "stats")


def measured(settings: Settings) -> dict[str, Sample]:
    experiment = L4Overheads()
    return {
        job.name: experiment.measure(job, statistics_of(job)) for job in experiment.jobs(settings)
    }


@pytest.fixture(scope="module")
def outcome() -> Outcome:
    return views.of_runs(L4Overheads(), measured(Settings()))


def test_what_was_put_in_comes_out(outcome: Outcome) -> None:
    values = {(r.metric, r.scheme, *r.parameters.values()): r.value for r in outcome.records}
    for scheme in SCHEMES:
        assert values["switch_direct", scheme] == pytest.approx(COLD[scheme] / 120, abs=1e-5)
        assert values["interrupt_direct", scheme] == 15
        assert values["interrupt_direct", scheme, "other"] == pytest.approx(5_000 / 120, abs=1e-5)
        for pair in ("sort-deflate", "aes-sort"):
            switches = 98 * 100 / 120e3
            tasks = 98 * LINES * LINE / 120e3
            assert values["indirect", scheme, pair, 99] == pytest.approx(switches + tasks, abs=1e-3)
            assert values["indirect_switches", scheme, pair, 99] == pytest.approx(
                switches, abs=1e-5
            )
            lines = values["tasks_part: filling the instruction cache", scheme, pair, 99]
            assert lines == pytest.approx(tasks / 2, abs=1e-5)
        assert values["interrupt_indirect", scheme, "aes", 49] == pytest.approx(49 * 300 / 120)


def test_published_values_stand_beside_flush_alone(outcome: Outcome) -> None:
    beside = {r.scheme for r in outcome.records if r.published is not None}
    assert beside == {"flush"}
    quick = views.of_runs(L4Overheads(), measured(Settings(quick=True)))
    beside_quick = {r.metric for r in quick.records if r.published is not None}
    assert beside_quick == {"switch_direct"}, "smaller tasks, fewer switches"


def test_a_full_run_is_the_papers() -> None:
    jobs = L4Overheads().jobs(Settings())
    of_flush = [j for j in jobs if j.parameters["scheme"] == "flush"]
    points = {(j.parameters["subject"], j.parameters.get("n")) for j in of_flush}
    assert {("-".join(pair), n) for pair in PAIRS for n in (1, 99)} <= points
    assert {(task, n) for task in TASKS for n in (0, 49)} <= points
    runs = [j for j in of_flush if (j.parameters["subject"], j.parameters.get("n")) == ("aes", 49)]
    assert len(runs) == RUNS
    assert len({j.append for j in runs}) == RUNS
    assert all(FULL in j.append for j in runs)


def test_all_can_be_drawn_and_said(outcome: Outcome) -> None:
    drawn = outcome.figures("l4-overheads")
    assert len(drawn) == 11
    for figure in drawn.values():
        assert plot.svg(figure).startswith("<svg")
    switch = drawn["l4-overheads-switch"]
    assert isinstance(switch, plot.Bars)
    parts = {bar.part: bar.value for bar in switch.bars if bar.case == "fass"}
    assert parts["emptying caches and TLBs"] == pytest.approx(700 / 120)
    assert parts["the kernel's instructions"] == pytest.approx(500 / 120)
    notes = "\n".join(outcome.notes)
    assert "a switch takes 20.0 µs with cold caches (0.42 times the published 48 µs)" in notes
    assert "fass 41.7 µs (2.8 times)" in notes
    assert len(outcome.tables) == 5


def test_wrong_runs_are_no_results() -> None:
    experiment = L4Overheads()
    jobs = {job.name: job for job in experiment.jobs(Settings())}
    job = jobs["flush-aes-interrupted-49-0"]
    with pytest.raises(RunError, match="48 interrupts; expected 49"):
        experiment.measure(job, statistics_of(job, irqs=48))
    other = jobs["flush-sort-deflate-99-0"]
    with pytest.raises(RunError, match="49 switches; expected 99"):
        experiment.measure(other, statistics_of(jobs["flush-sort-deflate-49-0"], irqs=0))


def test_slices_out_of_turn_are_no_result() -> None:
    # the second task began: the stamps are of b a b a ..., and the regions say so
    experiment = L4Overheads()
    job = next(j for j in experiment.jobs(Settings()) if j.name == "flush-sort-deflate-49-0")
    regions, samples = pair_stats(job, "flush", 49)
    regions[0]["id"], regions[1]["id"] = 2, 1
    stats = Stats.parse(json.dumps(fake.stats(1_000_000, regions, samples)), "stats")
    with pytest.raises(RunError, match="region 1 and the time stamps differ by"):
        experiment.measure(job, stats)


def test_tasks_that_compute_something_else_are_found() -> None:
    samples = measured(Settings(quick=True))
    name = "fass-sort-crc-19-0"
    samples[name] = dataclasses.replace(samples[name], results=(11, 45))
    with pytest.raises(RunError, match="fass, sort-crc: crc computed something else"):
        L4Overheads().records(samples)


def run(job: Job) -> Sample:
    assert isinstance(job.guest, build.Guest)
    build.ensure([job.guest])
    finished = machine.run(job.boot(job.guest.images))
    return L4Overheads().measure(job, finished.stats)


@pytest.mark.guests
@pytest.mark.parametrize("scheme", ["flush", "fass", "tags"])
def test_small_tasks_on_the_kernel(scheme: str) -> None:
    jobs = {job.name: job for job in L4Overheads().jobs(Settings(quick=True))}
    few, many = (run(jobs[f"{scheme}-sort-crc-{n}-0"]) for n in (1, 19))
    assert few.pair is not None
    assert many.pair is not None
    assert few.results == many.results
    direct, own = run(jobs[f"{scheme}-direct"]), run(jobs[f"{scheme}-invoke-own"])
    assert max(direct.switches) < 1.25 * min(direct.switches)
    # each of a task's 9 further slices fills lines again, and not more than there are
    more = many.pair.first - few.pair.first
    if scheme == "flush":
        assert 9 * 64 * WORD < more < 9 * 800 * LINE
        assert sum(direct.parts.values()) > direct.parts["emptying caches and TLBs"] > 0
    else:
        assert 0 < more < 9 * 768 * LINE
        assert direct.parts["emptying caches and TLBs"] == 0
    alone = run(jobs[f"{scheme}-sort-interrupted-0-0"])
    interrupted = run(jobs[f"{scheme}-sort-interrupted-9-0"])
    assert interrupted.results == alone.results == few.results[:1]
    taken = (interrupted.cycles - alone.cycles) / 9
    assert own.cycles / 100 < taken < 3 * own.cycles / 100


@pytest.mark.slow
@pytest.mark.guests
def test_tasks_that_outlast_their_slices_are_not_interrupted() -> None:
    """The kernel must not unmask its timer behind the program's back; `measure` counts."""
    jobs = {job.name: job for job in L4Overheads().jobs(Settings())}
    assert run(jobs["flush-sort-deflate-1-4"]).pair is not None


@pytest.mark.guests
def test_bad_parameters_are_said() -> None:
    (job, *_) = L4Overheads().jobs(Settings(quick=True))
    assert isinstance(job.guest, build.Guest)
    build.ensure([job.guest])
    for append, said in (
        ("mode=none", "parameter mode: expected mode=pair"),
        ("mode=pair switches=2", "an odd number of switches"),
        ("mode=pair size=100", "parameters size, passes: expected four numbers"),
    ):
        boot = Boot(job.machine, job.guest.image, append, job.max_cycles)
        ended = machine.run(boot, must_succeed=False)
        assert said in ended.console
        assert ended.stats.end.status == 2
