# SPDX-License-Identifier: Apache-2.0
"""Fig. 4 of the FASS paper: *extreme*, the most that shared TLB entries can save.

Processes read a byte of each of the same p pages and yield, by turns; the pages are mapped
privately (each process at addresses of its own) or shared (at one address). The paper has this for
Linux; here it is L4 with `fass` and `fass-shared`. Its figure is given in words.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from switchyard.build import BOARD, GUESTS, TAGS
from switchyard.errors import RunError
from switchyard.experiments import l4
from switchyard.experiments.counted import Counted
from switchyard.experiments.experiment import FromRuns, Job, Outcome, Settings, Table
from switchyard.experiments.l4 import COLUMNS
from switchyard.machine import Stats
from switchyard.plot import Figure, Knee, Mark, Series
from switchyard.records import Published, Record

MACHINE = "sa1110"
SYSTEM = "switchyard-l4"
PROCESSES = (2, 4, 16)
PAGES = (1, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 34, 36, 40, 44, 48)
# fass with pages at one address is not in the paper: each access of the next process collides. Nor
# are hardware tags, whose TLB has an entry for each process all the same.
CASES = (("fass", 0), ("fass-shared", 0), ("fass-shared", 1), ("fass", 1), (TAGS, 1))
BAND_PAGES = 20
ROUNDS = 2_000
QUICK_ROUNDS = 200
TLB = 32  # entries of the data TLB (section 4.2)
# A collision flushes everything, at worst 75,000 cycles (section 2), and may come with each yield.
CYCLES_A_ROUND = 150_000
CYCLES_TO_START = 400_000_000

PAPER = "Wiggins et al., ACSAC 2003, section 4.2"
FACTOR = {
    2: Published(9.0, f"{PAPER}: factors of up to 9 (two processes)"),
    16: Published(3.7, f"{PAPER}: or 3.7 (16 processes)"),
}
PRIVATE_BREAK = Published(10, f"{PAPER}: private, slows markedly above about ten pages")
SHARED_BREAK = Published(20, f"{PAPER}: shared, essentially constant until about 20 pages")
EQUAL = Published(32, f"{PAPER}: the same once the number of pages reaches 32")
# A break is where the time has grown by half, without the reads themselves, from that of one page.
BROKEN = 1.5
# A deviation that is not worth a reason; domains recycled a turn that are.
CLOSE = 0.1
RECYCLING = 0.1


def job_name(scheme: str, shared: int, processes: int, pages: int) -> str:
    """The name of the run of a point."""
    return f"{scheme}-{'shared' if shared else 'private'}-{processes:02}-{pages:02}"


class L4Extreme(FromRuns[Counted]):
    """Fig. 4: the extreme benchmark for 2, 4 and 16 processes."""

    name = "l4-extreme"
    question = "What is the most that sharing TLB entries can save?"
    source = "Wiggins et al., ACSAC 2003, Fig. 4"

    band_metric = ("cycles", "cycles")
    band_system = SYSTEM
    band_label = "{scheme}, {processes} processes, {pages} pages, shared {shared}"
    # near where the factor is largest
    band_ratios: Mapping[str, tuple[str, str]] = {
        f"private over shared, {processes} processes, {BAND_PAGES} pages": (
            job_name("fass-shared", 0, processes, BAND_PAGES),
            job_name("fass-shared", 1, processes, BAND_PAGES),
        )
        for processes in FACTOR
    }
    band_published: Mapping[str, float] = {
        f"private over shared, {processes} processes, {BAND_PAGES} pages": one.value
        for processes, one in FACTOR.items()
    }

    def band_jobs(self, settings: Settings) -> list[Job]:
        """Both mappings where sharing saves most, in short runs."""
        return self.short_jobs(settings, {n for both in self.band_ratios.values() for n in both})

    def jobs(self, settings: Settings) -> list[Job]:
        """One run a case, number of processes and number of pages."""
        return self._jobs(settings, CASES)

    def choices(self, settings: Settings) -> list[Job]:
        """The same with every scheme; in one space for all, the mapping makes no difference."""
        return self._jobs(settings, [(scheme, shared) for scheme in COLUMNS for shared in (0, 1)])

    def _jobs(self, settings: Settings, cases: Sequence[tuple[str, int]]) -> list[Job]:
        rounds = settings.rounds or (QUICK_ROUNDS if settings.quick else ROUNDS)
        return [
            Job(
                name=job_name(scheme, shared, processes, pages),
                guest=GUESTS[f"{BOARD}-{scheme}-bench-extreme"],
                machine=l4.machine(scheme, MACHINE),
                append=f"processes={processes} pages={pages} shared={shared} rounds={rounds}",
                max_cycles=CYCLES_TO_START + (rounds + 20) * processes * CYCLES_A_ROUND,
                parameters={
                    "scheme": scheme,
                    "shared": shared,
                    "processes": processes,
                    "pages": pages,
                },
            )
            for scheme, shared in cases
            for processes in PROCESSES
            for pages in PAGES
        ]

    def measure(self, job: Job, stats: Stats) -> Counted:
        """For one process's turn: the reads and the yield."""
        words = dict(word.split("=") for word in job.append.split())
        if not stats.samples.get(1):
            raise RunError(f"{job.name}: no sample from {job.guest.name} (stream 1)")
        return Counted.measured(stats, 1, int(words["rounds"]) * int(words["processes"]))

    def outcome(self, points: Mapping[str, Counted]) -> Outcome:
        """Records, a table a number of processes, the figure and the reasons."""
        found = {
            (scheme, shared, processes): [
                points[job_name(scheme, shared, processes, pages)] for pages in PAGES
            ]
            for scheme, shared in CASES
            for processes in PROCESSES
        }
        curves = [_curves(found, processes) for processes in PROCESSES]
        return Outcome(
            records=_records(found, curves),
            tables=[_table(one) for one in curves],
            figure=_figure(curves),
            notes=_notes(curves),
            more={"tags": _tags_figure(curves)},
        )


