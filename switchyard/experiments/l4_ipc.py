# SPDX-License-Identifier: Apache-2.0
"""Fig. 5 of the FASS paper: round-trip IPC between a server and n client address spaces.

A server sends to clients at random, each of which replies at once; the latency of a round trip is
measured for 1 to 64 clients, with a full flush at each change of address space and with fast
address-space switching, and beside the paper with shared domains, with one unprotected space for
all programs, and with nothing to flush on a machine that has address-space tags. The paper gives
the figure's curves in words; the numbers below are those words, and nothing was read off the
drawing.

Which client is next is drawn, so a point is five runs with a seed each.
"""

import statistics
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from switchyard.build import BOARD, GUESTS, SCHEMES, TAGS
from switchyard.errors import RunError
from switchyard.experiments import l4, repeats
from switchyard.experiments import l4_ipc_notes as notes
from switchyard.experiments.experiment import FromRuns, Job, Outcome, Settings, Table
from switchyard.experiments.l4 import COLUMNS
from switchyard.experiments.l4_ipc_point import EVENTS, MISSES, STALLS, Point, together
from switchyard.machine import Stats
from switchyard.plot import Figure, Knee, Mark, Series
from switchyard.records import Published, Record
from switchyard.summary import SPREAD, spread

if TYPE_CHECKING:  # it imports the experiments
    from switchyard.band import Band

MACHINE = "sa1110"
SYSTEM = "switchyard-l4"
CLIENTS = (*range(1, 25), 28, 32, 40, 48, 56, 64)  # the paper's figure ends at 24
BAND_CLIENTS = (1, 14, 64)  # where the band is measured
SHOWN = (1, 2, 4, 8, 12, 14, 15, 16, 18, 20, 24, 32, 48, 64)  # in the tables of counters

# Of each run: section 4.1 has "a large number (100,000) of such ping-pong IPCs" in all.
ROUNDS = 100_000 // repeats.RUNS
QUICK_ROUNDS = 1_000
BAND_ROUNDS = 5_000
# Round trips before the measured ones: every client is met many times, so that pages are mapped
# and, under FASS, domains are where a long run leaves them.
WARMUP = 1_000
# A guest that hangs is stopped: ten times the worst round trip of section 2 (2 x 75,000 cycles),
# and two seconds of the machine's time to start in.
CYCLES_A_ROUND = 1_500_000
CYCLES_TO_START = 400_000_000

PAPER = "Wiggins et al., ACSAC 2003, section 4.2"
FLUSH_US = Published(135.0, f"{PAPER}: around 135 µs, quite independent of the number of processes")
FASS_US = {
    1: Published(10.0, f"{PAPER}: a minimum of 10 µs"),
    14: Published(12.0, f"{PAPER}: 12 µs with 14 client processes"),
}
KNEE = Published(15, f"{PAPER}: from 15 client processes the IPC cost rises faster")
SPEEDUP = {
    1: Published(13.0, f"{PAPER}: a more than thirteen-fold improvement"),
    14: Published(11.0, f"{PAPER}: still a more than eleven-fold improvement"),
}


