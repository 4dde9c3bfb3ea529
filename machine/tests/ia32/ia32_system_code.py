# SPDX-License-Identifier: Apache-2.0
"""The code of systems for Bochs (ia32_system.py): far transfers and interrupts to other levels,
what only level 0 may do, ports, segments at their limits. Random, and made to fault often.
"""

from __future__ import annotations

import struct
from collections.abc import Callable

from ia32_segments import (
    IS_CODE,
    WRITABLE,
    Described,
    SegmentWriter,
    access,
    bound,
    load_any,
    look,
    string,
    unaligned,
)
from ia32_segments import stack as stack_at_limits
from ia32_system_tables import (
    CODE16_0,
    CODE16_3,
    CODE32,
    CODE_ABSENT,
    CODE_LIMITED,
    CODE_ONLY,
    CONFORMING,
    DATA32,
    FIRST_GATE,
    GATES,
    GDT,
    GDT_ENTRIES,
    IDT,
    IDT_ENTRIES,
    LDT_ENTRIES,
    LDT_GATES,
    LOCAL,
    MOST_GATES,
    NOTHING,
    ODD,
    ODD_KINDS,
    SOFTWARE_GATES,
    STACKS,
    TASK,
    THE_LDT,
    code_target,
    landing_in,
)
from ia32_writer import ALL, DF, DS, EAX, EBP, EBX, ECX, EDI, EDX, ES, ESI, ESP, FS, GS, SS, Operand

TF, IF, NT, RF, AC, ID = 0x100, 0x200, 0x4000, 0x10000, 0x40000, 0x200000
PE, MP, EM, TS, ET, NE, WP, AM, PG = 1, 2, 4, 8, 0x10, 0x20, 1 << 16, 1 << 18, 1 << 31
TSD, PSE, PGE = 4, 0x10, 0x80
# Ports at which nothing is, here and there. The first ones are in the bit map.
PORTS = range(0x100, 0x160)
LOW_PORTS = range(0xE0, 0xE9)


class SystemWriter(SegmentWriter):
    """Code of a block, at a level."""

    # Bochs leaves those of the last element (COMPARED_FLAGS).
    repeats_comparisons = False

    # Here and in Bochs the same is made of what the manual leaves open of these.

    def push_segment(self, size: int, push: bytes) -> None:
        self.raw(self.width(size), push)

    def pushing(self, written: list[tuple[int, int]]) -> None:
        pass

    def at_level(self, level: int) -> None:
        self.level = level
        self.rights = LOCAL | level
        # A level 0 without a stack that can be pushed onto is the end of a case: see `stack`.
        self.loaded = (ES, SS, DS, FS, GS) if level else (ES, DS, FS, GS)

    def fits(self, segment: Described, stack: bool) -> bool:
        if self.rng.randrange(32) == 0:
            return True
        if stack:
            right = segment.kind & (IS_CODE | WRITABLE) == WRITABLE
            # One that is not present is tried, too: its fault is another than a data segment's.
            there = segment.present or self.bits(2) == 0
            return there and right and segment.level == self.level
        return segment.present and segment.level >= self.level

    def any_selector(self) -> int:
        if self.bits(1):
            return self.rng.randrange(LDT_ENTRIES + 2) << 3 | LOCAL | self.bits(2)
        return self.rng.randrange(GDT_ENTRIES + 2) << 3 | self.bits(2)

    def memory_in(self, seg: int | None, offset: int, keep: tuple[int, ...] = ()) -> Operand:
        """Not by ESP, onto which what comes next is pushed."""
        return super().memory_in(seg, offset, (*keep, ESP))

    def destination(self) -> int:
        return self.rng.choice((EAX, ECX, EDX, EBX, EBP, ESI, EDI))

    def register_operand(self, register: int | None = None) -> Operand:
        return super().register_operand(self.destination() if register is None else register)

    def push_constant16(self, value: int) -> None:
        self.raw(0x66, 0x68, struct.pack("<H", value & 0xFFFF))

    def pushes(self, size: int, *values: int) -> None:
        for value in values:
            if size == 2:
                self.push_constant16(value)
            else:
                self.push_constant(value)

    def flags(self) -> int:
        """An image of EFLAGS, without VM."""
        bits = self.bits
        image = bits(32) & (ALL | DF | IF | ID) | 2 | bits(2) << 12
        if bits(3) == 0:
            image |= AC
        if bits(4) == 0:
            image |= TF
        if bits(4) == 0:
            image |= RF
        if bits(4) == 0:
            image |= NT
        return image


