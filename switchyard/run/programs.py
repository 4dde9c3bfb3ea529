# SPDX-License-Identifier: Apache-2.0
"""Programs of others on Linux: `switchyard boot --machine versatilepb --linux --run ./prog args`.

The kernel is one of `build_linux`'s. The RAM disk is two archives, one after the other, as Linux
takes them: the first has the init of `linux/run`, the second, made here, the program and its words.
Before anything runs the program is looked at: Linux would refuse in one number what a person needs
a sentence for.
"""

import os
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from switchyard.errors import InputError, one_of
from switchyard.run import build_linux
from switchyard.run.build_linux import Linux
from switchyard.run.machine import Boot, machines
from switchyard.tools.layout.elf import MACHINE_386, MACHINE_ARM

# Where linux/run/init.c finds them.
PROGRAM, WORDS = "run/program", "run/words"
# As many as that init takes.
MOST_WORDS, MOST_BYTES = 500, 60_000
# The part of memory that a program's file may take, which is there twice while it is unpacked.
SHARE = 4

# ELF: the generic ABI, ELF for the ARM architecture (IHI 0044; build attributes: IHI 0045), and the
# RISC-V ELF psABI.
HEADER = struct.Struct("<16sHHIIIIIHHHHHH")
SEGMENT = struct.Struct("<8I")
HEADER_64 = struct.Struct("<16sHHIQQQIHHHHHH")
SEGMENT_64 = struct.Struct("<2I6Q")
SECTION = struct.Struct("<10I")
EXECUTABLE, DYNAMIC = 2, 3
INTERPRETER = 3
ATTRIBUTES = 0x7000_0003
EABI, EABI_5, HARD_FLOAT = 0xFF00_0000, 0x0500_0000, 0x400
MACHINE_RISCV, QUADRUPLE, EMBEDDED = 243, 6, 8  # e_flags: the calling conventions' floats; RV64E
CPU_ARCH = 6  # the attribute's number
OTHERS = {
    8: "MIPS",
    20: "PowerPC",
    21: "PowerPC64",
    62: "x86-64",
    183: "AArch64",
    MACHINE_RISCV: "RISC-V",
}
# What the attribute says, by its values, up to the last that a machine here has, and the next.
ARM_ARCHITECTURES = ("ARM before v4", "ARMv4", "ARMv4T", "ARMv5T", "ARMv5TE", "ARMv5TEJ", "ARMv6")


@dataclass(frozen=True)
class Target:
    """What a machine's programs may be."""

    linux: Linux
    elf: int  # ELF's number of the architecture
    processor: str
    compiler: str  # one that makes such programs
    architecture: int = 0  # of ARM: the newest, as the attribute says it
    bits: int = 32


_ARM = {
    "sa1110": Target(
        build_linux.SYSTEMS["linux-sa1110"],
        MACHINE_ARM,
        "a StrongARM SA-1110, ARMv4 without Thumb",
        "linux/user/programs.mk, with nolibc,",
        1,
    ),
    "arm920": Target(
        build_linux.ARM920["linux-versatile920"],
        MACHINE_ARM,
        "an ARM920T, ARMv4T",
        "python -m ziglang cc -target arm-linux-musleabi -mcpu=arm920t -static",
        2,
    ),
    "arm926": Target(
        build_linux.SYSTEMS["linux-versatilepb"],
        MACHINE_ARM,
        "an ARM926EJ-S, ARMv5TE without floating point",
        "arm-linux-gnueabi-gcc -static",
        5,
    ),
}
_P4 = Target(
    build_linux.I386["linux-i386"],
    MACHINE_386,
    "a Pentium 4 without MMX and SSE",
    "python -m ziglang cc -target x86-linux-musl -mcpu=pentium4-mmx-sse-sse2 -static",
)
_RISCV = Target(
    build_linux.RISCV["linux-riscv"],
    MACHINE_RISCV,
    "a RISC-V RV64GC",
    "riscv64-linux-gnu-gcc -static",
    bits=64,
)
TARGETS: Mapping[str, Target] = {
    "collie": _ARM["sa1110"],
    "sa1110": _ARM["sa1110"],
    "versatile920": _ARM["arm920"],
    "versatilepb": _ARM["arm926"],
    "s3c24a0": _ARM["arm926"],
    "omap1610": _ARM["arm926"],
    "p4-willamette": _P4,
    "p4-northwood": _P4,
    "virt-u74": _RISCV,
    "virt-u74-asid": _RISCV,
    "virt-rv64": _RISCV,
}


