# SPDX-License-Identifier: Apache-2.0
"""Fig. 3 of the FASS paper: a switch between processes whose shared memory is in the TLBs once.

The paper has lat_ctx without memory of its own, on the original kernel, the fast one, and the fast
one that shares TLB entries of what processes have in common there: the C library. Its processes
have one, ours do not; so each process of the ring reads some pages of one file at each turn
(`bench/unix/sharing.c`), which stand for it. Without sharing each process has mapped them for
itself, as the paper's fast kernel maps a library; with it, all have them at one address. What
passing the token and reading take without a switch is taken off, as lmbench does.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from switchyard.experiments import linux_suite as suite
from switchyard.experiments import rings
from switchyard.experiments.experiment import FromRuns, Job, Outcome, Settings
from switchyard.experiments.linux_suite import BOARDS, Kernel, Run
from switchyard.experiments.rings import Rings
from switchyard.figure import Bar, Bars, Figure, Mark, Series, Table
from switchyard.machine import Stats
from switchyard.records import Parameter, Published, Record
from switchyard.summary import SPREAD, unsteady

PAPER = "Wiggins et al., ACSAC 2003, section 4.2"
WORKLOAD = "file"  # what the processes have in common: pages of a file
PAGES = (0, 4, 8, 16)  # that each reads at its turn
DRAWN = 8  # of them, where a figure is of one number
COUNTS = (2, 3, 4, 6, 8, 10, 12, 13, 14, 16, 20, 24, 32)
QUICK_COUNTS = (2, 4, 8, 12, 16, 24)
SHOWN = (2, 8, 16)  # in tables and breakdowns; quick runs have them too
ROUNDS = 15  # of each boot
# By how much of its time the shared entries shorten a switch.
LEAST = Published(0.0, f"{PAPER}, Fig. 3: improvement between zero and 23 %")
MOST = Published(0.23, f"{PAPER}, Fig. 3: improvement between zero and 23 %")


@dataclass(frozen=True)
class Way:
    """A kernel, and how the processes' common pages are mapped there."""

    kernel: Kernel
    mapped: str  # "private" or "shared"

    @property
    def label(self) -> str:
        """As figures call it."""
        return self.kernel.short

    def __str__(self) -> str:
        """As the names of runs call it."""
        return f"{self.kernel}-{self.mapped}"


@dataclass(frozen=True)
class Ways:
    """What is compared on a machine."""

    original: Way
    fast: Way
    sharing: Way
    apart: Way  # what is shared, on the fast kernel that shares no entries
    bound: Way

    @property
    def drawn(self) -> tuple[Way, ...]:
        """The three lines of the paper's figure, and the bound."""
        return (self.original, self.fast, self.sharing, self.bound)

    @property
    def every(self) -> tuple[Way, ...]:
        """All."""
        return (self.original, self.fast, self.sharing, self.apart, self.bound)

    @property
    def board(self) -> str:
        """The machine."""
        return self.original.kernel.board


def _ways(original: Kernel, faster: Kernel, sharer: Kernel, bound: Kernel) -> Ways:
    return Ways(
        Way(original, "private"),
        Way(faster, "private"),
        Way(sharer, "shared"),
        Way(faster, "shared"),
        Way(bound, "private"),
    )


MACHINES = tuple(_ways(*board) for board in BOARDS)
WAYS = tuple(way for ways in MACHINES for way in ways.every)