class L4Ipc(FromRuns[Point]):
    """Fig. 5: L4 IPC times with standard and fast context switching."""

    name = "l4-ipc"
    question = "What does a round-trip IPC cost as the number of address spaces grows?"
    source = "Wiggins et al., ACSAC 2003, Fig. 5"
    band_metric = ("us", "us")
    band_system = SYSTEM
    band_label = "{scheme}-{clients:02}"
    # what a line of the zeros bank costs in all, beside the machine's own 18 cycles
    moved_together: Mapping[str, Mapping[str, int]] = {
        f"zeros-bank line {first + 7 * following}": {
            "memory.zeros-first": first,
            "memory.zeros-next": following,
        }
        for first, following in ((1, 0), (1, 1), (10, 4), (17, 2), (22, 7))
    }

    band_published: Mapping[str, float] = {
        **{f"flush-{clients:02}": FLUSH_US.value for clients in BAND_CLIENTS},
        **{f"fass-{clients:02}": one.value for clients, one in FASS_US.items()},
        **{f"flush over fass, {clients}": one.value for clients, one in SPEEDUP.items()},
    }
    band_ratios: Mapping[str, tuple[str, str]] = {
        f"flush over fass, {clients}": (f"flush-{clients:02}", f"fass-{clients:02}")
        for clients in BAND_CLIENTS
    }

    def jobs(self, settings: Settings) -> list[Job]:
        """Five runs a scheme and number of clients, the long ones first."""
        rounds = settings.rounds or (QUICK_ROUNDS if settings.quick else ROUNDS)
        return [
            replace(
                one,
                name=repeats.run_name(one.name, seed),
                parameters={**one.parameters, "seed": seed},
            )
            for scheme in COLUMNS
            for clients in CLIENTS
            for seed in repeats.seeds(settings)
            for one in [job(scheme, clients, rounds, seed)]
        ]

    def choices(self, settings: Settings) -> list[Job]:
        """One run a point, with the first seed: a table of many has its own neighbours."""
        rounds = settings.rounds or (QUICK_ROUNDS if settings.quick else ROUNDS)
        return [job(scheme, clients, rounds) for scheme in SCHEMES for clients in CLIENTS]

    def band_jobs(self, settings: Settings) -> list[Job]:
        """The paper's two kernels at a few numbers of clients, with one seed for all ends."""
        return [
            job(scheme, clients, settings.rounds or BAND_ROUNDS)
            for scheme in ("flush", "fass")
            for clients in BAND_CLIENTS
        ]

    def banded(self, outcome: Outcome, found: "Band") -> Outcome:
        """The figure with flush's band."""
        drawn = outcome.figure
        assert isinstance(drawn, Figure)
        swings = [found.swings[job_name("flush", clients)] for clients in BAND_CLIENTS]
        marks = [
            Mark(clients, swing.nominal, swing.low, swing.high)
            for clients, swing in zip(BAND_CLIENTS, swings, strict=True)
        ]
        over = Series("assumed", "flush, over the ranges of assumed constants", marks)
        low, high = drawn.y_range or (swings[0].low, swings[0].high)
        ends = min(low, *(s.low for s in swings)), max(high, *(1.1 * s.high for s in swings))
        return replace(outcome, figure=replace(drawn, series=[*drawn.series, over], y_range=ends))

    def measure(self, job: Job, stats: Stats) -> Point:
        """The guest's region and stream of samples have the number of clients as their number.

        A sample contains its own timing. What that takes alone is in stream 0, and taken off.
        """
        scheme, clients = str(job.parameters["scheme"]), int(job.parameters["clients"])
        samples = stats.samples.get(clients)
        rounds = int(dict(word.split("=") for word in job.append.split())["rounds"])
        if not samples or len(samples) != rounds:
            raise RunError(
                f"{job.name}: {len(samples or [])} samples from {job.guest.name}, expected {rounds}"
            )
        timing = stats.samples.get(0)
        if not timing:
            raise RunError(f"{job.name}: no samples of the timing alone (stream 0)")
        overhead = statistics.median_low(timing)
        if min(samples) <= overhead:
            raise RunError(
                f"{job.name}: a round trip of {min(samples)} cycles, where timing takes {overhead}"
            )
        return Point.measured(scheme, clients, stats, [x - overhead for x in samples])

    def outcome(self, points: Mapping[str, Point]) -> Outcome:
        """Records, tables, the figure and the reasons for each deviation."""
        runs = repeats.grouped(points)
        found = Curves(
            {
                scheme: [together(runs[job_name(scheme, clients)]) for clients in CLIENTS]
                for scheme in COLUMNS
            }
        )
        return Outcome(
            records=records(found),
            tables=[times(found), *(costs(found[scheme]) for scheme in COLUMNS)],
            figure=figure(found),
            notes=[
                *notes.notes(found.of, published_values()),
                *repeats.unsteady(
                    (f"{point.scheme} with {point.clients} clients", point.interval)
                    for points in found.of.values()
                    for point in points
                ),
            ],
        )


@dataclass(frozen=True)
class Curves:
    """The points of each scheme by rising number of clients."""

    of: Mapping[str, list[Point]]

    def __getitem__(self, scheme: str) -> list[Point]:
        """The points of a scheme."""
        return self.of[scheme]

    @property
    def flush(self) -> list[Point]:
        """The paper's standard kernel."""
        return self.of["flush"]

    @property
    def fass(self) -> list[Point]:
        """The paper's fast kernel."""
        return self.of["fass"]

    def knee(self, scheme: str) -> int | None:
        """The least number of clients at which domains are taken from running spaces."""
        return notes.knee(self.of[scheme])


