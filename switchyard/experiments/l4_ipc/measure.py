# SPDX-License-Identifier: Apache-2.0
"""Round trips of bench/l4's server and clients. Which client is next is drawn: a seed a run."""

import math
import statistics
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from switchyard.data.records import Parameter, Record, of_case
from switchyard.data.summary import Interval, summarize
from switchyard.errors import RunError
from switchyard.experiments import l4, l4_pc, repeats
from switchyard.experiments.experiment import Experiment, Job, Settings
from switchyard.experiments.l4 import COLUMNS, EVENTS, MISSES, STALLS, SYSTEM
from switchyard.run.build import SCHEMES
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


class L4Ipc(Experiment[Sample]):
    """Fig. 5: L4 IPC times with standard and fast context switching."""

    name = "l4-ipc"
    question = "What does a round-trip IPC cost as the number of address spaces grows?"
    source = "Wiggins et al., ACSAC 2003, Fig. 5"
    band_metric = ("us", "us")
    band_system = SYSTEM
    # what a line of the zeros bank costs in all, beside the machine's own 18 cycles
    moved_together: Mapping[str, Mapping[str, int]] = {
        f"zeros-bank line {first + 7 * following}": {
            "memory.zeros-first": first,
            "memory.zeros-next": following,
        }
        for first, following in ((1, 0), (1, 1), (10, 4), (17, 2), (22, 7))
    }
    band_ratios: Mapping[str, tuple[str, str]] = {
        f"flush over fass, {clients}": (f"flush-{clients:02}", f"fass-{clients:02}")
        for clients in BAND_CLIENTS
    }

    def banded(self, case: Mapping[str, Parameter]) -> str:
        """By its scheme and clients."""
        return band_name(str(case["scheme"]), int(case["clients"]))

    def jobs(self, settings: Settings) -> list[Job]:
        """Five runs a scheme and number of clients, the long ones first; on the PC too."""
        rounds = settings.times(ROUNDS, QUICK_ROUNDS)
        return [
            made(scheme, clients, rounds, seed, many=True)
            for made, schemes in ((job, COLUMNS), (pc_job, l4_pc.SCHEMES))
            for scheme in schemes
            for clients in CLIENTS
            for seed in repeats.seeds(settings)
        ]

    def choices(self, settings: Settings) -> list[Job]:
        """One run a case, with the first seed: a table of many has its own neighbours."""
        rounds = settings.times(ROUNDS, QUICK_ROUNDS)
        return [job(scheme, n, rounds) for scheme in SCHEMES for n in CLIENTS]

    def band_jobs(self, settings: Settings) -> list[Job]:
        """The paper's two kernels at a few numbers of clients, with one seed for all ends."""
        rounds = settings.rounds or BAND_ROUNDS
        return [job(scheme, n, rounds) for scheme in ("flush", "fass") for n in BAND_CLIENTS]

    def measure(self, job: Job, stats: Stats) -> Sample:
        """The guest's region and stream of samples have the number of clients as their number.

        A sample contains its own timing. What that takes alone is in stream 0, and taken off.
        """
        clients, rounds = int(job.parameters["clients"]), l4.word(job, "rounds")
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
            rates=(l4_pc if l4_pc.is_on(job) else l4).rates_of(stats.region(clients), rounds),
            cycles=cycles,
        )

    def records(self, samples: Mapping[str, Sample]) -> list[Record]:
        """All runs of a case together; then what follows from two cases, or from all."""
        runs = repeats.grouped(samples)
        means: dict[tuple[str, int], float] = {}
        records = []
        for scheme in COLUMNS:
            for clients in CLIENTS:
                case = runs[case_name(scheme, clients)]
                values = values_of(case)
                means[scheme, clients] = values[0][1]
                records += self._case(case[0], {"clients": clients}, values)
        for scheme in COLUMNS[1:]:
            for clients in CLIENTS:
                first = runs[case_name(scheme, clients)][0]
                speedup = means["flush", clients] / means[scheme, clients]
                records += self._case(first, {"clients": clients}, [("speedup", speedup, "ratio")])
            knee = next((n for n in CLIENTS if _recycles(runs[case_name(scheme, n)])), None)
            if knee is not None:
                records += self._case(first, {}, [("knee", knee, "clients")])
        return records + self._on_pc(runs)

    def _on_pc(self, runs: Mapping[str, Sequence[Sample]]) -> list[Record]:
        records = []
        means: dict[tuple[str, int], float] = {}
        for scheme in l4_pc.SCHEMES:
            for clients in CLIENTS:
                case = runs[l4_pc.job_name(case_name(scheme, clients))]
                values = values_of(case)
                means[scheme, clients] = values[0][1]
                if scheme != l4_pc.LARGE:
                    faster = means[l4_pc.LARGE, clients] / means[scheme, clients]
                    values.append(("speedup", faster, "ratio"))
                records += self._case(case[0], {"clients": clients}, values)
        return records

    def _case(
        self,
        sample: Sample,
        parameters: Mapping[str, Parameter],
        values: Sequence[tuple[str, float, str]],
    ) -> list[Record]:
        return of_case(self.name, sample.machine, SYSTEM, sample.scheme, parameters, values)


