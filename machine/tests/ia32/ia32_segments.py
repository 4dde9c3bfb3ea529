# SPDX-License-Identifier: Apache-2.0
"""Streams at level 3 among random segments, for the host's processor: what is loaded, accessed at
its limits, called and returned to.

Code is in blocks of `STRIDE` bytes. Each begins with flat segments, notes all registers in memory,
and then has an idiom that may fault; a fault goes on at the next block. No flags are undefined.
What manuals leave open (ia32_freedoms.py) is overwritten: after the instruction, or, where that
has failed, at the beginning of the next block.
"""

from __future__ import annotations

import random
import struct
from dataclasses import dataclass

from ia32_streams import GDT, IF, INT3, LIMIT, USER, USER_CR0, descriptor, descriptors
from ia32_vectors import Case
from ia32_writer import (
    ALL,
    CODE_SELECTOR,
    CS,
    DATA_SELECTOR,
    DF,
    DS,
    EAX,
    EBP,
    ECX,
    EDI,
    EDX,
    ES,
    ESI,
    ESP,
    FS,
    GS,
    SELECTORS,
    SS,
    Window,
    Writer,
    random_value,
)

STRIDE = 0x80
BLOCKS = 29
STREAMS = 13
STATES = 4
# Low, so that operands of 16 bits reach it.
CODE = 0x2000
ROOM = 0x1000
# Where all segments of data lie, and the start of it, where registers are noted; the last byte of
# that says that an instruction has begun that may write below the stack pointer and then fail.
DATA = 0x200000
DATA_BYTES = 0x4000
NOTES = 0x600
NOTE = 40
PUSHING = DATA + NOTES - 1
# Of a line of the cache, the smallest that a host has.
LINE = 64
CONSTANTS = 0x1800
ENTRIES = 32
FIRST_RANDOM = 8
CODE_LIMITED = (24, 25, 26, 27)
CODE_ONLY, CODE_ABSENT, NOTHING = 28, 29, 30
AC = 1 << 18
JUMP = 5
# The type field: writable, expands down or conforms, code.
WRITABLE, DOWN, IS_CODE = 2, 4, 8


@dataclass(frozen=True)
class Described:
    """A descriptor, and offsets at its edges. Whatever can be accessed near them is in `DATA`."""

    number: int
    kind: int
    present: bool
    big: bool
    edges: tuple[int, ...]
    encoded: bytes
    level: int = 3

    def linear(self, offset: int) -> int:
        """The linear address of an offset."""
        e = self.encoded
        return (int.from_bytes(e[2:5] + e[7:8], "little") + offset) & 0xFFFFFFFF

    def below(self, pointer: int, count: int) -> list[tuple[int, int]]:
        """Of the bytes below a stack pointer those that are in the segment: linear addresses and
        lengths."""
        last, down = self.edges[0], self.kind & (IS_CODE | DOWN) == DOWN
        places = (pointer - n & (0xFFFFFFFF if self.big else 0xFFFF) for n in range(count, 0, -1))
        runs: list[tuple[int, int]] = []
        for offset in places:
            if (offset > last) != down:
                continue
            at = self.linear(offset)
            if runs and at == sum(runs[-1]):
                runs[-1] = runs[-1][0], runs[-1][1] + 1
            else:
                runs.append((at, 1))
        return runs


