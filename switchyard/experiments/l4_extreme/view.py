# SPDX-License-Identifier: Apache-2.0
"""Turns with private and with shared pages, and beside the paper with hardware tags."""

from collections.abc import Mapping

from switchyard.experiments.l4 import ABOUT, MACHINE, machine
from switchyard.experiments.l4_extreme import measure
from switchyard.experiments.l4_extreme.measure import BAND_PAGES, PAGES, RECYCLING
from switchyard.run.build import TAGS
from switchyard.show import declared as show

TLB = 32  # entries of the data TLB (section 4.2)
# "The same once the number of pages reaches 32" (Wiggins et al., ACSAC 2003, section 4.2).
EQUAL = 32
CLOSE = 0.1  # a deviation that is not worth a reason
PUBLISHED = "published (dotted): Wiggins et al. 2003, Fig. 4 (only what its text says in numbers)"
TURN = ("cycles", 0)
# Of a line of the table, which is a number of pages: rows by curve.
COLUMNS = {
    "fass private": show.under("plain_private", TURN), "private": show.under("private", TURN),
    "shared": show.under("shared", TURN), "factor": lambda by: f"{_factor(by):.1f}",
    **{
        f"{tlb.upper()} {curve}": show.under(curve, (f"{tlb}_misses", 1))
        for tlb in ("dtlb", "itlb") for curve in ("private", "shared")
    },
    "fass shared (collides)": show.under("plain_shared", TURN),
    "hardware tags": show.under("tags", TURN),
}  # fmt: skip
AXES = show.Axes(
    "one turn, µs over pages that each process reads in its turn", "y", (0.9, 1.1),
    x_ticks=[1, 8, 16, 24, 32, 40, 48],
)  # fmt: skip


class Curves:
    """What so many processes took, by rising number of pages."""

    def __init__(self, rows: show.Rows, processes: int) -> None:
        self.processes = processes
        self.by = {
            name: rows.select(scheme=scheme, mapping=mapping, processes=processes)
            for name, (scheme, mapping) in NAMES.items()
        }
        self.private, self.shared, self.tags = (self.by[n] for n in ("private", "shared", "tags"))
        self.by_pages = {n: {c: self.by[c][i] for c in NAMES} for i, n in enumerate(PAGES)}
        self.factors = [_factor(by) for by in self.by_pages.values()]
        said = rows.find("largest_factor", processes=processes)
        self.factor, self.pages = said["largest_factor"], int(said["largest_factor_at"])
        self.place = PAGES.index(self.pages)
        # from where on they slow down, if they do, and the number of pages measured before that
        breaks = (int(said.get(f"{name}_break", 0)) for name in ("private", "shared"))
        self.private_break, self.shared_break = breaks
        self.before_break = max((n for n in PAGES if n < self.private_break), default=0)
        # there are more spaces than domains
        self.recycles = self.shared[0]["domains_recycled"] > RECYCLING
        # a turn where the factor is greatest, without its reads
        read = measure.read_cycles([row["cycles"] for row in self.shared])
        self.base = self.shared[self.place]["cycles"] - read * self.pages


# The curves: pages at addresses of each one's own or at one address, which under fass collide.
NAMES = {
    "private": ("fass-shared", "private"), "shared": ("fass-shared", "shared"),
    "plain_private": ("fass", "private"), "plain_shared": ("fass", "shared"),
    "tags": (TAGS, "shared"),
}  # fmt: skip


def _factor(by: Mapping[str, show.Row]) -> float:
    """Private over shared."""
    return by["private"]["cycles"] / by["shared"]["cycles"]


def view(results: show.Results) -> show.View:
    every = [Curves(results.rows, processes) for processes in measure.PROCESSES]
    found = {kind: results.statement(f"{kind}_break") for kind in ("private", "shared")}
    breaks = {kind: int(statement.value) for kind, statement in found.items() if statement}
    papers = {c.processes: results.paper("largest_factor", processes=c.processes) for c in every}

    turns = [by for curves in every for by in curves.by_pages.values()]
    colliding = [by["plain_shared"] for by in turns]
    worst = max(by["plain_shared"]["cycles"] / by["shared"]["cycles"] for by in turns)

    def differ(recycling: bool) -> float:
        """By what share the schemes differ most with private pages, where neither's TLB is full."""
        pairs = [(by["plain_private"], by["private"]) for by in turns]
        alike = [
            abs(fass["cycles"] / shared["cycles"] - 1)
            for fass, shared in pairs
            if (shared["domains_recycled"] > RECYCLING) == recycling
            and (shared["dtlb_misses"] < 1) == (fass["dtlb_misses"] < 1)
        ]
        return max(alike, default=0.0)

    at_band = "; ".join(
        f"{c.processes} processes {by['tags']['cycles']:.0f} cycles a turn with "
        f"{by['tags']['dtlb_misses']:.1f} misses of the data TLB, fass-shared "
        f"{by['shared']['cycles']:.0f} with {by['shared']['dtlb_misses']:.1f}"
        for c in every
        for by in [c.by_pages[BAND_PAGES]]
    )
    tags = (
        "Hardware tags tell processes apart, and so have an entry for each of them where a domain "
        f"has one for all. With {BAND_PAGES} pages at one address: {at_band}."
    )
    tables = []
    for curves in every:
        title = f"{curves.processes} processes: cycles for a turn, TLB misses in it"
        by_pages = [(f"{pages}", by) for pages, by in curves.by_pages.items()]
        meant = "private, shared: under fass-shared"
        tables.append(show.table(title, "pages", by_pages, COLUMNS, meant))

    def drawn(**names: str) -> list[show.Series]:
        curves = {f"{c.processes} processes, {n}": c.by[k] for c in every for k, n in names.items()}
        return show.over(curves, "pages", "turn")

    knees = {
        breaks["private"]: "private slows", breaks["shared"]: "shared slows",
        EQUAL: "the same from here",
    }  # fmt: skip
    figures = {
        "": show.lines(
            "Extreme: pages that processes share, with and without shared TLB entries",
            f"{ABOUT}, simulated machine {MACHINE}, L4, scheme fass-shared; one process's turn: a "
            f"byte of each page, and a yield;\n{PUBLISHED}",
            AXES,
            drawn(private="private", shared="shared"),
            [show.Knee(pages, label, 0.06, published=True) for pages, label in knees.items()],
        ),
        # shared entries beside hardware tags, which the paper does not have
        "tags": show.lines(
            "Extreme: shared TLB entries beside hardware tags",
            f"{ABOUT}, simulated machines {MACHINE} (fass-shared) and {machine(TAGS)}, L4;\none "
            "process's turn: a byte of each page, which all have at one address, and a yield",
            AXES,
            drawn(shared="shared", tags="hardware tags"),
        ),
    }
    return show.View(tables, figures, locals())
