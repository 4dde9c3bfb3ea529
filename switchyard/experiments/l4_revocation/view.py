# SPDX-License-Identifier: Apache-2.0
"""Cycles over the number of page directories that entries must be purged from, by scheme."""

from switchyard.data.rows import Rows
from switchyard.experiments import l4_pc
from switchyard.show.figure import Figure, Series, Table
from switchyard.show.views import Results, View

# Of a scheme, as the figure has them.
DRAWN = {"taken_cold": "other things in the caches", "taken": "warm"}
WHAT = {
    "taken_cold": "taken away, other things in the caches",
    "taken": "taken away, warm",
    "given": "given back",
}


def view(results: Results) -> View:
    """A figure of all schemes that have small spaces, a table of each."""
    schemes = l4_pc.there(results.rows)
    curves = {scheme: results.rows.select("taken", scheme=scheme) for scheme in schemes}

    def each(scheme: str, metric: str) -> float:
        """Cycles for one directory more."""
        first, last = curves[scheme][0], curves[scheme][-1]
        more = float(last.where["large_spaces"]) - float(first.where["large_spaces"])
        return (last[metric] - first[metric]) / more

    return View(
        [_table(scheme, curve) for scheme, curve in curves.items()],
        {"": _figure(curves)},
        {"curves": curves, "each": each},
    )


def _table(scheme: str, curve: Rows) -> Table:
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


def _figure(curves: dict[str, Rows]) -> Figure:
    ends = ", ".join(
        f"{scheme}, {what}, {curve[0][metric]:.0f} to {curve[-1][metric]:.0f}"
        for scheme, curve in curves.items()
        for metric, what in DRAWN.items()
    )
    return Figure(
        title="A part of the small-space area is taken from a space",
        subtitle=[f"{l4_pc.ABOUT}; simulated machine {l4_pc.MACHINE}: SpaceControl"],
        x_title="large spaces that call the small one",
        y_title="cycles",
        description=f"Line chart of cycles over the number of large spaces: {ends}.",
        series=[
            Series(
                f"{scheme} {metric}",
                f"{scheme}, {what}",
                [row.mark("large_spaces", metric) for row in curve],
            )
            for scheme, curve in curves.items()
            for metric, what in DRAWN.items()
        ],
        x_ticks=[1, 8, 16, 24, 32, 40, 48, 60],
    )
