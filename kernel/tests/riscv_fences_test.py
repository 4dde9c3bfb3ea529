# SPDX-License-Identifier: Apache-2.0
"""Each fence of the kernel on RISC-V left out, one at a time: an instruction that does nothing.

The instructions are looked for in the image, so that none is forgotten: one that is neither found
by a run nor said to be needless here fails the test. A run ends soon: who is lost without its
fence does not come to its end.
"""

import re
import struct
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from switchyard.experiments import l4_riscv
from switchyard.run import build
from switchyard.run.build import GUESTS, VIRT
from switchyard.run.machine import Boot, binary

NOP = struct.pack("<I", 0x13)
SCHEMES = ("flush", "tags", "single-space")
SFENCE, FENCE_I, SATP = "sfence.vma", "fence.i", "csrw satp"

# Two spaces, then three, that send each other messages; a page of code that is mapped over another;
# pages that are taken away, and who still can reach them.
MESSAGES = ("bench-spaces", "spaces=2,3 rounds=3", 12_000_000)
CODE = ("test", "only=map_over_code", 400_000_000)
TAKEN = ("test", "only=attack_after", 1_000_000_000)
UNMAPPED = ("test", "only=generic_unmap", 1_000_000_000)
FIRST = ("test", "only=one_space_first", 100_000_000)
AREAS = ("test", "only=single_areas", 100_000_000)
HANGS = "the guest still ran"

# What finds it, and how: the cause of a finding; or that the guest hangs, as one that faults for
# ever at what its TLB remembers as invalid.
FOUND = {
    ("flush", "ipc_path", SATP): (MESSAGES, HANGS),
    ("flush", "ipc_path", SFENCE): (MESSAGES, "reused-asid"),
    ("flush", "switch_to_space", SATP): (MESSAGES, HANGS),
    ("flush", "switch_to_space", SFENCE): (MESSAGES, "remembered-invalid"),
    ("flush", "switch_map", SFENCE): (MESSAGES, "stale-translation"),
    ("flush", "switch_unmap", SFENCE): (UNMAPPED, "stale-translation"),
    ("flush", "ptab_execute", FENCE_I): (CODE, "stale-instruction"),
    ("tags", "ipc_path", SATP): (MESSAGES, HANGS),
    ("tags", "switch_to_space", SATP): (MESSAGES, HANGS),
    ("tags", "switch_map", SFENCE): (MESSAGES, "stale-translation"),
    ("tags", "switch_unmap", SFENCE): (TAKEN, "stale-translation"),
    ("tags", "ptab_execute", FENCE_I): (CODE, "stale-instruction"),
    ("single-space", "switch_space_init", FENCE_I): (FIRST, "stale-instruction"),
    ("single-space", "switch_map", SFENCE): (MESSAGES, HANGS),
}
# What no run on these machines needs, and why it is there.
NEEDLESS = {
    "_start": "TLBs are empty at reset, and machine mode translates nothing",
    "switch_init": "asks what satp keeps; nothing of a space is in a TLB yet",
    "switch_set_above": "no TLB here remembers what is above the last level; others may",
    "switch_set_directory": "the same: each page of the table is fenced when it is mapped",
    "switch_space_free": "each page and table of the space has been fenced when it went",
}
# The same in one space, where next to nothing is the kernel's to map.
NEEDLESS_IN_ONE_SPACE = {
    "ptab_execute": "what is fetched by its tables is a KIP, which has the same words in each",
    "switch_unmap": "KIP and UTCBs go with their space, and out of force before they are unmapped",
}
# Each stands in for the other when a space ends; without both, what finds it.
EITHER = {
    ("single-space", "switch_space_free", "switch_set_directory"): (AREAS, "stale-translation"),
}


@dataclass(frozen=True)
class Fence:
    """An instruction of the kernel's."""

    function: str
    kind: str
    at: int  # in the file


def _kind(word: int) -> str | None:
    if word & 0xFE007FFF == 0x12000073:
        return SFENCE
    if word == 0x100F:
        return FENCE_I
    return SATP if word >> 20 == 0x180 and word & 0x707F == 0x1073 else None


def _functions(image: bytes) -> list[tuple[int, str]]:
    """Global symbols in order, by their addresses."""
    sections_at, count = struct.unpack_from("<Q", image, 40)[0], struct.unpack_from("<H", image, 60)
    sections = [
        struct.unpack_from("<IIQQQQIIQQ", image, sections_at + 64 * i) for i in range(count[0])
    ]
    symbols = next(section for section in sections if section[1] == 2)
    names_at = sections[symbols[6]][4]
    found = []
    for at in range(symbols[4], symbols[4] + symbols[5], 24):
        name, _info, _other, _section, value, _size = struct.unpack_from("<IBBHQQ", image, at)
        text = image[names_at + name : image.index(b"\0", names_at + name)].decode()
        if text and not text.startswith((".", "$")):
            found.append((value, text))
    return sorted(found)


