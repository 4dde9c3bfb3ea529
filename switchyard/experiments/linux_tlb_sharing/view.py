# SPDX-License-Identifier: Apache-2.0
"""Fig. 3 again for each machine, and what sharing saves by the pages in common."""

from collections.abc import Sequence

from switchyard.experiments import linux_suite as suite
from switchyard.experiments.linux_tlb_sharing import measure
from switchyard.experiments.linux_tlb_sharing.measure import MACHINES, PAGES, Ways
from switchyard.experiments.rings import Rings
from switchyard.show import declared as show

SHOWN = (2, 8, 16)  # in tables and breakdowns; quick runs have them too
DRAWN = 8  # pages, where a figure is of one number
WALKS, DFILL = suite.WALKS, suite.DFILL
# Of a table's line: a switch by the way it is made, and what sharing saves.
VALUE = show.spread("value")
LINES = ("original", "fast", "sharing", "bound")  # of the paper's figure, and the bound
COLUMNS = {
    "flushing": show.under("original", VALUE), "fast": show.under("fast", VALUE),
    "fast, shared": show.under("sharing", VALUE),
    "shared, fass=private": show.under("apart", VALUE), "tags": show.under("bound", VALUE),
    "saved": lambda by: f"{by['saved']:.0%}", "DTLB, fast": show.under("fast", ("dtlb_misses", 1)),
    "DTLB, shared": show.under("sharing", ("dtlb_misses", 1)),
}  # fmt: skip


def board(ways: Ways) -> str:
    """The machine."""
    return ways["original"].kernel.board


def view(results: show.Results) -> show.View:
    rings = Rings(results.rows, "pages", "pages")
    shares = MACHINES[0]["sharing"].kernel.where
    least, most = (results.published(f"saved_at_{end}", **shares) for end in ("least", "most"))

    def saving(ways: Ways, pages: int, n: int) -> float:
        """What sharing saves, as a share of the time without."""
        return 1 - rings.us(ways["sharing"], pages, n) / rings.us(ways["fast"], pages, n)

    def savings(ways: Ways, pages: Sequence[int]) -> list[tuple[float, int, int]]:
        """What it saves with these pages, which, and with how many processes."""
        return [(saving(ways, p, n), p, n) for p in pages for n in rings.counts]

    def times(ways: Ways) -> show.Table:
        """The figures in numbers, where it is worth it."""
        lines = {}
        for pages, n in ((pages, n) for pages in PAGES for n in SHOWN):
            by = {name: rings.switch(way, pages, n) for name, way in ways.items()}
            lines[f"{pages} pages, {n} processes"] = by | {"saved": saving(ways, pages, n)}
        return show.table(
            f"{board(ways)}: a switch, µs, {show.SPREAD}; what sharing saves of the fast one, and "
            "data TLB misses in it",
            "each reads",
            lines,
            COLUMNS,
        )

    def figure(ways: Ways) -> show.Figure:
        """Fig. 3 again."""
        drawn = [ways[name] for name in LINES]
        told = f"published: sharing saves {least:.0%} to {most:.0%}; "
        return rings.figure(
            f"A switch between processes that have {DRAWN} pages in common",
            f"{ways['original'].kernel.about}; a ring of processes, each reads a byte of every "
            "page;\n"
            f"{told * (ways == MACHINES[0])}passing and reading without a switch are taken off;",
            [rings.line(way, DRAWN, way.kernel.short) for way in drawn],
            50,
        )

    def saved(ways: Ways) -> show.Figure:
        """What sharing saves, by the pages in common."""
        series = []
        for pages in PAGES:
            marks = [show.Mark(n, 100 * saving(ways, pages, n)) for n in rings.counts]
            label = f"{pages} pages" if pages else "nothing in common"
            series.append(show.Series(f"{pages}", label, marks))
        if ways == MACHINES[0]:
            there = dict.fromkeys(rings.ends, 100 * most)
            series += show.published("published", f"published: {most:.0%} at most", there)
        every = [mark.y for line in series for mark in line.marks]
        ticks = range(10 * int(min(every) // 10), 10 * int(max(every) // 10 + 1) + 1, 10)
        first, last = rings.ends
        x_ticks = [first, *range(4, last + 1, 4)]
        return show.lines(
            "What a switch saves by sharing TLB entries",
            f"{ways['sharing'].kernel.about},\n"
            "beside the same kernel told not to share; each process reads a byte of every page",
            show.Axes("saved, % of a switch's time over processes", x_ticks=x_ticks, y_ticks=ticks),
            series,
        )

    def breakdown(ways: Ways) -> show.Bars:
        """Where the time of a switch goes with sharing and without, the token's way included."""
        cases = [
            (f"{n} processes, {way.mapped}", rings.switch(way, DRAWN, n))
            for n in SHOWN
            for way in (ways["fast"], ways["sharing"])
        ]
        return suite.breakdown(
            "Where the time of a switch goes, with shared TLB entries and without",
            f"{ways['fast'].kernel.about}, {DRAWN} pages in common; every cycle of a token's way\n"
            "to the next process, by the function that took it and by what it waited for",
            "µs a switch",
            cases,
        )

    figures: dict[str, show.Figure | show.Bars] = {"": figure(MACHINES[0])}
    figures |= {board(ways): figure(ways) for ways in MACHINES[1:]}
    for name, drawn in (("saved", saved), ("breakdown", breakdown)):
        figures |= {suite.named(name, ways["original"].kernel): drawn(ways) for ways in MACHINES}
    called = {f", {way.mapped} on {way.kernel}": way for way in measure.WAYS}
    tables = [times(ways) for ways in MACHINES]
    return show.View(tables, figures, locals(), rings.unsteady(called, PAGES, SHOWN))
