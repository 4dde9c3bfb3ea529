# SPDX-License-Identifier: Apache-2.0
"""The paper's table again, and where the time of a round trip went."""

from operator import itemgetter

from switchyard.experiments import linux_suite as suite
from switchyard.experiments import uclinux
from switchyard.experiments.lines import MEGABYTE, Lines
from switchyard.experiments.linux_suite import Operation
from switchyard.experiments.uclinux import ABOUT, CLOCK_MHZ, WITHOUT
from switchyard.experiments.uclinux_ipc.measure import BW_FIFO, FIFO, LINES
from switchyard.run.build_linux import Linux
from switchyard.show import declared as show

# Linux 2.6.7 keeps one page in a pipe, as 2.4 did (its include/linux/pipe_fs_i.h, PIPE_SIZE); the
# ring of 16 pages came with 2.6.11. A megabyte is 256 pages, each filled and emptied.
SWITCHES_THERE = 2 * MEGABYTE // 4096
SWITCHES = "switches: of the page tables; without an MMU there is one set of them"


def differences(more: Operation, less: Operation) -> dict[str, float]:
    """By part, in microseconds; what is less than one is nothing. Largest first."""
    parts = {part: us - less.parts[part] for part, us in more.parts.items()}
    ordered = sorted(parts.items(), key=lambda item: -item[1])
    return {part: us for part, us in ordered if abs(us) >= 1}


def view(results: show.Results) -> show.View:
    ipc = Lines(results, LINES)
    kernels, mhz = uclinux.KERNELS, CLOCK_MHZ

    def gain(name: str, metric: str = "gain") -> float:
        """How much better a line is without an MMU."""
        return results.rows.find(metric, case=name)[metric]

    def paper_gain(name: str) -> float:
        """The paper's ratio, from its own values."""
        return results.published("gain", **WITHOUT.where, case=name)

    def saved(slow: Operation, flat: Operation) -> str:
        parts = [f"{us:.0f} µs {part}" for part, us in differences(slow, flat).items()]
        return ", ".join(parts) or "less than 1 µs of anything"

    def remains(fast: Operation, flat: Operation) -> str:
        parts = differences(fast, flat).items()
        return ", ".join(f"{us:.0f} {part}" for part, us in parts if us >= 1)

    def flush_share(slow: Operation, flat: Operation) -> float:
        """How much of what flushes cost is the flushing itself."""
        parts = differences(slow, flat)
        return parts.get(suite.FLUSH, 0.0) / sum(parts.values()) if parts else 0.0

    def bars(name: str, title: str, unit: str) -> show.Bars:
        """A line of the table, published and measured."""
        than_fast = gain(name, "gain_over_fass")
        here = f"{gain(name):.2f} times here ({than_fast:.2f} than switching fast)"
        return show.compared(
            f"{title}, through a FIFO",
            "published: Samsung 2005, Table 1 (without an MMU: uClinux); measured: means,\n"
            f"{ABOUT}; without an MMU {paper_gain(name):.2f} times better there, {here}",
            unit,
            {k.label: (ipc.paper(k, name), ipc.on(k, name)["value"]) for k in kernels},
            "published, 2.6.7",
            f"measured, {Linux.version}",
        )

    def gained(metric: str) -> show.Column:
        return lambda case: f"{gain(case['name'], metric):.2f}"

    columns = {
        "unit": itemgetter("unit"),
        **{f"{Linux.version}, {k.short}": show.under(k, show.spread("value")) for k in kernels},
        "ratio": gained("gain"),
        "ratio, fast": gained("gain_over_fass"),
    }
    title = f"A FIFO with an MMU and without one: {show.SPREAD}"
    told = "Ratios: to no MMU. ≈: known to no better than 5 %"
    met = [(f"{name}, {k.short}", ipc.on(k, name)) for name in ipc.lines for k in kernels]
    tables = [
        show.table(title, "benchmark", ipc.cases(kernels), columns, told, ["unit"]),
        suite.costs("Counted for a round trip or a megabyte, and its parts in µs", met, SWITCHES),
    ]
    cases = {f"{n}, {k.short}": (k, n) for n in ipc.of("potato") for k in kernels}
    papers = {case: ipc.paper(*place) for case, place in cases.items()}
    figures = {
        "": bars(FIFO.name, "A token to another process and back", "µs"),
        "bandwidth": bars(BW_FIFO.name, "Bytes to another process", "MB/s"),
        "breakdown": suite.breakdown(
            "Where the time of a round trip goes",
            f"{ABOUT}; every cycle of the measured loop, by the\nfunction that took it and by what "
            "it waited for; fills are those outside the flush",
            "µs a round trip",
            [(case, ipc.on(*place)) for case, place in cases.items()],
            beside={case: paper for case, paper in papers.items() if paper},
        ),
    }
    return show.View(tables, figures, locals(), ipc.unsteady({k.label: k for k in kernels}))
