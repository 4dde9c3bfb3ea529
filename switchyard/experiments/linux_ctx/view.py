# SPDX-License-Identifier: Apache-2.0
"""Fig. 2 again, for each kernel that there are records of."""

from collections.abc import Sequence

from switchyard.data.rows import present
from switchyard.data.summary import SPREAD
from switchyard.experiments import linux_suite as suite
from switchyard.experiments.linux_ctx.measure import SIZES
from switchyard.experiments.linux_ctx.prefork import Preforked
from switchyard.experiments.linux_suite import BOARDS, KERNELS, ORIGINAL, Kernel, Operation
from switchyard.experiments.rings import Rings
from switchyard.run.build import TAGS
from switchyard.show.figure import Bars, Figure, Mark, Series, Table
from switchyard.show.views import Results, View

SHOWN = (2, 8, 16, 40)  # in tables and breakdowns; quick runs have them too
BROKEN_DOWN = (0, 4, 16)  # KB
IN_DOMAINS = 12  # so many processes have domains of their own, and the ring's first one


def view(results: Results) -> View:
    """A table, a figure and a breakdown a kernel, and a figure a machine."""
    kernels = present(results.rows, "switch", KERNELS)
    ctx = Ctx(results, kernels)
    first, *others = kernels
    servers = Preforked(results.rows)
    worst = max(ctx.rings.every(ORIGINAL, SIZES), key=lambda switch: switch["value"])
    return View(
        tables=[
            *(ctx.times(kernel) for kernel in kernels),
            *(servers.table(board) for board in ctx.boards if servers.measured),
        ],
        figures={
            "": ctx.figure(first),
            **{suite.named("gain", board[0]): ctx.gain(board) for board in ctx.boards},
            **{str(kernel): ctx.figure(kernel) for kernel in others},
            **{suite.named("breakdown", kernel): ctx.breakdown(kernel) for kernel in kernels},
        },
        words={
            "boards": ctx.boards,
            "kernels": kernels,
            "rings": ctx.rings,
            "largest": [ctx.rings.us(ORIGINAL, size, ctx.rings.ends[-1]) for size in SIZES],
            "flushes": suite.SCHEME,
            "shown": SHOWN,
            "sizes": SIZES,
            "worst": worst,
            "estimate": ctx.estimate,
            "bounds": [bound for board in ctx.boards if (bound := ctx.beside_bound(board))],
            "in_domains": IN_DOMAINS,
            "preforked": [
                (board[0].board, *servers.most(board)) for board in ctx.boards if servers.measured
            ],
        },
        notes=ctx.rings.unsteady({f" on {kernel}": kernel for kernel in kernels}, SIZES, SHOWN),
    )


class Ctx:
    """The switches, and what is shown of them."""

    def __init__(self, results: Results, kernels: Sequence[Kernel]) -> None:
        self.rings = Rings(results.rows, "size_kb", "KB")
        self.boards = [[kernel for kernel in board if kernel in kernels] for board in BOARDS]
        self.estimate = results.published("switch_at_most", **ORIGINAL.where)

    def beside_bound(self, kernels: Sequence[Kernel]) -> tuple[str, float, float] | None:
        """The least and the most that a fast switch takes of one with hardware tags, on a board.

        Of the rings whose processes all have a domain, at every size.
        """
        by_scheme = {kernel.scheme: kernel for kernel in kernels}
        fast, tags = by_scheme.get(suite.FAST), by_scheme.get(TAGS)
        if not fast or not tags:
            return None
        times = [
            self.rings.us(fast, size, n) / self.rings.us(tags, size, n)
            for size in SIZES
            for n in self.rings.counts
            if n <= IN_DOMAINS
        ]
        return fast.board, min(times), max(times)

    def times(self, kernel: Kernel) -> Table:
        """The figure in numbers, where it is worth it."""
        rows = []
        for n in SHOWN:
            met = self.rings.switch(kernel, 0, n)
            switches = (self.rings.switch(kernel, size, n) for size in SIZES)
            rows.append(
                [
                    f"{n}",
                    *(switch.spread("value") for switch in switches),
                    f"{met['address_space_switches']:.2f}",
                    *(f"{met[name]:.0f}" for name in ("instructions", *suite.MISSES)),
                ]
            )
        return Table(
            title=f"{kernel}: a switch, µs, {SPREAD}; and what one at 0 KB met",
            columns=[
                "processes", *(f"{size} KB" for size in SIZES),
                "switches", "instr.", "I-miss", "D-miss",
            ],
            rows=rows,
        )  # fmt: skip

    def figure(self, kernel: Kernel) -> Figure:
        """Fig. 2 again."""
        lines = [self.rings.line(kernel, size, f"{size} KB") for size in SIZES]
        if kernel == ORIGINAL:
            worst = [Mark(n, self.estimate) for n in self.rings.ends]
            label = f"published: about {self.estimate:g} µs at worst"
            lines.append(Series("worst", label, worst, published=True))
        return self.rings.figure(
            f"A switch between processes on Linux that {kernel.does}",
            [
                f"{kernel.about}; a ring of processes, each touching its own memory;",
                "means; what passing the token and touching take without a switch is taken off;",
            ],
            lines,
            "a line for each size from 0 to 16 KB",
            50,
        )

    def gain(self, kernels: Sequence[Kernel]) -> Figure:
        """A machine's kernels with no memory touched: the paper's Fig. 3 with nothing shared."""
        return self.rings.figure(
            "A switch between processes, by how the kernel switches",
            [
                f"{kernels[0].about}; a ring of processes that touch no memory; means; what",
                "passing the token takes alone is taken off; 13 processes have domains at a time;",
            ],
            [self.rings.line(kernel, 0, kernel.short) for kernel in kernels],
            f"a line for each kernel on {kernels[0].board}",
            50,
        )

    def breakdown(self, kernel: Kernel) -> Bars:
        """Where the time of a switch goes, passing the token and touching memory included."""
        cases: list[tuple[str, Operation]] = [
            (f"{n} processes, {size} KB", self.rings.switch(kernel, size, n))
            for size in BROKEN_DOWN
            for n in SHOWN
        ]
        return suite.breakdown(
            "Where the time of a switch goes",
            [
                f"{kernel.about}; every cycle of a token's way to the next process,",
                "by the function that took it and by what it waited for; nothing taken off",
            ],
            "µs a switch",
            cases,
            told=cases[:1],
        )
