# SPDX-License-Identifier: Apache-2.0
"""The instructions of random streams, by chapters of the manual (SDM vol. 1, 7.2)."""

from __future__ import annotations

import struct
from collections.abc import Callable

from ia32_generator_x87 import floating_point
from ia32_writer import (
    AF,
    ALL,
    BASES,
    CF,
    CODE_SELECTOR,
    CONDITION_READS,
    DF,
    DS,
    EAX,
    EBP,
    EBX,
    ECX,
    EDI,
    EDX,
    ES,
    ESI,
    ESP,
    FS,
    GS,
    OF,
    OVERRIDE,
    PF,
    READ_ONLY_SELECTOR,
    SELECTORS,
    SF,
    SS,
    ZF,
    Writer,
    random_value,
)

Idiom = Callable[[Writer], None]


def lock(w: Writer, memory: bool) -> bytes:
    return b"\xf0" if memory and w.bits(3) == 0 else b""


# ---- arithmetic and logic -------------------------------------------------------------------


def arithmetic(w: Writer) -> None:
    op, size = w.bits(3), w.size()
    reads = CF if op in (2, 3) else 0
    undefines = AF if op in (1, 4, 6) else 0
    kind = w.bits(2)
    wide = int(size > 1)
    flags: dict[str, int] = {"reads": reads, "defines": ALL, "undefines": undefines}
    if kind == 0:
        w.insn(w.width(size), op << 3 | 4 | wide, w.constant(size), **flags)
        return
    changes = kind != 2 and op != 7
    operand = w.operand(size, changes=changes)
    prefixes = operand.prefixes + w.width(size)
    locked = lock(w, operand.memory and op != 7)
    if kind == 2:
        w.insn(prefixes, op << 3 | 2 | wide, operand.with_reg(w.bits(3)), **flags)
        return
    flags["changes"] = changes and operand.memory
    if kind == 1:
        reg = operand.with_reg(w.bits(3))
        w.insn(locked, prefixes, op << 3 | wide, reg, **flags)
    elif wide and w.bits(1):
        w.insn(locked, prefixes, 0x83, operand.with_reg(op), w.constant(1), **flags)
    else:
        opcode = 0x81 if wide else w.rng.choice((0x80, 0x82))
        if opcode == 0x82:
            locked = b""
        w.insn(locked, prefixes, opcode, operand.with_reg(op), w.constant(size), **flags)


def test(w: Writer) -> None:
    size = w.size()
    wide = int(size > 1)
    kind = w.rng.randrange(3)
    if kind == 0:
        w.insn(w.width(size), 0xA8 | wide, w.constant(size), defines=ALL, undefines=AF)
        return
    operand = w.operand(size, read_only=True)
    prefixes = operand.prefixes + w.width(size)
    if kind == 1:
        reg = operand.with_reg(w.bits(3))
        w.insn(prefixes, 0x84 | wide, reg, defines=ALL, undefines=AF)
    else:
        # With 1 in the field it is TEST, too, but not in Unicorn.
        reg = operand.with_reg(0)
        w.insn(prefixes, 0xF6 | wide, reg, w.constant(size), defines=ALL, undefines=AF)


def unary(w: Writer) -> None:
    size = w.size()
    wide = int(size > 1)
    kind = w.rng.randrange(5)
    if kind == 0:
        # The short forms of INC and DEC.
        size = w.rng.choice((2, 4))
        w.insn(w.width(size), 0x40 | w.bits(4), defines=ALL & ~CF)
        return
    operand = w.operand(size, changes=True)
    # Of LOCK NEG Unicorn gets the flags wrong.
    locked = lock(w, operand.memory and kind < 4)
    prefixes = locked + operand.prefixes + w.width(size)
    opcode, op, defines = (
        (0xFE, 0, ALL & ~CF),
        (0xFE, 1, ALL & ~CF),
        (0xF6, 2, 0),
        (0xF6, 3, ALL),
    )[kind - 1]
    reg = operand.with_reg(op)
    w.insn(prefixes, opcode | wide, reg, defines=defines, changes=operand.memory)