class LinuxTlbSharing(FromRuns[Run]):
    """Fig. 3: lat_ctx with and without sharing of TLB entries."""

    name = "linux-tlb-sharing"
    question = "What does a switch save where TLB entries of common memory are shared?"
    source = "Wiggins et al., ACSAC 2003, Fig. 3"

    def jobs(self, settings: Settings) -> list[Job]:
        """One run a way, number of pages and boot, which measures every number of processes."""
        found = []
        counts = ",".join(str(n) for n in (QUICK_COUNTS if settings.quick else COUNTS))
        rounds = settings.rounds or (10 if settings.quick else ROUNDS)
        for way in WAYS:
            for pages in PAGES:
                words = (
                    f"sharing processes={counts} pages={pages} mapped={way.mapped} rounds={rounds}"
                )
                parameters: dict[str, Parameter] = {
                    "workload": WORKLOAD,
                    "mapped": way.mapped,
                    "pages": pages,
                    "quick": settings.quick,
                }
                name = f"{way.mapped}-{pages:02}p"
                found += suite.jobs(way.kernel, name, words, parameters, settings)
        return found

    def measure(self, job: Job, stats: Stats) -> Run:
        """Each number of processes in the ring, and alone."""
        return rings.measure(job, stats, QUICK_COUNTS if job.parameters["quick"] else COUNTS)

    def outcome(self, runs: Mapping[str, Run]) -> Outcome:
        """Records, tables, figures and what they say."""
        found = Found(suite.together(runs))
        first, *others = MACHINES
        return Outcome(
            records=records(found),
            tables=[*(times(found, ways) for ways in MACHINES)],
            figure=figure(found, first),
            notes=notes(found),
            more={
                **{ways.board: figure(found, ways) for ways in others},
                **{
                    suite.named("saved", ways.original.kernel): saved(found, ways)
                    for ways in MACHINES
                },
                **{
                    suite.named("breakdown", ways.original.kernel): breakdown(found, ways)
                    for ways in MACHINES
                },
            },
        )


class Found(Rings[Way]):
    """The runs, by way, pages and number of processes."""

    def prefix(self, on: Way) -> str:
        """The kernel's name, and how pages are mapped."""
        return str(on)

    def run(self, on: Way, size: int) -> Run:
        """The run with that many pages."""
        return self.runs[f"{self.prefix(on)}-{size:02}p"]

    def saving(self, ways: Ways, pages: int, n: int) -> float:
        """What sharing saves, as a share of the time without."""
        return 1 - self.us(ways.sharing, pages, n) / self.us(ways.fast, pages, n)

    def savings(self, ways: Ways) -> list[tuple[float, int, int]]:
        """All of them, with their pages and processes; where no page is read nothing is shared."""
        return [
            (self.saving(ways, pages, n), pages, n)
            for pages in PAGES
            if pages > 0
            for n in self.counts
        ]

    def each(self, way: Way, pages: int, n: int, name: str) -> float:
        """What was counted for one switch."""
        return self.ring(way, pages, n).rates[name] / n

    def part(self, way: Way, pages: int, n: int, part: str) -> float:
        """The microseconds of a switch that a part of it takes."""
        return self.run(way, pages).us(self.ring(way, pages, n).parts[part]) / n


def records(found: Found) -> list[Record]:
    """Every measured value; what was counted is a share of the way around, nothing taken off."""
    made = []
    for way in WAYS:
        for pages in PAGES:
            for n in found.counts:
                made += suite.records(
                    "linux-tlb-sharing",
                    found.run(way, pages),
                    found.ring(way, pages, n),
                    "switch",
                    _parameters(n, pages, way.mapped),
                    value=found.switch(way, pages, n),
                    interval=found.interval(way, pages, n),
                    divide=n,
                    scheme=way.kernel.scheme,
                )
    for ways in MACHINES:
        values: list[tuple[str, float, Mapping[str, Parameter], Published | None]] = [
            ("saved_by_sharing", value, {"processes": n, "pages": pages}, None)
            for value, pages, n in found.savings(ways)
        ]
        every = [value for value, _, _ in found.savings(ways)]
        papers = ways == MACHINES[0]
        values.append(("saved_at_least", min(every), {}, LEAST if papers else None))
        values.append(("saved_at_most", max(every), {}, MOST if papers else None))
        made += [
            Record(
                experiment="linux-tlb-sharing",
                machine=ways.sharing.kernel.machine,
                system=suite.SYSTEM,
                scheme=ways.sharing.kernel.scheme,
                metric=metric,
                parameters={"workload": WORKLOAD, **parameters},
                value=round(value, 6),
                unit="1",
                published=published,
            )
            for metric, value, parameters, published in values
        ]
    return made


