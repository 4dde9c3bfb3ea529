#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Turn a program's ELF file into assembly that places its segments in the boot image.

usage: embed.py NAME LINK_ADDRESS MACHINE ELF OUTPUT

MACHINE is the number by which the ELF file must name its processor (e_machine).
The section .NAME starts at LINK_ADDRESS and holds the loadable segments at their addresses; what
follows the last one's data (bss, stack) is left out, start-up code clears it; boot_NAME_ip,
boot_NAME_low and boot_NAME_high are the symbols that kip.c wants.
"""

import struct
import sys

PT_LOAD = 1


def fail(path: str, what: str) -> None:
    """End with a line that says what is wrong with a file."""
    sys.exit(f"embed.py: {path}: {what}")


def main() -> None:
    """Read the ELF file, write the assembly."""
    if len(sys.argv) != 6:
        sys.exit(__doc__)
    name, path, output = sys.argv[1], sys.argv[4], sys.argv[5]
    base, machine = (int(number, 0) for number in sys.argv[2:4])
    with open(path, "rb") as file:
        elf = file.read()
    known = elf[:6] in (b"\x7fELF\x01\x01", b"\x7fELF\x02\x01")
    if not known or struct.unpack_from("<H", elf, 18)[0] != machine:
        fail(path, f"not a little-endian ELF file for machine {machine}")
    wide = elf[4] == 2
    entry, phoff = struct.unpack_from("<QQ" if wide else "<II", elf, 24)
    phentsize, phnum = struct.unpack_from("<HH", elf, 54 if wide else 42)
    segments = []
    for i in range(phnum):
        at = phoff + i * phentsize
        if wide:
            kind, _, offset, vaddr, _, filesz, memsz = struct.unpack_from("<2I5Q", elf, at)
        else:
            kind, offset, vaddr, _, filesz, memsz = struct.unpack_from("<6I", elf, at)
        if kind == PT_LOAD and memsz:
            segments.append((vaddr, offset, filesz, memsz))
    segments.sort()
    if not segments or segments[0][0] < base:
        fail(path, f"expected segments at {base:#x} or above")
    lines = [
        "/* Made by embed.py. */",
        f'    .section .{name}, "awx"',
        "    .balign 4096",
        f"    .global boot_{name}_ip, boot_{name}_low, boot_{name}_high",
        f"    .set boot_{name}_ip, {entry:#x}",
        f"    .set boot_{name}_low, {segments[0][0] & ~0xFFF:#x}",
    ]
    at = filled = base
    for vaddr, offset, filesz, memsz in segments:
        if vaddr < at:
            fail(path, f"segments overlap at {vaddr:#x}")
        lines.append(f"    .space {vaddr - filled}")
        if filesz:
            lines.append(f'    .incbin "{path}", {offset}, {filesz}')
        filled = vaddr + filesz
        at = vaddr + memsz
    lines.append(f"    .set boot_{name}_high, {(at + 0xFFF) & ~0xFFF:#x}")
    with open(output, "w", encoding="ascii") as file:
        file.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
