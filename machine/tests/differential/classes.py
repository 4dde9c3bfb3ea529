# SPDX-License-Identifier: Apache-2.0
"""What ARMv5TE adds, by encoding: which of it a stream executed. Decoded apart from the generator.

Rows are (name, mask, value) over the ARM word or the Thumb half. cells.py has the same for ARMv4,
in finer cells.
"""

from __future__ import annotations

from collections.abc import Iterator

Row = tuple[str, int, int]


def _arm() -> Iterator[Row]:
    yield ("clz", 0x0FFF0FF0, 0x016F0F10)
    for i, name in enumerate(("qadd", "qsub", "qdadd", "qdsub")):
        yield (name, 0x0FF00FF0, 0x01000050 | i << 21)
    for x, y in ((0, 0), (1, 0), (0, 1), (1, 1)):
        halves = "bt"[x] + "bt"[y]
        bits = x << 5 | y << 6
        yield ("smla" + halves, 0x0FF000F0, 0x01000080 | bits)
        yield ("smlal" + halves, 0x0FF000F0, 0x01400080 | bits)
        yield ("smul" + halves, 0x0FF000F0, 0x01600080 | bits)
        if not x:
            yield ("smlaw" + "bt"[y], 0x0FF000F0, 0x01200080 | bits)
            yield ("smulw" + "bt"[y], 0x0FF000F0, 0x012000A0 | bits)
    for name, bits in (("ldrd", 0xD0), ("strd", 0xF0)):
        for form, immediate in (("immediate", 1 << 22), ("register", 0)):
            for mode, pw in (("offset", 1 << 24), ("pre", 9 << 21), ("post", 0)):
                for sign, up in (("+", 1 << 23), ("-", 0)):
                    value = bits | immediate | pw | up
                    yield (f"{name} {mode} {sign}{form}", 0x0FF000F0, value)
    for sign, up in (("+", 1 << 23), ("-", 0)):
        yield (f"pld {sign}immediate", 0xFFF0F000, 0xF550F000 & ~(1 << 23) | up)
        yield (f"pld {sign}register", 0xFFF0F010, 0xF750F000 & ~(1 << 23) | up)
    for name, bits in (("bx", 0x10), ("bxj", 0x20), ("blx", 0x30)):
        yield (name, 0x0FFFFFF0, 0x012FFF00 | bits)
    yield ("blx constant, half 0", 0xFF000000, 0xFA000000)
    yield ("blx constant, half 2", 0xFF000000, 0xFB000000)
    yield ("bkpt", 0xFFF000F0, 0xE1200070)