def _parameters(n: int, pages: int, mapped: str) -> dict[str, Parameter]:
    return {"workload": WORKLOAD, "processes": n, "pages": pages, "mapped": mapped}


def times(found: Found, ways: Ways) -> Table:
    """The figures in numbers, where it is worth it."""
    rows = []
    for pages in PAGES:
        for n in SHOWN:
            misses = (
                f"{found.each(way, pages, n, 'dtlb_misses'):.1f}"
                for way in (ways.fast, ways.sharing)
            )
            rows.append(
                [
                    f"{pages} pages, {n} processes",
                    *(found.shown(way, pages, n) for way in ways.every),
                    f"{found.saving(ways, pages, n):.0%}",
                    *misses,
                ]
            )
    return Table(
        title=f"{ways.board}: a switch, µs, {SPREAD}; what sharing saves of the fast one, and data "
        "TLB misses in it",
        columns=[
            "each reads", "flushing", "fast", "fast, shared", "shared, fass=private", "tags",
            "saved", "DTLB, fast", "DTLB, shared",
        ],
        rows=rows,
        caption=f"published: between zero and 23 % saved ({PAPER}), SA-1100",
    )  # fmt: skip


def figure(found: Found, ways: Ways) -> Figure:
    """Fig. 3 again."""
    series = []
    for way in ways.drawn:
        marks = [Mark(n, found.us(way, DRAWN, n)) for n in found.counts]
        series.append(Series(way.label, way.label, marks))
    every = [mark.y for one in series for mark in one.marks]
    y_range, y_ticks = suite.ticks(max(every), 50)
    published = f"published: sharing saves {LEAST.value:.0%} to {MOST.value:.0%}; "
    return Figure(
        title=f"A switch between processes that have {DRAWN} pages in common",
        subtitle=[
            f"{ways.original.kernel.about}; a ring of processes, each reads a byte of every page;",
            (published if ways == MACHINES[0] else "")
            + "passing and reading without a switch are taken off",
        ],
        x_title="processes",
        y_title="a switch, µs",
        description=(
            f"Line chart of context-switch times over {found.counts[0]} to {found.counts[-1]} "
            f"processes for each kernel on {ways.board}, between {min(every):.0f} and "
            f"{max(every):.0f} microseconds."
        ),
        series=series,
        y_range=y_range,
        y_ticks=y_ticks,
        x_ticks=_x_ticks(found),
    )


