# SPDX-License-Identifier: Apache-2.0
"""Fig. 4 again, for each kernel."""

from switchyard.experiments import linux_suite as suite
from switchyard.experiments.linux_extreme.measure import PROCESSES, SHARING
from switchyard.experiments.linux_suite import KERNELS, SHARER, Kernel, Operation
from switchyard.show import declared as show

SHOWN = (1, 8, 16, 24, 32)  # in tables
WAYS = [(processes, sharing) for processes in PROCESSES for sharing in SHARING]


def view(results: show.Results) -> show.View:
    rows = results.rows
    pages = list(dict.fromkeys(int(row.where["pages"]) for row in rows.select("turn")))
    shown = [n for n in SHOWN if n in pages]
    least, most_shown = shown[0], shown[-1]

    def curve(kernel: Kernel, processes: int, sharing: str) -> show.Rows:
        """All numbers of pages."""
        return rows.select(**kernel.where, processes=processes, sharing=sharing)

    def turn(kernel: Kernel, processes: int, sharing: str, pages: int) -> Operation:
        """A process's turn."""
        row = rows.find(**kernel.where, processes=processes, sharing=sharing, pages=pages)
        return Operation.of(row, "turn")

    def most(kernel: Kernel, processes: int) -> tuple[float, int]:
        """By how much private mappings take longer, at most; and with how many pages."""
        pairs = zip(*(curve(kernel, processes, sharing) for sharing in SHARING), strict=True)
        return max((p["turn"] / s["turn"], int(p.where["pages"])) for p, s in pairs)

    def times(kernel: Kernel) -> show.Table:
        """The figure in numbers."""
        columns = {f"{n} p.": show.under(n, show.spread("value")) for n in shown}
        columns["switches"] = show.under(most_shown, ("address_space_switches", 2))
        columns |= {f"DTLB, {n} p.": show.under(n, ("dtlb_misses", 1)) for n in (least, most_shown)}
        return show.table(
            f"{kernel}: a process's turn, µs, {show.SPREAD}, by pages; switches and data TLB "
            "misses in it",
            "processes",
            {f"{n} {way}": {p: turn(kernel, n, way, p) for p in shown} for n, way in WAYS},
            columns,
        )

    def figure(kernel: Kernel) -> show.Figure:
        """Fig. 4 again, for this kernel."""
        curves = {f"{n} processes, {way}": curve(kernel, n, way) for n, way in WAYS}
        series = show.over(curves, "pages", "turn")
        highest = max(mark.top for line in series for mark in line.marks)
        return show.lines(
            f"Pages that processes could share, on Linux that {kernel.does}",
            f"{kernel.about}; each process reads a byte of every page and yields;\npublished, fast "
            f"and shared: private up to 9 times (2 processes), 3.7 times (16);\n{suite.BARS}",
            show.Axes(
                "a process's turn, µs over pages",
                step=20 if highest > 100 else 10,
                x_ticks=[1, *range(4, 33, 4)],
            ),
            series,
        )

    def breakdown(kernel: Kernel) -> show.Bars:
        """Where the time of a turn goes."""
        cases = [
            (f"{n} pages, {sharing}", turn(kernel, 2, sharing, n))
            for sharing in SHARING
            for n in (SHOWN[0], 16, SHOWN[-1])
        ]
        return suite.breakdown(
            "Where the time of a turn goes, with 2 processes",
            f"{kernel.about}; every cycle, by the function that took it\nand by what it waited for",
            "µs a turn",
            cases,
        )

    figures: dict[str, show.Figure | show.Bars] = {
        "": figure(SHARER),
        **{str(kernel): figure(kernel) for kernel in KERNELS if kernel != SHARER},
        **{suite.named("breakdown", kernel): breakdown(kernel) for kernel in KERNELS},
    }
    tables = [times(kernel) for kernel in KERNELS]
    every = [
        (f"{p} pages, {n} processes, {way} on {kernel}", turn(kernel, n, way, p))
        for kernel in KERNELS
        for n, way in WAYS
        for p in shown
    ]
    return show.View(
        [times(kernel) for kernel in KERNELS], figures, locals(), show.unsteady(every, "value")
    )
