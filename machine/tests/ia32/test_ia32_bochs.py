# SPDX-License-Identifier: Apache-2.0
"""The IA-32 machine against Bochs: systems with segments, gates, pages, handlers, at all levels."""

from __future__ import annotations

import struct
from dataclasses import replace

import ia32_bochs
import ia32_compare
import pytest
from ia32_checks import run_streams
from ia32_compare import compare
from ia32_system_notes import FRAME, NOTE_BYTES, SystemCase, notes
from ia32_vectors import Answer, MachineRun, machine_command

SHUTDOWN, SYSENTER = 0x100, 33
STACK_FAULT, PAGE_FAULT = 12, 14
# By vector: all that has a gate, SYSENTER, and the end of a case by a third fault.
LEAST = {0: 50, 1: 400, 3: 20, 4: 20, 5: 50, 6: 100, 8: 300, 10: 30, 11: 100, 13: 3000, 17: 100}
LEAST |= {STACK_FAULT: 200, PAGE_FAULT: 400, SYSENTER: 50, SHUTDOWN: 2}


REASON = ia32_bochs.why_not()
pytestmark = pytest.mark.skipif(REASON is not None, reason=str(REASON))


def test_random_systems(capsys: pytest.CaptureFixture[str]) -> None:
    least = {vector: count // 2 for vector, count in LEAST.items()}
    run_streams("bochs", 20047, 4_600_000, least, capsys)


@pytest.mark.long
def test_more_random_systems(capsys: pytest.CaptureFixture[str]) -> None:
    run_streams("bochs", 20048, 9_100_000, LEAST, capsys)


class PlantedRun(MachineRun):
    """A machine whose stack faults have a wrong error code."""

    def answers(self) -> list[Answer]:
        return [planted(answer) for answer in super().answers()]


def planted(answer: Answer) -> Answer:
    memory = bytearray(answer.memory)
    for number, note in enumerate(notes(answer)):
        if note[0] == STACK_FAULT:
            struct.pack_into("<I", memory, NOTE_BYTES * number + 4 * FRAME, note[FRAME] ^ 8)
    return replace(answer, memory=bytes(memory))


def test_a_planted_fault_is_found_and_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ia32_compare, "MachineRun", PlantedRun)
    mismatch = next(compare(machine_command(), "bochs", 1, 50_000))
    report = mismatch.report()
    assert "vector c " in report
    assert "[esp+0] " in report
    assert isinstance(mismatch.case, SystemCase)
    _, start = mismatch.case.explained(mismatch.ours, mismatch.theirs)
    assert f"{start:08x}  " in report
