# SPDX-License-Identifier: Apache-2.0
"""Whole systems for Bochs: tables, gates, tasks' stacks and code at all four levels.

A case has blocks of code, and what comes of each is delivered: through the case's IDT, onto the
stack of its TSS, to a stub that notes what it found and enters the next block (bochs/handlers.S). A
block begins in flat segments of its level with random registers and flags, has an idiom that may
fault or leave for another level, and ends with an interrupt. Whatever code is reached by a gate is
the landing, which takes six words from its stack and ends the block.
"""

from __future__ import annotations

import random
import struct

from ia32_bochs import build
from ia32_segments import DATA, DATA_BYTES
from ia32_system_code import IDIOMS, MP, NT, PG, PLAIN_CR0, RF, TSD, WP, SystemWriter
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
    DATA_PAGES,
    DIRECTORY,
    END,
    ENTRY,
    GDT,
    GDT_ENTRIES,
    HANDLERS,
    IDT,
    IDT_ENTRIES,
    INNER_STACKS,
    LANDING,
    LDT,
    LDT_ENTRIES,
    LIMITED_LANDING,
    LOW_PAGES,
    PAGES,
    SERVICE,
    SHORT_LDT,
    SHORT_TASK,
    STACK_BYTES,
    STACKS,
    STRIDE,
    TASK,
    TASK16,
    THE_LDT,
    system_segments,
    write_gdt,
    write_idt,
    write_ldt,
    write_pages,
    write_tasks,
)
from ia32_vectors import DELIVERED, Case
from ia32_writer import random_value

SYSTEMS, STATES = 16, 4
LIMIT = 100_000
LEVELS = (0, 0, 1, 2, 3, 3, 3)


def write_block(w: SystemWriter, number: int) -> int:
    """A block; its level."""
    level = w.rng.choice(LEVELS)
    w.at_level(level)
    end = STRIDE * (number + 1) - 2
    w.raw(b"\x90" * (STRIDE * number - len(w.code)))
    while True:
        w.rng.choice(IDIOMS)(w)
        if len(w.code) <= end:
            break
        del w.code[STRIDE * number :]
    w.raw(0xCD, SERVICE)
    return level


def entry(rng: random.Random, w: SystemWriter, number: int, level: int) -> bytes:
    """How a block is entered."""
    data = (DATA32 + level) << 3 | level
    # With NT an IRET would switch tasks.
    image = w.flags() & ~(RF | NT)
    ldt = rng.choice((THE_LDT,) * 12 + (SHORT_LDT, 0))
    task = rng.choice((TASK,) * 8 + (SHORT_TASK, TASK16))
    code = (CODE32 + level) << 3 | level
    sysenter_cs = rng.choice((8, 8, 8, 8, 0, 3, rng.getrandbits(16)))
    registers = [random_value(rng) for _ in range(7)]
    words = (
        *(CODE + STRIDE * number, code, image, STACKS[level], data, data, data, data, data),
        *(task << 3, ldt << 3, sysenter_cs, *registers),
    )
    return struct.pack(f"<{len(words)}I", *words).ljust(ENTRY_BYTES, b"\0")


def parameters(control: tuple[int, int, int]) -> bytes:
    gdt = struct.pack("<HIH", 8 * GDT_ENTRIES - 1, GDT, 0)
    idt = struct.pack("<HIH", 8 * IDT_ENTRIES - 1, IDT, 0)
    return gdt + idt + struct.pack("<7I", *control, 0xFFFFFFFF, BLOCKS, NOTES, MOST_NOTES)


LANDING_CODE = b"\x58\x59\x5a\x5b\x5e\x5f\x6a\x77\x5d\xcd" + bytes([SERVICE, 0x90])


def system_cases(rng: random.Random) -> list[Case]:
    """Systems, of which each runs in several states."""
    handlers = (build() / "test-system.bin").read_bytes()
    handlers += bytes(-len(handlers) % 4)
    stacks = tuple((top - STACK_BYTES, 2 * STACK_BYTES) for top in STACKS + INNER_STACKS)
    cases: list[Case] = []
    for _ in range(SYSTEMS):
        segments = system_segments(rng)
        w = SystemWriter(rng, CODE, segments)
        levels = [write_block(w, n) for n in range(BLOCKS)]
        w.raw(b"\x90" * (-len(w.code) % 4))
        for _ in range(STATES):
            paging = PG if rng.randrange(3) == 0 else 0
            cr0 = PLAIN_CR0 | rng.getrandbits(32) & (MP | WP) | paging
            control = (cr0, DIRECTORY, rng.choice((0, 0, TSD)))
            table = b"".join(entry(rng, w, n, level) for n, level in enumerate(levels))
            blocks = (
                (CODE, bytes(w.code)),
                (GDT, write_gdt(rng)),
                (LDT, write_ldt(rng, segments)),
                (IDT, write_idt(rng)),
                *write_tasks(rng, segments),
                *write_pages(rng),
                (PARAMETERS, parameters(control)),
                (BLOCK_TABLE, table),
                (HANDLERS, handlers),
                (LANDING, LANDING_CODE),
                (LIMITED_LANDING, LANDING_CODE),
                *((start, bytes(length)) for start, length in stacks),
                (DATA, rng.randbytes(DATA_BYTES)),
            )
            data = DATA32 << 3
            cases.append(
                SystemCase(
                    ident=len(cases),
                    limit=LIMIT,
                    end=END,
                    stride=DELIVERED,
                    state=(*(0,) * 8, ENTRY, 2, data, CODE32 << 3, data, data, data, data),
                    control=(PLAIN_CR0, 0, 0),
                    table=(GDT, 8 * GDT_ENTRIES - 1),
                    blocks=blocks,
                    ranges=(
                        (NOTES, NOTE_BYTES * MOST_NOTES),
                        (PARAMETERS, 4 * PARAMETER_WORDS),
                        (GDT, 8 * GDT_ENTRIES),
                        (LDT, 8 * LDT_ENTRIES),
                        (PAGES, 4 * LOW_PAGES),
                        (PAGES + 4 * DATA_PAGES[0], 4 * len(DATA_PAGES)),
                        (DATA, DATA_BYTES),
                        *stacks,
                    ),
                    first=CODE,
                    block_bytes=STRIDE,
                )
            )
    return cases
