# SPDX-License-Identifier: Apache-2.0
"""Round trips of bench/l4's server and clients. Which client is next is drawn: a seed a run."""

import statistics
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from switchyard.data.summary import Interval, summarize
from switchyard.errors import RunError
from switchyard.experiments import l4, l4_boards, l4_pc, repeats
from switchyard.experiments.l4 import EVENTS, MISSES, STALLS
from switchyard.run.build import SCHEMES
from switchyard.run.experiment import BandPlan, Case, Experiment, Job, Settings, Value, each
from switchyard.run.machine import Stats

CLIENTS = (*range(1, 25), 28, 32, 40, 48, 56, 64)  # the paper's figure ends at 24
BAND_CLIENTS = (1, 14, 64)  # where the band is measured

# Of each run: section 4.1 has "a large number (100,000) of such ping-pong IPCs" in all.
ROUNDS = 100_000 // repeats.RUNS
QUICK_ROUNDS = 1_000
BAND_ROUNDS = 5_000
# Round trips before the measured ones: every client is met many times, so that pages are mapped
# and, under FASS, domains are where a long run leaves them.
WARMUP = 1_000
# A guest that hangs is stopped: ten times the worst round trip of section 2 (2 x 75,000 cycles).
CYCLES_A_ROUND = 1_500_000
# Below this many recycled domains a round trip, a few at the edge of the region are no knee.
RECYCLING = 0.001
NAME = "{}-{:02}"  # of runs of a scheme with so many clients


@dataclass(frozen=True)
class Sample:
    """A run: round trips of one scheme with one number of clients; rates for one of them."""

    scheme: str
    clients: int
    machine: str
    rounds: int
    us: float
    clock_mhz: float
    rates: Mapping[str, float]
    cycles: Sequence[int] = field(default=(), repr=False)  # each round trip's


def band_name(scheme: str, clients: int) -> str:
    """What a banded value is called."""
    return f"{scheme}, {clients} client{'s' if clients > 1 else ''}"


def _band_jobs(settings: Settings) -> list[Job]:
    """The paper's two kernels at a few numbers of clients, with one seed for all ends."""
    rounds = settings.rounds or BAND_ROUNDS
    return [_job(l4.ARM, scheme, n, rounds) for scheme in ("flush", "fass") for n in BAND_CLIENTS]


