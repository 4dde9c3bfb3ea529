# SPDX-License-Identifier: Apache-2.0
"""IPC between spaces whose parts lie at the same addresses, where no PID register moves them apart.

Spaces hand a token on, in a ring; of UTCB, KIP, code and data the first c lie at the same address
above 32 MB in all of them, each in a megabyte of its own. `fass` has one entry of its directory for
a megabyte, so it has to exchange c of them at each switch. What it must not be is slower than
`flush`, which exchanges everything. No value of this is published.
"""

from collections.abc import Mapping

from switchyard.build import BOARD, GUESTS, TAGS
from switchyard.errors import RunError
from switchyard.experiments import l4
from switchyard.experiments.counted import Counted
from switchyard.experiments.experiment import FromRuns, Job, Outcome, Settings, Table
from switchyard.experiments.l4 import COLUMNS
from switchyard.machine import Stats
from switchyard.plot import Figure, Mark, Series
from switchyard.records import Record

NAME = "l4-collisions"
MACHINE = "sa1110"
SYSTEM = "switchyard-l4"
COLLIDING = range(5)
PARTS = ("UTCB", "KIP", "code", "data")
SPACES = (2, 4, 8, 14, 15, 16, 32, 64)
PAGES = 1
HOPS, QUICK_HOPS = 2_000, 200
# A flush of everything for each part that collides, 75,000 cycles each at worst (FASS, section 2).
CYCLES_A_HOP = 300_000
CYCLES_TO_START = 800_000_000
# In the figure: one line a scheme and number of megabytes; under flush none is the same as all.
SHOWN = (
    ("flush", 4), ("fass", 0), ("fass", 3), ("fass", 4), ("fass-shared", 4), ("single-space", 0),
    (TAGS, 4),
)  # fmt: skip
METRICS = (
    "cycles", "instructions", "cache_flushes", "tlb_flushes", "collisions", "cpd_entries_loaded",
    "domains_recycled", "icache_misses", "dcache_misses", "itlb_misses", "dtlb_misses",
)  # fmt: skip

Key = tuple[str, int, int]


def job_name(scheme: str, colliding: int, spaces: int) -> str:
    """The name of the run of a point."""
    return f"{scheme}-{colliding}-{spaces:02}"


def cases() -> list[Key]:
    """Scheme, megabytes, spaces; where all is one space nothing can lie at one address.

    With hardware tags it does not matter what does: all and nothing are enough.
    """
    few = {"single-space": (0,), TAGS: (0, len(PARTS))}
    return [
        (scheme, colliding, spaces)
        for scheme in COLUMNS
        for colliding in few.get(scheme, COLLIDING)
        for spaces in SPACES
    ]


class L4Collisions(FromRuns[Counted]):
    """One-way IPC by colliding megabytes and number of spaces, under every scheme."""

    name = NAME
    question = "What does IPC cost between spaces that lie at the same addresses?"
    source = "none published; FASS's weak spot: Wiggins et al., ACSAC 2003, section 3.1, collisions"

    band_metric = ("cycles", "cycles")
    band_system = SYSTEM
    band_label = "{scheme}-{colliding}-{spaces:02}"
    band_ratios: Mapping[str, tuple[str, str]] = {
        "fass over flush, 2 spaces, 3 MB": ("fass-3-02", "flush-3-02"),
        "fass over flush, 64 spaces, none": ("fass-0-64", "flush-0-64"),
    }

    def band_jobs(self, settings: Settings) -> list[Job]:
        """Code, KIP and UTCB of two spaces collide; nothing does with 64. Short runs."""
        return self.short_jobs(settings, {n for both in self.band_ratios.values() for n in both})

    def jobs(self, settings: Settings) -> list[Job]:
        """One run a scheme, number of colliding megabytes and number of spaces."""
        hops = settings.rounds or (QUICK_HOPS if settings.quick else HOPS)
        return [
            Job(
                name=job_name(scheme, colliding, spaces),
                guest=GUESTS[f"{BOARD}-{scheme}-bench-collisions"],
                machine=l4.machine(scheme, MACHINE),
                append=f"spaces={spaces} colliding={colliding} pages={PAGES} hops={hops}",
                max_cycles=CYCLES_TO_START + (hops + 6 * spaces) * CYCLES_A_HOP,
                parameters={"scheme": scheme, "colliding": colliding, "spaces": spaces},
            )
            for scheme, colliding, spaces in cases()
        ]

    def measure(self, job: Job, stats: Stats) -> Counted:
        """For one hop: a space's turn and the message to the next."""
        hops = stats.samples.get(2)
        if not hops:
            raise RunError(f"{job.name}: no sample from {job.guest.name} (stream 2)")
        return Counted.measured(stats, 1, int(hops[0]))

    def outcome(self, points: Mapping[str, Counted]) -> Outcome:
        """Records, a table a scheme, the figure, and where the cycles go."""
        found = {key: points[job_name(*key)] for key in cases()}
        return Outcome(
            records=_records(found),
            tables=[_table(found, scheme) for scheme in ("fass", "fass-shared")],
            figure=_figure(found),
            notes=_notes(found),
        )


def _records(found: Mapping[Key, Counted]) -> list[Record]:
    return [
        Record(
            experiment=NAME,
            machine=point.machine,
            system=SYSTEM,
            scheme=scheme,
            metric=metric,
            parameters={"colliding": colliding, "spaces": spaces},
            value=round(point.rates[metric], 6),
            unit="per_hop",
        )
        for (scheme, colliding, spaces), point in found.items()
        for metric in METRICS
    ]