def published_values() -> notes.Anchors:
    """The published values that the notes compare with."""
    return notes.Anchors(
        flush=FLUSH_US.value,
        fass={clients: anchor.value for clients, anchor in FASS_US.items()},
        knee=int(KNEE.value),
    )


def job_name(scheme: str, clients: int) -> str:
    """The name of a point; its runs and their files are named by it."""
    return f"{scheme}-{clients:02}"


def job(scheme: str, clients: int, rounds: int, seed: int = 1) -> Job:
    """A run."""
    warmup = min(WARMUP, rounds)
    return Job(
        name=job_name(scheme, clients),
        guest=GUESTS[f"{BOARD}-{scheme}-bench-ipc"],
        machine=l4.machine(scheme, MACHINE),
        append=f"clients={clients}-{clients} rounds={rounds} warmup={warmup} seed={seed}",
        max_cycles=CYCLES_TO_START + (rounds + warmup) * CYCLES_A_ROUND,
        parameters={"scheme": scheme, "clients": clients},
    )


def records(found: Curves) -> list[Record]:
    """Every measured value."""
    made = []
    for point in (point for points in found.of.values() for point in points):
        anchor = {"flush": FLUSH_US, "fass": FASS_US.get(point.clients)}.get(point.scheme)
        made.append(_record(point, "round_trip", point.us, "us", anchor))
        made.append(_record(point, "round_trip_runs", len(point.means), "1"))
        if len(point.means) > 1:
            known = point.interval.uncertainty
            made.append(_record(point, "round_trip_uncertainty", known, "1"))
        made.append(_record(point, "round_trip_p5", point.p5_us, "us"))
        made.append(_record(point, "round_trip_p95", point.p95_us, "us"))
        for name in (*MISSES, *EVENTS):
            made.append(_record(point, name, point.rates[name], "per_round_trip"))
        for name in ("instructions", "cycles", *STALLS):
            made.append(_record(point, name, point.rates[name], "per_round_trip"))
    for scheme in COLUMNS[1:]:
        for flush, other in zip(found.flush, found[scheme], strict=True):
            anchor = SPEEDUP.get(other.clients) if scheme == "fass" else None
            made.append(_record(other, "speedup", flush.us / other.us, "ratio", anchor))
        knee = found.knee(scheme)
        if knee is not None:
            anchor = KNEE if scheme == "fass" else None
            machine = found.fass[0].machine
            made.append(
                Record("l4-ipc", machine, SYSTEM, scheme, "knee", knee, "clients", {}, anchor)
            )
    return made


def _record(
    point: Point, metric: str, value: float, unit: str, published: Published | None = None
) -> Record:
    return Record(
        experiment="l4-ipc",
        machine=point.machine,
        system=SYSTEM,
        scheme=point.scheme,
        metric=metric,
        parameters={"clients": point.clients},
        value=round(value, 6),
        unit=unit,
        published=published,
    )


def times(found: Curves) -> Table:
    """Both curves beside what the paper says of them."""
    rows = []
    for flush, fass, shared, single, tags in zip(*found.of.values(), strict=True):
        anchor = FASS_US.get(fass.clients)
        ratio = SPEEDUP.get(fass.clients)
        rows.append(
            [
                f"{flush.clients}",
                shown(flush),
                f"~{FLUSH_US.value:g}",
                shown(fass),
                f"{anchor.value:g}" if anchor else "",
                f"{flush.us / fass.us:.1f}",
                f">{ratio.value:g}" if ratio else "",
                shown(shared),
                shown(single),
                shown(tags),
            ]
        )
    return Table(
        title=f"Round-trip IPC, µs: {SPREAD} of the round trips; ≈: unstable",
        columns=[
            "clients", "flush", "paper", "fass", "paper", "flush/fass", "paper", "fass-shared",
            "single-space", "hardware tags",
        ],
        rows=rows,
        caption=f"published: {FLUSH_US.source.split(':')[0]} and Fig. 5, digits from the text only",
    )  # fmt: skip


