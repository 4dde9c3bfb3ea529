# SPDX-License-Identifier: Apache-2.0
"""A row of panels a machine: over the number of spaces, and over working sets."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from switchyard.data.band import Swing
from switchyard.data.rows import Row, Rows, number, pivot
from switchyard.experiments import l4, l4_pc
from switchyard.experiments.l4_ipc.measure import RECYCLING
from switchyard.experiments.l4_ipc.view import FLUSH_FILLS
from switchyard.experiments.switching.measure import (
    BAND_SPACES,
    CODE,
    FLUSH,
    LINES,
    MACHINES,
    PAGES,
    SPACES,
    Machine,
    ratio,
)
from switchyard.show.figure import Figure, Knee, Mark, Panels, Series, Table, log_axis
from switchyard.show.terms import SCHEMES
from switchyard.show.views import Results, View

TICKS = (0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200)
X_TITLE = {
    SPACES: "address spaces",
    PAGES: "pages read in each round trip",
    CODE: "instructions (NOP)",
    LINES: "cache lines read",
}
X_TICKS = {SPACES: (2, 4, 8, 16, 32, 64)}
# Of the other axes: the first with which there are so many parts at most.
X_STEPS, PARTS = (30, 40, 200, 2000, 4000), 4
# What fills what, as the processors' manuals have it (docs/machine-*.md).
HOLDS = {
    l4.MACHINE: {PAGES: 32, CODE: 4096, LINES: 256},
    "versatilepb": {PAGES: 64, CODE: 4096, LINES: 512},
    l4_pc.MACHINE: {PAGES: 64, CODE: 8192, LINES: 128},
}
FILLED = {PAGES: "TLB full", CODE: "cache full", LINES: "cache full"}
LABEL_AT = {SPACES: 0.75, PAGES: 0.75, CODE: 0.08, LINES: 0.08}  # where there are no lines
# In tables: what a round trip met.
MET_ARM = {
    "cycles": ("round", 0), "instr.": ("instructions", 0), "I-miss": ("icache_misses", 1),
    "D-miss": ("dcache_misses", 1), "I-walks": ("itlb_misses", 1), "D-walks": ("dtlb_misses", 1),
    "fill stalls": ("fill_stall_cycles", 0), "walk stalls": ("walk_stall_cycles", 0),
    "cache fl.": ("cache_flushes", 2), "recycled": ("domains_recycled", 2),
}  # fmt: skip
MEANT_ARM = (
    "walks: of page tables, for instructions and for data; stalls: cycles; cache fl.: flushes of "
    f"the caches, with {FLUSH_FILLS} D-misses each on a StrongARM, which cleans them by reading; "
    "recycled: domains that were taken from another space"
)
# Where numbers are told.
TOLD = {SPACES: (2, 16, 64), PAGES: (0, 32, 120)}


@dataclass(frozen=True)
class Curve:
    """A scheme on a machine."""

    rows: Rows
    machine: Machine
    scheme: str

    @property
    def called(self) -> str:
        """The scheme in the figure's words."""
        return SCHEMES.get(self.scheme, self.scheme)

    @cached_property
    def own(self) -> Rows:
        """All that was measured of it."""
        return self.rows.select(
            "round", machine=self.machine.under(self.scheme), scheme=self.scheme
        )

    def of(self, kind: str) -> Rows:
        """Over the number of spaces, or over a working set."""
        return self.own.select(kind=kind)

    def at(self, kind: str, size: int) -> Row:
        """Where the size is nearest: a quick run has few."""
        return min(self.of(kind), key=lambda row: abs(float(row.where["size"]) - size))

    def fills(self, row: Row) -> float:
        """Lines filled from memory: those by which a flush cleans are of a bank without any."""
        cleaning = row["cache_flushes"] * FLUSH_FILLS if self.machine.name == l4.MACHINE else 0
        return max(row["icache_misses"] + row["dcache_misses"] - cleaning, 0.0)

    def walks(self, row: Row) -> float:
        """Translations walked."""
        return row["itlb_misses"] + row["dtlb_misses"]


def view(results: Results) -> View:
    """Two figures, the numbers, what was met, the text's words."""
    curves = {
        machine.name: {
            scheme: Curve(results.rows, machine, scheme)
            for scheme in machine.schemes
            if results.rows.select(machine=machine.under(scheme), scheme=scheme)
        }
        for machine in MACHINES
    }
    figures = {
        "": _figure(
            results,
            curves,
            "Round trips, in per cent of those with a full flush",
            [
                "Left: between a server and its clients, so many spaces in all.",
                "Right: between two spaces, one of which reads so many pages each time.",
            ],
            (SPACES, PAGES),
        ),
        "caches": _figure(
            results,
            curves,
            "Round trips, by what goes through the caches",
            [
                "Left: between two spaces, one of which executes so many instructions.",
                "Right: one of which reads a word of so many lines.",
            ],
            (CODE, LINES),
        ),
    }
    swings = results.band.ratios if results.band else {}
    words = {
        "machines": [_Told(by[FLUSH].machine, by, swings) for by in curves.values()],
        "band_spaces": BAND_SPACES,
    }
    return View([_numbers(curves), *map(_met, curves.values())], figures, words)


