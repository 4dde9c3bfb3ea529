# SPDX-License-Identifier: Apache-2.0
"""Cases in which an instruction accesses memory more than once, at every combination of pages that
are there: which fault comes first, and what is left of an instruction that could not be finished.

Two places, each around the border of two pages: one for the stack, one for what EBX, ESI and EDI
point to. An instruction is tried at offsets from both borders with each page absent, read-only and
writable. For the host's processor at level 3, so a page is mapped where it is.
"""

from __future__ import annotations

import itertools
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from ia32_streams import GDT, IF, USER, descriptor, descriptors
from ia32_vectors import EFLAGS, EIP, Answer, Case
from ia32_writer import ALL

PAGE = 0x1000
PRESENT, WRITE, ANYONE = 1, 2, 4
PG = 1 << 31
PAGE_FAULT = 14
# Absent, read-only, writable.
RIGHTS = (0, PRESENT | ANYONE, PRESENT | WRITE | ANYONE)

CODE = 0x2000
# Where all code goes on.
END = 0x2100
DIRECTORY, TABLE = 0x4000, 0x5000
# The borders, which 16-bit addresses reach.
STACK, DATA = 0x9000, 0xD000
# What is seen of memory on both sides of a border.
NEAR = 0x60
EAX, ECX, EDX, EBX, ESP, EBP, ESI, EDI = range(8)
FLAGS = 0x2 | IF
# Selectors of the table: flat code, data; a stack and code of 16 bits.
CODE32, DATA32, STACK16, CODE16 = (number << 3 | USER for number in (1, 2, 8, 9))
TABLE_LIMIT = 8 * 10 - 1


@dataclass(frozen=True)
class Instruction:
    """One instruction, and what it accesses."""

    name: str
    code: bytes
    # Where on the stack, relative to ESP: (-32, 0) for PUSHA.
    stack: tuple[int, int] | None = None
    # Where at EBX, EBP, ESI and EDI.
    data: tuple[int, int] | None = None
    # What is written there before, to be found.
    on_stack: bytes = b""
    in_data: bytes = b""
    registers: tuple[tuple[int, int], ...] = ()
    stack16: bool = False
    # EDI is above the border, ESI before it: two operands in the same two pages.
    apart: bool = False


def words(*values: int) -> bytes:
    return struct.pack(f"<{len(values)}I", *values)


def halves(*values: int) -> bytes:
    return struct.pack(f"<{len(values)}H", *values)


def both_sizes(
    name: str, code: bytes, make: Callable[[int, Callable[..., bytes]], dict[str, object]]
) -> Iterator[Instruction]:
    """An instruction with operands of 32 and of 16 bits, on stacks of both sizes."""
    for size, pack, prefix in ((4, words, b""), (2, halves, b"\x66")):
        for stack16 in (False, True):
            where = "16-bit stack" if stack16 else "32-bit stack"
            yield Instruction(
                f"{name}, {8 * size} bits, {where}",
                prefix + code,
                stack16=stack16,
                **make(size, pack),  # type: ignore[arg-type]
            )


