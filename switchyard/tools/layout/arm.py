# SPDX-License-Identifier: Apache-2.0
"""What an ARM instruction does to the flow of control and to what lies near it.

Encodings are those of the ARM Architecture Reference Manual (DDI 0100I), A3. Whatever reads the
program counter in a way that is not told here is `Use.OTHER`: code that has it cannot be taken
apart.
"""

from enum import Enum, auto

ALWAYS = 14
PC, LR = 15, 14


class Use(Enum):
    """What an instruction has to do with the program counter."""

    NONE = auto()
    BRANCH = auto()  # B
    CALL = auto()  # BL
    LEAVE = auto()  # writes the program counter otherwise: returns, jumps by a register
    LITERAL = auto()  # loads a word at a distance
    RETURN_ADDRESS = auto()  # MOV LR, PC: the next instruction but one is where a call returns
    TABLE = auto()  # LDR PC, [PC, Rm, LSL #2]: jumps by a table two words after it
    OTHER = auto()


def condition(insn: int) -> int:
    """Its condition."""
    return insn >> 28


def inverted(insn: int) -> int:
    """The instruction under the opposite condition."""
    return insn ^ 1 << 28


def branch_target(insn: int, at: int) -> int:
    """Where a B or BL at that place goes."""
    distance = (insn & 0xFF_FFFF) << 2
    return at + 8 + (distance - (1 << 26) if distance & 1 << 25 else distance)


def with_target(insn: int, at: int, target: int) -> int:
    """The B or BL, moved to that place, to another target."""
    return insn & 0xFF00_0000 | (target - at - 8) >> 2 & 0xFF_FFFF


def branch(cond: int) -> int:
    """A B."""
    return cond << 28 | 0x0A00_0000


def literal_place(insn: int, at: int) -> int:
    """Where the word is that a `Use.LITERAL` loads."""
    return at + 8 + (insn & 0xFFF if insn & 1 << 23 else -(insn & 0xFFF))


def with_literal(insn: int, at: int, place: int) -> int | None:
    """The load of a literal that lies elsewhere; None if that is too far."""
    distance = place - at - 8
    if abs(distance) > 0xFFF:
        return None
    up = 1 << 23 if distance >= 0 else 0
    return insn & ~(1 << 23 | 0xFFF) | up | abs(distance)


def has_fixed_place(insn: int) -> bool:
    """Operations on caches, TLBs, MMU and clocks, whose code may rely on the lines that it lies in.

    CP15's registers 1, 7, 8 and 15, by MCR or MRC.
    """
    return insn & 0x0F00_0F10 == 0x0E00_0F10 and insn >> 16 & 15 in (1, 7, 8, 15)


def use(insn: int) -> Use:
    """What it has to do with the program counter."""
    if condition(insn) == 15:  # unconditional space: PLD, BLX to Thumb, coprocessors
        return Use.OTHER if insn >> 25 & 7 == 5 else Use.NONE
    kind = insn >> 25 & 7
    if kind == 5:
        return Use.CALL if insn & 1 << 24 else Use.BRANCH
    if kind >= 6:
        return _coprocessor(insn)
    if kind == 4:
        return _multiple(insn)
    if kind >= 2:
        return _load_store(insn)
    return _data(insn)


def _coprocessor(insn: int) -> Use:
    if insn >> 25 & 7 == 6:  # LDC, STC and transfers of two registers
        return Use.OTHER if PC in (insn >> 16 & 15, insn >> 12 & 15) else Use.NONE
    to_coprocessor = (
        insn & 0x0110_0010 == 0x0000_0010
    )  # MCR; MRC gives a program counter flags only
    return Use.OTHER if to_coprocessor and insn >> 12 & 15 == PC else Use.NONE


def _multiple(insn: int) -> Use:
    if insn >> 16 & 15 == PC:
        return Use.OTHER
    # A stored program counter is for debuggers and unwinders: it names the copy, which is right.
    return Use.LEAVE if insn & (1 << PC | 1 << 20) == 1 << PC | 1 << 20 else Use.NONE


def _load_store(insn: int) -> Use:
    loads, by_register = insn & 1 << 20, insn & 1 << 25
    if by_register and insn & 1 << 4:  # media and undefined instructions
        return Use.OTHER
    base, data = insn >> 16 & 15, insn >> 12 & 15
    if by_register and insn & 15 == PC:
        return Use.OTHER
    if base != PC:
        if data != PC:
            return Use.NONE
        return Use.LEAVE if loads else Use.OTHER
    if by_register:
        table = insn & 0x0FFF_FFF0 == 0x079F_F100  # LDR PC, [PC, Rm, LSL #2]
        return Use.TABLE if table else Use.OTHER
    word = insn & 0x0F70_0000 == 0x0510_0000  # LDR, offset, no write-back
    return Use.LITERAL if loads and word and data != PC else Use.OTHER


def _data(insn: int) -> Use:
    immediate = insn & 1 << 25
    if not immediate and insn & 0x90 == 0x90:
        return _extra(insn)
    opcode, sets = insn >> 21 & 15, insn & 1 << 20
    if 8 <= opcode <= 11 and not sets:
        return _miscellaneous(insn)
    first, to = insn >> 16 & 15, insn >> 12 & 15
    reads = [] if opcode in (13, 15) else [first]
    if not immediate:
        reads.append(insn & 15)
        if insn & 1 << 4:
            reads.append(insn >> 8 & 15)
    writes = not 8 <= opcode <= 11
    if PC in reads:
        if insn & 0x0FFF_FFFF == 0x01A0_E00F:
            return Use.RETURN_ADDRESS
        return Use.OTHER
    return Use.LEAVE if writes and to == PC else Use.NONE


def _extra(insn: int) -> Use:
    """Multiplications, swaps, loads and stores of halves and doubles."""
    base, data, second, last = (insn >> shift & 15 for shift in (16, 12, 8, 0))
    if not insn & 0x60:
        swaps = insn & 1 << 24  # SWP has zeros where a multiplication has a register
        uses = [base, data, last] if swaps else [base, data, second, last]
    else:
        uses = [base, data] if insn & 1 << 22 else [base, data, last]
        if not insn & 1 << 20 and insn & 1 << 6:  # LDRD and STRD: two registers
            uses.append(data | 1)
    return Use.OTHER if PC in uses else Use.NONE


def _miscellaneous(insn: int) -> Use:
    """Status registers, BX, CLZ, saturation, multiplications of halves; MOVW and MOVT later on."""
    fields = [insn >> shift & 15 for shift in (16, 12, 8, 0)]
    kind = insn >> 4 & 15
    if insn & 1 << 25:
        used = fields[1:2] if not insn & 1 << 21 else []
    elif insn & 0x0FFF_FFD0 == 0x012F_FF10:  # BX, BLX by register
        if fields[3] != PC and not insn & 1 << 5:
            return Use.LEAVE
        used = fields[3:]
    elif kind == 0:
        used = fields[3:] if insn & 1 << 21 else fields[1:2]  # MSR, MRS
    elif kind == 1:
        used = [fields[1], fields[3]]  # CLZ
    elif kind & 9 == 8:
        used = fields  # SMLA and its kind
    elif kind == 5:
        used = [*fields[:2], fields[3]]  # QADD and its kind
    else:
        return Use.OTHER
    return Use.OTHER if PC in used else Use.NONE