def saved(found: Found, ways: Ways) -> Figure:
    """What sharing saves, by the pages in common."""
    series = []
    for pages in PAGES:
        marks = [Mark(n, 100 * found.saving(ways, pages, n)) for n in found.counts]
        label = f"{pages} pages" if pages else "nothing in common"
        series.append(Series(f"{pages}", label, marks))
    ends = (found.counts[0], found.counts[-1])
    if ways == MACHINES[0]:
        marks = [Mark(n, 100 * MOST.value) for n in ends]
        series.append(Series("published", f"published: {MOST.value:.0%} at most", marks, True))
    every = [mark.y for one in series for mark in one.marks]
    low, high = 10 * int(min(every) // 10), 10 * int(max(every) // 10 + 1)
    return Figure(
        title="What a switch saves by sharing TLB entries",
        subtitle=[
            f"{ways.sharing.kernel.about},",
            "beside the same kernel told not to share; each process reads a byte of every page",
        ],
        x_title="processes",
        y_title="of a switch's time, %",
        description=(
            f"Line chart of the share of a switch's time that is saved over {ends[0]} to {ends[1]} "
            f"processes, a line for each number of pages, {ways.board}: between "
            f"{min(every):.0f} and {max(every):.0f} %."
        ),
        series=series,
        y_range=(low, high),
        y_ticks=list(range(low, high + 1, 10)),
        x_ticks=_x_ticks(found),
    )


def _x_ticks(found: Found) -> Sequence[float]:
    return [2, *range(4, found.counts[-1] + 1, 4)]


def breakdown(found: Found, ways: Ways) -> Bars:
    """Where the time of a switch goes with sharing and without, the token's passing included."""
    bars: list[Bar] = []
    for n in SHOWN:
        for way in (ways.fast, ways.sharing):
            case = f"{n} processes, {way.mapped}"
            run, one = found.run(way, DRAWN), found.ring(way, DRAWN, n)
            bars += suite.bars(case, run, one, divide=n)
    said = "; ".join(
        f"{way.label}: {suite.said(found.ring(way, DRAWN, SHOWN[0]))}"
        for way in (ways.fast, ways.sharing)
    )
    return Bars(
        title="Where the time of a switch goes, with shared TLB entries and without",
        subtitle=[
            f"{ways.fast.kernel.about}, {DRAWN} pages in common; every cycle of a token's way to",
            "the next process, by the function that took it and by what it waited for",
        ],
        value_title="µs a switch",
        description=f"Stacked bars; with {SHOWN[0]} processes, {said}.",
        bars=bars,
    )


def notes(found: Found) -> list[str]:
    """What sharing saves, and of what."""
    made = [_saved(found, ways) for ways in MACHINES]
    made += [_parts(found, ways) for ways in MACHINES]
    made += [_apart(found, ways) for ways in MACHINES]
    return made + unsteady(
        (
            f"{n} processes, {pages} pages, {way.mapped} on {way.kernel}",
            found.interval(way, pages, n),
        )
        for way in WAYS
        for pages in PAGES
        for n in SHOWN
    )


def _saved(found: Found, ways: Ways) -> str:
    """The range, beside the paper's."""
    every = found.savings(ways)
    (least, *where), (most, *there) = min(every), max(every)
    nothing = [found.saving(ways, 0, n) for n in found.counts]
    text = (
        f"{ways.board}: where processes have pages in common a switch takes {least:.0%} "
        f"({where[0]} pages, {where[1]} processes) to {most:.0%} ({there[0]} pages, {there[1]} "
        f"processes) less with shared TLB entries. Where they have none, which cannot save "
        f"anything, the two kernels differ by {min(nothing):.0%} to {max(nothing):.0%}: so much is "
        "chance, of where boots lie in memory."
    )
    if ways == MACHINES[0]:
        text += (
            f" Published: {LEAST.value:.0%} to {MOST.value:.0%}, without how many pages of the "
            "library a turn reads."
        )
    return text


def _parts(found: Found, ways: Ways) -> str:
    """What is saved, by what it was spent on; what is drawn with a boot is not in it."""
    texts = []
    for pages in PAGES[1:]:
        for n in (SHOWN[0], SHOWN[-1]):
            both = (ways.fast, ways.sharing)
            misses = [found.each(way, pages, n, "dtlb_misses") for way in both]
            walks = [found.part(way, pages, n, suite.WALKS) for way in both]
            lines = [found.part(way, pages, n, suite.DFILL) for way in both]
            texts.append(
                f"{pages} pages, {n} processes: {misses[0]:.1f} to {misses[1]:.1f} misses, "
                f"{walks[0]:.1f} to {walks[1]:.1f} µs of walks, {lines[0]:.1f} to {lines[1]:.1f} "
                "µs of lines"
            )
    return (
        f"{ways.board}, the data TLB and the data cache in a switch, without sharing and with it: "
        + "; ".join(texts)
        + ". What is at one address and in one domain is in the caches once, too."
    )


def _apart(found: Found, ways: Ways) -> str:
    """What a kernel that cannot share does with memory at one address."""
    n = SHOWN[0]
    slow, fast = (found.us(way, DRAWN, n) for way in (ways.apart, ways.sharing))
    flushes = found.each(ways.apart, DRAWN, n, "flushes")
    return (
        f"{ways.board}: processes that have {DRAWN} pages at one address collide on the kernel "
        f"that is told not to share: {slow:.0f} µs a switch with {n} processes, {flushes:.2f} "
        f"flushes in it, {found.us(ways.original, DRAWN, n):.0f} on the unmodified kernel, and "
        f"{fast:.0f} where their entries are shared."
    )
