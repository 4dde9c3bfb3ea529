# SPDX-License-Identifier: Apache-2.0
"""The bands of all experiments that have one: what they ask, and what is said of the answers."""

import re
from collections.abc import Callable

import pytest

from switchyard.data import band, constants, published
from switchyard.data.band import Variant
from switchyard.data.suite import ALONE
from switchyard.experiments import EXPERIMENTS
from switchyard.experiments.l4_servers.measure import L4Servers
from switchyard.experiments.p4_microbench.measure import P4Microbench
from switchyard.run import machine, variants
from switchyard.run.experiment import Job, Settings
from switchyard.run.machine import Stats
from switchyard.tests import l4_overheads_test, l4_pagefault_test, linux_experiments_test

ROUNDS = 20
# These have no stand-in: p4_microbench_test and l4_servers_test ask the machine itself.
ASKED_THEMSELVES = {P4Microbench.name, L4Servers.name}
BANDED = [
    name
    for name, experiment in EXPERIMENTS.items()
    if experiment.band and name not in ASKED_THEMSELVES
]


def by_stand_in(job: Job) -> Stats:
    """What the stand-in answers, as a process of its own."""
    job.guest.images.kernel.write_text(job.guest.name)
    return machine.run(job.boot(job.guest.images)).stats


def linux(streams: tuple[int, ...], on: str = "sa1110") -> Callable[[Job], Stats]:
    def answer(job: Job) -> Stats:
        assert job.machine == on
        cases = {stream: (50_000 if stream < ALONE else 10_000, 2.0) for stream in streams}
        return linux_experiments_test.stats(job.machine, cases)

    return answer


ANSWERS: dict[str, Callable[[Job], Stats]] = {
    "l4-overheads": l4_overheads_test.statistics_of,
    "l4-pagefault": lambda job: l4_pagefault_test.statistics_of(str(job.parameters["scheme"])),
    "linux-ipc": linux((3,)),
    "linux-ctx": linux((2, ALONE + 2)),
    "linux-asid": linux((3,), "virt-u74"),
}


def test_the_experiments_that_rest_on_assumed_constants_have_bands() -> None:
    assert set(BANDED) >= {
        "l4-ipc", "l4-collisions", "l4-extreme", "l4-pagefault", "l4-primitives", "l4-overheads",
        "linux-ipc", "linux-ctx",
    }  # fmt: skip


@pytest.mark.parametrize("name", variants.names())
def test_each_assumed_constant_is_said_in_words(name: str) -> None:
    assert set(variants.ranges(variants.describe(name))) <= set(constants.SAID)


def test_a_variant_in_words() -> None:
    assert constants.said("memory.device = 16") == "16 cycles for an access to a device"
    assert constants.said("latency.store = 1") == "1 cycle for a store to the second-level cache"
    assert constants.said("zeros-bank line 71") == "71 cycles for a line from the bank of zeros"
    for name in ("all low", "one's own = 7", "itlb.entries"):
        assert constants.said(name) == name


@pytest.mark.usefixtures("fake_machine")
@pytest.mark.parametrize("name", BANDED)
def test_every_band_is_measured_and_told(name: str) -> None:
    """The point of each job stands for its variants, too."""
    experiment = EXPERIMENTS[name]
    jobs = band.bases(experiment, Settings(rounds=ROUNDS if name != "linux-ipc" else None))
    names = [job.name for job in jobs]
    assert len(set(names)) == len(names) > 0
    assert experiment.band is not None
    metric, unit = experiment.band.metric, experiment.band.unit
    low, high = Variant("low", {}), Variant("high", {})
    wanted: list[tuple[Job, Job, Variant | None]] = []
    points = {}
    for job in jobs:
        assert variants.ranges(variants.describe(job.machine)), "assumed constants"
        point = experiment.measure(job, ANSWERS.get(name, by_stand_in)(job))
        assert float(experiment.row(job, point)[metric]) > 0
        for variant in (None, low, high):
            key = f"{job.name}-{variant.name if variant else 'as it is'}"
            varied = Job(key, job.guest, job.machine, job.append, 1)
            wanted.append((varied, job, variant))
            points[key] = point
    banded = band.records(experiment, wanted, points)
    measured = band.of(experiment, banded)
    assert measured is not None
    known = {n: s.value for s in published.statements(experiment, banded) for n in s.band}
    assert set(known) <= set(measured.all)
    assert {part for both in experiment.band.ratios.values() for part in both} <= set(names)
    told = band.sentences(measured, known)
    assert len(told) == len(measured.swings) + len(measured.ratios)
    for text in told:
        assert re.search(
            r"^Over the ranges of the assumed constants, .+ goes from [\d.]+ to [\d.]+ ", text
        ), text
    for key in known:
        (text,) = [
            sentence
            for sentence in told
            if re.search(rf"constants, {re.escape(key)}(,| goes)", sentence)
        ]
        assert re.search(r"the published [\d.]+ lies (within|outside)", text), text
    assert {record.metric for record in banded} <= {f"band_{metric}", "band_ratio"}
    assert {record.unit for record in banded} <= {unit, "1"}
    # the records say how long the runs were
    lengths = [set(record.parameters) & {"rounds", "hops", "times"} for record in banded]
    assert all(len(length) == 1 for length in lengths), name
    assert all(record.scheme != "none" for record in banded)
