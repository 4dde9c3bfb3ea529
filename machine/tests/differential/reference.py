# SPDX-License-Identifier: Apache-2.0
"""The other processor: Unicorn's SA-1110 or ARM926, given the same cases as the machine.

Unicorn stops at an exception without entering it (emulator users want the event, not the vector),
so the entry itself is done here, from the ARM ARM (DDI 0100, A2.6): that part of the reference is
ours, and tests/exceptions compares the machine's entry with a processor that does enter.
"""

from __future__ import annotations

from unicorn import arm_const as ac
from unicorn import unicorn_const as uconst
from unicorn.unicorn_py3.unicorn import Uc, UcError
from vectors import (
    ABT,
    CPSR,
    DATA_ABORT,
    FIQ,
    IRQ,
    NONE,
    PC,
    PREFETCH_ABORT,
    SPSR_INDEX,
    SVC,
    SWI,
    SYS,
    UND,
    UNDEFINED,
    Answer,
    Case,
    reg_index,
)

RAM = 0xC0000000
RAM_SIZE = 0x100000

_R = [getattr(ac, f"UC_ARM_REG_R{i}") for i in range(16)]
_CPSR = ac.UC_ARM_REG_CPSR
_SPSR = ac.UC_ARM_REG_SPSR

# One batch of writes sets the whole state: into each mode, its registers, on to the next; User
# mode's r8..r14 through System mode; then r0..r7 and CPSR. emu_start sets pc.
_BANKED_MODES = (FIQ, SVC, ABT, UND, IRQ)
_ENTER = 0xC0  # CPSR while we visit a mode: interrupts masked, no flags
_WRITE_IDS: list[int] = []
_WRITE_SOURCE: list[int] = []  # index into state + (_ENTER | mode ...)
_EXTRA = [_ENTER | m for m in (*_BANKED_MODES, SYS)]
for _i, _mode in enumerate(_BANKED_MODES):
    _first = 8 if _mode == FIQ else 13
    _WRITE_IDS += [_CPSR, *_R[_first:15], _SPSR]
    _WRITE_SOURCE += [
        37 + _i,
        *(reg_index(_mode, r) for r in range(_first, 15)),
        SPSR_INDEX[_mode],
    ]
_WRITE_IDS += [_CPSR, *_R[8:15], *_R[0:8], _CPSR]
_WRITE_SOURCE += [37 + 5, *range(8, 15), *range(8), CPSR]

_VECTOR = {
    # kind: (mode, vector, what is added to the address of the instruction to give r14: in ARM
    # state, in Thumb state)
    UNDEFINED: (UND, 0x04, 4, 2),
    SWI: (SVC, 0x08, 4, 2),
    PREFETCH_ABORT: (ABT, 0x0C, 4, 4),
    DATA_ABORT: (ABT, 0x10, 8, 8),
}

# QEMU's numbers of exceptions (target/arm/cpu.h), as the interrupt hook gets them. BKPT is a
# prefetch abort (DDI 0100, A2.6.7).
_INTERRUPTS = {2: SWI, 3: PREFETCH_ABORT, 4: DATA_ABORT, 7: PREFETCH_ABORT}
_KINDS = {
    uconst.UC_ERR_INSN_INVALID: UNDEFINED,
    uconst.UC_ERR_FETCH_UNMAPPED: PREFETCH_ABORT,
    uconst.UC_ERR_READ_UNMAPPED: DATA_ABORT,
    uconst.UC_ERR_WRITE_UNMAPPED: DATA_ABORT,
}


def enter_exception(state: list[int], kind: int, address: int) -> None:
    """ARM ARM A2.6: r14 and SPSR of the exception's mode, CPSR.M and I, pc."""
    mode, vector, *offsets = _VECTOR[kind]
    state[reg_index(mode, 14)] = (address + offsets[state[CPSR] >> 5 & 1]) & 0xFFFFFFFF
    state[SPSR_INDEX[mode]] = state[CPSR]
    state[CPSR] = state[CPSR] & ~0x3F | mode | 0x80  # ARM state, IRQ masked
    state[PC] = vector