def random_segment(rng: random.Random, number: int) -> Described:
    kind = rng.choice((0, 2, 2, 2, 2, 4, 6, 6, 6, 8, 10))
    present = rng.randrange(8) > 0
    big = bool(rng.getrandbits(1))
    pages = rng.getrandbits(2) == 0
    first, size = DATA + NOTES, DATA_BYTES - NOTES
    if kind & (IS_CODE | DOWN) == DOWN and big:
        # To the end of 4 GB and round: the last bytes lie before its base.
        limit = 0 if pages else rng.randrange(0xE00)
        base = first + 0x10 + rng.randrange(0x1000)
        edges = [limit << 12 | 0xFFF if pages else limit, 0xFFFFFFFF]
    elif kind & (IS_CODE | DOWN) == DOWN:
        limit = rng.choice((0xE, 0xF)) if pages else 0xFFFF - rng.randrange(0x1000)
        base = DATA + DATA_BYTES - 0x10000 - rng.randrange(0x1000)
        edges = [limit << 12 | 0xFFF if pages else limit, 0xFFFF]
    else:
        limit = (
            rng.getrandbits(1) if pages else rng.choice((rng.randrange(64), rng.getrandbits(12)))
        )
        base = first + rng.randrange(size - 0x2010)
        edges = [limit << 12 | 0xFFF if pages else limit, 0]
    if kind == 8 and not present:
        kind |= rng.choice((0, 4))
    access = 0x71 | kind | present << 7
    flags = pages << 3 | big << 2 | rng.getrandbits(1)
    encoded = descriptor(base, limit, access, flags)
    return Described(number, kind, present, big, tuple(edges), encoded)


class SegmentWriter(Writer):
    """One that knows the table."""

    rights = USER
    # Segment registers that idioms load.
    loaded: tuple[int, ...] = (ES, SS, DS, FS, GS)
    # Whether the other processor restores the flags where one of them faults half-way.
    repeats_comparisons = True

    def __init__(self, rng: random.Random, address: int, table: list[Described]) -> None:
        window = Window(DATA + NOTES, DATA_BYTES - NOTES)
        super().__init__(rng, address, [window])
        self.table = table
        self.undefined = 0
        self.limits: dict[int, int] = {}
        # What an instruction of this block may have written and then failed.
        self.written: list[tuple[int, int]] = []
        # Whether it repeats a comparison, which may fail half-way.
        self.compared = False

    def near(self, segment: Described) -> int:
        """An offset at an edge, or a bit inside."""
        edge = self.rng.choice(segment.edges)
        return (edge + self.rng.randrange(-12, 8)) & 0xFFFFFFFF

    def selector(self, segment: Described) -> int:
        """One that names it."""
        return segment.number << 3 | self.rights

    def fits(self, segment: Described, stack: bool) -> bool:
        """Whether it can be loaded, into SS for a `stack`."""
        return segment.present and (not stack or segment.kind & (IS_CODE | WRITABLE) == WRITABLE)

    def any_selector(self) -> int:
        """Of any segment, of none, beyond the table; with any level."""
        number = self.rng.choice((self.rng.randrange(ENTRIES), self.rng.randrange(ENTRIES + 4)))
        return number << 3 | LOCAL_TABLE | self.bits(2)

    def destination(self) -> int:
        """A general register to be loaded."""
        return self.bits(3)

    def push_constant(self, value: int) -> None:
        self.raw(0x68, struct.pack("<I", value & 0xFFFFFFFF))

    def push_segment(self, size: int, push: bytes) -> None:
        """PUSH of a segment register."""
        if size == 2:
            self.raw(self.width(2), push)
            return
        self.prepare_selector()
        self.raw(push)
        self.settle_selector()
        self.define()

    def pushing(self, written: list[tuple[int, int]]) -> None:
        """Before an instruction that may write these and then fail."""
        if written:
            self.written += written
            self.raw(0xC6, 0x05, struct.pack("<IB", PUSHING, 1))

    def pushed(self) -> None:
        """It has not failed."""
        if self.written:
            self.raw(0xC6, 0x05, struct.pack("<IB", PUSHING, 0))

    def settle_written(self) -> None:
        """At the beginning of a block, in flat segments: if the last one's has failed, what it may
        have written gets a value."""
        if not self.written:
            return
        fills = b"".join(
            b"\xbf" + struct.pack("<I", at) + b"\xb9" + struct.pack("<I", n) + b"\xf3\xaa"
            for at, n in self.written
        )
        fills = b"\xfc\xb0" + self.rng.randbytes(1) + fills
        self.raw(0x80, 0x3D, struct.pack("<IB", PUSHING, 0), 0x74, len(fills), fills)
        self.pushed()
        self.written = []

    def store(self, address: int, value: int, size: int = 4) -> None:
        """Into DS, which is flat."""
        if size == 2:
            self.raw(0x66, 0xC7, 0x05, struct.pack("<IH", address, value & 0xFFFF))
        else:
            self.raw(0xC7, 0x05, struct.pack("<2I", address, value & 0xFFFFFFFF))


