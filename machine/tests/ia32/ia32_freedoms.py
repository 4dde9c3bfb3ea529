# SPDX-License-Identifier: Apache-2.0
"""What the manuals leave to a processor: the one table for every test that takes the host's
processor, Intel's or AMD's, as its reference.

An entry says of which instruction what may differ, and where that is written: SDM is Intel's
manual, APM is AMD's. The streams of integer code overwrite what is left open as soon as it has come
about, within what is allowed, or leave it out (`How`); records of the floating-point unit are
compared to the bit, and a difference must lie within entries (ia32_freedoms_x87.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import capstone  # type: ignore[import-untyped]
from ia32_vectors import EFLAGS, Answer, Case


class How(Enum):
    """What tests do about an entry."""

    SETTLED = "the stream makes one of what is allowed, and anything else still differs"
    MASKED = "not compared where it is undefined"
    LEFT_OUT = "the streams have none"
    ALLOWED = "a difference within it is counted"


@dataclass(frozen=True)
class Freedom:
    """One entry."""

    instruction: str
    what: str
    source: str
    how: How

    def line(self) -> str:
        return f"a documented freedom: {self.instruction}: {self.what} ({self.source})"


# ---- integer code and segments --------------------------------------------------------------

PUSH_SELECTOR = Freedom(
    "PUSH of a segment register, 32 bits",
    "the upper half of the stack's word is 0, or what it was",
    "SDM vol. 2, PUSH; vol. 3, 'Stack operations: selector pushes and pops'",
    How.SETTLED,
)
CALL_SELECTOR = Freedom(
    "CALL far, 32 bits",
    "the upper half of CS's word on the stack is padding: 0, or what it was",
    "SDM vol. 2, CALL, operation: 'padded with 16 high-order bits'",
    How.SETTLED,
)
BELOW_STACK = Freedom(
    "PUSHA, ENTER, CALL that fault",
    "what lies below the stack pointer may have been written",
    "SDM vol. 3, 'Stack operations: fault handling effects on the stack'",
    How.SETTLED,
)
SCAN_OF_ZERO = Freedom(
    "BSF, BSR of zero",
    "the destination is undefined (APM: it stays)",
    "SDM vol. 2, BSF and BSR",
    How.SETTLED,
)
UNDEFINED_FLAGS = Freedom(
    "those of README.md's table",
    "flags are undefined",
    "SDM vol. 1, appendix A, and vol. 2",
    How.MASKED,
)
DIVISION_FAULT = Freedom(
    "DIV, IDIV, AAM that fault",
    "the flags of the exception's frame, as these instructions leave them undefined",
    "SDM vol. 1, appendix A",
    How.MASKED,
)
SPLIT_LOCK = Freedom(
    "XCHG and LOCK across two lines of the cache",
    "#AC where the operating system has that switched on",
    "SDM vol. 3, 'Bus locking': split-lock detection",
    How.LEFT_OUT,
)
REPNE = Freedom(
    "REPNE MOVS, STOS, LODS",
    "the prefix is one of CMPS and SCAS alone",
    "SDM vol. 2, REP, and 2.1.1: other uses are reserved",
    How.LEFT_OUT,
)
NOT_LISTED = Freedom(
    "SALC; shifts with 6 in the reg field",
    "not in all manuals",
    "SDM vol. 2, appendix A, tables A-2 and A-6",
    How.LEFT_OUT,
)
REP_SCAN = Freedom(
    "F3 BSF, F3 BSR",
    "TZCNT and LZCNT where the processor has them",
    "SDM vol. 2, TZCNT and LZCNT",
    How.LEFT_OUT,
)
POPA_FAULT = Freedom(
    "POPA that faults half-way",
    "registers may have been popped",
    "SDM vol. 3, 'Exception classifications', the note on POPAD",
    How.LEFT_OUT,
)
COMPARED_FLAGS = Freedom(
    "REPE, REPNE CMPS, SCAS that fault after some elements",
    "the flags are those of before, or (AMD's processors) of the last element",
    "SDM vol. 2, REP: 'the EFLAGS value is restored'; the APM says nothing of it",
    How.SETTLED,
)
ENTER_SIZE = Freedom(
    "ENTER with another operand size than the stack's",
    "how much of EBP is set: by the stack's size, or by the operand's",
    "SDM vol. 2, ENTER, of 1999 and of 2010",
    How.LEFT_OUT,
)
LAR_BITS = Freedom(
    "LAR", "bits 19:16 of what it loads are undefined", "SDM vol. 2, LAR", How.LEFT_OUT
)
INS_OF_NONE = Freedom(
    "REP INS of no elements",
    "whether rights are looked at",
    "neither manual says; AMD's processors do",
    How.LEFT_OUT,
)
NULL_LEVEL = Freedom(
    "a null selector with a level",
    "an interrupt's return may load 0 instead",
    "SDM vol. 2, IRET: null selectors of data segments",
    How.LEFT_OUT,
)

# ---- the floating-point unit ----------------------------------------------------------------

RESERVED_HALVES = Freedom(
    "FNSAVE, FNSTENV",
    "the upper halves of the first three words of the image are reserved",
    "SDM vol. 1, figure 'Protected mode x87 FPU state image in memory, 32-bit format'",
    How.ALLOWED,
)
CONTROL_BITS = Freedom(
    "FLDCW, FLDENV",
    "bits 6, 7 and 13 to 15 of the control word are reserved, bit 12 means nothing",
    "SDM vol. 1, 8.1.5",
    How.ALLOWED,
)
CONDITION_CODES = Freedom(
    "all but comparisons, FXAM, FPREM, FPREM1, loads of an environment",
    "C0, C2 and C3 are undefined; C1 too of FFREE, FNOP, FNCLEX, FLDCW and stores of control words",
    "SDM vol. 2, 'FPU flags affected' of each",
    How.ALLOWED,
)
UNMASKED_COMPARISON = Freedom(
    "comparisons with an unmasked exception",
    "C0, C2 and C3, or ZF, PF and CF, are set or stay (AMD's processors set them)",
    "SDM vol. 2, FCOM and FCOMI, operation: set only if masked",
    How.ALLOWED,
)
COMPARISON_C1 = Freedom(
    "FCOMI, FCOMIP, FUCOMI, FUCOMIP",
    "C1 is cleared, or stays (AMD's processors); AF and SF are cleared, or stay",
    "SDM vol. 2, FCOMI, of today and of 2007, which names OF alone",
    How.ALLOWED,
)
DENORMAL_LOAD = Freedom(
    "FLD of a denormal number of 32 or 64 bits with #D unmasked",
    "the number is pushed, or nothing changes but the status",
    "SDM vol. 1, 8.5.2; APM vol. 1, 'x87 floating-point exception masking'",
    How.ALLOWED,
)
PARTIAL_REMAINDER = Freedom(
    "FPREM, FPREM1 that are not complete",
    "by how much, of 32 to 63 bits, the exponents' difference is reduced; C0, C1, C3",
    "SDM vol. 2, FPREM: 'an implementation-dependent number between 32 and 63'",
    How.ALLOWED,
)
SECOND_ENCODINGS = Freedom(
    "second encodings: FSTP1, FCOM2, FCOMP3, FXCH4, FCOMP5, FFREEP, FXCH7, FSTP8, FSTP9",
    "whatever comes of them, #UD too",
    "in neither manual's list of opcodes",
    How.ALLOWED,
)
SINE_OR_COSINE = Freedom(
    "FSINCOS", "of which of its results C1 tells", "SDM vol. 2, FSINCOS", How.ALLOWED
)
OUT_OF_RANGE = Freedom(
    "F2XM1 beyond 1, FYL2XP1 beyond 1 - √½",
    "the result is undefined, and what status tells of it",
    "SDM vol. 2, F2XM1 and FYL2XP1; APM vol. 1, 'Logarithmic functions'",
    How.ALLOWED,
)
LAST_PLACE = Freedom(
    "F2XM1, FYL2X, FPTAN, FPATAN, FYL2XP1, FSINCOS, FSIN, FCOS",
    "a unit in the last place rounding to nearest, two otherwise, also across the borders to"
    " denormal numbers and to infinity, with what follows: C1, UE, OE, PE, ES, B and the tag",
    "SDM vol. 1, 8.3.10: an error below 1 unit, 1.35 of FYL2X and FYL2XP1, and half a unit more"
    " in other roundings; APM vol. 1, 'Accuracy of transcendental results'",
    How.ALLOWED,
)

TABLE = [entry for entry in list(globals().values()) if isinstance(entry, Freedom)]


# ---- a difference that no stream should have shown -------------------------------------------

PUSHING = {"pushal", "pushaw", "pushfd", "enter", "lcall", "call"}


def _disassembled(case: Case, start: int) -> tuple[str, str, bytes]:
    """Mnemonic, operands and bytes of the instruction at an address of the code."""
    code = case.blocks[0][1][start - case.first :]
    for insn in capstone.Cs(capstone.CS_ARCH_X86, capstone.CS_MODE_32).disasm(code, start):
        return insn.mnemonic, insn.op_str, bytes(insn.bytes)
    return "", "", b""


def freedom_met(case: Case, ours: Answer, theirs: Answer) -> Freedom | None:
    """The entry within which two answers to a narrowed case differ, if any."""
    changed = [
        at for at, (a, b) in enumerate(zip(ours.memory, theirs.memory, strict=True)) if a != b
    ]
    registers = [n for n, (a, b) in enumerate(zip(ours.state, theirs.state, strict=True)) if a != b]
    if ours.faults != theirs.faults:
        one_more = theirs.faults[len(ours.faults) :]
        start = one_more[0][-1] if one_more else case.end
        mnemonic, _, encoded = _disassembled(case, start)
        locked = encoded[:1] == b"\xf0" or "xchg" in mnemonic
        return SPLIT_LOCK if one_more and one_more[0][0] == 17 and locked else None
    if ours.faults:
        mnemonic, _, _ = _disassembled(case, ours.faults[-1][-1])
        return BELOW_STACK if mnemonic in PUSHING and changed and not registers else None
    starts = [at for at in case.undefined_at if at < case.end]
    mnemonic, operands, encoded = _disassembled(case, max(starts, default=case.end))
    upper_half = bool(changed) and changed[-1] - changed[0] < 2 and not registers
    if mnemonic == "push" and operands in ("es", "cs", "ss", "ds", "fs", "gs") and upper_half:
        return PUSH_SELECTOR
    if mnemonic == "lcall" and upper_half:
        return CALL_SELECTOR
    if mnemonic in ("bsf", "bsr") and not changed and len(registers) == 1 and registers[0] < 8:
        return SCAN_OF_ZERO if theirs.state[EFLAGS] & 0x40 else None
    if mnemonic.startswith("repne ") and mnemonic[6:10] in ("movs", "stos", "lods"):
        return REPNE
    if mnemonic == "salc" or (
        encoded[:1] != b"" and 0xD0 <= encoded[0] <= 0xD3 and encoded[1] >> 3 & 7 == 6
    ):
        return NOT_LISTED
    return None
