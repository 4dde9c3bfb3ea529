# SPDX-License-Identifier: Apache-2.0
"""The machine's floating-point unit against the host's, and a test of that comparison itself."""

from __future__ import annotations

import time
from collections import Counter

import ia32_host
import ia32_x87
import pytest
from ia32_freedoms import LAST_PLACE
from ia32_vectors import Answer, MachineRun, machine_command
from ia32_x87 import EXACT, RECORDS, TRANSCENDENTAL, Met, compare, lines_of
from ia32_x87_layout import AFTER, STACK, Operation

REASON = ia32_host.why_not()
Capture = pytest.CaptureFixture[str]
on_the_host = pytest.mark.skipif(REASON is not None, reason=str(REASON))


# Of several ranges, so that no host has been chosen by them.
EXACT_SEEDS = (20043, 2**40 + 1)
TRANSCENDENTAL_SEEDS = (20044, 11, 3_000_000_019, 2**61 + 5)


def compared(
    operations: list[Operation], seeds: tuple[int, ...], batches: int, capsys: Capture
) -> Counter[Met]:
    """What of the manuals' freedoms was met; fails at a difference outside."""
    start = time.monotonic()
    met: Counter[Met] = Counter()
    records = batches * RECORDS * len(operations)
    for seed in seeds:
        latest: Counter[Met] = Counter()
        for difference in compare(machine_command(), operations, seed, records, met=latest):
            pytest.fail(difference.report(), pytrace=False)
        met += latest
    with capsys.disabled():
        print(f"\n  {len(seeds) * records:,} operations, {time.monotonic() - start:.0f} s")
        for line in lines_of(met):
            print(f"  {line}")
    return met


@on_the_host
def test_every_instruction_gives_what_the_host_gives(capsys: Capture) -> None:
    compared(EXACT, EXACT_SEEDS, 1, capsys)


@on_the_host
def test_what_is_transcendental_is_a_neighbour_at_most(capsys: Capture) -> None:
    met = compared(TRANSCENDENTAL, TRANSCENDENTAL_SEEDS, 3, capsys)
    # The host's own results are not all the nearest ones, but most are.
    near = sum(count for (_, entry), count in met.items() if entry == LAST_PLACE)
    assert near < len(TRANSCENDENTAL_SEEDS) * 3 * RECORDS * len(TRANSCENDENTAL) / 10, met


class PlantedRun(MachineRun):
    """A machine that gets the last bit of a result wrong, once."""

    def answers(self) -> list[Answer]:
        answers = super().answers()
        memory = bytearray(answers[0].memory)
        memory[AFTER + STACK] ^= 1
        answers[0] = Answer(answers[0].state, answers[0].faults, bytes(memory))
        return answers


@on_the_host
def test_a_planted_fault_is_found_and_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ia32_x87, "MachineRun", PlantedRun)
    fmul = Operation(0xD8, 0xC9)
    (difference,) = compare(machine_command(), [fmul], 1, RECORDS)
    assert "record 0: fmul" in difference.report()
