# SPDX-License-Identifier: Apache-2.0
"""Unicorn with its memory management unit on: streams that go on after exceptions.

Unicorn translates, checks and stops at a fault. It does not enter the exception (reference.py does
that, from the manual), so it does not write the fault status registers either; but its processor
has noted status and address of the fault, and a saved context, which is that processor's state as
bytes, holds them. Where they are in it is found by provoking known faults (`_calibrate`).

The rules in which QEMU is not the hardware are methods named `_rule_...`; `rules` counts how often
each one was needed.
"""

from __future__ import annotations

import struct
from collections import Counter

from pages import SLOT
from reference import _CPSR, _R, _SPSR, _VECTOR, RAM, Reference
from unicorn import arm_const as ac
from unicorn import unicorn_const as uconst
from unicorn.unicorn_py3.unicorn import Uc, UcContext, UcError
from vectors import (
    CPSR,
    DATA_ABORT,
    NONE,
    PC,
    PREFETCH_ABORT,
    SWI,
    UNDEFINED,
    Answer,
    Case,
)

RAM_SIZE = 0x2000000
NOWHERE = 0xFFFFFFF0
ALIGNMENT, SECTION_TRANSLATION, PAGE_TRANSLATION, PAGE_DOMAIN = 1, 5, 7, 0xB
# A breakpoint's fault status on a core with a register for it: what QEMU's entry writes.
DEBUG_EVENT = 2
CONTROL, TABLE_BASE, DOMAINS, PROCESS = (1, 0), (2, 0), (3, 0), (13, 0)
DATA_STATUS, INSN_STATUS, ADDRESS = (5, 0), (5, 1), (6, 0)
_KIND_OF = {2: SWI, 3: PREFETCH_ABORT, 4: DATA_ABORT, 7: PREFETCH_ABORT}
BREAKPOINT = 7
# So many steps after an LDM that aborts, the stream has overwritten what it would have loaded: the
# handler's five, and a MOV for each register.
SETTLED = 16


