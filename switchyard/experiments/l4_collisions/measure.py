# SPDX-License-Identifier: Apache-2.0
"""Runs of bench/l4/collisions.c, by scheme, colliding megabytes and number of spaces."""

from collections.abc import Iterator, Mapping

from switchyard.experiments import l4
from switchyard.experiments.counted import Counted
from switchyard.run.build import TAGS
from switchyard.run.experiment import BandPlan, Case, Experiment, Job, Settings, Stats, each

COLLIDING = range(5)
PARTS = ("UTCB", "KIP", "code", "data")
SPACES = (2, 4, 8, 14, 15, 16, 32, 64)
PAGES = 1
HOPS, QUICK_HOPS = 2_000, 200
# A flush of everything for each part that collides, 75,000 cycles each at worst (FASS, section 2).
CYCLES_A_HOP = 300_000
CYCLES_TO_MAP = 400_000_000  # beside those to start in: all spaces' memory
METRICS = (
    "cycles", "instructions", "cache_flushes", "tlb_flushes", "collisions", "cpd_entries_loaded",
    "domains_recycled", "icache_misses", "dcache_misses", "itlb_misses", "dtlb_misses",
)  # fmt: skip
# Where all is one space nothing can lie at one address; with tags it does not matter what does.
FEW = {"single-space": (0,), TAGS: (0, len(PARTS))}
CASES = [
    (scheme, colliding, spaces)
    for scheme in l4.COLUMNS
    for colliding in FEW.get(scheme, COLLIDING)
    for spaces in SPACES
]
NAME = "{}-{}-{:02}"  # of a case's run


class L4Collisions(Experiment[Counted]):
    """One-way IPC by colliding megabytes and number of spaces, under every scheme."""

    name = "l4-collisions"
    question = "What does IPC cost between spaces that lie at the same addresses?"
    source = "none published; FASS's weak spot: Wiggins et al., ACSAC 2003, section 3.1, collisions"
    system = l4.SYSTEM
    # Code, KIP and UTCB of two spaces collide; nothing does with 64.
    band = BandPlan(
        "cycles",
        "cycles",
        label="{scheme}, {spaces} spaces, {colliding} MB",
        ratios={
            "fass over flush, 2 spaces, 3 MB": ("fass-3-02", "flush-3-02"),
            "fass over flush, 64 spaces, none": ("fass-0-64", "flush-0-64"),
        },
    )

    def jobs(self, settings: Settings) -> list[Job]:
        hops = settings.times(HOPS, QUICK_HOPS)
        return [
            l4.job(
                "bench-collisions",
                scheme,
                f"spaces={spaces} colliding={colliding} pages={PAGES} hops={hops}",
                CYCLES_TO_MAP + (hops + 6 * spaces) * CYCLES_A_HOP,
                NAME.format(scheme, colliding, spaces),
                {"colliding": colliding, "spaces": spaces},
            )
            for scheme, colliding, spaces in CASES
        ]

    def measure(self, job: Job, stats: Stats) -> Counted:
        """For one hop: a space's turn and the message to the next. Stream 2 says how many."""
        return Counted.measured(stats, 1, l4.samples(job, stats, 2)[0])

    def cases(self, samples: Mapping[str, Counted]) -> Iterator[Case]:
        for case in CASES:
            sample = samples[NAME.format(*case)]
            where = {"colliding": case[1], "spaces": case[2]}
            yield Case(sample.machine, case[0], where, each(sample.rates, "per_hop", METRICS))
