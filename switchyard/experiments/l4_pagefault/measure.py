# SPDX-License-Identifier: Apache-2.0
"""Runs of bench/l4/fault.c: cycles of an access by the kind of fault, and what it met."""

import statistics
from collections.abc import Sequence

from switchyard.experiments import l4
from switchyard.run.experiment import BandPlan, Case, Job, OfRuns, Parameter, Settings, Stats, each

# Where all memory is mapped from the start nothing faults.
SCHEMES = tuple(scheme for scheme in l4.COLUMNS if scheme not in l4.UNPROTECTED)

ROUNDS, QUICK_ROUNDS = 500, 50
CYCLES_A_ROUND = 2_000_000  # ten times the slowest, which flushes four times

# bench/l4/fault.h: the numbers of the cases, which are those of regions and streams.
TIMING = 0
CASES = {
    "none": 1, "page_4k": 2, "page_64k": 3, "page_1m": 4, "more_rights": 5,
    "synonym_read": 6, "synonym_write": 7, "directory": 8, "collision": 9,
}  # fmt: skip

# Counters of a case's region, for each access.
COUNTED = {
    "instructions": ("instructions",),
    "line_fills": ("icache_misses", "dcache_read_misses", "minicache_read_misses"),
    "fill_stall_cycles": ("fill_stall_cycles",),
}


class L4PageFault(OfRuns):
    """Page faults under each scheme that has any."""

    name = "l4-pagefault"
    question = "What does a page fault cost, by its kind?"
    source = "the project's own limit for a pager's page; nothing published"
    system = l4.SYSTEM
    digits = 3
    band = BandPlan("page_4k", "cycles", ("flush", "fass"))  # the paper's two kernels

    def jobs(self, settings: Settings) -> list[Job]:
        rounds = settings.times(ROUNDS, QUICK_ROUNDS)
        cycles = 10 * rounds * CYCLES_A_ROUND
        return [l4.job("bench-fault", scheme, f"rounds={rounds}", cycles) for scheme in SCHEMES]

    def measure(self, job: Job, stats: Stats) -> list[Case]:
        """Medians: a timer tick may fall into some. The timing alone, case 0, is taken off.

        What was counted is of an access, of which there were so many.
        """
        timing = statistics.median_low(l4.samples(job, stats, TIMING))
        cases = []
        for kind, number in CASES.items():
            samples, region = l4.samples(job, stats, number), stats.region(number)
            count = len(samples)
            values = {
                "page_fault": statistics.median(samples) - timing,
                **l4.rates(region, count, COUNTED),
                "cache_flushes": region.event(l4.EVENTS["cache_flushes"]) / count,
                "accesses": count,
            }
            told = each(values, "per_access", but={"page_fault": "cycles", "accesses": "1"})
            scheme = str(job.parameters["scheme"])
            cases.append(Case(stats.machine, scheme, {"kind": kind}, told))
        return cases

    def row(self, job: Job, sample: Sequence[Case]) -> dict[str, Parameter]:
        """Cycles by kind."""
        values = [(case.where["kind"], *value) for case in sample for value in case.values]
        cycles = {str(kind): n for kind, metric, n, _ in values if metric == "page_fault"}
        return {**job.parameters, **cycles}
