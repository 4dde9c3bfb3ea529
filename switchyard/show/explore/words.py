# SPDX-License-Identifier: Apache-2.0
"""The words on a page of a switch, each with what it means: the cards that the page shows."""

from collections.abc import Sequence

COMMON = {
    "line": "What a cache fetches and keeps at once: 32 bytes here, or 64 on a Pentium 4.",
    "dirty": "Newer than memory. A dirty line must be written back before it is forgotten, or what "
    "was stored is lost.",
    "TLB": "Translation lookaside buffer: the translations that were used last. An address whose "
    "translation is in it needs no walk.",
    "walk": "Reading the page tables in memory, because the TLB has no translation of the address. "
    "The processor waits meanwhile.",
    "flush": "To write back what is dirty in the caches and forget it, and to forget the "
    "translations of the TLBs.",
    "write buffer": "Stores on their way to memory. The processor goes on, unless it is full, or "
    "must be empty.",
    "IPC": "A message from one program to another, through the kernel: here by registers alone.",
    "pager": "A program that answers page faults: the kernel sends it a message for each.",
}
ARM = {
    "SWI": "The instruction by which a program calls the kernel.",
    "domain": "A number from 0 to 15 that each translation carries. Fast switching gives each "
    "address space one of its own.",
    "DACR": "Domain access control register: which of the 16 domains are open. To switch, one is "
    "closed and another opened; translations stay.",
    "PID slot": "The low 32 MB of addresses are moved to one of 64 places, as the PID register "
    "says, before caches and TLBs see them: so two programs at one address do not meet.",
    "ttb": "Translation table base: where the page table of the running space lies.",
}
IA32 = {
    "CR3": "Where the page directory of the running space lies. To load it forgets all "
    "translations but global ones.",
    "small space": "An address space that lies in a corner of all others, behind a segment that "
    "ends there: to switch to it nothing must be forgotten.",
    "trace cache": "Decoded instructions, in the order in which they ran. It goes by virtual "
    "addresses, and is emptied with the TLBs.",
}


RISCV = {
    "satp": "Where the page table of the running space lies, and the space's identifier (ASID), if "
    "the processor has any. To write it forgets nothing.",
    "SFENCE.VMA": "The instruction that makes TLBs forget translations.",
}


def of(system: Sequence[str]) -> list[tuple[str, str]]:
    """Those of the pages of an architecture, by the names of its registers of the system."""
    own = ARM if "dacr" in system else RISCV if "satp" in system else IA32
    return list((COMMON | own).items())
