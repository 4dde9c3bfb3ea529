# SPDX-License-Identifier: Apache-2.0
"""Runs of servers/: what a ping takes, by scheme and by what it interrupts."""

import statistics
from collections.abc import Mapping
from dataclasses import dataclass

from switchyard.build import BARE, GUESTS, PING, SERVERS, VERSATILE
from switchyard.errors import RunError
from switchyard.experiments import l4
from switchyard.experiments.counted import Counted
from switchyard.experiments.experiment import Experiment, Job, Settings
from switchyard.experiments.l4 import COLUMNS, SYSTEM
from switchyard.machine import Stats
from switchyard.records import Record, of_case

MACHINE = "versatilepb"
# KB that the program reads over and over that is interrupted; 0: there is none. 16 are as much as
# the data cache has.
LOADS = (0, 16)
WARMUP = 20
ROUNDS, QUICK_ROUNDS = 1_000, 100
# From one to the next, the cable's way and the other machine's time included: ten times of what was
# seen.
CYCLES_A_PING = 2_000_000
REGION = 1  # servers/driver.c
INTERRUPTION = 2  # the stream of servers/main.c
METRICS = (
    "cycles", "instructions", "itlb_misses", "dtlb_misses", "icache_misses", "dcache_misses",
    "fill_stall_cycles", "walk_stall_cycles", "write_buffer_stall_cycles",
    "uncached_user", "uncached_kernel",
    "cache_flushes", "tlb_flushes", "domains_recycled", "collisions",
)  # fmt: skip
LABEL = "{scheme}-{load:02}"


def job_name(scheme: str, load: int) -> str:
    """The name of a case's run."""
    return LABEL.format(scheme=scheme, load=load)


@dataclass(frozen=True)
class Ping(Counted):
    """What a ping took, and for how long a program was kept from its work; 0: there was none."""

    interruption: float = 0


class L4Servers(Experiment[Ping]):
    """A ping, from the interrupt in the driver's space to the reply's being in line to be sent."""

    name = "l4-servers"
    question = "What does a ping cost a system whose network driver and IP stack are servers?"
    source = "Uhlig et al., Performance of Address-Space Multiplexing, section 4.10, Table 4"

    band_metric = ("cycles", "cycles")
    band_system = SYSTEM
    band_label = LABEL
    band_ratios: Mapping[str, tuple[str, str]] = {
        "fass over flush": ("fass-16", "flush-16"),
    }

    def band_jobs(self, settings: Settings) -> list[Job]:
        """The two that the ratio is of, in short runs."""
        return self.short_jobs(settings, {n for both in self.band_ratios.values() for n in both})

    def jobs(self, settings: Settings) -> list[Job]:
        """One run a scheme and load; a second machine pings."""
        rounds = settings.times(ROUNDS, QUICK_ROUNDS)
        return [
            Job(
                name=job_name(scheme, load),
                guest=GUESTS[f"{VERSATILE}-{scheme}-{SERVERS}"],
                machine=l4.machine(scheme, MACHINE),
                append=f"warmup={WARMUP} rounds={rounds} load={load}",
                max_cycles=l4.CYCLES_TO_START + (WARMUP + rounds) * CYCLES_A_PING,
                parameters={"scheme": scheme, "load": load},
                peer=GUESTS[f"{VERSATILE}-{BARE}-{PING}"],
            )
            for scheme in COLUMNS
            for load in LOADS
        ]

    def measure(self, job: Job, stats: Stats) -> Ping:
        """For one ping.

        Of the last one and perhaps of the first the program does not tell; a tick of the kernel's
        may take long enough to be told of, where memory is slow.
        """
        rounds = l4.word(job, "rounds")
        counted = Counted.measured(stats, REGION, rounds)
        both = stats.region(REGION).counters
        rates = dict(counted.rates)
        for name, mode in (("uncached_user", both.user), ("uncached_kernel", both.kernel)):
            rates[name] = (mode["uncached_reads"] + mode["uncached_writes"]) / rounds
        interruption = 0.0
        if job.parameters["load"]:
            kept = l4.samples(job, stats, INTERRUPTION)
            if len(kept) < rounds - 2:
                raise RunError(f"{job.name}: {len(kept)} interruptions by {rounds} pings")
            interruption = statistics.median(kept)
        return Ping(counted.machine, counted.clock_mhz, rounds, rates, interruption=interruption)

    def records(self, samples: Mapping[str, Ping]) -> list[Record]:
        """What a ping took and met in each case."""
        return [
            record
            for scheme in COLUMNS
            for load in LOADS
            for sample in [samples[job_name(scheme, load)]]
            for record in of_case(
                self.name,
                sample.machine,
                SYSTEM,
                scheme,
                {"load": load},
                [
                    *((metric, sample.rates[metric], "per_ping") for metric in METRICS),
                    *([("interruption", sample.interruption, "cycles")] if load else []),
                ],
            )
        ]
