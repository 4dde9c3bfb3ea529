# SPDX-License-Identifier: Apache-2.0
"""A row of panels a machine: over the number of spaces, and over working sets."""

from collections.abc import Sequence

from switchyard.experiments import l4, l4_pc, l4_riscv
from switchyard.experiments.l4_ipc.measure import RECYCLING
from switchyard.experiments.l4_ipc.view import FLUSH_FILLS
from switchyard.experiments.switching import measure
from switchyard.experiments.switching.measure import CODE, FLUSH, LINES, PAGES, SPACES
from switchyard.run.build import TAGS
from switchyard.show import declared as show
from switchyard.show.terms import SCHEMES

BAND_SPACES = measure.BAND_SPACES
X_TITLE = {
    SPACES: "address spaces", PAGES: "pages read in each round trip",
    CODE: "instructions (NOP)", LINES: "cache lines read",
}  # fmt: skip
X_TICKS = {SPACES: (2, 4, 8, 16, 32, 64)}
# Of the other axes: the first with which there are so many parts at most.
X_STEPS, PARTS = (30, 40, 200, 2000, 4000), 4
# What fills what, as the processors' manuals have it (docs/machine-*.md).
HOLDS = {
    l4.MACHINE: {PAGES: 32, CODE: 4096, LINES: 256},
    "versatilepb": {PAGES: 64, CODE: 4096, LINES: 512},
    l4_pc.MACHINE: {PAGES: 64, CODE: 8192, LINES: 128},
    l4_riscv.MACHINE: {PAGES: 40, CODE: 8192, LINES: 512},
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
MET = {
    l4_pc.MACHINE: ({"cycles": ("round", 0), **l4_pc.MET}, l4_pc.MEANT),
    l4_riscv.MACHINE: ({"cycles": ("round", 0), **l4_riscv.MET}, l4_riscv.MEANT),
}
# What a scheme is called where it is not what it is elsewhere; a figure has one name for all.
ASIDS = {l4_riscv.MACHINE: {TAGS: "ASIDs"}}
DRAWN = {TAGS: "hardware tags (ideal; the U74's are ASIDs)"}
MEANT = (
    "spaces: of a server and its clients; pages: of which one side of ping-pong reads a word in "
    "each round trip"
)
# Where numbers are told.
TOLD = {SPACES: (2, 16, 64), PAGES: (0, 32, 120)}
FIGURES = {
    "": (
        "Round trips, in per cent of those with a full flush",
        "Left: between a server and its clients, so many spaces in all.",
        "Right: between two spaces, one of which reads so many pages each time.", (SPACES, PAGES),
    ),
    "caches": (
        "Round trips, by what goes through the caches",
        "Left: between two spaces, one of which executes so many instructions.",
        "Right: one of which reads a word of so many lines.", (CODE, LINES),
    ),
}  # fmt: skip


class Curve:
    """A scheme on a machine, by the figure's words."""

    def __init__(self, rows: show.Rows, machine: measure.Machine, scheme: str) -> None:
        self.machine, self.scheme = machine, scheme
        self.called = ASIDS.get(machine.name, SCHEMES).get(scheme, SCHEMES.get(scheme, scheme))
        self.drawn = DRAWN.get(scheme, self.called)
        self.own = rows.select("round", machine=machine.under(scheme), scheme=scheme)

    def of(self, kind: str) -> show.Rows:
        """Over the number of spaces, or over a working set."""
        return self.own.select(kind=kind)

    def at(self, kind: str, size: int) -> show.Row:
        """Where the size is nearest: a quick run has few."""
        return min(self.of(kind), key=lambda row: abs(float(row.where["size"]) - size))

    @property
    def ends(self) -> list[show.Row]:
        """Where numbers are told."""
        return [self.at(kind, size) for kind, sizes in TOLD.items() for size in sizes]

    def fills(self, row: show.Row) -> float:
        """Lines filled from memory: those by which a flush cleans are of a bank without any."""
        cleaning = row["cache_flushes"] * FLUSH_FILLS if self.machine.name == l4.MACHINE else 0
        return max(row["icache_misses"] + row["dcache_misses"] - cleaning, 0.0)

    def walks(self, row: show.Row) -> float:
        """Translations walked."""
        return row["itlb_misses"] + row["dtlb_misses"]


class Told:
    """A machine's curves by scheme, and what the text tells of it."""

    def __init__(self, results: show.Results, machine: measure.Machine) -> None:
        rows, self.machine = results.rows, machine
        there = [s for s in machine.schemes if rows.select(machine=machine.under(s), scheme=s)]
        self.curves = {scheme: Curve(rows, machine, scheme) for scheme in there}
        # the one to which all are compared, and the one that the papers propose
        self.flush, self.best = (self.curves[scheme] for scheme in (FLUSH, machine.best))
        # whether traces and loads of CR3 are counted; whether walks are, apart from misses of TLBs
        self.on_pc = machine.name == l4_pc.MACHINE
        self.on_riscv = machine.name == l4_riscv.MACHINE
        self.verb = "takes" if self.best.scheme == "fass" else "take"
        self.holds = HOLDS[machine.name][PAGES]
        # between what the best's part of a flush lies, over the ranges of assumed constants
        swing = results.band.ratios.get(measure.ratio(machine)) if results.band else None
        self.ends = (100 / swing.high, 100 / swing.low) if swing else None
        # from so many spaces on domains are recycled
        rows = self.best.of(SPACES)
        recycled = [row for row in rows if row.get("domains_recycled", 0) > RECYCLING]
        self.knee = int(recycled[0].where["size"]) if recycled else None

    def knees(self, kind: str) -> list[show.Knee]:
        """What is full from where on."""
        if kind != SPACES:
            return [show.Knee(HOLDS[self.machine.name][kind], FILLED[kind], LABEL_AT[kind])]
        return [show.Knee(self.knee, "domains run out", LABEL_AT[kind])] if self.knee else []

    def series(self, results: show.Results, kind: str) -> list[show.Series]:
        """What is measured, and what the papers say of it, each value by itself."""
        measured, papers = [], []
        for curve in self.curves.values():
            rows = curve.of(kind)
            marks = [show.Mark(float(row.where["size"]), row["share"]) for row in rows]
            measured.append(show.Series(curve.scheme, curve.drawn, marks))
            for row in rows:
                there = {float(row.where["size"]): results.paper("share", **row.where)}
                papers += show.published(curve.scheme, f"{curve.called}, published", there)
        return measured + papers


def view(results: show.Results) -> show.View:
    machines = [Told(results, machine) for machine in measure.MACHINES]
    every = [curve for told in machines for curve in told.curves.values()]
    heads = [f"{row.where['size']} {row.where['kind']}" for row in every[0].ends]
    numbers = []
    for curve in every:
        form = "{round:.0f}" if curve.scheme == FLUSH else "{share:.1f} %"
        cells = [form.format(**row) for row in curve.ends]
        numbers.append([f"{curve.machine.about}, {curve.called}", *cells])
    title = "A round trip: cycles with a full flush, per cent of that under the others"
    tables = [show.Table(title, ["machine, scheme", *heads], numbers, MEANT)]
    for told in machines:
        met = [
            (f"{row.where['size']} {row.where['kind']}: {curve.called}", curve.ends[place])
            for place, row in enumerate(told.flush.ends)
            for curve in told.curves.values()
        ]
        columns, meant = MET.get(told.machine.name, (MET_ARM, MEANT_ARM))
        title = f"{told.machine.about}: what a round trip met"
        tables.append(show.table(title, "scheme", met, columns, meant))

    figures = {}
    for name, (title, *subtitle, kinds) in FIGURES.items():
        # a row a machine, a column a kind
        rows = [row for curve in every for row in curve.own if row.where["kind"] in kinds]
        shares = [row["share"] for row in rows]
        y_range, y_ticks = show.log_axis(show.steps(shares), shares)
        panels = [
            show.Figure(
                told.machine.about, [], X_TITLE[kind], "% of a full flush",
                told.series(results, kind), told.knees(kind),
                log_y=True, y_range=y_range, y_ticks=y_ticks,
                x_ticks=_x_ticks(told.flush.of(kind), kind), log_x=kind == SPACES,
            )
            for told in machines
            for kind in kinds
        ]  # fmt: skip
        if any(series.published for panel in panels for series in panel.series):
            subtitle.append("Hollow marks: published.")
        figures[name] = show.Panels(title, subtitle, panels, len(kinds))
    return show.View(tables, figures, locals())


def _x_ticks(rows: show.Rows, kind: str) -> Sequence[float]:
    if kind in X_TICKS:
        return X_TICKS[kind]
    last = int(rows[-1].where["size"])
    step = next(step for step in X_STEPS if last <= PARTS * step)
    return list(range(0, last + 1, step))