@dataclass(frozen=True)
class Curves:
    """The points of one number of processes, by rising number of pages."""

    processes: int
    private: Sequence[Counted]  # fass-shared, each at addresses of its own
    shared: Sequence[Counted]  # fass-shared, at one address
    plain_private: Sequence[Counted]  # fass
    plain_shared: Sequence[Counted]
    tags: Sequence[Counted]  # at one address, with hardware tags

    @property
    def factors(self) -> list[float]:
        """Private over shared."""
        return [p.cycles / s.cycles for p, s in zip(self.private, self.shared, strict=True)]

    @property
    def best(self) -> tuple[float, int]:
        """The greatest factor and its number of pages."""
        return max(zip(self.factors, PAGES, strict=True))

    @property
    def recycles(self) -> bool:
        """There are more spaces than domains."""
        return self.shared[0].rates["domains_recycled"] > RECYCLING

    def broken(self, points: Sequence[Counted]) -> int | None:
        """The least number of pages at which a turn takes much longer than the reads explain."""
        for pages, point in zip(PAGES, points, strict=True):
            reads = _read_cycles(self.shared) * (pages - 1)
            if point.cycles - reads > BROKEN * points[0].cycles:
                return pages
        return None


Found = Mapping[tuple[str, int, int], Sequence[Counted]]


def _curves(found: Found, processes: int) -> Curves:
    return Curves(
        processes=processes,
        private=found["fass-shared", 0, processes],
        shared=found["fass-shared", 1, processes],
        plain_private=found["fass", 0, processes],
        plain_shared=found["fass", 1, processes],
        tags=found[TAGS, 1, processes],
    )


def _read_cycles(shared: Sequence[Counted]) -> float:
    """What one page more costs while all fit: from 1 to 8 shared pages."""
    few = PAGES.index(8)
    return (shared[few].cycles - shared[0].cycles) / (PAGES[few] - PAGES[0])