def multiply(w: Writer) -> None:
    kind = w.rng.randrange(5)
    rest = SF | ZF | AF | PF
    if kind < 2:
        size = w.size()
        operand = w.operand(size, read_only=True)
        prefixes = operand.prefixes + w.width(size)
        reg = operand.with_reg(4 + kind)
        w.insn(prefixes, 0xF6 | int(size > 1), reg, defines=ALL, undefines=rest)
        return
    size = w.rng.choice((2, 4))
    operand = w.operand(size, read_only=True)
    prefixes, reg = operand.prefixes + w.width(size), operand.with_reg(w.bits(3))
    if kind == 2:
        w.insn(prefixes, 0x0F, 0xAF, reg, defines=ALL, undefines=rest)
    elif kind == 3:
        w.insn(prefixes, 0x69, reg, w.constant(size), defines=ALL, undefines=rest)
    else:
        w.insn(prefixes, 0x6B, reg, w.constant(1), defines=ALL, undefines=rest)


def divide(w: Writer) -> None:
    """DIV and IDIV: seldom with a quotient that does not fit."""
    size = w.size()
    signed = w.bits(1)
    wide = int(size > 1)
    memory = bool(w.bits(1))
    divisor = random_value(w.rng) if w.bits(4) == 0 else (random_value(w.rng) | 1) << 1 | 1
    if memory:
        target = w.target(4)
        w.raw(0xC7, 0x05, struct.pack("<2I", target, divisor & 0xFFFFFFFF))
        operand = w.memory_at(target, (EAX, EDX))
    else:
        register = w.rng.choice((ECX, EBX, EBP, ESI, EDI)) if size > 1 else ECX
        w.load(register, divisor)
        operand = w.register_operand(register)
    high = w.rng.choice((0, 0, 0, 0xFFFFFFFF)) if signed else 0
    if w.bits(4) == 0:
        high = w.bits(32)
    w.load(EDX, high)
    low = w.bits(32) >> w.rng.choice((0, 1, 8, 20))
    w.load(EAX, low & 0xFFFF00FF | (high & 0xFF) << 8 if size == 1 else low)
    reg = operand.with_reg(6 + signed)
    start = w.here()
    w.insn(operand.prefixes, w.width(size), 0xF6 | wide, reg, undefines=ALL)
    if w.rights:
        # Of its fault, too.
        w.undefined_at[start] = ALL


def decimal(w: Writer) -> None:
    kind = w.rng.randrange(6)
    if kind < 2:
        w.insn((0x27, 0x2F)[kind], reads=CF | AF, defines=ALL, undefines=OF)
    elif kind < 4:
        w.insn((0x37, 0x3F)[kind - 2], reads=AF, defines=ALL, undefines=OF | SF | ZF | PF)
    else:
        base = w.rng.choice((10, 10, 16, 1, w.bits(8)))
        flags = {"defines": ALL, "undefines": OF | AF | CF}
        start = w.here()
        w.insn((0xD4, 0xD5)[kind - 4], base, **flags)
        if w.rights and base == 0:
            w.undefined_at[start] = ALL


# ---- shifts, bits ---------------------------------------------------------------------------


def shift(w: Writer) -> None:
    op, size = w.bits(3), w.size()
    if op == 6 and w.rights:
        # A second SHL, but not in every manual.
        op = 4
    kind = w.rng.randrange(3)
    wide = int(size > 1)
    operand = w.operand(size, keep=(ECX,), changes=True)
    changes = operand.memory
    prefixes = operand.prefixes + w.width(size)
    count: int | None
    if kind == 0:
        count, tail, opcode = 1, b"", 0xD0
    elif kind == 1:
        count = w.bits(8) if w.bits(3) == 0 else w.bits(5)
        tail, opcode = bytes([count]), 0xC0
    else:
        count, tail, opcode = None, b"", 0xD2
    rotates = op < 4
    reads = CF if op in (2, 3) else 0
    parts = (prefixes, opcode | wide, operand.with_reg(op), tail)
    if count is not None:
        count &= 31
        if count == 0:
            w.insn(*parts, changes=changes)
            return
        over = 0 if count == 1 else OF
        if rotates:
            w.insn(*parts, reads=reads, defines=CF | OF, undefines=over, changes=changes)
        else:
            carry = CF if count >= 8 * size and op != 7 else 0
            w.insn(*parts, defines=ALL, undefines=AF | over | carry, changes=changes)
        return
    # By CL, which may be 0: what was undefined stays so.
    if rotates:
        w.insn(*parts, reads=reads, undefines=OF, changes=changes)
    else:
        carry = CF if size < 4 and op != 7 else 0
        w.insn(*parts, undefines=AF | OF | carry, changes=changes)