class SpaceReference(Reference):
    """Cases with `space`."""

    def __init__(self, v5: bool) -> None:
        super().__init__(v5)
        self.rules: Counter[str] = Counter()
        self.uc.mem_map(RAM + 0x100000, RAM_SIZE - 0x100000)
        self._limit = 0
        self._steps = 0
        self._unsettled: list[int] = []  # steps at which an LDM aborted
        self._aligned = False  # alignment is checked
        self._before: UcContext | None = None
        self._at = 0
        self._undo: list[tuple[int, bytes]] = []
        self._misaligned = False
        self._noted = 0
        self._noted = self._calibrate()
        self._fault_noted = (0, 0)
        self.uc.hook_add(uconst.UC_HOOK_CODE, self._instruction)
        kinds = uconst.UC_HOOK_MEM_READ | uconst.UC_HOOK_MEM_WRITE
        self.uc.hook_add(kinds, self._access)

    # CP15 through Unicorn's own register interface.

    def read_cp15(self, register: tuple[int, int]) -> int:
        crn, op2 = register
        return int(self.uc.reg_read(ac.UC_ARM_REG_CP_REG, (15, 0, 0, crn, 0, 0, op2)))

    def write_cp15(self, register: tuple[int, int], value: int) -> None:
        crn, op2 = register
        self.uc.reg_write(ac.UC_ARM_REG_CP_REG, (15, 0, 0, crn, 0, 0, op2, value))

    def flush_tlb(self) -> None:
        self.uc.ctl(uconst.UC_CTL_TLB_FLUSH, uconst.UC_CTL_IO_WRITE)

    def _calibrate(self) -> int:
        """Where in a saved context the last fault's status and address are."""
        directory = RAM + 0x4000
        table = [0] * 4096
        table[RAM >> 20] = RAM | 0x12 | 3 << 10
        table[0x123] = RAM | 0x12 | 9 << 5  # privileged modes may not
        self.uc.mem_write(directory, struct.pack("<4096I", *table))
        self.uc.mem_write(RAM, struct.pack("<I", 0xE5910000))  # ldr r0, [r1]
        self.write_cp15(TABLE_BASE, directory)
        self.write_cp15(DOMAINS, 1 | 1 << 18)
        self.write_cp15(CONTROL, self.read_cp15(CONTROL) | 1)
        places: set[int] | None = None
        for address, status in ((0x12345678, 0x9D), (0x45678910, 0x5), (0x12300004, 0x9D)):
            self.flush_tlb()
            self.uc.reg_write_batch([(_CPSR, 0xD3), (_R[1], address)])
            self.uc.emu_start(RAM, RAM + 4)
            context = bytes(self.uc.context_save())
            wanted = struct.pack("<IQ", status, address)
            matches = {i for i in range(0, len(context) - 12, 4) if context[i : i + 12] == wanted}
            places = matches if places is None else places & matches
        self.write_cp15(CONTROL, self.read_cp15(CONTROL) & ~1)
        self.flush_tlb()
        assert places, "Unicorn keeps a fault's status and address nowhere in its context"
        return min(places)

    # Hooks.

    def _instruction(self, uc: Uc, address: int, size: int, _data: object) -> None:
        length = 2 if size == 4 and self._in_thumb() else 1
        if self._steps + length > self._limit:
            uc.emu_stop()
            return
        self._steps += length
        if self._aligned:
            self._before = uc.context_save()
            self._at = address

    def _in_thumb(self) -> bool:
        return bool(self.v5 and self.uc.reg_read(_CPSR) & 0x20)

    def _interrupted(self, uc: Uc, number: int, data: object) -> None:
        # Now, because Unicorn may note a fault of its own when it stops.
        if self._noted and number in (3, 4):
            context = bytes(uc.context_save())
            self._fault_noted = struct.unpack_from("<IQ", context, self._noted)
        super()._interrupted(uc, number, data)

    def _access(
        self, uc: Uc, kind: int, address: int, size: int, _value: int, _data: object
    ) -> None:
        # The address is the physical one.
        if not self._aligned:
            return
        if address & size - 1 and not self._misaligned:
            self._misaligned = True
            uc.emu_stop()
        if self._misaligned and kind == uconst.UC_MEM_WRITE:
            self._undo.append((address, bytes(uc.mem_read(address, size))))

    # Running.

    def run(self, case: Case, count: int = 0) -> Answer:
        """The whole case: `count` steps, or as many as `case.limit` says, or some less.

        A pair of Thumb halves is not divided, and the end is none at which a register is
        UNPREDICTABLE because an LDM aborted. The answer says how many steps it were.
        """
        for block in case.blocks:
            self.uc.mem_write(*block)
        if case.blocks:
            self.flush_code()
        before = [(at, bytes(self.uc.mem_read(at, size))) for at, size in case.ranges]
        limit = count or case.limit
        answer = self._run(case, limit)
        settled = answer.executed
        for abort in reversed(self._unsettled):
            if abort < settled <= abort + SETTLED:
                settled = abort
        if settled < answer.executed:
            for block in before:
                self.uc.mem_write(*block)
            answer = self._run(case, settled)
        return answer

    def _run(self, case: Case, limit: int) -> Answer:
        assert case.space
        uc = self.uc
        self.write_cp15(CONTROL, case.space[0] & ~1)
        self.write_state(case.state)
        for register, value in zip((TABLE_BASE, DOMAINS, PROCESS), case.space[1:], strict=True):
            self.write_cp15(register, value)
        for register in (DATA_STATUS, ADDRESS, *([INSN_STATUS] if self.v5 else [])):
            self.write_cp15(register, 0)
        self.write_cp15(CONTROL, case.space[0])
        self.flush_tlb()
        self._aligned = bool(case.space[0] & 2)
        self._limit = limit
        self._steps = 0
        self._unsettled.clear()
        events: list[tuple[int, ...]] = []
        pc = case.state[PC] | case.state[CPSR] >> 5 & 1
        while self._steps < limit:
            steps = self._steps
            kind, breakpoint_ = self._segment(pc)
            if kind == NONE:
                break
            if kind == PREFETCH_ABORT and not breakpoint_:
                self._steps += 1
            events.append(self._enter(kind, breakpoint_))
            pc = events[-1][-1]
            assert self._steps > steps
        state = self.read_state()
        faults = (self.read_cp15(DATA_STATUS), self._insn_status(), self.read_cp15(ADDRESS))
        self.write_cp15(CONTROL, case.space[0] & ~1)
        memory = b"".join(bytes(uc.mem_read(a, n)) for a, n in case.ranges)
        return Answer(self._steps, NONE, tuple(state), memory, faults, tuple(events))

    def _insn_status(self) -> int:
        return self.read_cp15(INSN_STATUS) if self.v5 else 0

    def _segment(self, pc: int) -> tuple[int, bool]:
        """Up to the next exception: its kind, and whether a breakpoint raised it."""
        self._interrupt = None
        self._misaligned = False
        self._undo.clear()
        try:
            self.uc.emu_start(pc, NOWHERE)
        except UcError as error:
            if error.errno != uconst.UC_ERR_INSN_INVALID:
                raise
            return UNDEFINED, False
        if self._misaligned:
            # The access must not happen: back to before the instruction.
            assert self._before is not None
            self.uc.context_restore(self._before)
            self.uc.reg_write(_R[15], self._at | (1 if self._in_thumb() else 0))
            for address, old in reversed(self._undo):
                self.uc.mem_write(address, old)
            return DATA_ABORT, False
        if self._interrupt is None:
            return NONE, False
        return _KIND_OF[self._interrupt], self._interrupt == BREAKPOINT

    def _enter(self, kind: int, breakpoint_: bool) -> tuple[int, ...]:
        """The exception's entry; what it left."""
        uc = self.uc
        pc, cpsr = uc.reg_read_batch([_R[15], _CPSR])
        thumb = cpsr >> 5 & 1
        if kind == SWI:
            pc -= 2 if thumb else 4
        if kind == DATA_ABORT:
            status, address = self._fault(pc, thumb)
            self.write_cp15(DATA_STATUS, status)
            self.write_cp15(ADDRESS, address)
            if _loads_several(self._fetched(pc, thumb), thumb):
                self._unsettled.append(self._steps - 1)
        elif kind == PREFETCH_ABORT and self.v5:
            # The SA-1110 has no status of prefetch aborts (SA-1110 DM 7.6).
            status = DEBUG_EVENT if breakpoint_ else self._status(self._fault_noted[0], pc)
            self.write_cp15(INSN_STATUS, status)
        mode, vector, *offsets = _VECTOR[kind]
        if self.read_cp15(CONTROL) >> 13 & 1:
            vector |= 0xFFFF0000
        new_cpsr = cpsr & ~0x3F | mode | 0x80
        link = pc + offsets[thumb] & 0xFFFFFFFF
        uc.reg_write_batch([(_CPSR, new_cpsr), (_SPSR, cpsr), (_R[14], link), (_R[15], vector)])
        return (
            self._steps - 1,
            kind,
            self.read_cp15(DATA_STATUS),
            self._insn_status(),
            self.read_cp15(ADDRESS),
            link,
            cpsr,
            new_cpsr,
            vector,
        )

    def _fault(self, pc: int, thumb: int) -> tuple[int, int]:
        """Status and address of a data abort as the processor has them."""
        if self._aligned:
            registers = self.uc.reg_read_batch(_R)
            address, size = accessed(self._fetched(pc, thumb), registers, thumb)
            if address & size - 1:
                # QEMU 5 does not check alignment for these processors (control register, A bit).
                self.rules["alignment checked"] += 1
                return ALIGNMENT, self._modified(address)
        assert not self._misaligned
        status, address = self._fault_noted
        return self._status(status, address), self._rule_relocated(address)

    # Where QEMU is not the processor.

    def _modified(self, address: int) -> int:
        return address | self.read_cp15(PROCESS) if address < SLOT else address

    def _rule_relocated(self, address: int) -> int:
        """QEMU notes the address before relocation, the processors have the one after it."""
        modified = self._modified(address)
        if modified != address:
            self.rules["fault address relocated"] += 1
        return modified

    def _status(self, status: int, address: int) -> int:
        kind = status & 15
        if kind == PAGE_DOMAIN and not self._second_level(self._modified(address)) & 3:
            # The fault-checking sequence looks at both descriptors before it looks at the domain
            # (DDI 0100, B3.7); QEMU looks at the domain first.
            self.rules["invalid page before domain"] += 1
            return status & 0xF0 | PAGE_TRANSLATION
        if kind == SECTION_TRANSLATION and status & 0xF0:
            # The domain is not valid (DDI 0100, B3.7.1); the machine has zero there.
            self.rules["no domain in a section translation fault"] += 1
            return kind
        return status

    def _first_level(self, mva: int) -> int:
        return self._word(self.read_cp15(TABLE_BASE) & 0xFFFFC000 | mva >> 18 & 0x3FFC)

    def _second_level(self, mva: int) -> int:
        first = self._first_level(mva)
        if first & 3 == 1:
            return self._word(first & 0xFFFFFC00 | mva >> 10 & 0x3FC)
        return self._word(first & 0xFFFFF000 | mva >> 8 & 0xFFC)

    def _fetched(self, pc: int, thumb: int) -> int:
        """The instruction at a virtual address, which has just been fetched."""
        at = self._physical(self._modified(pc))
        return int.from_bytes(self.uc.mem_read(at, 2 if thumb else 4), "little")

    def _physical(self, mva: int) -> int:
        """Where a mapped address lies."""
        first = self._first_level(mva)
        if first & 3 == 2:
            return first & 0xFFF00000 | mva & 0xFFFFF
        second = self._second_level(mva)
        mask = (0, 0xFFFF, 0xFFF, 0x3FF)[second & 3]
        return second & ~mask | mva & mask

    def _word(self, address: int) -> int:
        return int.from_bytes(self.uc.mem_read(address, 4), "little")


