# SPDX-License-Identifier: Apache-2.0
"""The generator and the reference, without the machine.

Every stream is run in one go and again one instruction at a time: translation of whole blocks
must not change a result, or Unicorn would be no reference. The single steps also feed the coverage
table, and a guard sees any access that leaves the data window or is not aligned.
"""

from __future__ import annotations

import random
from collections import Counter

import pytest
from builder import RAM, WINDOW, WINDOW_SIZE
from cells import ALL_CELLS, Cell, cells
from generator import streams
from reference import RAM_SIZE, Reference
from unicorn import unicorn_const as uconst
from vectors import CPSR, MODE_NAMES, NONE, PC, Answer, Case

STEPS = 160_000


class Guard:
    """Records accesses that the generator promised not to make."""

    def __init__(self, reference: Reference) -> None:
        self.wrong: list[str] = []
        self.code = (0, 0)
        kinds = uconst.UC_HOOK_MEM_READ | uconst.UC_HOOK_MEM_WRITE
        reference.uc.hook_add(kinds, self._access, begin=RAM, end=RAM + RAM_SIZE - 1)

    def _access(
        self, _uc: object, access: int, address: int, size: int, _value: int, _data: object
    ) -> None:
        in_window = WINDOW <= address <= WINDOW + WINDOW_SIZE - size
        in_code = self.code[0] <= address <= self.code[1] - size
        if address % size or not (in_window or (in_code and access == uconst.UC_MEM_READ)):
            self.wrong.append(f"{size} bytes at {address:#x}")


def steps(reference: Reference, case: Case, hit: Counter[Cell]) -> Answer:
    """The case one instruction at a time."""
    address, code = case.blocks[0]
    reference.start(case)
    before = (*reference.current()[:15], case.state[PC], case.state[CPSR])
    executed = 0
    while True:
        pc = before[15]
        word = int.from_bytes(code[pc - address : pc - address + 4], "little")
        exception = reference.execute(pc, case.end, 1)
        after = reference.current()
        hit.update(cells(word, before, after, exception))
        if exception != NONE:
            return reference.answer(case, exception, executed)
        executed += 1
        before = after
        if after[15] == case.end:
            return reference.answer(case, NONE, executed)


@pytest.fixture(scope="module")
def coverage() -> Counter[Cell]:
    """Steps through streams until STEPS instructions are done; compares on the way."""
    reference, stepper = Reference(), Reference()
    guard = Guard(stepper)
    hit: Counter[Cell] = Counter()
    done = number = 0
    while done < STEPS:
        rng = random.Random(f"generator/{number}")
        number += 1
        window = rng.randbytes(WINDOW_SIZE)
        for r in (reference, stepper):
            r.flush_code()
            r.uc.mem_write(WINDOW, window)
        for ident, stream in enumerate(streams(rng)):
            guard.code = (stream.block[0], stream.block[0] + len(stream.block[1]))
            case = stream.case(ident, rng)
            whole = reference.run(case)
            single = steps(stepper, case, hit)
            assert not single.differences(whole), (number, ident)
            assert not guard.wrong, (number, ident, guard.wrong)
            assert whole.exception in (0, 1, 2), (number, ident, whole)
            assert whole.exception or whole.state[PC] == case.end, (number, ident, whole)
            done += whole.executed
            if done >= STEPS:
                break
    return hit


@pytest.mark.long
def test_coverage_table_is_full(coverage: Counter[Cell]) -> None:
    missing = sorted(ALL_CELLS - coverage.keys(), key=str)
    assert not missing, f"{len(missing)} of {len(ALL_CELLS)} cells empty: {missing[:20]}"


@pytest.mark.long
def test_nothing_outside_the_table(coverage: Counter[Cell]) -> None:
    """A cell that is not in the table is a combination that should not be generated."""
    strange = sorted(coverage.keys() - ALL_CELLS, key=str)
    assert not strange, strange[:20]


def test_streams_follow_from_the_seed() -> None:
    def first(seed: int) -> list[bytes]:
        generator = streams(random.Random(f"{seed}/0"))
        return [next(generator).block[1] for _ in range(20)]

    assert first(3) == first(3)
    assert first(3) != first(4)


def test_initial_states_are_valid() -> None:
    """Every mode starts streams, and PSRs hold nothing that ARMv4 has not."""
    rng = random.Random(11)
    modes = Counter[str]()
    for stream in streams(rng):
        state = stream.state(rng)
        for psr in (*state[30:35], state[CPSR]):
            assert psr & 0x0FFFFF20 == 0
            assert psr & 31 in MODE_NAMES
        modes[MODE_NAMES[state[CPSR] & 31]] += 1
    assert set(modes) == set(MODE_NAMES.values())
