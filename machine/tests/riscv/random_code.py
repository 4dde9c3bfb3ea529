# SPDX-License-Identifier: Apache-2.0
"""Programs of random instructions that print a number after each round of them.

The same program runs here and on another RISC-V machine with QEMU's `virt` memory map, bare, in
machine mode. A round fills the registers and runs each block once; what a block leaves in all
registers, in `fcsr` and in its memory, and each trap that it takes (cause, value, where), goes into
one number, which is written to the serial port after each round: the first that differs says in
which round a block is wrong.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

# Registers that blocks never write: bases of the memory that they use.
BASES = (2, 3, 4, 8)
FREE = [n for n in range(32) if n not in BASES]
# Numbers at the edges of formats, as the lowest or as all bits of a register.
INTERESTING = (
    0, 1, 2, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 1 << 63, (1 << 63) - 1, (1 << 64) - 1,
    0x3FF0000000000000, 0xBFF0000000000000, 0x7FF0000000000000, 0xFFF0000000000000,
    0x7FF8000000000000, 0x7FF0000000000001, 0x0010000000000000, 0x000FFFFFFFFFFFFF,
    0x7FEFFFFFFFFFFFFF, 0x43E0000000000000, 0xC3E0000000000000, 0x41DFFFFFFFC00000,
    0x3CA0000000000000, 0xFFFFFFFF3F800000, 0xFFFFFFFFBF800000, 0xFFFFFFFF7F800000,
    0xFFFFFFFF7FC00000, 0xFFFFFFFF7F800001, 0xFFFFFFFF00800000, 0xFFFFFFFF007FFFFF,
    0xFFFFFFFF7F7FFFFF, 0xFFFFFFFF5F000000, 0xFFFFFFFFDF000000,
)  # fmt: skip

ROUNDING = (0, 1, 2, 3, 4, 7, 7, 7)


# CTZW of a number whose lower half is 0 is 32 (unprivileged manual, "Count Trailing Zeros in a
# Word"); QEMU 7.2 counts on in the upper half. guest/registers.S tries it.
CTZW, CTZW_MASK = 0x6010101B, 0xFFF0707F


@dataclass(frozen=True)
class Block:
    """Encodings, each of 2 or 4 bytes."""

    code: tuple[tuple[int, int], ...]

    def text(self) -> str:
        """As directives of the assembler."""
        return "\n".join(
            f"  .{'2byte' if size == 2 else '4byte'} {code:#x}" for code, size in self.code
        )


class Generator:
    """Makes instructions from a seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def block(self, length: int) -> Block:
        """So many instructions."""
        made = [self.instruction() for _ in range(length)]
        code: list[tuple[int, int]] = []
        for n, (encoding, size) in enumerate(made):
            if n + 1 < length and self.random.random() < 0.06:
                # A branch or jump over the instruction.
                code.append((self.over(4 + size), 4))
            code.append((encoding, size))
        return Block(tuple(code))

    def over(self, distance: int) -> int:
        """A branch or jump so far forward."""
        if self.random.random() < 0.2:
            return (distance >> 1 & 0x3FF) << 21 | self.rd() << 7 | 0x6F
        funct3 = self.random.choice((0, 1, 4, 5, 6, 7))
        low = (distance >> 1 & 15) << 8 | (distance >> 5 & 63) << 25
        return low | self.register() << 20 | self.register() << 15 | funct3 << 12 | 0x63

    def register(self) -> int:
        return self.random.randrange(32)

    def rd(self) -> int:
        return self.random.choice(FREE)

    def bits(self, count: int) -> int:
        return self.random.getrandbits(count)

    def instruction(self) -> tuple[int, int]:
        """One of a kind chosen at random."""
        kinds = (
            (self.computed, 34), (self.compressed, 22), (self.memory, 14), (self.float, 26),
            (self.atomic, 4), (self.status, 2),
        )  # fmt: skip
        chosen = self.random.choices([k for k, _ in kinds], [weight for _, weight in kinds])[0]
        return chosen()

    def r_type(self, opcode: int, funct7: int, funct3: int) -> int:
        fields = funct7 << 25 | self.register() << 20 | self.register() << 15
        return fields | funct3 << 12 | self.rd() << 7 | opcode

    def computed(self) -> tuple[int, int]:
        """Integers: from the valid codes, mostly, but any others as well."""
        opcode = self.random.choice((0x13, 0x13, 0x1B, 0x33, 0x33, 0x33, 0x3B, 0x3B, 0x37, 0x17))
        funct7 = self.random.choice((0, 0, 0x20, 1, 1, 4, 5, 0x10, 0x30, 0x14, 0x34, 0x35))
        if opcode in (0x37, 0x17) or self.random.random() < 0.1:
            # Of AUIPC bits 31:12 say an address: the same on all machines.
            return self.bits(20) << 12 | self.rd() << 7 | opcode, 4
        code = self.r_type(opcode, funct7, self.bits(3))
        if opcode == 0x13 and self.random.random() < 0.5:
            code = code & ~(0xFFF << 20) | self.bits(12) << 20
        return self.computed() if code & CTZW_MASK == CTZW else (code, 4)

    def float(self) -> tuple[int, int]:
        opcode = self.random.choice((0x53, 0x53, 0x53, 0x53, 0x43, 0x47, 0x4B, 0x4F))
        code = self.bits(32) & ~0x7F | opcode
        double = self.bits(1)
        if opcode == 0x53:
            funct5 = self.random.choice((0, 1, 2, 3, 11, 4, 5, 8, 20, 24, 26, 28, 30))
            code = code & ~(0x7F << 25) | funct5 << 27 | double << 25
            if funct5 in (8, 11, 24, 26, 28, 30) and self.random.random() < 0.95:
                source = {8: 1 - double, 24: self.bits(2), 26: self.bits(2)}.get(funct5, 0)
                code = code & ~(31 << 20) | source << 20
        else:
            code = code & ~(3 << 25) | double << 25
        if self.random.random() < 0.9:
            code = code & ~(7 << 12) | self.random.choice(ROUNDING) << 12
        # Some of them write integer registers.
        return code & ~(31 << 7) | self.rd() << 7, 4

    def memory(self) -> tuple[int, int]:
        base = self.random.choice(BASES)
        # Whole accesses within the page around the base.
        offset = self.random.randrange(-1024, 1016)
        opcode, funct3 = self.random.choice(
            [(0x03, n) for n in range(8)]
            + [(0x23, n) for n in range(4)]
            + [(0x07, 2), (0x07, 3), (0x27, 2), (0x27, 3)]
        )
        if opcode in (0x03, 0x07):
            return (offset & 0xFFF) << 20 | base << 15 | funct3 << 12 | self.rd() << 7 | opcode, 4
        value = (offset >> 5 & 0x7F) << 25 | (offset & 31) << 7
        return value | self.register() << 20 | base << 15 | funct3 << 12 | opcode, 4

    def atomic(self) -> tuple[int, int]:
        funct5 = self.random.choice((0, 1, 2, 2, 3, 3, 4, 8, 12, 16, 20, 24, 28, 5))
        source = 0 if funct5 == 2 else self.register()
        base = self.random.choice(BASES)
        width = self.random.choice((2, 3))
        if funct5 in (2, 3):
            # Whether SC may store eight bytes where LR has reserved four is left open.
            width = 2 if base > 3 else 3
        code = funct5 << 27 | self.bits(2) << 25 | source << 20 | base << 15
        return code | width << 12 | self.rd() << 7 | 0x2F, 4

    def status(self) -> tuple[int, int]:
        number = self.random.choice((1, 2, 2, 3))
        funct3 = self.random.choice((1, 2, 3, 5, 6, 7))
        return number << 20 | self.register() << 15 | funct3 << 12 | self.rd() << 7 | 0x73, 4

    def compressed(self) -> tuple[int, int]:
        """16 bits, but no jump, and no base changed or replaced."""
        while True:
            code = self.bits(16)
            quadrant, funct3 = code & 3, code >> 13
            # Of C.EBREAK the trap's value may be 0 or the address.
            if quadrant == 3 or code == 0x9002:
                continue
            rd, short = code >> 7 & 31, code >> 7 & 7
            if quadrant == 0:
                if funct3 == 0 and (code >> 2 & 7) == 0:
                    continue
                if funct3 != 0 and short != 0:
                    code &= ~(7 << 7)
                if funct3 in (2, 3) and (code >> 2 & 7) == 0:
                    continue
            elif quadrant == 1:
                if funct3 >= 5 or (funct3 == 4 and short == 0) or (funct3 < 4 and rd in BASES):
                    continue
            elif (funct3 == 4 and rd and code >> 2 & 31 == 0) or (
                funct3 < 5 and funct3 != 1 and rd in BASES
            ):
                continue
            return code, 2