def case_name(scheme: str, clients: int) -> str:
    """What runs of a scheme with so many clients are named by."""
    return f"{scheme}-{clients:02}"


def job(scheme: str, clients: int, rounds: int, seed: int = 1, *, many: bool = False) -> Job:
    """A run; one of `many` with other seeds says so in its name and parameters."""
    warmup = min(WARMUP, rounds)
    name = case_name(scheme, clients)
    return l4.job(
        "bench-ipc",
        scheme,
        f"clients={clients}-{clients} rounds={rounds} warmup={warmup} seed={seed}",
        (rounds + warmup) * CYCLES_A_ROUND,
        repeats.run_name(name, seed) if many else name,
        {"clients": clients, **({"seed": seed} if many else {})},
    )


def pc_job(scheme: str, clients: int, rounds: int, seed: int = 1, *, many: bool = False) -> Job:
    """The same on the PC."""
    like = job(next(iter(SCHEMES)), clients, rounds, seed, many=many)
    name = l4_pc.job_name(case_name(scheme, clients))
    return l4_pc.job(
        "bench-ipc",
        scheme,
        like.append,
        like.max_cycles,
        repeats.run_name(name, seed) if many else name,
        {"clients": clients, **({"seed": seed} if many else {})},
    )


def _rates(runs: Sequence[Sample]) -> dict[str, float]:
    return {name: sum(run.rates[name] for run in runs) / len(runs) for name in runs[0].rates}


def _recycles(runs: Sequence[Sample]) -> bool:
    return _rates(runs)["domains_recycled"] > RECYCLING


def _told(run: Sample) -> Iterable[str]:
    """The rates of a run, in the order of its records."""
    if run.machine == l4_pc.MACHINE:
        return run.rates
    return (*MISSES, *EVENTS, "instructions", "cycles", *STALLS)


def values_of(runs: Sequence[Sample]) -> list[tuple[str, float, str]]:
    """As long each, so that their mean is that of their means."""
    summary = summarize([cycles for run in runs for cycles in run.cycles])
    clock, rates = runs[0].clock_mhz, _rates(runs)
    known = Interval.of([run.us for run in runs]).uncertainty
    return [
        ("round_trip", summary.mean / clock, "us"),
        ("round_trip_runs", len(runs), "1"),
        ("round_trip_samples", summary.count, "1"),
        *([("round_trip_uncertainty", known, "1")] if known != math.inf else []),
        ("round_trip_p5", summary.p5 / clock, "us"),
        ("round_trip_p95", summary.p95 / clock, "us"),
        *((name, rates[name], "per_round_trip") for name in _told(runs[0])),
    ]
