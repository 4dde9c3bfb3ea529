# SPDX-License-Identifier: Apache-2.0
"""Cycles of a hop by what collides, beside what a flush of everything takes."""

from typing import Any

from switchyard.data.rows import Row
from switchyard.experiments.l4 import ABOUT, MACHINE, called
from switchyard.experiments.l4_collisions.measure import CASES, COLLIDING, PAGES, PARTS, SPACES
from switchyard.run.build import TAGS
from switchyard.show.figure import Figure, Series, Table, log_axis
from switchyard.show.views import Results, View

# In the figure: one line a scheme and number of megabytes; under flush none is the same as all.
DRAWN = (
    ("flush", 4), ("fass", 0), ("fass", 3), ("fass", 4), ("fass-shared", 4), ("single-space", 0),
    (TAGS, 4),
)  # fmt: skip
TICKS = (100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000)


def view(results: Results) -> View:
    """A table for each scheme whose spaces can collide, and the figure."""

    def at(scheme: str, colliding: int, spaces: int) -> Row:
        return results.rows.find(scheme=scheme, colliding=colliding, spaces=spaces)

    def over_flush(scheme: str, colliding: int, spaces: int) -> float:
        return at(scheme, colliding, spaces)["cycles"] / at("flush", colliding, spaces)["cycles"]

    def table(scheme: str) -> Table:
        rows = [
            [
                f"{spaces}",
                *(
                    f"{at(scheme, c, spaces)['cycles']:.0f} ({over_flush(scheme, c, spaces):.2f})"
                    for c in COLLIDING
                ),
                f"{at('flush', 0, spaces)['cycles']:.0f}",
                f"{at(TAGS, len(PARTS), spaces)['cycles']:.0f}",
            ]
            for spaces in SPACES
        ]
        return Table(
            title=f"{scheme}: cycles one way (times what flush takes), by megabytes that collide",
            columns=["spaces", *(f"{c}" for c in COLLIDING), "flush", "hardware tags"],
            rows=rows,
            caption=f"in this order: {', '.join(PARTS)}; the turn's own work is in it; with tags "
            "all collide",
        )

    def worst(scheme: str) -> dict[str, Any]:
        cases = [case for case in CASES if case[0] == scheme and case[1] > 0]
        _, colliding, spaces = max(cases, key=lambda case: over_flush(*case))
        return {
            "ratio": over_flush(scheme, colliding, spaces),
            "colliding": colliding,
            "spaces": spaces,
            "flushes": max(at(*case)["cache_flushes"] for case in cases),
        }

    series = [
        Series(
            f"{scheme} {colliding}",
            f"{called(scheme)}, "
            + (f"{colliding} MB collide" if colliding else "nothing collides"),
            [at(scheme, colliding, spaces).mark("spaces", "cycles") for spaces in SPACES],
        )
        for scheme, colliding in DRAWN
    ]
    y_range, y_ticks = log_axis(TICKS, [mark.y for line in series for mark in line.marks])
    figure = Figure(
        title="IPC between spaces that lie at the same addresses",
        subtitle=[
            f"{ABOUT}, simulated machine {MACHINE}; one way, with the",
            f"turn's own work: {PAGES} page of data, and the message",
        ],
        x_title="spaces in the ring (log scale)",
        y_title="cycles one way (log scale)",
        description=f"Line chart over {SPACES[0]} to {SPACES[-1]} spaces. With two, flush takes "
        f"{at('flush', 4, 2)['cycles']:.0f} cycles, fass {at('fass', 0, 2)['cycles']:.0f} if "
        f"nothing collides and {at('fass', 4, 2)['cycles']:.0f} if four megabytes do.",
        series=series,
        log_x=True,
        log_y=True,
        y_range=y_range,
        y_ticks=y_ticks,
        x_ticks=list(SPACES),
    )
    tables = [table("fass"), table("fass-shared")]
    return View(tables, {"": figure}, {"at": at, "worst": worst})
