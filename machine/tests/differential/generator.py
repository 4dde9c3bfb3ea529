# SPDX-License-Identifier: Apache-2.0
"""Random ARMv4 instruction streams in which nothing is UNPREDICTABLE.

One function per chapter of the instruction set; each writes one instruction, with what must stand
before it (a shift amount, an index, a jump target). What is left out is listed in README.md.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

import encode as e
import enhanced
import thumb
from builder import (
    BIT,
    CODE,
    CODE_END,
    MODES_IN,
    POOL,
    SPSR_SLOT,
    STRIDE,
    Builder,
    Known,
    Range,
    Stream,
)
from encode import (
    ADC,
    ADD,
    AL,
    AND,
    ASR,
    BIC,
    CMN,
    CMP,
    EOR,
    LSL,
    LSR,
    MOV,
    MVN,
    ORR,
    ROR,
    RSB,
    RSC,
    SBC,
    SUB,
    TST,
)
from undefined import random_undefined
from vectors import MODES, USR

# Instructions per stream, about; the generator may write a few more to finish an idiom.
LENGTH = 56


def data_processing(b: Builder) -> None:
    r = b.bits(16)
    op, s, form = r & 15, r >> 4 & 1, r >> 5 & 7
    rd = b.dest()
    if TST <= op <= CMN:
        s, rd = 1, 0
    rn = 15 if r >> 8 & 15 == 0 else b.any()
    if form < 2:
        operand = 1 << 25 | b.bits(12)
    elif form < 5:
        rm = 15 if r >> 12 & 15 == 0 else b.any()
        amount = b.bits(5) if r >> 12 & 3 else 0
        operand = e.shifted(rm, b.bits(2), amount)
    else:
        # By a register. Values near 32, and above 255: only the low byte counts.
        rs = b.any()
        if r >> 12 & 3:
            rs = b.scratch()
            near = b.rng.choice((0, 1, 2, 8, 31, 32, 32, 33, 64, 255, 0x100, 0x110, 0x120, 0x180))
            b.emit(e.dp(AL, MOV, 0, rs, 0, e.imm(near)))
            b.wrote(rs)
        rn = b.any() if rn == 15 else rn
        operand = e.shifted_by(b.any(), b.bits(2), rs)
    if MOV in (op, op & ~2):
        rn = 0  # MOV, MVN: should be zero
    b.emit(e.dp(b.cond(), op, s, rd, rn, operand))
    if not TST <= op <= CMN:
        b.wrote(rd)


def base_arithmetic(b: Builder) -> None:
    """A base moved by a constant: it stays one."""
    rn, known = b.base(0, 4)
    amount = b.bits(6) << 2
    cond = b.cond()
    rd = b.protected[b.bits(2)]
    down = b.bits(1)
    b.emit(e.dp(cond, SUB if down else ADD, b.bits(1), rd, rn, e.imm(amount)))
    shift = -amount if down else amount
    b.wrote(rd, (known[0] + shift, known[1] + shift), cond)


def multiply(b: Builder) -> None:
    kind = b.rng.randrange(6)
    s, rs = b.bits(1), b.any()
    rd, lo = b.dest(), b.dest()
    rm = b.any()
    while rm in (rd, lo) or rd == lo:
        rm, lo = b.any(), b.dest()
    if kind == 0:
        b.emit(e.mul(b.cond(), 0, s, rd, rm, rs, 0))
    elif kind == 1:
        b.emit(e.mul(b.cond(), 1, s, rd, rm, rs, b.any()))
    else:
        b.emit(e.mull(b.cond(), kind >> 1 & 1, kind & 1, s, rd, lo, rm, rs))
        b.wrote(lo)
    b.wrote(rd)


def status(b: Builder) -> None:
    kind = b.bits(3)
    if kind == 0:
        rd = b.dest()
        spsr = b.bits(1) if b.has_spsr() else 0
        b.emit(e.mrs(b.cond(), spsr, rd))
        b.wrote(rd)
    elif kind == 1:
        # Flags from any register's top four bits.
        rm = b.scratch()
        flags = 0xF8000000 if b.v5 else 0xF0000000
        b.emit(e.dp(AL, AND, 0, rm, b.any(), e.imm(flags)))
        b.wrote(rm)
        b.emit(e.msr_reg(b.cond(), 0, 8, rm))
    else:
        spsr = b.bits(1) if b.has_spsr() else 0
        mode = b.rng.choice(MODES)
        mask = b.rng.choice((1, 8, 9, 1 + b.bits(4) % 15))
        value = b.bits(4) << 28 | b.bits(2) << 6 | mode
        # An immediate holds the flags or the control bits; the other fields are then zero, and
        # zero control bits are no mode.
        if b.v5:
            value |= b.bits(1) << 27 | (b.bits(1) & spsr) << 5
        if b.bits(1):
            value &= 0xFF if mask & 1 else 0xF8000000
        cond = b.cond()
        if e.immediate(value) is not None:
            b.emit(e.msr_imm(cond, spsr, mask, value))
        else:
            rm = b.scratch()
            b.load_literal(rm, b.literal(value))
            b.emit(e.msr_reg(cond, spsr, mask, rm))
        if mask & 1:
            _new_mode(b.known, spsr, mode, cond, value >> 5 & 1)


def _new_mode(known: Known, spsr: int, mode: int, cond: int, state: int) -> None:
    """The control field of CPSR or of the current SPSR was written."""
    if spsr:
        certain = cond == AL and len(MODES_IN[known.modes]) == 1
        for bit, slot in SPSR_SLOT:
            if known.modes & bit:
                old = 0 if certain else known.spsr_modes[slot]
                known.spsr_modes[slot] = old | BIT[mode]
                old = 0 if certain else known.spsr_thumb[slot]
                known.spsr_thumb[slot] = old | 1 << state
        return
    # User mode cannot leave itself: the write is ignored.
    after = known.modes & BIT[USR]
    if known.modes & ~BIT[USR]:
        after |= BIT[mode]
    known.modes = after if cond == AL else known.modes | after


def _index(b: Builder, word: bool) -> tuple[int, int, Range, int]:
    """A register prepared as an index: (register, shifter bits, range of the offset, base fix).

    The range is that of the shifted value. base fix: 1 << 31 if the shift sets the top bit
    (RRX with carry), so the base has to be that far away.
    """
    index = b.scratch()
    kind = b.bits(2)
    amount = b.bits(5) if b.bits(2) else 0
    field = 0xFC if word else 0xFF
    if kind == ROR and amount == 0:  # RRX
        carry = b.bits(1)
        # CMP of a register with itself sets C; an addition without overflow (CMN with 0) clears it.
        b.emit(e.dp(AL, CMP, 1, 0, index, index) if carry else e.dp(AL, CMN, 1, 0, index, e.imm(0)))
        b.emit(e.dp(AL, AND, 0, index, b.any(), e.imm(field << 1 & 0x3FC)))
        b.wrote(index)
        return index, e.shifted(index, ROR, 0), (0, 0xFE), carry << 31
    if kind in (LSR, ASR) and amount == 0:  # by 32: 0, or 32 copies of the sign
        b.emit(e.dp(AL, MOV, 0, index, 0, e.shifted(b.any(), LSR, 1)))
        b.wrote(index)
        return index, e.shifted(index, kind, 0), (0, 0), 0
    # Six or eight bits of some register, placed so that the shift brings them to bits 7..0.
    if kind == LSL:
        mask = field >> amount
    elif kind == ROR:
        mask = (field << amount | field >> (32 - amount)) & 0xFFFFFFFF
    else:
        mask = field << amount & (0x7FFFFFFF if kind == ASR else 0xFFFFFFFF)
    operand = e.immediate(mask)
    if operand is None:
        mask &= 0xFC << amount | 0xFC >> (32 - amount)
        mask &= 0xFFFFFFFF
        operand = e.immediate(mask)
    if operand is None:
        return _index(b, word)
    b.emit(e.dp(AL, AND, b.bits(1), index, b.any(), 1 << 25 | operand))
    low, high = 0, 0xFF
    if kind == ASR and b.bits(1):
        b.emit(e.dp(AL, RSB, 0, index, index, e.imm(0)))
        low, high = -0xFF, 0
    b.wrote(index)
    return index, e.shifted(index, kind, amount), (low, high), 0


def _modes(b: Builder) -> tuple[int, int]:
    """P, W of a single transfer: offset, pre-indexed, post-indexed, post-indexed as User."""
    return b.rng.choice(((1, 0), (1, 0), (1, 1), (0, 0), (0, 1)))


def _offset(b: Builder, limit: int, align: int) -> int:
    return b.bits(limit if b.bits(1) else 6) & ~(align - 1)


def _data_register(b: Builder, load: int, avoid: int | None) -> int:
    while True:
        rd = b.dest() if load else b.any()
        if rd != avoid:
            return rd


def single_transfer(b: Builder) -> None:
    """LDR, STR, LDRB, STRB and their T forms."""
    r = b.bits(8)
    load, byte, up = r & 1, r >> 1 & 1, r >> 2 & 1
    p, w = _modes(b)
    writeback = w or not p
    fix = 0
    index = None
    if r >> 3 & 1:
        index, operand, (low, high), fix = _index(b, word=not byte)
        operand |= 1 << 25
    else:
        align = 1 if byte and not writeback else 4
        operand = _offset(b, 6 if writeback else 12, align)
        low = high = operand
    if not up:
        low, high = -high, -low
    in_code = b.address <= b.here() + 8 + low < b.literal_address(len(b.pool)) - 3
    if r >> 4 == 0 and load and p and not w and index is None and in_code:
        # From the code itself, through pc.
        rd = b.dest()
        b.emit(e.ldst(b.cond(), 1, byte, 1, up, 0, rd, 15, operand))
        b.wrote(rd)
        return
    if fix:
        # RRX brings carry into bit 31: the base lies 2 GB away.
        p, w, writeback = 1, 0, 0
        rn = b.scratch(index or 0)
        value = (0xC0082000 ^ fix) & 0xFFFFFFFF
        b.load_literal(rn, b.literal(value))
    else:
        rn, known = b.base(max(0, -low) if p else 0, max(0, high) + 4 if p else 4)
        while rn == index:
            rn, known = b.base(0x100, 0x100)
    rd = _data_register(b, load, rn if writeback else None)
    if not load and not byte and b.bits(4) == 0:
        rd = 15
    cond = b.cond()
    b.emit(e.ldst(cond, load, byte, p, up, w, rd, rn, operand))
    if writeback:
        # A byte's index need not be a multiple of 4: then this base is lost.
        lost = byte and index is not None
        b.wrote(rn, None if lost else (known[0] + low, known[1] + high), cond)
    if load:
        b.wrote(rd)


def half_transfer(b: Builder) -> None:
    """LDRH, STRH, LDRSB, LDRSH."""
    r = b.bits(8)
    load, up, is_imm = r & 1, r >> 1 & 1, r >> 2 & 1
    sh = 1 + r % 3 if load else 1
    p, w = b.rng.choice(((1, 0), (1, 1), (0, 0)))
    writeback = w or not p
    align = 4 if writeback else 1 if sh == 2 else 2
    if is_imm:
        offset = b.bits(8) & ~(align - 1)
        low = high = offset
    else:
        offset = b.scratch()
        b.emit(e.dp(AL, AND, 0, offset, b.any(), e.imm(0xFF & ~(align - 1))))
        b.wrote(offset)
        low, high = 0, 0xFF
    if not up:
        low, high = -high, -low
    rn, known = b.base(max(0, -low) if p else 0, max(0, high) + 4 if p else 4)
    rd = _data_register(b, load, rn if writeback else None)
    cond = b.cond()
    b.emit(e.ldst_half(cond, load, sh, p, up, w, rd, rn, offset, is_imm))
    if writeback:
        b.wrote(rn, (known[0] + low, known[1] + high), cond)
    if load:
        b.wrote(rd)


def _span(p: int, up: int, count: int) -> tuple[int, int]:
    """Lowest offset of an LDM/STM, and the first one above."""
    low = 0 if up else -4 * count
    if up == p:
        low += 4
    if up and not p:
        low = 0
    if not up and p:
        low = -4 * count
    return low, low + 4 * count


def block_transfer(b: Builder) -> None:
    r = b.bits(8)
    load, p, up, w = r & 1, r >> 1 & 1, r >> 2 & 1, r >> 3 & 1
    user = r >> 4 & 3 == 0 and b.has_spsr()
    if user:
        w = 0
    registers = b.bits(15)
    if r >> 6 == 0:
        registers &= b.bits(15)
    elif r >> 6 == 1:
        registers |= b.bits(15)
    if load and b.bits(3):
        for keep in b.protected:
            registers &= ~(1 << keep)
    if not load and b.bits(3) == 0:
        registers |= 0x8000
    registers = registers or 1 << b.free[0]
    low, high = _span(p, up, 16)
    rn, known = b.base(max(0, -low), high)
    if w and registers >> rn & 1:
        if load or registers & ((1 << rn) - 1):
            registers &= ~(1 << rn)
        registers = registers or 1 << b.free[0]
    count = registers.bit_count()
    cond = b.cond()
    b.emit(e.ldm(cond, load, p, up, int(user), w, rn, registers))
    if w:
        shift = 4 * count if up else -4 * count
        b.wrote(rn, (known[0] + shift, known[1] + shift), cond)
    if load:
        for i in range(15):
            if registers >> i & 1:
                if user:
                    b.known.ranges[i] = None
                else:
                    b.wrote(i)
        if user:
            b.emit(e.NOP)  # the next instruction must not touch a banked register


def swap(b: Builder) -> None:
    rn, _ = b.base(0, 4)
    rd = _data_register(b, 1, rn)
    rm = _data_register(b, 0, rn)
    b.emit(e.swp(b.cond(), b.bits(1), rd, rm, rn))
    b.wrote(rd)


def branch(b: Builder) -> None:
    link, cond = b.bits(1), b.cond()
    at, index = b.here(), len(b.code)
    b.emit(0)
    if link:
        b.wrote(14)

    def patch(target: int) -> None:
        b.patch_word(index, e.branch(cond, link, at, target))

    b.jump(patch)


def _will_flip(b: Builder, cond: int, state: int | None) -> bool:
    """Does code of the other state follow a jump of this condition?

    state: that in which it arrives, None if it may be either. Jumps that keep the state land
    here, before the registers of the jump are prepared.
    """
    flips = cond == AL and (state != b.thumb if state is not None else b.v5 and b.bits(2) > 0)
    if flips:
        b.land()
    return flips


def _jumped(
    b: Builder,
    cond: int,
    state: int | None,
    flips: bool,
    patch: Callable[[int], None],
    restore: bool = False,
) -> None:
    """The last instruction wrote pc, and CPSR from SPSR if `restore`.

    state: that of the target; None: its bit 0 says.
    """
    there = b.known.copy()
    if restore:
        there.modes = b.return_modes()
        if cond == AL:
            b.known.modes = there.modes  # what follows is reached by the jump only
    b.jump(patch, there, exchange=state is None, thumb=state)
    if flips:
        b.flip()


def compute_pc(b: Builder) -> None:
    """Data processing with pc as destination; with S, the return from an exception."""
    op = b.rng.choice((MOV, MOV, SUB, SUB, MVN, ADD, RSB, ADC, SBC, RSC, AND, ORR, EOR, BIC))
    # Unicorn restores CPSR only for these two (README.md); the others have a test of their own.
    s = int(op in (MOV, SUB) and b.has_spsr() and b.bits(2) > 0)
    # Without S the state stays, on ARMv5 too.
    state = b.return_state() if s else 0
    if state is None:
        s = state = 0
    rx = b.scratch()
    ry = b.scratch(rx)
    x = b.literal()
    cond = b.cond()
    flips = _will_flip(b, cond, state)
    v = b.bits(8) << 2 * b.bits(2)
    noise = b.bits(32)
    two: int | None = None
    operand = e.imm(v)
    rotate = b.bits(5)
    if op in (MOV, MVN):
        operand = e.shifted(rx, ROR, rotate) if rotate else e.shifted(rx)
    elif op in (AND, ORR, EOR, BIC):
        two = b.literal()
        operand = e.shifted(ry)
        b.load_literal(ry, two)
    b.load_literal(rx, x)
    if op in (ADC, SBC, RSC):
        b.emit(e.dp(AL, CMP, 1, 0, rx, e.shifted(rx)))  # C = 1
    b.emit(e.dp(cond, op, s, 15, 0 if op in (MOV, MVN) else rx, operand))

    def patch(t: int) -> None:
        ones = 0xFFFFFFFF
        other = 0
        if op in (MOV, MVN):
            value = t if op == MOV else ~t & ones
            value = value << rotate | value >> (32 - rotate)
        elif op in (ADD, SUB, RSB, ADC, SBC, RSC):
            value = {ADD: t - v, SUB: t + v, RSB: v - t, ADC: t - v - 1, SBC: t + v, RSC: v - t}[op]
        elif op == AND:
            value, other = t | noise, t | ~noise
        elif op == ORR:
            value, other = t & noise, t & ~noise
        elif op == EOR:
            value, other = t ^ noise, noise
        else:
            value, other = t | noise, noise & ~t
        b.pool[x] = value & ones
        if two is not None:
            b.pool[two] = other & ones

    _jumped(b, cond, state, flips, patch, restore=bool(s))


def load_pc(b: Builder) -> None:
    """LDR pc and LDM with pc (and ^): the target is first stored where they will find it."""
    x = b.literal()
    cond = b.cond()

    def patch(target: int) -> None:
        b.pool[x] = target

    kind = b.bits(2)
    state = None if b.v5 else 0
    returns = b.return_state()
    restore = int(kind > 1 and b.has_spsr() and returns is not None and b.bits(1))
    if restore:
        state = returns
    flips = _will_flip(b, cond, state)
    if kind == 0:
        b.load_literal(15, x, cond)
        _jumped(b, cond, state, flips, patch)
        return
    p, up, w = b.bits(1), b.bits(1), b.bits(1)
    if kind == 1:
        offset = b.bits(6) << 2
        rn, known = b.base(0x100, 0x104)
        rx = b.scratch(rn)
        b.load_literal(rx, x)
        w &= p  # post-indexed with W is LDRT, which has no pc form
        slot = offset if p else 0
        b.emit(e.ldst(AL, 0, 0, 1, up, 0, rx, rn, slot))
        b.emit(e.ldst(cond, 1, 0, p, up, w, 15, rn, offset))
        shift = offset if up else -offset
        if w or not p:
            b.wrote(rn, (known[0] + shift, known[1] + shift), cond)
        _jumped(b, cond, state, flips, patch)
        return
    registers = 0x8000
    for r in b.free:
        registers |= b.bits(1) << r
    count = registers.bit_count()
    _, high = _span(p, up, count)
    rn, known = b.base(0x44, 0x44)
    rx = b.scratch(rn)
    b.load_literal(rx, x)
    slot = high - 4
    b.emit(e.ldst(AL, 0, 0, 1, int(slot >= 0), 0, rx, rn, abs(slot)))
    b.emit(e.ldm(cond, 1, p, up, restore, w, rn, registers))
    if w:
        shift = 4 * count if up else -4 * count
        b.wrote(rn, (known[0] + shift, known[1] + shift), cond)
    for r in range(15):
        if registers >> r & 1:
            b.wrote(r)
    _jumped(b, cond, state, flips, patch, restore=bool(restore))


def exception(b: Builder) -> None:
    """Ends the stream if its condition holds."""
    cond = b.cond() if b.bits(2) else b.bits(4) % 14
    if b.bits(1):
        b.emit(e.swi(cond, b.bits(24)))
    else:
        undefined = enhanced.random_undefined if b.v5 else random_undefined
        b.emit(undefined(b.rng, cond, user=b.known.modes == BIT[USR]))


# Out of 128.
_WEIGHTS: tuple[tuple[Callable[[Builder], None], int], ...] = (
    (data_processing, 56),
    (base_arithmetic, 4),
    (multiply, 9),
    (status, 8),
    (single_transfer, 22),
    (half_transfer, 8),
    (block_transfer, 8),
    (swap, 2),
    (branch, 4),
    (compute_pc, 3),
    (load_pc, 3),
    (exception, 1),
)
_TABLE = [function for function, weight in _WEIGHTS for _ in range(weight)]
assert len(_TABLE) == 128


_ENHANCED: tuple[tuple[Callable[[Builder], None], int], ...] = (
    *((function, weight) for function, weight in _WEIGHTS if weight != 56),
    (data_processing, 18),
    (enhanced.dsp, 20),
    (enhanced.double, 6),
    (enhanced.preload, 1),
    (enhanced.exchange, 6),
    (enhanced.thumb_from_pc, 4),
    (enhanced.breakpoint_, 1),
)
_TABLE_V5 = [function for function, weight in _ENHANCED for _ in range(weight)]
assert len(_TABLE_V5) == 128


def stream(rng: random.Random, address: int, length: int = LENGTH, v5: bool = False) -> Stream:
    b = Builder(rng, address, v5)
    arm = _TABLE_V5 if v5 else _TABLE
    while len(b.code) < 4 * length and len(b.pool) < POOL - 4:
        (thumb.TABLE if b.thumb else arm)[b.bits(7)](b)
        if b.pending:
            b.bind()
    return b.finish()


def streams(rng: random.Random, v5: bool = False) -> Iterator[Stream]:
    """Streams at successive addresses of the code area, until it is full."""
    for address in range(CODE, CODE_END - STRIDE, STRIDE):
        yield stream(rng, address, v5=v5)
