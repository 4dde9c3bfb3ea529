# SPDX-License-Identifier: Apache-2.0
"""Programs of others on Linux: what is refused and how, and programs that run."""

import shutil
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from switchyard import Machine, cli
from switchyard.errors import InputError
from switchyard.run import machine, programs
from switchyard.tests.patience import SECONDS
from switchyard.tools import doctor

COMPILER = "arm-linux-gnueabi-gcc"
PROGRAM = r"""
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int count, char **words) {
    for (int i = 1; i < count; i++) printf("%d: <%s>\n", i, words[i]);
    for (int i = 0; i < 40; i++) printf("line %d of output that is still in the port's queue\n", i);
    if (count > 1 && strcmp(words[1], "fall") == 0) raise(SIGSEGV);
    return count > 2 ? atoi(words[2]) : 0;
}
"""
# Without a C library, for IA-32: writes its first argument and ends with its number of arguments.
PC_PROGRAM = r"""
static int call(int number, int a, const void *b, unsigned c) {
    int answer;
    __asm__ volatile("int $0x80" : "=a"(answer) : "a"(number), "b"(a), "c"(b), "d"(c) : "memory");
    return answer;
}
__attribute__((used)) static void begin(int *stack) {
    const char *word = (const char *)stack[2];
    unsigned length = 0;
    while (word[length]) length++;
    call(4, 1, word, length);
    call(1, stack[0], 0, 0);
}
__asm__(".globl _start\n_start: mov %esp, %eax\n push %eax\n call begin\n");
"""
# The same for RISC-V, with a product of floating-point numbers among the status's parts.
RISCV_PROGRAM = r"""
static long call(long number, long a, const void *b, long c) {
    register long a0 __asm__("a0") = a, a2 __asm__("a2") = c, a7 __asm__("a7") = number;
    register const void *a1 __asm__("a1") = b;
    __asm__ volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a2), "r"(a7) : "memory");
    return a0;
}
__attribute__((used)) static void begin(long *stack) {
    const char *word = (const char *)stack[2];
    volatile double half = 0.5;
    long length = 0;
    while (word[length]) length++;
    call(64, 1, word, length);
    call(93, stack[0] + (long)(half * 80), 0, 0);
}
__asm__(".globl _start\n_start: mv a0, sp\n call begin\n");
"""
HEADER = struct.Struct("<16sHHIIIIIHHHHHH")


def elf(
    bits: int = 1,
    order: int = 1,
    kind: int = 2,
    number: int = 40,
    flags: int = 0x0500_0000,
    interpreter: bytes = b"",
    architecture: int | None = None,
) -> bytes:
    """An ELF file of little but its headers."""
    ident = bytes([0x7F, *b"ELF", bits, order, 1]).ljust(16, b"\0")
    more, segments, sections = b"", 0, 0
    at = HEADER.size
    if interpreter:
        segments = 1
        more += struct.pack("<8I", 3, at + 32, 0, 0, len(interpreter), 0, 0, 0) + interpreter
    table = at + len(more)
    if architecture is not None:
        sections = 1
        tags = b"\x05" + b"TEST\0" + bytes([6, architecture, 8, 1])
        whole = b"\x01" + struct.pack("<I", len(tags) + 5) + tags
        data = b"A" + struct.pack("<I", len(whole) + 10) + b"aeabi\0" + whole
        more += struct.pack("<10I", 0, 0x7000_0003, 0, 0, table + 40, len(data), 0, 0, 1, 0) + data
    head = HEADER.pack(
        ident, kind, number, 1, 0, at, table if sections else 0, flags, 52, 32, segments, 40,
        sections, 0,
    )  # fmt: skip
    if order == 2:
        head = head[:16] + struct.pack(">HH", kind, number) + head[20:]
    return head + more