Idiom = Callable[[SystemWriter], None]


def transfer_target(w: SystemWriter) -> int:
    """What a far jump or call names: code, or a gate. Not a TSS: tasks are not switched."""
    kind = w.bits(3)
    if kind < 3:
        return code_target(w.rng)
    if kind == 3:
        return (CODE32 + w.level) << 3 | w.bits(2)
    if kind < 6:
        return w.rng.randrange(GATES, GATES + MOST_GATES) << 3 | w.rng.choice((0, w.bits(2)))
    if kind == 6:
        return w.rng.randrange(LDT_GATES, LDT_ENTRIES) << 3 | LOCAL | w.rng.choice((0, w.bits(2)))
    odd = [n for n, kind in enumerate(ODD_KINDS, ODD) if kind not in (3, 11, 5)]
    return w.rng.choice((*odd, THE_LDT, NOTHING)) << 3 | w.bits(2)


def far(w: SystemWriter) -> None:
    """JMP or CALL, to what follows or, of 16 bits, to the landing."""
    selector = transfer_target(w)
    prefix = w.rng.choice((b"", b"", b"\x66"))
    op = w.rng.choice((0xEA, 0x9A))
    if w.bits(1):
        target = w.target(8)
        w.store(target, landing_in(selector))
        w.store(target + (2 if prefix else 4), selector, 2)
        operand = w.memory_in(None, target)
        w.load(ESP, STACKS[w.level])
        w.raw(operand.prefixes, prefix, 0xFF, operand.with_reg(5 if op == 0xEA else 3))
    elif prefix:
        w.raw(prefix, op, struct.pack("<HH", landing_in(selector), selector))
    else:
        w.raw(op, struct.pack("<IH", w.here() + 7, selector))


def outer(w: SystemWriter, absent: bool) -> tuple[int, int, int]:
    """A level to return to, and selectors for code and a stack there, which may be one that is not
    present."""
    rng = w.rng
    level = rng.randrange(w.level, 4)
    cs = rng.choice((CODE32 + level, CODE32 + level, CONFORMING + rng.randrange(level + 1)))
    if rng.randrange(12) == 0:
        cs = rng.choice((CODE16_0, CODE16_3, CODE_ABSENT, CODE_ONLY, CODE_LIMITED))
    code = cs << 3 | level
    if rng.randrange(10) == 0:
        code = rng.choice((w.any_selector(), code_target(rng)))
    ss = (DATA32 + level) << 3 | level
    kind = rng.randrange(10)
    if kind == 0:
        ss = w.any_selector()
    elif kind == 1:
        ss = w.rng.choice(w.table).number << 3 | LOCAL | level
    missing = {x.number for x in w.table if not x.present}
    while not absent and ss & LOCAL and ss >> 3 in missing:
        ss = w.any_selector()
    return level, code, ss


