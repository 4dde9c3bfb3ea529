# SPDX-License-Identifier: Apache-2.0
"""Cycles over the number of page directories that entries must be purged from, by scheme."""

from switchyard.experiments import l4_pc
from switchyard.show import declared as show

DRAWN = {"taken_cold": "other things in the caches", "taken": "warm"}
COLUMNS = {
    "taken away, other things in the caches": ("taken_cold", 0), "taken away, warm": ("taken", 0),
    "given back": ("given", 0), "instr.": ("taken_instructions", 0),
    "L2 misses": ("taken_l2_misses", 0), "L2 misses, cold": ("taken_cold_l2_misses", 0),
}  # fmt: skip
AXES = show.Axes(
    "cycles over large spaces that call the small one", x_ticks=[1, 8, 16, 24, 32, 40, 48, 60]
)


def view(results: show.Results) -> show.View:
    rows = results.rows
    curves = {scheme: rows.select("taken", scheme=scheme) for scheme in l4_pc.there(rows)}
    tables = []
    for scheme, curve in curves.items():
        title = f"A part of the area that changes hands, {scheme} on {l4_pc.MACHINE}: cycles"
        by_spaces = show.named(curve, "large_spaces")
        told = "a SpaceControl each; counted: of taking it away"
        tables.append(show.table(title, "large spaces", by_spaces, COLUMNS, told))
    drawn = [(f"{s}, {what}", rows, m) for s, rows in curves.items() for m, what in DRAWN.items()]
    figure = show.lines(
        "A part of the small-space area is taken from a space",
        f"{l4_pc.ABOUT}; simulated machine {l4_pc.MACHINE}: SpaceControl",
        AXES,
        [show.line(name, rows, "large_spaces", metric) for name, rows, metric in drawn],
    )
    return show.View(tables, {"": figure}, {"curves": curves})
