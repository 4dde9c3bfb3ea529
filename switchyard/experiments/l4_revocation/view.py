# SPDX-License-Identifier: Apache-2.0
"""Cycles over the number of page directories that entries must be purged from."""

from switchyard.experiments import l4_pc
from switchyard.figure import Figure, Series, Table
from switchyard.rows import Row
from switchyard.views import Results, View

WHAT = {
    "taken_cold": "taken away, other things in the caches",
    "taken": "taken away, warm",
    "given": "given back",
}


def view(results: Results) -> View:
    """A figure and a table for each scheme that has small spaces."""
    schemes = l4_pc.there(results.rows)
    curves = {scheme: results.rows.select("taken", scheme=scheme) for scheme in schemes}

    def each(scheme: str, metric: str) -> float:
        """Cycles for one directory more."""
        first, last = curves[scheme][0], curves[scheme][-1]
        more = float(last.where["large_spaces"]) - float(first.where["large_spaces"])
        return (last[metric] - first[metric]) / more

    return View(
        [_table(scheme, list(curve)) for scheme, curve in curves.items()],
        {
            "" if scheme == schemes[0] else scheme: _figure(scheme, list(curve))
            for scheme, curve in curves.items()
        },
        {"curves": curves, "each": each},
    )


def _table(scheme: str, curve: list[Row]) -> Table:
    return Table(
        title=f"A part of the area that changes hands, {scheme} on {l4_pc.MACHINE}: cycles",
        columns=["large spaces", *WHAT.values(), "instr.", "L2 misses", "L2 misses, cold"],
        rows=[
            [
                f"{row.where['large_spaces']}",
                *(f"{row[metric]:.0f}" for metric in WHAT),
                f"{row['taken_instructions']:.0f}",
                f"{row['taken_l2_misses']:.0f}",
                f"{row['taken_cold_l2_misses']:.0f}",
            ]
            for row in curve
        ],
        caption="a SpaceControl each; counted: of taking it away",
    )


def _figure(scheme: str, curve: list[Row]) -> Figure:
    ends = ", ".join(
        f"{what} {curve[0][metric]:.0f} to {curve[-1][metric]:.0f}" for metric, what in WHAT.items()
    )
    return Figure(
        title="A part of the small-space area changes hands",
        subtitle=[
            f"{l4_pc.ABOUT}; simulated machine {l4_pc.MACHINE}, scheme {scheme}: SpaceControl"
        ],
        x_title="large spaces, whose page directories have had copies of its entries",
        y_title="cycles",
        description=f"Line chart of cycles over the number of page directories: {ends}.",
        series=[
            Series(metric, what, [row.mark("large_spaces", metric) for row in curve])
            for metric, what in WHAT.items()
        ],
        x_ticks=[1, 8, 16, 24, 32, 40, 48, 60],
    )
