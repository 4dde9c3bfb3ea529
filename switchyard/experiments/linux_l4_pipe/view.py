# SPDX-License-Identifier: Apache-2.0
"""Fig. 6: a figure and a table for each structure that is filled."""

from collections.abc import Mapping

from switchyard.experiments import l4_pc
from switchyard.experiments.l4_small_spaces.view import FILLED, ORDERED, WHAT, X_TICKS, unit
from switchyard.experiments.linux_l4_pipe.measure import KINDS, SYSTEMS
from switchyard.experiments.linux_servers import ALL, LARGE, MACHINE, NATIVE, ON_ALL, SMALL
from switchyard.run.build_linux import Linux
from switchyard.show import declared as show

MET = {
    "instr.": ("instructions", 0), "traces": ("traces_built", 0), "I-walks": ("itlb_misses", 0),
    "D-walks": ("dtlb_misses", 0), "CR3": ("cr3_loads", 1),
}  # fmt: skip


def view(results: show.Results) -> show.View:
    rows = results.rows
    curves = {k: {on: rows.select("cycles", on=on, kind=k) for on in SYSTEMS} for k in KINDS}
    ends = {k: {on: (by[on][0], by[on][-1]) for on in SYSTEMS} for k, by in curves.items()}
    over_all, over_large = (rows.find("largest_speedup", on=on) for on in (ALL, SMALL))
    tables = [_table(kind, by) for kind, by in curves.items()]
    figures = {"" if kind == "itlb" else kind: _figure(kind, curves[kind]) for kind in ORDERED}
    return show.View(tables, figures, locals())


def _table(kind: str, curves: Mapping[str, show.Rows]) -> show.Table:
    """Cycles of all, and what was met by three of them."""
    sizes = [row.where["size"] for row in curves[NATIVE]]
    chosen = dict.fromkeys(sizes[round(i * (len(sizes) - 1) / 4)] for i in range(5))
    lines: dict[str, dict[str, show.Row]] = {
        f"{size}": {on: c.find(size=size) for on, c in curves.items()} for size in chosen
    }
    return show.table(
        f"A byte and back by pipes, with a working set in the {FILLED[kind]}: cycles, on {MACHINE}",
        unit(kind),
        lines,
        {
            **{on: show.under(on, ("cycles", 0)) for on in curves},
            **show.each((NATIVE, LARGE, SMALL), MET),
        },
        l4_pc.MEANT,
    )


def _figure(kind: str, by: Mapping[str, show.Rows]) -> show.Figure:
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