def double_shift(w: Writer) -> None:
    size = w.rng.choice((2, 4))
    # Beyond the operand all is undefined.
    count = w.rng.randrange(8 * size + 1) & 31
    by_cl = w.bits(1)
    if by_cl:
        operand = w.operand(size, keep=(ECX,), changes=True)
        w.raw(0xB1, count | w.bits(3) << 5)
    else:
        operand = w.operand(size, changes=True)
    opcode = w.rng.choice((0xA4, 0xAC)) | by_cl
    tail = b"" if by_cl else bytes([count | w.bits(3) << 5])
    reg = operand.with_reg(w.bits(3))
    parts = (operand.prefixes, w.width(size), 0x0F, opcode, reg, tail)
    if count == 0:
        w.insn(*parts, changes=operand.memory)
    else:
        over = 0 if count == 1 else OF
        w.insn(*parts, defines=ALL, undefines=AF | over, changes=operand.memory)


def bit_test(w: Writer) -> None:
    size = w.rng.choice((2, 4))
    op = w.bits(2)
    rest = OF | SF | AF | PF
    flags: dict[str, int] = {"defines": CF, "undefines": rest}
    if w.bits(1):
        operand = w.operand(size, changes=True)
        flags["changes"] = operand.memory and op > 0
        locked = lock(w, operand.memory and op > 0)
        parts = (locked, operand.prefixes, w.width(size), 0x0F, 0xBA)
        w.insn(*parts, operand.with_reg(4 + op), w.constant(1), **flags)
        return
    opcode = (0xA3, 0xAB, 0xB3, 0xBB)[op]
    if w.bits(1):
        operand = w.register_operand()
        w.insn(w.width(size), 0x0F, opcode, operand.with_reg(w.bits(3)), **flags)
        return
    # A bit string: the number reaches up and down from the operand.
    number = w.rng.randrange(-256, 256)
    register = w.bits(3)
    target = w.target(4, aligned=True)
    flags["changes"] = op > 0
    start = target - (number >> (4 if size == 2 else 5)) * size
    window = next(x for x in w.windows if x.start <= target < x.start + x.size)
    if not window.start + 64 < target < window.start + window.size - 64:
        return
    operand = w.memory_at(start, (register,))
    w.load(register, number)
    locked = lock(w, op > 0)
    parts = (locked, operand.prefixes, w.width(size), 0x0F, opcode)
    w.insn(*parts, operand.with_reg(register), **flags)


def bit_scan(w: Writer) -> None:
    size = w.rng.choice((2, 4))
    operand = w.operand(size, read_only=True)
    # With F3 it is TZCNT on later processors, as a host is; but not in what Unicorn is given.
    repeated = not operand.memory and not w.rights
    repeat = w.rng.choice((b"", b"", b"\xf3")) if repeated else b""
    parts = (repeat, operand.prefixes, w.width(size), 0x0F, w.rng.choice((0xBC, 0xBD)))
    if repeat:
        parts = (*parts[:-1], 0xBC)
    destination = w.bits(3)
    w.insn(*parts, operand.with_reg(destination), defines=ZF, undefines=ALL & ~ZF)
    if w.rights:
        # CMOVZ: of zero the destination is undefined.
        w.insn(0x0F, 0x44, 0xC0 | destination << 3 | destination ^ 1, reads=ZF)


def conditional(w: Writer) -> None:
    condition = w.bits(4)
    reads = CONDITION_READS[condition >> 1]
    if reads & w.undefined:
        w.define()
    if w.bits(1):
        operand = w.operand(1)
        reg = operand.with_reg(w.bits(3))
        w.insn(operand.prefixes, 0x0F, 0x90 | condition, reg, reads=reads)
    else:
        size = w.rng.choice((2, 4))
        operand = w.operand(size)
        reg = operand.with_reg(w.bits(3))
        parts = (operand.prefixes, w.width(size), 0x0F, 0x40 | condition)
        w.insn(*parts, reg, reads=reads)


# ---- moves ----------------------------------------------------------------------------------


