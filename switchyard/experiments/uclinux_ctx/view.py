# SPDX-License-Identifier: Apache-2.0
"""The paper's figures again, with a kernel that it did not have where there are records of it."""

from collections.abc import Sequence

from switchyard.data.records import Parameter
from switchyard.data.rows import Row, pivot, present
from switchyard.data.summary import SPREAD
from switchyard.experiments import linux_suite as suite
from switchyard.experiments.rings import Rings
from switchyard.experiments.uclinux import (
    ABOUT,
    FASTER,
    KERNELS,
    PAPERS,
    WITH,
    WITHOUT,
    Kernel,
)
from switchyard.experiments.uclinux_ctx.measure import OWN, SIZES
from switchyard.run.build_linux import Linux
from switchyard.show.figure import Bars, Figure, Mark, Series, Table
from switchyard.show.views import Results, View

SHOWN = (2, 8, 16)  # in tables
TRIP = 31.74  # µs, a whole round trip in the paper's Table 1: without an MMU, by FIFO
COUNTED = {
    "switches": ("address_space_switches", 1), "instr.": ("instructions", 0),
    "I-miss": ("icache_misses", 0), "D-miss": ("dcache_misses", 0),
    "ITLB": ("itlb_misses", 0), "DTLB": ("dtlb_misses", 0),
}  # fmt: skip


def view(results: Results) -> View:
    """Of those kernels that there are records of."""
    ctx = Ctx(results)
    rings, kernels = ctx.rings, ctx.kernels
    both = (SIZES[0], SIZES[-1])
    figures: dict[str, Figure | Bars] = {
        "": ctx.figure(SIZES, PAPERS, "A switch with an MMU and without one"),
        "nothing-touched": ctx.figure(SIZES[:1], kernels, "The same where no memory is touched"),
        "gain": ctx.gains("gain"),
        "breakdown": ctx.breakdown(),
    }
    if FASTER in kernels:
        figures["fast"] = ctx.figure(both, kernels, "A switch with flushes, a fast one, and none")
        figures["remains"] = ctx.gains("gain_over_fass")
    return View(
        tables=[ctx.times(), ctx.counted()],
        figures=figures,
        words={
            "rings": rings,
            "kernels": kernels,
            "with": WITH,
            "without": WITHOUT,
            "faster": FASTER if FASTER in kernels else None,
            "gain": lambda size, n: ctx.gain(size, n)["gain"],
            "gains": [ctx.gain(SIZES[-1], n)["gain"] for n in rings.counts],
            "paper": lambda size, n: results.published("gain", **ctx.case(size, n)),
            "own": OWN,
            "sizes": both,
            "kernel_part": suite.KERNEL,
            "paper_trip": TRIP,
            "version": Linux.version,
        },
        notes=rings.unsteady({f", {kernel.label}": kernel for kernel in kernels}, SIZES, SHOWN),
    )


