# SPDX-License-Identifier: Apache-2.0
"""Runs of servers/: what a ping takes, by scheme and by what it interrupts."""

import statistics
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from switchyard.experiments import l4, l4_pc
from switchyard.experiments.counted import Counted
from switchyard.run.build import BARE, GUESTS, PC, PING, SERVERS, VERSATILE
from switchyard.run.experiment import BandPlan, Case, Job, RunError, Settings, Stats, each

MACHINE = "versatilepb"
# KB that the program reads over and over that is interrupted; 0: there is none. 16 are as much as
# the ARM's data cache has, and twice what the PC's first level has.
LOADS = (0, 16)
WARMUP = 20
ROUNDS, QUICK_ROUNDS = 1_000, 100
# From one to the next, the cable's way and the other machine's time included: five times what was
# seen.
CYCLES_A_PING = {VERSATILE: 2_000_000, PC: 10_000_000}
REGION = 1  # servers/driver.c
INTERRUPTION = 2  # the stream of servers/main.c
METRICS = (
    "cycles", "instructions", "itlb_misses", "dtlb_misses", "icache_misses", "dcache_misses",
    "fill_stall_cycles", "walk_stall_cycles", "write_buffer_stall_cycles",
    "uncached_user", "uncached_kernel",
    "cache_flushes", "tlb_flushes", "domains_recycled", "collisions",
)  # fmt: skip
# On the PC, where the interface's registers are ports.
PC_COUNTED = {
    "cycles": ("cycles",),
    "port_accesses": ("port_accesses",),
    "port_cycles": ("port_cycles",),
    **l4_pc.COUNTED,
}
BESIDE_PORTS = "cycles_beside_ports"
PC_METRICS = (*PC_COUNTED, BESIDE_PORTS)


ARM = l4.Place(VERSATILE, MACHINE, l4.COLUMNS, l4.CYCLES_TO_START)
NAME = "{}-{:02}"  # of a case's run


@dataclass(frozen=True)
class Ping(Counted):
    """What a ping took, and for how long a program was kept from its work; 0: there was none."""

    interruption: float = 0


class L4Servers(l4_pc.OnBoth[Ping]):
    """A ping, from the interrupt in the driver's space to the reply's being in line to be sent."""

    name = "l4-servers"
    question = "What does a ping cost a system whose network driver and IP stack are servers?"
    source = "Uhlig et al., Performance of Address-Space Multiplexing, section 4.10, Table 4"
    places = (ARM, l4_pc.PLACE)
    band = BandPlan(
        "cycles",
        "cycles",
        label="{machine}, {scheme}, a program that reads {load} KB",
        ratios={
            "fass over flush": ("fass-16", "flush-16"),
            "pc, small-spaces over flush": ("pc-small-spaces-16", "pc-flush-16"),
        },
    )

    def on(self, place: l4.Place, settings: Settings) -> list[Job]:
        """A second machine pings."""
        rounds = settings.times(ROUNDS, QUICK_ROUNDS)
        return [
            replace(
                place.job(
                    SERVERS,
                    scheme,
                    f"warmup={WARMUP} rounds={rounds} load={load}",
                    (WARMUP + rounds) * CYCLES_A_PING[place.board],
                    NAME.format(scheme, load),
                    {"load": load},
                ),
                peer=GUESTS[f"{place.board}-{BARE}-{PING}"],
            )
            for scheme in place.schemes
            for load in LOADS
        ]

    def measure(self, job: Job, stats: Stats) -> Ping:
        """For one ping.

        Of the last one and perhaps of the first the program does not tell; a tick of the kernel's
        may take long enough to be told of, where memory is slow.
        """
        rounds = job.number("rounds")
        region = stats.region(REGION)
        if l4_pc.is_on(job):
            rates = l4.rates(region, rounds, PC_COUNTED)
            rates[BESIDE_PORTS] = rates["cycles"] - rates["port_cycles"]
        else:
            rates = dict(Counted.measured(stats, REGION, rounds).rates)
            both = region.counters
            for name, mode in (("uncached_user", both.user), ("uncached_kernel", both.kernel)):
                rates[name] = (mode["uncached_reads"] + mode["uncached_writes"]) / rounds
        interruption = 0.0
        if job.parameters["load"]:
            kept = l4.samples(job, stats, INTERRUPTION)
            if len(kept) < rounds - 2:
                raise RunError(f"{job.name}: {len(kept)} interruptions by {rounds} pings")
            interruption = statistics.median(kept)
        return Ping(stats.machine, stats.clock_hz / 1e6, rounds, rates, interruption=interruption)

    def cases(self, samples: Mapping[str, Ping]) -> Iterator[Case]:
        """What a ping took and met in each case."""
        for place, metrics in ((ARM, METRICS), (l4_pc.PLACE, PC_METRICS)):
            for scheme in place.schemes:
                for load in LOADS:
                    sample, large = (
                        samples[place.prefix + NAME.format(*of)]
                        for of in ((scheme, load), (l4_pc.LARGE, load))
                    )
                    values = each(sample.rates, "per_ping", metrics)
                    if place.board == PC and scheme != l4_pc.LARGE:
                        values.append(("saved", large.cycles - sample.cycles, "per_ping"))
                    if load:
                        values.append(("interruption", sample.interruption, "cycles"))
                    yield Case(sample.machine, scheme, {"load": load}, values)
