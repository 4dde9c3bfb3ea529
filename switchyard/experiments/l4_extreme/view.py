# SPDX-License-Identifier: Apache-2.0
"""Turns with private and with shared pages, and beside the paper with hardware tags."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from switchyard.data.published import find
from switchyard.data.rows import Row, Rows
from switchyard.experiments.l4 import ABOUT, MACHINE, machine
from switchyard.experiments.l4_extreme.measure import (
    BAND_PAGES,
    PAGES,
    PROCESSES,
    RECYCLING,
    read_cycles,
)
from switchyard.run.build import TAGS
from switchyard.show.figure import Figure, Knee, Series, Table, log_axis
from switchyard.show.views import Results, View

TLB = 32  # entries of the data TLB (section 4.2)
# "The same once the number of pages reaches 32" (Wiggins et al., ACSAC 2003, section 4.2).
EQUAL = 32
CLOSE = 0.1  # a deviation that is not worth a reason
TICKS = (0.5, 1, 2, 5, 10, 20, 50, 100, 200)


@dataclass(frozen=True)
class Curves:
    """What so many processes took, by rising number of pages."""

    rows: Rows
    processes: int

    def _curve(self, scheme: str, mapping: str) -> Rows:
        return self.rows.select(scheme=scheme, mapping=mapping, processes=self.processes)

    @cached_property
    def private(self) -> Rows:
        """At addresses of each one's own, under fass-shared."""
        return self._curve("fass-shared", "private")

    @cached_property
    def shared(self) -> Rows:
        """At one address, under fass-shared."""
        return self._curve("fass-shared", "shared")

    @cached_property
    def plain_private(self) -> Rows:
        """Under fass."""
        return self._curve("fass", "private")

    @cached_property
    def plain_shared(self) -> Rows:
        """Under fass, where they collide."""
        return self._curve("fass", "shared")

    @cached_property
    def tags(self) -> Rows:
        """At one address, with hardware tags."""
        return self._curve(TAGS, "shared")

    @cached_property
    def factors(self) -> list[float]:
        """Private over shared."""
        return [p["cycles"] / s["cycles"] for p, s in zip(self.private, self.shared, strict=True)]

    @property
    def said(self) -> Row:
        """What its curves come to."""
        return self.rows.find("largest_factor", processes=self.processes)

    @property
    def factor(self) -> float:
        """The greatest factor."""
        return self.said["largest_factor"]

    @property
    def pages(self) -> int:
        """Where it is."""
        return int(self.said["largest_factor_at"])

    @property
    def place(self) -> int:
        """Among the numbers of pages."""
        return PAGES.index(self.pages)

    @property
    def private_break(self) -> int:
        """From where on private mappings slow down."""
        return int(self.said["private_break"])

    @property
    def shared_break(self) -> int:
        """From where on shared mappings do."""
        return int(self.said["shared_break"])

    @property
    def before_break(self) -> int:
        """The number of pages measured before private ones slow down."""
        return PAGES[PAGES.index(self.private_break) - 1]

    @property
    def recycles(self) -> bool:
        """There are more spaces than domains."""
        return self.shared[0]["domains_recycled"] > RECYCLING

    @property
    def base(self) -> float:
        """A turn where the factor is greatest, without its reads."""
        read = read_cycles([row["cycles"] for row in self.shared])
        return self.shared[self.place]["cycles"] - read * self.pages


def view(results: Results) -> View:
    """A table for each number of processes, and the two figures."""
    every = [Curves(results.rows, processes) for processes in PROCESSES]
    breaks = {
        kind: int(statement.value)
        for kind in ("private", "shared")
        for statement in [find(results.statements, f"{kind}_break")]
        if statement
    }
    papers = {
        statement.where["processes"]: statement.value
        for statement in results.statements
        if statement.metric == "largest_factor"
    }

    def differ(recycling: bool) -> float:
        """By what share the schemes differ most with private pages, where neither's TLB is full."""
        return max(
            (
                abs(fass["cycles"] / shared["cycles"] - 1)
                for curves in every
                for fass, shared in zip(curves.plain_private, curves.private, strict=True)
                if (shared["domains_recycled"] > RECYCLING) == recycling
                and (shared["dtlb_misses"] < 1) == (fass["dtlb_misses"] < 1)
            ),
            default=0.0,
        )

    colliding = [row for curves in every for row in curves.plain_shared]
    beside = [row for curves in every for row in curves.shared]
    words = {
        "all": every, "papers": papers, "breaks": breaks, "close": CLOSE, "recycling": RECYCLING,
        "tlb": TLB, "equal": EQUAL, "most": PAGES[-1], "differ": differ, "colliding": colliding,
        "places": {pages: place for place, pages in enumerate(PAGES)},
        "worst": max(a["cycles"] / b["cycles"] for a, b in zip(colliding, beside, strict=True)),
        "tags": _tags(every),
    }  # fmt: skip
    figures = {"": _mappings(every, breaks), "tags": _bound(every)}
    return View([_table(curves) for curves in every], figures, words)


