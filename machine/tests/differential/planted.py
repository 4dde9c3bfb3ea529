# SPDX-License-Identifier: Apache-2.0
"""A machine with a planted fault, for the tests of the comparison itself.

Speaks the protocol of `vectors`, but executes with the reference. Arguments:

    planted.py none                           a faultless machine
    planted.py case ID WORD                   flips bit 0 of a word of the state in one answer
    planted.py memory ID                      flips a bit of the returned memory in one answer
    planted.py instruction MASK VALUE WORD    flips bit 0 of a word of the state after each
                                              instruction with (it & MASK) == VALUE; numbers as in C
"""

from __future__ import annotations

import struct
import sys
from dataclasses import replace
from io import BytesIO
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "support"))

from reference import Reference
from vectors import ANSWER_MAGIC, NONE, PC, STATE_WORDS, Answer, Case, decode_case


def flip(answer: Answer, word: int) -> Answer:
    state = list(answer.state)
    state[word] ^= 1
    return replace(answer, state=tuple(state))


def step(reference: Reference, case: Case, mask: int, value: int, word: int) -> Answer:
    """Execute one by one, with the fault after each instruction that matches."""
    answer = Answer(0, NONE, case.state, b"")
    current = case
    executed = 0
    while executed < case.limit:
        pc = answer.state[PC]
        instruction = int.from_bytes(reference.uc.mem_read(pc, 4), "little") if executed else None
        if instruction is None:
            address, code = case.blocks[0]
            instruction = int.from_bytes(code[pc - address : pc - address + 4], "little")
        answer = reference.run(current, 1)
        if answer.exception != NONE:
            return replace(answer, executed=executed)
        if instruction & mask == value:
            answer = flip(answer, word)
        executed += 1
        current = replace(case, state=answer.state, blocks=case.blocks[:1])
    return replace(answer, executed=executed)


def main() -> None:
    kind, *numbers = sys.argv[1:]
    values = [int(n, 0) for n in numbers]
    reference = Reference()
    cases = BytesIO(sys.stdin.buffer.read())
    while cases.tell() < len(cases.getbuffer()):
        case = decode_case(cases)
        reference.flush_code()
        if kind == "instruction":
            answer = step(reference, case, *values)
        else:
            answer = reference.run(case, case.limit)
        if kind == "case" and case.ident == values[0]:
            answer = flip(answer, values[1])
        if kind == "memory" and case.ident == values[0]:
            answer = replace(answer, memory=bytes([answer.memory[0] ^ 1]) + answer.memory[1:])
        out = struct.pack("<4I", ANSWER_MAGIC, case.ident, answer.executed, answer.exception)
        out += struct.pack(f"<{STATE_WORDS}I", *answer.state)
        out += struct.pack("<I", len(answer.memory)) + answer.memory
        sys.stdout.buffer.write(out)
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
