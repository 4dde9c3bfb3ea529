# SPDX-License-Identifier: Apache-2.0
"""The architecture line in `kernel/`, what the generic part must not name; numbers of events."""

import re
from pathlib import Path

from switchyard.experiments import counted, l4
from switchyard.run import build

# Status registers, register frames, page tables, page sizes, control registers, bindings. An
# architecture's folder has functions and constants for what others need of them.
FOREIGN = re.compile(
    r"\bcpsr|\bCPSR_|\.r\[|frame\.(?:r|lr)\b|\bP[TD]E_|\bAP_|>> 20\b|0xfffff\b|\bL4_ARM_"
    r"|\beflags|\bEFLAGS_|\bcr[0234]\b|frame\.(?:e[a-d]x|e[sd]i|ebp|esp|eip)\b|\bENTRY_(?:P|W|U|PWT|PCD|LARGE)\b"
    r"|\bSIZE_(?:64K|1M|4M)\b|>> 22\b|\bL4_IA32_|\binvlpg|\bsegments?\.h"
)


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
    assert {file.name: crossed for file in files if (crossed := crossings(file.read_text()))} == {}


def test_what_is_foreign_is_found() -> None:
    text = "/* cpsr\n */\na = t->frame.r[3];\nb = pa | PTE_SMALL; /* fine */\nc = va >> 20;\n"
    text += "d = t->frame.r;\ne = L4_ARM_TRAPS;\nf = t->frame.eax;\ng = SIZE_4M;\n"
    assert crossings(text) == [
        "3: a = t->frame.r[3];",
        "4: b = pa | PTE_SMALL;",
        "5: c = va >> 20;",
        "6: d = t->frame.r;",
        "7: e = L4_ARM_TRAPS;",
        "8: f = t->frame.eax;",
        "9: g = SIZE_4M;",
    ]
    for name in build.ARCHITECTURES:
        arch = Path(build.root() / "kernel" / "arch" / name)
        assert crossings((arch / "frame.h").read_text())
        assert crossings((arch / "ptab.c").read_text())


def included(module: str) -> set[str]:
    """The modules whose headers a module's files include."""
    kernel = build.root() / "kernel"
    files = [*kernel.glob(f"{module}.[ch]"), *kernel.glob(f"arch/arm/{module}.[ch]")]
    text = "".join(file.read_text() for file in files)
    return set(re.findall(r'^#include "(\w+)\.h"', text, re.M))


def test_ipc_knows_none_of_those_who_send_by_it() -> None:
    assert included("ipc") >= {"message", "xfer"}
    assert not included("ipc") & {"fault", "irq", "exregs"}
    assert included("fault") & included("irq") >= {"ipc", "message"}
    assert "ipc" not in included("xfer")


def test_schemes_have_the_caching_page_directory_as_one() -> None:
    switch = build.root() / "kernel" / "arch" / "arm" / "switch"
    parts = {file.name for file in (switch / "common" / "cpd").glob("*.h")}
    doors = {"cpd.h", "cpd_asm.h", "cpd_state.h"}  # functions, the switch, what a space has of it
    assert parts > doors
    others = [file for file in switch.rglob("*.[ch]") if file.parent.name != "cpd"]
    assert len(others) > 10
    for file in others:
        assert not set(re.findall(r'#include "(.+)"', file.read_text())) & (parts - doors), file


# The kernel's events by the names of their records.
EVENTS = {
    "cache_flushes": "EVENT_CACHE_FLUSH",
    "tlb_flushes": "EVENT_TLB_FLUSH",
    "domains_recycled": "EVENT_DOMAIN_RECYCLED",
    "clean_domains_recycled": "EVENT_CLEAN_RECYCLED",
    "collisions": "EVENT_COLLISION",
    "cpd_entries_loaded": "EVENT_CPD_LOADED",
    "sections_shared": "EVENT_SECTION_SHARED",
}


def test_experiments_have_the_kernels_numbers_of_events() -> None:
    header = (build.root() / "kernel" / "events.h").read_text()
    kernels = {
        name: int(number) for name, number in re.findall(r"^ +(EVENT_\w+) = (\d+),", header, re.M)
    }
    assert len(set(kernels.values())) == len(kernels) > len(EVENTS)
    assert max(kernels.values()) < 32  # the probe's register takes no more (include/probe.h)
    asked = {**l4.EVENTS, **counted.SHARED}
    assert asked == {name: kernels[event] for name, event in EVENTS.items()}
