# SPDX-License-Identifier: Apache-2.0
"""The experiments after the uClinux paper, from statistics whose answers are known."""

import re
from collections.abc import Mapping

import pytest

from switchyard.data.suite import ALONE
from switchyard.experiments import EXPERIMENTS
from switchyard.experiments import linux_suite as suite
from switchyard.experiments.uclinux_ctx import measure as uclinux_ctx
from switchyard.experiments.uclinux_ipc.measure import UclinuxIpc
from switchyard.run.build_linux import FAST, FLAT, PAGED
from switchyard.run.experiment import Experiment, Job, Outcome, Settings
from switchyard.show import plot, views
from switchyard.tests.linux_experiments_test import stats

# Cycles and switches of an operation, by the stream of its samples; one such for each scheme.
Cases = Mapping[int, tuple[int, float]]


def outcome(experiment: Experiment[suite.Run], cases: Mapping[str, Mapping[str, Cases]]) -> Outcome:
    """What an experiment makes of cases, by scheme and by the ends of its jobs' names."""
    points = {}
    for job in experiment.jobs(Settings(quick=True)):
        scheme = str(job.parameters["scheme"])
        rest = re.sub(r"-run\d+$", "", job.name.removeprefix(f"{scheme}-"))
        points[job.name] = experiment.measure(job, stats("s3c24a0", cases[scheme][rest]))
    return views.of_runs(experiment, points)


def ipc(flat_cycles: int = 10_000) -> Outcome:
    def cases(trip: int, megabyte: int, switches: float) -> dict[str, Cases]:
        return {
            "fifo": {2: (trip, 2 * switches)},
            "pipe": {3: (trip, 2 * switches)},
            "bw-fifo": {3: (megabyte, 32 * switches)},
            "bw-pipe": {1: (megabyte, 32 * switches)},
        }

    return outcome(
        UclinuxIpc(),
        {
            "flush": cases(50_000, 8_388_608, 1.0),
            "fass": cases(12_500, 4_194_304, 1.0),
            "single-space": cases(flat_cycles, 4_194_304, 0.0),
        },
    )


def ctx(flat_cycles: int = 10_000) -> Outcome:
    def cases(cycles: int, switches: float) -> dict[str, Cases]:
        return {
            f"{size:02}k": {
                stream: case
                for n in uclinux_ctx.QUICK_COUNTS
                for stream, case in (
                    (n, (cycles * n, switches * n)),
                    (ALONE + n, (4_000 * n, 0.0)),
                )
            }
            for size in uclinux_ctx.SIZES
        }

    return outcome(
        uclinux_ctx.UclinuxCtx(),
        {
            "flush": cases(34_000, 1.0),
            "fass": cases(16_000, 1.0),
            "single-space": cases(flat_cycles, 0.0),
        },
    )


def value(results: Outcome, metric: str, scheme: str, **parameters: object) -> float:
    (record,) = [
        r
        for r in results.records
        if (r.metric, r.scheme, dict(r.parameters)) == (metric, scheme, parameters)
    ]
    return record.value


def published(results: Outcome) -> dict[tuple[str, str, tuple[object, ...]], float]:
    return {
        (r.metric, r.scheme, tuple(r.parameters.values())): r.published.value
        for r in results.records
        if r.published is not None
    }


def test_the_table_of_the_paper() -> None:
    results = ipc()
    assert value(results, "latency", "flush", case="fifo") == 250
    assert value(results, "latency", "single-space", case="fifo") == 50
    assert value(results, "bandwidth", "flush", case="fifo") == 25
    assert value(results, "bandwidth", "single-space", case="fifo") == 50
    assert value(results, "gain", "single-space", case="fifo") == 5
    assert value(results, "gain", "single-space", case="bw-fifo") == 2
    assert value(results, "latency", "fass", case="fifo") == 62.5
    assert value(results, "gain_over_fass", "single-space", case="fifo") == 1.25
    assert value(results, "gain_over_fass", "single-space", case="bw-fifo") == 1
    papers = published(results)
    # the paper's ratios are those of its own values
    assert papers.pop(("gain", "single-space", ("fifo",))) == pytest.approx(5.06, abs=0.005)
    assert papers.pop(("gain", "single-space", ("bw-fifo",))) == pytest.approx(2.03, abs=0.005)
    assert papers == {
        ("latency", "flush", ("fifo",)): 160.64,
        ("latency", "single-space", ("fifo",)): 31.74,
        ("bandwidth", "flush", ("fifo",)): 12.58,
        ("bandwidth", "single-space", ("fifo",)): 25.55,
    }