# What bits 31:25 of RV64IM may be, by opcode and funct3: of SLLI, SRLI and SRAI, of OP, and their
# twins of 32 bits. Those of other instructions are parts of immediate values.
FUNCT7: dict[tuple[int, int], tuple[int, ...]] = {
    (0x13, 1): (0, 1), (0x13, 5): (0, 1, 0x20, 0x21),
    (0x1B, 1): (0,), (0x1B, 5): (0, 0x20), **{(0x1B, n): () for n in (2, 3, 4, 6, 7)},
    (0x33, 0): (0, 1, 0x20), (0x33, 5): (0, 1, 0x20),
    **{(0x33, n): (0, 1) for n in (1, 2, 3, 4, 6, 7)},
    (0x3B, 0): (0, 1, 0x20), (0x3B, 5): (0, 1, 0x20), **{(0x3B, n): (1,) for n in (4, 6, 7)},
    (0x3B, 1): (0,), (0x3B, 2): (), (0x3B, 3): (),
}  # fmt: skip
ANY = tuple(range(128))


class Plain(Generator):
    """What Unicorn 2.1.4 has: RV64IMAC, of floating point the loads and stores.

    It has no Zba and Zbb, passes over some reserved compressed encodings without a trap, and its
    floating point is of before boxes of single-precision numbers were checked.
    """

    def instruction(self) -> tuple[int, int]:
        """One of a kind chosen at random."""
        kinds = (
            (self.computed, 44), (self.compressed, 32), (self.memory, 16), (self.atomic, 5),
            (self.status, 3),
        )  # fmt: skip
        chosen = self.random.choices([k for k, _ in kinds], [weight for _, weight in kinds])[0]
        return chosen()

    def computed(self) -> tuple[int, int]:
        """Integers, valid codes alone."""
        while True:
            code, size = super().computed()
            if code >> 25 in FUNCT7.get((code & 0x7F, code >> 12 & 7), ANY):
                return code, size

    def compressed(self) -> tuple[int, int]:
        """Not C.LBU and its kind, and what is reserved beside C.SUBW and C.ADDW."""
        while True:
            code, size = super().compressed()
            quadrant, funct3 = code & 3, code >> 13
            reserved = quadrant == 0 or (quadrant == 1 and code >> 10 & 7 == 7 and code >> 6 & 1)
            if not (funct3 == 4 and reserved):
                return code, size


