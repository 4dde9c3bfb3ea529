# SPDX-License-Identifier: Apache-2.0
"""Processors that nobody here has: the machine, of which some instructions give what the manuals
allow other processors (ia32_freedoms.py), or what they do not. Stand-ins for a host, by which tests
of the comparison itself see that it takes the one and refuses the other.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from dataclasses import dataclass, replace

import capstone  # type: ignore[import-untyped]
from ia32_host import Host
from ia32_vectors import EIP, SEGMENTS, STATE_NAMES, Answer, Case, MachineRun, machine_command
from ia32_x87 import case_of
from ia32_x87_layout import RECORD, Operation

CS, SS = (STATE_NAMES.index(SEGMENTS[n]) for n in (1, 2))
ESP = STATE_NAMES.index("esp")


@dataclass(frozen=True)
class Executed:
    """An instruction that the machine has just executed, or that has failed."""

    mnemonic: str
    operands: str
    before: Answer
    after: Answer
    # What is undefined of the flags after it.
    undefined: int
    table: bytes

    def failed(self) -> bool:
        return len(self.after.faults) > 0

    def stack(self, offset: int) -> int | None:
        """The linear address of an offset from the stack pointer after the instruction; none:
        beyond the limit."""
        low = int.from_bytes(self.table[self.after.state[SS] & ~7 :][:8], "little")
        top = 0xFFFFFFFF if low >> 54 & 1 else 0xFFFF
        limit = low & 0xFFFF | low >> 32 & 0xF0000
        if low >> 55 & 1:
            limit = limit << 12 | 0xFFF
        pointer = self.after.state[ESP] + offset & top
        expands_down = low >> 42 & 1
        if (pointer > limit) != bool(expands_down):
            return None
        base = low >> 16 & 0xFFFFFF | low >> 56 << 24
        return base + pointer & 0xFFFFFFFF


# What another processor makes of an instruction; None: the same.
Alter = Callable[[Executed, Case], Answer | None]


def poked(case: Case, answer: Answer, address: int, data: bytes) -> Answer:
    """With other bytes in memory, of those that are compared."""
    memory = bytearray(answer.memory)
    at = 0
    for start, length in case.ranges:
        for n, byte in enumerate(data):
            if start <= address + n < start + length:
                memory[at + address + n - start] = byte
        at += length
    return replace(answer, memory=bytes(memory))


def peeked(case: Case, answer: Answer, address: int, count: int) -> bytes:
    """Bytes that all lie in one of the ranges, or none."""
    at = 0
    for start, length in case.ranges:
        if start <= address and address + count <= start + length:
            return answer.memory[at + address - start :][:count]
        at += length
    return b""


class OtherProcessor:
    """Runs cases as another processor would."""

    def __init__(self, alter: Alter, most: int = 12) -> None:
        self.alter = alter
        # How many instructions it has altered, and how many it may.
        self.altered, self.most = 0, most

    def run(self, case: Case, count: int = 0) -> Answer:
        (answer,) = self.run_all([replace(case, limit=count) if count else case])
        return answer

    def run_all(self, cases: list[Case]) -> list[Answer]:
        """One after the other; memory stays from each to the next."""
        memory: dict[int, bytes] = {}
        answers = []
        for case in cases:
            memory.update(case.blocks)
            blocks = (case.blocks[0], *(x for x in memory.items() if x[0] != case.blocks[0][0]))
            answer = self._run(replace(case, blocks=blocks), memory[case.table[0]])
            data = answer.memory
            for start, length in case.ranges:
                memory[start], data = data[:length], data[length:]
            answers.append(answer)
        return answers

    def _run(self, case: Case, table: bytes) -> Answer:
        faults: tuple[tuple[int, ...], ...] = ()
        original = case.state[CS]
        steps = 0
        while True:
            whole = MachineRun(machine_command(), [case]).answers()[0]
            prefixes = [replace(case, limit=limit) for limit in range(whole.steps + 1)]
            answers = MachineRun(machine_command(), prefixes).answers()
            for n, (before, after) in enumerate(itertools.pairwise(answers)):
                if {before.state[CS], after.state[CS]} != {original} or self.altered == self.most:
                    continue
                # Of the faults only this instruction's.
                later = replace(after, faults=after.faults[len(before.faults) :])
                changed = self._altered(case, before, later, table)
                if changed is not None:
                    executed = n + 1
                    break
            else:
                return replace(whole, faults=faults + whole.faults, steps=steps + whole.steps)
            self.altered += 1
            steps += executed
            faults += before.faults + changed.faults
            case = continued(case, changed, executed)
            if case.stride == 0 and changed.faults:
                return replace(changed, faults=faults, steps=steps)

    def _altered(self, case: Case, before: Answer, after: Answer, table: bytes) -> Answer | None:
        start = before.state[EIP]
        code = case.blocks[0][1][start - case.first :][:16]
        disassembler = capstone.Cs(capstone.CS_ARCH_X86, capstone.CS_MODE_32)
        for insn in disassembler.disasm(code, start, 1):
            undefined = case.undefined_at.get(after.state[EIP], case.undefined)
            done = Executed(insn.mnemonic, insn.op_str, before, after, undefined, table)
            return self.alter(done, case)
        return None


def continued(case: Case, answer: Answer, steps: int) -> Case:
    """The case from where an answer left it."""
    memory = answer.memory
    blocks = [case.blocks[0]]
    for start, length in case.ranges:
        blocks.append((start, memory[:length]))
        memory = memory[length:]
    kept = {start for start, _ in blocks}
    blocks += [block for block in case.blocks if block[0] not in kept]
    return replace(case, state=answer.state, blocks=tuple(blocks), limit=case.limit - steps)


def selectors_pushed(upper: Callable[[bytes], bytes]) -> Alter:
    """PUSH of a segment register, 32 bits: the upper half is made of what it was."""

    def alter(done: Executed, case: Case) -> Answer | None:
        pushes = done.mnemonic == "push" and done.operands in SEGMENTS
        if not pushes or done.failed() or done.before.state[ESP] - done.after.state[ESP] != 4:
            return None
        return with_upper_half(done, case, 2, upper)

    return alter


def selectors_called(upper: Callable[[bytes], bytes]) -> Alter:
    """CALL far, 32 bits: the same of CS."""

    def alter(done: Executed, case: Case) -> Answer | None:
        if done.mnemonic != "lcall" or done.failed():
            return None
        return with_upper_half(done, case, 6, upper)

    return alter


def with_upper_half(
    done: Executed, case: Case, offset: int, upper: Callable[[bytes], bytes]
) -> Answer | None:
    at = done.stack(offset)
    if at is None or done.stack(offset + 1) is None:
        return None
    was, now = (peeked(case, answer, at, 2) for answer in (done.before, done.after))
    if not was or upper(was) == now:
        return None
    return poked(case, done.after, at, upper(was))


def below_the_stack(done: Executed, case: Case) -> Answer | None:
    """What fails while it pushes has written what it may, which is undone in no memory."""
    if not done.failed() or done.mnemonic not in ("pushal", "pushaw", "enter", "lcall", "call"):
        return None
    changed = done.after
    size = 2 if done.mnemonic == "pushaw" else 4
    for n in range(1 if done.mnemonic == "call" else 2):
        # Whole elements, all of which lie within the limit.
        places = [done.stack(byte - size * (n + 1)) for byte in range(size)]
        for at in places if None not in places else []:
            assert at is not None
            changed = poked(case, changed, at, b"\x51")
    return None if changed == done.after else changed


def scans_of_zero(done: Executed, case: Case) -> Answer | None:  # noqa: ARG001
    """BSF and BSR of zero leave something else in their destination."""
    if done.mnemonic not in ("bsf", "bsr") or done.failed() or not done.after.state[9] & 0x40:
        return None
    name = done.operands.split(",")[0]
    number = STATE_NAMES.index(name if name[0] == "e" else "e" + name)
    return with_state(done.after, number, done.after.state[number] ^ 0x5A5A)


def undefined_flags(seed: int) -> Alter:
    """Other undefined flags, now and then."""
    rng = random.Random(seed)

    def alter(done: Executed, case: Case) -> Answer | None:  # noqa: ARG001
        flags = rng.getrandbits(32) & done.undefined
        if done.failed() or not flags or rng.getrandbits(4):
            return None
        return with_state(done.after, 9, done.after.state[9] ^ flags)

    return alter


def with_state(answer: Answer, number: int, value: int) -> Answer:
    state = (*answer.state[:number], value, *answer.state[number + 1 :])
    return replace(answer, state=state)


class OtherUnit(Host):
    """A floating-point unit whose records are altered."""

    def __init__(self, operation: Operation, alter: Callable[[bytearray], None]) -> None:
        self._operation = operation
        self._alter = alter

    def run(self, code: bytes, data: bytes, count: int) -> bytes:  # noqa: ARG002
        case = case_of(self._operation, data)
        memory = MachineRun(machine_command(), [case]).answers()[0].memory
        records = [bytearray(memory[at : at + RECORD]) for at in range(0, len(memory), RECORD)]
        for record in records:
            self._alter(record)
        return b"".join(records)