def move(w: Writer) -> None:
    size = w.size()
    wide = int(size > 1)
    kind = w.rng.randrange(5)
    if kind == 0:
        opcode = 0xB0 | wide << 3 | w.bits(3)
        w.insn(w.width(size), opcode, w.constant(size))
        return
    if kind == 1:
        seg = w.rng.choice((None, ES, SS, FS, GS))
        offset = (w.target(size) - BASES[DS if seg is None else seg]) & 0xFFFFFFFF
        prefix = b"" if seg is None else bytes([OVERRIDE[seg]])
        if offset < 0x10000 and w.bits(1):
            place, prefix = struct.pack("<H", offset), prefix + b"\x67"
        else:
            place = struct.pack("<I", offset)
        w.insn(prefix, w.width(size), 0xA0 | w.bits(1) << 1 | wide, place)
        return
    operand = w.operand(size)
    prefixes = operand.prefixes + w.width(size)
    if kind == 2:
        w.insn(prefixes, 0xC6 | wide, operand.with_reg(0), w.constant(size))
    else:
        opcode = 0x88 | w.bits(1) << 1 | wide
        w.insn(prefixes, opcode, operand.with_reg(w.bits(3)))


def extend(w: Writer) -> None:
    kind = w.rng.randrange(3)
    size = w.rng.choice((2, 4))
    if kind == 0:
        w.insn(w.width(size), 0x98 | w.bits(1))
        return
    wide = w.bits(1)
    operand = w.operand(1 + wide, read_only=True)
    opcode = (0xB6, 0xBE)[kind - 1] | wide
    w.insn(operand.prefixes, w.width(size), 0x0F, opcode, operand.with_reg(w.bits(3)))


def address(w: Writer) -> None:
    size = w.rng.choice((2, 4))
    if w.bits(1):
        operand = w.operand(4, memory=True)
        w.insn(operand.prefixes, w.width(size), 0x8D, operand.with_reg(w.bits(3)))
        return
    # Of registers as they are: nothing is accessed.
    mode = w.bits(2) % 3
    rm = w.rng.choice([r for r in range(8) if r != ESP and not (mode == 0 and r == EBP)])
    rest = w.rng.randbytes((0, 1, 4)[mode])
    w.insn(w.width(size), 0x8D, mode << 6 | w.bits(3) << 3 | rm, rest)


def exchange(w: Writer) -> None:
    kind = w.rng.randrange(5)
    size = w.size()
    wide = int(size > 1)
    if kind == 0:
        size = w.rng.choice((2, 4))
        w.insn(w.width(size), 0x90 | w.bits(3))
        return
    if kind == 1:
        w.insn(0x0F, 0xC8 | w.bits(3))
        return
    operand = w.operand(size, changes=True)
    changes = operand.memory
    locked = lock(w, operand.memory)
    prefixes, reg = operand.prefixes + w.width(size), operand.with_reg(w.bits(3))
    if kind == 2:
        w.insn(locked, prefixes, 0x86 | wide, reg, changes=changes)
    elif kind == 3:
        w.insn(locked, prefixes, 0x0F, 0xC0 | wide, reg, defines=ALL, changes=changes)
    else:
        w.insn(locked, prefixes, 0x0F, 0xB0 | wide, reg, defines=ALL, changes=changes)


def compare_exchange_8(w: Writer) -> None:
    target = w.target(8, aligned=True)
    equal = w.bits(1)
    if equal:
        values = (w.bits(32), w.bits(32))
        w.raw(0xC7, 0x05, struct.pack("<2I", target, values[0]))
        w.raw(0xC7, 0x05, struct.pack("<2I", target + 4, values[1]))
    operand = w.memory_at(target, (EAX, EDX) if equal else ())
    if equal:
        w.load(EAX, values[0])
        w.load(EDX, values[1])
    parts = (lock(w, True), operand.prefixes, 0x0F, 0xC7, operand.with_reg(1))
    w.insn(*parts, changes=True)
    # In EFLAGS, of which only ZF is to change, Unicorn leaves what comes about.
    w.define()


def translate(w: Writer) -> None:
    al = w.bits(8)
    seg = w.rng.choice((None, FS, GS, SS))
    base = w.target(1) - al - BASES[DS if seg is None else seg]
    prefix = b"" if seg is None else bytes([OVERRIDE[seg]])
    w.load(EBX, base)
    w.raw(0xB0, al)
    w.insn(prefix, 0xD7)


