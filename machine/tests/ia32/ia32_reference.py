# SPDX-License-Identifier: Apache-2.0
"""The other processor: Unicorn, given the same cases as the machine.

Unicorn stops at an exception without delivering it, and has then noted its error code, which only
a saved context (the processor's state as bytes) shows; where in it is found by provoking known
faults. It also remembers the exception as one under way, so that the next would be a double fault:
that note is taken out of the context before it goes on.
"""

from __future__ import annotations

import ctypes
import struct

from ia32_vectors import EFLAGS, EIP, NO_CODE, STATE_WORDS, Answer, Case
from ia32_writer import ALL
from unicorn import unicorn_const as uconst
from unicorn import x86_const as xc
from unicorn.unicorn_py3.unicorn import Uc, UcContext, UcError

RAM_SIZE = 4 << 20
INVALID_OPCODE, PAGE_FAULT = 6, 14
# Vectors with an error code.
WITH_CODE = (8, 10, 11, 12, 13, 14, 17)
# Code and stack with which level 3 is entered, and the selectors of its segments.
STUB, FRAME = 0x800, 0x900
# What the processor has of EFLAGS; Unicorn keeps others.
EFLAGS_KEPT = 0x257FD7

_GENERAL = [
    getattr(xc, f"UC_X86_REG_{name}")
    for name in ("EAX", "ECX", "EDX", "EBX", "ESP", "EBP", "ESI", "EDI")
]
_SEGMENTS = [getattr(xc, f"UC_X86_REG_{name}") for name in ("ES", "CS", "SS", "DS", "FS", "GS")]
_STATE = [*_GENERAL, xc.UC_X86_REG_EIP, xc.UC_X86_REG_EFLAGS, *_SEGMENTS]
assert len(_STATE) == STATE_WORDS
_CS, _SS = 1, 2


