# SPDX-License-Identifier: Apache-2.0
"""Fig. 4 again, for each kernel that there are records of."""

from switchyard.data.rows import Rows, present, unsteady
from switchyard.data.summary import SPREAD
from switchyard.experiments import linux_suite as suite
from switchyard.experiments.linux_extreme.measure import PROCESSES, SHARING
from switchyard.experiments.linux_suite import KERNELS, SHARED, SHARER, Kernel, Operation
from switchyard.show.figure import Bars, Figure, Series, Table
from switchyard.show.views import Results, View

SHOWN = (1, 8, 16, 24, 32)  # in tables


def view(results: Results) -> View:
    """A table, a figure and a breakdown a kernel; the first figure is that of the paper's."""
    extreme = Extreme(results.rows)
    kernels = present(results.rows, "turn", KERNELS)
    first = SHARER if SHARER in kernels else kernels[0]
    return View(
        tables=[extreme.times(kernel) for kernel in kernels],
        figures={
            "": extreme.figure(first),
            **{str(kernel): extreme.figure(kernel) for kernel in kernels if kernel != first},
            **{suite.named("breakdown", kernel): extreme.breakdown(kernel) for kernel in kernels},
        },
        words={
            "kernels": kernels,
            "sharer": SHARED,
            "shares": SHARER in kernels,
            "turn": extreme.turn,
            "most": extreme.most,
        },
        notes=unsteady(
            (
                (
                    f"{pages} pages, {processes} processes, {sharing} on {kernel}",
                    extreme.turn(kernel, processes, sharing, pages),
                )
                for kernel in kernels
                for processes in PROCESSES
                for sharing in SHARING
                for pages in extreme.shown
            ),
            "value",
        ),
    )


class Extreme:
    """The turns, by kernel, processes, sharing and pages."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self.pages = list(dict.fromkeys(int(row.where["pages"]) for row in rows.select("turn")))
        self.shown = [pages for pages in SHOWN if pages in self.pages]

    def curve(self, kernel: Kernel, processes: int, sharing: str) -> Rows:
        """All numbers of pages."""
        return self.rows.select(**kernel.where, processes=processes, sharing=sharing)

    def turn(self, kernel: Kernel, processes: int, sharing: str, pages: int) -> Operation:
        """A process's turn."""
        row = self.rows.find(**kernel.where, processes=processes, sharing=sharing, pages=pages)
        return Operation.of(row, "turn")

    def most(self, kernel: Kernel, processes: int) -> tuple[float, int]:
        """By how much private mappings take longer, at most; and with how many pages."""
        pairs = zip(*(self.curve(kernel, processes, sharing) for sharing in SHARING), strict=True)
        return max((p["turn"] / s["turn"], int(p.where["pages"])) for p, s in pairs)

    def times(self, kernel: Kernel) -> Table:
        """The figure in numbers."""
        rows = []
        for processes in PROCESSES:
            for sharing in SHARING:
                turns = [self.turn(kernel, processes, sharing, pages) for pages in self.shown]
                rows.append(
                    [
                        f"{processes} {sharing}",
                        *(turn.spread("value") for turn in turns),
                        f"{turns[-1]['address_space_switches']:.2f}",
                        f"{turns[0]['dtlb_misses']:.1f}",
                        f"{turns[-1]['dtlb_misses']:.1f}",
                    ]
                )
        return Table(
            title=f"{kernel}: a process's turn, µs, {SPREAD}, by pages; switches and data TLB "
            "misses in it",
            columns=[
                "processes",
                *(f"{pages} p." for pages in self.shown),
                "switches",
                f"DTLB, {self.shown[0]} p.",
                f"DTLB, {self.shown[-1]} p.",
            ],
            rows=rows,
        )

    def figure(self, kernel: Kernel) -> Figure:
        """Fig. 4 again, for this kernel."""
        series = [
            Series(label, label, [row.mark("pages", "turn") for row in curve])
            for processes in PROCESSES
            for sharing in SHARING
            for label in [f"{processes} processes, {sharing}"]
            for curve in [self.curve(kernel, processes, sharing)]
        ]
        every = [mark.y for line in series for mark in line.marks]
        highest = max(mark.top for line in series for mark in line.marks)
        y_range, y_ticks = suite.ticks(highest, 20 if highest > 100 else 10)
        return Figure(
            title=f"Pages that processes could share, on Linux that {kernel.does}",
            subtitle=[
                f"{kernel.about}; each process reads a byte of every page and yields;",
                "published, fast and shared: private up to 9 times (2 processes), 3.7 times (16);",
                suite.BARS,
            ],
            x_title="pages",
            y_title="a process's turn, µs",
            description=(
                f"Line chart of the time of a turn over 1 to {self.pages[-1]} pages for 2, 4 and "
                f"16 processes, private and shared: between {min(every):.0f} and {max(every):.0f} "
                "microseconds."
            ),
            series=series,
            y_range=y_range,
            y_ticks=y_ticks,
            x_ticks=[1, *range(4, 33, 4)],
        )

    def breakdown(self, kernel: Kernel) -> Bars:
        """Where the time of a turn goes."""
        cases = [
            (f"{pages} pages, {sharing}", self.turn(kernel, 2, sharing, pages))
            for sharing in SHARING
            for pages in (SHOWN[0], 16, SHOWN[-1])
        ]
        return suite.breakdown(
            "Where the time of a turn goes, with 2 processes",
            [
                f"{kernel.about}; every cycle, by the function that took it",
                "and by what it waited for",
            ],
            "µs a turn",
            cases,
            told=[cases[2]],
        )