@dataclass(frozen=True)
class _Told:
    """What the text tells of a machine."""

    machine: Machine
    curves: Mapping[str, Curve]
    swings: Mapping[str, Swing] = field(default_factory=dict)

    @property
    def flush(self) -> Curve:
        """The one to which all are compared."""
        return self.curves[FLUSH]

    @property
    def best(self) -> Curve:
        """The one that the papers propose for it."""
        return self.curves[self.machine.best]

    @property
    def on_pc(self) -> bool:
        """Whether traces and loads of CR3 are counted."""
        return self.machine.name == l4_pc.MACHINE

    @property
    def ends(self) -> tuple[float, float] | None:
        """Between what the best's part of a flush lies, over the ranges of assumed constants."""
        swing = self.swings.get(ratio(self.machine))
        return (100 / swing.high, 100 / swing.low) if swing else None

    @property
    def holds(self) -> int:
        """Pages that the TLB holds."""
        return HOLDS[self.machine.name][PAGES]

    @property
    def knee(self) -> int | None:
        """From so many spaces on domains are recycled."""
        return None if self.on_pc else _knee(self.best.of(SPACES))


def _knee(rows: Rows) -> int | None:
    sizes = (int(row.where["size"]) for row in rows if row["domains_recycled"] > RECYCLING)
    return next(sizes, None)


def _figure(
    results: Results,
    curves: Mapping[str, Mapping[str, Curve]],
    title: str,
    told: Sequence[str],
    kinds: Sequence[str],
) -> Panels:
    """A row a machine, a column a kind."""
    rows = [row for by in curves.values() for curve in by.values() for row in curve.own]
    y_range, y_ticks = log_axis(TICKS, [row["share"] for row in rows if row.where["kind"] in kinds])
    panels = [
        Figure(
            title=by[FLUSH].machine.about,
            subtitle=[],
            x_title=X_TITLE[kind],
            y_title="% of a full flush",
            description=_described({name: by}, (kind,)),
            series=[*_measured(by, kind), *_published(results, by, kind)],
            knees=_knees(by, kind),
            log_y=True,
            y_range=y_range,
            y_ticks=y_ticks,
            x_ticks=_x_ticks(by[FLUSH].of(kind), kind),
            log_x=kind == SPACES,
        )
        for name, by in curves.items()
        for kind in kinds
    ]
    papers = any(series.published for panel in panels for series in panel.series)
    return Panels(
        title=title,
        subtitle=[*told, *(["Hollow marks: published."] if papers else [])],
        description=_described(curves, kinds),
        panels=panels,
        columns=len(kinds),
    )


def _measured(by: Mapping[str, Curve], kind: str) -> list[Series]:
    return [
        Series(
            curve.scheme,
            curve.called,
            [Mark(float(row.where["size"]), row["share"]) for row in curve.of(kind)],
        )
        for curve in by.values()
    ]


def _published(results: Results, by: Mapping[str, Curve], kind: str) -> list[Series]:
    """What the papers say of a machine's schemes, each value by itself."""
    series = []
    for curve in by.values():
        for row in curve.of(kind):
            paper = results.paper("share", **row.where)
            if paper is not None:
                mark = Mark(float(row.where["size"]), paper)
                series.append(Series(curve.scheme, f"{curve.called}, published", [mark], True))
    return series


def _knees(by: Mapping[str, Curve], kind: str) -> list[Knee]:
    told = _Told(by[FLUSH].machine, by)
    if kind != SPACES:
        return [Knee(HOLDS[told.machine.name][kind], FILLED[kind], LABEL_AT[kind])]
    return [Knee(told.knee, "domains run out", LABEL_AT[kind])] if told.knee else []


def _x_ticks(rows: Rows, kind: str) -> Sequence[float]:
    if kind in X_TICKS:
        return X_TICKS[kind]
    last = int(rows[-1].where["size"])
    step = next(step for step in X_STEPS if last <= PARTS * step)
    return list(range(0, last + 1, step))


def _described(curves: Mapping[str, Mapping[str, Curve]], kinds: Sequence[str]) -> str:
    """A figure in words, for who cannot see it."""
    told = [
        f"{by[FLUSH].machine.about}, over {X_TITLE[kind]}: "
        + ", ".join(
            f"{curve.called} {number(rows[0]['share'])} to {number(rows[-1]['share'])}"
            for curve in by.values()
            if curve.scheme != FLUSH
            for rows in [curve.of(kind)]
        )
        for by in curves.values()
        for kind in kinds
    ]
    return f"Line charts of a round trip in per cent of one with a full flush. {'; '.join(told)}."


def _numbers(curves: Mapping[str, Mapping[str, Curve]]) -> Table:
    every = [curve for by in curves.values() for curve in by.values()]
    return Table(
        title="A round trip: cycles with a full flush, per cent of that under the others",
        columns=["machine, scheme", *_heads(every[0])],
        rows=[
            [
                f"{curve.machine.about}, {curve.called}",
                *(
                    f"{row['round']:.0f}" if curve.scheme == FLUSH else f"{row['share']:.1f} %"
                    for row in _ends(curve)
                ),
            ]
            for curve in every
        ],
        caption="spaces: of a server and its clients; pages: of which one side of ping-pong reads "
        "a word in each round trip",
    )


def _ends(curve: Curve) -> list[Row]:
    """Where numbers are told."""
    return [curve.at(kind, size) for kind, sizes in TOLD.items() for size in sizes]


def _heads(curve: Curve) -> list[str]:
    return [f"{row.where['size']} {row.where['kind']}" for row in _ends(curve)]


def _met(by: Mapping[str, Curve]) -> Table:
    machine = by[FLUSH].machine
    on_pc = machine.name == l4_pc.MACHINE
    return pivot(
        f"{machine.about}: what a round trip met",
        "scheme",
        [
            (f"{head}: {curve.called}", row)
            for place, head in enumerate(_heads(by[FLUSH]))
            for curve in by.values()
            for row in [_ends(curve)[place]]
        ],
        {"cycles": ("round", 0), **l4_pc.MET} if on_pc else MET_ARM,
        caption=l4_pc.MEANT if on_pc else MEANT_ARM,
    )