class Reference:
    """Unicorn's processor with 4 MB of memory."""

    def __init__(self) -> None:
        self.uc = Uc(uconst.UC_ARCH_X86, uconst.UC_MODE_32)
        self.uc.ctl_set_cpu_model(xc.UC_CPU_X86_PENTIUM3)
        self.uc.mem_map(0, RAM_SIZE)
        self.taken: int | None = None
        self.code = 0
        self.cr2 = 0
        self._code_at = 0
        self.uc.hook_add(uconst.UC_HOOK_INTR, self._exception)
        self.uc.reg_write(xc.UC_X86_REG_CR0, 0x11)
        self._fresh = self.uc.context_save()
        self._code_at, self._under_way_at = self._calibrate()

    def _exception(self, uc: Uc, number: int, _data: object) -> None:
        # Here and not later: on its way out Unicorn looks up the page where it was to stop, and
        # what comes of that it notes, too.
        self.taken = number
        context = bytes(uc.context_save())
        self.code = int(struct.unpack_from("<I", context, self._code_at)[0])
        if number == PAGE_FAULT:
            self.cr2 = int(uc.reg_read(xc.UC_X86_REG_CR2))
        uc.emu_stop()

    def _calibrate(self) -> tuple[int, int]:
        """Where in a context the last error code is, and the exception that is under way."""
        before = bytes(self._fresh)
        uc = self.uc
        directory, table = 0x10000, 0x11000
        uc.mem_write(directory, struct.pack("<I", table | 7))
        uc.mem_write(table, b"".join(struct.pack("<I", n << 12 | 7) for n in range(512)))
        read_only = 0x100000
        uc.mem_write(table + (read_only >> 10), struct.pack("<I", read_only | 1))
        absent = 0x300000
        contexts = []
        cases = (
            (b"\xa3" + struct.pack("<I", read_only), 3),
            (b"\xa1" + struct.pack("<I", absent), 0),
            (b"\xa3" + struct.pack("<I", absent), 2),
        )
        for code, error in cases:
            uc.context_restore(self._fresh)
            uc.reg_write(xc.UC_X86_REG_CR3, directory)
            uc.reg_write(xc.UC_X86_REG_CR0, 0x80010011)
            self._flush_tlb()
            uc.mem_write(STUB, code)
            uc.ctl_remove_cache(STUB, STUB + 16)
            self.taken = None
            uc.emu_start(STUB, STUB + len(code))
            assert self.taken == PAGE_FAULT
            contexts.append((bytes(uc.context_save()), error))
        uc.context_restore(self._fresh)
        self._flush_tlb()
        uc.mem_write(0, bytes(RAM_SIZE))

        def word(context: bytes, at: int) -> int:
            return int(struct.unpack_from("<i", context, at)[0])

        places = range(0, len(before) - 4, 4)
        codes = [i for i in places if all(word(c, i) == error for c, error in contexts)]
        under_way = [
            i
            for i in places
            if word(before, i) == -1 and all(word(c, i) == PAGE_FAULT for c, _ in contexts)
        ]
        assert len(codes) == 1, "Unicorn notes an error code where it did not"
        assert len(under_way) == 1, "Unicorn notes an exception under way where it did not"
        return codes[0], under_way[0]

    def _flush_tlb(self) -> None:
        self.uc.ctl(uconst.UC_CTL_TLB_FLUSH, uconst.UC_CTL_IO_WRITE)

    def _forget_exception(self) -> None:
        """The exception that was just taken is over."""
        context = self.uc.context_save()
        place = _address(context) + self._under_way_at
        ctypes.memmove(place, b"\xff\xff\xff\xff", 4)
        self.uc.context_restore(context)

    def run(self, case: Case, count: int = 0) -> Answer:
        """`count`: so many instructions at most, for one that may not come to its end."""
        uc = self.uc
        uc.context_restore(self._fresh)
        # The cache below is one of addresses as they are translated now.
        self._flush_tlb()
        for address, data in case.blocks:
            uc.mem_write(address, data)
            uc.ctl_remove_cache(address, address + len(data))
        self._enter(case)
        faults = []
        eip = case.state[EIP]
        self.cr2 = 0
        while eip != case.end:
            self.taken = None
            at = eip
            try:
                uc.emu_start(eip, case.end, count=count)
            except UcError as error:
                if error.errno != uconst.UC_ERR_INSN_INVALID:
                    raise
                self.taken = INVALID_OPCODE
            eip = int(uc.reg_read(xc.UC_X86_REG_EIP))
            if self.taken is None:
                if count:
                    break
                # It may stop early, but not where it began.
                assert eip != at, f"the stream stands still at {eip:#x}"
                continue
            self._forget_exception()
            code = self.code if self.taken in WITH_CODE else NO_CODE
            faults.append((self.taken, code, self.cr2, eip))
            if case.stride == 0:
                break
            # Where no flag is defined Unicorn may have set others, too (TF!); where streams go on,
            # none of these is set, and CLD comes first.
            flags = int(uc.reg_read(xc.UC_X86_REG_EFLAGS))
            uc.reg_write(xc.UC_X86_REG_EFLAGS, flags & ALL | 2)
            eip = (eip // case.stride + 1) * case.stride
        state = [int(word) for word in uc.reg_read_batch(_STATE)]
        state[EIP] = eip
        state[EFLAGS] &= ALL | 2 if case.stride else EFLAGS_KEPT
        memory = b"".join(bytes(uc.mem_read(at, length)) for at, length in case.ranges)
        return Answer(tuple(state), tuple(faults), memory)

    def run_all(self, cases: list[Case]) -> list[Answer]:
        return [self.run(case) for case in cases]

    def _enter(self, case: Case) -> None:
        """Tables, level, paging, registers."""
        uc = self.uc
        base, limit = case.table
        uc.reg_write(xc.UC_X86_REG_GDTR, (0, base, limit, 0))
        selectors = case.state[EFLAGS + 1 :]
        if selectors[_CS] & 3:
            # Through an IRET: Unicorn's own registers let nobody into another level.
            flat = (0x30, 0x38)
            uc.reg_write(_SEGMENTS[_CS], flat[0])
            uc.reg_write(_SEGMENTS[_SS], flat[1])
            frame = (STUB + 16, selectors[_CS], 2, 0, selectors[_SS])
            saved = bytes(uc.mem_read(STUB, FRAME + 20 - STUB))
            uc.mem_write(STUB, b"\xcf")
            uc.mem_write(FRAME, struct.pack("<5I", *frame))
            uc.reg_write(xc.UC_X86_REG_ESP, FRAME)
            uc.ctl_remove_cache(STUB, STUB + 1)
            uc.emu_start(STUB, STUB + 16)
            uc.mem_write(STUB, saved)
        for register, selector in zip(_SEGMENTS, selectors, strict=True):
            if not (selectors[_CS] & 3 and register in (_SEGMENTS[_CS], _SEGMENTS[_SS])):
                uc.reg_write(register, selector)
        cr0, cr3, cr4 = case.control
        uc.reg_write(xc.UC_X86_REG_CR4, cr4)
        uc.reg_write(xc.UC_X86_REG_CR3, cr3)
        uc.reg_write(xc.UC_X86_REG_CR0, cr0 | 0x11)
        uc.reg_write(xc.UC_X86_REG_CR2, 0)
        self._flush_tlb()
        uc.reg_write_batch(list(zip(_GENERAL, case.state[:8], strict=True)))
        uc.reg_write(xc.UC_X86_REG_EFLAGS, case.state[EFLAGS])


def _address(context: UcContext) -> int:
    """Where a context is in memory."""
    address = context.context.value
    assert address
    return int(address)