def _records(found: Found, curves: Sequence[Curves]) -> list[Record]:
    made = []
    for (scheme, shared, processes), points in found.items():
        for pages, point in zip(PAGES, points, strict=True):
            parameters = {
                "mapping": "shared" if shared else "private",
                "processes": processes,
                "pages": pages,
            }
            for metric, unit in (
                ("cycles", "per_turn"),
                ("dtlb_misses", "per_turn"),
                ("itlb_misses", "per_turn"),
                ("collisions", "per_turn"),
                ("cache_flushes", "per_turn"),
            ):
                made.append(_record(point, scheme, metric, point.rates[metric], unit, parameters))
            made.append(_record(point, scheme, "turn", point.us, "us", parameters))
    for one in curves:
        factor, pages = one.best
        parameters = {"processes": one.processes}
        point = one.shared[0]
        made.append(
            _record(
                point,
                "fass-shared",
                "largest_factor",
                factor,
                "ratio",
                parameters,
                FACTOR.get(one.processes),
            )
        )
        made.append(_record(point, "fass-shared", "largest_factor_at", pages, "pages", parameters))
        for metric, points, published in (
            ("private_break", one.private, PRIVATE_BREAK),
            ("shared_break", one.shared, SHARED_BREAK),
        ):
            broken = one.broken(points)
            if broken is not None and not one.recycles:
                made.append(
                    _record(point, "fass-shared", metric, broken, "pages", parameters, published)
                )
    return made


def _record(
    point: Counted,
    scheme: str,
    metric: str,
    value: float,
    unit: str,
    parameters: Mapping[str, str | int],
    published: Published | None = None,
) -> Record:
    return Record(
        experiment="l4-extreme",
        machine=point.machine,
        system=SYSTEM,
        scheme=scheme,
        metric=metric,
        parameters=dict(parameters),
        value=round(value, 6),
        unit=unit,
        published=published,
    )


def _table(one: Curves) -> Table:
    rows = [
        [
            f"{pages}",
            f"{one.plain_private[i].cycles:.0f}",
            f"{one.private[i].cycles:.0f}",
            f"{one.shared[i].cycles:.0f}",
            f"{one.factors[i]:.1f}",
            f"{one.private[i].rates['dtlb_misses']:.1f}",
            f"{one.shared[i].rates['dtlb_misses']:.1f}",
            f"{one.private[i].rates['itlb_misses']:.1f}",
            f"{one.shared[i].rates['itlb_misses']:.1f}",
            f"{one.plain_shared[i].cycles:.0f}",
            f"{one.tags[i].cycles:.0f}",
        ]
        for i, pages in enumerate(PAGES)
    ]
    return Table(
        title=f"{one.processes} processes: cycles for a turn, TLB misses in it",
        columns=[
            "pages", "fass private", "private", "shared", "factor", "DTLB private", "DTLB shared",
            "ITLB private", "ITLB shared", "fass shared (collides)", "hardware tags",
        ],
        rows=rows,
        caption="private, shared: under fass-shared",
    )  # fmt: skip


def _figure(curves: Sequence[Curves]) -> Figure:
    series = []
    for one in curves:
        for points, name in ((one.private, "private"), (one.shared, "shared")):
            series.append(
                Series(
                    f"{name} {one.processes}",
                    f"{one.processes} processes, {name}",
                    [Mark(pages, p.us) for pages, p in zip(PAGES, points, strict=True)],
                )
            )
    us = [mark.y for one in series for mark in one.marks]
    low, ticks = _ticks(us)
    return Figure(
        title="Extreme: pages that processes share, with and without shared TLB entries",
        subtitle=[
            f"StrongARM SA-1110 at 200 MHz, simulated machine {MACHINE}, L4, scheme fass-shared;"
            " one process's turn: a byte of each page, and a yield;",
            "published (dotted): Wiggins et al. 2003, Fig. 4 (only what its text says in numbers)",
        ],
        x_title="pages that each process reads in its turn",
        y_title="one turn, µs (log scale)",
        description=_alternative(curves),
        series=series,
        knees=[
            Knee(PRIVATE_BREAK.value, "private slows", 0.06, published=True),
            Knee(SHARED_BREAK.value, "shared slows", 0.06, published=True),
            Knee(EQUAL.value, "the same from here", 0.06, published=True),
        ],
        log_y=True,
        y_range=(low, ticks[-1]),
        y_ticks=ticks,
        x_ticks=[1, 8, 16, 24, 32, 40, 48],
    )


