# SPDX-License-Identifier: Apache-2.0
"""The paper's table again, and where the time of a round trip went."""

from switchyard.data.rows import number, present
from switchyard.data.summary import SPREAD
from switchyard.experiments import linux_suite as suite
from switchyard.experiments.lines import MEGABYTE, Lines
from switchyard.experiments.linux_suite import Operation
from switchyard.experiments.uclinux import (
    ABOUT,
    CLOCK_MHZ,
    FASTER,
    KERNELS,
    PAPERS,
    WITH,
    WITHOUT,
)
from switchyard.experiments.uclinux_ipc.measure import BW_FIFO, FIFO, LINES
from switchyard.run.build_linux import Linux
from switchyard.show.figure import Bar, Bars, Table
from switchyard.show.views import Results, View

# Linux 2.6.7 keeps one page in a pipe, as 2.4 did (its include/linux/pipe_fs_i.h, PIPE_SIZE); the
# ring of 16 pages came with 2.6.11. A megabyte is 256 pages, each filled and emptied.
SWITCHES_THERE = 2 * MEGABYTE // 4096


def view(results: Results) -> View:
    """Of those kernels that there are records of."""
    ipc = Ipc(results)
    return View(
        tables=[ipc.values(), ipc.costs()],
        figures={
            "": ipc.bars(FIFO.name, "A token to another process and back", "µs"),
            "bandwidth": ipc.bars(BW_FIFO.name, "Bytes to another process", "MB/s"),
            "breakdown": ipc.breakdown(),
        },
        words={
            "ipc": ipc,
            "suite": suite,
            "saved": lambda slow, flat: _more(slow, flat, " µs") or "less than 1 µs of anything",
            "remains": lambda fast, flat: _more(fast, flat, "", least=1),
            "flush_share": _flush_share,
            "papers": PAPERS,
            "with": WITH,
            "without": WITHOUT,
            "faster": FASTER if FASTER in ipc.kernels else None,
            "mhz": CLOCK_MHZ,
            "megabyte": MEGABYTE,
            "switches_there": SWITCHES_THERE,
        },
        notes=ipc.unsteady({kernel.label: kernel for kernel in ipc.kernels}),
    )


def _differences(more: Operation, less: Operation) -> dict[str, float]:
    """By part, in microseconds; what is less than one is nothing. Largest first."""
    parts = {part: us - less.parts[part] for part, us in more.parts.items()}
    return {
        part: us for part, us in sorted(parts.items(), key=lambda item: -item[1]) if abs(us) >= 1
    }


def _more(more: Operation, less: Operation, unit: str, least: float = float("-inf")) -> str:
    parts = _differences(more, less)
    return ", ".join(f"{us:.0f}{unit} {part}" for part, us in parts.items() if us >= least)


def _flush_share(more: Operation, less: Operation) -> float:
    """How much of what flushes cost is the flushing itself."""
    parts = _differences(more, less)
    return parts.get(suite.FLUSH, 0.0) / sum(parts.values()) if parts else 0.0


class Ipc(Lines):
    """The cases, by kernel and line."""

    def __init__(self, results: Results) -> None:
        super().__init__(results, LINES)
        self.kernels = present(results.rows, "latency", KERNELS)

    def gain(self, name: str, metric: str = "gain") -> float:
        """How much better a line is without an MMU."""
        return self.results.rows.find(metric, case=name)[metric]

    def paper_gain(self, name: str) -> float:
        """The paper's ratio, from its own values."""
        return self.results.published("gain", **WITHOUT.where, case=name)

    def values(self) -> Table:
        """The paper's table again."""
        gains = {"ratio": "gain", "ratio, fast": "gain_over_fass"}
        if FASTER not in self.kernels:
            del gains["ratio, fast"]
        return Table(
            title=f"A FIFO with an MMU and without one: {SPREAD}",
            columns=[
                "benchmark",
                "unit",
                *(f"{Linux.version}, {kernel.short}" for kernel in self.kernels),
                *gains,
            ],
            rows=[
                [
                    name,
                    line.unit.replace("us", "µs"),
                    *(self.on(kernel, name).spread("value") for kernel in self.kernels),
                    *(f"{self.gain(name, metric):.2f}" for metric in gains.values()),
                ]
                for name, line in self.lines.items()
            ],
            caption="Ratios: to no MMU. ≈: known to no better than 5 %",
            words=["unit"],
        )

    def costs(self) -> Table:
        """What each operation met, counted; and where its time went."""
        return suite.costs(
            "Counted for a round trip or a megabyte, and its parts in µs",
            [
                (f"{name}, {kernel.short}", self.on(kernel, name))
                for name in self.lines
                for kernel in self.kernels
            ],
            "switches: of the page tables; without an MMU there is one set of them",
        )

    def bars(self, name: str, title: str, unit: str) -> Bars:
        """A line of the table, published and measured."""
        bars, told = [], []
        for kernel in self.kernels:
            value, paper = self.on(kernel, name)["value"], self.paper(kernel, name)
            if paper:
                bars.append(Bar(kernel.label, "published, 2.6.7", paper, published=True))
            bars.append(Bar(kernel.label, f"measured, {Linux.version}", value))
            there = f"{paper:g} published and " if paper else ""
            told.append(f"{kernel.label} {there}{number(value)} measured")
        here = f"{self.gain(name):.2f} times here"
        if FASTER in self.kernels:
            here += f" ({self.gain(name, 'gain_over_fass'):.2f} than switching fast)"
        return Bars(
            title=f"{title}, through a FIFO",
            subtitle=[
                "published: Samsung 2005, Table 1 (without an MMU: uClinux); measured: means,",
                f"{ABOUT}; without an MMU {self.paper_gain(name):.2f} times better there, {here}",
            ],
            value_title=unit,
            description=f"Bars in {unit}: {', '.join(told)}.",
            bars=bars,
            stacked=False,
            empty={"published, 2.6.7": "nothing is published"},
        )

    def breakdown(self) -> Bars:
        """Where the time of a round trip went."""
        cases = {
            f"{name}, {kernel.short}": (kernel, name)
            for name in self.of("potato")
            for kernel in self.kernels
        }
        papers = {case: self.paper(*place) for case, place in cases.items()}
        return suite.breakdown(
            "Where the time of a round trip goes",
            [
                f"{ABOUT}; every cycle of the measured loop, by the",
                "function that took it and by what it waited for; fills are those outside the "
                "flush",
            ],
            "µs a round trip",
            [(case, self.on(*place)) for case, place in cases.items()],
            told=[(f"by FIFO, {k.label}", self.on(k, FIFO.name)) for k in self.kernels],
            beside={case: paper for case, paper in papers.items() if paper},
        )
