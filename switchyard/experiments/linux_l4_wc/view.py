# SPDX-License-Identifier: Apache-2.0
"""All of a file, by what it ran on; and what small spaces save."""

from switchyard.experiments import l4_pc
from switchyard.experiments.linux_l4_wc.measure import CATS, CHUNKS
from switchyard.experiments.linux_servers import (
    ALL,
    EVERY,
    LARGE,
    MACHINE,
    NATIVE,
    ON_ALL,
    SERVER,
    SMALL,
)
from switchyard.run.build_linux import Linux
from switchyard.show import declared as show

COLUMNS: show.Columns = {
    "cycles, M": lambda row: f"{row['cycles'] / 1e6:.1f}",
    "instr., M": lambda row: f"{row['instructions'] / 1e6:.1f}",
    "traces": ("traces_built", 0), "I-walks": ("itlb_misses", 0), "D-walks": ("dtlb_misses", 0),
    "L1 misses": ("dcache_misses", 0), "CR3": ("cr3_loads", 0),
    "saved": lambda row: f"{row['cycles_saved']:.1%}" if "cycles_saved" in row else "",
}  # fmt: skip
MEANT = (
    f"{l4_pc.MEANT}; saved: of the cycles of the same server with its programs large, or of the "
    "same system without hardware tags"
)


def view(results: show.Results) -> show.View:
    rows = results.rows
    found = {
        (on, chunk): rows.find("cycles", on=on, chunk=chunk) for on in EVERY for chunk in CHUNKS
    }
    title = f"cat FILE {'| cat ' * (CATS - 1)}| wc, Linux {Linux.version} on {MACHINE}"
    lines = [(f"{ON_ALL[on]}, pipes of {c // 1024} KB", row) for (on, c), row in found.items()]
    figure = show.bars(
        "A file through programs that copy, to one that counts",
        f"Linux {Linux.version}; simulated machine {MACHINE}, and the same with hardware tags",
        "million cycles",
        {name: {"cycles": row["cycles"] / 1e6} for name, row in lines},
    )
    native, large, small, server, everything = (
        found[on, CHUNKS[0]] for on in (NATIVE, LARGE, SMALL, SERVER, ALL)
    )
    return show.View([show.table(title, "", lines, COLUMNS, MEANT)], {"": figure}, locals())
