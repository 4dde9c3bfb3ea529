# SPDX-License-Identifier: Apache-2.0
"""Laying code out: programs whose hot parts were packed do what they did, in fewer lines.

Programs run in Unicorn, which also counts their instructions; Capstone tells instructions apart.
"""

import random
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import capstone  # type: ignore[import-untyped]
import pytest
import unicorn
from capstone import arm as cs
from unicorn import arm_const

from switchyard import cli
from switchyard.errors import InputError
from switchyard.run import machine
from switchyard.tools.layout import arm, counts, order
from switchyard.tools.layout.arm import Use
from switchyard.tools.layout.counts import Count, Counts
from switchyard.tools.layout.elf import EXECUTABLE, EXIDX, RELOCATABLE, Elf
from switchyard.tools.layout.functions import Block, Code, Function, find
from switchyard.tools.layout.order import Cache
from switchyard.tools.layout.program import lay_out

HERE = Path(__file__).parent
CACHE = Cache(16384, 32, 32)
BASE, STACK, RETURN = 0x10000, 0x40_0000, 0x50_0000


def zig(*words: object) -> None:
    command = [sys.executable, "-m", "ziglang", *(str(word) for word in words)]
    subprocess.run(command, check=True, capture_output=True, text=True)


def link(file: Path, to: Path) -> None:
    zig("ld.lld", "-Ttext", hex(BASE), "-e", "start", "-o", to, file)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with `all.o`, relocatable, and `all`, linked."""
    folder = tmp_path_factory.mktemp("layout")
    target = ["--target=arm-freestanding-eabi", "-mcpu=arm926ej_s"]
    source = HERE / "layout_program.S"
    zig("cc", *target, "-c", "-o", folder / "one.o", source)
    zig("ld.lld", "-r", "-o", folder / "all.o", folder / "one.o")
    elf = Elf(folder / "all.o", RELOCATABLE)
    for section in elf.sections:
        # as GNU's assembler does it: LLVM's leaves every call to the linker
        for relocation in [r for r in section.relocations if r.symbol.name == ".Ltwice"]:
            branch = section.word(relocation.offset)
            section.put(
                relocation.offset,
                arm.with_target(branch, relocation.offset, relocation.symbol.value),
            )
            section.relocations.remove(relocation)
    elf.write(folder / "all.o")
    link(folder / "all.o", folder / "all")
    return folder


class Program:
    """A linked program in Unicorn."""

    def __init__(self, file: Path) -> None:
        self.elf = Elf(file, EXECUTABLE)
        cpu: Any = unicorn
        self.cpu = cpu.Uc(unicorn.UC_ARCH_ARM, unicorn.UC_MODE_ARM)
        self.cpu.ctl_set_cpu_model(arm_const.UC_CPU_ARM_926)
        self.cpu.mem_map(0, 0x60_0000)
        for section in self.elf.sections:
            if section.address:
                self.cpu.mem_write(section.address, bytes(section.data))
        self.symbols = {symbol.name: symbol.value for symbol in self.elf.symbols}
        self.fetched: Counter[int] = Counter()
        self.cpu.hook_add(unicorn.UC_HOOK_CODE, self._fetch)

    def _fetch(self, _cpu: object, address: int, _size: int, _data: object) -> None:
        self.fetched[address] += 1

    def run(self, value: int) -> int:
        self.cpu.reg_write(arm_const.UC_ARM_REG_R0, value)
        self.cpu.reg_write(arm_const.UC_ARM_REG_SP, STACK)
        self.cpu.reg_write(arm_const.UC_ARM_REG_LR, RETURN)
        self.cpu.emu_start(self.symbols["start"], RETURN, count=100_000)
        assert self.cpu.reg_read(arm_const.UC_ARM_REG_PC) == RETURN
        result: int = self.cpu.reg_read(arm_const.UC_ARM_REG_R0)
        return result

    def counted(self) -> Counts:
        """As `boot --counts` has them, but for conditions, which are taken to have held."""
        read = self.cpu.mem_read
        kernel = {
            at: Count(int.from_bytes(read(at, 4), "little"), count, count)
            for at, count in self.fetched.items()
        }
        return Counts(kernel)


def table(counted: Counts, file: Path) -> Path:
    rows = (
        f"1,1,{at:#x},{c.encoding:#x},{c.fetched},{c.executed}" for at, c in counted.kernel.items()
    )
    file.write_text("\n".join([",".join(counts.COLUMNS), *rows]) + "\n")
    return file


# What the program is mostly asked, and what it is asked now and then.
USUAL = [3, 7, 11, 19]
RARE = [0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 64, 100, 255, 1000, 0x7FFF_FFFF, 0xFFFF_FFFF]


@pytest.fixture(scope="module")
def packed(built: Path) -> Path:
    """The folder, also with `packed.o` and `packed`, laid out for the usual questions."""
    program = Program(built / "all")
    for value in USUAL * 10:
        program.run(value)
    table(program.counted(), built / "usual.csv")
    counted = [counts.read(built / "usual.csv")]
    report = lay_out(built / "all.o", built / "all", built / "packed.o", counted, CACHE, 10)
    assert report.functions >= 5
    assert report.after[0].count < report.before[0].count
    assert "works" in report.whole.get("maintain", "")
    assert "uses the program counter" in report.whole.get("computed", "")
    link(built / "packed.o", built / "packed")
    return built


def test_a_packed_program_computes_what_it_did(packed: Path) -> None:
    before, after = Program(packed / "all"), Program(packed / "packed")
    for value in [*USUAL, *RARE, *USUAL]:
        assert after.run(value) == before.run(value), value


def test_hot_code_lies_in_one_piece_and_cold_code_where_it_was(packed: Path) -> None:
    after = Program(packed / "packed")
    for value in USUAL:
        after.run(value)

    def lines(program: Program) -> set[int]:
        return {at // 32 for at in program.fetched}

    cold = range(after.symbols["start.cold"], after.symbols["start.cold"] + 100)
    assert not any(at in cold for at in after.fetched)
    stay = {after.symbols[name] // 32 for name in ("computed", "maintain")}
    packed_lines = {line for line in lines(after) if not {line, line - 1} & stay}
    assert max(packed_lines) - min(packed_lines) < len(packed_lines) + 2  # words between the code
    after.run(1000)
    assert any(at in cold for at in after.fetched), "the rare part is in the old code"


def test_calls_and_pointers_go_to_the_copies(packed: Path) -> None:
    program = Program(packed / "packed")
    for value in [*USUAL, 1000]:  # from cold code as well
        program.run(value)
    for name in ("twice", "picked", "summed"):
        assert program.fetched[program.symbols[name]], name
        assert not program.fetched[program.symbols[f"{name}.cold"]], name


def test_where_a_call_by_a_register_returns_is_behind_it(built: Path) -> None:
    elf = Elf(built / "all.o", RELOCATABLE)
    symbol = next(s for s in elf.functions() if s.name == "start")
    code = Code(elf, symbol.section)
    (function,) = find(code, [symbol], {symbol.value: Count(0, 1, 1)})
    call = next(at for at, insn in code.instructions() if insn == 0xE1A0E00F)
    assert not function.why
    assert not {call + 4, call + 8} & set(function.blocks)
    assert any(block.start < call and call + 8 < block.end for block in function.blocks.values())


def test_tables_of_places_have_the_copies_too(packed: Path) -> None:
    def entries(name: str) -> list[tuple[int, int]]:
        elf = Elf(packed / name, EXECUTABLE)
        section = next(section for section in elf.sections if section.name == "__ex_table")
        return [(section.word(at), section.word(at + 4)) for at in range(0, len(section.data), 8)]

    program = Program(packed / "packed")
    for value in USUAL:
        program.run(value)
    old, new = entries("all"), entries("packed")
    assert len(new) == len(old) + 1  # of the two, one was executed
    place, fixup = new[-1]
    assert program.fetched[place]
    assert fixup == new[0][1]
    assert program.cpu.mem_read(place, 4) == program.cpu.mem_read(new[0][0], 4)


def test_instructions_that_are_patched_are_so_in_the_copies_too(packed: Path) -> None:
    def patched(name: str) -> list[int]:
        elf = Elf(packed / name, EXECUTABLE)
        section = next(section for section in elf.sections if section.name == ".pv_table")
        places = range(0, len(section.data), 4)
        return [(section.address + at + section.word(at)) & 0xFFFF_FFFF for at in places]

    program = Program(packed / "packed")
    for value in USUAL:
        program.run(value)
    (old,), new = patched("all"), patched("packed")
    assert new[0] == program.symbols["start.cold"] + old - Program(packed / "all").symbols["start"]
    assert program.fetched[new[1]]
    assert len(new) == 2
    # they are not executed as they are in the file
    counted = counts.read(packed / "usual.csv")
    counted.kernel[old] = Count(
        0xE1A0_0000, counted.kernel[old].fetched, counted.kernel[old].executed
    )
    lay_out(packed / "all.o", packed / "all", packed / "again.o", [counted], CACHE, 10)
    assert (packed / "again.o").read_bytes() == (packed / "packed.o").read_bytes()


def test_stacks_are_unwound_as_before(packed: Path) -> None:
    def index(name: str) -> dict[int, int]:
        elf = Elf(packed / name, EXECUTABLE)
        section = next(section for section in elf.sections if section.kind == EXIDX)
        words = {}
        for at in range(0, len(section.data), 8):
            distance = section.word(at)
            distance -= 1 << 31 if distance & 1 << 30 else 0
            words[section.address + at + distance] = section.word(at + 4)
        return words

    before, after = index("all"), index("packed")
    old, new = Program(packed / "all").symbols, Program(packed / "packed").symbols
    assert list(after) == sorted(after)
    for name in ("start", "summed"):
        assert after[new[name]] == after[new[f"{name}.cold"]] == before[old[name]]


def test_the_same_files_give_the_same_bytes(packed: Path) -> None:
    counted = [counts.read(packed / "usual.csv")]
    lay_out(packed / "all.o", packed / "all", packed / "again.o", counted, CACHE, 10)
    assert (packed / "again.o").read_bytes() == (packed / "packed.o").read_bytes()


def test_a_relocatable_file_is_written_as_it_was_read(built: Path, tmp_path: Path) -> None:
    elf = Elf(built / "all.o", RELOCATABLE)
    elf.write(tmp_path / "same.o")
    link(tmp_path / "same.o", tmp_path / "same")
    original, again = Program(built / "all"), Program(tmp_path / "same")
    assert {s.name: bytes(s.data) for s in original.elf.sections if s.address} == {
        s.name: bytes(s.data) for s in again.elf.sections if s.address
    }


DECODER = capstone.Cs(capstone.CS_ARCH_ARM, capstone.CS_MODE_ARM)
DECODER.detail = True


def pc_use(insn: capstone.CsInsn) -> tuple[bool, bool]:
    """Whether the instruction reads the program counter, and whether it writes it."""
    reads, writes = insn.regs_access()
    return cs.ARM_REG_PC in reads, cs.ARM_REG_PC in writes


def test_what_instructions_do_to_the_program_counter_is_what_capstone_says() -> None:
    draw = random.Random(1)
    seen: Counter[Use] = Counter()
    for _ in range(40_000):
        word = draw.getrandbits(32)
        if draw.random() < 0.5:  # the program counter somewhere
            word |= 15 << draw.choice((0, 8, 12, 16))
        word = word & 0x0FFF_FFFF | draw.choice((0, 1, 10, 14)) << 28
        decoded = next(DECODER.disasm(word.to_bytes(4, "little"), 0x1000, 1), None)
        if decoded is None:
            continue
        use = arm.use(word)
        reads, writes = pc_use(decoded)
        shown = f"{word:08x} {decoded.mnemonic} {decoded.op_str}: {use}"
        stored = decoded.mnemonic.startswith(("stm", "push"))
        seen[use] += 1
        if use is Use.NONE and not stored:
            assert not writes or decoded.mnemonic.startswith(("blx", "svc", "bkpt")), shown
            assert not reads or decoded.mnemonic.startswith(("blx", "bx", "svc")), shown
        elif use in (Use.BRANCH, Use.CALL):
            assert decoded.group(cs.ARM_GRP_JUMP) or decoded.group(cs.ARM_GRP_CALL), shown
            assert decoded.operands[0].imm & 0xFFFF_FFFF == arm.branch_target(word, 0x1000) % 2**32
        elif use is Use.LITERAL:
            place = arm.literal_place(word, 0x1000)
            assert decoded.operands[1].mem.base == cs.ARM_REG_PC, shown
            assert 0x1008 + decoded.operands[1].mem.disp == place, shown
            assert arm.with_literal(word, 0x1000, place) in (word, word | 1 << 23), shown
        elif use is Use.LEAVE:
            assert writes, shown
    assert all(seen[use] > 20 for use in (Use.BRANCH, Use.CALL, Use.LITERAL, Use.LEAVE)), seen


@pytest.mark.parametrize(
    ("word", "use"),
    [
        (0xE1A0E00F, Use.RETURN_ADDRESS),  # mov lr, pc
        (0xE1A0F003, Use.LEAVE),  # mov pc, r3
        (0xE8BD8010, Use.LEAVE),  # pop {r4, pc}
        (0xE12FFF1E, Use.LEAVE),  # bx lr
        (0xE12FFF33, Use.NONE),  # blx r3
        (0x979FF100, Use.TABLE),  # ldrls pc, [pc, r0, lsl #2]
        (0xE08FF100, Use.OTHER),  # add pc, pc, r0, lsl #2
        (0xE28F0010, Use.OTHER),  # add r0, pc, #16
        (0xE92DD800, Use.NONE),  # push {fp, ip, lr, pc}
    ],
)
def test_instructions_that_compilers_use(word: int, use: Use) -> None:
    assert arm.use(word) is use


def blocks(*given: Block) -> Function:
    symbol = None
    function = Function(symbol, given[0].start, given[-1].end)  # type: ignore[arg-type]
    function.blocks = {block.start: block for block in given}
    return function


def chained(*given: Block) -> list[int]:
    return [block.start for block in order.chain(blocks(*given))]


def test_blocks_stand_behind_those_that_go_on_to_them() -> None:
    # usually taken over the cold block, now and then to what stands at the end
    first = Block(0, 8, count=10, target=16, taken=10)
    cold = Block(8, 16)
    second = Block(16, 24, count=10, target=32, taken=9)
    third = Block(24, 32, count=1, falls=False)
    fourth = Block(32, 40, count=9, falls=False)
    assert chained(first, cold, second, third, fourth) == [0, 16, 32, 24]


def test_a_block_has_one_behind_it() -> None:
    first = Block(0, 8, count=10, target=16, taken=6)
    second = Block(8, 16, count=4, falls=False)
    third = Block(16, 24, count=6, target=32, taken=3)
    fourth = Block(32, 40, count=3, falls=False)
    assert chained(first, second, third, fourth) == [0, 16, 32, 8]


def test_a_loop_keeps_its_entry_first() -> None:
    loop = Block(0, 8, count=100, target=0, taken=99)
    assert chained(loop, Block(8, 12, count=1, falls=False)) == [0, 8]
    # an entry that was never counted is there all the same: calls go to it
    assert chained(Block(0, 4), Block(4, 8, count=3, target=4, taken=2)) == [0, 4]


def test_what_all_workloads_need_comes_first() -> None:
    functions = [blocks(Block(at, at + 4, count=1)) for at in (0, 4, 8, 12)]
    users = {0: {1}, 4: {0, 1}, 8: {0}, 12: {0, 1}}
    assert [f.start for f in order.by_workloads(functions, users)] == [4, 12, 8, 0]


def test_a_piece_begins_where_the_sets_are_emptiest() -> None:
    cache = Cache(1024, 8, 32)
    assert (cache.sets, cache.way) == (4, 128)
    assert order.first_set(cache, 1, [3, 1, 0, 2]) == 2
    # two lines more than whole rounds of the sets: to the two that hold least
    assert order.first_set(cache, 6, [3, 1, 0, 2]) == 1
    assert order.first_set(cache, 6, [0, 3, 3, 1]) == 3
    assert order.with_lines(cache, [0, 3, 3, 1], 3, 6) == [2, 4, 4, 3]
    assert order.occupied(cache, [0, 4, 4, 5]) == [2, 1, 0, 0]


def test_often_is_a_share_of_what_is_usual() -> None:
    usual = {at: Count(0, 200, 200) for at in range(100)}
    loop = {1000: Count(0, 5000, 5000)}
    rare = {at: Count(0, 1, 1) for at in range(2000, 2050)}
    assert Counts(usual | loop, rare).often(10) == 20
    assert Counts({0: Count(0, 1, 1)}).often(10) == 1


def test_counts_are_added_by_region(tmp_path: Path) -> None:
    head = "region,kernel,address,encoding,fetched,executed,cycles\n"
    file = tmp_path / "counts.csv"
    file.write_text(f"{head}0,1,0x8,1,9,9,9\n2,1,0x8,1,5,4,9\n3,1,0x8,1,2,2,9\n3,0,0x4,1,1,0,9\n")
    assert counts.read(file).kernel == {8: Count(1, 7, 6)}
    assert counts.read(file, [3]) == Counts({8: Count(1, 2, 2)}, {4: Count(1, 1, 0)})


def refused(capsys: pytest.CaptureFixture[str], words: Iterable[object]) -> str:
    assert cli.execute(["layout", *(str(word) for word in words)]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert len(said.err.splitlines()) == 1, said.err
    return said.err


def test_bad_input_is_one_line(
    packed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    usual, file, linked = packed / "usual.csv", packed / "all.o", packed / "all"
    out = tmp_path / "out.o"

    def words(**other: Path) -> list[object]:
        given = {"linked": linked, "counts": usual, "out": out} | other
        named = given.pop("file", file)
        return [named, *(word for k, v in given.items() for word in (f"--{k}", v))]

    empty, wrong = tmp_path / "empty", tmp_path / "wrong.csv"
    empty.write_text("")
    wrong.write_text("region,address\n1,0x10\n")
    assert "all: expected a relocatable 32-bit ARM ELF file" in refused(capsys, words(file=linked))
    assert "all.o: expected a linked 32-bit ARM" in refused(capsys, words(linked=file))
    assert "expected a relocatable" in refused(capsys, words(file=empty))
    assert "none: No such file" in refused(capsys, words(file=tmp_path / "none"))
    assert "no column 'kernel'" in refused(capsys, words(counts=wrong))
    wrong.write_text(usual.read_text().replace("0x", "0y"))
    assert "wrong.csv:2: no count" in refused(capsys, words(counts=wrong))
    wrong.write_text(usual.read_text().splitlines()[0])
    assert "no instruction" in refused(capsys, words(counts=wrong))
    assert "is read as well" in refused(capsys, words(out=file))
    assert "no-such: no such machine" in refused(capsys, [*words(), "--machine", "no-such"])
    # of another program
    lines = usual.read_text().splitlines()
    changed = [",".join([*line.split(",")[:3], "0x1", *line.split(",")[4:]]) for line in lines[1:]]
    wrong.write_text("\n".join([lines[0], *changed]) + "\n")
    assert "expected counts of this program" in refused(capsys, words(counts=wrong))
    wrong.write_text(f"{lines[0]}\n1,1,0x0,0x0,1,1\n")
    assert "no hot function" in refused(capsys, words(counts=wrong))
    assert not out.exists()
    broken = tmp_path / "broken.o"
    broken.write_bytes(file.read_bytes()[:-400])
    assert "broken" in refused(capsys, words(file=broken))


def test_the_command_says_what_it_did(
    packed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["layout", packed / "all.o", "--linked", packed / "all"]
    words += ["--counts", packed / "usual.csv", "--out", tmp_path / "out.o"]
    assert cli.execute([str(word) for word in words]) == 0
    said = capsys.readouterr().out
    assert "512, 16 sets of 32" in said
    assert "maintain stays as it is: it works on caches" in said
    assert (tmp_path / "out.o").read_bytes() == (packed / "packed.o").read_bytes()


def test_the_cache_is_that_of_the_machine() -> None:
    (description,) = machine.machines("versatilepb")
    assert description["icache"]["line_bytes"] == 32
    with pytest.raises(InputError, match="no such machine"):
        machine.machines("no-such")
