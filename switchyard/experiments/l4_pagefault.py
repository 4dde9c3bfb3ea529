# SPDX-License-Identifier: Apache-2.0
"""What a page fault costs, by its kind: served by a pager, or by the kernel alone.

Nothing is published for it on this processor. A partner in a space of its own makes one access at
a time (bench/l4/fault.c); the time is that of the access, with everything that it caused. The limit
for a fault that a pager serves is the project's own.
"""

import statistics
from collections.abc import Mapping
from dataclasses import dataclass, field

from switchyard.build import BOARD, GUESTS, TAGS
from switchyard.errors import RunError
from switchyard.experiments import columns
from switchyard.experiments.experiment import Experiment, Job, Outcome, Settings, Table
from switchyard.machine import Stats
from switchyard.plot import Bar, Bars
from switchyard.records import Parameter, Record

NAME = "l4-pagefault"
MACHINE = "sa1110"
SYSTEM = "switchyard-l4"
PROGRAM = "bench-fault"
# Where all memory is mapped from the start nothing faults.
SCHEMES = tuple(scheme for scheme in columns.COLUMNS if scheme not in columns.UNPROTECTED)

ROUNDS, QUICK_ROUNDS = 500, 50
CYCLES_TO_START = 400_000_000
CYCLES_A_ROUND = 2_000_000  # ten times the slowest, which flushes four times
LIMIT = 900  # cycles: a fault that a pager serves

# bench/l4/fault.h: the numbers of the cases, which are those of regions and streams.
TIMING = 0
CASES = {
    "none": (1, "no fault: a load from a page that is mapped, which misses TLB and cache"),
    "page_4k": (2, "the pager maps a page of 4 KB"),
    "page_64k": (3, "the pager maps a large page of 64 KB"),
    "page_1m": (4, "the pager maps a section of 1 MB"),
    "more_rights": (5, "a store to a page mapped for reading; the pager maps it again"),
    "synonym_read": (6, "a load from a page whose cache lines the pager has, no message"),
    "synonym_write": (7, "a store to such a page"),
    "directory": (8, "a load through a directory entry that the scheme has not copied yet"),
    "collision": (9, "a load where another space's section is in the copied directory"),
}
BY_PAGER = ("page_4k", "page_64k", "page_1m", "more_rights")

# Counters of a case's region, for each access.
COUNTED = {
    "instructions": ("instructions",),
    "line_fills": ("icache_misses", "dcache_read_misses", "minicache_read_misses"),
    "fill_stall_cycles": ("fill_stall_cycles",),
    "cache_flushes": (),
}
CACHE_FLUSH = 1  # kernel/events.h


@dataclass(frozen=True)
class Point:
    """A run: one scheme; cycles, and what was counted, by case."""

    scheme: str
    machine: str
    cycles: Mapping[str, float] = field(hash=False)
    rates: Mapping[str, Mapping[str, float]] = field(hash=False)
    rounds: Mapping[str, int] = field(hash=False)


class L4PageFault(Experiment[Point]):
    """Page faults under each scheme that has any."""

    name = NAME
    question = "What does a page fault cost, by its kind?"
    source = "the project's own limit for a pager's page; nothing published"

    band_metric = ("page_4k", "cycles")
    band_system = SYSTEM

    def band_jobs(self, settings: Settings) -> list[Job]:
        """The paper's two kernels, in short runs."""
        return self.short_jobs(settings, ("flush", "fass"))

    def jobs(self, settings: Settings) -> list[Job]:
        """One run a scheme."""
        rounds = settings.rounds or (QUICK_ROUNDS if settings.quick else ROUNDS)
        return [
            Job(
                name=scheme,
                guest=GUESTS[f"{BOARD}-{scheme}-{PROGRAM}"],
                machine=columns.machine(scheme, MACHINE),
                append=f"rounds={rounds}",
                max_cycles=CYCLES_TO_START + 10 * rounds * CYCLES_A_ROUND,
                parameters={"scheme": scheme},
            )
            for scheme in SCHEMES
        ]

    def measure(self, job: Job, stats: Stats) -> Point:
        """Medians: a timer tick may fall into some. The timing alone, case 0, is taken off."""
        timing = statistics.median_low(_samples(job, stats, TIMING))
        cycles, rates, rounds = {}, {}, {}
        for name, (number, _) in CASES.items():
            found = _samples(job, stats, number)
            cycles[name] = statistics.median(found) - timing
            rounds[name] = len(found)
            rates[name] = _rates(stats, number, len(found))
        return Point(str(job.parameters["scheme"]), stats.machine, cycles, rates, rounds)

    def row(self, job: Job, point: Point) -> dict[str, Parameter]:
        """Cycles by kind; rates and rounds have the same names."""
        return {**job.parameters, **point.cycles}

    def outcome(self, points: Mapping[str, Point]) -> Outcome:
        """Records, tables, the figure and what there is to say."""
        found = [points[scheme] for scheme in SCHEMES]
        return Outcome(
            records=[_record(point, name) for point in found for name in CASES],
            tables=[times(found), *(counted(point) for point in found)],
            figure=figure(found),
            notes=notes(found),
        )


def _samples(job: Job, stats: Stats, number: int) -> list[int]:
    samples = stats.samples.get(number)
    if not samples:
        raise RunError(f"{job.name}: no samples of case {number} from {job.guest.name}")
    return list(samples)