def fences(image: bytes) -> Iterator[Fence]:
    """Those of the kernel, which is the image's first segment."""
    header = struct.unpack_from("<Q", image, 32)[0] + 8
    offset, address, _physical, size = struct.unpack_from("<QQQQ", image, header)
    functions = _functions(image)
    for at in range(offset, offset + size - 3, 2):
        kind = _kind(struct.unpack_from("<I", image, at)[0])
        if kind is not None:
            where = address + at - offset
            name = [text for value, text in functions if value <= where][-1]
            yield Fence(name, kind, at)


def _run(
    scheme: str, image: Path, append: str, cycles: int, symbols: Path | None = None
) -> subprocess.CompletedProcess[str]:
    boot = Boot(l4_riscv.machine(scheme), image, append, cycles, symbols=symbols, bios="none")
    command = [str(binary()), *boot.arguments(), "--check", "coherence"]
    return subprocess.run(command, capture_output=True, check=False, text=True, errors="replace")


def _without(whole: Path, which: set[tuple[str, str]], directory: Path) -> Path:
    """The image with an instruction that does nothing for each of these."""
    image = bytearray(whole.read_bytes())
    places = [f.at for f in fences(bytes(image)) if (f.function, f.kind) in which]
    assert len(places) == len(which)
    for at in places:
        image[at : at + 4] = NOP
    without = directory / whole.name
    without.write_bytes(image)
    return without


def _built(scheme: str, program: str) -> Path:
    guest = GUESTS[f"{VIRT}-{scheme}-{program}"]
    build.ensure([guest])
    return guest.image


@pytest.mark.slow
@pytest.mark.guests
@pytest.mark.parametrize("scheme", SCHEMES)
def test_each_fence_is_judged(scheme: str) -> None:
    there = {(f.function, f.kind) for f in fences(_built(scheme, "test").read_bytes())}
    found = {(function, kind) for of, function, kind in FOUND if of == scheme}
    needless = NEEDLESS | (NEEDLESS_IN_ONE_SPACE if scheme == "single-space" else {})
    assert {one for one in there if one[0] not in needless} == found


@pytest.mark.slow
@pytest.mark.guests
@pytest.mark.parametrize(("scheme", "function", "kind"), FOUND)
def test_a_fence_that_is_left_out_is_found(
    scheme: str, function: str, kind: str, tmp_path: Path
) -> None:
    (program, append, cycles), how = FOUND[scheme, function, kind]
    without = _without(_built(scheme, program), {(function, kind)}, tmp_path)
    said = _run(scheme, without, append, cycles).stderr
    assert how in said, said[:2000]


@pytest.mark.slow
@pytest.mark.guests
def test_a_finding_names_sources_that_are_there(tmp_path: Path) -> None:
    """Of the kernel, of a program and of the library that it is linked with."""
    program, append, cycles = CODE
    without = _without(_built("tags", program), {("ptab_execute", FENCE_I)}, tmp_path)
    elf = build.root() / "build" / "user" / VIRT / f"{program}.elf"
    said = _run("tags", without, append, cycles, elf).stderr
    files = set(re.findall(r"^ +(?:at|written) .*> (\S+):\d+", said, re.M))
    assert any(file.startswith("l4/lib/") for file in files), said[:2000]
    assert [file for file in files if not (build.root() / file).is_file()] == []


@pytest.mark.slow
@pytest.mark.guests
@pytest.mark.parametrize(("scheme", "one", "other"), EITHER)
def test_two_that_stand_in_for_each_other(
    scheme: str, one: str, other: str, tmp_path: Path
) -> None:
    (program, append, cycles), how = EITHER[scheme, one, other]
    whole = _built(scheme, program)
    for left_out in ({(one, SFENCE)}, {(other, SFENCE)}):
        done = _run(scheme, _without(whole, left_out, tmp_path), append, cycles)
        assert done.stderr == ""
    both = _without(whole, {(one, SFENCE), (other, SFENCE)}, tmp_path)
    assert how in _run(scheme, both, append, cycles).stderr


@pytest.mark.slow
@pytest.mark.guests
@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize(("program", "append", "cycles"), [MESSAGES, CODE, FIRST, AREAS])
def test_with_all_of_them_nothing_is_found(
    scheme: str, program: str, append: str, cycles: int
) -> None:
    done = _run(scheme, _built(scheme, program), append, cycles)
    assert done.stderr == ""
    assert done.stdout.endswith("END status=0\n")
