# SPDX-License-Identifier: Apache-2.0
"""Cycles of a hop by what collides, beside what a flush of everything takes."""

from typing import Any

from switchyard.experiments.l4 import ABOUT, MACHINE, called
from switchyard.experiments.l4_collisions.measure import CASES, COLLIDING, PAGES, PARTS, SPACES
from switchyard.run.build import TAGS
from switchyard.show import declared as show

# In the figure: one line a scheme and number of megabytes; under flush none is the same as all.
DRAWN = (
    ("flush", 4), ("fass", 0), ("fass", 3), ("fass", 4), ("fass-shared", 4), ("single-space", 0),
    (TAGS, 4),
)  # fmt: skip
MEANT = f"in this order: {', '.join(PARTS)}; the turn's own work is in it; with tags all collide"
AXES = show.Axes("cycles one way over spaces in the ring", log="xy", x_ticks=list(SPACES))


def view(results: show.Results) -> show.View:
    at = results.rows.by("scheme", "colliding", "spaces")

    def over_flush(scheme: str, colliding: int, spaces: int) -> float:
        return at(scheme, colliding, spaces)["cycles"] / at("flush", colliding, spaces)["cycles"]

    def worst(scheme: str) -> dict[str, Any]:
        cases = [case for case in CASES if case[0] == scheme and case[1] > 0]
        _, colliding, spaces = most = max(cases, key=lambda case: over_flush(*case))
        flushes = max(at(*case)["cache_flushes"] for case in cases)
        found = {"ratio": over_flush(*most), "flushes": flushes}
        return {**found, "colliding": colliding, "spaces": spaces}

    def cell(scheme: str, colliding: int) -> show.Column:
        def told(n: int) -> str:
            cycles = at(scheme, colliding, n)["cycles"]
            return f"{cycles:.0f} ({over_flush(scheme, colliding, n):.2f})"

        return told

    tables = []
    for scheme in ("fass", "fass-shared"):
        columns = {f"{colliding}": cell(scheme, colliding) for colliding in COLLIDING}
        columns["flush"] = lambda n: f"{at('flush', 0, n)['cycles']:.0f}"
        columns["hardware tags"] = lambda n: f"{at(TAGS, len(PARTS), n)['cycles']:.0f}"
        title = f"{scheme}: cycles one way (times what flush takes), by megabytes that collide"
        lines = [(f"{n}", n) for n in SPACES]
        tables.append(show.table(title, "spaces", lines, columns, MEANT))
    curves = {
        f"{called(s)}, {f'{mb} MB collide' if mb else 'nothing collides'}": [
            at(s, mb, n) for n in SPACES
        ]
        for s, mb in DRAWN
    }
    figure = show.lines(
        "IPC between spaces that lie at the same addresses",
        f"{ABOUT}, simulated machine {MACHINE}; one way, with the\n"
        f"turn's own work: {PAGES} page of data, and the message",
        AXES,
        show.over(curves, "spaces", "cycles"),
    )
    return show.View(tables, {"": figure}, locals())
