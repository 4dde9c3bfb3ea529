# SPDX-License-Identifier: Apache-2.0
"""The growing stream, and what is known about the processor before its next instruction.

`Builder` keeps, for each physical register, the range of word-aligned addresses that it may hold
(or nothing); which modes the processor may be in; and which modes each SPSR may name. With that,
generator.py writes memory accesses only through bases whose whole range stays in the data window,
exception returns only where there is an SPSR, and so on. Jumps go forward only, so every stream
ends whatever the initial registers and flags are: one stream serves several initial states.
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
# Instructions of a stream, at most; its literal pool follows.
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
            # N, Z, C, V, I, F and the mode are all that a PSR of ARMv4 has.
            mode = rng.choice(MODES_IN[self.spsr_modes[i]])
            s[30 + i] = rng.getrandbits(4) << 28 | rng.getrandbits(2) << 6 | mode
        s[35] = self.block[0]
        s[36] = rng.getrandbits(4) << 28 | rng.getrandbits(2) << 6 | self.mode
        return tuple(s)

    def case(self, ident: int, rng: random.Random) -> Case:
        return Case(ident, 0, self.state(rng), (self.block,), ((WINDOW, WINDOW_SIZE),), self.end)


@dataclass
class Known:
    """What is known at one point of the stream."""

    ranges: list[Range | None]  # of the 30 general registers of the state record
    modes: int  # set of modes
    spsr_modes: list[int]  # set of modes that each SPSR may name

    def copy(self) -> Known:
        return Known(list(self.ranges), self.modes, list(self.spsr_modes))

    def join(self, other: Known) -> None:
        """Keep what holds here and there."""
        for p, theirs in enumerate(other.ranges):
            ours = self.ranges[p]
            if ours is not None:
                self.ranges[p] = theirs and (min(ours[0], theirs[0]), max(ours[1], theirs[1]))
        self.modes |= other.modes
        pairs = zip(self.spsr_modes, other.spsr_modes, strict=True)
        self.spsr_modes = [a | b for a, b in pairs]


class Builder:
    """Writes one stream; `known` is the state before the instruction that is written next."""

    def __init__(self, rng: random.Random, address: int) -> None:
        self.rng = rng
        self.bits = rng.getrandbits
        self.address = address
        self.words: list[int] = []
        self.pool: list[int] = []
        # Jumps whose target is not yet fixed: (earliest index, what is known there, patch(target)).
        self.pending: list[tuple[int, Known, Callable[[int], None]]] = []
        self.mode = rng.choice((USR, FIQ, IRQ, SVC, *MODES))
        # Base registers, which most instructions leave alone. Two that no mode banks: only a
        # register that is certainly one physical register can be made a base again.
        self.protected = (*rng.sample(range(8), 2), *rng.sample(range(8, 15), 2))
        self.free = [r for r in range(15) if r not in self.protected]
        spsr_modes = [1 << rng.randrange(len(MODES)) for _ in range(5)]
        if self.bits(2) == 0:
            spsr_modes = [ALL_MODES] * 5
        self.initial_spsr_modes = tuple(spsr_modes)
        self.known = Known([None] * 30, BIT[self.mode], spsr_modes)
        for r in self.protected:
            for p in PHYSICAL[ALL_MODES][r]:
                self.known.ranges[p] = (BASE_LOW, BASE_HIGH)

    def finish(self) -> Stream:
        self.bind(everything=True)
        end = self.here()
        code = self.words + [e.NOP] * (SLOTS - len(self.words)) + self.pool
        data = b"".join(w.to_bytes(4, "little") for w in code)
        block = (self.address, data)
        return Stream(block, end, self.mode, self.protected, self.initial_spsr_modes)

    # What is known.

    def range_of(self, r: int) -> Range | None:
        low, high = 1 << 32, 0
        for p in PHYSICAL[self.known.modes][r]:
            one = self.known.ranges[p]
            if one is None:
                return None
            low, high = min(low, one[0]), max(high, one[1])
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
        return self.address + 4 * len(self.words)

    def emit(self, word: int) -> None:
        self.words.append(word)

    def literal(self, value: int = 0) -> int:
        """A new word of the pool; its index."""
        self.pool.append(value)
        return len(self.pool) - 1

    def literal_address(self, slot: int) -> int:
        return self.address + 4 * (SLOTS + slot)

    def load_literal(self, r: int, slot: int, cond: int = AL) -> None:
        """ldr r, [pc, #offset of the literal]"""
        offset = self.literal_address(slot) - self.here() - 8
        self.emit(e.ldst(cond, 1, 0, 1, 1, 0, r, 15, offset))
        if r < 15:
            self.wrote(r)

    def jump(self, patch: Callable[[int], None], there: Known | None = None) -> None:
        """The last instruction may jump a little forward; patch(target) when that is known."""
        skip = 1 + self.bits(2)
        self.pending.append((len(self.words) + skip, there or self.known.copy(), patch))

    def bind(self, everything: bool = False) -> None:
        """Jumps that are due land here. Called only between whole idioms."""
        index = len(self.words)
        waiting = []
        for entry in self.pending:
            if everything or entry[0] <= index:
                entry[2](self.here())
                self.known.join(entry[1])
            else:
                waiting.append(entry)
        self.pending = waiting

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
        """A register that is no base, none of `but`."""
        while True:
            r = self.free[self.rng.randrange(11)]
            if r not in but:
                return r

    def base(self, below: int, above: int) -> tuple[int, Range]:
        """A register r, and its range, with [r - below, r + above) certainly in the window."""
        start = self.bits(2)
        for i in range(4):
            r = self.protected[(start + i) & 3]
            found = self.range_of(r)
            if found and WINDOW + below <= found[0] and found[1] + above <= WINDOW + WINDOW_SIZE:
                return r, found
        return self.new_base()

    def new_base(self) -> tuple[int, Range]:
        r = self.protected[self.bits(2)]
        if len(PHYSICAL[self.known.modes][r]) > 1:
            r = self.protected[self.bits(1)]
        if self.bits(1):
            value = BASE_LOW + (self.bits(12) & ~3)
            self.load_literal(r, self.literal(value))
            found = (value, value)
        else:
            # Whatever is in some register, masked into the window.
            self.emit(e.dp(AL, AND, self.bits(1), r, self.any(), e.imm(0xFF0)))
            self.emit(e.dp(AL, ADD, self.bits(1), r, r, e.imm(RAM)))
            self.emit(e.dp(AL, ADD, self.bits(1), r, r, e.imm(WINDOW - RAM + 0x2000)))
            found = (WINDOW + 0x2000, WINDOW + 0x2FF0)
        self.wrote(r, found)
        return r, found
