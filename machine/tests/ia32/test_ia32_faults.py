# SPDX-License-Identifier: Apache-2.0
"""What a fault in the middle of an instruction shows, against the host's processor and Bochs: at
every combination of missing and read-only pages."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from dataclasses import replace

import ia32_bochs
import ia32_silicon
import pytest
from ia32_bochs import Bochs
from ia32_faults import (
    COMPARED,
    DATA,
    EDI,
    ESP,
    PAGE,
    PAGE_FAULT,
    PRESENT,
    TABLE,
    Instruction,
    base_blocks,
    cases_of,
    differs_freely,
    instructions,
    is_amd,
    register_forms,
    whole,
)
from ia32_faults_system import fault_cases
from ia32_silicon import Silicon
from ia32_vectors import EFLAGS, Answer, Case, MachineRun, machine_command

NO_HOST = ia32_silicon.why_not()
NO_BOCHS = ia32_bochs.why_not()


def answers(cases: list[Case]) -> list[Answer]:
    """The machine's, to cases whose tables the first one brings."""
    return MachineRun(machine_command(), with_tables(cases)).answers()


def with_tables(cases: list[Case]) -> list[Case]:
    first = replace(cases[0], blocks=base_blocks() + cases[0].blocks)
    return [first, *cases[1:]]


def all_cases() -> list[tuple[Instruction, Case]]:
    cases: list[tuple[Instruction, Case]] = []
    for instruction in instructions():
        cases += [(instruction, case) for case in cases_of(instruction, len(cases))]
    return cases


@pytest.mark.skipif(NO_HOST is not None, reason=str(NO_HOST))
def test_faults_are_the_host_processors(capsys: pytest.CaptureFixture[str]) -> None:
    """Whether there is a fault, its code and address, all registers and memory; where manuals leave
    a choice, and the host has chosen otherwise, that is said."""
    pairs = all_cases()
    cases = [case for _, case in pairs]
    run = MachineRun(machine_command(), with_tables(cases))
    theirs = Silicon().run_all(with_tables(cases))
    amd = is_amd()
    freedoms: defaultdict[str, Counter[str]] = defaultdict(Counter)
    faults = 0
    for (instruction, case), ours, their in zip(pairs, run.answers(), theirs, strict=True):
        faults += len(ours.faults)
        if ours == their:
            continue
        freedom = differs_freely(instruction, case, ours, their, amd)
        if freedom is None:
            lines = "\n".join(ours.differences(their))
            pytest.fail(f"{instruction.name}, {case.state}:\n{lines}", pytrace=False)
        freedoms[freedom][instruction.name] += 1
    with capsys.disabled():
        print(f"\n  {len(cases):,} cases, {faults:,} faults")
        for freedom, where in freedoms.items():
            print(f"  {freedom}: {', '.join(where)}")
    assert faults > len(cases) // 3


def test_what_faulted_goes_on_as_if_it_had_not() -> None:
    """A fault leaves registers as they were, but for elements of repeated strings that are done;
    and from what it leaves, with all pages there, comes what comes without a fault."""
    pairs = all_cases()[::7]
    cases = [case for _, case in pairs]
    first = answers(cases)
    faulted = [(i, case, got) for (i, case), got in zip(pairs, first, strict=True) if got.faults]
    assert len(faulted) > len(cases) // 3
    again = []
    for number, (_, case, got) in enumerate(faulted):
        state = (*got.state[:8], *case.state[8:])
        memory = tuple(zip((at for at, _ in case.ranges), split(case, got), strict=True))
        again.append(whole(replace(case, ident=number, state=state), memory))
    once = [whole(replace(case, ident=n)) for n, (_, case, _) in enumerate(faulted)]
    for (instruction, case, got), a, b in zip(faulted, answers(again), answers(once), strict=True):
        assert a == b, (instruction.name, case.state, a.differences(b))
        if not instruction.name.startswith("rep"):
            assert got.state[:8] == case.state[:8], (instruction.name, case.state)


def split(case: Case, answer: Answer) -> list[bytes]:
    ends = list(itertools.accumulate(length for _, length in case.ranges))
    return [answer.memory[end - n : end] for end, (_, n) in zip(ends, case.ranges, strict=True)]


@pytest.mark.skipif(NO_HOST is not None, reason=str(NO_HOST))
def test_what_must_be_memory_is_none_as_a_register() -> None:
    """#UD, as on the host, but for encodings that later processors have given a meaning."""
    forms = register_forms()
    cases = []
    for number, (_, instruction) in enumerate(forms):
        case = next(cases_of(instruction, number))
        cases.append(whole(replace(case, ident=number)))
    theirs = Silicon().run_all(with_tables(cases))
    for (later, instruction), ours, their in zip(forms, answers(cases), theirs, strict=True):
        assert [fault[0] for fault in ours.faults] == [6], instruction.name
        if not later:
            assert ours.faults == their.faults, instruction.name


@pytest.mark.skipif(NO_BOCHS is not None, reason=str(NO_BOCHS))
def test_faults_at_other_levels_are_those_of_bochs() -> None:
    """Returns outwards, gates inwards, tables' registers: notes, page tables and memory."""
    cases = fault_cases()
    run = MachineRun(machine_command(), list(cases))
    theirs = Bochs().run_all(list(cases))
    vectors: Counter[int] = Counter()
    for case, ours, their in zip(cases, run.answers(), theirs, strict=True):
        vectors.update(case.vectors(ours))
        if case.masked(ours) != case.masked(their):
            lines, _ = case.explained(ours, their)
            pytest.fail(f"case {case.ident}:\n" + "\n".join(lines), pytrace=False)
    assert vectors[PAGE_FAULT] > 500


def test_an_order_that_is_wrong_is_seen() -> None:
    """The comparison tells POPA's two orders apart."""
    (popa,) = [i for i in instructions() if i.name == "popa, 32 bits, 32-bit stack"]
    # The first case: both pages are absent.
    case = next(cases_of(popa, 0))
    (got,) = answers([case])
    ((vector, code, cr2, eip),) = got.faults
    assert (vector, cr2) == (PAGE_FAULT, case.state[ESP])
    last = cr2 + 28
    wrong = replace(got, faults=((vector, code, last, eip),))
    assert differs_freely(popa, case, wrong, got, amd=True) is None


def test_flags_of_a_comparison_are_free_where_nothing_else_differs() -> None:
    """AMD's processors leave those of the last element; no other register may differ."""
    (scan,) = [i for i in instructions() if i.name == "rep scas, 8 bits"]
    # The third element's page is absent.
    case = next(c for c in cases_of(scan, 0) if c.state[EDI] == DATA - 2 and absent_beyond(c))
    (got,) = answers([case])
    assert len(got.faults) == 1
    other = replace_state(got, EFLAGS, got.state[EFLAGS] ^ 0x85)
    assert differs_freely(scan, case, got, other, amd=True) == COMPARED
    both = replace_state(other, EDI, got.state[EDI] + 1)
    assert differs_freely(scan, case, got, both, amd=True) is None


def absent_beyond(case: Case) -> bool:
    entries = {at: data for at, data in case.blocks if len(data) == 4}
    return entries[TABLE + 4 * (DATA // PAGE)][0] & PRESENT == 0


def replace_state(answer: Answer, index: int, value: int) -> Answer:
    return replace(answer, state=(*answer.state[:index], value, *answer.state[index + 1 :]))