# ---- flags ----------------------------------------------------------------------------------


def flags(w: Writer) -> None:
    kind = w.rng.randrange(7)
    if kind == 0:
        w.insn(0x9F, reads=ALL & ~OF)
    elif kind == 1:
        w.insn(0x9E, defines=ALL & ~OF)
    elif kind == 2:
        w.insn(w.rng.choice((0xF8, 0xF9)), defines=CF)
    elif kind == 3:
        w.insn(0xF5, reads=CF)
    elif kind == 4:
        w.insn(w.rng.choice((0xFC, 0xFD)))
    elif kind == 5:
        # SALC; not every manual has it.
        w.insn(0xF5 if w.rights else 0xD6, reads=CF)
    else:
        w.load(ESP, w.inside())
        if w.bits(1):
            size = w.rng.choice((2, 4))
            w.insn(w.width(size), 0x9C, reads=ALL)
        else:
            # AC and ID can be changed, too; TF and NT stay clear.
            image = w.bits(32) & (ALL | DF | (0 if w.paged else 0x240200))
            w.raw(0x68, struct.pack("<I", image))
            w.insn(0x9D, defines=ALL)


# ---- the stack ------------------------------------------------------------------------------


def stack(w: Writer) -> None:
    size = w.rng.choice((2, 4, 4))
    kind = w.rng.randrange(9)
    if w.paged and kind == 4:
        # A fault in the middle finds registers or memory half-way, in other orders.
        return
    esp = w.inside() & (-4 if w.bits(2) else -1)
    prefix = w.width(size)
    if kind == 0:
        w.load(ESP, esp)
        w.insn(prefix, 0x50 | w.bits(4))
        return
    if kind == 1:
        w.load(ESP, esp)
        if w.bits(1):
            w.insn(prefix, 0x68, w.constant(size))
        else:
            w.insn(prefix, 0x6A, w.constant(1))
        return
    if kind == 2:
        operand = w.operand(size, keep=(ESP,))
        w.load(ESP, esp)
        w.insn(operand.prefixes, prefix, 0xFF, operand.with_reg(6))
        return
    if kind == 3:
        operand = w.operand(size, keep=(ESP,))
        w.load(ESP, esp)
        w.insn(operand.prefixes, prefix, 0x8F, operand.with_reg(0))
        return
    w.load(ESP, esp)
    if kind == 4:
        w.insn(prefix, w.rng.choice((0x60, 0x61)))
    elif kind == 5:
        # Aligned as the stack is, so that a check of it fails before anything is written.
        w.load(EBP, w.inside() & -4 | esp & 3)
        level = w.rng.choice((0, 0, 1, 2, 5))
        # Unicorn does not look whether the new top can be written.
        size_of_frame = 0 if w.paged else w.bits(6)
        # With 16 bits hosts and the Pentium 4 differ (docs/machine-p4.md).
        prefix = b"" if w.rights else prefix
        w.insn(prefix, 0xC8, struct.pack("<H", size_of_frame), level)
    elif kind == 6:
        w.load(EBP, esp)
        w.insn(prefix, 0xC9)
    elif kind == 7:
        for _ in range(1 + w.bits(2)):
            w.insn(w.width(w.rng.choice((2, 4))), 0x50 | w.bits(3))
        w.insn(prefix, 0x58 | w.bits(3))
    else:
        # push [esp + n], pop [esp + n]
        displacement = w.bits(6)
        form = w.rng.choice(((0xFF, 6), (0x8F, 0)))
        w.insn(prefix, form[0], 0x44 | form[1] << 3, 0x24, displacement)


