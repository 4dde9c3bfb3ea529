# SPDX-License-Identifier: Apache-2.0
"""Batches of streams through both processors; a difference is shrunk, shown and saved.

A batch follows from (seed, number) alone, so a long run is resumed by giving the number. While the
machine works on one batch in its own process, the reference works on the next.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import capstone  # type: ignore[import-untyped]
import encode
from builder import WINDOW, WINDOW_SIZE
from generator import streams
from reference import Reference
from vectors import (
    CPSR,
    EXCEPTION_NAMES,
    MODE_NAMES,
    NONE,
    PC,
    STATE_NAMES,
    Answer,
    Case,
    MachineRun,
)

STATES_PER_STREAM = 3
# A case that ends in an exception gets this many instructions more, so that a machine which does
# not take the exception is seen to go on.
SLACK = 8


@dataclass
class Batch:
    number: int
    cases: list[Case]
    expected: list[Answer]

    @property
    def instructions(self) -> int:
        return sum(a.executed for a in self.expected)


@dataclass
class Mismatch:
    """The first case that differs, alone and as small as we could make it."""

    case: Case
    ours: Answer
    theirs: Answer
    where: str

    def report(self) -> str:
        lines = [f"{self.where}: the machine and the reference differ (machine / reference):"]
        lines += ["  " + d for d in self.ours.differences(self.theirs)]
        cpsr = self.case.state[CPSR]
        lines.append(f"in {MODE_NAMES[cpsr & 31]} mode, at most {self.case.limit} instructions:")
        lines += ["  " + text for text in disassemble(self.case)]
        lines.append("from the state:")
        named = [f"{n} {v:08x}" for n, v in zip(STATE_NAMES, self.case.state, strict=True)]
        lines += ["  " + "  ".join(named[i : i + 5]) for i in range(0, len(named), 5)]
        for name, answer in (("machine", self.ours), ("reference", self.theirs)):
            executed, kind = answer.executed, EXCEPTION_NAMES[answer.exception]
            lines.append(f"{name}: executed {executed}, exception {kind}, state:")
            named = [f"{n} {v:08x}" for n, v in zip(STATE_NAMES, answer.state, strict=True)]
            lines += ["  " + "  ".join(named[i : i + 5]) for i in range(0, len(named), 5)]
        return "\n".join(lines)


def disassemble(case: Case) -> list[str]:
    """The code of a case from its first instruction on, as far as it can run.

    All in the state of the first one: after a change of state, the lines of the other.
    """
    thumb = case.state[CPSR] & 0x20
    mode = capstone.CS_MODE_THUMB if thumb else capstone.CS_MODE_ARM
    disassembler = capstone.Cs(capstone.CS_ARCH_ARM, mode)
    disassembler.skipdata = True
    address, code = case.blocks[0]
    start = case.state[PC] - address
    end = case.end - address if case.end else start + (2 if thumb else 4) * case.limit
    if thumb and end - start == 2 and code[start + 1] & 0xF8 == 0xF0:
        end += 2
    return [
        f"{i.address:08x}  {int.from_bytes(i.bytes, 'little'):0{2 * i.size}x}  "
        f"{i.mnemonic} {i.op_str}"
        for i in disassembler.disasm(code[start:end], address + start)
    ]


def make_batch(reference: Reference, seed: int, number: int) -> Batch:
    """Generate batch `number` of `seed` and run it on the reference."""
    rng = random.Random(f"{seed}/{number}")
    reference.flush_code()
    window = (WINDOW, rng.randbytes(WINDOW_SIZE))
    cases: list[Case] = []
    expected: list[Answer] = []
    for stream in streams(rng, reference.v5):
        for _ in range(STATES_PER_STREAM):
            case = stream.case(len(cases), rng)
            if not cases:
                case = replace(case, blocks=(*case.blocks, window))
            answer = reference.run(case)
            more = SLACK if answer.exception != NONE else 0
            cases.append(case.with_limit(answer.executed + more))
            expected.append(answer)
    return Batch(number, cases, expected)


def first_difference(batch: Batch, answers: list[Answer]) -> int | None:
    for i, (ours, theirs) in enumerate(zip(answers, batch.expected, strict=True)):
        if ours != theirs:
            return i
    return None


def alone(batch: Batch, index: int) -> Case:
    """The case with the memory that earlier cases of the batch left to it."""
    case = batch.cases[index]
    if index == 0:
        return case
    return replace(case, blocks=(case.blocks[0], (WINDOW, batch.expected[index - 1].memory)))


def run_one(reference: Reference, case: Case) -> Answer:
    reference.flush_code()
    return reference.run(case, case.limit)


def differs(reference: Reference, command: list[str], case: Case) -> tuple[Answer, Answer] | None:
    ours = MachineRun(command, [case]).answers()[0]
    theirs = run_one(reference, case)
    return (ours, theirs) if ours != theirs else None


def shrink(reference: Reference, command: list[str], case: Case, where: str) -> Mismatch:
    """Cut a differing case down: to one instruction if one instruction alone differs."""
    answers = differs(reference, command, case)
    if answers is None:
        raise RuntimeError(f"{where}: differs in the batch but not alone")
    # The shortest prefix that differs.
    steps = min(case.limit, max(answers[0].executed, answers[1].executed) + 1)
    prefixes = [case.with_limit(n) for n in range(1, steps + 1)]
    ours = MachineRun(command, prefixes).answers()
    before: Answer | None = None
    for prefix, our in zip(prefixes, ours, strict=True):
        their = run_one(reference, prefix)
        if their.exception == NONE and their.executed != prefix.limit:
            continue  # the prefix ends between the two halves of a BL
        if our != their:
            case, answers = prefix, (our, their)
            break
        before = their
    # Its last instruction alone, from the state before it.
    if before is not None:
        alone = replace(
            case.with_limit(1),
            state=before.state,
            blocks=(case.blocks[0], (WINDOW, before.memory)),
        )
        again = differs(reference, command, alone)
        if again is not None:
            return Mismatch(replace(alone, end=0), *again, where)
    # Not alone: take out what is not needed, last instruction first. (In Thumb code some of the
    # cuts fall on data or take two halves out at once; a cut that does not differ is not kept.)
    for i in range(case.limit - 2, -1, -1):
        address, code = case.blocks[0]
        at = case.state[PC] - address + 4 * i
        cut = code[:at] + struct.pack("<I", encode.NOP) + code[at + 4 :]
        smaller = replace(case, blocks=((address, cut), *case.blocks[1:]))
        again = differs(reference, command, smaller)
        if again is not None:
            case, answers = smaller, again
    return Mismatch(case, *answers, where)


def compare(
    command: list[str],
    seed: int,
    instructions: int,
    first_batch: int = 0,
    progress: Callable[[int, int], None] | None = None,
    v5: bool = False,
) -> Iterator[Mismatch]:
    """Run batches until `instructions` were executed on both sides.

    Yields the first mismatch of each batch that has one. `progress` gets (next batch, executed).
    """
    reference = Reference(v5)
    done, number = 0, first_batch
    batch = make_batch(reference, seed, number)
    while True:
        run = MachineRun(command, batch.cases)
        executed = done + batch.instructions
        following = make_batch(reference, seed, number + 1) if executed < instructions else None
        index = first_difference(batch, run.answers())
        if index is not None:
            where = f"seed {seed}, batch {number}, case {index}"
            yield shrink(reference, command, alone(batch, index), where)
        done, number = executed, number + 1
        if progress:
            progress(number, done)
        if following is None:
            return
        batch = following


def save(mismatch: Mismatch, directory: Path) -> Path:
    """Write the case for `run.py --replay`."""
    directory.mkdir(parents=True, exist_ok=True)
    name = "".join(c if c.isalnum() else "-" for c in mismatch.where).replace("--", "-")
    path = directory / f"{name}.case"
    path.write_bytes(mismatch.case.encode())
    return path