def _thumb() -> Iterator[Row]:
    for i, name in enumerate(("lsl", "lsr", "asr")):
        yield (f"{name} constant", 0xF800, i << 11)
        yield (f"{name} constant 0", 0xFFC0, i << 11)
    for i, name in enumerate(("add register", "sub register", "add 3 bits", "sub 3 bits")):
        yield (name, 0xFE00, 0x1800 | i << 9)
    for i, name in enumerate(("mov", "cmp", "add", "sub")):
        yield (f"{name} 8 bits", 0xF800, 0x2000 | i << 11)
    names = "and eor lsl lsr asr adc sbc ror tst neg cmp cmn orr mul bic mvn".split()
    for i, name in enumerate(names):
        yield (name, 0xFFC0, 0x4000 | i << 6)
    for i, name in enumerate(("add", "cmp", "mov")):
        for high in (1, 2, 3):
            yield (f"{name} high {high}", 0xFFC0, 0x4400 | i << 8 | high << 6)
    yield from (("mov pc", 0xFF87, 0x4687), ("add pc", 0xFF87, 0x4487))
    for name, bits in (("bx", 0), ("blx", 0x80)):
        yield (f"{name} low", 0xFFC7, 0x4700 | bits)
        yield (f"{name} high", 0xFFC7, 0x4740 | bits)
    yield from (("bx pc", 0xFFFF, 0x4778), ("ldr literal", 0xF800, 0x4800))
    for i, name in enumerate("str strh strb ldrsb ldr ldrh ldrb ldrsh".split()):
        yield (f"{name} register", 0xFE00, 0x5000 | i << 9)
    for i, name in enumerate("str ldr strb ldrb strh ldrh".split()):
        yield (f"{name} constant", 0xF800, 0x6000 + (i << 11))
    yield from (("str sp", 0xF800, 0x9000), ("ldr sp", 0xF800, 0x9800))
    yield from (("add pc constant", 0xF800, 0xA000), ("add sp constant", 0xF800, 0xA800))
    yield from (("sp up", 0xFF80, 0xB000), ("sp down", 0xFF80, 0xB080))
    yield from (("push", 0xFF00, 0xB400), ("push lr", 0xFF00, 0xB500))
    yield from (("pop", 0xFF00, 0xBC00), ("pop pc", 0xFF00, 0xBD00))
    yield from (("stmia", 0xF800, 0xC000), ("ldmia", 0xF800, 0xC800))
    for cond in range(14):
        yield (f"b condition {cond}", 0xFF00, 0xD000 | cond << 8)
    yield from (("swi", 0xFF00, 0xDF00), ("bkpt", 0xFF00, 0xBE00), ("udf", 0xFF00, 0xDE00))
    yield from (("b", 0xF800, 0xE000), ("bl", 0xF800, 0xF000))


ARM = tuple(_arm())
THUMB = tuple(_thumb())
# Who changes the state, and to which.
EXCHANGES = frozenset(
    (what, state)
    for what, states in {
        "arm bx": "at",
        "arm blx": "at",
        "arm bxj": "at",
        "arm blx constant": "t",
        "arm ldr pc": "at",
        "arm ldm pc": "at",
        "arm return": "at",
        "arm ldm return": "at",
        "thumb bx": "at",
        "thumb blx": "at",
        "thumb pop pc": "at",
        "thumb blx constant": "a",
    }.items()
    for state in states
)
ALL = frozenset(
    [("arm", name) for name, _, _ in ARM]
    + [("thumb", name) for name, _, _ in THUMB]
    + [("blx constant",)]
    + list(EXCHANGES)
)


def executed(word: int, thumb: int, after_thumb: int, passed: bool) -> Iterator[tuple[str, ...]]:
    """What the instruction was, with its half after it if it is a pair of Thumb halves."""
    state = "t" if after_thumb else "a"
    if thumb:
        half = word & 0xFFFF
        for name, mask, value in THUMB:
            if half & mask == value:
                yield ("thumb", name)
        if half & 0xFF80 == 0x4700:
            yield ("thumb bx", state)
        if half & 0xFF80 == 0x4780:
            yield ("thumb blx", state)
        if half & 0xFF00 == 0xBD00:
            yield ("thumb pop pc", state)
        if half & 0xF800 == 0xF000 and word >> 27 == 0x1D:
            yield ("blx constant",)
            yield ("thumb blx constant", state)
        return
    for name, mask, value in ARM:
        if word & mask == value and (passed or word >> 28 == 15):
            yield ("arm", name)
    if word >> 25 == 0x7D:
        yield ("arm blx constant", state)
    if not passed:
        return
    for name, bits in (("bx", 0x10), ("bxj", 0x20), ("blx", 0x30)):
        if word & 0x0FFFFFF0 == 0x012FFF00 | bits:
            yield ("arm " + name, state)
    if word >> 28 < 15:
        if word & 0x0C50F000 == 0x0410F000:
            yield ("arm ldr pc", state)
        if word & 0x0E508000 == 0x08108000:
            yield ("arm ldm pc", state)
        if word & 0x0E508000 == 0x08508000:
            yield ("arm ldm return", state)
        if word & 0x0C10F000 == 0x0010F000 and word >> 24 & 15 != 1:
            yield ("arm return", state)