def segments(w: Writer) -> None:
    kind = w.rng.randrange(6)
    seg = w.rng.choice((ES, DS, FS, GS))
    selector = SELECTORS[seg] | w.rights
    if kind == 0:
        w.load(EAX, selector | w.bits(16) << 16)
        w.insn(0x8E, 0xC0 | seg << 3)
    elif kind == 1:
        operand = w.operand(2)
        size = 2 if operand.memory else w.rng.choice((2, 4))
        seg = w.rng.choice((ES, 1, SS, DS, FS, GS))
        w.insn(operand.prefixes, w.width(size), 0x8C, operand.with_reg(seg))
    elif kind == 2:
        size = w.rng.choice((2, 4))
        push = {ES: b"\x06", 1: b"\x0e", SS: b"\x16", DS: b"\x1e", FS: b"\x0f\xa0", GS: b"\x0f\xa8"}
        pop = {ES: b"\x07", DS: b"\x1f", FS: b"\x0f\xa1", GS: b"\x0f\xa9"}
        w.load(ESP, w.inside())
        if size == 4:
            w.prepare_selector()
        w.insn(w.width(size), push[seg])
        if size == 4:
            w.settle_selector()
        w.insn(w.width(size), pop[seg])
    elif kind == 3:
        # A far pointer to be loaded.
        target = w.target(8)
        size = w.rng.choice((2, 4))
        w.raw(0x66, 0xC7, 0x05, struct.pack("<IH", target + size, selector))
        opcode = {ES: b"\xc4", DS: b"\xc5", FS: b"\x0f\xb4", GS: b"\x0f\xb5"}[seg]
        operand = w.memory_at(target)
        w.insn(operand.prefixes, w.width(size), opcode, operand.with_reg(w.bits(3)))
    elif kind == 4:
        chosen = w.rng.choice((0, CODE_SELECTOR, 0x10, READ_ONLY_SELECTOR, 0x13, 0x1F8))
        w.load(EAX, chosen | w.rights if chosen else 0)
        insns = [b"\x0f\x00\xe0", b"\x0f\x00\xe8", b"\x0f\x03\xd0"]
        if not w.rights:
            # LAR: what the manual leaves undefined of it differs on the host.
            insns.append(b"\x0f\x02\xd0")
        w.insn(w.rng.choice(insns), defines=ZF)
    else:
        # ARPL: Unicorn writes memory also where the selector stays.
        operand = w.operand(2, memory=False if w.paged else None)
        w.insn(operand.prefixes, 0x63, operand.with_reg(w.bits(3)), defines=ZF)


# ---- strings --------------------------------------------------------------------------------


def string(w: Writer) -> None:
    size = w.size()
    op = w.rng.choice((0xA4, 0xA6, 0xAA, 0xAC, 0xAE))
    if w.paged and op == 0xA6:
        # Which of its operands is read first, and so faults, nothing says.
        op = 0xAE
    compares = op in (0xA6, 0xAE)
    repeat = w.rng.choice((0, 0xF3, 0xF3, 0xF2))
    if repeat == 0xF2 and w.rights and not compares:
        # Reserved.
        repeat = 0xF3
    count = w.rng.choice((0, 1, w.bits(4), w.bits(5))) if repeat else 1
    down = w.bits(1)
    short = w.bits(2) == 0
    seg = w.rng.choice((None, None, FS, GS, ES))
    span = count * size + 4
    places = []
    for base in (BASES[DS if seg is None else seg], 0):
        start = w.target(span)
        start = start + span - size - 4 if down else start
        places.append((start - base) & 0xFFFFFFFF)
    short = short and all(span < place < 0x10000 - span for place in places)
    upper = w.bits(16) << 16 if short else 0
    w.load(ESI, places[0] | upper)
    w.load(EDI, places[1] | upper)
    w.load(ECX, count | upper)
    w.raw(0xFD if down else 0xFC)
    parts = (
        b"\x67" if short else b"",
        bytes([repeat]) if repeat else b"",
        b"" if seg is None else bytes([OVERRIDE[seg]]),
        w.width(size),
        op | int(size > 1),
    )
    if compares and (repeat == 0 or count > 0):
        w.insn(*parts, defines=ALL)
    else:
        w.insn(*parts)


# ---- transfers ------------------------------------------------------------------------------


def few(w: Writer) -> None:
    for _ in range(1 + w.bits(1)):
        w.rng.choice(PLAIN)(w)