LOCAL_TABLE = USER & 4
POP_SEGMENT = {ES: b"\x07", SS: b"\x17", DS: b"\x1f", FS: b"\x0f\xa1", GS: b"\x0f\xa9"}
PUSH_SEGMENT = {
    ES: b"\x06",
    CS: b"\x0e",
    SS: b"\x16",
    DS: b"\x1e",
    FS: b"\x0f\xa0",
    GS: b"\x0f\xa8",
}
LOAD_POINTER = {ES: b"\xc4", DS: b"\xc5", SS: b"\x0f\xb2", FS: b"\x0f\xb4", GS: b"\x0f\xb5"}


def load_register(w: SegmentWriter, seg: int, selector: int) -> None:
    """In one of the ways there are."""
    kind = w.rng.randrange(4)
    if kind == 0:
        w.load(EAX, selector | w.bits(16) << 16)
        w.raw(0x8E, 0xC0 | seg << 3)
    elif kind == 1:
        target = w.target(4)
        w.store(target, selector, 2)
        operand = w.memory_in(None, target)
        w.raw(operand.prefixes, 0x8E, operand.with_reg(seg))
    elif kind == 2:
        w.load(ESP, w.inside())
        w.push_constant(w.bits(16) << 16 | selector)
        w.raw(w.width(w.rng.choice((2, 4, 4))), POP_SEGMENT[seg])
    else:
        target = w.target(8)
        size = w.rng.choice((2, 4))
        w.store(target, w.bits(32))
        w.store(target + size, selector, 2)
        operand = w.memory_in(None, target)
        register = w.destination()
        w.raw(operand.prefixes, w.width(size), LOAD_POINTER[seg], operand.with_reg(register))


def load_any(w: SegmentWriter) -> None:
    """Any selector into any register; a null one has level 0, since a nonzero one may become 0 when
    the host is interrupted."""
    seg = w.rng.choice(w.loaded)
    selector = 0 if w.bits(3) == 0 else w.any_selector()
    load_register(w, seg, selector)
    if w.bits(1) and seg != SS:
        operand = w.memory_in(seg, w.bits(4))
        w.raw(operand.prefixes, 0x8A, operand.with_reg(0))


def chosen(w: SegmentWriter, stack: bool = False) -> Described:
    """A segment to be used: one that can be loaded, mostly."""
    return w.rng.choice([x for x in w.table if w.fits(x, stack)])


# Opcode, reg field or None, bytes of the operand, what follows. None leaves flags undefined.
ACCESSES: tuple[tuple[bytes, int | None, int, bytes], ...] = (
    (b"\x8a", None, 1, b""),
    (b"\x8b", None, 4, b""),
    (b"\x66\x8b", None, 2, b""),
    (b"\x88", None, 1, b""),
    (b"\x89", None, 4, b""),
    (b"\x66\x89", None, 2, b""),
    (b"\x01", None, 4, b""),
    (b"\x03", None, 4, b""),
    (b"\x28", None, 1, b""),
    (b"\x39", None, 4, b""),
    (b"\x87", None, 4, b""),
    (b"\x0f\xb1", None, 4, b""),
    (b"\xf0\x0f\xc1", None, 4, b""),
    (b"\x0f\xb6", None, 1, b""),
    (b"\x0f\xbf", None, 2, b""),
    (b"\xff", 0, 4, b""),
    (b"\xfe", 1, 1, b""),
    (b"\xc7", 0, 4, b"\x12\x34\x56\x78"),
    (b"\x83", 7, 4, b"\x05"),
    (b"\x0f\xc7", 1, 8, b""),
    (b"\x8c", 3, 2, b""),
    (b"\xdb", 5, 10, b""),
    (b"\xdd", 0, 8, b""),
    (b"\xd9", 0, 4, b""),
    (b"\x0f\x94", 0, 1, b""),
)


