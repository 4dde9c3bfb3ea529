# SPDX-License-Identifier: Apache-2.0
"""The experiment l4-servers, in short runs on the machine."""

from dataclasses import replace

import pytest

from switchyard import band, runner, variants
from switchyard.band import Variant
from switchyard.build import BOUNDS, VERSATILE, schemes_on
from switchyard.experiments import EXPERIMENTS
from switchyard.experiments.experiment import Settings
from switchyard.experiments.l4_servers.measure import LOADS, L4Servers
from switchyard.machine import run
from switchyard.runner import Written
from switchyard.tests.runs import Silent

pytestmark = pytest.mark.guests

SCHEMES = (*schemes_on(VERSATILE), *BOUNDS)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Written:
    out = tmp_path_factory.mktemp("out")
    return runner.run(EXPERIMENTS["l4-servers"], Settings(rounds=20), out, 2, Silent())


def test_the_jobs_cover_schemes_and_loads() -> None:
    jobs = L4Servers().jobs(Settings())
    assert {(job.parameters["scheme"], job.parameters["load"]) for job in jobs} == {
        (scheme, load) for scheme in SCHEMES for load in LOADS
    }
    assert len({job.name for job in jobs}) == len(jobs)


def test_flushing_costs_what_the_paper_found_and_more(written: Written) -> None:
    found = {(r.scheme, r.metric, r.parameters["load"]): r.value for r in written.outcome.records}
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


def test_the_paper_stands_beside(written: Written) -> None:
    text = " ".join("\n".join(written.outcome.notes).split())
    assert "takes 38950 cycles with large spaces and 31800 with small ones, 18% fewer" in text


@pytest.mark.usefixtures("written")  # which builds the guests
def test_the_band_is_told() -> None:
    """The same runs stand for both ends."""
    experiment = L4Servers()
    ends = (None, Variant("low", {}), Variant("high", {}))
    wanted, pings = [], {}
    for job in experiment.band_jobs(Settings(rounds=5)):
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