class Ctx:
    """The switches, and what is shown of them."""

    def __init__(self, results: Results) -> None:
        self.results = results
        self.rings = Rings(results.rows, "size_kb", "KB")
        self.kernels = present(results.rows, "switch", KERNELS)

    def case(self, size: int, n: int) -> dict[str, Parameter]:
        """What how much faster it is without an MMU is a record of."""
        return {**WITHOUT.where, "processes": n, "size_kb": size}

    def gain(self, size: int, n: int) -> Row:
        """How many times faster a switch is without an MMU: than which, by metric."""
        return self.results.rows.find("gain", **self.case(size, n))

    def times(self) -> Table:
        """The figures in numbers, where it is worth it."""
        fast = FASTER in self.kernels
        rows = []
        for size in SIZES:
            for n in SHOWN:
                switches = (self.rings.switch(kernel, size, n) for kernel in self.kernels)
                rows.append(
                    [
                        f"{size} KB, {n} processes",
                        *(switch.spread("value") for switch in switches),
                        f"{self.gain(size, n)['gain']:.2f}",
                        *([f"{self.gain(size, n)['gain_over_fass']:.2f}"] if fast else []),
                    ]
                )
        return Table(
            title=f"A switch, µs, {SPREAD}; and how many times faster it is without an MMU",
            columns=[
                "touched by each",
                *(kernel.short for kernel in self.kernels),
                "ratio",
                *(["ratio, fast"] if fast else []),
            ],
            rows=rows,
        )

    def counted(self) -> Table:
        """What a switch met."""
        return pivot(
            "Counted on the token's way to the next process, nothing taken off",
            "touched by each",
            (
                (f"{size} KB, {n} processes, {kernel.short}", self.rings.switch(kernel, size, n))
                for size in SIZES
                for n in SHOWN
                for kernel in self.kernels
            ),
            COUNTED,
            "switches: of the page tables; without an MMU there is one set of them",
        )

    def figure(self, sizes: Sequence[int], kernels: Sequence[Kernel], title: str) -> Figure:
        """Fig. 4, or Fig. 5, which is its lines at 0 KB."""
        lines = [
            self.rings.line(
                kernel, size, kernel.label if len(sizes) == 1 else f"{size} KB, {kernel.label}"
            )
            for kernel in kernels
            for size in sizes
        ]
        return self.rings.figure(
            title,
            [
                f"{ABOUT}; a ring of processes over FIFOs, each touching its own",
                "memory; means; what passing the token and touching take without a switch is taken "
                "off;",
            ],
            lines,
            f"with an MMU and without one, at {', '.join(f'{size}' for size in sizes)} KB",
            50 if max(mark.y for line in lines for mark in line.marks) > 250 else 25,
        )

    def gains(self, metric: str) -> Figure:
        """How many times faster it is without an MMU; beside it what the paper gives in words."""
        beside = metric == "gain"
        series = []
        for size in SIZES:
            label = f"{size} KB"
            cases = [self.gain(size, n) for n in self.rings.counts]
            series.append(Series(label, label, [row.mark("processes", metric) for row in cases]))
            papers = [
                Mark(n, paper)
                for n in self.rings.counts
                if (paper := self.results.paper(metric, **self.case(size, n)))
            ]
            if papers:
                series.append(Series(label, f"published, {label}", papers, published=True))
        first, last = self.rings.ends
        ends = [self.gain(0, n)[metric] for n in (first, last)]
        y_range, y_ticks = suite.ticks(max(mark.top for line in series for mark in line.marks), 1)
        return Figure(
            title="How many times faster a switch is without an MMU"
            + ("" if beside else " than a fast one with it"),
            subtitle=[
                f"{ABOUT}, the same programs on both kernels;",
                "published: three values of Samsung 2005, section 5.2, joined by dashes; 2.6.7"
                if beside
                else "nothing is published of fast switching",
            ],
            x_title="processes",
            y_title="times as fast",
            description=(
                f"Line chart of the ratio of context-switch times over {first} to {last} "
                f"processes; at 0 KB {ends[0]:.1f} with {first} and {ends[1]:.1f} with {last}"
                + (", published 9.7 and 4.5." if beside else ".")
            ),
            series=series,
            y_range=y_range,
            y_ticks=y_ticks,
            x_ticks=list(range(first, last + 1, 2)),
        )

    def breakdown(self) -> Bars:
        """Where the time of a switch goes, passing the token and touching memory included."""
        cases = [
            (f"{size} KB, {n} processes, {kernel.short}", self.rings.switch(kernel, size, n))
            for size in SIZES
            for n in self.rings.ends
            for kernel in self.kernels
        ]
        return suite.breakdown(
            "Where the time of a switch goes, with an MMU and without one",
            [
                f"{ABOUT}; every cycle of a token's way to the next process,",
                "by the function that took it and by what it waited for; nothing taken off",
            ],
            "µs a switch",
            cases,
            told=cases[: len(self.kernels)],
        )