def touch(w: SegmentWriter, seg: int, offset: int, segment: Described | None = None) -> None:
    """One access; of a locked one `segment` is to say that it stays within a line."""
    opcode, reg, size, rest = w.rng.choice(ACCESSES)
    locked = opcode[0] in (0x87, 0xF0)
    if locked and segment and segment.linear(offset) % LINE > LINE - size:
        opcode, reg, size, rest = ACCESSES[0]
    if seg == SS and w.bits(1):
        # Without a prefix: by EBP.
        w.load(EBP, offset)
        modrm = 0x45 | (w.destination() if reg is None else reg) << 3
        prefixes, place = b"", bytes([modrm, 0])
    else:
        operand = w.memory_in(seg, offset, (EAX, EDX) if size == 8 else ())
        prefixes = operand.prefixes
        place = operand.with_reg(w.destination() if reg is None else reg)
    if opcode[0] in (0xDB, 0xDD, 0xD9):
        w.raw(0xDB, 0xE3)
    if opcode[0] == 0xF0:
        prefixes, opcode = prefixes + b"\xf0", opcode[1:]
    if opcode[0] == 0x66:
        prefixes, opcode = prefixes + b"\x66", opcode[1:]
    w.raw(prefixes, opcode, place, rest)


def access(w: SegmentWriter) -> None:
    seg = w.rng.choice(w.loaded)
    segment = chosen(w, seg == SS)
    load_register(w, seg, w.selector(segment))
    for _ in range(1 + w.bits(1)):
        touch(w, seg, w.near(segment), segment)


def string(w: SegmentWriter) -> None:
    """Across a limit, so that a part is done; 16-bit addresses as often as they fit."""
    seg = w.rng.choice((DS, DS, FS, GS))
    source, target = chosen(w), chosen(w)
    load_register(w, seg, w.selector(source))
    # Through the other register the table of selectors is out of reach.
    w.load(EAX, w.selector(target))
    w.raw(0x8E, 0xC0 | ES << 3)
    size = w.size()
    op = w.rng.choice((0xA4, 0xA6, 0xAA, 0xAC, 0xAE))
    places = [(w.near(x) - w.rng.randrange(-4, 5) * size) & 0xFFFFFFFF for x in (source, target)]
    if w.bits(1):
        # One of them far from its limits.
        which = w.bits(1)
        inside = (source, target)[which]
        if inside.kind & (IS_CODE | DOWN) != DOWN and inside.edges[0] > 64:
            places[which] = inside.edges[0] // 2
    w.load(ESI, places[0])
    w.load(EDI, places[1])
    w.load(ECX, w.rng.randrange(12))
    w.raw(w.rng.choice((0xFC, 0xFC, 0xFD)))
    compares = op in (0xA6, 0xAE)
    w.compared = compares and w.repeats_comparisons
    prefix = w.rng.choice((b"", b"\xf3", b"\xf3", b"\xf2" if compares else b"\xf3"))
    w.raw(
        b"\x67" if w.bits(2) == 0 and max(places) < 0x10000 else b"",
        prefix if w.compared or not compares else b"",
        {DS: b"", FS: b"\x64", GS: b"\x65"}[seg],
        w.width(size),
        op | int(size > 1),
    )


def stack(w: SegmentWriter) -> None:
    """At the limits. Not POPA, nor ENTER on a stack of 16 bits: see the README."""
    segment = chosen(w, stack=True)
    load_register(w, SS, w.selector(segment))
    esp = w.near(segment) if segment.big else w.near(segment) & 0xFFFF | w.bits(16) << 16
    w.load(ESP, esp)
    w.load(EBP, w.near(segment))
    size = w.rng.choice((2, 4, 4))
    prefix = w.width(size)
    kind = w.rng.randrange(12)
    if kind < 2:
        w.raw(prefix, 0x50 | w.bits(4))
    elif kind == 2:
        w.raw(0x6A, w.bits(8))
    elif kind == 3:
        w.push_segment(size, w.rng.choice(tuple(PUSH_SEGMENT.values())))
    elif kind == 4:
        w.raw(prefix, 0x9C)
    elif kind == 5:
        w.raw(prefix, 0xC9)
    elif kind == 6 and segment.big:
        room, level = w.bits(4), w.rng.choice((0, 0, 1, 2, 3))
        w.pushing(segment.below(esp, 4 * (1 + level) + room + 4))
        w.raw(0xC8, struct.pack("<H", room), level)
        w.pushed()
    elif kind == 7:
        # Over a RET.
        w.raw(0xE8, struct.pack("<I", 2), 0xEB, 1, 0xC3)
    elif kind == 8:
        w.pushing(segment.below(esp, 8 * size))
        w.raw(prefix, 0x60)
        w.pushed()
    elif kind == 9:
        w.raw(prefix, 0xFF, w.rng.choice((b"\x75", b"\x74\x24")), w.bits(3))
    elif kind == 10:
        w.raw(0x8F, 0x45, w.bits(3))
    else:
        w.raw(prefix, 0x58 | w.bits(3))


