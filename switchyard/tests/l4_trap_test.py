# SPDX-License-Identifier: Apache-2.0
"""The experiments l4-ipc-size and l4-primitives on the stand-in, whose answers are known."""

import json

import pytest

from switchyard.data import records
from switchyard.errors import RunError
from switchyard.experiments import EXPERIMENTS, l4_pc, l4_trap
from switchyard.experiments.l4 import COLUMNS
from switchyard.experiments.l4_ipc_size.measure import FLOOR, STRINGS, L4IpcSize, floor
from switchyard.experiments.l4_primitives.measure import L4Primitives
from switchyard.run import runner
from switchyard.run.experiment import Settings
from switchyard.run.machine import Stats
from switchyard.run.runner import Written
from switchyard.tests import fake_machine as fake
from switchyard.tests.conftest import faked
from switchyard.tests.runs import Silent

ROUNDS = 24


def run(name: str, factory: pytest.TempPathFactory) -> Written:
    with faked(factory.mktemp("fake")):
        return runner.run(
            EXPERIMENTS[name], Settings(rounds=ROUNDS), factory.mktemp("out"), 2, Silent()
        )


@pytest.fixture(scope="module")
def sizes(tmp_path_factory: pytest.TempPathFactory) -> Written:
    return run("l4-ipc-size", tmp_path_factory)


@pytest.fixture(scope="module")
def primitives(tmp_path_factory: pytest.TempPathFactory) -> Written:
    return run("l4-primitives", tmp_path_factory)


def test_files(sizes: Written, primitives: Written) -> None:
    for written in (sizes, primitives):
        assert records.load(written.records) == list(written.outcome.records)
        assert all(figure.exists() for figure in written.figures)


def test_one_way(sizes: Written) -> None:
    by_case = {
        (r.scheme, *key): r
        for r in sizes.outcome.records
        if r.metric == "one_way" and r.machine != l4_pc.MACHINE
        for key in r.parameters.items()
    }
    for scheme in COLUMNS:
        for n in range(64):
            record = by_case[(scheme, "message_registers", n)]
            assert record.unit == "cycles"
            assert record.value == pytest.approx(fake.one_way(f"-{scheme}-", n))
    for scheme in ("fass", "flush", "fass-shared", "tags"):
        for size in STRINGS:
            value = by_case[(scheme, "string_bytes", size)].value
            assert value == pytest.approx(fake.one_way(f"-{scheme}-", size + 64))
    published = {key: r.published.value for key, r in by_case.items() if r.published}
    fass = {("fass", "message_registers", n): 131 for n in range(5)}
    assert published == fass | {
        ("fass", "message_registers", 8): 141,
        ("fass", "message_registers", 16): 161,
    }
    text = "\n".join(sizes.outcome.notes)
    assert "fass with 8 message registers: 68 cycles, 52% below the published 141" in text
    assert "one way takes 64 cycles up to 4 words and 123 with 63, under fass 64 and 123" in text


def test_one_way_on_the_pc(sizes: Written) -> None:
    """Of a round the host takes off what timing takes, and no user mode."""
    found = {
        (r.scheme, *key): r
        for r in sizes.outcome.records
        if r.metric == "one_way" and r.machine == l4_pc.MACHINE
        for key in r.parameters.items()
    }
    more = (fake.USER - fake.ITSELF) / 2 - 1
    assert len(found) == len(l4_pc.SCHEMES) * (64 + len(STRINGS))
    for scheme in l4_pc.SCHEMES:
        for n in range(64):
            there = fake.one_way(f"-{scheme}-", n) + more
            assert found[scheme, "message_registers", n].value == pytest.approx(there)
        for size in STRINGS:
            there = fake.one_way(f"-{scheme}-", size + 64) + more
            assert found[scheme, "string_bytes", size].value == pytest.approx(there)
    assert all(r.published is None for r in found.values())
    assert "On a Pentium 4, flush: one way takes 8005 cycles" in "\n".join(sizes.outcome.notes)


def test_floor() -> None:
    """The floor is the sum of its steps, and rises by a load and a store a word."""
    steps = sum(FLOOR.values())
    assert [floor(n) for n in (0, 4, 5, 8)] == [steps, steps, steps + 2, steps + 8]


