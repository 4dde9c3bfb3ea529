# SPDX-License-Identifier: Apache-2.0
"""Fig. 5 again: both curves beside what the paper says of them, and what a round trip met."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from switchyard.experiments import l4_pc
from switchyard.experiments.l4 import ABOUT, CLOCK_MHZ, COLUMNS, MACHINE, UNPROTECTED, called
from switchyard.experiments.l4_ipc.measure import BAND_CLIENTS, CLIENTS, RECYCLING, band_name
from switchyard.run.build import TAGS
from switchyard.show import declared as show

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
X_TICKS = [1, 2, 4, 8, 14, 24, 32, 48, CLIENTS[-1]]
AXES = "round trip, µs over client address spaces"
PERCENTILES = "5th to 95th percentile"
COUNTED = {
    "cycles": ("cycles", 0), "instr.": ("instructions", 0), "I-miss": ("icache_misses", 2),
    "D-miss": ("dcache_misses", 2), "ITLB": ("itlb_misses", 2), "DTLB": ("dtlb_misses", 2),
    "cache fl.": ("cache_flushes", 3), "TLB fl.": ("tlb_flushes", 3),
    "recycled": ("domains_recycled", 3), "collis.": ("collisions", 3),
    "CPD": ("cpd_entries_loaded", 3),
}  # fmt: skip
# On the PC prices are told in cycles.
MET_PC: show.Columns = {
    "cycles": lambda row: row.approx("round_trip", lambda us: f"{us * l4_pc.CLOCK_MHZ:.0f}"),
    **l4_pc.MET,
}


def fills(row: show.Row) -> float:
    """Lines filled from memory in a round trip: all fills but those of the flushes themselves."""
    every = row["icache_misses"] + row["dcache_misses"]
    return max(every - row["cache_flushes"] * FLUSH_FILLS, 0.0)


def view(results: show.Results) -> show.View:
    rows, pc_rows = l4_pc.apart(results.rows)
    curves = {scheme: rows.select("round_trip", scheme=scheme) for scheme in COLUMNS}
    pc = {s: pc_rows.select("round_trip", scheme=s) for s in l4_pc.there(pc_rows)}
    flush, fass, single = (curves[scheme] for scheme in ("flush", "fass", "single-space"))
    said = results.published("round_trip", machine=MACHINE, scheme="flush")
    every = {n: results.paper("round_trip", scheme="fass", clients=n) for n in CLIENTS}
    papers = {n: us for n, us in every.items() if us is not None}
    said_knee = results.published("knee", scheme="fass")
    knee = next((int(row["knee"]) for row in rows.select("knee", scheme="fass")), None)
    at, clock = rows.by("scheme", "clients"), CLOCK_MHZ
    mean = sum(row["round_trip"] for row in flush) / len(flush)
    flat = max(abs(row["round_trip"] / mean - 1) for row in flush) < 0.05
    # cycles that a fill from memory stalls for, where no flush blurs it
    unblurred = max((row for row in (*flush, *fass) if row["cache_flushes"] == 0), key=fills)
    price = unblurred["fill_stall_cycles"] / fills(unblurred)

    def most_shared(recycled: bool) -> float:
        """By what share fass-shared differs most from fass."""
        pairs = zip(fass, curves["fass-shared"], strict=True)
        some = [(a, b) for a, b in pairs if (a["domains_recycled"] > RECYCLING) == recycled]
        return max((b["round_trip"] / a["round_trip"] - 1 for a, b in some), key=abs, default=0.0)

    def parts(row: show.Row) -> str:
        """Where the cycles of a round trip went, largest first."""
        total, stall = row["cycles"], row["fill_stall_cycles"]
        refills = min(fills(row) * price, stall) if row["cache_flushes"] else stall
        by = {
            f"{fills(row):.1f} line fills from memory": refills,
            "the reads by which flushes clean the data caches": stall - refills,
            f"{row['itlb_misses'] + row['dtlb_misses']:.1f} TLB walks": row["walk_stall_cycles"],
            "waiting for the write buffer": row["write_buffer_stall_cycles"],
        }
        by[f"executing {row['instructions']:.0f} instructions"] = total - sum(by.values())
        ordered = sorted(by.items(), key=lambda part: -part[1])
        large = [(what, cycles / total) for what, cycles in ordered if cycles / total >= 0.005]
        told = [f"{share:.0%} for {what}" for what, share in large]
        return f"a round trip with its loop takes {total:.0f} cycles: {', '.join(told)}"

    by_clients = {f"{n}": show.across(rows, "scheme", COLUMNS, clients=n) for n in CLIENTS}
    spread = show.spread("round_trip", 2)
    times = {called(s): show.under(s, spread) for s in ("flush", "fass", *OTHERS)}
    times["flush/fass"] = show.under("fass", ("speedup", 1))
    title = f"Round-trip IPC, µs: {show.SPREAD} of the round trips; ≈: unstable"
    tables = [show.table(title, "clients", by_clients, times)]
    for scheme in COLUMNS:
        met = {f"{n}": at(scheme, n) for n in SHOWN}
        tables.append(show.table(f"{scheme}: counted for each round trip", "clients", met, COUNTED))

    def figure() -> show.Figure:
        """The paper's figure, on logarithmic axes.

        The curves are a factor of ten and more apart, and the knee is a matter of a few
        microseconds. The labels of the knees stand in the gap between the schemes.
        """
        both, last, x, y = ("flush", "fass"), CLIENTS[-1], "clients", "round_trip"
        lines = {
            s: show.line(f"{_in_full(s)}, measured", rows, x, y, kind=s, spread=s in both)
            for s, rows in curves.items()
        }
        flush, fass = (replace(lines[s], band=PERCENTILES) for s in both)
        series = [
            flush,
            *show.published("flush", "flush, published: around 135 µs", {1: said, last: said}),
            fass,
            *(lines[scheme] for scheme in OTHERS),
            *show.published("fass", "fass, published: 10 to 12 µs", papers),
        ]
        label = f"published: knee at {said_knee:g} clients"
        knees = [show.Knee(said_knee, label, 0.35, published=True)]
        if knee is not None:
            knees.append(show.Knee(knee, f"measured: domains recycled from {knee} clients", 0.3))
        marks = [mark for curve in series for mark in curve.marks]
        ys = [y for m in marks for y in (m.y, m.low, m.high) if y is not None]
        (low, high), y_ticks = show.log_axis(TICKS, ys, 0.75, 1.1)
        if results.band:
            swings = {n: results.band.swings[band_name("flush", n)] for n in BAND_CLIENTS}
            band = [show.Mark(n, by.nominal, by.low, by.high) for n, by in swings.items()]
            told = "flush: over the ranges of assumed constants"
            series.append(show.Series("flush", told, band, line=False))
            low = min(low, *(swing.low for swing in swings.values()))
            high = max(high, *(1.1 * swing.high for swing in swings.values()))
        first = curves["fass"][0]
        return show.lines(
            "Round-trip IPC between address spaces: flushing against fast switching",
            f"{ABOUT}; measured: simulated machine {MACHINE}, mean of "
            f"{first['round_trip_samples']:,} round trips;\nbands: {PERCENTILES} of the round "
            "trips; bars: 95 % confidence interval of the mean, over "
            f"{first['round_trip_runs']} seeds;\npublished: Wiggins et al. 2003, Fig. 5 (only what "
            "its text says in numbers)",
            show.Axes(AXES, "xy", x_ticks=X_TICKS, y_ticks=y_ticks, y_range=(low, high)),
            series,
            knees,
        )

    figures = {"": figure()}
    if pc:
        title = f"Round-trip IPC on {l4_pc.MACHINE}, cycles, and what it met"
        on_pc = {f"{n}": show.across(pc_rows, "scheme", pc, clients=n) for n in SHOWN}
        tables.append(show.table(title, "clients", on_pc, show.each(pc, MET_PC), l4_pc.MEANT))
        figures["pc"] = _on_pc(pc)
    ran = [(row, "") for curve in curves.values() for row in curve]
    ran += [(row, f", {l4_pc.MACHINE}") for curve in pc.values() for row in curve]
    where = "{scheme} with {clients} clients"
    names = [(where.format(**row.where) + on, row) for row, on in ran]
    return show.View(tables, figures, locals(), show.unsteady(names, "round_trip"))


def _in_full(scheme: str) -> str:
    """A scheme in the figure's words."""
    text = called(scheme) + (" (no protection)" if scheme in UNPROTECTED else "")
    return f"{text} (the bound)" if scheme == TAGS else text


def _on_pc(curves: Mapping[str, Sequence[show.Row]]) -> show.Figure:
    """In cycles, on a linear axis."""
    clock, first = l4_pc.CLOCK_MHZ, next(iter(curves.values()))[0]
    marks = {
        scheme: [
            replace(mark, y=mark.y * clock, half=row.interval("round_trip").half * clock)
            for row in curve
            for mark in [row.mark("clients", "round_trip")]
        ]
        for scheme, curve in curves.items()
    }
    return show.lines(
        "Round-trip IPC between address spaces on a Pentium 4",
        f"{l4_pc.ABOUT}; simulated machine {l4_pc.MACHINE}, mean of "
        f"{first['round_trip_samples']:,} round trips;\n"
        f"bars: 95 % confidence interval of the mean, over {first['round_trip_runs']} seeds",
        show.Axes("round trip, cycles over client address spaces", log="x", x_ticks=X_TICKS),
        [show.Series(scheme, scheme, some) for scheme, some in marks.items()],
    )
