# SPDX-License-Identifier: Apache-2.0
"""Fig. 3 again for each machine, and what sharing saves by the pages in common."""

from collections.abc import Sequence

from switchyard.data.summary import SPREAD
from switchyard.experiments import linux_suite as suite
from switchyard.experiments.linux_tlb_sharing import measure
from switchyard.experiments.linux_tlb_sharing.measure import MACHINES, PAGES, Way, Ways
from switchyard.experiments.rings import Rings
from switchyard.show import declared as show

SHOWN = (2, 8, 16)  # in tables and breakdowns; quick runs have them too
DRAWN = 8  # pages, where a figure is of one number
WALKS, DFILL = suite.WALKS, suite.DFILL
# Of a table's line: a switch by the way it is made, and what sharing saves.
VALUE = show.spread("value")
COLUMNS = {
    "flushing": show.under("original", VALUE), "fast": show.under("fast", VALUE),
    "fast, shared": show.under("sharing", VALUE),
    "shared, fass=private": show.under("apart", VALUE), "tags": show.under("bound", VALUE),
    "saved": lambda by: f"{by['saved']:.0%}", "DTLB, fast": show.under("fast", ("dtlb_misses", 1)),
    "DTLB, shared": show.under("sharing", ("dtlb_misses", 1)),
}  # fmt: skip


def view(results: show.Results) -> show.View:
    """A table, two figures and a breakdown a machine."""
    sharing = Sharing(results)
    rings, savings, least, most = sharing.rings, sharing.savings, sharing.least, sharing.most
    figures: dict[str, show.Figure | show.Bars] = {"": sharing.figure(MACHINES[0])}
    figures |= {ways.board: sharing.figure(ways) for ways in MACHINES[1:]}
    for name, drawn in (("saved", sharing.saved), ("breakdown", sharing.breakdown)):
        figures |= {suite.named(name, ways.original.kernel): drawn(ways) for ways in MACHINES}
    called = {f", {way.mapped} on {way.kernel}": way for way in measure.WAYS}
    tables = [sharing.times(ways) for ways in MACHINES]
    return show.View(tables, figures, locals(), rings.unsteady(called, PAGES, SHOWN))


class Sharing:
    """The switches, and what is shown of them."""

    def __init__(self, results: show.Results) -> None:
        self.rings = Rings(results.rows, "pages", "pages")
        where = MACHINES[0].sharing.kernel.where
        self.least = results.published("saved_at_least", **where)
        self.most = results.published("saved_at_most", **where)

    def saving(self, ways: Ways, pages: int, n: int) -> float:
        """What sharing saves, as a share of the time without."""
        shared, private = (self.rings.us(way, pages, n) for way in (ways.sharing, ways.fast))
        return 1 - shared / private

    def savings(self, ways: Ways, pages: Sequence[int]) -> list[tuple[float, int, int]]:
        """What it saves with these pages, which, and with how many processes."""
        return [(self.saving(ways, p, n), p, n) for p in pages for n in self.rings.counts]

    def times(self, ways: Ways) -> show.Table:
        """The figures in numbers, where it is worth it."""
        lines = {
            f"{pages} pages, {n} processes": {
                name: self.rings.switch(way, pages, n) for name, way in vars(ways).items()
            }
            | {"saved": self.saving(ways, pages, n)}
            for pages in PAGES
            for n in SHOWN
        }
        return show.table(
            f"{ways.board}: a switch, µs, {SPREAD}; what sharing saves of the fast one, and data "
            "TLB misses in it",
            "each reads",
            lines,
            COLUMNS,
        )

    def figure(self, ways: Ways) -> show.Figure:
        """Fig. 3 again."""
        published = f"published: sharing saves {self.least:.0%} to {self.most:.0%}; " * (
            ways == MACHINES[0]
        )
        return self.rings.figure(
            f"A switch between processes that have {DRAWN} pages in common",
            f"{ways.original.kernel.about}; a ring of processes, each reads a byte of every page;\n"
            f"{published}passing and reading without a switch are taken off;",
            [self.rings.line(way, DRAWN, way.kernel.short) for way in ways.drawn],
            f"a line for each kernel on {ways.board}",
            50,
        )

    def saved(self, ways: Ways) -> show.Figure:
        """What sharing saves, by the pages in common."""
        series = []
        for pages in PAGES:
            marks = [show.Mark(n, 100 * self.saving(ways, pages, n)) for n in self.rings.counts]
            label = f"{pages} pages" if pages else "nothing in common"
            series.append(show.Series(f"{pages}", label, marks))
        if ways == MACHINES[0]:
            there = dict.fromkeys(self.rings.ends, 100 * self.most)
            series += show.published("published", f"published: {self.most:.0%} at most", there)
        every = [mark.y for line in series for mark in line.marks]
        low, high = 10 * int(min(every) // 10), 10 * int(max(every) // 10 + 1)
        first, last = self.rings.ends
        return show.lines(
            "What a switch saves by sharing TLB entries",
            f"{ways.sharing.kernel.about},\n"
            "beside the same kernel told not to share; each process reads a byte of every page",
            show.Axes(
                "of a switch's time, % over processes",
                y_ticks=range(low, high + 1, 10),
                x_ticks=[first, *range(4, last + 1, 4)],
            ),
            f"Line chart of the share of a switch's time that is saved over {first} to {last} "
            f"processes, a line for each number of pages, {ways.board}: between {min(every):.0f} "
            f"and {max(every):.0f} %.",
            series,
        )

    def breakdown(self, ways: Ways) -> show.Bars:
        """Where the time of a switch goes with sharing and without, the token's way included."""

        def case(way: Way, n: int) -> tuple[str, suite.Operation]:
            return f"{n} processes, {way.mapped}", self.rings.switch(way, DRAWN, n)

        both = (ways.fast, ways.sharing)
        return suite.breakdown(
            "Where the time of a switch goes, with shared TLB entries and without",
            f"{ways.fast.kernel.about}, {DRAWN} pages in common; every cycle of a token's way\n"
            "to the next process, by the function that took it and by what it waited for",
            "µs a switch",
            [case(way, n) for n in SHOWN for way in both],
            told=[case(way, SHOWN[0]) for way in both],
        )
