# SPDX-License-Identifier: Apache-2.0
"""Instructions as people read them: the function that they are in, and what they do."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

import capstone  # type: ignore[import-untyped]

from switchyard.errors import InputError
from switchyard.tools.layout.elf import (
    EXECUTABLE,
    FUNC,
    MACHINE_386,
    MACHINE_ARM,
    MACHINE_RISCV,
    NOTYPE,
    Elf,
)

# CP15 (SA-1110 DM 5.2; ARM926EJ-S TRM 2.3): the registers, and operations by CRn, CRm, opcode 2.
REGISTERS = {1: "control", 2: "ttb", 3: "dacr", 5: "fault status", 6: "fault address", 13: "pid"}
OPERATIONS = {
    (7, 0, 4): "wait for an interrupt",
    (7, 5, 0): "empty the instruction cache",
    (7, 5, 1): "forget a line of the instruction cache",
    (7, 6, 0): "empty the data cache",
    (7, 6, 1): "forget a line of the data cache",
    (7, 7, 0): "empty both caches",
    (7, 10, 1): "clean a line of the data cache",
    (7, 10, 3): "clean a dirty line, if there is one",
    (7, 10, 4): "drain the write buffer",
    (7, 14, 1): "clean and forget a line of the data cache",
    (7, 14, 3): "clean and forget a dirty line, if there is one",
    (8, 5, 0): "empty the instruction TLB",
    (8, 5, 1): "forget an entry of the instruction TLB",
    (8, 6, 0): "empty the data TLB",
    (8, 6, 1): "forget an entry of the data TLB",
    (8, 7, 0): "empty both TLBs",
    (8, 7, 1): "forget an entry of both TLBs",
}
CP15 = re.compile(r"(m[cr][rc])\S*\s+p15, #\d+, (\w+), c(\d+), c(\d+), #(\d+)")
THUMB_DIGITS = 4
# A branch to an address: ARM's, and IA-32's.
BRANCH = re.compile(r"(b\w*|j\w+|call)(\.w)? +#?(0x[0-9a-f]+)")


class Names:
    """The functions of ELF files; where files overlap, those of the first are found."""

    def __init__(self, files: Iterable[Path]) -> None:
        self._files = [functions for file in files if (functions := _functions(file))]

    def place(self, address: int) -> str:
        """An address as `function+0x10`; nothing where no function is known."""
        place = self.find(address)
        if place is None:
            return ""
        return f"{place[0]}+{place[1]:#x}" if place[1] else place[0]

    def find(self, address: int) -> tuple[str, int] | None:
        """The function in which an address lies, and how far from its start."""
        for functions in self._files:
            behind = bisect_right(functions, address, key=lambda function: function[0])
            if behind and address < functions[behind - 1][1]:
                start, _, name = functions[behind - 1]
                return name, address - start
        return None


def _functions(file: Path) -> list[tuple[int, int, str]]:
    """Start, end and name, sorted; a label without a size ends where the next one begins."""
    with suppress(InputError):
        elf = Elf(file, EXECUTABLE, (MACHINE_ARM, MACHINE_386, MACHINE_RISCV))
        labels = []
        for symbol in elf.symbols:
            wanted = symbol.kind in (NOTYPE, FUNC) and symbol.name and symbol.name[0] not in "$."
            if wanted and 0 < symbol.section < len(elf.sections):
                section = elf.sections[symbol.section]
                start = symbol.value & ~1  # bit 0: Thumb
                if section.is_code and start < section.address + section.size:
                    labels.append((start, symbol.size, symbol.name, section))
        # at one address the one with a size, which is the function's own name, comes last
        labels.sort(key=lambda label: label[:3])
        starts = sorted({label[0] for label in labels})
        following = dict(pairwise(starts))
        return [
            (start, start + size, name)
            if size
            else (start, min(following.get(start, end), end), name)
            for start, size, name, section in labels
            for end in (section.address + section.size,)
        ]
    return []


class Disassembler:
    """Instructions in words, as the manuals write them."""

    def __init__(self, system: Sequence[str]) -> None:
        """For a processor by the names of its registers of the system."""
        arm, riscv = "ttb" in system, "satp" in system
        arch = (capstone.CS_ARCH_ARM, capstone.CS_MODE_ARM)
        thumb = (capstone.CS_ARCH_ARM, capstone.CS_MODE_THUMB)
        ia32 = (capstone.CS_ARCH_X86, capstone.CS_MODE_32)
        wide = (capstone.CS_ARCH_RISCV, capstone.CS_MODE_RISCV64 | capstone.CS_MODE_RISCVC)
        self._arm = arm
        self._as_number = arm or riscv  # of which the lowest byte is the first
        self._usual = capstone.Cs(*(arch if arm else wide if riscv else ia32))
        self._thumb = capstone.Cs(*thumb)
        for decoder in (self._usual, self._thumb) if arm else ():
            decoder.syntax = capstone.CS_OPT_SYNTAX_NOREGNAME  # r10, and not sl

    def text(self, pc: int, code: str, names: Names) -> str:
        """An instruction by its encoding, as the simulator writes it; branches go to names."""
        image = bytes.fromhex(code)
        if self._as_number:
            image = image[::-1]
        thumb = self._arm and len(code) == THUMB_DIGITS
        decoded = next((self._thumb if thumb else self._usual).disasm(image, pc), None)
        if decoded is None:
            return f"? {code}"
        text = f"{decoded.mnemonic} {decoded.op_str}".strip()
        branch = BRANCH.fullmatch(text)
        if branch and (place := names.place(int(branch[3], 16))):
            return f"{branch[1]} {place}"
        meant = cp15(text) if self._arm else ""
        return f"{meant}  ; {text}" if meant else text


def cp15(text: str) -> str:
    """What an access to the system control coprocessor does; nothing if the text is none."""
    match = CP15.fullmatch(text)
    if match is None:
        return ""
    numbers = int(match[3]), int(match[4]), int(match[5])
    name = REGISTERS.get(numbers[0])
    if name:
        return f"{name} = {match[2]}" if match[1] == "mcr" else f"{match[2]} = {name}"
    return OPERATIONS.get(numbers, "")
