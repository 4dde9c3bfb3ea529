# SPDX-License-Identifier: Apache-2.0
"""Missing pages (ia32_faults.py) for what level 3 of a host cannot do: returns to outer levels, the
pushes of gates to an inner one, tables' registers. For Bochs, as whole systems (ia32_system.py).

Each block of code has one instruction and two pages of its own, around whose border it accesses
memory; all of a case have the same rights to these. Levels 0 to 2 are all the supervisor for pages.
"""

from __future__ import annotations

import itertools
import struct
from collections.abc import Iterator
from dataclasses import dataclass

from ia32_bochs import build
from ia32_faults import NEAR, PAGE, words
from ia32_streams import descriptor
from ia32_system import LANDING_CODE, parameters
from ia32_system_code import PG, PLAIN_CR0, WP
from ia32_system_notes import (
    BLOCK_TABLE,
    ENTRY_BYTES,
    MOST_NOTES,
    NOTE_BYTES,
    NOTES,
    PARAMETER_WORDS,
    PARAMETERS,
    SystemCase,
)
from ia32_system_tables import (
    BLOCKS,
    CODE,
    CODE32,
    DATA32,
    DIRECTORY,
    END,
    ENTRY,
    GATES,
    GDT,
    GDT_ENTRIES,
    HANDLERS,
    IDT,
    IDT_ENTRIES,
    INNER_STACKS,
    LANDING,
    PAGES,
    PRESENT,
    SERVICE,
    STACKS,
    STRIDE,
    TASK,
    USER_PAGE,
    WRITE,
    flat,
    handler_gate,
)
from ia32_vectors import DELIVERED

# The pages of blocks, above what a PC has no memory at; and how many there are in all.
FIRST = 0x100000
ALL_PAGES = FIRST // PAGE + 2 * BLOCKS
RIGHTS = (0, PRESENT, PRESENT | WRITE)
# The gate of the IDT to level 1, and task-state segments, of which each has another stack for it.
TO_LEVEL_1 = 33
TASKS, TASK_BYTES = (0x2000, 0x2200, 0x2300), 0x68
# Bytes of a frame that are before the border, in rounds of cases.
ROUNDS = ((0, 4, 8), (12, 16, 20))
FLAGS = 2


@dataclass(frozen=True)
class Block:
    """An instruction, the level at which it runs, and what lies where it accesses memory."""

    code: bytes
    level: int
    # How far that is before the border; of None it is the stack of level 1, in the task's segment.
    cut: int | None
    found: bytes = b""
    task: int = 0

    @property
    def on_stack(self) -> bool:
        return self.level == 1


def selector(first: int, level: int) -> int:
    return first + level << 3 | level


def frames(size: int) -> Iterator[tuple[bytes, bytes]]:
    """Far returns with operands of so many bytes, and what they find: to level 3, to level 1."""
    prefix = b"\x66" if size == 2 else b""
    letter = "I" if size == 4 else "H"
    for level in (3, 1):
        code = LANDING, selector(CODE32, level)
        stack = (STACKS[3] - 0x20, selector(DATA32, 3)) if level == 3 else ()
        for name, frame in ((b"\xcb", (*code, *stack)), (b"\xcf", (*code, FLAGS, *stack))):
            yield prefix + name, struct.pack(f"<{len(frame)}{letter}", *frame)


def blocks(cuts: tuple[int, ...]) -> list[Block]:
    """Those of a case: what the tasks' stacks have before the border is `cuts`."""
    made = []
    for size in (4, 2):
        for code, frame in frames(size):
            # In front of each element, and in CS.
            for cut in (*range(size, len(frame), size), 2 * size - 1):
                made.append(Block(code, 1, cut, frame))
    table = struct.pack("<HI", 8 * GDT_ENTRIES - 1, GDT)
    gates = struct.pack("<HI", 8 * IDT_ENTRIES - 1, IDT)
    for reg, found in ((0, b""), (1, b""), (2, table), (3, gates)):
        made += [Block(bytes((0x0F, 0x01, reg << 3 | 3)), 0, cut, found) for cut in (1, 2, 4)]
    # LLDT, VERR, LAR, SLDT
    for code in (b"\x0f\x00\x13", b"\x0f\x00\x23"):
        made.append(Block(code, 0, 1, struct.pack("<H", 0)))
    call = b"\x9a" + struct.pack("<IH", 0, GATES << 3 | 3)
    for task in range(len(cuts)):
        made.append(Block(call, 3, None, task=task))
        made.append(Block(bytes((0xCD, TO_LEVEL_1)), 3, None, task=task))
    assert len(made) <= BLOCKS
    return made


def border(number: int) -> int:
    return FIRST + 2 * PAGE * number + PAGE


