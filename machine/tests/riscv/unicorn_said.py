# SPDX-License-Identifier: Apache-2.0
"""What a program of `random_code` prints on Unicorn, which is QEMU's translator of before 2021."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from unicorn import UC_ARCH_RISCV, UC_HOOK_CODE, UC_HOOK_INTR, UC_MODE_RISCV64, Uc
from unicorn import riscv_const as register

RAM, RAM_BYTES = 0x8000_0000, 64 << 20
UART, FINISHER = 0x1000_0000, 0x10_0000
ILLEGAL_INSTRUCTION = 2
MPP_MACHINE = 3 << 11


def on_unicorn(image: Path) -> bytes:
    """What the executable at `RAM` writes to its UART until it writes to the finisher.

    Unicorn takes no exception itself but says which it is, and by then PC is after the instruction:
    the trap is taken here, as the privileged specification says.
    """
    flat = image.with_suffix(".bin")
    objcopy = [sys.executable, "-m", "ziglang", "objcopy", "-O", "binary", str(image), str(flat)]
    subprocess.run(objcopy, check=True)
    machine = Uc(UC_ARCH_RISCV, UC_MODE_RISCV64)
    machine.mem_map(RAM, RAM_BYTES)
    machine.mem_write(RAM, flat.read_bytes())
    printed = bytearray()
    at = 0

    def began(_machine: Uc, address: int, _size: int, _data: object) -> None:
        nonlocal at
        at = address

    def trapped(machine: Uc, cause: int, _data: object) -> None:
        code = int.from_bytes(machine.mem_read(at, 4), "little")
        value = code if code & 3 == 3 else code & 0xFFFF
        status = machine.reg_read(register.UC_RISCV_REG_MSTATUS)
        for name, what in (
            (register.UC_RISCV_REG_MEPC, at),
            (register.UC_RISCV_REG_MCAUSE, cause),
            (register.UC_RISCV_REG_MTVAL, value if cause == ILLEGAL_INSTRUCTION else 0),
            (register.UC_RISCV_REG_MSTATUS, status | MPP_MACHINE),
            (register.UC_RISCV_REG_PC, machine.reg_read(register.UC_RISCV_REG_MTVEC)),
        ):
            machine.reg_write(name, what)

    def put(_machine: Uc, _offset: int, _size: int, value: int, _data: object) -> None:
        printed.append(value & 0xFF)

    def finish(machine: Uc, _offset: int, _size: int, _value: int, _data: object) -> None:
        machine.emu_stop()

    machine.mmio_map(UART, 0x1000, None, None, put, None)
    machine.mmio_map(FINISHER, 0x1000, None, None, finish, None)
    machine.hook_add(UC_HOOK_CODE, began)
    machine.hook_add(UC_HOOK_INTR, trapped)
    machine.emu_start(RAM, 0)
    return bytes(printed)
