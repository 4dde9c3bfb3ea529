# SPDX-License-Identifier: Apache-2.0
"""The paper's figures again, with a kernel that it did not have."""

from collections.abc import Sequence

from switchyard.experiments import linux_suite as suite
from switchyard.experiments import uclinux
from switchyard.experiments.rings import Rings
from switchyard.experiments.uclinux import ABOUT, PAPERS, WITHOUT, Kernel
from switchyard.experiments.uclinux_ctx import measure
from switchyard.show import declared as show

SIZES = measure.SIZES
SHOWN = (2, 8, 16)  # in tables
TRIP = 31.74  # µs, a whole round trip in the paper's Table 1: without an MMU, by FIFO
COUNTED = {
    "switches": ("address_space_switches", 1), "instr.": ("instructions", 0),
    "I-miss": ("icache_misses", 0), "D-miss": ("dcache_misses", 0),
    "ITLB": ("itlb_misses", 0), "DTLB": ("dtlb_misses", 0),
}  # fmt: skip
SWITCHES = "switches: of the page tables; without an MMU there is one set of them"
PUBLISHED = "published: three values of Samsung 2005, section 5.2, joined by dashes; 2.6.7"
NO_PAPER = "nothing is published of fast switching"


def view(results: show.Results) -> show.View:
    rings = Rings(results.rows, "size_kb", "KB")
    kernels, sizes = uclinux.KERNELS, (SIZES[0], SIZES[-1])

    def case(size: int, n: int) -> dict[str, show.Parameter]:
        """What how much faster it is without an MMU is a record of."""
        return {**WITHOUT.where, "processes": n, "size_kb": size}

    def gain(size: int, n: int) -> show.Row:
        """How many times faster a switch is without an MMU: than which, by metric."""
        return results.rows.find("gain", **case(size, n))

    def paper(size: int, n: int) -> float:
        return results.published("gain", **case(size, n))

    def figure(sizes: Sequence[int], kernels: Sequence[Kernel], title: str) -> show.Figure:
        """Fig. 4, or Fig. 5, which is its lines at 0 KB."""
        alone = len(sizes) == 1
        lines = [
            rings.line(kernel, size, kernel.label if alone else f"{size} KB, {kernel.label}")
            for kernel in kernels
            for size in sizes
        ]
        return rings.figure(
            title,
            f"{ABOUT}; a ring of processes over FIFOs, each touching its own\nmemory; means; what "
            "passing the token and touching take without a switch is taken off;",
            lines,
            50 if max(mark.y for line in lines for mark in line.marks) > 250 else 25,
        )

    def ratios(metric: str) -> show.Figure:
        """How many times faster it is without an MMU; beside it what the paper gives in words."""
        beside = metric == "gain"
        series = []
        for size in SIZES:
            label, cases = f"{size} KB", {n: gain(size, n) for n in rings.counts}
            papers = {n: results.paper(metric, **case(size, n)) for n in cases}
            series.append(show.line(label, cases.values(), "processes", metric))
            series += show.published(label, f"published, {label}", papers)
        first, last = rings.ends
        than = "" if beside else " than a fast one with it"
        ticks = list(range(first, last + 1, 2))
        return show.lines(
            f"How many times faster a switch is without an MMU{than}",
            f"{ABOUT}, the same programs on both kernels;\n{PUBLISHED if beside else NO_PAPER}",
            show.Axes("times as fast over processes", step=1, x_ticks=ticks),
            series,
        )

    columns = {kernel.short: show.under(kernel, show.spread("value")) for kernel in kernels}
    columns["ratio"] = show.under("gain", ("gain", 2))
    columns["ratio, fast"] = show.under("gain", ("gain_over_fass", 2))
    switches = {
        (size, n): {kernel: rings.switch(kernel, size, n) for kernel in kernels}
        for size in SIZES
        for n in (*SHOWN, *rings.ends)
    }
    shown = {f"{size} KB, {n} processes": (size, n) for size in SIZES for n in SHOWN}
    gained = {name: switches[at] | {"gain": gain(*at)} for name, at in shown.items()}
    met = [(f"{n}, {k.short}", on) for n, at in shown.items() for k, on in switches[at].items()]
    titles = (
        f"A switch, µs, {show.SPREAD}; and how many times faster it is without an MMU",
        "Counted on the token's way to the next process, nothing taken off",
    )
    tables = [
        show.table(titles[0], "touched by each", gained, columns),
        show.table(titles[1], "touched by each", met, COUNTED, SWITCHES),
    ]
    broken_down = [
        (f"{size} KB, {n} processes, {kernel.short}", on)
        for size in SIZES
        for n in rings.ends
        for kernel, on in switches[size, n].items()
    ]
    figures: dict[str, show.Figure | show.Bars] = {
        "": figure(SIZES, PAPERS, "A switch with an MMU and without one"),
        "nothing-touched": figure(SIZES[:1], kernels, "The same where no memory is touched"),
        "gain": ratios("gain"),
        "breakdown": suite.breakdown(
            "Where the time of a switch goes, with an MMU and without one",
            f"{ABOUT}; every cycle of a token's way to the next process,\n"
            "by the function that took it and by what it waited for; nothing taken off",
            "µs a switch",
            broken_down,
        ),
        "fast": figure(sizes, kernels, "A switch with flushes, a fast one, and none"),
        "remains": ratios("gain_over_fass"),
    }
    gains = [gain(SIZES[-1], n)["gain"] for n in rings.counts]
    called = {f", {kernel.label}": kernel for kernel in kernels}
    return show.View(tables, figures, locals(), rings.unsteady(called, SIZES, SHOWN))
