# SPDX-License-Identifier: Apache-2.0
"""Each case on each system beside what is published, and what it met."""

from switchyard.experiments.l4_pc import MEANT
from switchyard.experiments.linux_l4_calls.measure import SYSTEMS
from switchyard.experiments.linux_servers import MACHINE, ON_ALL
from switchyard.run.build_linux import Linux
from switchyard.show import declared as show

CASES = {"null": "a call", "read-4k": "read 4 KB", "write-4k": "write 4 KB"}
COLUMNS = {
    "cycles": show.plain("cycles"), "instr.": ("instructions", 0), "traces": ("traces_built", 0),
    "I-walks": ("itlb_misses", 1), "D-walks": ("dtlb_misses", 1), "L1 misses": ("dcache_misses", 1),
    "L2 misses": ("l2_misses", 1), "CR3": ("cr3_loads", 1),
}  # fmt: skip


def view(results: show.Results) -> show.View:
    found = {
        (on, case): row
        for on in SYSTEMS
        for case in CASES
        for row in results.rows.select("cycles", on=on, case=case)
    }

    paper = results.papers("cycles", "on", "case")
    title = f"Linux {Linux.version} on {MACHINE}, native and as a server on L4"
    met = [(f"{CASES[case]}, {ON_ALL[on]}", row) for (on, case), row in found.items()]
    figure = show.compared(
        "System calls of Linux as a server on L4",
        f"published: the paper on small spaces, Table 2\nmeasured: means on {MACHINE}",
        "cycles",
        {
            f"{CASES[case]}, {ON_ALL[on]}": (paper(on, case), row["cycles"])
            for (on, case), row in found.items()
        },
        "published",
        f"measured, Linux {Linux.version}",
    )
    return show.View([show.table(title, "", met, COLUMNS, MEANT)], {"": figure}, locals())
