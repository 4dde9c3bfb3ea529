# SPDX-License-Identifier: Apache-2.0
"""The IA-32 machine against the host's own processor: plain code, and random segments."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import ia32_compare
import ia32_silicon
import pytest
from ia32_checks import run_streams
from ia32_compare import compare
from ia32_vectors import Answer, MachineRun, machine_command

REASON = ia32_silicon.why_not()
pytestmark = pytest.mark.skipif(REASON is not None, reason=str(REASON))

# Kind, instructions, and from all seeds together: these faults occur so often at least: #DE, #BR,
# #UD, #NP, #SS, #GP, #AC.
STREAMS = {
    "integer instructions": ("silicon", 64_000, {0: 20, 6: 20, 17: 20}),
    "segments": ("silicon-segments", 128_000, {5: 50, 6: 50, 11: 50, 12: 500, 13: 1000, 17: 50}),
}
# Of several ranges, so that no host has been chosen by them.
SEEDS = (20045, 7, 3_000_000_019, 2**61 + 5)


@pytest.mark.parametrize("name", STREAMS)
def test_random_streams(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    kind, instructions, least = STREAMS[name]
    seen: Counter[int] = Counter()
    for seed in SEEDS:
        seen += run_streams(kind, seed, instructions, {}, capsys)
    assert not seen[14], "a stream leaves its memory"
    for vector, count in least.items():
        assert seen[vector] >= count, f"exception {vector}: {seen[vector]} times"


class PlantedRun(MachineRun):
    """A machine whose stack faults have a wrong error code."""

    def answers(self) -> list[Answer]:
        return [planted(answer) for answer in super().answers()]


def planted(answer: Answer) -> Answer:
    faults = tuple((v, code ^ 8 if v == 12 else code, a, b) for v, code, a, b in answer.faults)
    return replace(answer, faults=faults)


def test_a_planted_fault_is_found_and_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ia32_compare, "MachineRun", PlantedRun)
    mismatch = next(compare(machine_command(), "silicon-segments", 1, 50_000))
    assert "first fault that differs" in mismatch.report()