class Reference:
    """One Unicorn, reused; memory keeps what earlier cases left there, as in the machine."""

    def __init__(self, v5: bool = False) -> None:
        self.v5 = v5
        self.uc = Uc(uconst.UC_ARCH_ARM, uconst.UC_MODE_ARM)
        self.uc.ctl_set_cpu_model(ac.UC_CPU_ARM_926 if v5 else ac.UC_CPU_ARM_SA1110)
        self.uc.mem_map(RAM, RAM_SIZE)
        self._executed = 0
        self._interrupt: int | None = None
        self._code: tuple[int, bytes] | None = None
        self.uc.hook_add(uconst.UC_HOOK_BLOCK, self._block_v5 if v5 else self._block)
        self.uc.hook_add(uconst.UC_HOOK_INTR, self._interrupted)

    def _block(self, _uc: Uc, _address: int, size: int, _data: object) -> None:
        # A translated block always runs to its end: branches, SWI and undefined instructions end
        # it, and nothing else here can leave it early.
        self._executed += size >> 2

    def _block_v5(self, uc: Uc, _address: int, size: int, _data: object) -> None:
        # In Thumb state a BL counts as its two halves.
        self._executed += size >> (1 if uc.reg_read(_CPSR) & 0x20 else 2)

    def _interrupted(self, uc: Uc, number: int, _data: object) -> None:
        self._interrupt = number
        uc.emu_stop()

    def write_state(self, state: tuple[int, ...]) -> None:
        source = (*state, *_EXTRA)
        self.uc.reg_write_batch(
            [(i, source[s]) for i, s in zip(_WRITE_IDS, _WRITE_SOURCE, strict=True)]
        )

    def read_state(self) -> list[int]:
        uc = self.uc
        cpsr, pc, *low = uc.reg_read_batch([_CPSR, _R[15], *_R[:8]])
        state = [*low] + [0] * 27 + [pc, cpsr]
        for mode in _BANKED_MODES:
            uc.reg_write(_CPSR, _ENTER | mode)
            if mode == FIQ:
                *state[15:22], state[30] = uc.reg_read_batch([*_R[8:15], _SPSR])
            else:
                r13 = reg_index(mode, 13)
                state[r13], state[r13 + 1], state[SPSR_INDEX[mode]] = uc.reg_read_batch(
                    [_R[13], _R[14], _SPSR]
                )
        uc.reg_write(_CPSR, _ENTER | SYS)
        state[8:15] = uc.reg_read_batch(_R[8:15])
        return state

    def flush_code(self) -> None:
        """Forget translated code: other code may now lie at an address that was used before."""
        self.uc.ctl_flush_tb()
        self._code = None

    def start(self, case: Case) -> None:
        """Bring memory and registers into the case's initial state."""
        for block in case.blocks:
            # The same code again (another initial state): keep its translation.
            if block is not self._code:
                self.uc.mem_write(*block)
        self._code = case.blocks[0]
        self.write_state(case.state)

    def execute(self, pc: int, end: int, count: int = 0) -> int:
        """Run from pc to `end`, or `count` instructions, or to an exception; its kind."""
        self._executed = 0
        self._interrupt = None
        try:
            self.uc.emu_start(pc, end, count=count)
        except UcError as error:
            return _KINDS[error.errno]
        return NONE if self._interrupt is None else _INTERRUPTS[self._interrupt]

    def current(self) -> tuple[int, ...]:
        """r0 to r15 of the current mode, and CPSR; cheaper than the whole state."""
        return self.uc.reg_read_batch([*_R, _CPSR])

    def run(self, case: Case, count: int = 0) -> Answer:
        """A whole case: from its state to `case.end`, `count` instructions, or an exception."""
        self.start(case)
        start = case.state[PC] | case.state[CPSR] >> 5 & 1
        kind = self.execute(start, case.end or RAM + RAM_SIZE, count)
        # With a count the last block was entered but perhaps not finished.
        executed = min(count, self._executed) if count else self._executed
        if kind != NONE:
            executed -= 1
        return self.answer(case, kind, executed)

    def answer(self, case: Case, kind: int, executed: int) -> Answer:
        state = self.read_state()
        if kind != NONE:
            # After a SWI Unicorn's pc is the next instruction's.
            length = 2 if state[CPSR] & 0x20 else 4
            enter_exception(state, kind, state[PC] - (length if kind == SWI else 0))
        memory = b"".join(bytes(self.uc.mem_read(a, n)) for a, n in case.ranges)
        return Answer(executed, kind, tuple(state), memory)