def accessed(code: int, r: tuple[int, ...], thumb: int) -> tuple[int, int]:
    """Address and size of what a load or store accesses first; of the forms in blocks.py."""
    address, size = _accessed_thumb(code, r) if thumb else _accessed_arm(code, r)
    return address & 0xFFFFFFFF, size


def _loads_several(code: int, thumb: int) -> bool:
    if thumb:
        return code & 0xF800 == 0xC800 or code & 0xFE00 == 0xBC00
    return code & 0x0E100000 == 0x08100000


def _accessed_arm(word: int, r: tuple[int, ...]) -> tuple[int, int]:
    rn, pre, up = word >> 16 & 15, word >> 24 & 1, word >> 23 & 1
    base = r[rn]
    if rn == 15:
        return 0, 1  # a literal, always aligned
    if word & 0x0E000000 == 0x08000000:
        count = (word & 0xFFFF).bit_count()
        return (base + 4 * pre if up else base - 4 * count + 4 * (1 - pre)), 4
    if word & 0x0C000000 == 0x04000000:
        offset = r[word & 15] if word >> 25 & 1 else word & 0xFFF
        size = 1 if word >> 22 & 1 else 4
    elif word & 0x0FB00FF0 == 0x01000090:
        return base, 1 if word >> 22 & 1 else 4
    else:
        offset = word >> 4 & 0xF0 | word & 15 if word >> 22 & 1 else r[word & 15]
        doubled = not word >> 20 & 1 and word >> 6 & 1
        # Doubles are aligned to eight here; their words are what is checked.
        size = 4 if doubled else 1 if word >> 5 & 3 == 2 else 2
    return base + (offset if up else -offset) * pre, size


def _accessed_thumb(half: int, r: tuple[int, ...]) -> tuple[int, int]:
    base, low = r[half >> 3 & 7], r[half >> 6 & 7]
    match half >> 12:
        case 5:
            return base + low, (4, 2, 1, 1, 4, 2, 1, 2)[half >> 9 & 7]
        case 6:
            return base + (half >> 6 & 31) * 4, 4
        case 7:
            return base + (half >> 6 & 31), 1
        case 8:
            return base + (half >> 6 & 31) * 2, 2
        case 9:
            return r[13] + (half & 0xFF) * 4, 4
        case 0xB:
            count = (half & 0x1FF).bit_count()
            return r[13] - (0 if half & 0x800 else 4 * count), 4
        case 0xC:
            return r[half >> 8 & 7], 4
    return 0, 1
