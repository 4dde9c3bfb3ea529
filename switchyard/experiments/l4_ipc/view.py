# SPDX-License-Identifier: Apache-2.0
"""Fig. 5 again: both curves beside what the paper says of them, and what a round trip met."""

from collections.abc import Sequence
from dataclasses import dataclass

from switchyard.data.rows import Row, Rows, pivot, unsteady
from switchyard.data.summary import SPREAD
from switchyard.experiments import l4_pc
from switchyard.experiments.l4 import ABOUT, CLOCK_MHZ, COLUMNS, MACHINE, UNPROTECTED, called
from switchyard.experiments.l4_ipc.measure import BAND_CLIENTS, CLIENTS, RECYCLING, band_name
from switchyard.run.build import TAGS
from switchyard.show.figure import Figure, Knee, Mark, Series, Table, log_axis
from switchyard.show.views import Results, View

# Beyond the paper's two kernels, which the figure has beside what was published.
OTHERS = tuple(scheme for scheme in COLUMNS if scheme not in ("flush", "fass"))
SHOWN = (1, 2, 4, 8, 12, 14, 15, 16, 18, 20, 24, 32, 48, 64)  # in the tables of counters
# Where the price of protection is told: alone, before and after the knee, at the figure's end.
PRICED = (1, 14, 16, 24, 64)
# What one full flush reads by itself: it cleans the data caches by filling each of their lines from
# the zeros bank, 8 KB and 512 bytes in lines of 32 (kernel/arch/arm/cpu/sa1110/cpu.c). Such a fill
# costs no access to memory, so it must not be priced as one.
FLUSH_FILLS = (8192 + 512) // 32
TICKS = (0.5, 0.7, 1, 1.5, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300)
COUNTED = {
    "cycles": ("cycles", 0), "instr.": ("instructions", 0), "I-miss": ("icache_misses", 2),
    "D-miss": ("dcache_misses", 2), "ITLB": ("itlb_misses", 2), "DTLB": ("dtlb_misses", 2),
    "cache fl.": ("cache_flushes", 3), "TLB fl.": ("tlb_flushes", 3),
    "recycled": ("domains_recycled", 3), "collis.": ("collisions", 3),
    "CPD": ("cpd_entries_loaded", 3),
}  # fmt: skip


@dataclass(frozen=True)
class Said:
    """The published values; of fass by number of clients."""

    flush: float
    fass: dict[int, float]
    knee: float


def _said(results: Results) -> Said:
    fass = {n: results.paper("round_trip", scheme="fass", clients=n) for n in CLIENTS}
    return Said(
        results.published("round_trip", machine=MACHINE, scheme="flush"),
        {n: us for n, us in fass.items() if us is not None},
        results.published("knee", scheme="fass"),
    )


def view(results: Results) -> View:
    """The paper's curves and the others, the text's words."""
    rows, pc = l4_pc.apart(results.rows)
    said = _said(results)
    curves = {scheme: rows.select("round_trip", scheme=scheme) for scheme in COLUMNS}
    flush, fass = curves["flush"], curves["fass"]
    knees = rows.select("knee", scheme="fass")
    knee = int(knees[0]["knee"]) if knees else None
    mean = sum(row["round_trip"] for row in flush) / len(flush)
    price = _price([*flush, *fass])
    last = flush[-1]

    def at(scheme: str, clients: int) -> Row:
        return rows.find(scheme=scheme, clients=clients)

    def most_shared(recycled: bool) -> float:
        """By what share fass-shared differs most from fass."""
        return max(
            (
                shared["round_trip"] / row["round_trip"] - 1
                for row, shared in zip(fass, curves["fass-shared"], strict=True)
                if (row["domains_recycled"] > RECYCLING) == recycled
            ),
            key=abs,
            default=0.0,
        )

    words = {
        "flush": flush, "fass": fass, "single": curves["single-space"], "at": at,
        "published": said, "clock": CLOCK_MHZ, "price": price, "mean": mean, "knee": knee,
        "flush_fills": FLUSH_FILLS, "recycling": RECYCLING, "priced": PRICED,
        "flat": max(abs(row["round_trip"] / mean - 1) for row in flush) < 0.05,
        "zeros": (last["fill_stall_cycles"] - _fills(last) * price)
        / (last["cache_flushes"] * FLUSH_FILLS),
        "fills": _fills, "parts": lambda row: _parts(row, price), "most_shared": most_shared,
    }  # fmt: skip
    counted = [
        pivot(
            f"{scheme}: counted for each round trip",
            "clients",
            [(f"{n}", at(scheme, n)) for n in SHOWN],
            COUNTED,
        )
        for scheme in COLUMNS
    ]
    every = [
        (f"{row.where['scheme']} with {row.where['clients']} clients", row)
        for curve in curves.values()
        for row in curve
    ]
    on_pc = {scheme: pc.select("round_trip", scheme=scheme) for scheme in l4_pc.there(pc)}
    words |= {"pc": on_pc, "pc_clock": l4_pc.CLOCK_MHZ}
    every += [
        (f"{row.where['scheme']} with {row.where['clients']} clients, {l4_pc.MACHINE}", row)
        for curve in on_pc.values()
        for row in curve
    ]
    return View(
        [_times(rows), *counted, *([_pc_table(on_pc)] if on_pc else [])],
        {"": _figure(results, curves, said, knee), **({"pc": _pc_figure(on_pc)} if on_pc else {})},
        words,
        unsteady(every, "round_trip"),
    )


