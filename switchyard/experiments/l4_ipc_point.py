# SPDX-License-Identifier: Apache-2.0
"""One measured point of the experiment l4-ipc: a scheme and a number of clients."""

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from switchyard.machine import Region, Stats
from switchyard.summary import Interval, summarize

# Rates for one round trip, by the names of their records: sums of the simulator's counters ...
MISSES = {
    "icache_misses": ("icache_misses",),
    "dcache_misses": ("dcache_read_misses", "minicache_read_misses"),
    "itlb_misses": ("itlb_misses",),
    "dtlb_misses": ("dtlb_misses",),
}
STALLS = {
    "fill_stall_cycles": ("fill_stall_cycles",),
    "walk_stall_cycles": ("walk_stall_cycles",),
    "write_buffer_stall_cycles": ("write_buffer_stall_cycles",),
}
# ... and events that the kernel reports, by their numbers in kernel/events.h.
EVENTS = {
    "cache_flushes": 1,
    "tlb_flushes": 2,
    "domains_recycled": 3,
    "clean_domains_recycled": 4,
    "collisions": 5,
    "cpd_entries_loaded": 6,
}


def rates_of(region: Region, rounds: int) -> dict[str, float]:
    """What a region counted for each of its rounds."""
    rates = {
        name: region.counters.total(*counters) / rounds
        for name, counters in {**MISSES, **STALLS}.items()
    }
    rates |= {name: region.event(number) / rounds for name, number in EVENTS.items()}
    return rates | {
        name: region.counters.total(name) / rounds for name in ("cycles", "instructions")
    }


@dataclass(frozen=True)
class Point:
    """Round trips of one scheme with one number of clients; times in µs, rates a round trip.

    `means` are those of its runs, which have a seed each; `samples` are cycles, of all of them.
    """

    scheme: str
    clients: int
    machine: str
    rounds: int
    us: float
    spread_us: tuple[float, float]
    clock_mhz: float
    rates: Mapping[str, float]
    means: tuple[float, ...] = ()
    samples: Sequence[int] = field(default=(), repr=False)

    @property
    def p5_us(self) -> float:
        """The 5th percentile."""
        return self.spread_us[0]

    @property
    def p95_us(self) -> float:
        """The 95th percentile."""
        return self.spread_us[1]

    @property
    def interval(self) -> Interval:
        """The mean's confidence interval, over the runs."""
        return Interval.of(self.means)

    @property
    def cycles(self) -> float:
        """The mean round trip in cycles."""
        return self.us * self.clock_mhz

    def cost(self, stall: str, *misses: str) -> float:
        """The mean cycles that one of these misses stalled for; 0 where there were none."""
        count = sum(self.rates[name] for name in misses)
        return self.rates[stall] / count if count else 0.0

    @classmethod
    def measured(cls, scheme: str, clients: int, stats: Stats, samples: Sequence[int]) -> "Point":
        """From the statistics of a run whose region `clients` holds the round trips."""
        region = stats.region(clients)
        summary = summarize(samples)
        rounds = summary.count
        rates = rates_of(region, rounds)
        return cls(
            scheme=scheme,
            clients=clients,
            machine=stats.machine,
            rounds=rounds,
            us=stats.microseconds(summary.mean),
            spread_us=(stats.microseconds(summary.p5), stats.microseconds(summary.p95)),
            clock_mhz=stats.clock_hz / 1e6,
            rates=rates,
            means=(stats.microseconds(summary.mean),),
            samples=array("Q", samples),
        )


def together(runs: Sequence[Point]) -> Point:
    """The runs of a point as one: as long each, so that the mean is that of their means."""
    samples = array("Q", (sample for one in runs for sample in one.samples))
    summary = summarize(samples)
    first = runs[0]
    return replace(
        first,
        rounds=summary.count,
        us=summary.mean / first.clock_mhz,
        spread_us=(summary.p5 / first.clock_mhz, summary.p95 / first.clock_mhz),
        rates={name: sum(one.rates[name] for one in runs) / len(runs) for name in first.rates},
        means=tuple(mean for one in runs for mean in one.means),
        samples=samples,
    )
