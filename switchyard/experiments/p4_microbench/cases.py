# SPDX-License-Identifier: Apache-2.0
"""What bench/p4/main.c measures, in its order, and the points of its series."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

# What a step of each loop is: CASES of the guest. After each the empty loop is taken off.
CASES = {
    "empty": "the loop without any step",
    "add": "ADD, six independent ones in turn",
    "add_dependent": "ADD of the ADD before",
    "load": "MOV from memory, not used",
    "store": "MOV to memory",
    "branch_predictable": "a shift register that stays 0, and a branch by it",
    "branch_random": "a shift register, and a branch by its lowest bit",
    "load_ds": "MOV to DS",
    "load_es": "MOV to ES",
    "load_fs": "MOV to FS",
    "load_gs": "MOV to GS",
    "load_ss": "MOV to SS",
    "switch_segments": "a switch between small spaces: two descriptors, ES, FS, GS",
    "sysenter": "SYSENTER and SYSEXIT",
    "int80": "INT 80h from level 3, and IRET",
    "call_gate": "far CALL through a gate from level 3, and RET",
    "int80_entry": "INT 80h from level 3 to the handler",
    "int80_return": "IRET to level 3",
    "interrupt_entry": "STI, an instruction, the timer's interrupt, to the handler",
    "interrupt_return": "IRET from it to level 3",
    "cr3_load": "a load of CR3; what it takes from the loop itself, too",
    "cr3_load_global": "the same, and the loop is in global pages",
    "toggle_pge": "CR4.PGE off and on, in the same pages",
    "invlpg": "INVLPG",
    "lock_xadd": "LOCK XADD",
    "cpuid": "CPUID",
    "rdtsc": "RDTSC",
    "in_80": "IN from port 80h",
    "in_61": "IN from port 61h",
    "store_and_call": "a store beside code, and a call of it",
    "self_modifying": "a store into the code, and a call of it",
    "wbinvd": "WBINVD, nothing to write back",
}
# These take the time themselves: an RDTSC is in it.
STAMPED = ("int80_entry", "int80_return", "interrupt_entry", "interrupt_return")

# The series: which list of the command line has its points, and what is measured at each, in order.
SERIES = {
    "load": ("load",),
    "store": ("store_through",),
    "pages": ("line", "line_in_one_page"),
    "pages again": ("jump", "jump_in_one_page"),
    "uops": ("straight", "cr3_straight"),
    "entries": ("cr3_lines", "cr3_lines_global", "lines"),
    "entries again": ("cr3_jumps", "cr3_jumps_global", "jumps"),
}


@dataclass(frozen=True)
class Stream:
    """What a stream of the guest is of: a case, or a place of a series."""

    name: str
    at: int = 0


def streams(lists: Mapping[str, list[int]]) -> Iterator[Stream]:
    """All of them, in the order of their streams."""
    yield from (Stream(name) for name in CASES)
    for series, names in SERIES.items():
        for at in lists[series.removesuffix(" again")]:
            yield from (Stream(name, at) for name in names)