def entry(number: int, block: Block) -> bytes:
    """How a block is entered."""
    data = selector(DATA32, block.level)
    at = border(number) - (block.cut or 0)
    esp = at if block.on_stack else STACKS[block.level]
    entered = (CODE + STRIDE * number, selector(CODE32, block.level), FLAGS, esp, *(data,) * 5)
    registers = (0x11111110, 0x11111111, 0x11111112, at, 0x44444444, 0x55555555, 0x66666666)
    packed = words(*entered, TASK + block.task << 3, 0, 8, *registers)
    return packed.ljust(ENTRY_BYTES, b"\0")


def gate(kind: int, level: int) -> bytes:
    """A gate of level 3 to the landing."""
    return words(selector(CODE32, level) << 16 | LANDING, (0xE0 | kind) << 8)


def tables(number: int, cuts: tuple[int, ...]) -> Iterator[tuple[int, bytes]]:
    """All but pages; the tasks' stacks of level 1 lie in the pages of block `number`."""
    entries = {GATES: gate(12, 1)}
    for level in range(4):
        entries[CODE32 + level] = flat(0x9B | level << 5)
        entries[DATA32 + level] = flat(0x93 | level << 5)
    for task, at in enumerate(TASKS):
        entries[TASK + task] = descriptor(at, TASK_BYTES - 1, 0x89, 0)
        segment = bytearray(TASK_BYTES)
        # The stack's top, so that its frame of five words begins so far before the border.
        top = border(number) - cuts[task] + 20
        struct.pack_into("<II", segment, 4, INNER_STACKS[0], DATA32 << 3)
        struct.pack_into("<II", segment, 12, top, selector(DATA32, 1))
        yield at, bytes(segment)
    yield GDT, b"".join(entries.get(n, bytes(8)) for n in range(GDT_ENTRIES))
    handlers = {n: handler_gate(n, 3 if n == SERVICE else 0) for n in range(SERVICE + 1)}
    handlers[TO_LEVEL_1] = gate(14, 1)
    yield IDT, b"".join(handlers.get(n, bytes(8)) for n in range(IDT_ENTRIES))


def pages(rights: tuple[int, int]) -> Iterator[tuple[int, bytes]]:
    """Memory where it is, with these rights before and after each border."""
    entries = [number * PAGE | PRESENT | WRITE for number in range(FIRST // PAGE)]
    for address in (STACKS[3], LANDING, *range(CODE, CODE + STRIDE * BLOCKS, PAGE)):
        entries[address // PAGE] |= USER_PAGE
    entries += [number * PAGE | rights[number & 1] for number in range(len(entries), ALL_PAGES)]
    yield DIRECTORY, words(PAGES | PRESENT | WRITE | USER_PAGE)
    yield PAGES, words(*entries)


def fault_cases() -> list[SystemCase]:
    """All of them."""
    handlers = (build() / "test-system.bin").read_bytes()
    handlers += bytes(-len(handlers) % 4)
    flat_data = DATA32 << 3
    cases: list[SystemCase] = []
    for cuts, rights in itertools.product(ROUNDS, itertools.product(RIGHTS, RIGHTS)):
        made = blocks(cuts)
        made += [Block(b"\x90", 0, 0)] * (BLOCKS - len(made))
        code = b"".join((b.code + bytes((0xCD, SERVICE))).ljust(STRIDE, b"\x90") for b in made)
        control = (PLAIN_CR0 | WP | PG, DIRECTORY, 0)
        near = []
        for number, block in enumerate(made):
            memory = bytearray(range(256 - NEAR, 256)) + bytearray(range(NEAR))
            start = NEAR - (block.cut or 0)
            memory[start : start + len(block.found)] = block.found
            near.append((border(number) - NEAR, bytes(memory)))
        cases.append(
            SystemCase(
                ident=len(cases),
                limit=100_000,
                end=END,
                stride=DELIVERED,
                state=(*(0,) * 8, ENTRY, FLAGS, flat_data, CODE32 << 3, *(flat_data,) * 4),
                control=(PLAIN_CR0, 0, 0),
                table=(GDT, 8 * GDT_ENTRIES - 1),
                blocks=(
                    (CODE, code),
                    *tables(BLOCKS - 1, cuts),
                    *pages(rights),
                    (PARAMETERS, parameters(control)),
                    (BLOCK_TABLE, b"".join(entry(n, b) for n, b in enumerate(made))),
                    (HANDLERS, handlers),
                    (LANDING, LANDING_CODE),
                    *near,
                ),
                ranges=(
                    (NOTES, NOTE_BYTES * MOST_NOTES),
                    (PARAMETERS, 4 * PARAMETER_WORDS),
                    (PAGES, 4 * ALL_PAGES),
                    *((at, len(memory)) for at, memory in near),
                ),
                first=CODE,
                block_bytes=STRIDE,
            )
        )
    return cases