def _tags_figure(curves: Sequence[Curves]) -> Figure:
    """Shared entries beside hardware tags, which the paper does not have."""
    series = [
        Series(
            f"{name} {one.processes}",
            f"{one.processes} processes, {name}",
            [Mark(pages, p.us) for pages, p in zip(PAGES, points, strict=True)],
        )
        for one in curves
        for points, name in ((one.shared, "shared"), (one.tags, "hardware tags"))
    ]
    us = [mark.y for one in series for mark in one.marks]
    low, ticks = _ticks(us)
    return Figure(
        title="Extreme: shared TLB entries beside hardware tags",
        subtitle=[
            f"StrongARM SA-1110 at 200 MHz, simulated machines {MACHINE} (fass-shared) and "
            f"{l4.machine(TAGS, MACHINE)}, L4;",
            "one process's turn: a byte of each page, which all have at one address, and a yield",
        ],
        x_title="pages that each process reads in its turn",
        y_title="one turn, µs (log scale)",
        description=_tags_said(curves),
        series=series,
        log_y=True,
        y_range=(low, ticks[-1]),
        y_ticks=ticks,
        x_ticks=[1, 8, 16, 24, 32, 40, 48],
    )


def _ticks(us: Sequence[float]) -> tuple[float, list[float]]:
    """The lower end of a logarithmic axis, and its ticks up to the higher one."""
    every = [0.5, 1, 2, 5, 10, 20, 50, 100, 200]
    low = max((t for t in every if t <= min(us) * 0.9), default=every[0])
    high = min((t for t in every if t >= max(us) * 1.1), default=every[-1])
    return low, [t for t in every if low <= t <= high]


def _tags_said(curves: Sequence[Curves]) -> str:
    at = PAGES.index(BAND_PAGES)
    said = "; ".join(
        f"{one.processes} processes {one.tags[at].cycles:.0f} cycles a turn with "
        f"{one.tags[at].rates['dtlb_misses']:.1f} misses of the data TLB, fass-shared "
        f"{one.shared[at].cycles:.0f} with {one.shared[at].rates['dtlb_misses']:.1f}"
        for one in curves
    )
    return (
        f"Hardware tags tell processes apart, and so have an entry for each of them where a domain "
        f"has one for all. With {BAND_PAGES} pages at one address: {said}."
    )


def _alternative(curves: Sequence[Curves]) -> str:
    said = "; ".join(
        f"{one.processes} processes: private {one.private[0].us:.1f} to {one.private[-1].us:.1f}, "
        f"shared {one.shared[0].us:.1f} to {one.shared[-1].us:.1f}"
        for one in curves
    )
    return (
        f"Line chart of microseconds for a turn over {PAGES[0]} to {PAGES[-1]} pages. {said}. "
        "Private mappings slow down at fewer pages than shared ones; beyond the size of the TLB "
        "they are alike."
    )


def _notes(curves: Sequence[Curves]) -> list[str]:
    made = [_factor(one) for one in curves]
    made += [_breaks(one) for one in curves]
    made.append(_beyond(curves))
    made.append(_same_scheme(curves))
    made.append(_colliding(curves))
    made.append(_tags_said(curves))
    return made


def _factor(one: Curves) -> str:
    factor, pages = one.best
    i = PAGES.index(pages)
    private, shared = one.private[i], one.shared[i]
    published = FACTOR.get(one.processes)
    said = f" (published: up to {published.value:g})" if published else ""
    gap = private.cycles - shared.cycles
    walks = private.rates["walk_stall_cycles"] - shared.rates["walk_stall_cycles"]
    fills = private.rates["fill_stall_cycles"] - shared.rates["fill_stall_cycles"]
    text = (
        f"{one.processes} processes: sharing is at best {factor:.1f} times as fast{said}, with "
        f"{pages} pages: {private.cycles:.0f} against {shared.cycles:.0f} cycles a turn, of whose "
        f"difference {walks / gap:.0%} are table walks "
        f"({private.rates['dtlb_misses']:.1f} against {shared.rates['dtlb_misses']:.1f} misses of "
        f"the data TLB) and {fills / gap:.0%} line fills: a private page has a mva and so a cache "
        "line of its own in each process, and the first bytes of pages are all in one set of the "
        "data cache, which has 32 lines, no more than the TLB has entries."
    )
    if published and abs(factor / published.value - 1) > CLOSE:
        base = shared.cycles - _read_cycles(one.shared) * pages
        size = "smaller" if factor > published.value else "larger"
        text += f" The published factor is {size}: "
        if shared.rates["domains_recycled"] > RECYCLING:
            text += (
                f"here {one.processes} processes and the one that started them are more than there "
                f"are domains, and a turn recycles {shared.rates['domains_recycled']:.2f} of them "
                f"with {shared.rates['tlb_flushes']:.2f} TLB and "
                f"{shared.rates['cache_flushes']:.2f} cache flushes, whether the pages are shared "
                "or not. That is most of what either takes."
            )
        else:
            text += (
                "it multiplies what a turn takes when all is in TLB and caches, which is "
                f"{base:.0f} cycles here, mostly for the yield."
            )
    return text


