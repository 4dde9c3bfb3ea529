# SPDX-License-Identifier: Apache-2.0
"""Linux with fast address-space switching beside the same without: what a switch does then."""

import pytest

from switchyard import build_linux, machine, suite
from switchyard.build_linux import BENCHES
from switchyard.machine import Stats

pytestmark = [pytest.mark.linux, pytest.mark.slow, pytest.mark.guests]

MAX_CYCLES = 5_000_000_000
PIPE = 3  # the stream of potato's case
ROUNDS = 50
PLAIN, FAST = "sa1110", "sa1110-fass"


@pytest.fixture(scope="module", autouse=True)
def built() -> None:
    build_linux.ensure([BENCHES[PLAIN], BENCHES[FAST]])


def pipe(config: str, word: str = "") -> Stats:
    words = f"{word} quiet -- bench potato case=pipe rounds={ROUNDS} clock=probe"
    return machine.run(BENCHES[config].boot(MAX_CYCLES, words.strip())).stats


def mean(stats: Stats) -> float:
    return suite.timed(stats.samples[PIPE], stats.samples[suite.TIMING], 1, "pipe").summary.mean


def count(stats: Stats, *names: str) -> int:
    return stats.region(PIPE).counters.total(*names)


def test_both_kernels_run_the_same_programs() -> None:
    assert BENCHES[PLAIN].initrd.read_bytes() == BENCHES[FAST].initrd.read_bytes()


def test_a_switch_changes_domains_and_slot_and_flushes_nothing() -> None:
    plain, fast = pipe(PLAIN), pipe(FAST)
    # there and back
    assert count(plain, "ttb_writes") == pytest.approx(2 * ROUNDS, abs=4)
    assert count(plain, "icache_invalidate_all") >= 2 * ROUNDS - 4
    assert count(fast, "ttb_writes") == 0
    assert count(fast, "pid_writes") == pytest.approx(2 * ROUNDS, abs=4)
    assert count(fast, "icache_invalidate_all") <= 2
    # no two programs are in each other's way
    assert count(fast, "fault_domain") <= 4
    assert mean(fast) < mean(plain) / 3


def test_turned_off_it_is_as_without() -> None:
    plain, off = pipe(PLAIN), pipe(FAST, "fass=off")
    assert count(off, "ttb_writes") == count(plain, "ttb_writes")
    assert count(off, "pid_writes") == 0
    assert mean(off) == pytest.approx(mean(plain), rel=0.01)
