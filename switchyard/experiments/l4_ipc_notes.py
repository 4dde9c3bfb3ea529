# SPDX-License-Identifier: Apache-2.0
"""Why l4-ipc deviates from what was published, said from the counters of the run at hand.

No sentence here holds a measured number or a verdict of its own: each is worked out from the
points, and says the opposite when they do.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from switchyard.build import TAGS
from switchyard.experiments.l4_ipc_point import Point

# A deviation that is not worth a reason.
CLOSE = 0.10
# Where the price of protection is told: alone, before and after the knee, at the figure's end.
PRICED = (1, 14, 16, 24, 64)
# Below this many recycled domains a round trip, a few at the edge of the region are no knee.
RECYCLING = 0.001
# What one full flush reads by itself: it cleans the data caches by filling each of their lines from
# the zeros bank, 8 KB and 512 bytes in lines of 32 (kernel/arch/arm/cpu/sa1110/cpu.c). Such a fill
# costs no access to memory, so it must not be priced as one.
FLUSH_FILLS = (8192 + 512) // 32
# Section 2 of the paper: "cache misses (≈ 70 cycles per line) and TLB misses (≈ 45 cycles per
# entry)".
PAPER_FILL, PAPER_WALK = 70, 45


@dataclass(frozen=True)
class Anchors:
    """The published values: flush at any number of clients, fass at some, and the knee."""

    flush: float
    fass: Mapping[int, float]
    knee: int


def knee(fass: Sequence[Point]) -> int | None:
    """The least number of clients from which on domains are recycled."""
    for point in fass:
        if point.rates["domains_recycled"] > RECYCLING:
            return point.clients
    return None


def notes(of: Mapping[str, Sequence[Point]], published: Anchors) -> list[str]:
    """A paragraph for each published statement, in the paper's order; then the other schemes."""
    flush, fass = of["flush"], of["fass"]
    price = fill_price([*flush, *fass])
    made = [_flush_level(flush, published.flush, price), _prices(flush[-1], price)]
    by_clients = {point.clients: point for point in fass}
    for clients, value in published.fass.items():
        made.append(_fass_level(by_clients[clients], value, price))
    made.append(_rise(by_clients, published))
    made.append(_knee_place(fass, published.knee))
    made.append(_beyond_knee(flush, fass))
    made.append(_shared(fass, of["fass-shared"]))
    made += _protection(fass, of["single-space"])
    made.append(_bound(fass, of[TAGS]))
    return [paragraph for paragraph in made if paragraph]


def alternative(of: Mapping[str, Sequence[Point]]) -> str:
    """The figure in words, for who cannot see it."""
    flush, fass, single, tags = of["flush"], of["fass"], of["single-space"], of[TAGS]
    return (
        f"Line chart of round-trip IPC time over {flush[0].clients} to {flush[-1].clients} client "
        f"address spaces. Flush lies between {_least(flush):.1f} and {_most(flush):.1f} "
        f"microseconds. Fast address-space switching starts at {fass[0].us:.1f} and ends at "
        f"{fass[-1].us:.1f} microseconds, with shared domains alike. One space without protection "
        f"takes {single[0].us:.1f} to {single[-1].us:.1f}, hardware tags {tags[0].us:.1f} to "
        f"{tags[-1].us:.1f}."
    )


def fills(point: Point) -> float:
    """Lines filled from memory in a round trip: all fills but those of the flushes themselves."""
    every = point.rates["icache_misses"] + point.rates["dcache_misses"]
    return max(every - point.rates["cache_flushes"] * FLUSH_FILLS, 0.0)


def fill_price(points: Sequence[Point]) -> float:
    """Cycles that a fill from memory stalls for, where no flush blurs it; 0 if nothing tells."""
    pure = [p for p in points if p.rates["cache_flushes"] == 0 and fills(p) >= 0.1]
    if not pure:
        return 0.0
    most = max(pure, key=fills)
    return most.rates["fill_stall_cycles"] / fills(most)


def parts(point: Point, price: float) -> str:
    """Where the cycles of a round trip went, largest first."""
    total = point.rates["cycles"]
    walks = point.rates["itlb_misses"] + point.rates["dtlb_misses"]
    stall = point.rates["fill_stall_cycles"]
    refills = min(fills(point) * price, stall) if point.rates["cache_flushes"] else stall
    stalls = {
        f"{fills(point):.1f} line fills from memory": refills,
        "the reads by which flushes clean the data caches": stall - refills,
        f"{walks:.1f} TLB walks": point.rates["walk_stall_cycles"],
        "waiting for the write buffer": point.rates["write_buffer_stall_cycles"],
    }
    rest = total - sum(stalls.values())
    stalls[f"executing {point.rates['instructions']:.0f} instructions"] = rest
    said = [
        f"{cycles / total:.0%} for {what}"
        for what, cycles in sorted(stalls.items(), key=lambda item: -item[1])
        if cycles / total >= 0.005
    ]
    return f"a round trip with its loop takes {total:.0f} cycles: {', '.join(said)}"