def jump(w: Writer) -> None:
    kind = w.rng.randrange(8)
    if kind < 3:
        condition = w.bits(4)
        reads = CONDITION_READS[condition >> 1]
        wide = bool(w.bits(1))
        opcode = bytes([0x0F, 0x80 | condition]) if wide else bytes([0x70 | condition])
        there = w.forward(opcode, wide, reads)
        few_short(w)
        w.land(there, wide)
    elif kind == 3:
        wide = bool(w.bits(1))
        there = w.forward(b"\xe9" if wide else b"\xeb", wide)
        few_short(w)
        w.land(there, wide)
    elif kind == 4:
        w.load(ECX, w.rng.choice((0, 1, 2, 0x10000)))
        opcode, reads = w.rng.choice(((0xE0, ZF), (0xE1, ZF), (0xE2, 0), (0xE3, 0)))
        prefix = w.rng.choice((b"", b"\x67"))
        there = w.forward(prefix + bytes([opcode]), False, reads)
        if reads:
            # After LOOPE and LOOPNE Unicorn takes older flags.
            w.undefined = ALL
            there = (there[0], ALL)
        few_short(w)
        w.land(there, False)
    elif kind == 5:
        # Through a register or memory, over a few bytes.
        skip = 1 + w.bits(3)
        register = w.rng.choice((EAX, EDX, EBX))
        if w.bits(1):
            w.load(register, w.here() + 5 + 2 + skip)
            w.insn(0xFF, 0xE0 | register)
        else:
            target = w.target(4)
            w.raw(0xC7, 0x05, struct.pack("<2I", target, w.here() + 10 + 6 + skip))
            w.insn(0xFF, 0x25, struct.pack("<I", target))
        w.raw(b"\x90" * skip)
    elif kind == 6:
        call(w)
    else:
        far(w)


def few_short(w: Writer) -> None:
    """Some that fit into a short jump."""
    for _ in range(1 + w.bits(1)):
        w.rng.choice(SHORT)(w)


def call(w: Writer) -> None:
    """CALL to what follows, RET to there."""
    w.load(ESP, w.inside())
    drop = w.bits(3)
    kind = w.bits(1)
    if kind:
        # call over the return: back: jmp on; there: ret
        w.insn(0xE8, struct.pack("<I", 2))
        w.raw(0xEB, 1 if not drop else 3)
        w.insn(0xC3) if not drop else w.insn(0xC2, struct.pack("<H", drop))
    else:
        w.load(EBX, w.here() + 5 + 2 + 2)
        w.insn(0xFF, 0xD3)
        w.raw(0xEB, 1)
        w.insn(0xC3)


def far(w: Writer) -> None:
    """Far transfers within the level."""
    kind = w.rng.randrange(3)
    code = CODE_SELECTOR | w.rights
    if w.paged and kind == 1:
        # Unicorn pushes and pops with the rights of level 0.
        kind = 0
    if kind == 0:
        w.insn(0xEA, struct.pack("<IH", w.here() + 7, code))
    elif kind == 1:
        w.load(ESP, w.inside())
        w.prepare_selector()
        w.insn(0x9A, struct.pack("<IH", w.here() + 7 + 2, code))
        w.raw(0xEB, 1)
        w.insn(0xCB)
        # The word of CS, below the stack pointer by now.
        w.insn(0x8D, 0x64, 0x24, 0xFC)
        w.settle_selector()
    else:
        target = w.target(8)
        w.raw(0x66, 0xC7, 0x05, struct.pack("<IH", target + 4, code))
        w.raw(0xC7, 0x05, struct.pack("<2I", target, w.here() + 10 + 6))
        w.insn(0xFF, 0x2D, struct.pack("<I", target))


def nothing(w: Writer) -> None:
    """NOP with and without operands."""
    if w.bits(1):
        w.insn(w.rng.choice((b"\x90", b"\xf3\x90", b"\x66\x90")))
    else:
        operand = w.operand(4)
        w.insn(operand.prefixes, 0x0F, 0x1F, operand.with_reg(0))


SHORT: tuple[Idiom, ...] = (arithmetic, test, unary, shift, conditional, move, extend, bit_scan)
# By weight.
PLAIN: tuple[Idiom, ...] = (
    *(arithmetic,) * 6,
    *(test, test, unary, unary, multiply, multiply, divide, decimal),
    *(shift,) * 4,
    *(double_shift, double_shift, bit_test, bit_test, bit_scan, conditional, conditional),
    *(move, move, extend, extend, address, exchange, exchange, compare_exchange_8, translate),
    *(flags, flags, stack, stack, stack, segments, string, string, nothing),
)
INTEGER: tuple[Idiom, ...] = (*PLAIN, *(jump,) * 4)
EVERY: tuple[Idiom, ...] = (*INTEGER, *(floating_point,) * 2)