def test_the_latencies_notes_follow_the_counters() -> None:
    paged, flat, gain, remains, bandwidth, *_ = ipc().notes
    assert "with an MMU takes 250.0 µs, 1.56 times the published 160.64 µs" in paged
    assert "2.0 switches of page tables" in paged
    assert "without an MMU takes 50.0 µs, 1.58 times the published 31.74 µs" in flat
    assert "5.00 times as fast; the paper has 5.06" in gain
    assert "a megabyte takes 512 switches; here it holds 16 and takes 32" in bandwidth
    assert "takes 62.5 µs, 4.00 times as fast as with flushes" in remains
    assert "1.25 times as fast as that, where it was 5.00 times" in remains
    assert "of 200 µs that the MMU costs 12 remain" in remains
    assert "it would take the paper's time" in flat
    assert "the paper's time" not in ipc(flat_cycles=5_000).notes[1]


def test_a_switch_is_the_ring_less_what_one_process_takes() -> None:
    results = ctx()
    assert value(results, "switch", "flush", processes=8, size_kb=1) == pytest.approx(150)
    assert value(results, "switch", "single-space", processes=8, size_kb=1) == pytest.approx(30)
    assert value(results, "gain", "single-space", processes=8, size_kb=1) == pytest.approx(5)
    assert value(
        results, "gain_over_fass", "single-space", processes=8, size_kb=1
    ) == pytest.approx(2)
    assert value(results, "switch_address_space_switches", "flush", processes=8, size_kb=1) == 1
    assert published(results) == {
        ("gain", "single-space", (2, 0)): 9.7,
        ("gain", "single-space", (16, 0)): 4.5,
        ("gain", "single-space", (16, 16)): 1.0,
    }
    text = "\n".join(results.notes)
    assert "2 processes, 0 KB: 150 µs with an MMU, 30.0 without, 5.0 times as fast" in text
    assert "To be 9.7 times as fast it would have to take 15.5 µs" in text
    assert "150 µs with flushes, 60 fast, 30 without an MMU, 5.0 and 2.0 times" in text
    # the paper's lines are of two kernels
    assert "the paper's line is almost flat" in text
    assert "the paper's line grows with the processes" in text
    # faster than the paper's: nothing to explain
    assert "To be 4.5 times" not in text
    assert "of data there is little left to save" in text
    assert "little left to save" not in "\n".join(ctx(flat_cycles=34_000).notes)


@pytest.mark.parametrize("measure", [ipc, ctx])
def test_the_figures_can_be_drawn(measure: object) -> None:
    assert callable(measure)
    for figure in measure().figures("uclinux").values():
        assert plot.svg(figure).startswith("<svg")


@pytest.mark.parametrize("name", ["uclinux-ipc", "uclinux-ctx"])
def test_all_kernels_are_asked_the_same(name: str) -> None:
    for quick in (False, True):
        jobs: list[Job] = EXPERIMENTS[name].jobs(Settings(quick=quick))
        assert len({job.name for job in jobs}) == len(jobs)
        assert {job.machine for job in jobs} == {"s3c24a0"}
        asked = {
            config: [job.append for job in jobs if getattr(job.guest, "config", "") == config]
            for config in (PAGED, FAST, FLAT)
        }
        assert asked[PAGED] == asked[FLAT]
        assert [words.replace("fass=private ", "") for words in asked[FAST]] == asked[FLAT]
        assert len(set(asked[FLAT])) * 3 == len(jobs)
        assert all(" spawn=vfork " in words for words in asked[FLAT])
