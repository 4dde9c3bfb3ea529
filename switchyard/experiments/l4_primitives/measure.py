# SPDX-License-Identifier: Apache-2.0
"""Runs of bench/l4/primitives.c: cycles of each primitive."""

import statistics
from collections.abc import Mapping
from dataclasses import dataclass, field

from switchyard.data.records import Record, of_case
from switchyard.experiments import l4, l4_pc, l4_trap
from switchyard.experiments.experiment import Experiment, Job, Settings
from switchyard.experiments.l4 import COLUMNS, SYSTEM
from switchyard.run.machine import Stats

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


@dataclass(frozen=True)
class Sample:
    """A run: one scheme, cycles by primitive."""

    scheme: str
    machine: str
    rounds: int
    cycles: Mapping[str, float] = field(hash=False)


class L4Primitives(Experiment[Sample]):
    """The primitives under each scheme."""

    name = "l4-primitives"
    question = "What do a null system call, a thread switch and a page fault cost?"
    source = "the project's own limits; nothing published"

    band_metric = ("thread_switch", "cycles")
    band_system = SYSTEM

    def band_jobs(self, settings: Settings) -> list[Job]:
        """The paper's two kernels, in short runs."""
        return self.short_jobs(settings, ("flush", "fass"))

    def jobs(self, settings: Settings) -> list[Job]:
        """One run a scheme, on the PC too."""
        rounds = settings.times(ROUNDS, QUICK_ROUNDS)
        return [
            *self.choices(settings),
            *(
                l4_pc.job(
                    "bench-primitives",
                    scheme,
                    f"rounds={rounds} warmup={WARMUP} fault=1",
                    7 * (rounds + WARMUP) * CYCLES_A_ROUND,
                    l4_pc.job_name(scheme),
                )
                for scheme in l4_pc.SCHEMES
            ),
        ]

    def choices(self, settings: Settings) -> list[Job]:
        """Sweeps are of one kind of machine."""
        rounds = settings.times(ROUNDS, QUICK_ROUNDS)
        return [
            l4.job(
                "bench-primitives",
                scheme,
                f"rounds={rounds} warmup={WARMUP} fault={int(scheme not in WITHOUT_FAULTS)}",
                7 * (rounds + WARMUP) * CYCLES_A_ROUND,
            )
            for scheme in COLUMNS
        ]

    def measure(self, job: Job, stats: Stats) -> Sample:
        """Traps by the counters; the page fault by its samples, which have the pager in them."""
        rounds = l4.word(job, "rounds")
        scheme = str(job.parameters["scheme"])
        cycles = {
            name: l4_pc.trap(job, stats, region, rounds, traps)
            if l4_pc.is_on(job)
            else l4_trap.measured(stats, region, rounds, traps).cycles
            for name, (region, traps) in TRAPS.items()
        }
        if scheme not in WITHOUT_FAULTS:
            fault, nothing = (
                statistics.median(l4.samples(job, stats, stream, rounds))
                for stream in (PAGE_FAULT, NOTHING)
            )
            cycles["page_fault"] = fault - nothing
        return Sample(scheme, stats.machine, rounds, cycles)

    def records(self, samples: Mapping[str, Sample]) -> list[Record]:
        """Cycles of each primitive, and how many rounds their median is of."""
        return [
            record
            for sample in samples.values()
            for record in of_case(
                self.name,
                sample.machine,
                SYSTEM,
                sample.scheme,
                {},
                [
                    *((name, cycles, "cycles") for name, cycles in sample.cycles.items()),
                    ("rounds", sample.rounds, "1"),
                ],
                digits=3,
            )
        ]
