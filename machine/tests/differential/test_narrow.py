# SPDX-License-Identifier: Apache-2.0
"""What the random streams leave out because Unicorn's SA-1110 is no reference for it.

Each expected answer is Unicorn's for an equivalent that it does execute as an ARMv4 does, plus the
rule of the ARM ARM (DDI 0100) that makes the two equivalent; or it is the rule alone.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace

import encode as e
import pytest
from builder import BASE_LOW, CODE, CODE_END, WINDOW, WINDOW_SIZE
from encode import ADC, ADD, AL, AND, BIC, CMP, EOR, MOV, MVN, ORR, RSB, RSC, SBC, SUB
from reference import Reference
from undefined import GROUPS, USER_ONLY, make
from vectors import (
    CPSR,
    MODE_NAMES,
    MODES,
    NONE,
    PC,
    SPSR_INDEX,
    SYS,
    UND,
    UNDEFINED,
    USR,
    Answer,
    Case,
    MachineRun,
    machine_command,
    reg_index,
)

ONES = 0xFFFFFFFF
# Bits that a PSR of ARMv4 has.
PSR_BITS = 0xF00000DF


@dataclass
class Pair:
    """A case for the machine, and what it must answer."""

    name: str
    case: Case
    expected: Answer


class Maker:
    """Builds cases at fresh code addresses, with a common window."""

    def __init__(self, seed: str) -> None:
        self.rng = random.Random(seed)
        self.reference = Reference()
        self.window = self.rng.randbytes(WINDOW_SIZE)
        self.address = CODE
        self.pairs: list[Pair] = []

    def state(self, mode: int) -> list[int]:
        s = [self.rng.getrandbits(32) for _ in range(37)]
        for i in range(30, 35):
            s[i] = s[i] & 0xF00000C0 | self.rng.choice(MODES)
        s[CPSR] = s[CPSR] & 0xF00000C0 | mode
        s[PC] = self.address
        return s

    def case(self, state: list[int], *words: int) -> Case:
        code = b"".join(w.to_bytes(4, "little") for w in words)
        blocks = ((self.address, code), (WINDOW, self.window))
        ranges = ((WINDOW, WINDOW_SIZE),)
        end = self.address + 4 * len(words)
        return Case(len(self.pairs), len(words), tuple(state), blocks, ranges, end)

    def expect(self, name: str, case: Case, expected: Answer) -> None:
        self.pairs.append(Pair(name, case, expected))
        self.address += 64
        if self.address > CODE_END:
            self.address = CODE
            self.reference.flush_code()


def check(pairs: list[Pair], core: str = "sa1110") -> None:
    answers = MachineRun(machine_command(core), [p.case for p in pairs]).answers()
    wrong = []
    for pair, answer in zip(pairs, answers, strict=True):
        if answer != pair.expected:
            words = [f"{int.from_bytes(pair.case.blocks[0][1][:4], 'little'):08x}"]
            differing = answer.differences(pair.expected)
            wrong.append(f"{pair.name} ({words[0]}): {differing[:6]}")
    head = f"{len(wrong)} of {len(pairs)} differ (machine / expected):\n"
    assert not wrong, head + "\n".join(wrong[:20])


# What both architectures do alike.
both_cores = pytest.mark.parametrize("core", ["sa1110", "arm926"])


def rotated(value: int, by: int) -> int:
    return (value >> by | value << (32 - by)) & ONES if by else value


@pytest.mark.parametrize("mode", MODES, ids=MODE_NAMES.values())
def test_undefined_instructions(mode: int) -> None:
    """Everything that later architectures put into ARMv4's undefined spaces; Thumb's BX too."""
    m = Maker(f"undefined/{mode}")
    for rows in GROUPS.values():
        if rows is USER_ONLY and mode != USR:
            continue
        for row in rows:
            for _ in range(6):
                state = m.state(mode)
                word = make(row, m.rng, AL)
                case = m.case(state, word)
                expected = m.reference.run(case)
                assert expected.exception == UNDEFINED, (row.name, hex(word))
                m.expect(row.name, case, expected)
    check(m.pairs)


def test_undefined_instructions_that_fail_their_condition() -> None:
    """An undefined instruction whose condition fails does nothing (A3.15.1)."""
    m = Maker("undefined/condition")
    for rows in GROUPS.values():
        for row in rows:
            state = m.state(USR)
            state[CPSR] |= 1 << 30  # Z: NE fails
            m_case = m.case(state, make(row, m.rng, 1))
            expected = m.reference.run(m_case)
            assert expected.exception == NONE
            m.expect(row.name, m_case, expected)
    check(m.pairs)


Fix = Callable[[Answer, int], Answer]


def unaligned(m: Maker, name: str, word: int, rn: int, fix: Fix) -> None:
    """The same instruction with an aligned base on Unicorn, corrected for the low two bits."""
    for low in range(4):
        state = m.state(SYS)
        base = reg_index(SYS, rn)
        state[base] = BASE_LOW + 4 * m.rng.randrange(64)
        aligned = m.reference.run(m.case(state, word))
        state[base] += low
        m.expect(f"{name} +{low}", m.case(state, word), fix(aligned, low))


def with_state(answer: Answer, changes: dict[int, int]) -> Answer:
    state = list(answer.state)
    for index, value in changes.items():
        state[index] = value & ONES
    return replace(answer, state=tuple(state))


@both_cores
def test_unaligned_word_loads_rotate(core: str) -> None:
    """LDR and SWP from an address that is no multiple of 4 (A4.1.23, A4.1.108): the word that
    contains the byte, rotated right by 8 * address[1:0]. Unicorn reads from the address itself."""
    m = Maker("unaligned/load")
    for rd, rn in ((1, 2), (14, 0), (3, 13)):
        for p, w, up in ((1, 0, 1), (1, 0, 0), (1, 1, 1), (0, 0, 1), (0, 0, 0), (0, 1, 1)):
            for offset in (0, 4, 0x40):

                def load(a: Answer, low: int, rd: int = rd, rn: int = rn) -> Answer:
                    d, n = reg_index(SYS, rd), reg_index(SYS, rn)
                    # With or without writeback the base keeps its low bits.
                    return with_state(a, {d: rotated(a.state[d], 8 * low), n: a.state[n] + low})

                unaligned(m, "ldr", e.ldst(AL, 1, 0, p, up, w, rd, rn, offset), rn, load)
        for rm in (4, rd):

            def swp(a: Answer, low: int, rd: int = rd, rn: int = rn) -> Answer:
                d, n = reg_index(SYS, rd), reg_index(SYS, rn)
                return with_state(a, {d: rotated(a.state[d], 8 * low), n: a.state[n] + low})

            unaligned(m, "swp", e.swp(AL, 0, rd, rm, rn), rn, swp)
    check(m.pairs, core)


@both_cores
def test_unaligned_word_stores_and_block_transfers_ignore_the_low_bits(core: str) -> None:
    """STR, LDM and STM take address[1:0] as zero (A4.1.99, A4.1.20, A4.1.97)."""
    m = Maker("unaligned/store")

    def same(rn: int) -> Fix:
        def fix(a: Answer, low: int) -> Answer:
            n = reg_index(SYS, rn)
            return with_state(a, {n: a.state[n] + low})

        return fix

    for rn in (0, 6, 13):
        for p, w, up in ((1, 0, 1), (1, 1, 0), (0, 0, 1), (0, 1, 0)):
            unaligned(m, "str", e.ldst(AL, 0, 0, p, up, w, 5, rn, 8), rn, same(rn))
        for load in (0, 1):
            for p in (0, 1):
                for up in (0, 1):
                    for w in (0, 1):
                        registers = 0x5A9C & ~(1 << rn)
                        name = "ldm" if load else "stm"
                        word = e.ldm(AL, load, p, up, 0, w, rn, registers)
                        unaligned(m, name, word, rn, same(rn))
    check(m.pairs, core)


@both_cores
def test_every_data_processing_operation_returns(core: str) -> None:
    """Rd = pc with S restores CPSR, for all twelve operations (A4.1, "if S == 1 and Rd == R15").

    Unicorn does so only for MOVS and SUBS; the others must end like a MOVS to the same address."""
    m = Maker("returns")
    operations = (MOV, MVN, ADD, SUB, RSB, ADC, SBC, RSC, AND, ORR, EOR, BIC)
    for mode in SPSR_INDEX:
        for to in MODES:
            for op in operations:
                target = m.address + 32
                state = m.state(mode)
                state[CPSR] |= 1 << 29
                spsr = SPSR_INDEX[mode]
                state[spsr] = state[spsr] & ~31 | to
                x, y = _operands(op, target, m.rng)
                moved = list(state)
                moved[0], moved[1] = target, y
                mov = m.reference.run(m.case(moved, e.dp(AL, MOV, 1, 15, 0, e.shifted(0))), 1)
                assert mov.state[PC] == target
                assert mov.state[CPSR] == state[spsr]
                state[0], state[1] = x, y
                # dp r15, r0, r1; MOV and MVN have no first operand.
                rn, rm = (0, 0) if op in (MOV, MVN) else (0, 1)
                word = e.dp(AL, op, 1, 15, rn, e.shifted(rm))
                m.reference.flush_code()
                m.expect(f"op {op} {mode:#x}", m.case(state, word), with_state(mov, {0: x, 1: y}))
    check(m.pairs, core)


def _operands(op: int, t: int, rng: random.Random) -> tuple[int, int]:
    """r0, r1 such that `op` gives t; the carry is set."""
    v = rng.getrandbits(32)
    pairs = {
        MOV: (t, v),
        MVN: (~t, v),
        ADD: (t - v, v),
        SUB: (t + v, v),
        RSB: (v - t, v),
        ADC: (t - v - 1, v),
        SBC: (t + v, v),
        RSC: (v - t, v),
        AND: (t | v, t | ~v),
        ORR: (t & v, t & ~v),
        EOR: (t ^ v, v),
        BIC: (t | v, v & ~t),
    }
    x, y = pairs[op]
    return x & ONES, y & ONES


def test_reserved_psr_bits_stay_zero() -> None:
    """MSR with ones everywhere: a PSR of ARMv4 has N, Z, C, V, I, F and the mode, nothing else."""
    m = Maker("psr")
    for mode in MODES:
        for mask in range(1, 16):
            for spsr in (0, 1):
                if spsr and mode not in SPSR_INDEX:
                    continue
                state = m.state(mode)
                # SYS is a valid mode with all bits set; T (bit 5) is not ARMv4's.
                state[0] = 0xFFFFFFDF
                case = m.case(state, e.msr_reg(AL, spsr, mask, 0))
                fields = (0xFF if mask & 1 else 0) | (0xFF000000 if mask & 8 else 0)
                if mode == USR:
                    fields &= 0xFF000000
                fields &= PSR_BITS
                index = SPSR_INDEX[mode] if spsr else CPSR
                after = list(state)
                after[PC] += 4
                after[index] = state[index] & ~fields | state[0] & fields
                answer = Answer(1, NONE, tuple(after), m.window)
                m.expect(f"msr {mode:#x} {mask}", case, answer)
    check(m.pairs)


@both_cores
def test_stored_pc_is_eight_ahead(core: str) -> None:
    """STR and STM of pc store the instruction's address + 8 (README.md has the source)."""
    m = Maker("stored pc")
    for rn in (0, 4, 13):
        for word in (
            e.ldst(AL, 0, 0, 1, 1, 0, 15, rn, 8),
            e.ldst(AL, 0, 0, 0, 1, 0, 15, rn, 8),
            e.ldm(AL, 0, 1, 0, 0, 1, rn, 0x8000),
            e.ldm(AL, 0, 0, 1, 0, 0, rn, 0x8102),
            e.ldm(AL, 0, 0, 1, 1, 0, rn, 0x8102),
        ):
            state = m.state(UND)
            state[reg_index(UND, rn)] = BASE_LOW
            case = m.case(state, word)
            answer = m.reference.run(case)
            stored = (m.address + 8).to_bytes(4, "little")
            assert stored in answer.memory
            m.expect("stored pc", case, answer)
    check(m.pairs, core)


@both_cores
def test_compare_with_pc_operand(core: str) -> None:
    """pc read as an operand is the instruction's address + 8, in every position."""
    m = Maker("pc operand")
    for word in (
        e.dp(AL, CMP, 1, 0, 15, e.imm(0)),
        e.dp(AL, ADD, 0, 3, 15, e.shifted(15)),
        e.dp(AL, MOV, 1, 3, 0, e.shifted(15, 1, 4)),
        e.ldst(AL, 1, 0, 1, 1, 0, 3, 15, 0),
    ):
        case = m.case(m.state(SYS), word, e.NOP, e.NOP)
        m.expect("pc", case, m.reference.run(case))
    check(m.pairs, core)
