# SPDX-License-Identifier: Apache-2.0
"""The words on a page of a switch, each with what it means: the cards that the page shows."""

from collections.abc import Iterable, Sequence

COMMON = {
    "line": "What a cache fetches and keeps at once: 32 bytes here, or 64 on a Pentium 4.",
    "dirty": "Newer than memory. A dirty line must be written back before it is invalidated, or "
    "what was stored is lost. The ARMs here keep this for each half of a line.",
    "TLB": "Translation lookaside buffer: the translations that were used last. An address whose "
    "translation is in it needs no walk.",
    "walk": "Reading the page tables in memory, because the TLB has no translation of the address. "
    "The processor waits meanwhile.",
    "flush": "To write back what is dirty in the caches, and to empty caches and TLBs. Also the "
    "name of the kernels that do so at each switch.",
    "write buffer": "Stores on their way to memory. The processor goes on, unless it is full, or "
    "must be empty.",
    "IPC": "A message from one program to another, through the kernel: here by registers alone.",
}
ARM = {
    "SWI": "The instruction by which a program calls the kernel; newer assemblers write svc.",
    "domain": "A number from 0 to 15 that each translation carries. Fast switching gives each "
    "address space one of its own; where the kernel flushes, all programs have the same.",
    "DACR": "Domain access control register: which of the 16 domains are open, by two bits for "
    "each. To switch, one is closed and another opened; translations stay.",
    "page directory": "The first level of the page tables: an entry for each megabyte.",
    "mini data cache": "The StrongARM's second data cache, of 512 bytes, for pages that are marked "
    "so.",
    "PID slot": "The low 32 MB of addresses are moved to one of 64 places, as the PID register "
    "says, before caches and TLBs see them: so two programs at one address do not meet.",
    "ttb": "Translation table base: where the page table of the running space lies.",
}
IA32 = {
    "CR3": "Where the page directory of the running space lies. To load it empties the "
    "TLBs of all translations but global ones.",
    "small space": "An address space that lies in a corner of all others, in a segment that "
    "ends there: to switch to it nothing must be emptied.",
    "trace cache": "Decoded instructions, in the order in which they ran. It is addressed "
    "virtually, and emptied with the TLBs.",
}


RISCV = {
    "satp": "Where the page table of the running space lies, and the space's identifier (ASID), if "
    "the processor has any. To write it empties nothing.",
    "SFENCE.VMA": "The instruction that invalidates translations in the TLBs.",
}
# What the page of one case has beyond the others.
OF_CASE = {
    "pagefault": {
        "pager": "A program that answers page faults: the kernel sends it a message for each."
    }
}


def of(case: str, system: Sequence[str], tables: Iterable[str]) -> list[tuple[str, str]]:
    """Those of the page of a case, by the names of its system registers and its tables."""
    own = ARM if "dacr" in system else RISCV if "satp" in system else IA32
    known = COMMON | OF_CASE.get(case, {}) | own
    if "mini data cache" not in tables:
        known.pop("mini data cache", None)
    return list(known.items())