def far_return(w: SystemWriter) -> None:
    level, cs, ss = outer(w, absent=True)
    size = w.rng.choice((2, 4, 4))
    drop = w.rng.choice((0, 0, 4, 8, w.bits(4)))
    esp = STACKS[level] - 0x40
    w.pushes(size, ss, esp, *(w.bits(16) for _ in range(-(-drop // size))))
    # The frame ends at the next multiple of its words' size.
    w.raw(0x83, 0xC4, -drop % size)
    w.pushes(size, cs, landing_in(cs) if size == 2 else w.here() + 5 + 3 + 5)
    w.raw(w.width(size), 0xCA if drop else 0xCB, struct.pack("<H", drop) if drop else b"\x90\x90")


def interrupt_return(w: SystemWriter) -> None:
    # Of a stack that is not present the manual says #SS and #NP.
    level, cs, ss = outer(w, absent=False)
    size = w.rng.choice((2, 4, 4))
    image = w.flags()
    w.pushes(
        size, ss, STACKS[level] - 0x40, image, cs, landing_in(cs) if size == 2 else w.here() + 26
    )
    w.raw(w.width(size), 0xCF)


def interrupt(w: SystemWriter) -> None:
    """INT n, INT3, INTO, INT1; of a gate, of none, beyond the table."""
    kind = w.bits(4)
    if kind == 0:
        w.raw(0xCC)
    elif kind == 1:
        w.raw(0xCE)
    elif kind == 2:
        w.raw(0xF1)
    elif kind == 3:
        w.raw(0xCD, w.bits(8))
    else:
        w.raw(0xCD, w.rng.randrange(FIRST_GATE, FIRST_GATE + SOFTWARE_GATES))


def sysenter(w: SystemWriter) -> None:
    """Also SYSEXIT, to what follows."""
    if w.bits(1):
        w.raw(0x0F, 0x34)
    else:
        w.load(ECX, STACKS[3])
        w.load(EDX, w.here() + 7)
        w.raw(0x0F, 0x35)


def ports(w: SystemWriter) -> None:
    prefix = w.rng.choice((b"", b"\x66"))
    port = w.rng.choice(PORTS)
    if w.bits(2) == 0:
        w.raw(prefix, w.rng.choice((0xE4, 0xE5, 0xE6, 0xE7)), w.rng.choice(LOW_PORTS))
        return
    w.load(EDX, w.bits(16) << 16 | port)
    kind = w.bits(3)
    if kind < 6:
        w.raw(prefix, w.rng.choice((0xEC, 0xED, 0xEE, 0xEF)))
        return
    w.load(ESI, w.target(32))
    w.load(EDI, w.target(32))
    w.load(ECX, w.rng.randrange(1, 5))
    repeat = w.rng.choice((b"", b"\xf3"))
    w.raw(0xFC, repeat, prefix, w.rng.choice((0x6C, 0x6D, 0x6E, 0x6F)))


# CR0 as it is between blocks, and what blocks write: nothing reserved, nothing that pages.
PLAIN_CR0 = PE | ET | NE | AM
SYSENTER_MSRS = (0x174, 0x175, 0x176, 0x12345)
PRIVILEGED = (
    *(b"\xfa", b"\xfb", b"\x0f\x06", b"\x0f\x08", b"\x0f\x09"),
    *(b"\x0f\x20\xc0", b"\x0f\x20\xd3", b"\x0f\x20\xdb", b"\x0f\x20\xe1", b"\x0f\x22\xd0"),
    *(b"\x0f\x20\xc8", b"\x0f\x22\xe8", b"\x0f\x22\xf8"),
    *(b"\x0f\x21\xf8", b"\x0f\x21\xf3", b"\x0f\x23\xd8", b"\x0f\x01\x38"),
)


def privileged(w: SystemWriter) -> None:
    """What level 0 alone may do."""
    kind = w.rng.randrange(10)
    if kind < 4:
        w.raw(w.rng.choice(PRIVILEGED))
        if w.bits(1):
            w.raw(w.rng.choice((b"\x9c\x58", b"\x90")))
    elif kind == 4:
        changed = w.bits(32) & (MP | EM | TS | NE | WP | AM)
        if w.bits(1):
            # What it was, XOR that, which leaves AF undefined.
            w.raw(b"\x0f\x20\xc0\x35", struct.pack("<I", changed), b"\x0f\x22\xc0\x0f\x20\xc3")
            w.raw(0x39, 0xC0)
        else:
            w.load(EAX, PLAIN_CR0 ^ changed)
            w.raw(b"\x0f\x01\xf0\x0f\x20\xc3")
    elif kind == 5:
        w.load(EAX, w.rng.choice((0, TSD, PSE, PGE, TSD | PSE | PGE)))
        w.raw(b"\x0f\x22\xe0\x0f\x20\xe3")
    elif kind == 6:
        # LLDT, LTR.
        w.load(EAX, w.rng.choice((w.any_selector(), w.rng.randrange(TASK, CONFORMING) << 3)))
        w.raw(b"\x0f\x00", 0xD0 | w.bits(1) << 3)
    elif kind == 7:
        # WRMSR of the one that the dispatcher loads, and of none; RDMSR of all.
        w.load(ECX, w.rng.choice(SYSENTER_MSRS))
        w.raw(0x0F, 0x32)
        w.load(ECX, w.rng.choice((SYSENTER_MSRS[0], SYSENTER_MSRS[-1])))
        w.load(EDX, 0)
        w.raw(0x0F, 0x30, 0x0F, 0x32)
    elif kind == 8:
        load_table(w)
    elif w.level:
        # HLT; at level 0 nothing would end it.
        w.raw(0xF4)


def load_table(w: SystemWriter) -> None:
    """LGDT, LIDT: the same tables with other limits."""
    target = w.target(8)
    which = w.bits(1)
    base = (GDT, IDT)[which]
    gates = 8 * IDT_ENTRIES - 1
    limits = (
        (8 * GDT_ENTRIES - 1, 8 * CONFORMING + w.bits(7)),
        (gates, 8 * FIRST_GATE - 1 + w.bits(8)),
    )
    w.store(target, w.rng.choice(limits[which]), 2)
    w.store(target + 2, base)
    operand = w.memory_in(None, target)
    prefix = w.rng.choice((b"", b"\x66"))
    w.raw(operand.prefixes, prefix, 0x0F, 0x01, operand.with_reg(2 + which))
    if w.bits(1):
        interrupt(w)


def store_table(w: SystemWriter) -> None:
    """SGDT, SIDT, SLDT, STR, SMSW, at any level."""
    kind = w.rng.randrange(5)
    operand = w.operand(8, memory=True if kind < 2 else None)
    opcode, reg = ((1, 0), (1, 1), (0, 0), (0, 1), (1, 4))[kind]
    w.raw(operand.prefixes, w.width(w.rng.choice((2, 4))), 0x0F, opcode, operand.with_reg(reg))


def flags(w: SystemWriter) -> None:
    """POPF, CLI, STI; what they changed is noted."""
    kind = w.bits(2)
    if kind < 2:
        size = w.rng.choice((2, 4))
        w.pushes(size, w.flags())
        w.raw(w.width(size), 0x9D)
    else:
        w.raw(0xFA | kind & 1)
    w.raw(0x9C, 0x58)


UNDEFINED = (
    b"\x0f\x0b",
    b"\x8e\xc8",
    b"\x8e\xf0",
    b"\xf0\x90",
    b"\xff\xff",
    b"\x66" * 15 + b"\x90",
)


def exceptions(w: SystemWriter) -> None:
    """A division, and what is no instruction."""
    if w.bits(1):
        w.load(EDX, 0)
        w.load(ECX, w.rng.choice((0, 0, 0x10000)))
        w.raw(0xF7, 0xF1, 0x39, 0xC0)
    else:
        w.raw(w.rng.choice(UNDEFINED))


def stack(w: SystemWriter) -> None:
    if w.level > 0 or w.rng.randrange(40) == 0:
        stack_at_limits(w)
    else:
        load_any(w)


IDIOMS: tuple[Idiom, ...] = (
    *(load_any, load_any, access, access, string, stack, stack, look, look, bound, unaligned),
    *(far, far, far, far, far_return, far_return, interrupt_return, interrupt_return),
    *(interrupt, interrupt, interrupt, sysenter, ports, ports, privileged, privileged),
    *(store_table, flags, exceptions),
)
