# SPDX-License-Identifier: Apache-2.0
"""The tables of a system for Bochs (ia32_system.py), random but mostly of use: descriptors, gates,
task-state segments, pages. And where all of it lies in memory.
"""

from __future__ import annotations

import random
import struct
from dataclasses import replace

from ia32_segments import DATA, DATA_BYTES, IS_CODE, WRITABLE, Described, random_segment
from ia32_streams import descriptor

# Where things are; as in bochs/handlers.S.
GDT, LDT, IDT = 0x1000, 0x1400, 0x1800
TSS, SHORT_TSS, TSS16 = 0x2000, 0x2200, 0x2300
STACKS = (0x5C00, 0xBC00, 0xCC00, 0x9C00)  # of blocks, by level
INNER_STACKS = (0x5800, 0x6800, 0x7800)  # of the TSS
STACK_BYTES = 0x80
HANDLERS, STUB_BYTES, STUBS = 0x8000, 16, 34
ENTRY = HANDLERS + STUB_BYTES * STUBS
END = ENTRY + 16
LANDING, LIMITED_LANDING = 0xA000, 0xA800
CODE, STRIDE, BLOCKS = 0x20000, 0x80, 48
DIRECTORY, PAGES = 0x40000, 0x41000
LOW_PAGES, DATA_PAGES = 0x42, range(DATA >> 12, (DATA + DATA_BYTES >> 12) + 1)

# Entries of the GDT. Four each, by level: CODE32, DATA32, CONFORMING.
CODE32, DATA32, TASK, SHORT_TASK, TASK16 = 1, 5, 9, 10, 11
THE_LDT, SHORT_LDT, CONFORMING = 12, 13, 14
CODE16_0, CODE16_3, CONFORMING16, CODE_ABSENT, CODE_ONLY, CODE_LIMITED = range(18, 24)
GATES, MOST_GATES = 24, 10
ODD, ODD_KINDS = 34, (2, 11, 3, 0, 8, 10, 13, 14, 5)
NOTHING = 43
GDT_ENTRIES = 48
# And of the LDT, of which CODE32 and DATA32 are as in the GDT.
SEGMENTS, MOST_SEGMENTS = 9, 16
LDT_GATES = 26
LDT_ENTRIES = 32
LOCAL = 4

SERVICE = 32  # the interrupt that ends a block
FIRST_GATE, SOFTWARE_GATES = 33, 31
IDT_ENTRIES = 64

PRESENT, WRITE, USER_PAGE, ACCESSED, DIRTY = 1, 2, 4, 0x20, 0x40
# The ports of the bit map.
MAPPED_PORTS = 0x140


def code_target(rng: random.Random) -> int:
    """A selector of code, of any level and kind, or of something else."""
    kind = rng.randrange(16)
    level = rng.randrange(4)
    if kind < 7:
        number = CODE32 + level
    elif kind < 10:
        number = CONFORMING + level
    elif kind < 14:
        number = rng.randrange(CODE16_0, GATES)
    elif kind < 15:
        number = rng.choice((DATA32 + level, NOTHING, GDT_ENTRIES, THE_LDT, 0))
    else:
        number = rng.randrange(CODE32, CODE32 + 4)
        return number << 3 | LOCAL | rng.getrandbits(2)
    return number << 3 | (rng.getrandbits(2) if rng.getrandbits(1) else 0)


def landing_in(selector: int) -> int:
    """Where gates go. The segment with a limit has a landing of its own, since Bochs sees a limit
    only where it decodes."""
    return LIMITED_LANDING if selector >> 3 == CODE_LIMITED else LANDING


def gate(rng: random.Random, kinds: tuple[int, ...], limited: bool = True) -> bytes:
    """A gate of one of `kinds`, to the landing; perhaps that in the segment with a limit."""
    present = rng.randrange(8) > 0
    level = rng.choice((3, 3, rng.getrandbits(2)))
    kind = rng.choice(kinds) if rng.randrange(24) else rng.choice((4, 6, 7, 12, 14, 15, 2, 0))
    parameters = rng.choice((0, 1, 2, 3, rng.getrandbits(5)))
    access = present << 7 | level << 5 | kind
    target = code_target(rng)
    while target >> 3 == CODE_LIMITED and not limited:
        target = code_target(rng)
    low = target << 16 | landing_in(target)
    return struct.pack("<2I", low, access << 8 | parameters)


def handler_gate(stub: int, level: int) -> bytes:
    """An interrupt gate to a stub."""
    low = CODE32 << 19 | HANDLERS + STUB_BYTES * stub
    return struct.pack("<2I", low, (0x8E | level << 5) << 8)