def test_primitives(primitives: Written) -> None:
    fass = {r.metric: r.value for r in primitives.outcome.records if r.scheme == "fass"}
    assert fass == pytest.approx(
        {
            "null_syscall": 21,
            "system_clock": 245,
            "thread_switch": 85,
            "ipc_in_space": 55,
            "lipc_in_space": 66,
            "page_fault": fake.PAGE_FAULT,
            "rounds": ROUNDS,
        }
    )
    single = {r.metric for r in primitives.outcome.records if r.scheme == "single-space"}
    assert single == set(fass) - {"page_fault"}
    more = fake.USER - fake.ITSELF
    pc = {r.metric: r.value for r in primitives.outcome.records if r.machine == l4_pc.MACHINE}
    assert pc["null_syscall"] == 21 - 1 + more
    assert pc["thread_switch"] == 85 - 1 + more / 2
    assert pc["page_fault"] == fake.PAGE_FAULT
    text = "\n".join(primitives.outcome.notes)
    limits = {row[0]: row[1:4] for row in primitives.outcome.tables[0].rows}
    assert limits["page fault, a pager of few instructions, fass"] == [
        "900 cycles", "850 cycles", "0.94",
    ]  # fmt: skip
    assert "beside fass: null system call 21 cycles (21), thread switch 85 cycles (85)" in text


@pytest.mark.parametrize(
    "name", ["l4-ipc-size", "l4-primitives", "l4-pagefault", "l4-collisions", "l4-extreme"]
)
def test_tags_run_where_there_are_tags(name: str) -> None:
    jobs = [job for job in EXPERIMENTS[name].jobs(Settings()) if not l4_pc.is_on(job)]
    schemes = {job.parameters["scheme"] for job in jobs}
    assert {"fass", "fass-shared", "tags"} <= schemes
    for job in jobs:
        scheme = job.parameters["scheme"]
        assert job.machine == ("sa1110-tags" if scheme == "tags" else "sa1110")
        assert job.guest.name.startswith(f"assabet-{scheme}-bench-")


def test_a_run_without_its_samples_is_no_result() -> None:
    (job, *_) = L4IpcSize().jobs(Settings(rounds=ROUNDS))
    short = fake.bench_size("-flush-", job.append.replace(f"rounds={ROUNDS}", "rounds=23"))
    with pytest.raises(RunError, match="23 samples in stream 0, expected 24"):
        L4IpcSize().measure(job, Stats.parse(json.dumps(short), "f"))
    (job, *_) = L4Primitives().jobs(Settings(rounds=ROUNDS))
    short = fake.bench_primitives(job.append.replace(f"rounds={ROUNDS}", "rounds=23"))
    with pytest.raises(RunError, match="expected 24"):
        L4Primitives().measure(job, Stats.parse(json.dumps(short), "f"))


def test_samples_that_the_kernel_alone_fills_are_no_result() -> None:
    region, samples = fake.traps(0, ROUNDS, 100, more=91 * ROUNDS)
    stats = Stats.parse(json.dumps(fake.stats(1, [region], {"0": samples})), "f")
    with pytest.raises(RunError, match="expected user mode in between"):
        l4_trap.measured(stats, 0, ROUNDS, 1)


def test_rounds_on_the_pc_are_longer_than_their_timing() -> None:
    (job, *_) = [one for one in L4Primitives().jobs(Settings(rounds=2)) if l4_pc.is_on(one)]
    answer = fake.stats(1, [], {"0": [80, 82], fake.MEASURE_ITSELF: [83, 83, 90]})
    found = Stats.parse(json.dumps(answer), "f")
    with pytest.raises(RunError, match="shorter than what taking their time takes, 83 cycles"):
        l4_pc.trap(job, found, 0, 1)


def test_a_tick_in_a_round_does_not_count() -> None:
    region, samples = fake.traps(7, ROUNDS, 100)
    assert max(samples) > 2 * min(samples)
    stats = Stats.parse(json.dumps(fake.stats(1, [region], {"7": samples})), "f")
    assert l4_trap.measured(stats, 7, ROUNDS, 2).cycles == pytest.approx(51)
