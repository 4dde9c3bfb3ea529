# SPDX-License-Identifier: Apache-2.0
"""Random streams without paging, as cases: at level 0, and at level 3 with selectors of the LDT."""

from __future__ import annotations

import random
import struct
from collections.abc import Iterator

from ia32_generator import EVERY, INTEGER
from ia32_vectors import SEGMENTS, Case
from ia32_writer import (
    ALL,
    DF,
    LOCAL,
    SELECTORS,
    Window,
    Writer,
    random_value,
)

GDT = 0x1000
GDT_LIMIT = 0x3F
# A low one, which 16-bit addresses reach, and one that they do not.
WINDOWS = [Window(0x8000, 0x3000), Window(0x200000, 0x2000)]
CODE = 0x10000
# Bytes from one stream to the next.
ROOM = 0x800
STREAMS = 40
STATES_PER_STREAM = 3
# On the host's processor, beside which writing a stream takes most of the time.
STATES_AT_LEVEL_3 = 12
# Level 3, which cannot mask interrupts.
USER = LOCAL | 3
IF = 0x200
# CR0.PE and AM, as Linux has them.
USER_CR0 = 1 | 1 << 18
INT3 = b"\xcc"
IDIOMS = 40
# Steps of a stream, an element of a string each; none needs so many.
LIMIT = 20_000


def descriptor(base: int, limit: int, access: int, flags: int) -> bytes:
    low = (base & 0xFFFF) << 16 | limit & 0xFFFF
    high = base & 0xFF000000 | flags << 20 | limit & 0xF0000 | access << 8 | base >> 16 & 0xFF
    return struct.pack("<2I", low, high)


def descriptors(level: int) -> bytes:
    """Flat code and data, FS and GS with their bases, data that cannot be written; all accessed."""
    rights = level << 5
    return b"".join(
        (
            bytes(8),
            descriptor(0, 0xFFFFF, 0x9B | rights, 0xC),
            descriptor(0, 0xFFFFF, 0x93 | rights, 0xC),
            descriptor(0x6123, 0xFFFFF, 0x93 | rights, 0xC),
            descriptor(0xFFFFF801, 0xFFFFF, 0x93 | rights, 0xC),
            descriptor(0, 0xFFFFF, 0x91 | rights, 0xC),
            descriptor(0, 0xFFFFF, 0x9B, 0xC),
            descriptor(0, 0xFFFFF, 0x93, 0xC),
        )
    )


def stream(rng: random.Random, number: int, rights: int, states: int) -> Iterator[Case]:
    """One stream from several initial states."""
    level = rights & 3
    w = Writer(rng, CODE + number * ROOM, WINDOWS)
    w.rights = rights
    for _ in range(IDIOMS):
        before = len(w.code)
        rng.choice(INTEGER if level else EVERY)(w)
        if len(w.code) > ROOM - 0x100:
            assert before < ROOM
            break
    if rng.getrandbits(4) == 0:
        w.insn(0x0F, 0x0B)
    # After the end is something that can be decoded, and that stops the host.
    code = bytes(w.code) + INT3 + b"\x90" * 15
    code += bytes(-len(code) % 4)
    assert len(code) <= ROOM
    windows = tuple((x.start, rng.randbytes(x.size)) for x in WINDOWS) if number == 0 else ()
    selectors = tuple(SELECTORS[seg] | rights for seg in range(len(SEGMENTS)))
    for n in range(states):
        registers = [random_value(rng) for _ in range(8)]
        flags = rng.getrandbits(32) & (ALL | DF) | (IF | 2 if level else 2)
        state = (*registers, w.address, flags, *selectors)
        table = (GDT, descriptors(level))
        blocks = ((w.address, code), table, *windows) if n == 0 else ((w.address, code),)
        yield Case(
            ident=number * states + n,
            limit=LIMIT,
            end=w.here(),
            stride=0,
            state=state,
            control=(USER_CR0 if level else 1, 0, 0),
            table=(GDT, GDT_LIMIT),
            blocks=blocks,
            ranges=tuple((x.start, x.size) for x in WINDOWS),
            first=w.address,
            undefined=w.undefined,
            undefined_at=w.undefined_at,
        )


def plain_cases(rng: random.Random) -> list[Case]:
    """Streams without paging. Memory stays from each to the next."""
    return [case for n in range(STREAMS) for case in stream(rng, n, 0, STATES_PER_STREAM)]


def user_cases(rng: random.Random) -> list[Case]:
    """Streams of instructions at level 3."""
    return [case for n in range(STREAMS) for case in stream(rng, n, USER, STATES_AT_LEVEL_3)]