def code_selector(w: SegmentWriter) -> int:
    """What a far transfer may name without that something is run which is no code of ours."""
    data = [x.number for x in w.table if not (x.kind & IS_CODE and x.present)]
    flat = (CODE_SELECTOR >> 3, CODE_ONLY, CODE_ONLY)
    wrong = (CODE_ABSENT, NOTHING, ENTRIES + w.bits(1), *w.rng.sample(data, 2))
    number = w.rng.choice((*flat, *CODE_LIMITED, *wrong))
    return number << 3 | LOCAL_TABLE | w.rng.choice((3, 3, 3, w.bits(2)))


def far(w: SegmentWriter) -> None:
    """To what follows, in another segment; and beyond the limit, near."""
    selector = code_selector(w)
    if w.bits(4) == 0:
        selector = w.bits(2)
    kind = w.rng.randrange(5)
    esp = w.inside() & -4
    w.load(ESP, esp)
    if kind == 0:
        w.raw(0xEA, struct.pack("<IH", w.here() + 7, selector))
    elif kind == 1:
        w.prepare_selector()
        w.pushing([(esp - 8, 8)])
        w.raw(0x9A, struct.pack("<IH", w.here() + 7, selector))
        w.pushed()
        # The word of CS lies after that of EIP.
        w.raw(0x58 | ECX)
        w.settle_selector()
        w.define()
        esp -= 4
    elif kind == 2:
        target = w.target(8)
        w.store(target + 4, selector, 2)
        w.store(target, w.here() + 10 + 6)
        w.raw(0xFF, 0x2D, struct.pack("<I", target))
    elif kind == 3:
        w.push_constant(selector | w.bits(16) << 16)
        w.push_constant(w.here() + 5 + 3)
        drop = w.bits(5)
        w.raw(0xCA, struct.pack("<H", drop))
        esp += drop
    else:
        w.push_constant(w.bits(32) & (ALL | DF) | IF | 2)
        w.push_constant(selector)
        w.push_constant(w.here() + 5 + 1)
        w.raw(0xCF)
    if selector >> 3 in CODE_LIMITED:
        beyond = w.limits[selector >> 3] + 1 + w.bits(3)
        kind = w.rng.randrange(4)
        if kind == 0:
            w.raw(0xE9, struct.pack("<I", (beyond - w.here() - 5) & 0xFFFFFFFF))
        elif kind == 1:
            w.pushing([(esp - 4, 4)])
            w.raw(0xE8, struct.pack("<I", (beyond - w.here() - 5) & 0xFFFFFFFF))
        elif kind == 2:
            w.push_constant(beyond)
            w.raw(0xC3)


def look(w: SegmentWriter) -> None:
    """LAR, LSL, VERR, VERW, ARPL."""
    w.load(EAX, w.bits(2) if w.bits(3) == 0 else w.any_selector())
    kind = w.rng.randrange(5)
    if kind == 4:
        w.raw(0x63, 0xC0 | w.bits(6))
    elif kind < 2:
        w.raw(b"\x0f", 2 + kind, 0xC0 | EDX << 3)
        if kind == 0:
            # The limit's highest bits are undefined; the AND's AF, too.
            w.raw(0x9C, b"\x81\xe2\x00\xff\xf0\x00", 0x9D)
    else:
        w.raw(b"\x0f\x00", 0xE0 | (kind & 1) << 3)