def _over_flush(found: Mapping[Key, Counted], key: Key) -> float:
    scheme, colliding, spaces = key
    return found[scheme, colliding, spaces].cycles / found["flush", colliding, spaces].cycles


def _table(found: Mapping[Key, Counted], scheme: str) -> Table:
    rows = []
    for spaces in SPACES:
        cells = [
            f"{found[scheme, c, spaces].cycles:.0f} ({_over_flush(found, (scheme, c, spaces)):.2f})"
            for c in COLLIDING
        ]
        others = (found["flush", 0, spaces], found[TAGS, len(PARTS), spaces])
        rows.append([f"{spaces}", *cells, *(f"{one.cycles:.0f}" for one in others)])
    return Table(
        title=f"{scheme}: cycles one way (times what flush takes), by megabytes that collide",
        columns=["spaces", *(f"{c}" for c in COLLIDING), "flush", "hardware tags"],
        rows=rows,
        caption=f"in this order: {', '.join(PARTS)}; the turn's own work is in it; with tags all "
        "collide",
    )


def _figure(found: Mapping[Key, Counted]) -> Figure:
    series = [
        Series(
            f"{scheme} {colliding}",
            f"{'hardware tags' if scheme == TAGS else scheme}, "
            + (f"{colliding} MB collide" if colliding else "nothing collides"),
            [Mark(spaces, found[scheme, colliding, spaces].cycles) for spaces in SPACES],
        )
        for scheme, colliding in SHOWN
    ]
    cycles = [mark.y for one in series for mark in one.marks]
    ticks = [100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000]
    low = max((t for t in ticks if t <= min(cycles)), default=ticks[0])
    high = min((t for t in ticks if t >= max(cycles)), default=ticks[-1])
    return Figure(
        title="IPC between spaces that lie at the same addresses",
        subtitle=[
            f"StrongARM SA-1110 at 200 MHz, simulated machine {MACHINE}; one way, with the",
            f"turn's own work: {PAGES} page of data, and the message",
        ],
        x_title="spaces in the ring (log scale)",
        y_title="cycles one way (log scale)",
        description=_said(found),
        series=series,
        log_x=True,
        log_y=True,
        y_range=(low, high),
        y_ticks=[t for t in ticks if low <= t <= high],
        x_ticks=list(SPACES),
    )


def _said(found: Mapping[Key, Counted]) -> str:
    flush, free = found["flush", 4, 2], found["fass", 0, 2]
    return (
        f"Line chart over {SPACES[0]} to {SPACES[-1]} spaces. With two, flush takes "
        f"{flush.cycles:.0f} cycles, fass {free.cycles:.0f} if nothing collides and "
        f"{found['fass', 4, 2].cycles:.0f} if four megabytes do."
    )


def _notes(found: Mapping[Key, Counted]) -> list[str]:
    return [_worst(found, s) for s in ("fass", "fass-shared")] + [
        _where(found),
        _free(found),
        _bound(found),
    ]


def _worst(found: Mapping[Key, Counted], scheme: str) -> str:
    keys = [key for key in found if key[0] == scheme and key[1] > 0]
    worst = max(keys, key=lambda key: _over_flush(found, key))
    flushes = max(found[key].rates["cache_flushes"] for key in keys)
    return (
        f"{scheme}: at most {_over_flush(found, worst):.2f} times what flush takes, with {worst[2]}"
        f" spaces and {worst[1]} MB; at most {flushes:.2f} flushes of the caches a hop, however "
        "many megabytes collide: who collides each time steps aside, switched to as by flush."
    )


def _where(found: Mapping[Key, Counted]) -> str:
    one, other = found["fass", 3, 2], found["flush", 3, 2]

    def more(name: str) -> float:
        return one.rates[name] - other.rates[name]

    return (
        f"Two spaces, code, KIP and UTCB collide: fass takes {more('cycles'):+.0f} cycles against "
        f"flush, with {more('icache_misses'):+.1f} lines of instructions, "
        f"{more('dcache_misses'):+.1f} of data, {more('instructions'):+.0f} instructions: what it "
        "must look at to know that the two are aside. As the instruction cache is empty after each "
        "flush, all of that code is fetched anew each time."
    )


def _free(found: Mapping[Key, Counted]) -> str:
    rates = found["fass", 0, 64].rates
    return (
        f"Nothing collides: {found['fass', 0, 2].cycles:.0f} cycles with two spaces; in a ring of "
        f"64 each hop recycles {rates['domains_recycled']:.2f} domains and flushes the caches "
        f"{rates['cache_flushes']:.2f} times: {found['fass', 0, 64].cycles:.0f} cycles."
    )


def _bound(found: Mapping[Key, Counted]) -> str:
    every = len(PARTS)
    said = ", ".join(
        f"{found[TAGS, every, n].cycles:.0f} with {n} spaces ({found[TAGS, 0, n].cycles:.0f} where "
        f"nothing collides, fass {found['fass', every, n].cycles:.0f} and "
        f"{found['fass', 0, n].cycles:.0f})"
        for n in (SPACES[0], SPACES[-1])
    )
    return (
        f"With hardware tags, the bound of all ways to switch, where all {every} megabytes collide "
        f"a hop takes these cycles: {said}."
    )
