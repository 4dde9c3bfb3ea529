# SPDX-License-Identifier: Apache-2.0
"""What `switchyard new guest` must know of a board: where memory is, and how a program begins."""

from dataclasses import dataclass

from switchyard.errors import InputError, one_of


@dataclass(frozen=True)
class Target:
    """A kind of board that guests can be begun for."""

    boards: tuple[str, ...]  # as machine files call them
    memory: str  # where it begins, in words
    origin: str  # where the guest is loaded
    start: tuple[str, ...]  # the first instructions, in GNU as
    flags: str  # for the compiler
    discard: str  # sections that nobody reads
    align: str  # of the stack
    boot: str = ""  # what `switchyard boot` needs to be told beside the machine

    def words(self) -> dict[str, str]:
        """What stands for the marks of the templates."""
        start = "\n".join(f'        "{line}\\n"' for line in self.start).removeprefix(" " * 8)
        return {
            "@MEMORY@": self.memory,
            "@ORIGIN@": self.origin,
            "@START@": start,
            "@FLAGS@": self.flags,
            "@DISCARD@": self.discard,
            "@ALIGN@": self.align,
        }


ARM = Target(
    boards=("assabet", "collie"),
    memory="the memory of an sa1110's board begins at 0xc0000000, a versatilepb's at 0",
    origin="0xc0008000",
    start=(
        '.section .start, \\"ax\\", %progbits',
        ".global _start",
        "_start:",
        "    ldr sp, =stack_top",
        "    b   run",
        "    .ltorg",
    ),
    flags="--target=arm-freestanding-eabi -mcpu=strongarm1110",
    discard="*(.ARM.exidx*)",
    align="8",
)
# Machine mode, which the reset vector enters where there is no firmware (docs/riscv.md).
RISCV = Target(
    boards=("virt",),
    memory="memory begins at 0x80000000, and there without firmware the kernel",
    origin="0x80000000",
    start=(
        '.section .start, \\"ax\\", @progbits',
        ".global _start",
        "_start:",
        "    la  sp, stack_top",
        "    j   run",
    ),
    flags="--target=riscv64-freestanding-none -mcpu=generic_rv64+m+a+c -mcmodel=medany",
    discard="*(.eh_frame*) *(.riscv.attributes)",
    align="16",
    boot="--bios none",
)
TARGETS = (ARM, RISCV)


def find(machine: str, board: str) -> Target:
    """That of a machine's board."""
    for target in TARGETS:
        if board in target.boards:
            return target
    boards = [name for target in TARGETS for name in target.boards]
    raise InputError(f"--machine {machine}: its board is {board}; {one_of(board, boards)}")
