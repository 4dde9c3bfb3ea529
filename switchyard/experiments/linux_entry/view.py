# SPDX-License-Identifier: Apache-2.0
"""Each case beside what is published, and what it met."""

from switchyard.data.rows import number
from switchyard.experiments.linux_entry.measure import MACHINE
from switchyard.run.build_linux import Linux
from switchyard.show import declared as show

CASES = {
    "getpid-int80": "getpid, INT 80h", "getpid-sysenter": "getpid, SYSENTER",
    "getppid-int80": "getppid, INT 80h", "getppid-sysenter": "getppid, SYSENTER",
    "read-4k": "read 4 KB", "write-4k": "write 4 KB", "pipe": "a token there and back",
}  # fmt: skip
COLUMNS = {
    "cycles": show.plain("cycles"), "instr.": ("instructions", 0),
    "kernel's": ("kernel_instructions", 0), "mispredicted": ("mispredictions", 1),
    "traces": ("traces_built", 0), "I-walks": ("itlb_misses", 1), "D-walks": ("dtlb_misses", 1),
    "L1 misses": ("dcache_misses", 1), "L2 misses": ("l2_misses", 1), "CR3": ("cr3_loads", 1),
}  # fmt: skip
MEANT = (
    "kernel's: of the instructions; traces: built anew; walks: of page tables, for an entry of the "
    "instruction TLB or of the data TLB; CR3: loads of it, which empty TLBs and trace cache"
)


def view(results: show.Results) -> show.View:
    cases = {name: row for name in CASES for row in results.rows.select("cycles", case=name)}
    paper = {name: results.paper("cycles", case=name) for name in cases}
    here, values, told = f"measured, Linux {Linux.version}", {}, []
    for name, row in cases.items():
        if name != "pipe":  # nothing is published of it
            there = {"published": value} if (value := paper[name]) else {}
            values[CASES[name]] = {**there, here: row["cycles"]}
            beside = f"{value:g} published and " if value else ""
            told.append(f"{CASES[name]} {beside}{number(row['cycles'])} measured")
    title = f"Linux {Linux.version} on {MACHINE}: cycles, and what each operation met"
    met = show.table(title, "", [(CASES[name], row) for name, row in cases.items()], COLUMNS, MEANT)
    figure = show.bars(
        "System calls of Linux on a Pentium 4",
        "published: Linux kernel mailing list, 2002 (getppid), and the paper on small spaces,\n"
        f"Table 2, native Linux; measured: means on {MACHINE}",
        "cycles",
        f"Bars in cycles: {', '.join(told)}.",
        values,
        published=["published"],
        empty={"published": "nothing is published"},
    )
    return show.View([met], {"": figure}, {"cases": cases, "paper": paper.get})
