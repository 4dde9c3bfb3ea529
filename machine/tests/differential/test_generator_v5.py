# SPDX-License-Identifier: Apache-2.0
"""The ARMv5TE generator and its reference, without the machine: as test_generator.py for ARMv4."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from builder import WINDOW, WINDOW_SIZE
from cells import condition
from classes import ALL, executed
from generator import streams
from reference import Reference
from test_generator import Guard
from vectors import CPSR, MODE_NAMES, NONE, PC, Answer, Case

STEPS = 120_000
_THUMB = 0x20


def steps(reference: Reference, case: Case, hit: Counter[tuple[str, ...]]) -> Answer:
    """The case one instruction at a time; a BL of two Thumb halves is one step of two."""
    address, code = case.blocks[0]
    reference.start(case)
    done = 0
    pc, cpsr = case.state[PC], case.state[CPSR]
    while True:
        thumb = cpsr >> 5 & 1
        word = int.from_bytes(code[pc - address : pc - address + 4], "little")
        exception = reference.execute(pc | thumb, case.end, 1)
        *_, after_pc, after = reference.current()
        passed = bool(thumb) or condition(word >> 28, cpsr)
        hit.update(executed(word, thumb, after >> 5 & 1, passed))
        if exception != NONE:
            return reference.answer(case, exception, done)
        done += 2 if thumb and word >> 11 & 0x1F == 0x1E else 1
        pc, cpsr = after_pc, after
        if pc == case.end:
            return reference.answer(case, NONE, done)


@pytest.mark.long
def test_steps_equal_blocks_and_everything_occurs() -> None:
    reference, stepper = Reference(v5=True), Reference(v5=True)
    guard = Guard(stepper)
    hit: Counter[tuple[str, ...]] = Counter()
    done = number = 0
    while done < STEPS:
        rng = random.Random(f"generator v5/{number}")
        number += 1
        window = rng.randbytes(WINDOW_SIZE)
        for r in (reference, stepper):
            r.flush_code()
            r.uc.mem_write(WINDOW, window)
        for ident, stream in enumerate(streams(rng, v5=True)):
            guard.code = (stream.block[0], stream.block[0] + len(stream.block[1]))
            case = stream.case(ident, rng)
            whole = reference.run(case)
            single = steps(stepper, case, hit)
            assert not single.differences(whole), (number, ident)
            assert not guard.wrong, (number, ident, guard.wrong)
            assert whole.exception in (0, 1, 2, 3), (number, ident, whole)
            assert whole.exception or whole.state[PC] == case.end, (number, ident, whole)
            done += whole.executed
            if done >= STEPS:
                break
    missing = sorted(ALL - hit.keys(), key=str)
    assert not missing, f"{len(missing)} of {len(ALL)} rows empty: {missing[:20]}"


def test_initial_states_are_valid() -> None:
    """Every mode starts streams, SPSRs name both states, and PSRs hold what ARMv5TE has."""
    rng = random.Random(12)
    modes = Counter[str]()
    thumb = Counter[int]()
    for stream in streams(rng, v5=True):
        state = stream.state(rng)
        for psr in (*state[30:35], state[CPSR]):
            assert psr & 0x07FFFF00 == 0
            assert psr & 31 in MODE_NAMES
        assert state[CPSR] & _THUMB == 0
        thumb.update(psr & _THUMB for psr in state[30:35])
        modes[MODE_NAMES[state[CPSR] & 31]] += 1
    assert set(modes) == set(MODE_NAMES.values())
    assert set(thumb) == {0, _THUMB}