def _flush_level(flush: Sequence[Point], published: float, price: float) -> str:
    low, high = _least(flush), _most(flush)
    mean = sum(point.us for point in flush) / len(flush)
    spread = (high - low) / mean
    shape = "flat, as published" if spread < CLOSE else f"not flat: it varies by {spread:.0%}"
    last = flush[-1]
    text = (
        f"flush: {low:.1f} to {high:.1f} µs over {flush[0].clients} to {last.clients} clients "
        f"({shape}), {_against(mean, published)} the published {published:g} µs. At "
        f"{last.clients} clients {parts(last, price)}; the caches are flushed "
        f"{last.rates['cache_flushes']:.2f} times."
    )
    missing = (published - mean) * last.clock_mhz
    if abs(published - mean) / published > CLOSE and price > 0:
        sign = "more" if missing > 0 else "fewer"
        text += (
            f" The difference of {abs(missing):.0f} cycles is what {abs(missing) / price / 2:.0f} "
            f"{sign} lines to refill after each of the two switches would cost, beside the "
            f"{fills(last) / 2:.0f} here: a kernel and a benchmark that use that much {sign} code "
            f"and data are one explanation.{_zeros(last, missing, price)}"
        )
    return text


def _zeros(point: Point, missing: float, price: float) -> str:
    """The other explanation: what a line of the zeros bank costs."""
    lines = point.rates["cache_flushes"] * FLUSH_FILLS
    if lines == 0:
        return ""
    here = max(point.rates["fill_stall_cycles"] - fills(point) * price, 0.0) / lines
    needed = here + missing / lines
    text = (
        " The other is the price of a line of the zeros bank, by reading which a flush cleans the "
        'data caches: the manual has no more of it than "without incurring an external memory '
        f'latency" (SA-1100, 6.2.3), here it stalls for {here:.1f} cycles (assumed)'
    )
    if needed < 0:
        return f"{text}, and even for nothing the difference would not be made up."
    return (
        f"{text}, and {needed:.1f} would give the published time with not a line more. Nothing "
        "here tells the two apart."
    )


def _prices(point: Point, price: float) -> str:
    walk = point.cost("walk_stall_cycles", "itlb_misses", "dtlb_misses")
    fill = f"{price:.0f} cycles" if price > 0 else "an unknown time, no point tells it apart,"
    return (
        f"Prices: a line fill from memory stalled for {fill} on average (the paper says about "
        f"{PAPER_FILL}), a TLB miss for {walk:.0f} (about {PAPER_WALK})."
    )


def _fass_level(point: Point, published: float, price: float) -> str:
    text = (
        f"fass, {_clients(point.clients)}: {point.us:.2f} µs, {_against(point.us, published)} the "
        f"published {published:g} µs; {parts(point, price)}."
    )
    if point.us < published * (1 - CLOSE):
        gap = published * point.clock_mhz - point.cycles
        text += (
            f" The paper calls its {published * point.clock_mhz:.0f} cycles a mostly unoptimised "
            "kernel with possibly an excessive cache footprint, expects less than 5 µs of the "
            f"generic code and 2 µs of an optimised path; the {gap:.0f} cycles between are put "
            "down to that kernel's instructions and misses."
        )
    elif point.us > published * (1 + CLOSE):
        text += " The kernel here is the slower one: the counters say where."
    return text


def _rise(fass: Mapping[int, Point], published: Anchors) -> str:
    first, *_, last = (fass[clients] for clients in sorted(published.fass))
    expected = published.fass[last.clients] - published.fass[first.clients]
    text = (
        f"From {_clients(first.clients)} to {last.clients} fass changes by "
        f"{last.us - first.us:+.2f} µs (published: {expected:+g} µs)"
    )
    grown = [
        f"{last.rates[name] - first.rates[name]:.2f} {name.replace('_', ' ')}"
        for name in ("icache_misses", "dcache_misses", "itlb_misses", "dtlb_misses")
        if last.rates[name] - first.rates[name] >= 0.05
    ]
    if not grown:
        return text + ", with no more misses: the working sets fit TLBs and caches."
    return (
        f"{text}, with {', '.join(grown)} more a round trip: competition for TLB entries and cache "
        "lines, the cause that the paper supposes."
    )


def _knee_place(fass: Sequence[Point], published: int) -> str:
    found = knee(fass)
    if found is None:
        return (
            f"No domain was recycled up to {fass[-1].clients} clients, where the paper has a knee "
            f"at {published}."
        )
    before = next((p for p in fass if p.clients == found - 1), None)
    at = next(p for p in fass if p.clients == found)
    text = (
        f"Knee: the first domains are recycled with {found} clients (published: {published}), "
        f"{at.rates['domains_recycled']:.3f} a round trip"
    )
    if before is not None:
        text += f"; the round trip goes from {before.us:.2f} to {at.us:.2f} µs there"
    if found != published:
        text += (
            f". The difference of {abs(found - published)} is the number of spaces beside server "
            "and clients that hold a domain here and not there"
            if found < published
            else f". {found - published} domains more are to be had here than in the paper's kernel"
        )
    return text + "."


