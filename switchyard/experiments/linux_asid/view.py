# SPDX-License-Identifier: Apache-2.0
"""Switches and lines with identifiers beside those without, and where their time went."""

from collections.abc import Mapping
from operator import itemgetter
from typing import Any

from switchyard.experiments import linux_suite as suite
from switchyard.experiments.lines import Lines
from switchyard.experiments.linux_asid.measure import (
    COUNTS,
    FLUSHING,
    KERNELS,
    SIZES,
    TAGGED,
    Kernel,
)
from switchyard.experiments.linux_ipc.measure import LINES, PIPE
from switchyard.experiments.rings import Rings
from switchyard.run.build_linux import Linux
from switchyard.show import declared as show

ABOUT = f"SiFive U74 as in the JH7110, 1500 MHz, Linux {Linux.version}"
SHOWN = (COUNTS[0], COUNTS[2], COUNTS[-1])  # in tables and breakdowns
MATTERS = 0.05  # what a reader would notice
COLUMNS = {
    **{kernel.short: show.under(kernel, show.spread("value")) for kernel in KERNELS},
    "saved": show.under("saved", ("share", 1)),
    **{
        f"{kernel.short}: {name}": show.under(kernel, (metric, 1))
        for kernel in KERNELS
        for name, metric in (("ITLB", "itlb_misses"), ("DTLB", "dtlb_misses"))
    },
}
TOLD = "saved: %; ITLB, DTLB: misses, nothing taken off"


def view(results: show.Results) -> show.View:
    rings = Rings(results.rows, "size_kb", "KB")
    lines = Lines(results, LINES)

    def saved(on: Mapping[Kernel, suite.Operation], rate: bool = False) -> float:
        """By what share it takes less with identifiers: of a rate, has more."""
        flushing, tagged = on[FLUSHING]["value"], on[TAGGED]["value"]
        return 1 - (flushing / tagged if rate else tagged / flushing)

    def beside(on: Mapping[Kernel, suite.Operation], rate: bool = False) -> dict[Any, Any]:
        """A line of a table: both, and what is saved."""
        return {**on, "saved": {"share": 100 * saved(on, rate)}}

    def switch(size: int, n: int) -> dict[Kernel, suite.Operation]:
        return {kernel: rings.switch(kernel, size, n) for kernel in KERNELS}

    def line(name: str) -> dict[Kernel, suite.Operation]:
        return {kernel: lines.on(kernel, name) for kernel in KERNELS}

    rates = {name for name, each in lines.lines.items() if each.unit == "MB/s"}
    gains = {name: saved(line(name), name in rates) for name in lines.lines}
    matter = {name: gain for name, gain in gains.items() if gain >= MATTERS}
    switches = {(size, n): switch(size, n) for size in SIZES for n in COUNTS}
    shares = {at: saved(on) for at, on in switches.items()}
    most = max(shares, key=shares.__getitem__)
    pipe = line(PIPE.name)
    met = [
        (f"{n} processes, {size} KB, {kernel.short}", switches[size, n][kernel])
        for size in SIZES
        for n in SHOWN
        for kernel in KERNELS
    ]
    operations = [
        (f"{name}, {k.short}", lines.on(k, name)) for name in lines.lines for k in KERNELS
    ]
    title = f"{ABOUT}: {show.SPREAD}"
    tables = [
        show.table(
            f"A switch, µs, {title}",
            "touched by each",
            {
                f"{size} KB, {n} processes": beside(switches[size, n])
                for size in SIZES
                for n in SHOWN
            },
            COLUMNS,
            TOLD,
        ),
        show.table(
            f"Operations, {title}",
            "benchmark",
            {
                name: beside(line(name), name in rates)
                | {"unit": lines.lines[name].unit.replace("us", "µs")}
                for name in lines.lines
            },
            {"unit": itemgetter("unit"), **COLUMNS},
            TOLD,
            ["unit"],
        ),
        suite.costs("A switch: counted for each, and its parts in µs, nothing taken off", met),
        suite.costs("Operations: counted for each, and their parts in µs", operations),
    ]
    figures: dict[str, show.Figure | show.Bars] = {
        "": rings.figure(
            "A switch between processes with address-space identifiers and without",
            f"{ABOUT}; a ring of processes, each touching its own memory;\n"
            "means; what passing the token and touching take without a switch is taken off;",
            [
                rings.line(kernel, size, f"{size} KB, {kernel.short}")
                for size in (SIZES[0], SIZES[-1])
                for kernel in KERNELS
            ],
            5,
        ),
        "breakdown": suite.breakdown(
            "Where the time of a switch goes, with identifiers and without",
            f"{ABOUT}; every cycle of a token's way to the next process,\n"
            "by the function that took it and by what it waited for; nothing taken off",
            "µs a switch",
            met,
        ),
    }
    called = {f", {kernel.short}": kernel for kernel in KERNELS}
    return show.View(tables, figures, locals(), rings.unsteady(called, SIZES, SHOWN))