def bound(w: SegmentWriter) -> None:
    target = w.target(8, aligned=True)
    value = w.bits(32)
    w.store(target, value - w.rng.randrange(-1, 3))
    w.store(target + 4, value + w.rng.randrange(-1, 3))
    operand = w.memory_in(None, target, (EAX,))
    w.load(EAX, value)
    w.raw(operand.prefixes, 0x62, operand.with_reg(EAX))


def overflow(w: SegmentWriter) -> None:
    """INTO, and INT of gates that level 3 has not."""
    if w.bits(1):
        w.raw(0x9C, 0x58, 0x0D, struct.pack("<I", 0x800), 0x50, 0x9D, 0xCE)
    else:
        w.raw(0xCD, w.rng.choice((0, 1, 2, 5, 6, 8, 13, 14, 17, 18, 0x20, 0x40)))


PRIVILEGED = (
    *(b"\xfa", b"\xfb", b"\xf4", b"\xe4\x60", b"\xe5\x60", b"\xe6\x80", b"\xe7\x80", b"\xec"),
    *(b"\xed", b"\xee", b"\xef", b"\x6c", b"\xf3\x6d", b"\x6e", b"\x0f\x06", b"\x0f\x08"),
    *(b"\x0f\x09", b"\x0f\x20\xc0", b"\x0f\x22\xd8", b"\x0f\x21\xf8", b"\x0f\x23\xc0"),
    *(b"\x0f\x30", b"\x0f\x32", b"\x0f\x00\xd0", b"\x0f\x00\xd8", b"\x0f\x01\xf0"),
    *(b"\x0f\x01\x15\0\0\x20\0", b"\x0f\x01\x1d\0\0\x20\0", b"\x0f\x01\x3d\0\0\x20\0"),
)
UNDEFINED = (
    *(b"\x0f\x0b", b"\x8e\xc8", b"\x8e\xf0", b"\x8c\xf8", b"\x8d\xc0", b"\xf0\x90", b"\xff\xff"),
    *(b"\xf0\x8b\x00", b"\xf0\x01\xc0", b"\xfe\xd0", b"\x0f\xb2\xc0", b"\x0f\xba\xc0\x01"),
    *(b"\x66" * 15 + b"\x90", b"\x2e" * 14 + b"\x8b\xc0"),
)


def refused(w: SegmentWriter) -> None:
    # INS of no elements is refused by some processors, and not by others.
    w.load(ECX, 1)
    w.raw(w.rng.choice(w.rng.choice((PRIVILEGED, UNDEFINED))))


def unaligned(w: SegmentWriter) -> None:
    """With EFLAGS.AC."""
    w.push_constant(w.bits(32) & (ALL | DF) | IF | AC | 2)
    w.raw(0x9D)
    for _ in range(1 + w.bits(1)):
        touch(w, w.rng.choice((ES, SS, DS)), w.target(16, aligned=False))


def pop_flags(w: SegmentWriter) -> None:
    """Of which level 3 can change some."""
    changed = ALL | DF | 0x203000 | 0x80 | 0x1A0000
    w.push_constant(w.bits(32) & changed | 2)
    w.raw(w.width(w.rng.choice((2, 4))), 0x9D, 0x9C, 0x58)


IDIOMS = (
    *(load_any, load_any, access, access, access, access, string, string, stack, stack, stack),
    *(far, far, look, bound, overflow, refused, unaligned, pop_flags),
)


def begin(w: SegmentWriter, number: int) -> None:
    """Flat segments, by constants in the code; registers and flags are noted; then new flags."""
    if w.compared:
        # As if it had not failed half-way: which flags that leaves is open (COMPARED_FLAGS).
        w.raw(0x39, 0xC9)
        w.compared = False
    for seg in (DS, SS, ES):
        w.raw(0x2E, 0x8E, 0x05 | seg << 3, struct.pack("<I", CONSTANTS))
    note = DATA + NOTE * number
    w.raw(0x89, 0x25, struct.pack("<I", note))
    w.load(ESP, note + NOTE)
    w.raw(0x60, 0x9C)
    w.settle_written()
    w.load(ESP, w.inside() & -4)
    w.push_constant(w.bits(32) & ALL | IF | 2)
    w.raw(0x9D)