def _beyond_knee(flush: Sequence[Point], fass: Sequence[Point]) -> str:
    last = fass[-1]
    flushes, recycled = last.rates["cache_flushes"], last.rates["domains_recycled"]
    if knee(fass) is None or flushes == 0:
        return ""
    share = last.us / flush[-1].us
    below = "below" if share < 1 else "above"
    return (
        f"Beyond the knee one flush serves {recycled / flushes:.1f} recyclings: with "
        f"{last.clients} clients {recycled:.2f} domains are recycled, {flushes:.2f} flushes "
        f"made and {last.rates['cpd_entries_loaded']:.2f} entries of the caching page directory "
        f"loaded by faults a round trip. fass is then at {last.us:.1f} µs, {share:.0%} of flush, "
        f"so {below} it; the paper has it well below." + _collisions(fass)
    )


def _shared(fass: Sequence[Point], shared: Sequence[Point]) -> str:
    """What fass-shared adds where there is nothing to share."""
    pairs = list(zip(fass, shared, strict=True))
    below = [(a, b) for a, b in pairs if a.rates["domains_recycled"] <= RECYCLING]
    beyond = [(a, b) for a, b in pairs if a.rates["domains_recycled"] > RECYCLING]

    def most(some: Sequence[tuple[Point, Point]]) -> float:
        return max((b.us / a.us - 1 for a, b in some), key=abs, default=0.0)

    return (
        "fass-shared: these spaces share no pages, so that its switch is fass's. It takes "
        f"{most(below):+.1%} at most while there are domains for all, and {most(beyond):+.1%} at "
        "most where they are recycled."
    )


def _protection(fass: Sequence[Point], single: Sequence[Point]) -> list[str]:
    """The price of protection: what fass takes more than one space for all."""
    said = []
    for a, b in zip(fass, single, strict=True):
        if a.clients in PRICED:
            said.append(
                f"{a.us - b.us:.2f} µs with {_clients(a.clients)} ({a.cycles:.0f} against "
                f"{b.cycles:.0f} cycles, {a.us / b.us:.2f} times)"
            )
    first, last = single[0], single[-1]
    grown = [
        f"{last.rates[name] - first.rates[name]:.1f} {name.replace('_', ' ')}"
        for name in ("icache_misses", "dcache_misses", "itlb_misses", "dtlb_misses")
        if last.rates[name] - first.rates[name] >= 0.05
    ]
    grows = (
        f"single-space goes from {first.us:.2f} to {last.us:.2f} µs with {_clients(last.clients)}"
        f", flushing {last.rates['cache_flushes']:.0f} times"
    )
    if grown:
        grows += (
            f": {', '.join(grown)} more a round trip. That much of every scheme's rise is "
            "competition for cache lines and TLB entries, and none of it the price of protection"
        )
    return [
        f"Protection (fass over single-space) costs {'; '.join(said)}.",
        f"{grows}.",
    ]


def _bound(fass: Sequence[Point], tags: Sequence[Point]) -> str:
    """How far fass is from what no scheme could do better."""
    said = [
        f"{one.us / best.us:.2f} times as long with {_clients(one.clients)} ({one.cycles:.0f} "
        f"against {best.cycles:.0f} cycles)"
        for one, best in zip(fass, tags, strict=True)
        if one.clients in PRICED
    ]
    return (
        "The bound for every scheme that protects is a kernel with nothing to flush, on a machine "
        f"with hardware tags. fass takes {'; '.join(said)}. Below it fass can only be by the few "
        "misses that depend on the sets of the caches in which programs lie."
    )


def _collisions(fass: Sequence[Point]) -> str:
    """Collisions flush like recycling, but have nothing to do with the number of domains."""
    hit = [point for point in fass if point.rates["collisions"] > RECYCLING]
    if not hit:
        return ""
    worst = max(hit, key=lambda point: point.rates["collisions"])
    return (
        f" Part of this is not about domains: from {hit[0].clients} clients on spaces collide, "
        "using the same megabyte of the caching page directory; this happens up to "
        f"{worst.rates['collisions']:.3f} times a round trip (at {worst.clients} clients), each "
        "time with a flush."
    )


def _against(value: float, published: float) -> str:
    difference = value / published - 1
    if abs(difference) <= 0.01:
        return "equal to"
    return f"{abs(difference):.0%} {'above' if difference > 0 else 'below'}"


def _clients(count: int) -> str:
    return f"{count} client" if count == 1 else f"{count} clients"


def _least(points: Sequence[Point]) -> float:
    return min(point.us for point in points)


def _most(points: Sequence[Point]) -> float:
    return max(point.us for point in points)
