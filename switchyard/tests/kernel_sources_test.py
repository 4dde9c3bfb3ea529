# SPDX-License-Identifier: Apache-2.0
"""The architecture line in `kernel/`: what the generic part must not name."""

import re
from pathlib import Path

from switchyard import build

# Of ARM's status register, register frame, page tables and page sizes: arch/arm has functions and
# constants for what others need of them.
FOREIGN = re.compile(r"\bcpsr|\bCPSR_|\.r\[|\bP[TD]E_|\bAP_|>> 20\b|0xfffff\b")


def crossings(text: str) -> list[str]:
    """The lines of C that name something of the architecture; comments may."""
    bare = re.sub(r"/\*.*?\*/", lambda comment: "\n" * comment[0].count("\n"), text, flags=re.S)
    return [
        f"{number}: {line.strip()}"
        for number, line in enumerate(bare.splitlines(), 1)
        if FOREIGN.search(line)
    ]


def test_the_generic_kernel_names_nothing_of_the_architecture() -> None:
    files = sorted((build.root() / "kernel").glob("*.[ch]"))
    assert len(files) > 30
    assert {file.name: found for file in files if (found := crossings(file.read_text()))} == {}


def test_what_is_foreign_is_found() -> None:
    text = "/* cpsr\n */\na = t->frame.r[3];\nb = pa | PTE_SMALL; /* fine */\nc = va >> 20;\n"
    assert crossings(text) == [
        "3: a = t->frame.r[3];",
        "4: b = pa | PTE_SMALL;",
        "5: c = va >> 20;",
    ]
    arch = Path(build.root() / "kernel" / "arch" / "arm")
    assert crossings((arch / "frame.h").read_text())
    assert crossings((arch / "ptab.c").read_text())