def write_block(w: SegmentWriter, number: int) -> None:
    end = len(w.code) + STRIDE
    begin(w, number)
    inside = [n for n in CODE_LIMITED if w.here() + 22 <= w.limits[n] < w.address + end - JUMP - 8]
    if inside:
        run_over(w, inside[0])
    else:
        before = len(w.code)
        w.rng.choice(IDIOMS)(w)
        if len(w.code) > end - JUMP:
            del w.code[before:]
            w.written = []
    left = end - len(w.code) - JUMP
    w.raw(0xE9, struct.pack("<I", left), b"\x90" * left)


def run_over(w: SegmentWriter, number: int) -> None:
    """Into a code segment, of which the limit lies here, and over that."""
    limit = w.limits[number]
    w.raw(0xEA, struct.pack("<IH", w.here() + 7, number << 3 | USER))
    w.raw(b"\x90" * (limit - 14 - w.here()))
    while w.here() <= limit:
        insns = (
            b"\xb8" + w.rng.randbytes(4),
            b"\x66\x90",
            b"\x8d\x80" + w.rng.randbytes(4),
            b"\x40",
        )
        w.raw(w.rng.choice((*insns, b"\xeb\0", b"\x0f\xc8")))


def segment_cases(rng: random.Random) -> list[Case]:
    """Streams among the same segments, several states each."""
    table = [random_segment(rng, n) for n in range(FIRST_RANDOM, CODE_LIMITED[0])]
    spots = rng.sample(range(STREAMS), len(CODE_LIMITED))
    limits = {
        number: CODE + ROOM * spot + STRIDE * rng.randrange(1, BLOCKS) + rng.randrange(0x50, 0x64)
        for number, spot in zip(CODE_LIMITED, spots, strict=True)
    }
    entries = {x.number: x.encoded for x in table}
    for number, limit in limits.items():
        entries[number] = descriptor(0, limit, 0xFB, 4)
    entries[CODE_ONLY] = descriptor(0, 0xFFFFF, 0xF9, 0xC)
    entries[CODE_ABSENT] = descriptor(0, 0xFFFFF, 0x7B, 0xC)
    entries[0] = entries[CODE_ONLY]
    flat = descriptors(3)
    entries.update({n: flat[8 * n : 8 * n + 8] for n in (1, 2, 5)})
    entries[3] = entries[4] = entries[2]
    encoded = b"".join(entries.get(n, bytes(8)) for n in range(ENTRIES))
    selectors = tuple(SELECTORS[seg] | USER for seg in range(6))
    constants = (CONSTANTS, struct.pack("<I", DATA_SELECTOR | USER))
    cases = []
    for number in range(STREAMS):
        w = SegmentWriter(rng, CODE + ROOM * number, table)
        w.limits = limits
        for n in range(BLOCKS):
            write_block(w, n)
        begin(w, BLOCKS)
        w.raw(b"\x90" * (-len(w.code) % STRIDE))
        # Where the last fault goes on.
        end = w.here()
        w.raw(INT3, b"\x90" * 15)
        code = (w.address, bytes(w.code))
        for n in range(STATES):
            first = number == 0 and n == 0
            blocks = [code, (GDT, encoded), constants]
            if first:
                blocks.append((DATA, rng.randbytes(DATA_BYTES)))
            registers = [random_value(rng) for _ in range(8)]
            flags = rng.getrandbits(32) & ALL | IF | 2
            cases.append(
                Case(
                    ident=number * STATES + n,
                    limit=LIMIT,
                    end=end,
                    stride=STRIDE,
                    state=(*registers, w.address, flags, *selectors),
                    control=(USER_CR0, 0, 0),
                    table=(GDT, 8 * ENTRIES - 1),
                    blocks=tuple(blocks),
                    ranges=((DATA, DATA_BYTES),),
                    first=w.address,
                )
            )
    return cases
