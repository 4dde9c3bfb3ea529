# SPDX-License-Identifier: Apache-2.0
"""Batches of cases through both processors; a difference is narrowed to the instruction and shown.

A batch follows from its kind, the seed and its number alone, so a long run is resumed by the
number. While the machine works on one batch in its own process, the reference works on the next.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Protocol

import capstone  # type: ignore[import-untyped]
from ia32_bochs import Bochs
from ia32_freedoms import Freedom, freedom_met
from ia32_reference import Reference
from ia32_segments import segment_cases
from ia32_silicon import Silicon
from ia32_spaces import space_cases
from ia32_streams import LIMIT, plain_cases, user_cases
from ia32_system import system_cases
from ia32_vectors import EFLAGS, EIP, STATE_NAMES, Answer, Case, MachineRun
from unicorn.unicorn_py3.unicorn import UcError

KINDS: dict[str, Callable[[random.Random], list[Case]]] = {
    "plain": plain_cases,
    "spaces": space_cases,
    "silicon": user_cases,
    "silicon-segments": segment_cases,
    "bochs": system_cases,
}


class Processor(Protocol):
    """What the machine is compared with."""

    def run(self, case: Case, count: int = 0) -> Answer:
        """`count`: so many instructions at most, for one that may not come to its end."""

    def run_all(self, cases: list[Case]) -> list[Answer]:
        """One after the other; memory stays from each to the next."""


def reference_for(kind: str) -> Processor:
    """The processor that is right in this."""
    if kind == "bochs":
        return Bochs()
    return Silicon() if kind.startswith("silicon") else Reference()


@dataclass
class Batch:
    cases: list[Case]
    expected: list[Answer]


@dataclass
class Mismatch:
    """The first case of a batch that differs, with the memory that it began with."""

    case: Case
    ours: Answer
    theirs: Answer
    where: str

    def freedom(self) -> Freedom | None:
        """What the manuals leave open, where the two differ in nothing else."""
        return freedom_met(self.case, self.ours, self.theirs)

    def report(self) -> str:
        entry = self.freedom()
        lines = [entry.line() if entry else "a difference outside any documented freedom"]
        lines.append(f"{self.where}: the machine and the reference differ (machine / reference):")
        differences, start = self.case.explained(self.ours, self.theirs)
        lines += ["  " + d for d in differences]
        lines.append("from the state:")
        named = [f"{n} {v:08x}" for n, v in zip(STATE_NAMES, self.case.state, strict=True)]
        lines += ["  " + "  ".join(named[i : i + 8]) for i in range(0, len(named), 8)]
        lines.append("the code, from its start or that of what differs first:")
        lines += ["  " + line for line in disassemble(self.case, start)]
        return "\n".join(lines)


def disassemble(case: Case, start: int, most: int = 12) -> list[str]:
    disassembler = capstone.Cs(capstone.CS_ARCH_X86, capstone.CS_MODE_32)
    code = case.blocks[0][1][start - case.first :]
    lines = []
    for insn in disassembler.disasm(code, start):
        if insn.address == case.end or len(lines) == most:
            break
        lines.append(f"{insn.address:08x}  {insn.bytes.hex():<24} {insn.mnemonic} {insn.op_str}")
    return lines


def make_batch(reference: Processor, kind: str, seed: int, number: int) -> Batch:
    cases = KINDS[kind](random.Random(f"{kind}/{seed}/{number}"))
    answers = reference.run_all(cases)
    pairs = zip(cases, answers, strict=True)
    return Batch(cases, [case.masked(answer) for case, answer in pairs])


def alone(batch: Batch, index: int) -> Case:
    """The case with the memory that earlier ones left to it."""
    case = batch.cases[index]
    memory: dict[int, bytes] = {}
    for earlier in batch.cases[: index + 1]:
        memory.update(earlier.blocks)
    if index:
        left, data = batch.cases[index - 1], batch.expected[index - 1].memory
        for address, length in left.ranges:
            memory[address] = data[:length]
            data = data[length:]
    memory.update(case.blocks)
    first = case.blocks[0]
    rest = tuple(block for block in memory.items() if block[0] != first[0])
    return replace(case, blocks=(first, *rest))


def up_to(case: Case, end: int) -> Case:
    """A beginning of the case. Between blocks all flags may be undefined (and Unicorn shows others
    wrongly then)."""
    return case if end == case.end else replace(case, end=end, undefined=0xFFFFFFFF)


def agreement(
    reference: Processor, command: list[str], case: Case, ends: list[int]
) -> tuple[int | None, Answer | None]:
    """The first of `ends` (in order) by which the two differ, and what both made of it up to the
    last one before."""
    prefixes = [up_to(case, end) for end in ends]
    agreed = None
    answers = MachineRun(command, prefixes).answers()
    for prefix, ours in zip(prefixes, answers, strict=True):
        try:
            theirs = reference.run(prefix, count=LIMIT)
        except UcError:
            continue
        if theirs.state[EIP] != prefix.end:
            continue  # a jump goes over it
        # In whole blocks, as before: Unicorn's translator has faults that single steps hide.
        theirs = reference.run(prefix)
        if prefix.masked(ours) != prefix.masked(theirs):
            return prefix.end, agreed
        agreed = theirs
    return None, agreed


def beginning_at(case: Case, agreed: Answer) -> Case:
    """The case from where an answer left it."""
    memory = agreed.memory
    blocks = [case.blocks[0]]
    for start, length in case.ranges:
        blocks.append((start, memory[:length]))
        memory = memory[length:]
    kept = {start for start, _ in blocks}
    blocks += [block for block in case.blocks if block[0] not in kept]
    return replace(case, state=agreed.state, blocks=tuple(blocks))


def narrow(reference: Processor, command: list[str], case: Case, where: str) -> Mismatch:
    """To the block, and to the instruction, where that alone differs, too."""

    def both(case: Case) -> tuple[Answer, Answer]:
        ours = MachineRun(command, [case]).answers()[0]
        return case.masked(ours), case.masked(reference.run(case))

    ours, theirs = both(case)
    if ours == theirs:
        raise RuntimeError(f"{where}: differs in its batch but not alone")
    steps = [range(case.first, case.end + 1, case.stride)] if case.stride else []
    for ends in (*steps, sorted(case.undefined_at)):
        chosen = [end for end in ends if case.state[EIP] <= end <= case.end]
        wrong, agreed = agreement(reference, command, case, chosen)
        shorter = up_to(case, wrong or case.end)
        if agreed is not None:
            shorter = beginning_at(shorter, agreed)
        a, b = both(shorter)
        if a != b:
            case, ours, theirs = shorter, a, b
    return Mismatch(case, ours, theirs, where)


def compare(
    command: list[str],
    kind: str,
    seed: int,
    instructions: int,
    first_batch: int = 0,
    progress: Callable[[int, int, Counter[int]], None] | None = None,
) -> Iterator[Mismatch]:
    """Runs batches until so many instructions were executed. Yields the first mismatch of each
    batch that has one. `progress` gets the next batch, what was executed, and faults by vector."""
    reference = reference_for(kind)
    done, number = 0, first_batch
    faults: Counter[int] = Counter()
    batch = make_batch(reference, kind, seed, number)
    while True:
        run = MachineRun(command, batch.cases)
        following = make_batch(reference, kind, seed, number + 1)
        answers = run.answers()
        done += sum(answer.steps for answer in answers)
        for case, answer in zip(batch.cases, answers, strict=True):
            faults.update(case.vectors(answer))
        for index, (ours, theirs) in enumerate(zip(answers, batch.expected, strict=True)):
            if batch.cases[index].masked(ours) != batch.cases[index].masked(theirs):
                where = f"{kind}, seed {seed}, batch {number}, case {index}"
                yield narrow(reference, command, alone(batch, index), where)
                break
        number += 1
        if progress:
            progress(number, done, faults)
        if done >= instructions:
            return
        batch = following


assert EFLAGS == EIP + 1
