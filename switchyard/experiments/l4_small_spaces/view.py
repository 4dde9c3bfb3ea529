# SPDX-License-Identifier: Apache-2.0
"""Fig. 4 again: a figure and a table for each structure that is filled."""

import statistics
from collections.abc import Mapping, Sequence

from switchyard.experiments import l4_pc
from switchyard.experiments.l4_pc import ABOUT, LARGE, MACHINE
from switchyard.experiments.l4_small_spaces.measure import KINDS, SMALL
from switchyard.show import declared as show

WHAT = {
    "trace-cache": "instructions of a byte (NOP)",
    "itlb": "jumps, a page each",
    "dtlb": "pages, a word read of each",
}
FILLED = {"trace-cache": "trace cache", "itlb": "instruction TLB", "dtlb": "data TLB"}
EACH = {"trace-cache": "a NOP", "itlb": "a jump", "dtlb": "a read"}
HOLDS = {"trace-cache": 8192, "itlb": 64, "dtlb": 64}  # NOPs, entries
X_TICKS = {
    "trace-cache": range(0, 15_001, 3000), "itlb": range(0, 201, 20), "dtlb": range(0, 121, 20)
}  # fmt: skip
ORDERED = ("itlb", "trace-cache", "dtlb")  # the paper's first
CALLED = {LARGE: "large spaces (flush)", SMALL: "small spaces"}
TOLD = "hollow: by what factor the paper has small spaces faster, under large ones as measured"


def unit(kind: str) -> str:
    """What sizes count, in a word."""
    return WHAT[kind].partition(",")[0].partition(" (")[0]


def near(curve: Sequence[show.Row], size: float) -> show.Row:
    """The row whose size is nearest."""
    return min(curve, key=lambda row: abs(float(row.where["size"]) - size))


def view(results: show.Results) -> show.View:
    rows = results.rows
    there = l4_pc.there(rows)
    curves = {k: {s: rows.select("round", scheme=s, kind=k) for s in there} for k in KINDS}
    large, small = ({k: by[s] for k, by in curves.items() if s in by} for s in (LARGE, SMALL))

    def most(kind: str) -> show.Row:
        return rows.find("largest_speedup", scheme=SMALL, kind=kind)

    def factor(kind: str) -> tuple[float, float] | None:
        """By what large spaces are published to take longer, and with which working set here."""
        where = {"scheme": SMALL, "kind": kind, "machine": MACHINE}
        paper = results.paper("largest_speedup", **where)
        if paper is not None:
            return paper, most(kind)["largest_at"]
        there = results.paper("speedup", **where, size=HOLDS[kind])
        return None if there is None else (there, HOLDS[kind])

    def apart(scheme: str) -> float:
        """By what share of a round a scheme's are from those of small spaces, in the median."""
        pairs = (
            (row, rows.find("round", **{**row.where, "scheme": SMALL}))
            for row in rows.select("round", scheme=scheme)
        )
        return statistics.median(abs(row["round"] / other["round"] - 1) for row, other in pairs)

    others = {scheme: apart(scheme) for scheme in there if scheme not in (LARGE, SMALL)}
    figures = {
        "" if kind == "itlb" else kind: _figure(kind, curves[kind], factor(kind) if small else None)
        for kind in ORDERED
    }
    return show.View([_table(kind, by) for kind, by in curves.items()], figures, locals())


def _table(kind: str, curves: Mapping[str, show.Rows]) -> show.Table:
    """Cycles under all schemes, what was met under the paper's two."""
    some, held = next(iter(curves.values())), HOLDS[kind]
    sizes = [0, held / 4, held / 2, held * 3 / 4, held, float(some[-1].where["size"])]
    chosen = dict.fromkeys(near(some, size).where["size"] for size in sizes)
    told = [scheme for scheme in (LARGE, SMALL) if scheme in curves]
    return show.table(
        f"Ping-pong with a working set in the {FILLED[kind]}: cycles a round, on {MACHINE}",
        unit(kind),
        {f"{size}": {s: near(c, float(size)) for s, c in curves.items()} for size in chosen},
        {**{s: show.under(s, ("round", 0)) for s in curves}, **show.each(told, l4_pc.MET)},
        l4_pc.MEANT,
    )


def _figure(
    kind: str, by: Mapping[str, show.Rows], factor: tuple[float, float] | None
) -> show.Figure:
    """What is said of small spaces is drawn as a part of what large ones take here."""
    series = [show.line(CALLED.get(s, s), rows, "size", "round", kind=s) for s, rows in by.items()]
    if factor:
        row = near(by[LARGE], factor[1])
        there = [(float(row.where["size"]), row["round"] / factor[0])]
        series += show.published(SMALL, f"small spaces, published: {factor[0]:g} times", there)
    return show.lines(
        f"Ping-pong, one side with a working set in the {FILLED[kind]}",
        f"{ABOUT}; simulated machine {MACHINE}\n{TOLD}",
        show.Axes(
            f"cycles a round: working set, message, answer over working set: {WHAT[kind]}",
            x_ticks=tuple(X_TICKS[kind]),
        ),
        series,
        knees=[show.Knee(HOLDS[kind], f"{FILLED[kind]} full", 0.05)],
    )