def _breaks(one: Curves) -> str:
    private, shared = one.broken(one.private), one.broken(one.shared)
    if one.recycles:
        return (
            f"{one.processes} processes: no break is to be seen, as each turn begins with TLBs "
            "that recycling has emptied (published: private mappings slow down from about "
            f"{PRIVATE_BREAK.value:g} pages on, shared ones from about {SHARED_BREAK.value:g})."
        )
    said = (
        f"{one.processes} processes: private mappings slow down from "
        f"{'no number of' if private is None else private} pages on (published: about "
        f"{PRIVATE_BREAK.value:g}), shared ones from {'no number of' if shared is None else shared}"
        f" (published: about {SHARED_BREAK.value:g})."
    )
    if private is not None and one.processes == 2:
        said += (
            f" {TLB} entries hold the pages of both and what kernel and programs touch besides: "
            f"with {private} pages that is {2 * private} entries, so about "
            f"{max(TLB - 2 * private, 0)} to {TLB - 2 * _before(private)} are for the rest."
        )
    return said


def _before(pages: int) -> int:
    return PAGES[max(PAGES.index(pages) - 1, 0)]


def _beyond(curves: Sequence[Curves]) -> str:
    at = PAGES.index(int(EQUAL.value))
    said = ", ".join(f"{one.factors[at]:.2f} ({one.processes} processes)" for one in curves)
    last = ", ".join(f"{one.factors[-1]:.2f}" for one in curves)
    return (
        f"With {EQUAL.value:g} pages, as many as the data TLB has entries, private over shared is "
        f"{said}; with {PAGES[-1]}: {last} (published: the same from {EQUAL.value:g} on). Replaced "
        "in turn, entries are gone before their page comes up again, shared or not. What "
        "difference is left is in the cache: fills of lines that private mappings have once a "
        "process."
    )


def _same_scheme(curves: Sequence[Curves]) -> str:
    def differs(recycling: bool) -> float:
        return max(
            (
                abs(a.cycles / b.cycles - 1)
                for one in curves
                for a, b in zip(one.plain_private, one.private, strict=True)
                if (b.rates["domains_recycled"] > RECYCLING) == recycling
                and (b.rates["dtlb_misses"] < 1) == (a.rates["dtlb_misses"] < 1)
            ),
            default=0.0,
        )

    return (
        f"With private mappings the two schemes differ by at most {differs(False):.1%} where no "
        f"domains are recycled, and by up to {differs(True):.1%} where they are: fass-shared then "
        "looks at more."
    )


def _colliding(curves: Sequence[Curves]) -> str:
    rates = [p.rates["collisions"] for one in curves for p in one.plain_shared]
    flushes = [p.rates["cache_flushes"] for one in curves for p in one.plain_shared]
    worst = max(
        a.cycles / b.cycles
        for one in curves
        for a, b in zip(one.plain_shared, one.shared, strict=True)
    )
    return (
        "Not in the paper: under fass, processes with pages at one address step aside: "
        f"{min(rates):.2f} to {max(rates):.2f} collisions and {min(flushes):.2f} to "
        f"{max(flushes):.2f} flushes of the caches a turn, which cost up to {worst:.0f} times what "
        "fass-shared takes."
    )