class L4Ipc(Experiment[Sample]):
    """Fig. 5: L4 IPC times with standard and fast context switching."""

    name = "l4-ipc"
    question = "What does a round-trip IPC cost as the number of address spaces grows?"
    source = "Wiggins et al., ACSAC 2003, Fig. 5"
    system = l4.SYSTEM
    band = BandPlan(
        "us",
        "us",
        _band_jobs,
        label=lambda case: band_name(str(case["scheme"]), int(case["clients"])),
        ratios={f"flush over fass, {n}": (f"flush-{n:02}", f"fass-{n:02}") for n in BAND_CLIENTS},
        # what a line of the zeros bank costs in all, beside the machine's own 18 cycles
        moved_together={
            f"zeros-bank line {first + 7 * following}": {
                "memory.zeros-first": first,
                "memory.zeros-next": following,
            }
            for first, following in ((1, 0), (1, 1), (10, 4), (17, 2), (22, 7))
        },
    )

    def jobs(self, settings: Settings) -> list[Job]:
        rounds = settings.times(ROUNDS, QUICK_ROUNDS)
        return [
            _job(place, scheme, clients, rounds, seed, many=True)
            for place in l4_pc.PLACES
            for scheme in place.schemes
            for clients in CLIENTS
            for seed in repeats.seeds(settings)
        ]

    def choices(self, settings: Settings) -> list[Job]:
        """One run a case, with the first seed: a table of many has its own neighbours."""
        rounds = settings.times(ROUNDS, QUICK_ROUNDS)
        return [_job(l4.ARM, scheme, n, rounds) for scheme in SCHEMES for n in CLIENTS]

    def measure(self, job: Job, stats: Stats) -> Sample:
        """The guest's region and stream of samples have the number of clients as their number.

        A sample contains its own timing. What that takes alone is in stream 0, and taken off.
        """
        clients, rounds = int(job.parameters["clients"]), job.number("rounds")
        samples = l4.samples(job, stats, clients, rounds)
        overhead = statistics.median_low(l4.samples(job, stats, 0))
        if min(samples) <= overhead:
            raise RunError(
                f"{job.name}: a round trip of {min(samples)} cycles, where timing takes {overhead}"
            )
        cycles = array("Q", (sample - overhead for sample in samples))
        return Sample(
            scheme=str(job.parameters["scheme"]),
            clients=clients,
            machine=stats.machine,
            rounds=rounds,
            us=stats.microseconds(summarize(cycles).mean),
            clock_mhz=stats.clock_hz / 1e6,
            rates=l4_boards.rates_on(job, stats.region(clients), rounds),
            cycles=cycles,
        )

    def cases(self, samples: Mapping[str, Sample]) -> Iterator[Case]:
        """All runs of a case together; then what follows from two cases, or from all."""
        runs = repeats.grouped(samples)
        for place in l4_pc.PLACES:
            faster: list[Case] = []  # after all cases; of the PC it is among the values of a case
            flushing: dict[int, float] = {}
            for scheme in place.schemes:
                knees = []
                for clients in CLIENTS:
                    case = runs[place.prefix + NAME.format(scheme, clients)]
                    on, where = (case[0].machine, scheme), {"clients": clients}
                    values = values_of(case)
                    mean = values[0][1]
                    speedup = ("speedup", flushing.setdefault(clients, mean) / mean, "ratio")
                    if scheme != l4_pc.LARGE and place is l4.ARM:
                        faster.append(Case(*on, where, [speedup]))
                    elif scheme != l4_pc.LARGE:
                        values.append(speedup)
                    yield Case(*on, where, values)
                    met = repeats.means([run.rates for run in case])
                    if met.get("domains_recycled", 0) > RECYCLING:
                        knees.append(("knee", clients, "clients"))
                if scheme != l4_pc.LARGE:
                    faster.append(Case(*on, {}, knees[:1]))
            yield from faster


def _job(
    place: l4.Place, scheme: str, clients: int, rounds: int, seed: int = 1, *, many: bool = False
) -> Job:
    """A run; one of `many` with other seeds says so in its name and parameters."""
    warmup = min(WARMUP, rounds)
    name = NAME.format(scheme, clients)
    cycles = (rounds + warmup) * CYCLES_A_ROUND
    return place.job(
        "bench-ipc",
        scheme,
        f"clients={clients}-{clients} rounds={rounds} warmup={warmup} seed={seed}",
        cycles if place is l4.ARM else l4.CYCLES_TO_START + cycles,
        repeats.run_name(name, seed) if many else name,
        {"clients": clients, **({"seed": seed} if many else {})},
    )


def values_of(runs: Sequence[Sample]) -> list[Value]:
    """As long each, so that their mean is that of their means."""
    summary = summarize([cycles for run in runs for cycles in run.cycles])
    clock, rates = runs[0].clock_mhz, repeats.means([run.rates for run in runs])
    known = Interval.of([run.us for run in runs])
    on_pc = runs[0].machine == l4_pc.MACHINE
    return [
        ("round_trip", summary.mean / clock, "us"),
        ("round_trip_runs", len(runs), "1"),
        ("round_trip_samples", summary.count, "1"),
        *repeats.uncertain("round_trip", known),
        ("round_trip_p5", summary.p5 / clock, "us"),
        ("round_trip_p95", summary.p95 / clock, "us"),
        *each(
            rates,
            "per_round_trip",
            () if on_pc else (*MISSES, *EVENTS, "instructions", "cycles", *STALLS),
        ),
    ]