def _table(curves: Curves) -> Table:
    return Table(
        title=f"{curves.processes} processes: cycles for a turn, TLB misses in it",
        columns=[
            "pages", "fass private", "private", "shared", "factor", "DTLB private", "DTLB shared",
            "ITLB private", "ITLB shared", "fass shared (collides)", "hardware tags",
        ],
        rows=[
            [
                f"{pages}",
                f"{curves.plain_private[i]['cycles']:.0f}",
                f"{curves.private[i]['cycles']:.0f}",
                f"{curves.shared[i]['cycles']:.0f}",
                f"{curves.factors[i]:.1f}",
                *(
                    f"{curve[i][misses]:.1f}"
                    for misses in ("dtlb_misses", "itlb_misses")
                    for curve in (curves.private, curves.shared)
                ),
                f"{curves.plain_shared[i]['cycles']:.0f}",
                f"{curves.tags[i]['cycles']:.0f}",
            ]
            for i, pages in enumerate(PAGES)
        ],
        caption="private, shared: under fass-shared",
    )  # fmt: skip


def _figure(
    title: str,
    subtitle: Sequence[str],
    description: str,
    lines: Sequence[tuple[Curves, str, Rows]],
    knees: Sequence[Knee] = (),
) -> Figure:
    series = [
        Series(
            f"{name} {curves.processes}",
            f"{curves.processes} processes, {name}",
            [row.mark("pages", "turn") for row in curve],
        )
        for curves, name, curve in lines
    ]
    us = [mark.y for line in series for mark in line.marks]
    (low, high), ticks = log_axis(TICKS, us, 0.9, 1.1)
    return Figure(
        title=title,
        subtitle=subtitle,
        x_title="pages that each process reads in its turn",
        y_title="one turn, µs (log scale)",
        description=description,
        series=series,
        knees=knees,
        log_y=True,
        y_range=(low, high),
        y_ticks=ticks,
        x_ticks=[1, 8, 16, 24, 32, 40, 48],
    )


def _mappings(every: Sequence[Curves], breaks: dict[str, int]) -> Figure:
    told = "; ".join(
        f"{curves.processes} processes: "
        + ", ".join(
            f"{name} {curve[0]['turn']:.1f} to {curve[-1]['turn']:.1f}"
            for name, curve in (("private", curves.private), ("shared", curves.shared))
        )
        for curves in every
    )
    return _figure(
        "Extreme: pages that processes share, with and without shared TLB entries",
        [
            f"{ABOUT}, simulated machine {MACHINE}, L4, scheme fass-shared;"
            " one process's turn: a byte of each page, and a yield;",
            "published (dotted): Wiggins et al. 2003, Fig. 4 (only what its text says in numbers)",
        ],
        f"Line chart of microseconds for a turn over {PAGES[0]} to {PAGES[-1]} pages. {told}. "
        "Private mappings slow down at fewer pages than shared ones; beyond the size of the TLB "
        "they are alike.",
        [line for c in every for line in ((c, "private", c.private), (c, "shared", c.shared))],
        [
            Knee(breaks["private"], "private slows", 0.06, published=True),
            Knee(breaks["shared"], "shared slows", 0.06, published=True),
            Knee(EQUAL, "the same from here", 0.06, published=True),
        ],
    )


def _bound(every: Sequence[Curves]) -> Figure:
    """Shared entries beside hardware tags, which the paper does not have."""
    return _figure(
        "Extreme: shared TLB entries beside hardware tags",
        [
            f"{ABOUT}, simulated machines {MACHINE} (fass-shared) and {machine(TAGS)}, L4;",
            "one process's turn: a byte of each page, which all have at one address, and a yield",
        ],
        _tags(every),
        [line for c in every for line in ((c, "shared", c.shared), (c, "hardware tags", c.tags))],
    )


def _tags(every: Sequence[Curves]) -> str:
    at = PAGES.index(BAND_PAGES)
    told = "; ".join(
        f"{curves.processes} processes {curves.tags[at]['cycles']:.0f} cycles a turn with "
        f"{curves.tags[at]['dtlb_misses']:.1f} misses of the data TLB, fass-shared "
        f"{curves.shared[at]['cycles']:.0f} with {curves.shared[at]['dtlb_misses']:.1f}"
        for curves in every
    )
    return (
        f"Hardware tags tell processes apart, and so have an entry for each of them where a domain "
        f"has one for all. With {BAND_PAGES} pages at one address: {told}."
    )
