# SPDX-License-Identifier: Apache-2.0
"""Runs of bench/l4/primitives.c: cycles of each primitive."""

import statistics
from collections.abc import Sequence

from switchyard.experiments import l4, l4_pc
from switchyard.run.experiment import BandPlan, Case, Job, OfRuns, Settings, Stats, each

# Programs have no page faults there: all memory is mapped from the start.
WITHOUT_FAULTS = l4.UNPROTECTED

ROUNDS, QUICK_ROUNDS = 1_000, 100
WARMUP = 20
CYCLES_A_ROUND = 1_000_000  # ten times the slowest: a fault and its undoing under flush

# bench/l4/primitives.c: places in its table are regions; how many traps a round has.
TRAPS = {
    "null_syscall": (0, 1),
    "system_clock": (1, 1),
    "thread_switch": (2, 2),
    "ipc_in_space": (3, 2),
    "lipc_in_space": (6, 2),
}
PAGE_FAULT, NOTHING = 4, 5


class L4Primitives(OfRuns, l4_pc.OnBoth[Sequence[Case]]):
    """The primitives under each scheme."""

    name = "l4-primitives"
    question = "What do a null system call, a thread switch and a page fault cost?"
    source = "the project's own limits; nothing published"
    digits = 3
    band = BandPlan("thread_switch", "cycles", ("flush", "fass"))  # the paper's two kernels

    def on(self, place: l4.Place, settings: Settings) -> list[Job]:
        rounds = settings.times(ROUNDS, QUICK_ROUNDS)
        return [
            place.job(
                "bench-primitives",
                scheme,
                f"rounds={rounds} warmup={WARMUP} fault={int(scheme not in WITHOUT_FAULTS)}",
                7 * (rounds + WARMUP) * CYCLES_A_ROUND,
            )
            for scheme in place.schemes
        ]

    def measure(self, job: Job, stats: Stats) -> list[Case]:
        """Traps by the counters; the page fault by its samples, which have the pager in them.

        Medians, and how many rounds they are of.
        """
        rounds = job.number("rounds")
        scheme = str(job.parameters["scheme"])
        cycles = {name: l4_pc.trap(job, stats, *of) for name, of in TRAPS.items()}
        if scheme not in WITHOUT_FAULTS:
            fault, nothing = (
                statistics.median(l4.samples(job, stats, stream, rounds))
                for stream in (PAGE_FAULT, NOTHING)
            )
            cycles["page_fault"] = fault - nothing
        values = [*each(cycles, "cycles"), ("rounds", rounds, "1")]
        return [Case(stats.machine, scheme, {}, values)]