def shown(point: Point) -> str:
    """A point's mean with the spread of its round trips."""
    ends = f"{point.p5_us:.2f}", f"{point.p95_us:.2f}"
    return spread(f"{point.us:.2f}", ends, point.interval)


def costs(points: list[Point]) -> Table:
    """What a round trip met, counted."""
    rows = []
    for point in points:
        if point.clients not in SHOWN:
            continue
        rate = point.rates
        rows.append(
            [
                f"{point.clients}",
                f"{rate['cycles']:.0f}",
                f"{rate['instructions']:.0f}",
                f"{rate['icache_misses']:.2f}",
                f"{rate['dcache_misses']:.2f}",
                f"{rate['itlb_misses']:.2f}",
                f"{rate['dtlb_misses']:.2f}",
                f"{rate['cache_flushes']:.3f}",
                f"{rate['tlb_flushes']:.3f}",
                f"{rate['domains_recycled']:.3f}",
                f"{rate['collisions']:.3f}",
                f"{rate['cpd_entries_loaded']:.3f}",
            ]
        )
    return Table(
        title=f"{points[0].scheme}: counted for each round trip",
        columns=[
            "clients", "cycles", "instr.", "I-miss", "D-miss", "ITLB", "DTLB",
            "cache fl.", "TLB fl.", "recycled", "collis.", "CPD",
        ],
        rows=rows,
    )  # fmt: skip


def figure(found: Curves) -> Figure:
    """Fig. 5 again.

    The axis is logarithmic: the curves are a factor of ten and more apart, and the knee is a
    matter of a few microseconds. So is the other one, for what happens up to the knee.
    """
    flush, fass = (
        [Mark(p.clients, p.us, *p.spread_us, half=p.interval.half) for p in points]
        for points in (found.flush, found.fass)
    )
    shared, single, tags = (
        [Mark(p.clients, p.us, half=p.interval.half) for p in found[scheme]]
        for scheme in ("fass-shared", "single-space", TAGS)
    )
    last = CLIENTS[-1]
    marks = flush + fass + shared + single + tags
    ys = [y for m in marks for y in (m.y, m.low, m.high) if y is not None]
    ys += [FLUSH_US.value, *(a.value for a in FASS_US.values())]
    # the labels stand in the gap between the schemes; both lines may be at the same place
    knees = [Knee(KNEE.value, f"published: knee at {KNEE.value:g} clients", 0.35, published=True)]
    knee = found.knee("fass")
    if knee is not None:
        knees.append(Knee(knee, f"measured: domains recycled from {knee} clients", 0.3))
    ticks = [0.5, 0.7, 1, 1.5, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300]
    low = max((t for t in ticks if t <= min(ys) * 0.75), default=0.5)
    high = min((t for t in ticks if t >= max(ys) * 1.1), default=300)
    return Figure(
        title="Round-trip IPC between address spaces: flushing against fast switching",
        subtitle=[
            f"StrongARM SA-1110 at 200 MHz; measured: simulated machine {MACHINE}, mean of "
            f"{found.fass[0].rounds:,} round trips;",
            "band: 5th to 95th percentile of the round trips; bars: 95 % confidence interval of "
            f"the mean, over {len(found.fass[0].means)} seeds;",
            "published: Wiggins et al. 2003, Fig. 5 (only what its text says in numbers)",
        ],
        x_title="client address spaces (log scale)",
        y_title="round trip, µs (log scale)",
        description=notes.alternative(found.of),
        series=[
            Series("flush", "flush, measured", flush),
            Series(
                "flush",
                "flush, published: around 135 µs",
                [Mark(1, FLUSH_US.value), Mark(last, FLUSH_US.value)],
                published=True,
            ),
            Series("fass", "fass, measured", fass),
            Series("fass-shared", "fass-shared, measured", shared),
            Series(
                "single-space",
                "single-space (no protection), measured",
                single,
            ),
            Series(TAGS, "hardware tags (the bound), measured", tags),
            Series(
                "fass",
                "fass, published: 10 to 12 µs",
                [Mark(clients, anchor.value) for clients, anchor in FASS_US.items()],
                published=True,
            ),
        ],
        knees=knees,
        log_y=True,
        y_range=(low, high),
        y_ticks=[t for t in ticks if low <= t <= high],
        x_ticks=[1, 2, 4, 8, 14, 24, 32, 48, last],
        log_x=True,
    )
