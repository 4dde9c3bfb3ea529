# SPDX-License-Identifier: Apache-2.0
"""What the ARMv5TE streams leave out because Unicorn's ARM926 is no reference for it: Thumb
encodings of later architectures, and BL whose halves stand apart. By the rules of the ARM ARM."""

from __future__ import annotations

import random

import pytest
from builder import CODE, WINDOW
from reference import enter_exception
from test_narrow import Pair, check
from vectors import CPSR, MODES, NONE, PC, UNDEFINED, Answer, Case, reg_index

THUMB = 0x20
# CBZ, CBNZ and IT and hints, which are undefined before ARMv6T2 (A7.1, table A6-1).
LATER = (0xB100, 0xB300, 0xB900, 0xBB00, 0xBF00)


def case(rng: random.Random, ident: int, mode: int, *halves: int) -> Case:
    """Thumb code from any registers, at an address of its own."""
    state = [rng.getrandbits(32) for _ in range(37)]
    for psr in (*range(30, 35), CPSR):
        state[psr] = state[psr] & 0xF80000C0 | mode
    state[CPSR] |= THUMB
    state[PC] = CODE + 64 * ident
    code = b"".join(half.to_bytes(2, "little") for half in halves)
    code += bytes(-len(code) % 4)
    blocks = ((state[PC], code), (WINDOW, bytes(4)))
    return Case(ident, len(halves), tuple(state), blocks, ((WINDOW, 4),))


@pytest.mark.parametrize("first", LATER)
def test_later_thumb_instructions_are_undefined(first: int) -> None:
    rng = random.Random(first)
    pairs = []
    for ident, mode in enumerate(MODES * 8):
        half = first | rng.getrandbits(8)
        instruction = case(rng, ident, mode, half)
        state = list(instruction.state)
        enter_exception(state, UNDEFINED, state[PC])
        expected = Answer(0, UNDEFINED, tuple(state), bytes(4))
        pairs.append(Pair(f"{half:04x}", instruction, expected))
    check(pairs, "arm926")


@pytest.mark.parametrize("exchange", [0, 1])
def test_the_halves_of_a_call_may_stand_apart(exchange: int) -> None:
    """BL and BLX: the first half adds to pc into r14, the second jumps by r14 (A7.1.17)."""
    rng = random.Random(exchange)
    pairs = []
    for ident, mode in enumerate(MODES * 8):
        high, low = rng.getrandbits(11), rng.getrandbits(11)
        if exchange:
            low &= ~1
        between = rng.randrange(1, 4)
        halves = (0xF000 | high, *[0x46C0] * between, (0xE800 if exchange else 0xF800) | low)
        call = case(rng, ident, mode, *halves)
        state = list(call.state)
        pc = state[PC]
        offset = (high - 0x800 if high & 0x400 else high) << 12
        target = pc + 4 + offset + 2 * low & 0xFFFFFFFF
        state[reg_index(mode, 14)] = pc + 2 * (between + 2) | 1
        state[PC] = target & ~3 if exchange else target
        if exchange:
            state[CPSR] &= ~THUMB
        expected = Answer(len(halves), NONE, tuple(state), bytes(4))
        pairs.append(Pair("blx" if exchange else "bl", call, expected))
    check(pairs, "arm926")
