# SPDX-License-Identifier: Apache-2.0
"""Each case beside what is published, and what it met."""

from switchyard.data.rows import Row, Rows, number
from switchyard.experiments.linux_entry.measure import MACHINE
from switchyard.run.build_linux import Linux
from switchyard.show.figure import Bar, Bars, Table
from switchyard.show.views import Results, View

CASES = {
    "getpid-int80": "getpid, INT 80h",
    "getpid-sysenter": "getpid, SYSENTER",
    "getppid-int80": "getppid, INT 80h",
    "getppid-sysenter": "getppid, SYSENTER",
    "read-4k": "read 4 KB",
    "write-4k": "write 4 KB",
    "pipe": "a token there and back",
}
COLUMNS = {
    "instr.": ("instructions", 0),
    "kernel's": ("kernel_instructions", 0),
    "mispredicted": ("mispredictions", 1),
    "traces": ("traces_built", 0),
    "I-walks": ("itlb_misses", 1),
    "D-walks": ("dtlb_misses", 1),
    "L1 misses": ("dcache_misses", 1),
    "L2 misses": ("l2_misses", 1),
    "CR3": ("cr3_loads", 1),
}


def view(results: Results) -> View:
    """Of the cases that there are records of."""
    cases = _cases(results.rows)
    return View(
        tables=[_table(cases)],
        figures={"": _bars(results, cases)},
        words={"cases": cases, "paper": lambda case: results.paper("cycles", case=case)},
    )


def _cases(rows: Rows) -> dict[str, Row]:
    return {name: row for name in CASES for row in rows.select("cycles", case=name)}


def _table(cases: dict[str, Row]) -> Table:
    return Table(
        title=f"Linux {Linux.version} on {MACHINE}: cycles, and what each operation met",
        columns=["", "cycles", *COLUMNS],
        rows=[
            [
                CASES[name],
                number(row["cycles"]),
                *(f"{row[metric]:.{digits}f}" for metric, digits in COLUMNS.values()),
            ]
            for name, row in cases.items()
        ],
        caption="kernel's: of the instructions; traces: built anew; walks: of page tables, for an "
        "entry of the instruction TLB or of the data TLB; CR3: loads of it, which empty TLBs and "
        "trace cache",
    )


def _bars(results: Results, cases: dict[str, Row]) -> Bars:
    bars, told = [], []
    for name, row in cases.items():
        if name == "pipe":  # nothing is published of it
            continue
        paper = results.paper("cycles", case=name)
        if paper:
            bars.append(Bar(CASES[name], "published", paper, published=True))
        bars.append(Bar(CASES[name], f"measured, Linux {Linux.version}", row["cycles"]))
        there = f"{paper:g} published and " if paper else ""
        told.append(f"{CASES[name]} {there}{number(row['cycles'])} measured")
    return Bars(
        title="System calls of Linux on a Pentium 4",
        subtitle=[
            "published: Linux kernel mailing list, 2002 (getppid), and the paper on small spaces,",
            f"Table 2, native Linux; measured: means on {MACHINE}",
        ],
        value_title="cycles",
        description=f"Bars in cycles: {', '.join(told)}.",
        bars=bars,
        stacked=False,
        empty={"published": "nothing is published"},
    )
