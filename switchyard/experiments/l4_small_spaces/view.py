# SPDX-License-Identifier: Apache-2.0
"""Fig. 4 again: a figure and a table for each structure that is filled."""

import statistics
from collections.abc import Sequence

from switchyard.data.rows import Row, Rows
from switchyard.experiments import l4_pc
from switchyard.experiments.l4_pc import ABOUT, LARGE, MACHINE, MEANT, MET
from switchyard.experiments.l4_small_spaces.measure import KINDS, SMALL
from switchyard.show.figure import Figure, Knee, Mark, Series, Table
from switchyard.show.views import Results, View

WHAT = {
    "trace-cache": "instructions of a byte (NOP)",
    "itlb": "jumps, a page each",
    "dtlb": "pages, a word read of each",
}
FILLED = {"trace-cache": "trace cache", "itlb": "instruction TLB", "dtlb": "data TLB"}
EACH = {"trace-cache": "a NOP", "itlb": "a jump", "dtlb": "a read"}
HOLDS = {"trace-cache": 8192, "itlb": 64, "dtlb": 64}  # NOPs, entries
X_TICKS = {
    "trace-cache": tuple(range(0, 15_001, 3000)),
    "itlb": tuple(range(0, 201, 20)),
    "dtlb": tuple(range(0, 121, 20)),
}


def view(results: Results) -> View:
    """The three parts of the paper's figure."""
    rows = results.rows
    there = l4_pc.there(rows)

    def curve(scheme: str, kind: str) -> Rows:
        return rows.select("round", scheme=scheme, kind=kind)

    figures = {
        "" if kind == "itlb" else kind: _figure(
            results, kind, {scheme: curve(scheme, kind) for scheme in there}
        )
        for kind in ("itlb", "trace-cache", "dtlb")
    }
    words = {
        "kinds": FILLED,
        "holds": HOLDS,
        "large": {kind: curve(LARGE, kind) for kind in KINDS},
        "small": {kind: curve(SMALL, kind) for kind in KINDS} if SMALL in there else {},
        "near": _near,
        "others": {
            scheme: _apart(rows, scheme) for scheme in there if scheme not in (LARGE, SMALL)
        },
        "most": lambda kind: rows.find("largest_speedup", scheme=SMALL, kind=kind),
        "factor": lambda kind: _factor(results, kind),
        "each": EACH,
    }
    tables = [_table(kind, {scheme: curve(scheme, kind) for scheme in there}) for kind in KINDS]
    return View(tables, figures, words)


def _apart(rows: Rows, scheme: str) -> float:
    """By what share of a round a scheme's are from those of small spaces, in the median."""
    return statistics.median(
        abs(row["round"] / rows.find("round", **{**row.where, "scheme": SMALL})["round"] - 1)
        for row in rows.select("round", scheme=scheme)
    )


def _near(curve: Sequence[Row], size: float) -> Row:
    """The row whose size is nearest."""
    return min(curve, key=lambda row: abs(float(row.where["size"]) - size))


def _table(kind: str, curves: dict[str, Rows]) -> Table:
    """Cycles under all schemes, what was met under the paper's two."""
    some = next(iter(curves.values()))
    held = HOLDS[kind]
    sizes = [0, held / 4, held / 2, held * 3 / 4, held, float(some[-1].where["size"])]
    chosen = dict.fromkeys(_near(some, size).where["size"] for size in sizes)
    told = [scheme for scheme in (LARGE, SMALL) if scheme in curves]
    return Table(
        title=f"Ping-pong with a working set in the {FILLED[kind]}: cycles a round, on {MACHINE}",
        columns=[
            WHAT[kind].partition(",")[0].partition(" (")[0],
            *curves,
            *(f"{scheme}: {name}" for scheme in told for name in MET),
        ],
        rows=[
            [
                f"{size}",
                *(f"{_near(curve, float(size))['round']:.0f}" for curve in curves.values()),
                *(
                    f"{_near(curves[scheme], float(size))[metric]:.{digits}f}"
                    for scheme in told
                    for metric, digits in MET.values()
                ),
            ]
            for size in chosen
        ],
        caption=MEANT,
    )


def _factor(results: Results, kind: str) -> tuple[float, float] | None:
    """By what large spaces are published to take longer, and with which working set here."""
    where = {"scheme": SMALL, "kind": kind}
    most = results.paper("largest_speedup", **where, machine=MACHINE)
    if most is not None:
        return most, results.rows.find("largest_speedup", **where)["largest_at"]
    held = HOLDS[kind]
    there = results.paper("speedup", **where, size=held, machine=MACHINE)
    return None if there is None else (there, held)


def _published(results: Results, kind: str, large: Sequence[Row]) -> list[Series]:
    """What is said of small spaces, as a part of what large ones take here."""
    factor = _factor(results, kind)
    if factor is None:
        return []
    row = _near(large, factor[1])
    mark = Mark(float(row.where["size"]), row["round"] / factor[0])
    return [Series(SMALL, f"small spaces, published: {factor[0]:g} times", [mark], published=True)]


def _figure(results: Results, kind: str, curves: dict[str, Rows]) -> Figure:
    ends = ", ".join(
        f"{scheme} {curve[0]['round']:.0f} to {curve[-1]['round']:.0f}"
        for scheme, curve in curves.items()
    )
    told = "hollow: by what factor the paper has small spaces faster, under large ones as measured"
    return Figure(
        title=f"Ping-pong, one side with a working set in the {FILLED[kind]}",
        subtitle=[f"{ABOUT}; simulated machine {MACHINE}", told],
        x_title=f"working set: {WHAT[kind]}",
        y_title="cycles a round: working set, message, answer",
        description=f"Line chart of cycles a round over the working set: {ends}.",
        series=[
            *(
                Series(scheme, _called(scheme), [row.mark("size", "round") for row in curve])
                for scheme, curve in curves.items()
            ),
            *(_published(results, kind, curves[LARGE]) if SMALL in curves else []),
        ],
        knees=[Knee(HOLDS[kind], f"{FILLED[kind]} full", 0.05)],
        x_ticks=X_TICKS[kind],
    )


def _called(scheme: str) -> str:
    names = {LARGE: "large spaces (flush)", SMALL: "small spaces"}
    return names.get(scheme, scheme)