GOOD = elf(architecture=4)
REFUSED = {
    "empty": (b"", "is no ELF file"),
    "text": (b"int main", "is no ELF file"),
    "script": (b"#!/bin/sh\n", "is a script"),
    "host": (elf(bits=2, number=62), "is for x86-64"),
    "pc": (elf(number=3), "is for IA-32"),
    "aarch64": (elf(bits=2, number=183), "is for AArch64"),
    "unknown": (elf(number=9999), "ELF's number 9999"),
    "big": (elf(order=2), "is big-endian"),
    "object": (elf(kind=1), "is not linked"),
    "dynamic": (elf(interpreter=b"/lib/ld-linux.so.3\0"), r"\(/lib/ld-linux.so.3\).*-static"),
    "old": (elf(flags=0), "no EABI"),
    "hard": (elf(flags=0x0500_0400), "armhf"),
    "v6": (elf(architecture=6), "compiled for ARMv6, which is newer"),
    "v7": (elf(architecture=10), "compiled for ARMv6K or newer"),
    "cut": (GOOD[:40], "is a broken ELF file"),
    "large": (GOOD + bytes(40 << 20), "40 MB, and versatilepb has 128 MB"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_run_is_refused_with_what_to_do(name: str, tmp_path: Path) -> None:
    content, said = REFUSED[name]
    file = tmp_path / "prog"
    file.write_bytes(content)
    with pytest.raises(InputError, match=said) as error:
        programs.read("versatilepb", file)
    assert str(error.value).startswith(f"{file}: ")
    assert "expected" in str(error.value)
    assert len(str(error.value).splitlines()) == 1


def test_what_can_run_is_not(tmp_path: Path) -> None:
    file = tmp_path / "prog"
    for content in (GOOD, elf(), elf(kind=3, architecture=5)):
        file.write_bytes(content)
        assert programs.read("versatilepb", file) == content
    file.write_bytes(elf(architecture=4))
    with pytest.raises(InputError, match="compiled for ARMv5TE, which is newer"):
        programs.read("versatile920", file)
    file.write_bytes(elf(number=3, flags=0))
    assert programs.read("p4-willamette", file)
    with pytest.raises(InputError, match="directory"):
        programs.read("versatilepb", tmp_path)
    with pytest.raises(InputError, match="No such file"):
        programs.read("versatilepb", tmp_path / "none")


def elf_64(flags: int = 5, interpreter: bytes = b"") -> bytes:
    """The same for RISC-V."""
    ident = bytes([0x7F, *b"ELF", 2, 1, 1]).ljust(16, b"\0")
    count = 1 if interpreter else 0
    head = struct.pack(
        "<16sHHIQQQIHHHHHH", ident, 2, 243, 1, 0, 64, 0, flags, 64, 56, count, 64, 0, 0
    )
    segment = struct.pack("<2I6Q", 3, 4, 64 + 56, 0, 0, len(interpreter), 0, 1)
    return head + segment * count + interpreter


def test_a_program_for_riscv_is_looked_at(tmp_path: Path) -> None:
    file = tmp_path / "prog"
    file.write_bytes(elf_64())
    for name in ("virt-u74", "virt-u74-asid", "virt-rv64"):
        assert programs.read(name, file) == elf_64()
    with pytest.raises(InputError, match="is for RISC-V, and versatilepb has an ARM926EJ-S"):
        programs.read("versatilepb", file)
    refused = [
        (elf_64(interpreter=b"/lib/ld.so\0"), r"\(/lib/ld.so\)"),
        (elf_64(flags=6), "registers that the processor has not"),
        (elf_64(flags=9), "registers that the processor has not"),
        (elf_64()[:60], "is a broken ELF file"),
        (elf(number=243), "is for RISC-V with 32 bits"),
        (GOOD, "is for ARM, and virt-u74 has a RISC-V RV64GC; expected a static program"),
    ]
    for content, said in refused:
        file.write_bytes(content)
        with pytest.raises(InputError, match=said):
            programs.read("virt-u74", file)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--linux", "-m", "sa1110-tags"], "no Linux for machine sa1110-tags"),
        (["--run"], "--run: no program"),
        (["word"], "word: unexpected"),
        (["--linux", "--kernel", "k"], "--kernel: stands beside --linux"),
        (["--run", "--restore", "s", "p"], "--restore: stands beside --linux"),
    ],
)
def test_options_that_do_not_go_together(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.execute(["boot", *arguments]) == 2
    assert said in capsys.readouterr().err


def test_words_are_bounded(tmp_path: Path) -> None:
    base = tmp_path / "base"
    base.write_bytes(b"base")
    assert programs.disk(base, b"x", "p", ["a"]).startswith(b"base070701")
    with pytest.raises(InputError, match="expected at most 500"):
        programs.disk(base, b"x", "p", ["a"] * 600)
    with pytest.raises(InputError, match="60000 bytes"):
        programs.disk(base, b"x", "p", ["a" * 70_000])


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which(COMPILER) is None or doctor.armel().missing:
        pytest.fail(f"{COMPILER}, glibc for armel: not found; see: switchyard doctor linux")
    folder = tmp_path_factory.mktemp("program")
    (folder / "prog.c").write_text(PROGRAM)
    command = [COMPILER, "-O2", "-static", "-o", "prog", "prog.c"]
    subprocess.run(command, cwd=folder, check=True)
    return folder / "prog"


def boot(name: str, *words: object) -> tuple[int, list[str]]:
    """A program's exit status and what it has written, by the command line."""
    command = [sys.executable, "-m", "switchyard", "boot", "-m", name, "--linux", "--run"]
    done = subprocess.run(
        [*command, *map(str, words)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    return done.returncode, done.stdout.replace("\r", "").splitlines()


@pytest.mark.linux
def test_a_program_with_glibc_runs_on_arm(program: Path) -> None:
    status, lines = boot("versatilepb", program, "-x", "42", "two words", "--help")
    assert status == 42
    assert lines[:4] == ["1: <-x>", "2: <42>", "3: <two words>", "4: <--help>"]
    assert lines[-1] == "line 39 of output that is still in the port's queue"
    assert len(lines) == 44
    status, lines = boot("versatilepb", program, "fall")
    assert status == 128 + 11
    assert lines[-1].endswith("prog was ended by signal 11")


@pytest.mark.linux
def test_a_program_runs_on_the_pc(tmp_path: Path) -> None:
    if shutil.which("gcc") is None:
        pytest.skip("no compiler for this computer")
    (tmp_path / "prog.c").write_text(PC_PROGRAM)
    command = ["gcc", "-m32", "-march=i686", "-O1", "-nostdlib", "-static", "-fno-pic", "-no-pie"]
    subprocess.run([*command, "-o", "prog", "prog.c"], cwd=tmp_path, check=True)
    assert boot("p4-willamette", tmp_path / "prog", "said") == (2, ["said"])


@pytest.mark.long
@pytest.mark.parametrize("name", ["virt-u74", "virt-rv64"])
def test_a_program_runs_on_riscv(name: str, tmp_path: Path) -> None:
    (tmp_path / "prog.c").write_text(RISCV_PROGRAM)
    command = [sys.executable, "-m", "ziglang", "cc", "-target", "riscv64-linux-none"]
    command += ["-O1", "-ffreestanding", "-nostdlib", "-static", "-fno-sanitize=undefined"]
    subprocess.run([*command, "-o", "prog", "prog.c"], cwd=tmp_path, check=True)
    status, lines = boot(name, tmp_path / "prog", "said")
    assert (status, lines[-1]) == (42, "said")  # the firmware's lines are before


@pytest.mark.linux
def test_a_program_runs_in_python(program: Path) -> None:
    with Machine("versatilepb").linux(program, "a", "7") as system:
        system.run_until(console="line 39", within=2_000_000_000)
        stats = system.wait()
        assert "1: <a>" in system.console
    assert (stats.end.kind, stats.end.status) == ("exit", 7)
    assert isinstance(stats, machine.Stats)
