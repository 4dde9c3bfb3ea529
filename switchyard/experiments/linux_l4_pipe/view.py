# SPDX-License-Identifier: Apache-2.0
"""Fig. 6: a figure and a table for each structure that is filled."""

from collections.abc import Mapping

from switchyard.data.rows import Row, Rows
from switchyard.experiments.linux_l4_pipe.measure import KINDS, SYSTEMS
from switchyard.experiments.linux_servers import ALL, LARGE, MACHINE, NATIVE, ON_ALL, SMALL
from switchyard.run.build_linux import Linux
from switchyard.show import declared as show

WHAT = {
    "trace-cache": "instructions of a byte (NOP)",
    "itlb": "jumps, a page each",
    "dtlb": "pages, a word read of each",
}
FILLED = {"trace-cache": "trace cache", "itlb": "instruction TLB", "dtlb": "data TLB"}
X_TICKS = {
    "trace-cache": range(0, 15_001, 3000), "itlb": range(0, 201, 20), "dtlb": range(0, 121, 20)
}  # fmt: skip
MET = {
    "instr.": ("instructions", 0), "traces": ("traces_built", 0), "I-walks": ("itlb_misses", 0),
    "D-walks": ("dtlb_misses", 0), "CR3": ("cr3_loads", 1),
}  # fmt: skip
MEANT = (
    "traces: built anew; walks: of page tables, for an entry of the instruction TLB or of the data "
    "TLB; CR3: loads of it, which empty TLBs and trace cache"
)


def view(results: show.Results) -> show.View:
    rows = results.rows
    curves = {k: {on: rows.select("cycles", on=on, kind=k) for on in SYSTEMS} for k in KINDS}
    ends = {k: {on: (by[on][0], by[on][-1]) for on in SYSTEMS} for k, by in curves.items()}
    over_all, over_large = (rows.find("largest_speedup", on=on) for on in (ALL, SMALL))
    tables = [_table(kind, by) for kind, by in curves.items()]
    figures = {
        "" if kind == "itlb" else kind: _figure(kind, curves[kind])
        for kind in ("itlb", "trace-cache", "dtlb")
    }
    return show.View(tables, figures, locals())


def _table(kind: str, curves: Mapping[str, Rows]) -> show.Table:
    """Cycles of all, and what was met by three of them."""
    sizes = [row.where["size"] for row in curves[NATIVE]]
    chosen = dict.fromkeys(sizes[round(i * (len(sizes) - 1) / 4)] for i in range(5))
    lines: dict[str, dict[str, Row]] = {
        f"{size}": {on: c.find(size=size) for on, c in curves.items()} for size in chosen
    }
    return show.table(
        f"A byte and back by pipes, with a working set in the {FILLED[kind]}: cycles, on {MACHINE}",
        WHAT[kind].partition(",")[0].partition(" (")[0],
        lines,
        {
            **{on: show.under(on, ("cycles", 0)) for on in curves},
            **show.each((NATIVE, LARGE, SMALL), MET),
        },
        MEANT,
    )


def _figure(kind: str, by: Mapping[str, Rows]) -> show.Figure:
    series = [show.line(ON_ALL[on], rows, "size", "cycles") for on, rows in by.items()]
    return show.lines(
        f"A byte to a process and back by pipes, with a working set in the {FILLED[kind]}",
        f"Linux {Linux.version}; simulated machine {MACHINE}, and the same with hardware tags\n"
        "bars: 95 % confidence interval of the mean, over the boots",
        show.Axes(
            f"cycles a round: working set, byte, answer over working set: {WHAT[kind]}",
            step=10_000,
            x_ticks=tuple(X_TICKS[kind]),
        ),
        series,
    )