HARNESS = """
  .option norvc
  .equ UART, 0x10000000
  .equ FINISHER, 0x100000
  .section .text.start, "ax"
  .globl _start
_start:
  la t0, trap
  csrw mtvec, t0
  li t0, 0x6000
  csrs mstatus, t0
  la s10, regs
  li s11, {rounds}
round:
  la t0, blocks
  la t1, blocks_end
next_block:
  la t2, cursor
  sd t0, 0(t2)
  sd t1, 8(t2)
  sd s11, 16(t2)
  # Fill the registers' places.
  la a0, regs
  addi a1, a0, 512
  la a2, seed
  ld a3, 0(a2)
fill:
  slli a4, a3, 13
  xor a3, a3, a4
  srli a4, a3, 7
  xor a3, a3, a4
  slli a4, a3, 17
  xor a3, a3, a4
  srli a4, a3, 60
  mv a5, a3
  li a6, 5
  bgeu a4, a6, 1f
  srli a5, a3, 20
  andi a5, a5, 31
  slli a5, a5, 3
  la a6, interesting
  add a5, a5, a6
  ld a5, 0(a5)
  j 2f
1:
  li a6, 9
  bgeu a4, a6, 2f
  # A single-precision number in its box.
  li a6, -1
  slli a6, a6, 32
  or a5, a5, a6
2:
  sd a5, 0(a0)
  addi a0, a0, 8
  bltu a0, a1, fill
  sd a3, 0(a2)
  andi a4, a3, 7
  li a5, 5
  bltu a4, a5, 3f
  li a4, 0
3:
  csrw frm, a4
  csrw fflags, zero
  la x31, regs
{load_floats}
  ld x1, 8(x31)
  la x2, area + 2048
  la x3, area + 2048 + 8
  la x4, area + 2048 + 16
{load}
  la x8, area + 2048 + 32
  la x9, cursor
  ld x9, 0(x9)
  ld x9, 0(x9)
  csrw mscratch, x31
  ld x31, 248(x31)
  jr x9
  .globl after
after:
  csrw mscratch, x31
  la x31, regs
  sd x1, 8(x31)
{save}
  csrr x1, mscratch
  sd x1, 248(x31)
{save_floats}
  csrr x1, fcsr
  sd x1, 0(x31)
  la a0, regs
  addi a1, a0, 512
  la a2, sum
  ld a3, 0(a2)
  li a5, 0x9e3779b97f4a7c15
4:
  ld a4, 0(a0)
  xor a3, a3, a4
  mul a3, a3, a5
  srli a4, a3, 29
  xor a3, a3, a4
  addi a0, a0, 8
  bltu a0, a1, 4b
  la a0, area + 1024
  addi a1, a0, 2040
5:
  ld a4, 0(a0)
  xor a3, a3, a4
  mul a3, a3, a5
  addi a0, a0, 8
  bltu a0, a1, 5b
  sd a3, 0(a2)
  la t2, cursor
  ld t0, 0(t2)
  ld t1, 8(t2)
  ld s11, 16(t2)
  addi t0, t0, 8
  bltu t0, t1, next_block
  # What a block has done is in the sum of all after it: it is said once a round.
  li a0, UART
  li a1, 8
6:
  sb a3, 0(a0)
  srli a3, a3, 8
  addi a1, a1, -1
  bnez a1, 6b
  addi s11, s11, -1
  bnez s11, round
  li a0, FINISHER
  li a1, 0x5555
  sw a1, 0(a0)
7:
  j 7b

  .balign 4
trap:
  csrw mscratch, x31
  la x31, saved
  sd x1, 0(x31)
  sd x5, 8(x31)
  sd x6, 16(x31)
  # Whether a trap ends a reservation is left open: this does.
  la x6, cursor
  sc.w x0, x0, (x6)
  csrr x1, mepc
  csrr x5, mcause
  slli x5, x5, 8
  xor x5, x5, x1
  csrr x6, mtval
  xor x5, x5, x6
  la x6, sum
  ld x6, 0(x6)
  add x5, x5, x6
  slli x6, x5, 7
  add x5, x5, x6
  la x6, sum
  sd x5, 0(x6)
  lhu x5, 0(x1)
  andi x5, x5, 3
  addi x5, x5, -3
  addi x1, x1, 4
  beqz x5, 8f
  addi x1, x1, -2
8:
  csrw mepc, x1
  ld x1, 0(x31)
  ld x5, 8(x31)
  ld x6, 16(x31)
  csrr x31, mscratch
  mret

  .balign 8
blocks:
{table}
blocks_end:
interesting:
{interesting}
seed: .8byte {seed:#x}
sum: .8byte 0
cursor: .8byte 0, 0, 0
saved: .8byte 0, 0, 0
  .balign 64
regs: .zero 512
  .balign 4096
area: .zero 4096
  .balign 64
{code}
"""


def program(
    seed: int, blocks: int, length: int, rounds: int, of: type[Generator] = Generator
) -> str:
    """The assembler's input."""
    generator = of(seed)
    made = [generator.block(length) for _ in range(blocks)]
    lines = {
        "rounds": rounds,
        "seed": 0x123456789ABCDEF + seed,
        "load_floats": "\n".join(f"  fld f{n}, {256 + 8 * n}(x31)" for n in range(32)),
        "save_floats": "\n".join(f"  fsd f{n}, {256 + 8 * n}(x31)" for n in range(32)),
        "load": "\n".join(f"  ld x{n}, {8 * n}(x31)" for n in range(5, 31) if n not in (8, 9)),
        "save": "\n".join(f"  sd x{n}, {8 * n}(x31)" for n in range(2, 31)),
        "table": "\n".join(f"  .8byte block{n}" for n in range(blocks)),
        "interesting": "\n".join(f"  .8byte {value:#x}" for value in INTERESTING),
        "code": "\n".join(
            f"  .balign 2\nblock{n}:\n{block.text()}\n  .option norvc\n  la x9, after\n  jr x9"
            for n, block in enumerate(made)
        ),
    }
    return HARNESS.format(**lines)
