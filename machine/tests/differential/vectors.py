# SPDX-License-Identifier: Apache-2.0
"""The line protocol of `switchyard-machine vectors` (README.md), spoken from Python.

A `Case` is one instruction stream with its initial state; an `Answer` is what a processor made of
it. Both sides of the comparison (the machine here, Unicorn in reference.py) give an `Answer`.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from pathlib import Path
from typing import BinaryIO

from batches import BatchRun

from switchyard.run import machine

CASE_MAGIC = 0x43565953
ANSWER_MAGIC = 0x41565953

# Names of the 37 words of the state record, in its order.
STATE_NAMES = (
    [f"r{i}" for i in range(8)]
    + [f"r{i}_usr" for i in range(8, 15)]
    + [f"r{i}_fiq" for i in range(8, 15)]
    + [f"r{i}_{m}" for m in ("svc", "abt", "und", "irq") for i in (13, 14)]
    + [f"spsr_{m}" for m in ("fiq", "svc", "abt", "und", "irq")]
    + ["pc", "cpsr"]
)
STATE_WORDS = len(STATE_NAMES)
PC, CPSR = 35, 36

USR, FIQ, IRQ, SVC, ABT, UND, SYS = 0x10, 0x11, 0x12, 0x13, 0x17, 0x1B, 0x1F
MODES = (USR, FIQ, IRQ, SVC, ABT, UND, SYS)
MODE_NAMES = {USR: "usr", FIQ: "fiq", IRQ: "irq", SVC: "svc", ABT: "abt", UND: "und", SYS: "sys"}
# Index of the mode's SPSR in the state record; User and System mode have none.
SPSR_INDEX = {FIQ: 30, SVC: 31, ABT: 32, UND: 33, IRQ: 34}
_R13_INDEX = {SVC: 22, ABT: 24, UND: 26, IRQ: 28}

EXCEPTION_NAMES = (
    "none",
    "undefined",
    "swi",
    "prefetch abort",
    "data abort",
    "irq",
    "fiq",
)
NONE, UNDEFINED, SWI, PREFETCH_ABORT, DATA_ABORT = range(5)


def reg_index(mode: int, reg: int) -> int:
    """Where register `reg` (0..14) of `mode` lies in the state record."""
    if reg < 8:
        return reg
    if mode == FIQ:
        return 15 + reg - 8
    if reg >= 13 and mode in _R13_INDEX:
        return _R13_INDEX[mode] + reg - 13
    return reg


@dataclass(frozen=True)
class Case:
    """One stream: what goes into a processor."""

    ident: int
    limit: int
    state: tuple[int, ...]
    blocks: tuple[tuple[int, bytes], ...]
    ranges: tuple[tuple[int, int], ...]
    # The stream lies in [state[PC], end); the reference stops there. Not sent to the machine,
    # which gets `limit` instead.
    end: int = field(default=0, compare=False)
    # Control, translation table base, domains, process ID: the case has an address space, and
    # goes on after exceptions.
    space: tuple[int, int, int, int] | None = None

    def encode(self) -> bytes:
        parts = [
            struct.pack("<4I", CASE_MAGIC, self.ident, int(self.space is not None), self.limit),
            struct.pack(f"<{STATE_WORDS}I", *self.state),
            struct.pack("<4I", *self.space) if self.space else b"",
            struct.pack("<I", len(self.blocks)),
        ]
        for address, data in self.blocks:
            parts += [struct.pack("<2I", address, len(data)), data]
        parts.append(struct.pack("<I", len(self.ranges)))
        parts += [struct.pack("<2I", *r) for r in self.ranges]
        return b"".join(parts)

    def with_limit(self, limit: int) -> Case:
        return replace(self, limit=limit)


@dataclass(frozen=True)
class Answer:
    """What came out: comparable with ==."""

    executed: int
    exception: int
    state: tuple[int, ...]
    memory: bytes
    # Only of a case with an address space: fault status of data and instructions, fault address;
    # and what each exception left, see EVENT_NAMES.
    faults: tuple[int, ...] = ()
    events: tuple[tuple[int, ...], ...] = ()

    def differences(self, other: Answer) -> list[str]:
        """One line per difference, ours first."""
        out = []
        if self.executed != other.executed:
            out.append(f"executed: {self.executed} / {other.executed}")
        if self.exception != other.exception:
            a, b = EXCEPTION_NAMES[self.exception], EXCEPTION_NAMES[other.exception]
            out.append(f"exception: {a} / {b}")
        for name, a_word, b_word in zip(STATE_NAMES, self.state, other.state, strict=True):
            if a_word != b_word:
                out.append(f"{name}: {a_word:08x} / {b_word:08x}")
        if self.faults != other.faults:
            out.append(f"dfsr, ifsr, far: {_hex(self.faults)} / {_hex(other.faults)}")
        for ours, theirs in zip_longest(self.events, other.events, fillvalue=()):
            if ours != theirs:
                out.append(f"first exception that differs ({' '.join(EVENT_NAMES)}):")
                out.append(f"  {_hex(ours)} / {_hex(theirs)}")
                break
        if self.memory != other.memory:
            for i in range(0, max(len(self.memory), len(other.memory)), 4):
                a_bytes, b_bytes = self.memory[i : i + 4], other.memory[i : i + 4]
                if a_bytes != b_bytes:
                    out.append(f"memory range +{i:#x}: {a_bytes.hex(' ')} / {b_bytes.hex(' ')}")
        return out


EVENT_NAMES = ("step", "kind", "dfsr", "ifsr", "far", "r14", "spsr", "cpsr", "pc")


def _hex(words: tuple[int, ...]) -> str:
    return " ".join(f"{word:x}" for word in words) or "none"


def _words(stream: BinaryIO, count: int) -> tuple[int, ...]:
    data = stream.read(4 * count)
    if len(data) != 4 * count:
        raise EOFError
    return struct.unpack(f"<{count}I", data)


def decode_case(stream: BinaryIO) -> Case:
    """Read one case (a saved file); the end of the stream is taken from its first block."""
    magic, ident, flags, limit = _words(stream, 4)
    if magic != CASE_MAGIC:
        raise ValueError(f"not a case: magic {magic:#x}")
    state = _words(stream, STATE_WORDS)
    space = None
    if flags:
        control, base, domains, process = _words(stream, 4)
        space = (control, base, domains, process)
    blocks = []
    for _ in range(_words(stream, 1)[0]):
        address, length = _words(stream, 2)
        blocks.append((address, stream.read(length)))
    ranges = []
    for _ in range(_words(stream, 1)[0]):
        address, length = _words(stream, 2)
        ranges.append((address, length))
    return Case(ident, limit, state, tuple(blocks), tuple(ranges), space=space)


def decode_answer(stream: BinaryIO, case: Case) -> Answer:
    ident = case.ident
    magic, got, executed, exception = _words(stream, 4)
    if magic != ANSWER_MAGIC or got != ident:
        raise ValueError(f"case {ident}: answer has magic {magic:#x} and id {got}")
    state = _words(stream, STATE_WORDS)
    faults: tuple[int, ...] = ()
    events: tuple[tuple[int, ...], ...] = ()
    if case.space:
        *faults_read, count = _words(stream, 4)
        faults = tuple(faults_read)
        events = tuple(_words(stream, len(EVENT_NAMES)) for _ in range(count))
    (length,) = _words(stream, 1)
    memory = stream.read(length)
    if len(memory) != length:
        raise EOFError
    return Answer(executed, exception, state, memory, faults, events)


# The machine file of each core, beside this file or by name.
MACHINES = {
    "sa1110": "sa1110",
    "arm926": str(Path(__file__).resolve().parent / "arm926.toml"),
}


def machine_command(core: str = "sa1110") -> list[str]:
    """How to start the machine; an InputError where there is none."""
    return [str(machine.binary()), "vectors", "--machine", MACHINES[core]]


class MachineRun(BatchRun[Case, Answer]):
    """A batch of cases in one process of the machine, running beside us until `answers`."""

    def __init__(self, command: list[str], cases: list[Case]) -> None:
        super().__init__(command, cases, decode_answer)