def _fills(row: Row) -> float:
    """Lines filled from memory in a round trip: all fills but those of the flushes themselves."""
    every = row["icache_misses"] + row["dcache_misses"]
    return max(every - row["cache_flushes"] * FLUSH_FILLS, 0.0)


def _price(rows: Sequence[Row]) -> float:
    """Cycles that a fill from memory stalls for, where no flush blurs it."""
    most = max((row for row in rows if row["cache_flushes"] == 0), key=_fills)
    return most["fill_stall_cycles"] / _fills(most)


def _parts(row: Row, price: float) -> str:
    """Where the cycles of a round trip went, largest first."""
    total, stall = row["cycles"], row["fill_stall_cycles"]
    refills = min(_fills(row) * price, stall) if row["cache_flushes"] else stall
    parts = {
        f"{_fills(row):.1f} line fills from memory": refills,
        "the reads by which flushes clean the data caches": stall - refills,
        f"{row['itlb_misses'] + row['dtlb_misses']:.1f} TLB walks": row["walk_stall_cycles"],
        "waiting for the write buffer": row["write_buffer_stall_cycles"],
    }
    parts[f"executing {row['instructions']:.0f} instructions"] = total - sum(parts.values())
    told = [
        f"{cycles / total:.0%} for {what}"
        for what, cycles in sorted(parts.items(), key=lambda part: -part[1])
        if cycles / total >= 0.005
    ]
    return f"a round trip with its loop takes {total:.0f} cycles: {', '.join(told)}"


def _times(rows: Rows) -> Table:
    schemes = ("flush", "fass", *OTHERS)
    table = []
    for clients in CLIENTS:
        by = {scheme: rows.find(scheme=scheme, clients=clients) for scheme in schemes}
        spreads = (row.spread("round_trip", "{:.2f}".format) for row in by.values())
        table.append([f"{clients}", *spreads, f"{by['fass']['speedup']:.1f}"])
    return Table(
        title=f"Round-trip IPC, µs: {SPREAD} of the round trips; ≈: unstable",
        columns=["clients", *(called(scheme) for scheme in schemes), "flush/fass"],
        rows=table,
    )


def _in_full(scheme: str) -> str:
    """A scheme in the figure's words."""
    if scheme == TAGS:
        return f"{called(scheme)} (the bound)"
    return f"{called(scheme)} (no protection)" if scheme in UNPROTECTED else called(scheme)


