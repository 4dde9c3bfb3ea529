# SPDX-License-Identifier: Apache-2.0
"""That C and C++ programs find every name of the L4 manual (user/test/manual-names.txt).

The kernel's tests run what is checked here: user/test/generic.cc, on every board and scheme.
"""

import os
import re
import struct
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from switchyard.run.build import ARCHITECTURES

ROOT = Path(__file__).resolve().parent.parent.parent
TEST = ROOT / "user" / "test"
KINDS = ("GLOBAL", "LOCAL")  # of the compiler's caches
NAME = re.compile(r"\bL4_\w+")
# `result name(parameters)`, where the name may be an operator's
SIGNATURE = re.compile(r"^(.*?)((?:operator\W+)|L4_\w+)(\(.*\))$")


@dataclass(frozen=True)
class Entry:
    """A line of the list."""

    section: str
    name: str
    overload: str  # empty: C++ has no other


def entries() -> list[Entry]:
    section = ""
    listed = []
    for line in (TEST / "manual-names.txt").read_text(encoding="utf-8").splitlines():
        if re.match(r"\d", line):
            section = line
        elif line.startswith("L4_"):
            name, _, overload = line.partition(" ")
            listed.append(Entry(section, name, overload.strip()))
    return listed


def code(name: str) -> str:
    text = (TEST / name).read_text(encoding="utf-8")
    return re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)


def test_the_list_is_whole() -> None:
    sections = {entry.section.split()[0] for entry in entries()}
    chapters = {"1.1 1.2 1.3", "2.1 2.2 2.3 2.4", "3.1 3.2 3.3 3.4 3.5 3.6", "4.1 4.2 4.3"}
    chapters |= {"5.1 5.2 5.3 5.4 5.5 5.6", "6.3 6.4", "7"}
    assert sections == {section for chapter in chapters for section in chapter.split()}
    assert len({entry.name for entry in entries()}) > 250
    assert len([entry for entry in entries() if entry.overload]) > 110


def test_c_has_each_name() -> None:
    used = set(NAME.findall(code("manual.c")))
    assert [entry.name for entry in entries() if entry.name not in used] == []


def test_cpp_uses_each_name_that_is_not_overloaded() -> None:
    used = set(NAME.findall(code("generic.cc")))
    unused = [e.name for e in entries() if not e.overload and e.name not in used]
    assert unused == []


CALL = re.compile(r"^    X\((\w+), +(\w+), +(\d+), (0x\w+)\)", re.M)


@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_every_system_call_of_the_list_is_there(arch: str) -> None:
    headers, library = ROOT / "l4" / "include" / "l4", ROOT / "l4" / "lib" / "arch" / arch
    calls = CALL.findall((headers / "syscall_list.h").read_text())
    assert sorted(int(number) for _, _, number, _ in calls) == list(range(len(calls)))
    assert [int(word, 16) for *_, word in calls] == [0xD0 + 4 * i for i in range(len(calls))]
    stubs = (library / "syscalls.S").read_text()
    declared = (headers / "syscall.h").read_text()
    called = code("manual.c")
    for name, manual, _, _ in calls:
        assert re.search(rf"(?:\bsyscall +|\bipc +L4_\w+, ){name}$", stubs, re.M), name
        assert f" L4_{manual}(" in declared, manual
        assert re.search(rf"\bL4_{manual}\b", called), manual
    assert len(re.findall(r"^ +(?:syscall +\w|ipc +L4_)", stubs, re.M)) == len(calls)


def compiled(source: Path, out: Path) -> set[str]:
    """The functions that a source uses, by their names with types in them.

    Without optimization each inline function that is called becomes one of the object file.
    """
    command = [sys.executable, "-m", "ziglang", "c++", "--target=arm-freestanding-eabi"]
    command += ["-mcpu=strongarm1110", "-std=c++17", "-O0", "-ffreestanding", "-fno-exceptions"]
    command += ["-fno-rtti", "-Wall", "-Wextra", "-Werror", f"-I{ROOT}/l4/include"]
    command += [f"-I{ROOT}/l4/include/l4/arch/arm", f"-I{ROOT}/user/arch/arm"]
    command += [f"-I{ROOT}/user/test/arch/arm"]
    command += [f"-I{ROOT}/include", "-c", str(source), "-o", str(out)]
    cache = {f"ZIG_{kind}_CACHE_DIR": str(ROOT / "build" / ".zig-cache") for kind in KINDS}
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=ROOT, env=os.environ | cache
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return symbols(out.read_bytes())


def symbols(elf: bytes) -> set[str]:
    """The names in the symbol table of an ELF32 object."""
    (shoff,) = struct.unpack_from("<I", elf, 32)
    shentsize, shnum = struct.unpack_from("<HH", elf, 46)
    headers = [struct.unpack_from("<10I", elf, shoff + i * shentsize) for i in range(shnum)]
    symbol_names = set()
    for _, kind, _, _, offset, size, link, _, _, entsize in headers:
        if kind == 2:  # SHT_SYMTAB
            names = headers[link][4]
            for at in range(offset, offset + size, entsize):
                (name,) = struct.unpack_from("<I", elf, at)
                start = names + name
                symbol_names.add(elf[start : elf.index(b"\0", start)].decode())
    return symbol_names


@pytest.mark.guests
def test_cpp_uses_each_overload(tmp_path: Path) -> None:
    asked = ["#include <l4/l4.h>"]
    overloads = [entry.overload for entry in entries() if entry.overload]
    for number, overload in enumerate(overloads):
        parts = SIGNATURE.match(overload)
        assert parts is not None, overload
        result, name, parameters = (part.strip() for part in parts.groups())
        # only the function of exactly these types fits the pointer
        asked.append(f"{result} (*p{number}){parameters} = {name};")
    source = tmp_path / "asked.cc"
    source.write_text("\n".join(asked) + "\n", encoding="utf-8")
    there = {s for s in compiled(source, tmp_path / "asked.o") if s.startswith("_ZL")}
    # what one overload calls is in both; without those that call nothing would be left to compare
    assert len(there) > 110
    used = compiled(TEST / "generic.cc", tmp_path / "generic.o")
    assert sorted(there - used) == []


@pytest.mark.guests
def test_the_headers_are_cpp_in_any_order(tmp_path: Path) -> None:
    headers = sorted((ROOT / "l4" / "include").rglob("*.h"))
    headers = [header for header in headers if "arch" not in header.parts or "arm" in header.parts]
    assert len(headers) > 25
    lines = [f"#include <{header.relative_to(ROOT / 'l4' / 'include')}>" for header in headers]
    for order, ordered in enumerate((lines, lines[::-1])):
        source = tmp_path / f"headers{order}.cc"
        source.write_text("\n".join([*ordered, "int there;", ""]), encoding="utf-8")
        assert "there" in compiled(source, tmp_path / "headers.o")
