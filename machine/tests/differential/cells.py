# SPDX-License-Identifier: Apache-2.0
"""Which parts of the instruction set a stream reached: a classifier of executed instructions.

It decodes the words by itself (it does not ask the generator what it meant), looks at the registers
before and after, and names the cells that were hit. `ALL_CELLS` is the table that has to be full.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from undefined import GROUPS
from vectors import MODE_NAMES, MODES, NONE, SWI, SYS, USR

Cell = tuple[object, ...]


def names(text: str) -> list[str]:
    return text.split()


OPS = names("and eor sub rsb add adc sbc rsc tst teq cmp cmn orr mov bic mvn")
CONDS = names("eq ne cs cc mi pl vs vc hi ls ge lt gt le al")
SHIFTS = names("lsl lsr asr ror")
TESTS = OPS[8:12]
BLOCK_MODES = ("da", "ia", "db", "ib")
SINGLE_MODES = ("offset", "pre", "post", "user")
PRIVILEGED = [m for m in MODES if m != USR]
BANKED = [m for m in PRIVILEGED if m != SYS]


def condition(cond: int, cpsr: int) -> bool:
    n, z, c, v = cpsr >> 31 & 1, cpsr >> 30 & 1, cpsr >> 29 & 1, cpsr >> 28 & 1
    value = (
        z,
        c,
        n,
        v,
        c and not z,
        n == v,
        n == v and not z,
        True,
    )[cond >> 1]
    return bool(value) != bool(cond & 1)


def shift_form(word: int) -> str:
    """Of a shift by a constant."""
    kind, amount = word >> 5 & 3, word >> 7 & 31
    if amount == 0:
        return ("lsl #0", "lsr #32", "asr #32", "rrx")[kind]
    return SHIFTS[kind] + " #n"


IMMEDIATE_SHIFTS = [
    "lsl #0",
    "lsl #n",
    "lsr #n",
    "lsr #32",
    "asr #n",
    "asr #32",
    "ror #n",
    "rrx",
]
AMOUNTS = ("0", "1..31", "32", "33..255")


def amount_class(amount: int) -> str:
    amount &= 255
    return AMOUNTS[0 if amount == 0 else 1 if amount < 32 else 2 if amount == 32 else 3]


def cells(word: int, before: Sequence[int], after: Sequence[int], exception: int) -> Iterator[Cell]:
    """What this instruction hit. before, after: r0 to r15 and CPSR."""
    cond = word >> 28
    passed = condition(cond, before[16])
    yield ("condition", CONDS[cond], passed)
    if not passed:
        return
    kind = word >> 25 & 7
    mode = before[16] & 31
    if exception != NONE:
        if exception == SWI:
            yield ("swi", MODE_NAMES[mode])
        else:
            yield ("undefined", MODE_NAMES[mode])
            yield from _undefined_group(word)
    elif kind == 0 and word & 0x90 == 0x90:
        yield from _extension(word)
    elif kind < 2 and word & 0x01900000 == 0x01000000:
        yield from _status(word, before, after)
    elif kind < 2:
        yield from _data_processing(word, before, after)
    elif kind < 4:
        yield from _single(word)
    elif kind == 4:
        yield from _block(word, before)
    elif kind == 5:
        yield ("branch", "bl" if word >> 24 & 1 else "b")


def _undefined_group(word: int) -> Iterator[Cell]:
    for group, rows in GROUPS.items():
        for row in rows:
            if word & 0x0FFFFFFF & ~row.free == row.bits:
                yield ("undefined", group)


def _data_processing(word: int, before: Sequence[int], after: Sequence[int]) -> Iterator[Cell]:
    op, s, rd = OPS[word >> 21 & 15], word >> 20 & 1, word >> 12 & 15
    if rd == 15 and op not in TESTS:
        yield ("pc written", op, s)
        if s:
            yield ("return", MODE_NAMES[before[16] & 31], MODE_NAMES[after[16] & 31])
        return
    if word >> 25 & 1:
        form = "#imm ror n" if word & 0xF00 else "#imm"
    elif word >> 4 & 1:
        amount = amount_class(before[word >> 8 & 15])
        form = f"{SHIFTS[word >> 5 & 3]} by register {amount}"
    else:
        form = shift_form(word)
        if word & 15 == 15:
            yield ("pc read", "rm")
    if word >> 16 & 15 == 15:
        yield ("pc read", "rn")
    yield ("data processing", op, s, form)
    if s:
        for bit, flag in enumerate("vczn", 28):
            yield ("flag", op, flag, after[16] >> bit & 1)


def _extension(word: int) -> Iterator[Cell]:
    """Multiplies, swaps and halfword transfers: bits 7 and 4 set."""
    load, p, w, up = word >> 20 & 1, word >> 24 & 1, word >> 21 & 1, word >> 23 & 1
    sh = word >> 5 & 3
    if sh:
        name = ("ldrh", "ldrsb", "ldrsh")[sh - 1] if load else "strh"
        form = ("-", "+")[up] + ("imm" if word >> 22 & 1 else "register")
        yield ("half", name, SINGLE_MODES[(2, 2, 0, 1)[p << 1 | w]], form)
    elif word >> 24 & 1:
        yield ("swap", "swpb" if word >> 22 & 1 else "swp")
    else:
        name = ("mul", "mla", "", "", "umull", "umlal", "smull", "smlal")[word >> 21 & 7]
        yield ("multiply", name, word >> 20 & 1)


def _status(word: int, before: Sequence[int], after: Sequence[int]) -> Iterator[Cell]:
    psr = "spsr" if word >> 22 & 1 else "cpsr"
    mode = before[16] & 31
    if not word >> 21 & 1:
        yield ("mrs", psr, MODE_NAMES[mode])
        return
    yield ("msr", psr, "imm" if word >> 25 & 1 else "register", word >> 16 & 15)
    if psr == "spsr":
        yield ("msr spsr in", MODE_NAMES[mode])
    elif word >> 16 & 1:
        yield ("mode written", MODE_NAMES[mode], MODE_NAMES[after[16] & 31])


def _single(word: int) -> Iterator[Cell]:
    p, w, up = word >> 24 & 1, word >> 21 & 1, word >> 23 & 1
    name = ("str", "ldr", "strb", "ldrb")[(word >> 22 & 1) * 2 + (word >> 20 & 1)]
    mode = SINGLE_MODES[(2, 3, 0, 1)[p << 1 | w]]
    if word >> 12 & 15 == 15:
        yield ("pc transferred", name)
        return
    if word >> 16 & 15 == 15:
        yield ("pc read", "base")
        return
    form = shift_form(word) if word >> 25 & 1 else "#imm"
    yield ("single", name, mode, ("-", "+")[up] + form)


def _block(word: int, before: Sequence[int]) -> Iterator[Cell]:
    name = "ldm" if word >> 20 & 1 else "stm"
    mode, w, user, pc = BLOCK_MODES[word >> 23 & 3], word >> 21 & 1, word >> 22 & 1, word >> 15 & 1
    yield ("block", name, mode, w, "^" if user else "", "pc" if pc else "")
    if user and not pc:
        yield ("user bank", name, MODE_NAMES[before[16] & 31])
    base, count = word >> 16 & 15, (word & 0xFFFF).bit_count()
    yield ("block length", name, count if count < 12 else "12 and more")
    if word >> base & 1 and name == "stm" and w:
        yield ("block", "stm base first, writeback")


def _all() -> Iterator[Cell]:
    for cond, passed in itertools.product(CONDS, (True, False)):
        if (cond, passed) != ("al", False):
            yield ("condition", cond, passed)
    forms = ["#imm", "#imm ror n", *IMMEDIATE_SHIFTS]
    forms += [f"{s} by register {a}" for s in SHIFTS for a in AMOUNTS]
    for op, s, form in itertools.product(OPS, (0, 1), forms):
        if s or op not in TESTS:
            yield ("data processing", op, s, form)
    for op, flag, value in itertools.product(OPS, "nzcv", (0, 1)):
        yield ("flag", op, flag, value)
    for op, s in itertools.product(OPS, (0, 1)):
        # With S only those that Unicorn knows as returns; test_narrow.py has the others.
        if op not in TESTS and (not s or op in ("mov", "sub")):
            yield ("pc written", op, s)
    for source, target in itertools.product(BANKED, MODES):
        yield ("return", MODE_NAMES[source], MODE_NAMES[target])
    yield from (("pc read", what) for what in ("rn", "rm", "base"))
    for name, mode, sign, form in itertools.product(
        ("ldrh", "strh", "ldrsb", "ldrsh"), SINGLE_MODES[:3], "+-", ("imm", "register")
    ):
        yield ("half", name, mode, sign + form)
    yield from (("swap", name) for name in ("swp", "swpb"))
    for name, s in itertools.product(("mul", "mla", "umull", "umlal", "smull", "smlal"), (0, 1)):
        yield ("multiply", name, s)
    for m in map(MODE_NAMES.__getitem__, MODES):
        yield ("mrs", "cpsr", m)
        yield ("swi", m)
        yield ("undefined", m)
    for m in map(MODE_NAMES.__getitem__, BANKED):
        yield ("mrs", "spsr", m)
        yield ("msr spsr in", m)
        yield from (("user bank", name, m) for name in ("ldm", "stm"))
    for psr, form, mask in itertools.product(("cpsr", "spsr"), ("imm", "register"), range(1, 16)):
        yield ("msr", psr, form, mask)
    yield ("mode written", "usr", "usr")
    for source, target in itertools.product(PRIVILEGED, MODES):
        yield ("mode written", MODE_NAMES[source], MODE_NAMES[target])
    yield from (("pc transferred", name) for name in ("ldr", "str"))
    for name, mode, sign, form in itertools.product(
        ("ldr", "str", "ldrb", "strb"), SINGLE_MODES, "+-", ["#imm", *IMMEDIATE_SHIFTS]
    ):
        # RRX with carry sets bit 31 of the offset; only without writeback is that of use, but
        # without carry it is an ordinary offset: all modes occur.
        yield ("single", name, mode, sign + form)
    for name, mode, w, user, pc in itertools.product(
        ("ldm", "stm"), BLOCK_MODES, (0, 1), ("", "^"), ("", "pc")
    ):
        # The user bank has no writeback; LDM ^ with pc is the exception return.
        if not (user and w and (name == "stm" or not pc)):
            yield ("block", name, mode, w, user, pc)
    for name, count in itertools.product(("ldm", "stm"), (*range(1, 12), "12 and more")):
        yield ("block length", name, count)
    yield ("block", "stm base first, writeback")
    yield from (("branch", name) for name in ("b", "bl"))
    yield from (("undefined", group) for group in GROUPS)


ALL_CELLS = frozenset(_all())