def target(machine: str) -> Target:
    """What Linux a machine has, and which programs."""
    found = TARGETS.get(machine)
    if found is None:
        raise InputError(f"--linux: no Linux for machine {machine}; {one_of(machine, TARGETS)}")
    return found


def with_program(machine: str) -> Linux:
    """The Linux for a machine, with the RAM disk that runs a program."""
    config = target(machine).linux.config
    return next(system for system in build_linux.RUNNERS if system.config == config)


def read(machine: str, program: Path) -> bytes:
    """A program for that machine; `InputError` says what is wrong with another, and what to do."""
    wanted = target(machine)
    if program.is_dir():
        raise InputError(f"{program}: is a directory; expected {_expected(wanted)}")
    try:
        image = program.read_bytes()
    except OSError as error:
        raise InputError(f"{program}: {error.strerror}; expected {_expected(wanted)}") from None
    if wrong := _unfit(image, wanted, machine):
        raise InputError(f"{program}: {wrong}")
    ram = next(int(one["ram_bytes"]) for one in machines(machine))
    if len(image) > ram // SHARE:
        raise InputError(
            f"{program}: {len(image) >> 20} MB, and {machine} has {ram >> 20} MB of memory; "
            f"expected at most {ram // SHARE >> 20} MB (without debug information: strip)"
        )
    return image


def _expected(wanted: Target) -> str:
    return f"a static program for {wanted.processor}, as {wanted.compiler} makes it"


def _unfit(image: bytes, wanted: Target, machine: str) -> str:
    """Why Linux on that machine could not run a program, and what to do; nothing if it could."""
    expected = _expected(wanted)
    if image[:2] == b"#!":
        return f"is a script, and the RAM disk has no interpreter; expected {expected}"
    if image[:4] != b"\x7fELF":
        return f"is no ELF file; expected {expected}"
    big = image[5:6] == b"\x02"
    number = int.from_bytes(image[18:20], "big" if big else "little")
    bits = 64 if image[4:5] == b"\x02" else 32
    if bits != wanted.bits or number != wanted.elf:
        known = {**OTHERS, MACHINE_ARM: "ARM", MACHINE_386: "IA-32"}
        name = known.get(number, f"a processor with ELF's number {number}")
        name += f" with {bits} bits" if number == wanted.elf else ""
        return f"is for {name}, and {machine} has {wanted.processor}; expected {expected}"
    if big:
        return f"is big-endian, and {machine} is little-endian; expected {expected}"
    try:
        return _unlinked(image, wanted, expected) or _other_conventions(image, wanted, expected)
    except (struct.error, IndexError, ValueError):
        return f"is a broken ELF file; expected {expected}"


def _unlinked(image: bytes, wanted: Target, expected: str) -> str:
    header, entry = (HEADER, SEGMENT) if wanted.bits == 32 else (HEADER_64, SEGMENT_64)
    head = header.unpack_from(image)
    kind, segments = head[1], head[5]
    if kind not in (EXECUTABLE, DYNAMIC):
        return f"is not linked; expected {expected}"
    for place in range(head[10]):
        segment = entry.unpack_from(image, segments + place * entry.size)
        if segment[0] == INTERPRETER:
            at, size = (segment[1], segment[4]) if wanted.bits == 32 else (segment[2], segment[5])
            loader = image[at : at + size].rstrip(b"\0").decode("ascii")
            return (
                f"needs shared libraries ({loader}), which the RAM disk lacks; "
                f"link it with -static: expected {expected}"
            )
    return ""


