# SPDX-License-Identifier: Apache-2.0
"""Each operation on each system, and what a request met."""

from switchyard.data.rows import number
from switchyard.experiments import linux_l4_shown as shown
from switchyard.experiments.linux_l4_x11.measure import CASE, LIBRARY, X11
from switchyard.experiments.linux_servers import EVERY, MACHINE, ON_ALL
from switchyard.run.build_linux import Linux
from switchyard.show import declared as show

# Those of the paper's table, which have what they met.
PAPERS = ("dot", "pointer", "prop", "getimage10")
COLUMNS: show.Columns = {
    "cycles": show.plain("cycles"), "instr.": ("instructions", 0), "traces": ("traces_built", 1),
    "I-walks": ("itlb_misses", 2), "D-walks": ("dtlb_misses", 2), "L2 misses": ("l2_misses", 2),
    "CR3": ("cr3_loads", 2), "flips": ("segment_flips", 2),
    "saved": lambda row: f"{row['cycles_saved']:.1%}" if "cycles_saved" in row else "",
}  # fmt: skip


def view(results: show.Results) -> show.View:
    found = shown.found(X11, results)
    library = results.rows.find("cycles", on=LIBRARY, case=CASE)
    more = {CASE: [("all small, glibc's allocator", library)]}
    every = show.Table(
        f"Cycles of an object: {MACHINE}, Linux {Linux.version} native and as a server",
        ["operation", *(ON_ALL[on] for on in EVERY)],
        [
            [name, *(number(found[case, on]["cycles"]) for on in EVERY)]
            for case, name in X11.names.items()
        ],
        "what asking takes is in it: x11perf, the socket, the server, and its drawing into memory",
    )
    met = [
        show.table(
            f"{X11.names[case]}: what an object meets",
            "on",
            [*((ON_ALL[on], found[case, on]) for on in EVERY), *more.get(case, [])],
            COLUMNS,
            "traces: built anew; walks: of page tables, for an entry of the instruction TLB or of "
            "the data TLB; CR3: loads of it, which empty TLBs and trace cache; flips: of the "
            "kind of a thread's segment; saved: of the "
            "cycles of the same server with its programs large, or of the same system without tags",
        )
        for case in PAPERS
    ]
    figure = shown.figure(X11, found, "Operations of an X server")
    return show.View([every, *met], {"": figure}, locals())
