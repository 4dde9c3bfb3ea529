# SPDX-License-Identifier: Apache-2.0
"""Fig. 4 of the FASS paper, and the same on the Linux that it started from: `extreme`.

2, 4 and 16 processes map the same 1 to 32 pages, each for itself or shared, read a byte from each,
and yield. The paper draws what its fast kernel gains by sharing TLB entries: up to a factor of 9
with two processes and of 3.7 with sixteen. With linux/6.12/fass this is `fass-shared`; under `fass`
entries survive a switch and are not shared, so that processes collide in what they share.
Unmodified Linux flushes both TLBs at each switch, and there is nothing to share.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from switchyard.experiments import linux_suite as suite
from switchyard.experiments import repeats
from switchyard.experiments.experiment import FromRuns, Job, Outcome, Settings, Table
from switchyard.experiments.linux_suite import (
    KERNELS,
    SHARED,
    SHARER,
    SYSTEM,
    Kernel,
    Measured,
    Point,
)
from switchyard.figure import Bar, Bars, Figure, Mark, Series
from switchyard.machine import Stats
from switchyard.records import Parameter, Published, Record
from switchyard.summary import SPREAD

PAPER = "Wiggins et al., ACSAC 2003, section 4.2"
PROCESSES = (2, 4, 16)
SHARING = ("private", "shared")
PAGES = tuple(range(1, 33))
QUICK_PAGES = (1, 4, 8, 12, 16, 20, 24, 28, 32)
SHOWN = (1, 8, 16, 24, 32)  # in tables; the middle one in sentences
# Of the fast kernel with shared TLB entries: what there is to gain.
FACTOR = {
    2: Published(9.0, f"{PAPER}: fast kernel, execution times differ by up to 9 (two processes)"),
    16: Published(3.7, f"{PAPER}: fast kernel, execution times differ by up to 3.7 (16 processes)"),
}
PUBLISHED = (
    f"The paper's differ by up to {FACTOR[2].value:g} (2 processes) and {FACTOR[16].value:g} (16), "
    "and by nothing at 32 pages, as many as the data TLB has entries. "
)


class LinuxExtreme(FromRuns[Point]):
    """Fig. 4: the extreme DTLB benchmark."""

    name = "linux-extreme"
    question = "What do shared pages save, where TLB entries are lost, kept or shared?"
    source = "Wiggins et al., ACSAC 2003, Fig. 4"

    def jobs(self, settings: Settings) -> list[Job]:
        """One run a kernel, number of processes, mapping and boot, for every number of pages."""
        found = []
        pages = ",".join(str(p) for p in QUICK_PAGES) if settings.quick else "1-32"
        rounds = settings.rounds or (15 if settings.quick else 20)
        for kernel in KERNELS:
            for processes in PROCESSES:
                for sharing in SHARING:
                    words = (
                        f"extreme processes={processes} sharing={sharing} pages={pages} "
                        f"rounds={rounds}"
                    )
                    parameters: dict[str, Parameter] = {
                        "processes": processes,
                        "sharing": sharing,
                        "quick": settings.quick,
                    }
                    name = f"{processes:02}-{sharing}"
                    found += suite.jobs(kernel, name, words, parameters, settings)
        return found

    def measure(self, job: Job, stats: Stats) -> Point:
        """Each number of pages; the guest numbers its streams by their order."""
        pages = QUICK_PAGES if job.parameters["quick"] else PAGES
        found = suite.measure(job, stats, range(1, len(pages) + 1))
        by_pages = {p: found.cases[1 + place] for place, p in enumerate(pages)}
        return Point(found.machine, found.clock_hz, by_pages)

    def outcome(self, points: Mapping[str, Point]) -> Outcome:
        """Records, tables, figures and what they say."""
        found = Found(suite.together(points))
        return Outcome(
            records=records(found),
            tables=[times(found, kernel) for kernel in KERNELS],
            figure=figure(found, SHARER),
            notes=notes(found),
            more={
                **{str(one): figure(found, one) for one in KERNELS if one != SHARER},
                **{
                    suite.named("breakdown", kernel): breakdown(found, kernel) for kernel in KERNELS
                },
            },
        )


@dataclass(frozen=True)
class Found:
    """The points, by kernel, processes, sharing and pages."""

    points: Mapping[str, Point]

    def point(self, kernel: Kernel, processes: int, sharing: str) -> Point:
        """A run."""
        return self.points[f"{kernel}-{processes:02}-{sharing}"]

    @property
    def pages(self) -> list[int]:
        """The numbers of pages."""
        return list(next(iter(self.points.values())).cases)

    @property
    def shown(self) -> list[int]:
        """Those of the tables."""
        return [pages for pages in SHOWN if pages in self.pages]

    def case(self, kernel: Kernel, processes: int, sharing: str, pages: int) -> Measured:
        """One of its numbers of pages."""
        return self.point(kernel, processes, sharing).cases[pages]

    def us(self, kernel: Kernel, processes: int, sharing: str, pages: int) -> float:
        """A process's turn: reading the pages, yielding, and the switch."""
        one = self.case(kernel, processes, sharing, pages)
        return self.turn(kernel, processes, sharing)(one.timed.summary.mean)

    def turn(self, kernel: Kernel, processes: int, sharing: str) -> Callable[[float], float]:
        """What cycles of everybody's turn are for one process, in microseconds."""
        point = self.point(kernel, processes, sharing)
        return lambda cycles: point.us(cycles) / processes

    def said(self, kernel: Kernel, processes: int, sharing: str, pages: int) -> str:
        """A turn with the spread of its samples."""
        one = self.case(kernel, processes, sharing, pages)
        return suite.shown(self.turn(kernel, processes, sharing), one.timed)

    def factor(self, kernel: Kernel, processes: int) -> tuple[float, int]:
        """By how much private mappings take longer, at most; and with how many pages."""
        return max(
            (
                self.us(kernel, processes, "private", p) / self.us(kernel, processes, "shared", p),
                p,
            )
            for p in self.pages
        )


