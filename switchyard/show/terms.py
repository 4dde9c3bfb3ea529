# SPDX-License-Identifier: Apache-2.0
"""Names and units of records as people say them, and the abbreviations that they meet."""

import re
from collections.abc import Iterable

UNITS = {"us": "µs", "ratio": "times", "1": ""}
SCHEMES = {
    "flush": "full flush",
    "fass": "FASS",
    "fass-shared": "FASS, shared domains",
    "single-space": "one space (no protection)",
    "tags": "hardware tags (ideal)",
    "small-spaces": "small spaces",
    "small-spaces-groups": "small spaces in groups",
}
ABBREVIATIONS = {
    "ASID": "address-space identifier: a tag of TLB entries",
    "cache fl.": "flushes of a cache",
    "CI": "confidence interval",
    "collis.": "collisions: two spaces use the same megabyte for different memory",
    "CPD": "caching page directory: the one that the processor walks under fass",
    "CR3": "the register of IA-32 that says where the page directory is; loading it empties TLBs",
    "CV": "coefficient of variation: standard deviation by mean",
    "D-miss": "misses of the data cache",
    "D-misses": "misses of the data cache",
    "DACR": "domain access control register",
    "diff.": "difference to what is published",
    "DTLB": "TLB for data",
    "fass": "fast address-space switching: domains and relocation in place of flushes",
    "FASS": "fast address-space switching: domains and relocation in place of flushes",
    "FIFO": "first in, first out: here a named pipe",
    "I-miss": "misses of the instruction cache",
    "I-misses": "misses of the instruction cache",
    "instr.": "instructions",
    "IPC": "inter-process communication: a message from thread to thread",
    "ITLB": "TLB for instructions",
    "KIP": "kernel interface page",
    "Lipc": "IPC by local names, between threads of a space",
    "MMU": "memory management unit",
    "PID": "process identifier: the register that relocates the low 32 MB",
    "publ.": "published",
    "TLB": "translation look-aside buffer: a cache of page tables",
    "TLBs": "translation look-aside buffers: caches of page tables",
    "TLB fl.": "flushes of a TLB",
    "UTCB": "user-level thread control block: a thread's message registers",
    "µop": "micro-operation: what a Pentium 4 makes of instructions",
    "µops": "micro-operations: what a Pentium 4 makes of instructions",
}
_KNOWN = re.compile(
    "|".join(
        rf"(?<![\w-]){re.escape(short)}(?![\w-])"
        for short in sorted(ABBREVIATIONS, key=len, reverse=True)
    )
)


def words(name: str) -> str:
    """A metric's or a parameter's name; the unit stands elsewhere."""
    return name.removesuffix("_us").replace("_", " ")


def unit(name: str) -> str:
    """A unit of records, which are written in ASCII."""
    return UNITS.get(name, words(name))


def abbreviations(texts: Iterable[str]) -> dict[str, str]:
    """Those that are in some texts, and what they mean, by the alphabet."""
    found = {short for text in texts for short in _KNOWN.findall(text)}
    return {
        short: ABBREVIATIONS[short]
        for short in sorted(found, key=lambda short: (short.casefold(), short))
    }
