# SPDX-License-Identifier: Apache-2.0
"""Runs of bench/l4/revocation.c: one a scheme with small spaces, all numbers of directories."""

import statistics

from switchyard.experiments import l4, l4_pc
from switchyard.experiments.l4_pc import LARGE
from switchyard.run.experiment import Case, Job, OfRuns, Settings, Stats, each

SCHEMES = tuple(scheme for scheme in l4_pc.SCHEMES if scheme != LARGE)
SPACES = (1, 2, 4, 8, 12, 16, 24, 32, 40, 48, 60)
QUICK_SPACES = (1, 8, 60)
ROUNDS, QUICK_ROUNDS = 20, 5
CYCLES_A_ROUND = 10_000_000

# A reading of the clock, of which one is in a sample: CPUID and RDTSC (docs/machine-p4.md).
CLOCK = 650
# bench/l4/revocation.c: where the streams of a number of spaces begin.
STREAMS = {"taken": 0, "given": 64, "taken_cold": 128}


class L4Revocation(OfRuns):
    """A part of the small-space area that changes hands."""

    name = "l4-revocation"
    question = "What does it cost to take its part of the small-space area from a space?"
    source = "Uhlig et al., Performance of Address-Space Multiplexing on the Pentium, section 5.1"
    system = l4.SYSTEM
    digits = 3

    def jobs(self, settings: Settings) -> list[Job]:
        spaces = QUICK_SPACES if settings.quick or settings.rounds else SPACES
        rounds = settings.times(ROUNDS, QUICK_ROUNDS)
        return [
            l4_pc.job(
                "bench-revocation",
                scheme,
                f"spaces={','.join(map(str, spaces))} rounds={rounds}",
                len(spaces) * (rounds + 1) * CYCLES_A_ROUND,
            )
            for scheme in SCHEMES
        ]

    def measure(self, job: Job, stats: Stats) -> list[Case]:
        """Of each SpaceControl the median; the clock's own part is taken off."""
        rounds = job.number("rounds")
        cases = []
        for n in job.numbers("spaces"):
            found = {
                name: statistics.median(l4.samples(job, stats, stream + n, rounds)) - CLOCK
                for name, stream in STREAMS.items()
            }
            met = {
                f"{name}_{what}": rate
                for name in ("taken", "taken_cold")
                for region in [stats.region(STREAMS[name] + n)]
                for what, rate in l4.rates(region, rounds, l4_pc.COUNTED).items()
            }
            told = each({**found, **met}, "per_control", but=dict.fromkeys(STREAMS, "cycles"))
            scheme = str(job.parameters["scheme"])
            cases.append(Case(stats.machine, scheme, {"large_spaces": n}, told))
        return cases
