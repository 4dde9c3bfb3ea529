# SPDX-License-Identifier: Apache-2.0
"""The growing stream, and what is known about the processor before its next instruction.

`Builder` keeps, for each physical register, the range of word-aligned addresses that it may hold
(or nothing); which modes the processor may be in; and which modes each SPSR may name. With that,
generator.py writes memory accesses only through bases whose whole range stays in the data window,
exception returns only where there is an SPSR, and so on. Jumps go forward only, so every stream
ends whatever the initial registers and flags are: one stream serves several initial states.

Every place of a stream is either ARM or Thumb code. A jump that keeps the state lands in code of
its state, an exchanging jump in either; before the state changes, the first kind lands.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

import encode as e
from encode import ADD, AL, AND
from vectors import FIQ, IRQ, MODES, SPSR_INDEX, STATE_WORDS, SVC, SYS, USR, Case, reg_index

RAM = 0xC0000000
CODE = RAM + 0x10000
CODE_END = RAM + 0x7C000
# ARM instructions of a stream, at most; its literal pool follows.
SLOTS = 80
POOL = 112
STRIDE = 4 * (SLOTS + POOL)
WINDOW = RAM + 0x80000
WINDOW_SIZE = 0x4000
# Base registers start here, so that 12-bit offsets either way stay inside the window.
BASE_LOW, BASE_HIGH = WINDOW + 0x1800, WINDOW + 0x27FC

# Values around which shifts, carries and signs change.
CORNERS = (
    *(0, 1, 2, 3, 31, 32, 33, 0xFF, 0x100, 0x8000, 0xFFFF, 0x10000, 0x7FFFFFFF, 0x80000000),
    *(0x80000001, 0xFFFFFFFE, 0xFFFFFFFF, 0xFFFF8000, 0xAAAAAAAA, 0x55555555),
)


Range = tuple[int, int]
BIT = {mode: 1 << i for i, mode in enumerate(MODES)}
ALL_MODES = (1 << len(MODES)) - 1
NO_SPSR = BIT[USR] | BIT[SYS]
SPSR_SLOT = [(BIT[m], SPSR_INDEX[m] - 30) for m in MODES if m in SPSR_INDEX]
# PHYSICAL[set of modes][r]: which of the 30 registers of the state record r may be.
PHYSICAL = [
    [tuple(sorted({reg_index(m, r) for m in MODES if BIT[m] & mask})) for r in range(15)]
    for mask in range(1 << len(MODES))
]
MODES_IN = [[m for m in MODES if BIT[m] & mask] for mask in range(1 << len(MODES))]


@dataclass(frozen=True)
class Stream:
    """Code and literal pool at their address, and which states the stream may start in."""

    block: tuple[int, bytes]  # address and words; one object for all cases of the stream
    end: int
    mode: int
    bases: tuple[int, ...]
    spsr_modes: tuple[int, ...]
    spsr_thumb: tuple[int, ...]
    v5: bool

    def state(self, rng: random.Random) -> tuple[int, ...]:
        """Any values, corner cases often; base registers in the middle of the window."""
        s = [0] * STATE_WORDS
        for i in range(30):
            kind = rng.getrandbits(3)
            if kind < 3:
                s[i] = CORNERS[rng.getrandbits(5) % len(CORNERS)]
            elif kind == 3:
                s[i] = rng.getrandbits(6)
            else:
                s[i] = rng.getrandbits(32)
        for r in self.bases:
            for p in PHYSICAL[ALL_MODES][r]:
                s[p] = BASE_LOW + (rng.getrandbits(12) & ~3)
        for i in range(5):
            # N, Z, C, V, I, F and the mode are all that a PSR of ARMv4 has; ARMv5TE adds Q and T.
            mode = rng.choice(MODES_IN[self.spsr_modes[i]])
            s[30 + i] = rng.getrandbits(4) << 28 | rng.getrandbits(2) << 6 | mode
            if self.v5:
                thumb = self.spsr_thumb[i] - 1 if self.spsr_thumb[i] < 3 else rng.getrandbits(1)
                s[30 + i] |= rng.getrandbits(1) << 27 | thumb << 5
        s[35] = self.block[0]
        s[36] = rng.getrandbits(4) << 28 | rng.getrandbits(2) << 6 | self.mode
        if self.v5:
            s[36] |= rng.getrandbits(1) << 27
        return tuple(s)

    def case(self, ident: int, rng: random.Random) -> Case:
        return Case(ident, 0, self.state(rng), (self.block,), ((WINDOW, WINDOW_SIZE),), self.end)


@dataclass
class Known:
    """What is known at one point of the stream."""

    ranges: list[Range | None]  # of the 30 general registers of the state record
    modes: int  # set of modes
    spsr_modes: list[int]  # set of modes that each SPSR may name
    spsr_thumb: list[int]  # states that each SPSR may name: 1 ARM, 2 Thumb, 3 either

    def copy(self) -> Known:
        return Known(list(self.ranges), self.modes, list(self.spsr_modes), list(self.spsr_thumb))

    def join(self, other: Known) -> None:
        """Keep what holds here and there."""
        for p, theirs in enumerate(other.ranges):
            ours = self.ranges[p]
            if ours is not None:
                self.ranges[p] = theirs and (min(ours[0], theirs[0]), max(ours[1], theirs[1]))
        self.modes |= other.modes
        pairs = zip(self.spsr_modes, other.spsr_modes, strict=True)
        self.spsr_modes = [a | b for a, b in pairs]
        pairs = zip(self.spsr_thumb, other.spsr_thumb, strict=True)
        self.spsr_thumb = [a | b for a, b in pairs]


@dataclass
class Pending:
    """A jump whose target is not yet fixed."""

    earliest: int  # bytes from the stream's start
    known: Known  # what holds there
    thumb: int | None  # the state that it arrives in; None: what the target's bit 0 says
    patch: Callable[[int], None]


class Builder:
    """Writes one stream; `known` is the state before the instruction that is written next."""

    def __init__(self, rng: random.Random, address: int, v5: bool = False) -> None:
        self.rng = rng
        self.bits = rng.getrandbits
        self.address = address
        self.v5 = v5
        self.thumb = 0  # the state that is written for
        self.code = bytearray()
        self.pool: list[int] = []
        self.pending: list[Pending] = []
        self.mode = rng.choice((USR, FIQ, IRQ, SVC, *MODES))
        # Base registers, which most instructions leave alone. Two that no mode banks: only a
        # register that is certainly one physical register can be made a base again.
        self.protected = (*rng.sample(range(8), 2), *rng.sample(range(8, 15), 2))
        self.free = [r for r in range(15) if r not in self.protected]
        spsr_modes = [1 << rng.randrange(len(MODES)) for _ in range(5)]
        if self.bits(2) == 0:
            spsr_modes = [ALL_MODES] * 5
        self.initial_spsr_modes = tuple(spsr_modes)
        spsr_thumb = [rng.choice((1, 1, 2, 3)) if v5 else 1 for _ in range(5)]
        self.initial_spsr_thumb = tuple(spsr_thumb)
        self.known = Known([None] * 30, BIT[self.mode], spsr_modes, spsr_thumb)
        for r in self.protected:
            for p in PHYSICAL[ALL_MODES][r]:
                self.known.ranges[p] = (BASE_LOW, BASE_HIGH)

    def finish(self) -> Stream:
        if self.here() & 2:
            self.emit_half(0x46C0)
        self.bind(everything=True)
        for late in self.pending:
            # It arrives in the other state, at the end of the stream all the same.
            late.patch(self.here())
        end = self.here()
        self.code += bytes(-len(self.code) % 4)
        code = self.code + e.NOP.to_bytes(4, "little") * (SLOTS - len(self.code) // 4)
        pool = b"".join(w.to_bytes(4, "little") for w in self.pool)
        return Stream(
            (self.address, bytes(code) + pool),
            end,
            self.mode,
            self.protected,
            self.initial_spsr_modes,
            self.initial_spsr_thumb,
            self.v5,
        )

    # What is known.

    def range_of(self, r: int) -> Range | None:
        low, high = 1 << 32, 0
        for p in PHYSICAL[self.known.modes][r]:
            bounds = self.known.ranges[p]
            if bounds is None:
                return None
            low, high = min(low, bounds[0]), max(high, bounds[1])
        return low, high

    def wrote(self, r: int, value: Range | None = None, cond: int = AL) -> None:
        """r was written: for certain if it can be only one register and there is no condition."""
        physical = PHYSICAL[self.known.modes][r]
        ranges = self.known.ranges
        for p in physical:
            old = ranges[p]
            if value is None:
                ranges[p] = None
            elif len(physical) == 1 and cond == AL:
                ranges[p] = value
            elif old is not None:
                ranges[p] = min(old[0], value[0]), max(old[1], value[1])

    def has_spsr(self) -> bool:
        """Is the current mode certainly one with an SPSR?"""
        return not self.known.modes & NO_SPSR

    def return_modes(self) -> int:
        """The modes that the current SPSR may name."""
        modes = 0
        for bit, slot in SPSR_SLOT:
            if self.known.modes & bit:
                modes |= self.known.spsr_modes[slot]
        return modes

    # Writing.

    def here(self) -> int:
        return self.address + len(self.code)

    def emit(self, word: int) -> None:
        self.code += word.to_bytes(4, "little")

    def emit_half(self, half: int) -> None:
        self.code += half.to_bytes(2, "little")

    def patch_word(self, at: int, word: int) -> None:
        """Replace the word at `at` bytes from the start."""
        self.code[at : at + 4] = word.to_bytes(4, "little")

    def patch_half(self, at: int, half: int) -> None:
        self.code[at : at + 2] = half.to_bytes(2, "little")

    def literal(self, value: int = 0) -> int:
        """A new word of the pool; its index."""
        self.pool.append(value)
        return len(self.pool) - 1

    def literal_address(self, slot: int) -> int:
        return self.address + 4 * (SLOTS + slot)

    def load_literal(self, r: int, slot: int, cond: int = AL) -> None:
        """ldr r, [pc, #offset of the literal]"""
        if self.thumb:
            offset = self.literal_address(slot) - (self.here() + 4 & ~3)
            self.emit_half(0x4800 | r << 8 | offset >> 2)
            self.wrote(r)
            return
        offset = self.literal_address(slot) - self.here() - 8
        self.emit(e.ldst(cond, 1, 0, 1, 1, 0, r, 15, offset))
        if r < 15:
            self.wrote(r)

    def jump(
        self,
        patch: Callable[[int], None],
        there: Known | None = None,
        exchange: bool = False,
        thumb: int | None = None,
    ) -> None:
        """The last instruction may jump a little forward; patch(target) when that is known.

        exchange: the target's bit 0 chooses the state; else it is `thumb`, or stays.
        """
        skip = 4 + (self.bits(2) << 2)
        state = None if exchange else self.thumb if thumb is None else thumb
        known = there or self.known.copy()
        self.pending.append(Pending(len(self.code) + skip, known, state, patch))

    def bind(self, everything: bool = False) -> None:
        """Jumps that are due land here. Called only between whole idioms."""
        waiting = []
        for jump in self.pending:
            due = everything or jump.earliest <= len(self.code)
            if due and jump.thumb in (None, self.thumb):
                jump.patch(self.here() | (self.thumb if jump.thumb is None else 0))
                self.known.join(jump.known)
            else:
                waiting.append(jump)
        self.pending = waiting

    def land(self) -> None:
        """Before the state changes: all jumps that stay in it land here."""
        waiting = []
        for jump in self.pending:
            if jump.thumb == self.thumb:
                jump.patch(self.here())
                self.known.join(jump.known)
            else:
                waiting.append(jump)
        self.pending = waiting

    def flip(self) -> None:
        """What follows is code of the other state, reached by jumps only."""
        assert not any(jump.thumb == self.thumb for jump in self.pending)
        self.thumb ^= 1
        if not self.thumb and self.here() & 2:
            self.emit_half(0)

    def return_state(self) -> int | None:
        """The state that the current SPSR names, if that is known."""
        states = 0
        for bit, slot in SPSR_SLOT:
            if self.known.modes & bit:
                states |= self.known.spsr_thumb[slot]
        return states - 1 if states in (1, 2) else None

    # Choosing registers.

    def cond(self) -> int:
        c = self.bits(5)
        return AL if c >= 14 else c

    def any(self) -> int:
        return self.rng.randrange(15)

    def dest(self) -> int:
        """A register to write: seldom one of the bases."""
        return self.any() if self.bits(5) == 0 else self.free[self.rng.randrange(11)]

    def scratch(self, *but: int) -> int:
        """A register that is no base, none of `but`; of r0 to r7 in Thumb state."""
        while True:
            r = self.free[self.rng.randrange(6 if self.thumb else 11)]
            if r not in but:
                return r

    def low(self) -> int:
        return self.bits(3)

    def low_dest(self) -> int:
        """One of r0 to r7 to write: seldom one of the bases."""
        return self.bits(3) if self.bits(5) == 0 else self.free[self.rng.randrange(6)]

    def base(self, below: int, above: int) -> tuple[int, Range]:
        """A register r, and its range, with [r - below, r + above) certainly in the window.

        In Thumb state one of r0 to r7.
        """
        start = self.bits(2)
        for i in range(4):
            r = self.protected[(start + i) & (1 if self.thumb else 3)]
            bounds = self.range_of(r)
            if bounds and WINDOW + below <= bounds[0] and bounds[1] + above <= WINDOW + WINDOW_SIZE:
                return r, bounds
        return self.new_base()

    def new_base(self) -> tuple[int, Range]:
        r = self.protected[self.bits(1 if self.thumb else 2)]
        if len(PHYSICAL[self.known.modes][r]) > 1:
            r = self.protected[self.bits(1)]
        if self.thumb or self.bits(1):
            value = BASE_LOW + (self.bits(12) & ~3)
            self.load_literal(r, self.literal(value))
            bounds = (value, value)
        else:
            # Whatever is in some register, masked into the window.
            self.emit(e.dp(AL, AND, self.bits(1), r, self.any(), e.imm(0xFF0)))
            self.emit(e.dp(AL, ADD, self.bits(1), r, r, e.imm(RAM)))
            self.emit(e.dp(AL, ADD, self.bits(1), r, r, e.imm(WINDOW - RAM + 0x2000)))
            bounds = (WINDOW + 0x2000, WINDOW + 0x2FF0)
        self.wrote(r, bounds)
        return r, bounds
