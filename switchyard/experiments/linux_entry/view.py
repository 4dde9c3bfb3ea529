# SPDX-License-Identifier: Apache-2.0
"""Each case beside what is published, and what it met."""

from switchyard.experiments import l4_pc
from switchyard.experiments.linux_servers import MACHINE
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
MEANT = f"kernel's: of the instructions; {l4_pc.MEANT}"


def view(results: show.Results) -> show.View:
    cases = {name: row for name in CASES for row in results.rows.select("cycles", case=name)}

    paper = results.papers("cycles", "case")
    title = f"Linux {Linux.version} on {MACHINE}: cycles, and what each operation met"
    met = [(CASES[name], row) for name, row in cases.items()]
    figure = show.compared(
        "System calls of Linux on a Pentium 4",
        "published: Linux kernel mailing list, 2002 (getppid), and the paper on small spaces,\n"
        f"Table 2, native Linux; measured: means on {MACHINE}",
        "cycles",
        # of a token nothing is published
        {
            CASES[name]: (paper(name), row["cycles"])
            for name, row in cases.items()
            if name != "pipe"
        },
        "published",
        f"measured, Linux {Linux.version}",
    )
    return show.View([show.table(title, "", met, COLUMNS, MEANT)], {"": figure}, locals())