def _other_conventions(image: bytes, wanted: Target, expected: str) -> str:
    if wanted.elf == MACHINE_RISCV:
        flags = HEADER_64.unpack_from(image)[7]
        if flags & QUADRUPLE == QUADRUPLE or flags & EMBEDDED:
            return f"is compiled for registers that the processor has not; expected {expected}"
    if wanted.elf != MACHINE_ARM:
        return ""
    head = HEADER.unpack_from(image)
    flags, sections = head[7], head[6]
    if flags & EABI != EABI_5:
        return f"has the old calling conventions (no EABI); expected {expected}"
    if flags & HARD_FLOAT:
        return (
            f"computes with a floating-point unit (armhf), which there is not; expected {expected}"
        )
    newest = 0
    for place in range(head[12]):
        section = SECTION.unpack_from(image, sections + place * SECTION.size)
        if section[1] == ATTRIBUTES:
            newest = _architecture(image[section[4] : section[4] + section[5]])
    if newest > wanted.architecture:
        known = ARM_ARCHITECTURES[newest:]
        name = known[0] if known else "ARMv6K or newer"
        return f"is compiled for {name}, which is newer than the processor; expected {expected}"
    return ""


def _architecture(attributes: bytes) -> int:
    """Of a section of build attributes, which architecture the file is for; 0 if it does not say.

    Those of the whole file are in the first part of the vendor `aeabi`'s: numbers with values,
    which are numbers again or, for a few, text.
    """
    at = 1 + 4
    at = attributes.index(b"\0", at) + 1  # the vendor
    at += 1 + 4  # for the whole file; its size
    while at < len(attributes):
        number, at = _uleb(attributes, at)
        if number == CPU_ARCH:
            return _uleb(attributes, at)[0]
        if number in (4, 5) or (number > 32 and number % 2 == 1):
            at = attributes.index(b"\0", at) + 1
        elif number == 32:
            _, at = _uleb(attributes, at)
            at = attributes.index(b"\0", at) + 1
        else:
            _, at = _uleb(attributes, at)
    return 0


def _uleb(data: bytes, at: int) -> tuple[int, int]:
    """A number in LEB128, and where the next thing is."""
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        shift += 7
        at += 1
        if byte < 0x80:
            return value, at


def disk(base: Path, program: bytes, name: str, arguments: Sequence[str]) -> bytes:
    """The RAM disk: `base`, and after it the program and its words."""
    words = [name, *arguments]
    environment = ["PATH=/bin", "HOME=/root", f"TERM={os.environ.get('TERM', 'dumb')}"]
    packed = b"".join(os.fsencode(word) + b"\0" for word in (str(len(words)), *words, *environment))
    if len(words) > MOST_WORDS or len(packed) > MOST_BYTES:
        raise InputError(
            f"--run: {len(words)} arguments of {len(packed)} bytes; "
            f"expected at most {MOST_WORDS} of {MOST_BYTES} bytes in all"
        )
    return base.read_bytes() + archive([(PROGRAM, 0o100755, program), (WORDS, 0o100644, packed)])


def archive(entries: Sequence[tuple[str, int, bytes]]) -> bytes:
    """Files for a RAM disk, to be put after it: path, type with permissions, content.

    A cpio, "newc": Documentation/driver-api/early-userspace of Linux.
    """
    ended = [*entries, ("TRAILER!!!", 0, b"")]
    return b"".join(_entry(number, *entry) for number, entry in enumerate(ended, 1))


def _entry(number: int, name: str, mode: int, data: bytes) -> bytes:
    """A file in an archive."""
    title = name.encode() + b"\0"
    fields = [number, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(title), 0]
    head = b"070701" + b"".join(b"%08X" % one for one in fields) + title
    return _padded(head) + _padded(data)


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 4)


def in_memory(content: bytes) -> Path:
    """A file in memory for this process, what it becomes, and its children; it ends with it."""
    number = os.memfd_create("ramdisk", 0)
    with os.fdopen(os.dup(number), "wb") as file:
        file.write(content)
    return Path(f"/proc/{os.getpid()}/fd/{number}")


def boot(
    machine: str,
    program: Path,
    name: str,
    arguments: Sequence[str],
    append: str = "",
    say: Callable[[Linux], None] = lambda _system: None,
    server: Linux | None = None,
) -> Boot:
    """The run of a program on Linux, which is brought up to date; `say` hears what is to be built.

    The program sees itself as `name`. `server`: on that instead of the machine's own Linux.
    """
    image = read(machine, program)
    system = server or with_program(machine)
    if not all(file.exists() for file in system.files):
        say(system)
    build_linux.ensure([system])
    found = replace(system.boot(word=f"quiet {append}".strip()), machine=machine)
    return replace(found, initrd=in_memory(disk(system.initrd, image, name, arguments)))
