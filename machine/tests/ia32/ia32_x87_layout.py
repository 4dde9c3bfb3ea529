# SPDX-License-Identifier: Apache-2.0
"""A record of the floating-point unit (ia32_x87.py), and the instruction that is tried on it."""

from __future__ import annotations

from dataclasses import dataclass

import capstone  # type: ignore[import-untyped]

# Where what is in a record.
STATE_BYTES = 108
OPERAND, AFTER, FLAGS, AX, RECORD = 112, 144, 252, 256, 264
# Of a state: three words, the last instruction and its operand (which differ), the registers.
LAST = range(12, 28)
LAST_IN = {"28e": LAST, "14e": range(6, 14)}
STACK = 28


@dataclass(frozen=True)
class Operation:
    """An instruction: its opcode, and its ModRM byte or, with a memory operand, the `reg` field."""

    opcode: int
    modrm: int
    # The format of the operand: bits and s(igned), r(eal), d(ecimal) or w(ord); bytes of an
    # e(nvironment).
    memory: str = ""
    prefix: bytes = b""

    def code(self) -> bytes:
        if self.memory:
            return self.prefix + bytes([self.opcode, 0x46 | self.modrm << 3, OPERAND])
        return self.prefix + bytes([self.opcode, self.modrm])

    def text(self) -> str:
        disassembler = capstone.Cs(capstone.CS_ARCH_X86, capstone.CS_MODE_32)
        for insn in disassembler.disasm(self.code(), 0):
            return f"{insn.mnemonic} {insn.op_str}".strip()
        return self.code().hex(" ")
