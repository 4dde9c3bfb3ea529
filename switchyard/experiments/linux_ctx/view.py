# SPDX-License-Identifier: Apache-2.0
"""Fig. 2 again, for each kernel."""

from collections.abc import Mapping, Sequence

from switchyard.experiments import linux_suite as suite
from switchyard.experiments.linux_ctx import prefork
from switchyard.experiments.linux_ctx.measure import SIZES
from switchyard.experiments.linux_suite import BOARDS, KERNELS, ORIGINAL, Kernel
from switchyard.experiments.rings import Rings
from switchyard.run.build import TAGS
from switchyard.show import declared as show

SHOWN = (2, 8, 16, 40)  # in tables and breakdowns; quick runs have them too
BROKEN_DOWN = (0, 4, 16)  # KB
IN_DOMAINS = 12  # so many processes have domains of their own, and the ring's first one
COLUMNS = {
    **{f"{size} KB": show.under(size, show.spread("value")) for size in SIZES},
    "switches": show.under(0, ("address_space_switches", 2)),
    "instr.": show.under(0, ("instructions", 0)),
    "I-miss": show.under(0, ("icache_misses", 0)), "D-miss": show.under(0, ("dcache_misses", 0)),
}  # fmt: skip


def view(results: show.Results) -> show.View:
    rings = Rings(results.rows, "size_kb", "KB")
    estimate = results.published("switch_at_most", **ORIGINAL.where)
    servers = {board: prefork.found(results.rows, board) for board in BOARDS}
    # the least and the most that the fast kernel takes of the unmodified one's time
    preforked = []
    for (original, fast, *_), cases in servers.items():
        shares = [by[fast]["value"] / by[original]["value"] for by in cases.values()]
        preforked += [(original.board, min(shares), max(shares))] if shares else []
    worst = max(rings.every(ORIGINAL, SIZES), key=lambda switch: switch["value"])
    largest = [rings.us(ORIGINAL, size, rings.ends[-1]) for size in SIZES]
    # the least and the most that a fast switch takes of one with hardware tags, on each board: of
    # the rings whose processes all have a domain, at every size
    bounds = []
    for board in BOARDS:
        by = {kernel.scheme: kernel for kernel in board}
        some = [(size, n) for size in SIZES for n in rings.counts if n <= IN_DOMAINS]
        shares = [rings.us(by[suite.FAST], *at) / rings.us(by[TAGS], *at) for at in some]
        bounds.append((board[0].board, min(shares), max(shares)))

    def times(kernel: Kernel) -> show.Table:
        """The figure in numbers, where it is worth it."""
        return show.table(
            f"{kernel}: a switch, µs, {show.SPREAD}; and what one at 0 KB met",
            "processes",
            {f"{n}": {size: rings.switch(kernel, size, n) for size in SIZES} for n in SHOWN},
            COLUMNS,
        )

    def figure(kernel: Kernel) -> show.Figure:
        """Fig. 2 again."""
        lines = [rings.line(kernel, size, f"{size} KB") for size in SIZES]
        if kernel == ORIGINAL:
            label = f"published: about {estimate:g} µs at worst"
            lines += show.published("worst", label, dict.fromkeys(rings.ends, estimate))
        return rings.figure(
            f"A switch between processes on Linux that {kernel.does}",
            f"{kernel.about}; a ring of processes, each touching its own memory;\n"
            "means; what passing the token and touching take without a switch is taken off;",
            lines,
            50,
        )

    def gain(kernels: Sequence[Kernel]) -> show.Figure:
        """A machine's kernels with no memory touched: the paper's Fig. 3 with nothing shared."""
        return rings.figure(
            "A switch between processes, by how the kernel switches",
            f"{kernels[0].about}; a ring of processes that touch no memory; means; what\n"
            "passing the token takes alone is taken off; 13 processes have domains at a time;",
            [rings.line(kernel, 0, kernel.short) for kernel in kernels],
            50,
        )

    def breakdown(kernel: Kernel) -> show.Bars:
        """Where the time of a switch goes, passing the token and touching memory included."""
        cases = [
            (f"{n} processes, {size} KB", rings.switch(kernel, size, n))
            for size in BROKEN_DOWN
            for n in SHOWN
        ]
        return suite.breakdown(
            "Where the time of a switch goes",
            f"{kernel.about}; every cycle of a token's way to the next process,\n"
            "by the function that took it and by what it waited for; nothing taken off",
            "µs a switch",
            cases,
        )

    figures: dict[str, show.Figure | show.Bars] = {
        "": figure(ORIGINAL),
        **{suite.named("gain", board[0]): gain(board) for board in BOARDS},
        **{str(kernel): figure(kernel) for kernel in KERNELS[1:]},
        **{suite.named("breakdown", kernel): breakdown(kernel) for kernel in KERNELS},
    }
    tables = [times(kernel) for kernel in KERNELS]
    tables += [_served(board, cases) for board, cases in servers.items() if cases]
    called = {f" on {kernel}": kernel for kernel in KERNELS}
    return show.View(tables, figures, locals(), rings.unsteady(called, SIZES, SHOWN))


def _served(
    kernels: Sequence[Kernel], cases: Mapping[str, Mapping[Kernel, suite.Operation]]
) -> show.Table:
    """What a server's processes take; the first kernel is the unmodified one."""
    original, *others = kernels

    def beside(kernel: Kernel) -> show.Column:
        return lambda by: (
            f"{by[kernel].approx('value')} ({by[kernel]['value'] / by[original]['value']:.2f})"
        )

    def flushes(kernel: Kernel) -> show.Column:
        return lambda by: show.number(by[kernel]["flushes"])

    return show.table(
        f"{original.board}: a process's part of a round, µs (and of the unmodified kernel's), "
        "where a server forked it after it had mapped its buffers",
        "case",
        cases,
        {
            original.short: lambda by: by[original].approx("value"),
            **{kernel.short: beside(kernel) for kernel in others},
            **{f"flushes, {kernel.short}": flushes(kernel) for kernel in kernels[:2]},
        },
    )
