# SPDX-License-Identifier: Apache-2.0
"""The machine's floating-point unit against the host's, and a test of that comparison itself."""

from __future__ import annotations

import time
from collections import Counter

import ia32_host
import ia32_x87
import pytest
from ia32_vectors import Answer, MachineRun, machine_command
from ia32_x87 import AFTER, EXACT, RECORDS, STACK, TRANSCENDENTAL, Operation, compare

REASON = ia32_host.why_not()
on_the_host = pytest.mark.skipif(REASON is not None, reason=str(REASON))


@on_the_host
def test_every_instruction_gives_what_the_host_gives(capsys: pytest.CaptureFixture[str]) -> None:
    start = time.monotonic()
    records = 2 * RECORDS * len(EXACT)
    for difference in compare(machine_command(), EXACT, 20043, records):
        pytest.fail(difference.report(), pytrace=False)
    with capsys.disabled():
        print(f"\n  seed 20043: {records:,} operations, {time.monotonic() - start:.0f} s")


@on_the_host
def test_what_is_transcendental_differs_by_a_unit_in_the_last_place_at_most() -> None:
    records = 10 * RECORDS * len(TRANSCENDENTAL)
    near: Counter[str] = Counter()

    def progress(_: int, __: int, nearly: Counter[str]) -> None:
        near.update(nearly - near)

    for difference in compare(machine_command(), TRANSCENDENTAL, 20044, records, 0, progress):
        pytest.fail(difference.report(), pytrace=False)
    # The host's own results are not all the nearest ones, but most are.
    assert sum(near.values()) < records / 10, near


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
