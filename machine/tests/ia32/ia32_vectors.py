# SPDX-License-Identifier: Apache-2.0
"""The protocol of `switchyard-machine vectors` for IA-32 (README.md), spoken from Python.

A `Case` is one instruction stream with its initial state; an `Answer` is what a processor made of
it. The machine here and Unicorn in ia32_reference.py give answers to the same cases.
"""

from __future__ import annotations

import atexit
import re
import shutil
import struct
import tempfile
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import zip_longest
from pathlib import Path
from typing import BinaryIO

from batches import BatchRun
from simulator import machine_binary

CASE_MAGIC = 0x43565953
ANSWER_MAGIC = 0x41565953

REGISTERS = ("eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi")
SEGMENTS = ("es", "cs", "ss", "ds", "fs", "gs")
# The words of the state record.
STATE_NAMES = (*REGISTERS, "eip", "eflags", *SEGMENTS)
STATE_WORDS = len(STATE_NAMES)
EIP, EFLAGS = 8, 9
FAULT_NAMES = ("vector", "code", "cr2", "eip")
NO_CODE = 0xFFFFFFFF
# The stride of a case whose faults are delivered.
DELIVERED = 0xFFFFFFFF

BUILT_IN = Path(__file__).resolve().parents[2] / "machines" / "p4-willamette.toml"
# As much as the other processors have.
RAM_BYTES = 4 << 20


@dataclass(frozen=True)
class Case:
    """One stream: what goes into a processor."""

    ident: int
    limit: int
    end: int  # it stops where EIP is this
    stride: int  # after a fault it goes on at the next multiple of this; 0: it stops; `DELIVERED`
    state: tuple[int, ...]
    control: tuple[int, int, int]  # CR0, CR3, CR4
    table: tuple[int, int]  # base and limit of the GDT
    blocks: tuple[tuple[int, bytes], ...]
    ranges: tuple[tuple[int, int], ...]
    # The address of the first block, which is the code, as instructions see it. Not sent.
    first: int = field(default=0, compare=False)
    # The flags that are undefined where it stops, by EIP; `undefined` elsewhere. Not sent.
    undefined: int = field(default=0, compare=False)
    undefined_at: dict[int, int] = field(default_factory=dict, compare=False)
    # Instructions that read, change and write memory: see `masked`. Not sent.
    changes: frozenset[int] = field(default=frozenset(), compare=False)

    def encode(self) -> bytes:
        parts = [
            struct.pack("<5I", CASE_MAGIC, self.ident, self.limit, self.end, self.stride),
            struct.pack(f"<{STATE_WORDS}I", *self.state),
            struct.pack("<3I", *self.control),
            struct.pack("<2I", *self.table),
            struct.pack("<I", len(self.blocks)),
        ]
        for address, data in self.blocks:
            parts += [struct.pack("<2I", address, len(data)), data]
        parts.append(struct.pack("<I", len(self.ranges)))
        parts += [struct.pack("<2I", *r) for r in self.ranges]
        return b"".join(parts)

    def masked(self, answer: Answer) -> Answer:
        """Without the flags that are undefined where the case stops; and without the bit of a
        page fault's code that tells a write, where an instruction reads and writes: Unicorn reads
        first, and the machine asks for both at once."""
        state = list(answer.state)
        state[EFLAGS] &= ~self.undefined_at.get(state[EIP], self.undefined)
        faults = tuple(
            (vector, code & ~2 if vector == 14 and eip in self.changes else code, cr2, eip)
            for vector, code, cr2, eip in answer.faults
        )
        return replace(answer, state=tuple(state), faults=faults)

    def vectors(self, answer: Answer) -> list[int]:
        """Of the exceptions that an answer has."""
        return [fault[0] for fault in answer.faults]

    def explained(self, ours: Answer, theirs: Answer) -> tuple[list[str], int]:
        """What two answers differ in, and the address from which code is of interest."""
        start = self.state[EIP]
        for our, their in zip(ours.faults, theirs.faults, strict=False):
            if our != their:
                start = min(our[-1], their[-1])
                break
        return ours.differences(theirs), start


@dataclass(frozen=True)
class Answer:
    """What came out: comparable with == once the case has `masked` it."""

    state: tuple[int, ...]
    faults: tuple[tuple[int, ...], ...]
    memory: bytes
    # Of the machine: instructions, and elements of repeated string instructions.
    steps: int = field(default=0, compare=False)

    def differences(self, other: Answer) -> list[str]:
        """One line per difference, ours first."""
        out = []
        for name, ours, theirs in zip(STATE_NAMES, self.state, other.state, strict=True):
            if ours != theirs:
                out.append(f"{name}: {ours:08x} / {theirs:08x}")
        for a, b in zip_longest(self.faults, other.faults, fillvalue=()):
            if a != b:
                out.append(f"first fault that differs ({' '.join(FAULT_NAMES)}):")
                out.append(f"  {_hex(a)} / {_hex(b)}")
                break
        for i in range(0, max(len(self.memory), len(other.memory)), 4):
            a_bytes, b_bytes = self.memory[i : i + 4], other.memory[i : i + 4]
            if a_bytes != b_bytes:
                out.append(f"memory range +{i:#x}: {a_bytes.hex(' ')} / {b_bytes.hex(' ')}")
        return out


def _hex(words: tuple[int, ...]) -> str:
    return " ".join(f"{word:x}" for word in words) or "none"


def _words(stream: BinaryIO, count: int) -> tuple[int, ...]:
    data = stream.read(4 * count)
    if len(data) != 4 * count:
        raise EOFError
    return struct.unpack(f"<{count}I", data)


def decode_answer(stream: BinaryIO, case: Case) -> Answer:
    magic, got, steps = _words(stream, 3)
    if magic != ANSWER_MAGIC or got != case.ident:
        raise ValueError(f"case {case.ident}: answer has magic {magic:#x} and id {got}")
    state = _words(stream, STATE_WORDS)
    (count,) = _words(stream, 1)
    faults = tuple(_words(stream, len(FAULT_NAMES)) for _ in range(count))
    (length,) = _words(stream, 1)
    memory = stream.read(length)
    if len(memory) != length:
        raise EOFError
    return Answer(state, faults, memory, steps)


@cache
def machine_file() -> Path:
    """A machine file: `p4-willamette` with `RAM_BYTES` of memory."""
    text = BUILT_IN.read_text()
    changed, count = re.subn(r"(?m)^ram-bytes = .*$", f"ram-bytes = {RAM_BYTES}", text)
    assert count == 1, "ram-bytes in p4-willamette.toml"
    folder = Path(tempfile.mkdtemp(prefix="switchyard-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    file = folder / "pentium4.toml"
    file.write_text(changed)
    return file


def machine_command() -> list[str]:
    """How to start the machine."""
    return [str(machine_binary()), "vectors", "--machine", str(machine_file())]


class MachineRun(BatchRun[Case, Answer]):
    """A batch of cases in one process of the machine, running beside us until `answers`."""

    def __init__(self, command: list[str], cases: list[Case]) -> None:
        super().__init__(command, cases, decode_answer)