def _rates(stats: Stats, number: int, rounds: int) -> dict[str, float]:
    region = stats.region(number)
    rates = {name: region.counters.total(*names) / rounds for name, names in COUNTED.items()}
    rates["cache_flushes"] = region.event(CACHE_FLUSH) / rounds
    return rates


def _record(point: Point, name: str) -> Record:
    return Record(
        experiment=NAME,
        machine=point.machine,
        system=SYSTEM,
        scheme=point.scheme,
        metric="page_fault",
        value=round(point.cycles[name], 3),
        unit="cycles",
        parameters={"kind": name},
    )


def times(found: list[Point]) -> Table:
    """Cycles by kind and scheme."""
    rows = [
        [
            name,
            *(f"{point.cycles[name]:.0f}" for point in found),
            f"{LIMIT}" if name == "page_4k" else "",
            about,
        ]
        for name, (_, about) in CASES.items()
    ]
    return Table(
        title="Page faults, cycles of the access: median",
        columns=["kind", *(point.scheme for point in found), "limit", "what"],
        rows=rows,
        caption="the limit is the project's own, for fass",
    )


def counted(point: Point) -> Table:
    """What an access met."""
    rows = [
        [
            name,
            f"{point.rounds[name]}",
            f"{point.cycles[name]:.0f}",
            f"{rate['instructions']:.0f}",
            f"{rate['line_fills']:.1f}",
            f"{rate['fill_stall_cycles']:.0f}",
            f"{rate['cache_flushes']:.2f}",
        ]
        for name, rate in point.rates.items()
    ]
    return Table(
        title=f"{point.scheme}: counted for each access",
        columns=["kind", "rounds", "cycles", "instr.", "line fills", "waiting", "cache fl."],
        rows=rows,
        caption="with the few instructions of the loop around the access",
    )


def notes(found: list[Point]) -> list[str]:
    """Worked out from the points."""
    by_scheme = {point.scheme: point for point in found}
    return [
        _limit(by_scheme["fass"]),
        _sizes(by_scheme["fass"]),
        _synonyms(by_scheme["fass"]),
        _scheme_faults(by_scheme),
        _bound(by_scheme),
    ]


def _limit(fass: Point) -> str:
    value, rate = fass.cycles["page_4k"], fass.rates["page_4k"]
    waiting = rate["fill_stall_cycles"] / value
    kept = "within" if value <= LIMIT else "beyond"
    return (
        f"fass, a page of 4 KB from a pager: {value:.0f} cycles, {kept} the limit of {LIMIT}; "
        f"{rate['instructions']:.0f} instructions, {waiting:.0%} of the time waiting for "
        f"{rate['line_fills']:.1f} line fills."
    )


def _sizes(fass: Point) -> str:
    page = fass.cycles["page_4k"]
    ratio = {name: fass.cycles[name] / page for name in ("page_64k", "page_1m")}
    text = (
        f"A section of 1 MB costs {ratio['page_1m']:.1f} times what a page costs, 256 times its "
        f"size, and 64 KB {ratio['page_64k']:.1f} times."
    )
    if ratio["page_64k"] > ratio["page_1m"]:
        text += (
            " A large page costs more than a section: its entry stands in the page table 16 times, "
            "and the pager's section is looked through for what else is there."
        )
    return text


def _synonyms(fass: Point) -> str:
    read, write = fass.cycles["synonym_read"], fass.cycles["synonym_write"]
    rate = fass.rates["synonym_read"]
    return (
        f"A page whose lines the pager has costs {read:.0f} cycles to read and {write:.0f} to "
        f"write under fass: the pager's 128 lines are cleaned by address, {rate['line_fills']:.0f} "
        "lines are filled, most of them instructions, for the instruction cache has no operation "
        "by address and is emptied when a page that its space may execute is taken away."
    )


def _scheme_faults(found: Mapping[str, Point]) -> str:
    fass, flush = found["fass"], found["flush"]
    flushes = fass.rates["collision"]["cache_flushes"]
    how = (
        f"with {flushes:.1f} flushes"
        if flushes >= 0.1
        else "as who collides at every switch steps aside, and is flushed there"
    )
    return (
        f"The scheme's own faults: an entry to copy costs {fass.cycles['directory']:.0f} cycles "
        f"under fass ({flush.cycles['directory']:.0f} under flush, which has nothing to copy), "
        f"a collision {fass.cycles['collision']:.0f}, {how} "
        f"({flush.cycles['collision']:.0f} under flush: its flushes are in the switches)."
    )


def _bound(found: Mapping[str, Point]) -> str:
    fass, tags = found["fass"], found[TAGS]
    said = ", ".join(
        f"{name} {tags.cycles[name]:.0f} cycles ({fass.cycles[name]:.0f})"
        for name in ("page_4k", "synonym_read", "directory", "collision")
    )
    return (
        "With hardware tags, where nothing is flushed, cleaned or copied into a directory, beside "
        f"fass: {said}."
    )


def figure(found: list[Point]) -> Bars:
    """The kinds, schemes side by side."""
    return Bars(
        title="Page faults by kind",
        subtitle=[
            f"StrongARM SA-1110 at 200 MHz; simulated machine {MACHINE}; median of the accesses "
            "that fault; hollow: the project's limit for fass"
        ],
        value_title="cycles of the access (log scale)",
        description="Cycles of an access by the kind of fault that it causes, for each scheme.",
        bars=[
            Bar(name, point.scheme, max(point.cycles[name], 1)) for name in CASES for point in found
        ]
        + [Bar("page_4k", "limit", LIMIT, published=True)],
        stacked=False,
        log=True,
    )
