# SPDX-License-Identifier: Apache-2.0
"""What the handlers of a system (bochs/handlers.S) note, one record for each exception, interrupt
and SYSENTER that gets to a stub; and how a case that has such notes is compared and shown.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, replace
from itertools import zip_longest

from ia32_vectors import REGISTERS, Answer, Case

NOTES, NOTE_BYTES, MOST_NOTES = 0x30000, 96, 80
PARAMETERS, PARAMETER_WORDS = 0x2800, 11
# The parameter that says where the next note goes.
NEXT_NOTE = 9
NOTE_WORDS = (
    *("vector", "block", *REGISTERS, "eflags", "cs, ss", "ds, es", "fs, gs", "cr2", "dr6"),
    *("tr, ldtr", *(f"[esp+{4 * n}]" for n in range(6))),
)
VECTOR, BLOCK = 0, 1
# How blocks are entered.
BLOCK_TABLE, ENTRY_BYTES = 0x3000, 80
ENTRY_WORDS = (
    *("eip", "cs", "eflags", "esp", "ss", "ds", "es", "fs", "gs", "tr", "ldtr", "sysenter_cs"),
    *(name for name in REGISTERS if name != "esp"),
)
# Where the words of the frame begin.
FRAME = NOTE_WORDS.index("[esp+0]")

Note = tuple[int, ...]


def count(memory: bytes) -> int:
    """How many notes an answer has, which has them first, then the parameters. All, where a stack
    has run over them."""
    at = NOTE_BYTES * MOST_NOTES + 4 * NEXT_NOTE
    (end,) = struct.unpack_from("<I", memory, at)
    number = int(end - NOTES) // NOTE_BYTES
    return number if 0 <= number <= MOST_NOTES else MOST_NOTES


def notes(answer: Answer) -> list[Note]:
    layout = f"<{len(NOTE_WORDS)}I"
    memory = answer.memory
    return [struct.unpack_from(layout, memory, NOTE_BYTES * n) for n in range(count(memory))]


def shown(names: tuple[str, ...], words: tuple[int, ...] | None) -> str:
    if words is None:
        return "none"
    return "  ".join(f"{name} {word:x}" for name, word in zip(names, words, strict=True))


@dataclass(frozen=True)
class SystemCase(Case):
    """A case of a whole system, which ends at level 0 or by a shutdown."""

    # Of a block of code, which has an entry in the table of blocks. Not sent.
    block_bytes: int = 0

    def masked(self, answer: Answer) -> Answer:
        """Memory after the last note is that of an earlier case. A shutdown leaves no state."""
        used, room = NOTE_BYTES * count(answer.memory), NOTE_BYTES * MOST_NOTES
        memory = answer.memory[:used] + bytes(room - used) + answer.memory[room:]
        shutdown = answer.faults[:1]
        faults = tuple((vector, code, 0, 0) for vector, code, _, _ in shutdown)
        state = answer.state if not shutdown else (0,) * len(answer.state)
        return replace(answer, state=state, faults=faults, memory=memory)

    def vectors(self, answer: Answer) -> list[int]:
        return super().vectors(answer) + [note[VECTOR] for note in notes(answer)]

    def entry(self, block: int) -> tuple[int, ...]:
        table = dict(self.blocks)[BLOCK_TABLE]
        return struct.unpack_from(f"<{len(ENTRY_WORDS)}I", table, ENTRY_BYTES * block)

    def explained(self, ours: Answer, theirs: Answer) -> tuple[list[str], int]:
        """The first note that differs, and its block; else the memory that does."""
        pairs = zip_longest(notes(ours), notes(theirs))
        for number, (a, b) in enumerate(pairs):
            if a != b:
                block = (a or b or (0, 0))[BLOCK]
                entry = self.entry(block)
                lines = [
                    f"note {number}, of block {block}, which was entered with:",
                    *("  " + shown(ENTRY_WORDS, entry), "ours:"),
                    *("  " + shown(NOTE_WORDS, a), "the reference's:", "  " + shown(NOTE_WORDS, b)),
                ]
                return lines, self.first + self.block_bytes * block
        lines = self.masked(ours).differences(self.masked(theirs))
        return lines, self.first
