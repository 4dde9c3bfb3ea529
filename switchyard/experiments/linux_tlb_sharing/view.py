# SPDX-License-Identifier: Apache-2.0
"""Fig. 3 again for each machine, and what sharing saves by the pages in common."""

from collections.abc import Sequence

from switchyard.data.summary import SPREAD
from switchyard.experiments import linux_suite as suite
from switchyard.experiments.linux_tlb_sharing.measure import MACHINES, PAGES, WAYS, Way, Ways
from switchyard.experiments.rings import Rings
from switchyard.show.figure import Bars, Figure, Mark, Series, Table
from switchyard.show.views import Results, View

SHOWN = (2, 8, 16)  # in tables and breakdowns; quick runs have them too
DRAWN = 8  # pages, where a figure is of one number


def view(results: Results) -> View:
    """A table, two figures and a breakdown a machine."""
    sharing = Sharing(results)
    rings = sharing.rings
    first, *others = MACHINES
    return View(
        tables=[sharing.times(ways) for ways in MACHINES],
        figures={
            "": sharing.figure(first),
            **{ways.board: sharing.figure(ways) for ways in others},
            **{_named("saved", ways): sharing.saved(ways) for ways in MACHINES},
            **{_named("breakdown", ways): sharing.breakdown(ways) for ways in MACHINES},
        },
        words={
            "machines": MACHINES,
            "rings": rings,
            "savings": sharing.savings,
            "pages": PAGES[1:],
            "drawn": DRAWN,
            "shown": (SHOWN[0], SHOWN[-1]),
            "least": sharing.least,
            "most": sharing.most,
            "walks": suite.WALKS,
            "lines": suite.DFILL,
        },
        notes=rings.unsteady(
            {f", {way.mapped} on {way.kernel}": way for way in WAYS}, PAGES, SHOWN
        ),
    )


def _named(figure: str, ways: Ways) -> str:
    return suite.named(figure, ways.original.kernel)


class Sharing:
    """The switches, and what is shown of them."""

    def __init__(self, results: Results) -> None:
        self.rings = Rings(results.rows, "pages", "pages")
        where = MACHINES[0].sharing.kernel.where
        self.least, self.most = (
            results.published(f"saved_at_{end}", **where) for end in ("least", "most")
        )

    def saving(self, ways: Ways, pages: int, n: int) -> float:
        """What sharing saves, as a share of the time without."""
        shared, private = (self.rings.us(way, pages, n) for way in (ways.sharing, ways.fast))
        return 1 - shared / private

    def savings(self, ways: Ways, pages: Sequence[int]) -> list[tuple[float, int, int]]:
        """What it saves with these pages, which, and with how many processes."""
        return [(self.saving(ways, p, n), p, n) for p in pages for n in self.rings.counts]

    def times(self, ways: Ways) -> Table:
        """The figures in numbers, where it is worth it."""
        rows = []
        for pages in PAGES:
            for n in SHOWN:
                switches = {way: self.rings.switch(way, pages, n) for way in ways.every}
                rows.append(
                    [
                        f"{pages} pages, {n} processes",
                        *(switch.spread("value") for switch in switches.values()),
                        f"{self.saving(ways, pages, n):.0%}",
                        *(
                            f"{switches[way]['dtlb_misses']:.1f}"
                            for way in (ways.fast, ways.sharing)
                        ),
                    ]
                )
        return Table(
            title=f"{ways.board}: a switch, µs, {SPREAD}; what sharing saves of the fast one, and "
            "data TLB misses in it",
            columns=[
                "each reads", "flushing", "fast", "fast, shared", "shared, fass=private", "tags",
                "saved", "DTLB, fast", "DTLB, shared",
            ],
            rows=rows,
        )  # fmt: skip

    def figure(self, ways: Ways) -> Figure:
        """Fig. 3 again."""
        published = f"published: sharing saves {self.least:.0%} to {self.most:.0%}; "
        return self.rings.figure(
            f"A switch between processes that have {DRAWN} pages in common",
            [
                f"{ways.original.kernel.about}; a ring of processes, each reads a byte of every "
                "page;",
                (published if ways == MACHINES[0] else "")
                + "passing and reading without a switch are taken off;",
            ],
            [self.rings.line(way, DRAWN, way.kernel.short) for way in ways.drawn],
            f"a line for each kernel on {ways.board}",
            50,
        )

    def saved(self, ways: Ways) -> Figure:
        """What sharing saves, by the pages in common."""
        series = []
        for pages in PAGES:
            marks = [Mark(n, 100 * self.saving(ways, pages, n)) for n in self.rings.counts]
            label = f"{pages} pages" if pages else "nothing in common"
            series.append(Series(f"{pages}", label, marks))
        if ways == MACHINES[0]:
            marks = [Mark(n, 100 * self.most) for n in self.rings.ends]
            series.append(Series("published", f"published: {self.most:.0%} at most", marks, True))
        every = [mark.y for line in series for mark in line.marks]
        low, high = 10 * int(min(every) // 10), 10 * int(max(every) // 10 + 1)
        first, last = self.rings.ends
        return Figure(
            title="What a switch saves by sharing TLB entries",
            subtitle=[
                f"{ways.sharing.kernel.about},",
                "beside the same kernel told not to share; each process reads a byte of every page",
            ],
            x_title="processes",
            y_title="of a switch's time, %",
            description=(
                f"Line chart of the share of a switch's time that is saved over {first} to {last} "
                f"processes, a line for each number of pages, {ways.board}: between "
                f"{min(every):.0f} and {max(every):.0f} %."
            ),
            series=series,
            y_range=(low, high),
            y_ticks=list(range(low, high + 1, 10)),
            x_ticks=[first, *range(4, last + 1, 4)],
        )

    def breakdown(self, ways: Ways) -> Bars:
        """Where the time of a switch goes with sharing and without, the token's way included."""

        def case(way: Way, n: int) -> tuple[str, suite.Operation]:
            return f"{n} processes, {way.mapped}", self.rings.switch(way, DRAWN, n)

        both = (ways.fast, ways.sharing)
        return suite.breakdown(
            "Where the time of a switch goes, with shared TLB entries and without",
            [
                f"{ways.fast.kernel.about}, {DRAWN} pages in common; every cycle of a token's way",
                "to the next process, by the function that took it and by what it waited for",
            ],
            "µs a switch",
            [case(way, n) for n in SHOWN for way in both],
            told=[case(way, SHOWN[0]) for way in both],
        )