def instructions() -> Iterator[Instruction]:
    yield from both_sizes("pusha", b"\x60", lambda n, _: {"stack": (-8 * n, 0)})
    yield from both_sizes("popa", b"\x61", lambda n, _: {"stack": (0, 8 * n)})
    yield from both_sizes(
        "push [ebx]", b"\xff\x33", lambda n, _: {"stack": (-n, 0), "data": (0, n)}
    )
    yield from both_sizes("pop [ebx]", b"\x8f\x03", lambda n, _: {"stack": (0, n), "data": (0, n)})
    yield from both_sizes("pushf", b"\x9c", lambda n, _: {"stack": (-n, 0)})
    yield from both_sizes("popf", b"\x9d", lambda n, p: {"stack": (0, n), "on_stack": p(0x246)})
    yield from both_sizes("pop ds", b"\x1f", lambda n, p: {"stack": (0, n), "on_stack": p(DATA32)})
    yield from both_sizes("ret", b"\xc3", lambda n, p: {"stack": (0, n), "on_stack": p(END)})
    yield from both_sizes(
        "ret 4", b"\xc2\x04\x00", lambda n, p: {"stack": (0, n), "on_stack": p(END)}
    )
    yield from both_sizes(
        "retf", b"\xcb", lambda n, p: {"stack": (0, 2 * n), "on_stack": p(END, CODE32)}
    )
    yield from both_sizes(
        "iret", b"\xcf", lambda n, p: {"stack": (0, 3 * n), "on_stack": p(END, CODE32, 0x246)}
    )
    yield from both_sizes(
        "call [ebx]",
        b"\xff\x13",
        lambda n, p: {"stack": (-n, 0), "data": (0, n), "in_data": p(END)},
    )
    yield from both_sizes(
        "call far [ebx]",
        b"\xff\x1b",
        lambda n, p: {
            "stack": (-2 * n, 0),
            "data": (0, n + 2),
            "in_data": p(END) + halves(CODE32),
        },
    )
    yield from both_sizes(
        "jmp far [ebx]",
        b"\xff\x2b",
        lambda n, p: {"data": (0, n + 2), "in_data": p(END) + halves(CODE32)},
    )
    for level in (0, 1, 2, 4):
        yield from both_sizes(
            f"enter 8, {level}",
            bytes((0xC8, 8, 0, level)),
            lambda n, _, level=level: {  # type: ignore[misc]
                "stack": (-n * (level + 1) - 8, 0),
                "data": (-n * (level - 1), 0) if level > 1 else None,
            },
        )
    yield from both_sizes("leave", b"\xc9", lambda n, _: {"data": (0, n)})
    for name, code in (
        *(("les", b"\xc4\x03"), ("lds", b"\xc5\x03")),
        *(("lfs", b"\x0f\xb4\x03"), ("lgs", b"\x0f\xb5\x03"), ("lss", b"\x0f\xb2\x03")),
    ):
        for size, prefix in ((4, b""), (2, b"\x66")):
            pointer = (END).to_bytes(size, "little") + halves(DATA32)
            yield Instruction(
                f"{name}, {8 * size} bits", prefix + code, data=(0, size + 2), in_data=pointer
            )
    for prefix, size in ((b"", 4), (b"\x66", 2)):
        bounds = (0).to_bytes(size, "little") + (5).to_bytes(size, "little")
        yield Instruction(
            f"bound, {8 * size} bits", prefix + b"\x62\x03", data=(0, 2 * size), in_data=bounds
        )
    for name, opcode in (
        ("movs", 0xA4),
        ("cmps", 0xA6),
        ("stos", 0xAA),
        ("lods", 0xAC),
        ("scas", 0xAE),
    ):
        for size, code in (
            (1, bytes((opcode,))),
            (2, bytes((0x66, opcode + 1))),
            (4, bytes((opcode + 1,))),
        ):
            yield Instruction(f"{name}, {8 * size} bits", code, data=(0, size), apart=True)
            yield Instruction(
                f"rep {name}, {8 * size} bits",
                b"\xf3" + code,
                data=(0, 3 * size),
                apart=True,
                registers=((ECX, 3),),
            )
    for name, code in (
        ("add [ebx], eax", b"\x01\x03"),
        ("inc [ebx]", b"\xff\x03"),
        ("xchg", b"\x87\x03"),
        ("xadd", b"\x0f\xc1\x03"),
        ("cmpxchg", b"\x0f\xb1\x0b"),
        ("lock cmpxchg", b"\xf0\x0f\xb1\x0b"),
        ("bts", b"\x0f\xab\x03"),
        ("bt", b"\x0f\xa3\x03"),
        ("shld", b"\x0f\xa4\x03\x05"),
        ("rcl by 0", b"\xc1\x13\x00"),
        ("shl by 0", b"\xc1\x23\x00"),
        ("rcl", b"\xd1\x13"),
        ("neg", b"\xf7\x1b"),
        ("mov", b"\x89\x03"),
        ("mov from", b"\x8b\x03"),
        ("cmov", b"\x0f\x44\x03"),
        ("sete", b"\x0f\x94\x03"),
        ("fld, 64 bits", b"\xdd\x03"),
        ("fst, 64 bits", b"\xdd\x13"),
    ):
        yield Instruction(name, code, data=(0, 8 if "64" in name else 4))
    yield Instruction("cmpxchg8b", b"\x0f\xc7\x0b", data=(0, 8))
    yield Instruction("lock cmpxchg8b", b"\xf0\x0f\xc7\x0b", data=(0, 8))
    # It changes nothing, or something.
    yield Instruction(
        "arpl of less", b"\x63\x03", data=(0, 2), in_data=b"\xf3\xff", registers=((EAX, 2),)
    )
    yield Instruction(
        "arpl of more", b"\x63\x03", data=(0, 2), in_data=b"\xf1\xff", registers=((EAX, 2),)
    )
    yield Instruction("fld, 80 bits", b"\xdb\x2b", data=(0, 10))
    yield Instruction("fstp, 80 bits", b"\xdb\x3b", data=(0, 10))
    yield Instruction("fldenv", b"\xd9\x23", data=(0, 28))
    yield Instruction("fnstenv", b"\xd9\x33", data=(0, 28))
    yield Instruction("frstor", b"\xdd\x23", data=(0, 108))
    yield Instruction("fnsave", b"\xdd\x33", data=(0, 108))