def records(found: Found) -> list[Record]:
    """Every measured value."""
    made = []
    for kernel in KERNELS:
        for processes in PROCESSES:
            for sharing in SHARING:
                for pages in found.pages:
                    made += suite.records(
                        "linux-extreme",
                        found.point(kernel, processes, sharing),
                        found.case(kernel, processes, sharing, pages),
                        "turn",
                        {"processes": processes, "sharing": sharing, "pages": pages},
                        value=found.turn(kernel, processes, sharing),
                        divide=processes,
                        scheme=kernel.scheme,
                    )
            factor, pages = found.factor(kernel, processes)
            made.append(
                Record(
                    experiment="linux-extreme",
                    machine=kernel.machine,
                    system=SYSTEM,
                    scheme=kernel.scheme,
                    metric="private_over_shared_at_most",
                    parameters={"processes": processes},
                    value=round(factor, 6),
                    unit="ratio",
                    published=FACTOR.get(processes) if kernel == SHARER else None,
                )
            )
    return made


def times(found: Found, kernel: Kernel) -> Table:
    """The figure in numbers."""
    rows = []
    for processes in PROCESSES:
        for sharing in SHARING:
            one = found.case(kernel, processes, sharing, SHOWN[-1])
            few = found.case(kernel, processes, sharing, SHOWN[0])
            rows.append(
                [
                    f"{processes} {sharing}",
                    *(found.said(kernel, processes, sharing, p) for p in found.shown),
                    f"{one.rates['address_space_switches'] / processes:.2f}",
                    f"{few.rates['dtlb_misses'] / processes:.1f}",
                    f"{one.rates['dtlb_misses'] / processes:.1f}",
                ]
            )
    return Table(
        title=f"{kernel}: a process's turn, µs, {SPREAD}, by pages; switches and data TLB misses "
        "in it",
        columns=[
            "processes",
            *(f"{p} p." for p in found.shown),
            "switches",
            f"DTLB, {SHOWN[0]} p.",
            f"DTLB, {SHOWN[-1]} p.",
        ],
        rows=rows,
    )


def figure(found: Found, kernel: Kernel) -> Figure:
    """Fig. 4 again, for this kernel."""
    series = []
    for processes in PROCESSES:
        for sharing in SHARING:
            marks = [Mark(p, found.us(kernel, processes, sharing, p)) for p in found.pages]
            label = f"{processes} processes, {sharing}"
            series.append(Series(label, label, marks))
    every = [mark.y for one in series for mark in one.marks]
    y_range, y_ticks = suite.ticks(max(every), 20 if max(every) > 100 else 10)
    return Figure(
        title=f"Pages that processes could share, on Linux that {kernel.does}",
        subtitle=[
            f"{kernel.about}; each process reads a byte of every page and yields;",
            "published, fast and shared: private up to 9 times (2 processes), 3.7 times (16)",
        ],
        x_title="pages",
        y_title="a process's turn, µs",
        description=(
            f"Line chart of the time of a turn over 1 to {found.pages[-1]} pages for 2, 4 and 16 "
            f"processes, private and shared: between {min(every):.0f} and {max(every):.0f} "
            "microseconds."
        ),
        series=series,
        y_range=y_range,
        y_ticks=y_ticks,
        x_ticks=[1, *range(4, 33, 4)],
    )


def breakdown(found: Found, kernel: Kernel) -> Bars:
    """Where the time of a turn goes."""
    bars: list[Bar] = []
    for sharing in SHARING:
        for pages in (SHOWN[0], 16, SHOWN[-1]):
            point = found.point(kernel, 2, sharing)
            one = found.case(kernel, 2, sharing, pages)
            bars += suite.bars(f"{pages} pages, {sharing}", point, one, divide=2)
    first = found.case(kernel, 2, "private", SHOWN[-1])
    return Bars(
        title="Where the time of a turn goes, with 2 processes",
        subtitle=[
            f"{kernel.about}; every cycle, by the function that took it",
            "and by what it waited for",
        ],
        value_title="µs a turn",
        description=f"Stacked bars; {SHOWN[-1]} private pages: {suite.said(first)}.",
        bars=bars,
    )


def notes(found: Found) -> list[str]:
    """What is to be gained, and what the paper's kernel gained."""
    made = []
    for kernel in KERNELS:
        said = []
        for processes in PROCESSES:
            factor, pages = found.factor(kernel, processes)
            said.append(f"{factor:.2f} with {processes} processes (at {pages} pages)")
        one = found.case(kernel, 2, "private", SHOWN[2])
        other = found.case(kernel, 2, "shared", SHOWN[2])
        made.append(
            f"{kernel}: private mappings take at most "
            + ", ".join(said)
            + " times as long as shared ones. "
            + (PUBLISHED if kernel.scheme == SHARED else "")
            + f"A turn of 2 processes that read {SHOWN[2]} pages has "
            f"{one.rates['dtlb_misses'] / 2:.0f} data TLB misses with private and "
            f"{other.rates['dtlb_misses'] / 2:.0f} with shared mappings, and "
            f"{one.rates['address_space_switches'] / 2:.2f} switches, of which "
            f"{one.rates['flushes'] / 2:.2f} flush."
        )
    return made + repeats.unsteady(
        (
            f"{pages} pages, {processes} processes, {sharing} on {kernel}",
            found.case(kernel, processes, sharing, pages).timed.interval,
        )
        for kernel in KERNELS
        for processes in PROCESSES
        for sharing in SHARING
        for pages in found.shown
    )
