# SPDX-License-Identifier: Apache-2.0
"""Turns with private and with shared pages, and beside the paper with hardware tags."""

from collections.abc import Mapping, Sequence

from switchyard.data.rows import Row, Rows
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

    def __init__(self, rows: Rows, processes: int) -> None:
        def curve(scheme: str, mapping: str) -> Rows:
            return rows.select(scheme=scheme, mapping=mapping, processes=processes)

        self.processes = processes
        # pages at addresses of each one's own, and at one address
        self.private, self.shared = (curve("fass-shared", m) for m in ("private", "shared"))
        # under fass the latter collide
        self.plain_private, self.plain_shared = (curve("fass", m) for m in ("private", "shared"))
        self.tags = curve(TAGS, "shared")
        self.by_pages = {
            pages: {name: getattr(self, name)[place] for name in NAMES}
            for place, pages in enumerate(PAGES)
        }
        said = rows.find("largest_factor", processes=processes)
        self.factor = said["largest_factor"]
        self.pages, self.private_break, self.shared_break = (
            int(said.get(name, 0))
            for name in ("largest_factor_at", "private_break", "shared_break")
        )
        self.factors = [_factor(by) for by in self.by_pages.values()]
        self.place = PAGES.index(self.pages)
        # the number of pages measured before private ones slow down, if they do
        self.before_break = max((n for n in PAGES if n < self.private_break), default=0)
        # there are more spaces than domains
        self.recycles = self.shared[0]["domains_recycled"] > RECYCLING
        # a turn where the factor is greatest, without its reads
        read = measure.read_cycles([row["cycles"] for row in self.shared])
        self.base = self.shared[self.place]["cycles"] - read * self.pages


NAMES = ("private", "shared", "plain_private", "plain_shared", "tags")


def _factor(by: Mapping[str, Row]) -> float:
    """Private over shared."""
    return by["private"]["cycles"] / by["shared"]["cycles"]


def view(results: show.Results) -> show.View:
    """A table for each number of processes, and the two figures."""
    every = [Curves(results.rows, processes) for processes in measure.PROCESSES]
    found = {kind: results.statement(f"{kind}_break") for kind in ("private", "shared")}
    breaks = {kind: int(statement.value) for kind, statement in found.items() if statement}
    papers = {c.processes: results.paper("largest_factor", processes=c.processes) for c in every}

    def differ(recycling: bool) -> float:
        """By what share the schemes differ most with private pages, where neither's TLB is full."""
        pairs = [(by["plain_private"], by["private"]) for c in every for by in c.by_pages.values()]
        alike = [
            abs(fass["cycles"] / shared["cycles"] - 1)
            for fass, shared in pairs
            if (shared["domains_recycled"] > RECYCLING) == recycling
            and (shared["dtlb_misses"] < 1) == (fass["dtlb_misses"] < 1)
        ]
        return max(alike, default=0.0)

    colliding = [row for curves in every for row in curves.plain_shared]
    worst = max(
        by["plain_shared"]["cycles"] / by["shared"]["cycles"]
        for c in every
        for by in c.by_pages.values()
    )
    drawn = {c.processes: {"private": c.private, "shared": c.shared} for c in every}
    told = "; ".join(f"{n} processes: {show.ends(by, 'turn', 1)}" for n, by in drawn.items())
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
    tables = [
        show.table(
            f"{curves.processes} processes: cycles for a turn, TLB misses in it",
            "pages",
            {f"{pages}": by for pages, by in curves.by_pages.items()},
            COLUMNS,
            "private, shared: under fass-shared",
        )
        for curves in every
    ]
    figures = {
        "": _figure(
            "Extreme: pages that processes share, with and without shared TLB entries",
            f"{ABOUT}, simulated machine {MACHINE}, L4, scheme fass-shared; one process's turn: a "
            f"byte of each page, and a yield;\n{PUBLISHED}",
            f"Line chart of microseconds for a turn over {PAGES[0]} to {PAGES[-1]} pages. {told}. "
            "Private mappings slow down at fewer pages than shared ones; beyond the size of the "
            "TLB they are alike.",
            {(c, name): getattr(c, name) for c in every for name in ("private", "shared")},
            [
                show.Knee(breaks["private"], "private slows", 0.06, published=True),
                show.Knee(breaks["shared"], "shared slows", 0.06, published=True),
                show.Knee(EQUAL, "the same from here", 0.06, published=True),
            ],
        ),
        # shared entries beside hardware tags, which the paper does not have
        "tags": _figure(
            "Extreme: shared TLB entries beside hardware tags",
            f"{ABOUT}, simulated machines {MACHINE} (fass-shared) and {machine(TAGS)}, L4;\none "
            "process's turn: a byte of each page, which all have at one address, and a yield",
            tags,
            {
                (c, n): r
                for c in every
                for n, r in (("shared", c.shared), ("hardware tags", c.tags))
            },
        ),
    }
    return show.View(tables, figures, locals())


def _figure(
    title: str,
    subtitle: str,
    description: str,
    curves: Mapping[tuple[Curves, str], Rows],
    knees: Sequence[show.Knee] = (),
) -> show.Figure:
    return show.lines(
        title,
        subtitle,
        AXES,
        description,
        show.over(
            {f"{c.processes} processes, {n}": r for (c, n), r in curves.items()}, "pages", "turn"
        ),
        knees=knees,
    )