def absent(encoded: bytes) -> bytes:
    """The same descriptor, not present."""
    low, high = struct.unpack("<2I", encoded)
    return struct.pack("<2I", low, high & ~(1 << 15))


def flat(access: int, big: bool = True) -> bytes:
    return descriptor(0, 0xFFFFF, access, 0xC if big else 0x8)


def system_segments(rng: random.Random) -> list[Described]:
    """Random segments of the LDT, two of each level that are good stacks."""
    segments = []
    for n in range(MOST_SEGMENTS):
        segment = random_segment(rng, SEGMENTS + n)
        level = n & 3 if n < 8 else rng.choice((0, 1, 2, 3, 3, 3))
        while n < 8 and not (segment.present and segment.kind & (IS_CODE | WRITABLE) == WRITABLE):
            segment = random_segment(rng, SEGMENTS + n)
        encoded = bytearray(segment.encoded)
        encoded[5] = encoded[5] & 0x9E | level << 5 | rng.getrandbits(1)
        if segment.kind & IS_CODE and rng.getrandbits(1):
            encoded[5] |= 4
        segments.append(replace(segment, level=level, encoded=bytes(encoded)))
    return segments


def write_gdt(rng: random.Random) -> bytes:
    entries = {0: rng.randbytes(8)}
    for level in range(4):
        accessed = rng.getrandbits(1) if level else 1
        rights = level << 5 | accessed
        entries[CODE32 + level] = flat(0x9A | rights)
        entries[DATA32 + level] = flat(0x92 | rights)
        entries[CONFORMING + level] = flat(0x9C | rights | rng.getrandbits(1) << 1)
    any_level = rng.getrandbits(2) << 5
    entries[TASK] = descriptor(TSS, 0x68 + MAPPED_PORTS // 8, 0x89 | any_level, 0)
    short = rng.choice((0x67, 0x66, 0x68, 0x69, 0x15, 0x14, 0xD, 0xC))
    entries[SHORT_TASK] = descriptor(SHORT_TSS, short, 0x89 | any_level, 0)
    entries[TASK16] = descriptor(TSS16, rng.choice((0x2B, 0x2B, 0xC, 0x8, 5)), 0x81, 0)
    entries[THE_LDT] = descriptor(LDT, 8 * LDT_ENTRIES - 1, 0x82 | any_level, 0)
    entries[SHORT_LDT] = descriptor(LDT, rng.randrange(8 * LDT_ENTRIES), 0x82, 0)
    entries[CODE16_0] = flat(0x9A, big=False)
    entries[CODE16_3] = flat(0xFA, big=False)
    entries[CONFORMING16] = flat(0x9E, big=False)
    entries[CODE_ABSENT] = flat(0x1A | any_level | rng.getrandbits(1) << 2)
    entries[CODE_ONLY] = flat(0x98 | rng.getrandbits(2) << 5)
    # Of a level to which no stack is switched that cannot be pushed onto: Bochs sees first that the
    # landing is beyond the limit, and the manual that there is no room.
    limit = LIMITED_LANDING + rng.randrange(-3, 13)
    entries[CODE_LIMITED] = descriptor(0, limit, rng.choice((0x9A, 0xFA)), 4)
    for n in range(GATES, GATES + MOST_GATES):
        entries[n] = gate(rng, (12, 12, 4))
    for n, kind in enumerate(ODD_KINDS, ODD):
        absent = kind == 2
        access = kind | (not absent) << 7 | rng.getrandbits(2) << 5
        entries[n] = descriptor(
            rng.getrandbits(32), rng.getrandbits(20), access, rng.getrandbits(4)
        )
    return b"".join(entries.get(n, bytes(8)) for n in range(GDT_ENTRIES))


def write_ldt(rng: random.Random, segments: list[Described]) -> bytes:
    entries = {x.number: x.encoded for x in segments}
    entries[0] = flat(0xF2)
    for level in range(4):
        entries[CODE32 + level] = flat(0x9A | level << 5)
        entries[DATA32 + level] = flat(0x92 | level << 5)
    for n in range(LDT_GATES, LDT_ENTRIES):
        entries[n] = gate(rng, (12, 12, 4))
    return b"".join(entries.get(n, bytes(8)) for n in range(LDT_ENTRIES))


# Exceptions whose gates may be random. Not the double fault's, but rarely; not those that the
# landing may cause, which might go on for ever: general protection where it is in the segment with
# a limit, stack faults, page faults, whose gate may only be absent, and alignment checks.
DOUBLE_FAULT, PROTECTION, PAGE_FAULT = 8, 13, 14
EXCEPTIONS = (0, 1, 3, 4, 5, 6, 10, 11, PROTECTION)


def write_idt(rng: random.Random) -> bytes:
    kinds = (14, 14, 15, 15, 6, 7)
    entries = {n: handler_gate(n, 3 if n in (3, 4) else 0) for n in range(32)}
    for n in EXCEPTIONS:
        if rng.randrange(6) == 0:
            entries[n] = gate(rng, kinds, limited=n != PROTECTION)
    if rng.randrange(32) == 0:
        entries[DOUBLE_FAULT] = gate(rng, kinds)
    elif rng.randrange(8) == 0:
        entries[PAGE_FAULT] = absent(entries[PAGE_FAULT])
    for n in range(FIRST_GATE, FIRST_GATE + SOFTWARE_GATES):
        entries[n] = gate(rng, kinds)
    entries[SERVICE] = handler_gate(SERVICE, 3)
    return b"".join(entries[n] for n in range(IDT_ENTRIES))


def inner_stacks(rng: random.Random, segments: list[Described]) -> list[tuple[int, int]]:
    """ESP and SS of levels 0 to 2. That of level 0 is a good one: nothing goes on without it."""
    stacks = [(INNER_STACKS[0], DATA32 << 3)]
    for level in (1, 2):
        esp, ss = INNER_STACKS[level], (DATA32 + level) << 3 | level
        kind = rng.randrange(8)
        if kind == 0:
            ss = rng.choice((0, level, ss ^ rng.getrandbits(2), rng.randrange(GDT_ENTRIES) << 3))
        elif kind < 4:
            fit = [
                x
                for x in segments
                if x.level == level and x.kind & (IS_CODE | WRITABLE) == WRITABLE
            ]
            segment = rng.choice(fit if rng.randrange(4) else segments)
            ss = segment.number << 3 | LOCAL | level
            esp = rng.choice(segment.edges) + rng.randrange(-8, 40) & 0xFFFFFFFF
        stacks.append((esp, ss))
    return stacks


def write_tasks(rng: random.Random, segments: list[Described]) -> list[tuple[int, bytes]]:
    blocks = []
    for at in (TSS, SHORT_TSS):
        task = bytearray(0x68)
        for level, (esp, ss) in enumerate(inner_stacks(rng, segments)):
            struct.pack_into("<IHH", task, 4 + 8 * level, esp, ss, rng.getrandbits(16))
        struct.pack_into("<HH", task, 0x64, 0, 0x68)
        rights = bytes(rng.choice((0, 0xFF, rng.getrandbits(8))) for _ in range(MAPPED_PORTS // 8))
        blocks.append((at, bytes(task) + rights + b"\xff" * 4))
    task = bytearray(0x2C)
    for level, (esp, ss) in enumerate(inner_stacks(rng, segments)):
        struct.pack_into("<HH", task, 2 + 4 * level, esp & 0xFFFF, ss)
    blocks.append((TSS16, bytes(task)))
    return blocks


def write_pages(rng: random.Random) -> list[tuple[int, bytes]]:
    """Memory where it is; stacks of the TSS for levels 1 and 2, landings and data perhaps with
    fewer rights. Not the stacks of blocks: from these CALL takes parameters in any order, before or
    after a fault, and Bochs pushes onto them by the level of conforming code."""
    all_rights = PRESENT | WRITE | USER_PAGE
    low = [number << 12 | PRESENT | WRITE for number in range(LOW_PAGES)]
    for address in (STACKS[3], LANDING, CODE, CODE + 0x1000):
        low[address >> 12] |= USER_PAGE
    for address in STACKS:
        low[address >> 12] |= ACCESSED | DIRTY
    for address in (INNER_STACKS[1], INNER_STACKS[2], LANDING):
        if rng.randrange(6) == 0:
            low[address >> 12] &= ~rng.choice((PRESENT, WRITE, USER_PAGE, all_rights))
    fewer = (0, PRESENT, PRESENT | WRITE, PRESENT | USER_PAGE)
    data = [n << 12 | rng.choice((all_rights,) * 6 + fewer) for n in DATA_PAGES]
    return [
        (DIRECTORY, struct.pack("<I", PAGES | all_rights)),
        (PAGES, struct.pack(f"<{len(low)}I", *low)),
        (PAGES + 4 * DATA_PAGES[0], struct.pack(f"<{len(data)}I", *data)),
    ]
