# SPDX-License-Identifier: Apache-2.0
"""What L4's experiments share on RISC-V: machines, schemes, what is counted.

`tags` are address-space identifiers that the processor has (`virt-u74-asid`), not ideal ones: the
first level of TLBs and the second have few entries for all spaces together.
"""

from switchyard.experiments import l4
from switchyard.run.build import TAGS, VIRT, schemes_on

MACHINE = "virt-u74"
TAGGED = "virt-u74-asid"
CLOCK_MHZ = 1500
ABOUT = "SiFive U74 at 1.5 GHz"  # for figures
SCHEMES = schemes_on(VIRT)
CYCLES_TO_START = 1_500_000_000  # a second of the machine's time

# For tables: what was counted, by the heads of their columns.
MET = {
    "instr.": ("instructions", 0), "I-miss": ("icache_misses", 1), "D-miss": ("dcache_misses", 1),
    "fill stalls": ("fill_stall_cycles", 0), "TLB fl.": ("tlb_flushes", 1),
    "ITLB": ("itlb_misses", 1), "DTLB": ("dtlb_misses", 1), "walks": ("table_walks", 1),
    "walk stalls": ("walk_stall_cycles", 0), "mispredicted": ("mispredictions", 1),
}  # fmt: skip
MEANT = (
    "stalls: cycles; ITLB, DTLB: misses of a TLB of the first level, which the second answers or a "
    "walk of page tables; mispredicted: branches"
)

# Rates, by the names of their records: sums of the simulator's counters.
COUNTED = {
    "instructions": ("instructions",),
    "icache_misses": ("icache_misses",),
    "dcache_misses": ("dcache_read_misses",),
    "l2_misses": ("l2_read_misses",),
    "fill_stall_cycles": ("fill_stall_cycles",),
    "itlb_misses": ("itlb_misses",),
    "dtlb_misses": ("dtlb_misses",),
    "table_walks": ("table_walks",),
    "walk_stall_cycles": ("walk_stall_cycles",),
    "tlb_flushes": ("dtlb_invalidate_all",),
    "mispredictions": ("branch_mispredictions",),
}

job = l4.Place(VIRT, MACHINE, SCHEMES, CYCLES_TO_START).job


def machine(scheme: str) -> str:
    """The machine that a scheme runs on."""
    return TAGGED if scheme == TAGS else MACHINE