def _figure(results: Results, curves: dict[str, Rows], said: Said, knee: int | None) -> Figure:
    """The paper's figure, on logarithmic axes.

    The curves are a factor of ten and more apart, and the knee is a matter of a few microseconds.
    The labels of the knees stand in the gap between the schemes.
    """
    marks = {
        scheme: [
            row.mark("clients", "round_trip", spread=scheme in ("flush", "fass")) for row in curve
        ]
        for scheme, curve in curves.items()
    }
    last = CLIENTS[-1]
    ys = [y for some in marks.values() for m in some for y in (m.y, m.low, m.high) if y is not None]
    ys += [said.flush, *said.fass.values()]
    knees = [Knee(said.knee, f"published: knee at {said.knee:g} clients", 0.35, published=True)]
    if knee is not None:
        knees.append(Knee(knee, f"measured: domains recycled from {knee} clients", 0.3))
    (low, high), y_ticks = log_axis(TICKS, ys, 0.75, 1.1)
    series = [
        Series("flush", "flush, measured", marks["flush"], band="5th to 95th percentile"),
        Series(
            "flush",
            "flush, published: around 135 µs",
            [Mark(1, said.flush), Mark(last, said.flush)],
            published=True,
        ),
        Series("fass", "fass, measured", marks["fass"], band="5th to 95th percentile"),
        *(Series(scheme, f"{_in_full(scheme)}, measured", marks[scheme]) for scheme in OTHERS),
        Series(
            "fass",
            "fass, published: 10 to 12 µs",
            [Mark(clients, value) for clients, value in said.fass.items()],
            published=True,
        ),
    ]
    y_range = low, high
    if results.band:
        swings = {n: results.band.swings[band_name("flush", n)] for n in BAND_CLIENTS}
        assumed = [Mark(n, swing.nominal, swing.low, swing.high) for n, swing in swings.items()]
        told = "flush: over the ranges of assumed constants"
        series.append(Series("flush", told, assumed, line=False))
        y_range = (
            min(low, *(swing.low for swing in swings.values())),
            max(high, *(1.1 * swing.high for swing in swings.values())),
        )
    first = curves["fass"][0]
    return Figure(
        title="Round-trip IPC between address spaces: flushing against fast switching",
        subtitle=[
            f"{ABOUT}; measured: simulated machine {MACHINE}, mean of "
            f"{first['round_trip_samples']:,} round trips;",
            "bands: 5th to 95th percentile of the round trips; bars: 95 % confidence interval of "
            f"the mean, over {first['round_trip_runs']} seeds;",
            "published: Wiggins et al. 2003, Fig. 5 (only what its text says in numbers)",
        ],
        x_title="client address spaces (log scale)",
        y_title="round trip, µs (log scale)",
        description=_described(curves),
        series=series,
        knees=knees,
        log_y=True,
        y_range=y_range,
        y_ticks=y_ticks,
        x_ticks=[1, 2, 4, 8, 14, 24, 32, 48, last],
        log_x=True,
    )


def _described(curves: dict[str, Rows]) -> str:
    """The figure in words, for who cannot see it."""
    us = {scheme: [row["round_trip"] for row in curve] for scheme, curve in curves.items()}
    flush, fass, single, tags = (us[s] for s in ("flush", "fass", "single-space", TAGS))
    return (
        f"Line chart of round-trip IPC time over {CLIENTS[0]} to {CLIENTS[-1]} client address "
        f"spaces. Flush lies between {min(flush):.1f} and {max(flush):.1f} microseconds. Fast "
        f"address-space switching starts at {fass[0]:.1f} and ends at {fass[-1]:.1f} microseconds, "
        f"with shared domains alike. One space without protection takes {single[0]:.1f} to "
        f"{single[-1]:.1f}, hardware tags {tags[0]:.1f} to {tags[-1]:.1f}."
    )


def _cycles(row: Row) -> float:
    """What is told on the PC, where prices are cycles."""
    return row["round_trip"] * l4_pc.CLOCK_MHZ


def _pc_table(curves: dict[str, Rows]) -> Table:
    return Table(
        title=f"Round-trip IPC on {l4_pc.MACHINE}, cycles, and what it met",
        columns=["clients", *(f"{s}: {name}" for s in curves for name in ("cycles", *l4_pc.MET))],
        rows=[
            [
                f"{clients}",
                *(
                    text
                    for curve in curves.values()
                    for row in [curve.find(clients=clients)]
                    for text in (
                        row.approx("round_trip", lambda us: f"{us * l4_pc.CLOCK_MHZ:.0f}"),
                        *(f"{row[name]:.{digits}f}" for name, digits in l4_pc.MET.values()),
                    )
                ),
            ]
            for clients in SHOWN
        ],
        caption=l4_pc.MEANT,
    )


def _pc_figure(curves: dict[str, Rows]) -> Figure:
    first = next(iter(curves.values()))[0]
    ends = ", ".join(
        f"{scheme} {_cycles(curve[0]):.0f} to {_cycles(curve[-1]):.0f}"
        for scheme, curve in curves.items()
    )
    return Figure(
        title="Round-trip IPC between address spaces on a Pentium 4",
        subtitle=[
            f"{l4_pc.ABOUT}; simulated machine {l4_pc.MACHINE}, mean of "
            f"{first['round_trip_samples']:,} round trips;",
            f"bars: 95 % confidence interval of the mean, over {first['round_trip_runs']} seeds",
        ],
        x_title="client address spaces (log scale)",
        y_title="round trip, cycles",
        description=f"Line chart of cycles over 1 to {CLIENTS[-1]} client address spaces: {ends}.",
        series=[
            Series(
                scheme,
                scheme,
                [
                    Mark(
                        float(row.where["clients"]),
                        _cycles(row),
                        half=row.interval("round_trip").half * l4_pc.CLOCK_MHZ,
                    )
                    for row in curve
                ],
            )
            for scheme, curve in curves.items()
        ],
        x_ticks=[1, 2, 4, 8, 14, 24, 32, 48, CLIENTS[-1]],
        log_x=True,
    )
