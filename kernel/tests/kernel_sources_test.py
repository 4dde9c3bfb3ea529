# SPDX-License-Identifier: Apache-2.0
"""The architecture line in `kernel/`, what the generic part must not name; numbers of events."""

import re
from pathlib import Path

import pytest

from switchyard.experiments import counted, l4
from switchyard.run import build, kernels

# Status registers, register frames, page tables, page sizes, control registers, bindings. An
# architecture's folder has functions and constants for what others need of them.
FOREIGN = re.compile(
    r"\bcpsr|\bCPSR_|\.r\[|frame\.(?:r|lr)\b|\bP[TD]E_|\bAP_|>> 20\b|0xfffff\b|\bL4_ARM_"
    r"|\beflags|\bEFLAGS_|\bcr[0234]\b|frame\.(?:e[a-d]x|e[sd]i|ebp|esp|eip)\b|\bENTRY_(?:P|W|U|PWT|PCD|LARGE)\b"
    r"|\bSIZE_(?:64K|1M|2M|4M)\b|>> 22\b|\bL4_IA32_|\binvlpg|\bsegments?\.h"
    r"|\bsatp|\bsstatus|\bscause|\bsepc|\bstval|\bsfence|\bf(?:rame\.|->)(?:ra|gp|tp)\b|\bENTRY_[VX]\b|\bL4_RISCV_"
)


# What a comment of the generic part must not state: an architecture's facts.
STATED = re.compile(
    r"\bARM|\bIA-32|\bSA-1110|\bStrongARM|\bPentium|arch/(?:arm|ia32)|\bCPD\b|\bDACR\b|\bPID\b|\bCR3\b"
    r"|\bRISC-V|\bSv39|arch/riscv"
    r"|\b(?:16|64) KB|\b[14] MB|\bthis processor\b|>> 2[02]\b|\blow two bits\b"
)


def crossings(text: str) -> list[str]:
    """The lines of C that name something of the architecture, or comments that state it."""
    bare = re.sub(r"/\*.*?\*/", lambda comment: "\n" * comment[0].count("\n"), text, flags=re.S)
    comments = re.sub(
        r"(^|\*/).*?(/\*|\Z)", lambda code: "\n" * code[0].count("\n"), text, flags=re.S
    )
    lines = zip(text.splitlines(), bare.splitlines(), comments.splitlines(), strict=True)
    return [
        f"{number}: {line.strip()}"
        for number, (line, code, comment) in enumerate(lines, 1)
        if FOREIGN.search(code) or STATED.search(comment)
    ]


def test_the_generic_kernel_names_nothing_of_the_architecture() -> None:
    files = sorted((build.root() / "kernel").glob("*.[ch]"))
    assert len(files) > 30
    assert {file.name: crossed for file in files if (crossed := crossings(file.read_text()))} == {}


def test_what_is_foreign_is_found() -> None:
    text = "/* what is so\n on ARM */\na = t->frame.r[3];\nb = pa | PTE_SMALL; /* fine */\n"
    text += "c = va >> 20;\n"
    text += "d = t->frame.r;\ne = L4_ARM_TRAPS;\nf = t->frame.eax;\ng = SIZE_4M;\n"
    assert crossings(text) == [
        "2: on ARM */",
        "3: a = t->frame.r[3];",
        "4: b = pa | PTE_SMALL; /* fine */",
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
    assert included("ipc") >= {"ipc_phase", "xfer_wait"}
    assert not included("ipc") & {"fault", "irq", "exregs"}
    assert included("fault") & included("irq") >= {"ipc", "message"}
    assert "ipc" not in included("ipc_phase") | included("xfer_wait") | included("xfer")


def files_of(arch: str, scheme: str) -> dict[str, str]:
    """The C of a kernel, without comments: its first board and processor stand for the others."""
    kernel = build.root() / "kernel"
    here = kernel / "arch" / arch
    board = next(iter(sorted((here / "board").glob("*/facts.mk")))).parent
    cpu = kernels.Facts(board / "facts.mk").words("BOARD_CPUS")[0]
    facts = kernels.Facts(here / "switch" / scheme / "facts.mk").facts
    folders = [kernel, here, board, here / "cpu" / cpu, here / "cpu" / "common"]
    folders += [here / "switch" / scheme, here / "switch" / "common"]
    folders += [
        here / "switch" / "common" / name for name in facts.get("SWITCH_COMMON", "").split()
    ]
    folders += [here / "policy" / "common", here / "policy" / "clean-first"]
    files = [file for folder in folders for file in folder.glob("*.[ch]")]
    assert len({file.name for file in files}) == len(files)
    return {file.name: re.sub(r"/\*.*?\*/", "", file.read_text(), flags=re.S) for file in files}


DECLARED = re.compile(r"^(?!static|typedef|_Static|#|\s)\w[^;{}=]*?\b(\w+)\([^;{}]*\)\s*;", re.M)
DEFINED = re.compile(r"^(?!static|typedef|#|\s)\w[^;{}=]*?\b(\w+)\([^;{}]*\)\s*\{", re.M)


def dependencies(files: dict[str, str]) -> dict[str, set[str]]:
    """Each file's headers; and a header's source, if it declares functions that are defined there.

    A header that others implement (`switch.h`, `upcalls.h`, `message.h`) is a promise: who includes
    it depends on that, and not on who keeps it.
    """
    graph = {
        name: set(re.findall(r'^#include "([\w.]+)"', text, re.M)) & files.keys()
        for name, text in files.items()
    }
    for name, text in files.items():
        source = name.removesuffix("h") + "c"
        defined = set(DEFINED.findall(files.get(source, "")))
        if name.endswith(".h") and set(DECLARED.findall(text)) & defined:
            graph[name].add(source)
    return graph


def circles(graph: dict[str, set[str]]) -> set[str]:
    """Modules (a source with its headers) that depend on each other."""
    reached = {name: set(names) for name, names in graph.items()}
    for middle in graph:
        for name in graph:
            if middle in reached[name]:
                reached[name] |= reached[middle]
    own = re.compile(r"(_inline|_entry|_above|_walk|_write)*\.[ch]$")
    found = {
        frozenset({own.sub("", name), own.sub("", other)})
        for name, others in reached.items()
        for other in others
        if name in reached[other]
    }
    return {" and ".join(sorted(pair)) for pair in found if len(pair) > 1}


@pytest.mark.parametrize(
    ("arch", "scheme"),
    [
        (arch, scheme.name)
        for arch, there in build.ARCHITECTURES.items()
        for scheme in there.schemes
    ],
)
def test_no_files_of_the_kernel_depend_on_each_other_in_a_circle(arch: str, scheme: str) -> None:
    if (build.root() / "kernel" / "arch" / arch / "switch" / scheme).exists():  # not a user's own
        assert circles(dependencies(files_of(arch, scheme))) == set()


def test_a_circle_is_found() -> None:
    files = {
        "low.h": "void low(void);\n",
        "low.c": '#include "low.h"\n#include "high.h"\nvoid low(void) {\n}\n',
        "high.h": '#include "type.h"\nvoid high(int a,\n  int b);\n',
        "high.c": '#include "high.h"\n#include "low.h"\nvoid high(int a, int b) {\n}\n',
        "type.h": "struct type {\n int a;\n};\n",
    }
    assert circles(dependencies(files)) == {"high and low"}
    files["low.c"] = '#include "low.h"\n#include "type.h"\nvoid low(void) {\n}\n'
    assert circles(dependencies(files)) == set()


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