def offsets(low: int, high: int, many: bool) -> list[int]:
    """Distances of a pointer from a border, so that the border is before, in and after what is
    accessed: at each of its elements and bytes, or where it counts."""
    size = high - low
    if many:
        cuts = sorted({0, size, *range(1, min(size, 9)), *range(2, size, 2), size - 1})
    else:
        cuts = [0, size // 2]
    return [-low - cut for cut in cuts]


def cases_of(instruction: Instruction, first: int) -> Iterator[Case]:
    """Those of an instruction, with numbers from `first` on."""
    i = instruction
    on_stack = i.stack is not None
    stack_offsets = offsets(*i.stack, not i.data) if i.stack else [0]
    data_offsets = offsets(*i.data, not on_stack) if i.data else [0]
    stack_rights = list(itertools.product(RIGHTS, RIGHTS)) if on_stack else [(RIGHTS[2],) * 2]
    data_rights = list(itertools.product(RIGHTS, RIGHTS)) if i.data else [(RIGHTS[2],) * 2]
    combinations = itertools.product(stack_offsets, data_offsets, stack_rights, data_rights)
    code = i.code.rjust(16, b"\x90")
    low, high = bytes(range(256 - NEAR, 256)), bytes(range(NEAR))
    for number, (at_stack, at_data, stack, data) in enumerate(combinations, first):
        esp, ebx = STACK + at_stack, DATA + at_data
        registers = [0x11111110, 0x11111111, 0x11111112, ebx, esp, ebx, ebx, ebx]
        if i.apart and i.data:
            registers[EDI] = 2 * DATA - ebx - i.data[1]
        for register, value in i.registers:
            registers[register] = value
        memory = {}
        for border, at, found in ((STACK, esp, i.on_stack), (DATA, ebx, i.in_data)):
            near = bytearray(low + high)
            start = at - border + NEAR
            near[start : start + len(found)] = found
            memory[border - NEAR] = bytes(near)
        pages = {STACK - PAGE: stack[0], STACK: stack[1], DATA - PAGE: data[0], DATA: data[1]}
        entries = ((TABLE + 4 * (at // PAGE), words(at | bits)) for at, bits in pages.items())
        yield Case(
            ident=number,
            limit=4,
            end=END,
            stride=0,
            state=(
                *registers,
                END - len(i.code),
                FLAGS,
                *(DATA32, CODE32, STACK16 if i.stack16 else DATA32, DATA32, DATA32, DATA32),
            ),
            control=(1 | PG, DIRECTORY, 0),
            table=(GDT, TABLE_LIMIT),
            blocks=(
                (END - len(code), code),
                *memory.items(),
                *entries,
            ),
            ranges=tuple((at, len(near)) for at, near in memory.items()),
            first=END - len(i.code),
        )


def whole(case: Case, memory: tuple[tuple[int, bytes], ...] = ()) -> Case:
    """A case with all its pages there, and other memory."""
    places = [at for at, data in case.blocks if TABLE <= at < TABLE + PAGE and len(data) == 4]
    entries = tuple((at, words((at - TABLE) // 4 * PAGE | RIGHTS[2])) for at in places)
    return replace(case, blocks=case.blocks + memory + entries)


# What manuals leave to processors, and what the host may do otherwise than the machine.
HALF_POPPED = "registers that POPA has popped before the fault are set"
WIDE_POP = "POP of a segment register reads all of a 32-bit element"
COMPARED = "flags of the elements that REP CMPS or SCAS has compared before the fault"
NARROW_RETURN = "RETF reads half of a 32-bit selector"
OTHER_ORDER = "the operands of CMPS are looked for in the other order"
PROBED = "an image's last byte is looked for, not its next element"
UNDEFINED = "undefined flags"
# Only AMD's processors have been seen.
OTHERS = "another of the missing places comes first, or more was done before"


def is_amd() -> bool:
    """Whether the host's processor is one of AMD's."""
    return "AuthenticAMD" in Path("/proc/cpuinfo").read_text()


def differs_freely(
    instruction: Instruction, case: Case, ours: Answer, theirs: Answer, amd: bool
) -> str | None:
    """Which of these explains a difference, if one does."""
    name = instruction.name
    if not theirs.faults:
        same = ours.faults == () and ours.memory == theirs.memory
        flags_alone = ours.state[:EFLAGS] == theirs.state[:EFLAGS]
        if name == "shld" and same and flags_alone:
            return UNDEFINED
        upper_half_alone = STACK - case.state[ESP] in (6, 7)
        same = ours.memory == theirs.memory and theirs.state[EIP] == END
        return NARROW_RETURN if name.startswith("retf, 32") and upper_half_alone and same else None
    vector, code, address, _ = theirs.faults[0]
    if vector != PAGE_FAULT or not missing(case, address):
        return None
    if amd and _compares_alike(name, ours, theirs):
        return COMPARED
    if not ours.faults:
        return WIDE_POP if name.startswith("pop ds, 32") else None
    if not amd:
        return OTHERS
    if ours.faults == theirs.faults and name.startswith("popa"):
        return HALF_POPPED
    if ours.state != theirs.state or ours.memory != theirs.memory or ours.faults[0][1] != code:
        return None
    if "cmps" in name:
        return OTHER_ORDER
    image = name in ("fldenv", "fnstenv", "frstor", "fnsave")
    return PROBED if image and ours.faults[0][2] & -PAGE == address & -PAGE else None


def _compares_alike(name: str, ours: Answer, theirs: Answer) -> bool:
    """Whether a repeated comparison faults at the same element, and only status flags differ."""
    flags = ours.state[EFLAGS] ^ theirs.state[EFLAGS]
    same = (ours.faults, ours.memory, ours.state[:EFLAGS], ours.state[EFLAGS + 1 :]) == (
        *(theirs.faults, theirs.memory, theirs.state[:EFLAGS], theirs.state[EFLAGS + 1 :]),
    )
    return name.startswith(("rep cmps", "rep scas")) and same and not flags & ~ALL


def missing(case: Case, address: int) -> bool:
    """Whether the page at an address lacks rights."""
    entry = dict(case.blocks).get(TABLE + address // PAGE * 4)
    return entry is not None and entry[0] & 7 != RIGHTS[2]


def register_forms() -> list[tuple[bool, Instruction]]:
    """Registers where the operand must be memory, and whether later processors have made something
    else of that encoding: XGETBV, VMCALL, SWAPGS, RDTSCP and their like, RDRAND and RDSEED."""
    forms = [(b"\x62", range(8)), (b"\x8d", range(8)), (b"\xc4", range(8)), (b"\xc5", range(8))]
    forms += [(bytes((0x0F, op)), range(8)) for op in (0xB2, 0xB4, 0xB5)]
    forms += [(b"\xff", (3, 5)), (b"\x0f\x01", (0, 1, 2, 3, 7)), (b"\x0f\xc7", (0, 1, 6, 7))]
    forms += [(b"\x0f\x0d", range(8))]
    return [
        (
            # VEX prefixes are LES and LDS with a register, and decode on.
            opcode in (b"\x62", b"\xc4", b"\xc5", b"\x0f\x01", b"\x0f\x0d")
            or (opcode == b"\x0f\xc7" and reg in (6, 7)),
            Instruction(
                f"{opcode.hex()} /{reg} with a register", opcode + bytes((0xC0 | reg << 3,))
            ),
        )
        for opcode, regs in forms
        for reg in regs
    ]


def base_blocks() -> tuple[tuple[int, bytes], ...]:
    """Tables of segments and pages, which stay from case to case."""
    more = descriptor(0, 0xFFFF, 0xF3, 0) + descriptor(0, 0xFFFF, 0xFB, 0)
    pages = b"".join(words(n * PAGE | RIGHTS[2]) for n in range(1024))
    return (
        (GDT, descriptors(3) + more),
        (DIRECTORY, words(TABLE | RIGHTS[2])),
        (TABLE, pages),
    )
