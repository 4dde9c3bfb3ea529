# SPDX-License-Identifier: Apache-2.0
"""Linux with its hot code packed: it is the same kernel, and misses the instruction cache less."""

import statistics

import pytest

from switchyard.run import build_linux, machine
from switchyard.run.build_linux import BENCHES, PLACED
from switchyard.run.machine import Stats
from switchyard.tools.layout.elf import EXECUTABLE, Elf

# A kernel of its own, compiled whole.
pytestmark = [pytest.mark.linux, pytest.mark.guests, pytest.mark.slow, pytest.mark.long]

MAX_CYCLES = 5_000_000_000
PIPE = 3  # the stream of potato's case
ROUNDS = 50
USUAL = BENCHES["sa1110-fass"]
PACKED = PLACED["linux-sa1110-fass-bench-layout"]
TESTED = PLACED["linux-sa1110-fass-layout"]


@pytest.fixture(scope="module", autouse=True)
def _built() -> None:
    build_linux.ensure([USUAL, PACKED])


def pipe(system: build_linux.Linux) -> Stats:
    words = f"quiet -- bench potato case=pipe rounds={ROUNDS} clock=probe"
    boot = system.boot(MAX_CYCLES, words)
    return machine.run(
        machine.Boot("sa1110", boot.kernel, boot.append, MAX_CYCLES, boot.initrd)
    ).stats


def test_a_round_trip_misses_the_instruction_cache_less_and_takes_less() -> None:
    usual, packed = pipe(USUAL), pipe(PACKED)

    def misses(stats: Stats) -> int:
        return stats.region(PIPE).counters.total("icache_misses")

    def median(stats: Stats) -> float:
        return statistics.median(stats.samples[PIPE])

    assert misses(packed) < misses(usual) / 2
    assert median(packed) < 0.9 * median(usual)


def test_the_self_test_passes() -> None:
    console = machine.run(TESTED.boot(MAX_CYCLES)).console
    assert "RESULT passed=" in console
    assert " failed=0" in console


def test_the_kernel_knows_where_its_scheduler_and_its_copies_are() -> None:
    symbols = {symbol.name: symbol for symbol in Elf(PACKED.symbols, EXECUTABLE).symbols}
    first, last = symbols["__sched_text_start"].value, symbols["__sched_text_end"].value
    for name in ("schedule", "schedule.cold"):
        assert first <= symbols[name].value < last
    hot, cold = symbols["pipe_read"], symbols["pipe_read.cold"]
    assert not first <= hot.value < last
    # the copy has the hot parts alone
    assert 0 < hot.size < cold.size
