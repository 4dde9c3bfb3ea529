# SPDX-License-Identifier: Apache-2.0
"""Streams in random address spaces: batches for both processors, and the comparison.

A batch has page tables, code and data of its own; its cases start in it with different rights,
process IDs, modes and places, and run some thousand instructions each, faults and all.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from blocks import BLOCK, CONTROL_R, CONTROL_S, CONTROL_X, BlockWriter, handlers
from builder import CORNERS
from pages import (
    CODE,
    CODE_SIZE,
    DIRECTORY,
    POOL,
    POOL_UNITS,
    RANGES,
    SECTIONS,
    VECTORS,
    PageTables,
    domains,
)
from space_reference import SpaceReference
from vectors import EVENT_NAMES, EXCEPTION_NAMES, MODES, Answer, Case, MachineRun

CASES = 24
STEPS = 2000
M, A, C, W, I = 1, 2, 4, 8, 1 << 12  # noqa: E741


@dataclass
class SpaceBatch:
    number: int
    cases: list[Case]
    expected: list[Answer]

    @property
    def instructions(self) -> int:
        return sum(answer.executed for answer in self.expected)


def make_space_batch(reference: SpaceReference, seed: int, number: int, caches: bool) -> SpaceBatch:
    """Batch `number` of `seed`, and what the reference makes of it."""
    rng = random.Random(f"space {seed}/{number}")
    v5 = reference.v5
    misaligned = rng.getrandbits(2) == 0
    fixed = 0x50078 if v5 else 0x70
    control = fixed | M | (A if misaligned else 0) | (C | W | I if caches else 0)
    space = PageTables(rng, v5, coherent=caches).space()
    code = b"".join(
        BlockWriter(rng, space, v5, control, misaligned).write() for _ in range(CODE_SIZE // BLOCK)
    )
    blocks = [
        *space.blocks,
        (VECTORS, handlers(space.code)),
        (CODE, code),
        *((at, rng.randbytes(size)) for at, size in RANGES),
    ]
    cases: list[Case] = []
    expected: list[Answer] = []
    for ident in range(CASES):
        high = rng.choice((0, CONTROL_X))
        rights = rng.choice((0, CONTROL_S, CONTROL_R))
        case = Case(
            ident,
            STEPS,
            _state(rng, space.code, v5),
            tuple(blocks) if ident == 0 else (),
            RANGES,
            space=(control | high | rights, DIRECTORY, domains(rng), rng.choice(space.slots)),
        )
        answer = reference.run(case)
        cases.append(case.with_limit(answer.executed))
        expected.append(answer)
    return SpaceBatch(number, cases, expected)


def _state(rng: random.Random, code: int, v5: bool) -> tuple[int, ...]:
    state = [rng.choice(CORNERS) if rng.getrandbits(1) else rng.getrandbits(32) for _ in range(37)]
    state[7] = rng.choice(MODES)
    flags = 0xF8000000 if v5 else 0xF0000000
    for i in range(30, 35):
        state[i] = state[i] & flags | 0xC0 | rng.choice(MODES)
    state[35] = code + rng.randrange(CODE_SIZE // BLOCK) * BLOCK
    state[36] = rng.getrandbits(32) & flags | 0xC0 | rng.choice(MODES)
    return tuple(state)


@dataclass
class SpaceMismatch:
    """The first case of a batch that differs, with its batch's memory, as short as it can be."""

    case: Case
    ours: Answer
    theirs: Answer
    where: str

    def report(self) -> str:
        assert self.case.space
        lines = [f"{self.where}: the machine and the reference differ (machine / reference):"]
        lines += ["  " + d for d in self.ours.differences(self.theirs)]
        names = ("control", "table base", "domains", "process ID")
        pairs = zip(names, self.case.space, strict=True)
        lines.append("in the space " + ", ".join(f"{n} {v:08x}" for n, v in pairs))
        lines.append(f"after {self.case.limit} steps; the reference's last exceptions:")
        for event in self.theirs.events[-4:]:
            kind = EXCEPTION_NAMES[event[1]]
            named = zip(EVENT_NAMES, event, strict=True)
            lines.append(f"  {kind}: " + " ".join(f"{n} {v:x}" for n, v in named))
        return "\n".join(lines)


def shrink_space(
    reference: SpaceReference, command: list[str], batch: SpaceBatch, index: int, where: str
) -> SpaceMismatch:
    """The fewest steps after which the case differs, found by halving."""
    case = batch.cases[index]
    if index:
        # Tables and code of the batch, data as the case before left it.
        fixed = [b for b in batch.cases[0].blocks if not _is_data(b[0])]
        memory = batch.expected[index - 1].memory
        at = 0
        for address, size in RANGES:
            fixed.append((address, memory[at : at + size]))
            at += size
        case = replace(case, blocks=tuple(fixed))

    def both(limit: int) -> tuple[Case, Answer, Answer]:
        theirs = reference.run(case, limit)
        cut = case.with_limit(theirs.executed)
        return cut, MachineRun(command, [cut]).answers()[0], theirs

    low, high = 0, case.limit
    smallest = both(high)
    if smallest[1] == smallest[2]:
        raise RuntimeError(f"{where}: differs in the batch but not alone")
    while high - low > 1:
        middle = (low + high) // 2
        cut = both(middle)
        if cut[1] != cut[2]:
            high, smallest = middle, cut
        else:
            low = middle
    return SpaceMismatch(*smallest, where)


def _is_data(address: int) -> bool:
    return SECTIONS <= address < POOL + (POOL_UNITS << 16)


def compare_spaces(
    command: list[str],
    seed: int,
    instructions: int,
    v5: bool,
    caches: bool,
    first_batch: int = 0,
    progress: Callable[[int, int, SpaceReference, Counter[str]], None] | None = None,
) -> Iterator[SpaceMismatch]:
    """Run batches until `instructions` were executed on both sides, as compare.compare does."""
    reference = SpaceReference(v5)
    seen: Counter[str] = Counter()
    done, number = 0, first_batch
    while done < instructions:
        batch = make_space_batch(reference, seed, number, caches)
        answers = MachineRun(command, batch.cases).answers()
        for index, (ours, theirs) in enumerate(zip(answers, batch.expected, strict=True)):
            if ours != theirs:
                where = f"space seed {seed}, batch {number}, case {index}"
                yield shrink_space(reference, command, batch, index, where)
                break
        for answer in batch.expected:
            seen.update(_what(event) for event in answer.events)
        done, number = done + batch.instructions, number + 1
        if progress:
            progress(number, done, reference, seen)


def _what(event: tuple[int, ...]) -> str:
    """An exception by its kind and, of an abort, its status without the domain."""
    _, kind, data_status, insn_status, *_ = event
    name = EXCEPTION_NAMES[kind].replace(" ", "-")
    if name == "data-abort":
        return f"{name} {data_status & 15:04b}"
    if name == "prefetch-abort":
        return f"{name} {insn_status & 15:04b}"
    return name


def save_space(mismatch: SpaceMismatch, directory: Path) -> Path:
    """Write the case for `run.py --replay`."""
    directory.mkdir(parents=True, exist_ok=True)
    name = "".join(c if c.isalnum() else "-" for c in mismatch.where).replace("--", "-")
    path = directory / f"{name}.case"
    path.write_bytes(mismatch.case.encode())
    return path
