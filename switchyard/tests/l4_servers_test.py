# SPDX-License-Identifier: Apache-2.0
"""The experiment l4-servers, in short runs on the machine."""

from dataclasses import replace

import pytest

from switchyard.data import band
from switchyard.data.band import Variant
from switchyard.experiments import EXPERIMENTS, l4_pc
from switchyard.experiments.l4_servers.measure import LOADS, L4Servers
from switchyard.run import runner, variants
from switchyard.run.build import BOUNDS, PC, VERSATILE, schemes_on
from switchyard.run.experiment import Settings
from switchyard.run.machine import run
from switchyard.run.runner import Written
from switchyard.tests.runs import Silent

pytestmark = pytest.mark.guests

SCHEMES = (*schemes_on(VERSATILE), *BOUNDS)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Written:
    out = tmp_path_factory.mktemp("out")
    return runner.run(EXPERIMENTS["l4-servers"], Settings(rounds=20), out, 2, Silent())


def test_the_jobs_cover_schemes_and_loads() -> None:
    jobs = L4Servers().jobs(Settings())
    assert {
        (l4_pc.is_on(job), job.parameters["scheme"], job.parameters["load"]) for job in jobs
    } == {
        (on_pc, scheme, load)
        for on_pc, schemes in ((False, SCHEMES), (True, schemes_on(PC)))
        for scheme in schemes
        for load in LOADS
    }
    assert len({job.name for job in jobs}) == len(jobs)


def of(written: Written, *, pc: bool) -> dict[tuple[str, str, object], float]:
    """What was found on one kind of machine, by scheme, metric and load."""
    return {
        (r.scheme, r.metric, r.parameters["load"]): r.value
        for r in written.outcome.records
        if (r.machine == l4_pc.MACHINE) == pc
    }


def test_flushing_costs_what_the_paper_found_and_more(written: Written) -> None:
    found = of(written, pc=False)
    for load in LOADS:
        # two switches are whole within what is measured: to the stack, and back
        assert found["flush", "cache_flushes", load] == 2
        assert found["fass", "cache_flushes", load] == 0
        assert found["fass", "cycles", load] < 0.7 * found["flush", "cycles", load]
        assert found["fass", "dtlb_misses", load] < 0.7 * found["flush", "dtlb_misses", load]
        assert found["single-space", "cycles", load] < found["fass", "cycles", load]
    # what is interrupted sees the switches to the driver and back as well
    for scheme in SCHEMES:
        assert found[scheme, "interruption", 16] > found[scheme, "cycles", 16] + 1000
    # what is interrupted has the driver's lines
    assert found["fass", "dcache_misses", 16] > found["fass", "dcache_misses", 0]


def test_small_spaces_save_what_the_paper_found(written: Written) -> None:
    found = of(written, pc=True)
    for load in LOADS:
        assert found["flush", "cr3_loads", load] == 2
        assert found["small-spaces", "cr3_loads", load] == 0
        # 38,950 and 31,800 cycles there, with a third switch
        assert 4_000 < found["small-spaces", "saved", load] < 7_150
        for metric in ("itlb_misses", "dtlb_misses"):
            assert found["flush", metric, load] > 8
            assert found["small-spaces", metric, load] < 1
    # what is interrupted is in no group with the servers
    assert found["small-spaces-groups", "traces_built", 0] < 200
    assert found["small-spaces-groups", "traces_built", 16] > 500
    assert found["small-spaces-groups", "saved", 16] < found["small-spaces", "saved", 16]


def test_ports_take_most_and_the_same_under_every_scheme(written: Written) -> None:
    found = of(written, pc=True)
    for load in LOADS:
        for scheme in schemes_on(PC):
            accesses, cycles, whole, rest = (
                found[scheme, metric, load]
                for metric in ("port_accesses", "port_cycles", "cycles", "cycles_beside_ports")
            )
            # a frame of 98 bytes comes and goes by words; the rest are registers and ticks
            assert 100 < accesses < 150
            assert cycles == pytest.approx(1008 * accesses)
            assert rest == pytest.approx(whole - cycles)
            assert 0 < rest < whole / 4
            assert accesses == pytest.approx(found["flush", "port_accesses", load], rel=0.01)


def test_the_paper_stands_beside(written: Written) -> None:
    text = " ".join("\n".join(written.outcome.notes).split())
    assert "takes 38950 cycles with large spaces and 31800 with small ones, 18% fewer" in text


@pytest.mark.usefixtures("written")  # which builds the guests
def test_the_band_is_told() -> None:
    """The same runs stand for both ends."""
    experiment = L4Servers()
    ends = (None, Variant("low", {}), Variant("high", {}))
    wanted, pings = [], {}
    for job in band.bases(experiment, Settings(rounds=5)):
        assert variants.ranges(variants.describe(job.machine)), "assumed constants"
        ping = experiment.measure(job, run(job.boot(job.guest.images)).stats)
        for n, variant in enumerate(ends):
            varied = replace(job, name=f"{job.name}-{n}")
            wanted.append((varied, job, variant))
            pings[varied.name] = ping
    assumed = band.of(experiment, band.records(experiment, wanted, pings))
    assert assumed is not None
    told = band.sentences(assumed, {})
    assert len(told) == len(assumed.swings) + len(assumed.ratios) > 1
